--- Plans that a program keeps and passes, and lengths that transforms are fast for.

local sformat = require("moonarray.text").format

return function(ma, core, shared)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local is = common.is
  local plans = shared.plans

  -- ==== Plans ======================================================================================================

  --> = plan | ma.fft.get_fft_plan(ma.ones(4)) | A plan of Fourier transforms.
  --> . shape: integer[] | of the arrays
  --> . axes: integer[] | that are transformed
  --> . dtype: dtype | of the arrays
  --> . device: string | where they are
  --> . value_type: string | "C2C", "R2C" or "C2R"
  local Plan = { __metatable = "moonarray plan of a Fourier transform" }
  local methods = {}

  function Plan.__index(plan, key)
    if methods[key] then return methods[key] end
    local value = plans[plan][key]
    if value == nil then core.unknown("fft.get_fft_plan", key, methods, plans[plan]) end
    return value
  end

  function Plan.__tostring(plan)
    local of = plans[plan]
    return sformat("<plan %s of %s (%s) along (%s) on %s>", of.value_type, of.dtype, table.concat(of.shape, ", "),
      table.concat(of.axes, ", "), of.device)
  end

  --> :free() | Lets go of the plan.
  --> plan:free: plan:free()
  -->   return select(2, pcall(ma.fft.fft, ma.ones(4), {plan = plan})):match("moonarray.*")
  function methods.free(plan)
    local of = plans[plan]
    for _, kept in ipairs(of.kept or {}) do core.fft_let_go(kept) end
    of.kept = nil
  end

  local sides = { C2C = "complex", R2C = "real", C2R = "complex" }

  --- An array without memory that has the shape of an array to transform. The axes to transform are its last ones.
  local function model(of, dtype, last)
    local shape, ends = { unpack(of.shape) }, {}
    if last then shape[of.axes[#of.axes]] = last end
    for k = 1, #of.axes do ends[k] = #shape - #of.axes + k end
    return ma.broadcast_to(ma.zeros({}, dtype, { device = of.device }), shape):moveaxis(of.axes, ends)
  end

  local LARGE = 2 ^ 27

  local function keep(of)
    -- FFTW ends the process if it gets no memory. So an array that cannot exist gets no plan.
    if common.product(of.shape) > LARGE then ma.empty(of.shape, of.dtype, { device = of.device }):free() end
    local rank, n = #of.axes, of.lengths[#of.axes]
    if of.value_type == "R2C" then return { core.fft_plan(model(of, of.dtype), "to_complex", rank, false) } end
    if of.value_type == "C2R" then
      return { core.fft_plan(model(of, of.dtype, math.floor(n / 2) + 1), "to_real", rank, true, n) }
    end
    local like = model(of, of.dtype)
    return { core.fft_plan(like, "complex", rank, false), core.fft_plan(like, "complex", rank, true) }
  end

  --> fft.get_fft_plan: local plan = ma.fft.get_fft_plan(ma.ones(4))
  -->   return ma.fft.fft({1, 2, 3, 4}, {plan = plan})
  def("fft.get_fft_plan(a: data, shape?: integer|integer[], axes?: integer|integer[], value_type?: string) -> plan",
    "The plan of transforms of arrays like a, which stays in the cache while the object lives: fft.fft(a, {plan = " ..
      "plan}). shape: the lengths along the axes, of the real side for value_type 'C2R'; value_type: 'C2C' " ..
      "(default), 'R2C' or 'C2R'. At most three axes.",
    function(a, shape, axes, value_type)
      local name = "fft.get_fft_plan"
      value_type = value_type or "C2C"
      if not sides[value_type] then
        fail(name, "value_type is " .. core.describe(value_type) .. "; wanted 'C2C', 'R2C' or 'C2R'")
      end
      a = core.asarray(a)
      local list, lengths, given = shared.axes_of(name, a, shape, axes)
      if #list > shared.most_axes then
        fail(name, sformat("%d axes; wanted at most %d", #list, shared.most_axes))
      end
      local seen, full, last = {}, { unpack(a.shape) }, #list
      if value_type == "C2R" and not (given and given[last] ~= -1) then lengths[last] = 2 * (lengths[last] - 1) end
      for k, axis in ipairs(list) do
        if seen[axis] then fail(name, sformat("axis %d twice; wanted each once", axis)) end
        seen[axis], full[axis] = true, shared.check_length(name, lengths[k])
      end
      if value_type == "C2R" then full[list[last]] = math.floor(lengths[last] / 2) + 1 end
      local of = { value_type = value_type, shape = full, axes = list, lengths = lengths, device = a.device }
      if value_type == "R2C" then of.dtype = shared.single(a.dtype) and "float32" or "float64"
      else of.dtype = shared.single(a.dtype) and "complex64" or "complex128" end
      if value_type == "R2C" and is.complexfloating[a.dtype] then
        fail(name, "a is a " .. a.dtype .. " array; wanted real elements for 'R2C'")
      end
      of.kept = keep(of)
      local plan = setmetatable({}, Plan)
      plans[plan] = of
      return plan
    end)

  -- ==== Lengths ====================================================================================================

  --- The products of 2, 3, 5 and 7 next to n on either side, which both libraries transform by their fastest code.
  local function products_beside(n)
    local below, above = 1, math.huge
    local seven = 1
    while seven < 2 * n do
      local five = seven
      while five < 2 * n do
        local three = five
        while three < 2 * n do
          local high = three                             -- the least multiple by a power of two from n on
          while high < n do high = high * 2 end
          if high < above then above = high end
          local low = high == n and high or high / 2
          if three <= n and low > below then below = low end
          three = three * 3
        end
        five = five * 5
      end
      seven = seven * 7
    end
    return below, above
  end

  local MOST_KNOWN = 256
  local known, count = {}, 0             -- lengths from some targets on, which programs ask for again and again

  --> fft.next_fast_len(97)
  def("fft.next_fast_len(target: integer, real?: boolean) -> integer",
    "The least length from target on that is a product of 2, 3, 5 and 7, which transforms are fast for.",
    function(target)
      local found = known[target]
      if found then return found end
      local _, above = products_beside(common.whole("fft.next_fast_len", "target", target, 1, 2 ^ 53))
      if count == MOST_KNOWN then known, count = {}, 0 end
      known[target], count = above, count + 1
      return above
    end)

  --> fft.prev_fast_len(97)
  def("fft.prev_fast_len(target: integer, real?: boolean) -> integer",
    "The greatest such length that is not above target.", function(target)
    return (products_beside(common.whole("fft.prev_fast_len", "target", target, 1, 2 ^ 53)))
  end)
end
