-- Every ufunc x dtype x layout: values against NumPy's, bits against the contiguous result, the GPU against the CPU.

local helper = require "spec.helper"
local rows = require "spec.ops.ops_values"
local ma = helper.ma

local on_gpu = helper.device ~= "cpu"

-- ==== The golden file: value sets and records ====

local sets, records, rounds = {}, {}, {}
for _, r in ipairs(helper.golden("ufunc")) do
  if r[1] == "set" then
    sets[r[2]] = sets[r[2]] or {}
    sets[r[2]][r[3]] = helper.unhex(r[4], helper.itemsize[r[3]])
  elseif r[1] == "op" then
    records[r[2]] = records[r[2]] or {}
    table.insert(records[r[2]], r)
  elseif r[1] == "round" then
    rounds[#rounds + 1] = r
  end
end

local function split(text)
  local list = {}
  for word in text:gmatch("[^,]+") do list[#list + 1] = word end
  return list
end

--- Operands' bytes and dtypes of a record, cut to a common length.
local function operands(record)
  local bytes, dtypes, names = {}, split(record[4]), split(record[3])
  for k, name in ipairs(names) do
    bytes[k] = assert(sets[name][dtypes[k]], name)
  end
  return bytes, dtypes
end

-- ==== Layouts: the same elements, otherwise laid out ====

local function contiguous(bytes, dtype, shape) return helper.array(bytes, dtype, shape) end

local layouts = {
  strided = function(bytes, dtype, shape)
    local base = ma.zeros({ shape[1], shape[2], 3 }, dtype)
    base[":, :, 2"] = contiguous(bytes, dtype, shape)
    return base[":, :, 2"]
  end,
  transposed = function(bytes, dtype, shape)
    local base = ma.zeros({ shape[2], shape[1] }, dtype)
    base:transpose()[{}] = contiguous(bytes, dtype, shape)
    return base:transpose()
  end,
  reversed = function(bytes, dtype, shape)
    local base = ma.zeros(shape, dtype)
    base["::-1, ::-1"] = contiguous(bytes, dtype, shape)
    return base["::-1, ::-1"]
  end,
  offset = function(bytes, dtype, shape)
    local size = shape[1] * shape[2]
    local base = ma.zeros({ size + 1 }, dtype)
    base["2:"] = contiguous(bytes, dtype, { size })
    return base["2:"]:reshape(shape)
  end,
  rows = function(bytes, dtype, shape)
    local base = ma.zeros({ shape[1], shape[2] + 5 }, dtype)
    local part = base[{ {}, { 3, shape[2] + 2 } }]
    part[{}] = contiguous(bytes, dtype, shape)
    return part
  end,
}
local layout_names = {}
for name in pairs(layouts) do layout_names[#layout_names + 1] = name end
table.sort(layout_names)

local function each(list, f)
  local result = {}
  for k, v in ipairs(list) do result[k] = f(v, k) end
  return result
end

--- Results of a call as a list of arrays; whether the CPU stood in for a GPU that has no kernel for it.
local function call(f, args) return helper.stood_in(f, unpack(args)) end

local function bytes_of(results)
  return each(results, helper.bytes)
end

-- ==== Checks: each gets a case {name, f, row, record, bytes, dtypes, out dtypes, want, stood_in, ulp} ====

local checks = {}

--- Results have these bytes, those of the case if none are given. Where the CPU stood in for one of the two, the last
--- bits may be the CPU's.
local function same(case, label, results, stood_in, want)
  for k, result in ipairs(results) do
    helper.same(helper.bytes(result), want and want[k] or case.want[k], case.out[k],
      (stood_in or case.stood_in) and case.ulp or 0, label)
  end
end

function checks.golden(case)
  for k, result in ipairs(case.contiguous) do
    assert(result.dtype == case.out[k], ("result dtype %s; wanted %s"):format(result.dtype, case.out[k]))
    local want, undefined = helper.unhex(case.record[6 + k], helper.itemsize[case.out[k]])
    helper.same(case.want[k], want, case.out[k], case.ulp, case.name, undefined, case.row.zero or case.ulp > 0)
  end
end

function checks.layouts(case)
  local columns = math.floor(case.n / 8)
  if columns == 0 then return end
  local count, shape = columns * 8, { 8, columns }
  local cut = each(case.bytes, function(b, k) return b:sub(1, count * helper.itemsize[case.dtypes[k]]) end)
  local want = each(case.want, function(b, k) return b:sub(1, count * helper.itemsize[case.out[k]]) end)
  for _, layout in ipairs(layout_names) do
    local got, stood_in = call(case.f, each(cut, function(b, k) return layouts[layout](b, case.dtypes[k], shape) end))
    for _, result in ipairs(got) do
      assert(helper.shape(result) == "8x" .. columns, "shape " .. helper.shape(result))
    end
    same(case, layout, got, stood_in, want)
  end
  if #cut > 1 then                     -- operands of different layouts
    local got, stood_in = call(case.f, each(cut, function(b, k)
      return layouts[layout_names[k % #layout_names + 1]](b, case.dtypes[k], shape)
    end))
    same(case, "mixed layouts", got, stood_in, want)
  end
end

-- More elements than a block of the CPU's interpreter, and than one thread's share where the suite runs long.
function checks.long(case)
  local times = math.ceil((helper.long and 200000 or 2600) / case.n)
  local got, stood_in = call(case.f,
    each(case.bytes, function(b, k) return contiguous(b:rep(times), case.dtypes[k]) end))
  same(case, "long", got, stood_in, each(case.want, function(b) return b:rep(times) end))
end

-- Each operand in turn is one element repeated by a stride of zero.
function checks.broadcast(case)
  for which = 1, #case.bytes do
    local size = helper.itemsize[case.dtypes[which]]
    local at = (case.n * 7 + which) % case.n
    local element = case.bytes[which]:sub(at * size + 1, at * size + size)
    local full = each(case.bytes,
      function(b, k) return contiguous(k == which and element:rep(case.n) or b, case.dtypes[k]) end)
    local filled, by_cpu = call(case.f, full)
    local want = bytes_of(filled)
    local one = each(full, function(a) return a end)
    one[which] = ma.broadcast_to(contiguous(element, case.dtypes[which], { 1 }), { case.n })
    local got, stood_in = call(case.f, one)
    same(case, "broadcast_to", got, by_cpu or stood_in, want)
    if #case.bytes > 1 then
      one[which] = contiguous(element, case.dtypes[which], {})
      got, stood_in = call(case.f, one)
      same(case, "0-d operand", got, by_cpu or stood_in, want)
    end
  end
end

function checks.zero_dim(case)
  for at = 0, math.min(case.n, 13) - 1, 6 do
    local function element(b, dtype)
      local size = helper.itemsize[dtype]
      return b:sub(at * size + 1, at * size + size)
    end
    local got, stood_in = call(case.f, each(case.bytes, function(b, k)
      return contiguous(element(b, case.dtypes[k]), case.dtypes[k], {})
    end))
    for _, result in ipairs(got) do assert(result.ndim == 0, "0-d operands gave " .. helper.shape(result)) end
    same(case, "0-d", got, stood_in, each(case.want, function(b, k) return element(b, case.out[k]) end))
  end
end

function checks.empty(case)
  for _, shape in ipairs({ { 0 }, { 0, 3 }, { 2, 0 } }) do
    for k, result in ipairs(call(case.f, each(case.dtypes, function(d) return ma.zeros(shape, d) end))) do
      assert(helper.shape(result) == table.concat(shape, "x") and result.dtype == case.out[k],
        "empty: " .. helper.shape(result))
    end
  end
end

local function arrays(case) return each(case.bytes, function(b, k) return contiguous(b, case.dtypes[k]) end) end

local function with(args, options)
  local list = each(args, function(a) return a end)
  list[#list + 1] = options
  return list
end

function checks.out(case)
  if #case.out > 1 then
    local outs = each(case.out, function(d) return ma.full({ case.n }, 1, d) end)
    local got, stood_in = call(case.f, with(arrays(case), { out = outs }))
    return same(case, "out", got, stood_in)
  end
  local dtype = case.out[1]
  local poison = ma.full({ case.n, 2 }, 1, dtype)
  for label, out in pairs({ out = ma.full({ case.n }, 1, dtype), ["strided out"] = poison[":, 2"] }) do
    local got, stood_in = call(case.f, with(arrays(case), { out = out }))
    assert(rawequal(got[1], out), label .. " is not what came back")
    same(case, label, got, stood_in)
  end
  helper.same(helper.bytes(poison[":, 1"]), helper.bytes(ma.full({ case.n }, 1, dtype)), dtype, 0,
    "beside a strided out")
  -- in place, where the dtype allows
  if dtype == case.dtypes[1] then
    local args = arrays(case)
    local _, stood_in = call(case.f, with(args, { out = args[1] }))
    same(case, "out is the first operand", { args[1] }, stood_in)
  end
end

function checks.where(case)
  if #case.out > 1 then return end
  local dtype = case.out[1]
  local size = helper.itemsize[dtype]
  local mask = ("\1\0\0\1\1\0\1"):rep(math.ceil(case.n / 7)):sub(1, case.n)
  local old = helper.bytes(ma.full({ case.n }, 1, dtype))
  local want = {}
  for k = 0, case.n - 1 do
    want[k + 1] = (mask:byte(k + 1) == 1 and case.want[1] or old):sub(k * size + 1, k * size + size)
  end
  local out = ma.full({ case.n }, 1, dtype)
  local _, stood_in = call(case.f, with(arrays(case), { out = out, where = contiguous(mask, "bool") }))
  same(case, "where", { out }, stood_in, { table.concat(want) })
end

local wider = { float16 = "float32", bfloat16 = "float32", float32 = "float64", complex64 = "complex128",
  int8 = "int32", uint8 = "int32",
  int32 = "int64" }

-- A loop of a wider dtype gives what casting the operands gives.
function checks.dtype(case)
  local wide = wider[case.dtypes[1]]
  if not wide or case.out[1] ~= case.dtypes[1] or #case.out > 1 or case.name == "ldexp" or case.name
    == "bitwise_count" then
    return
  end
  for _, d in ipairs(case.dtypes) do if d ~= case.dtypes[1] then return end end
  local args = arrays(case)
  local want, by_cpu = call(case.f, each(args, function(a) return a:astype(wide) end))
  local got, stood_in = call(case.f, with(args, { dtype = wide }))
  helper.identical(got[1], want[1], "dtype = " .. wide, (by_cpu or stood_in) and case.ulp or 0)
end

function checks.devices(case)
  if not on_gpu then return end
  local host = bytes_of(call(case.f, each(arrays(case), function(a) return a:get() end)))
  for k, bytes in ipairs(host) do
    helper.same(case.want[k], bytes, case.out[k], case.ulp, "GPU against CPU", nil, case.row.zero)
  end
end

local basic = { golden = true, devices = true, empty = true }
local names = { "golden", "devices", "layouts", "long", "broadcast", "zero_dim", "empty", "out", "where", "dtype" }
local not_plain = { out = true, where = true, dtype = true }

local function new_case(row, record)
  local case = { name = row[1], f = ma[row[1]], row = row, record = record, out = {} }
  case.bytes, case.dtypes = operands(record)
  case.n = #case.bytes[1] / helper.itemsize[case.dtypes[1]]
  case.out = split(record[6])
  local complex = helper.is_complex[case.dtypes[#case.dtypes]]
  case.ulp = type(row[3]) == "table" and row[3][complex and 2 or 1] or row[3]
  case.contiguous, case.stood_in = call(case.f, arrays(case))
  case.want = bytes_of(case.contiguous)
  return case
end

-- ==== The tests ====

describe("values and layouts:", function()
  for _, row in ipairs(helper.part(rows)) do
    it(row[1], function()
      local failures = helper.failures()
      assert(records[row[1]], "no golden record; run make golden GOLDEN=ufunc")
      local turn = #row[1]               -- a thin run takes every seventh dtype, another one for each operation
      for _, record in ipairs(records[row[1]]) do
        turn = turn + 1
        local label = row[1] .. " " .. record[4]
        if record[5] == "error" then
          failures:run(label, function()
            local bytes, dtypes = operands(record)
            helper.fails(ma[row[1]], unpack(each(bytes, function(b, k) return helper.array(b, dtypes[k]) end)))
          end)
        else
          local case
          if failures:run(label, function() case = new_case(row, record) end) then
            for _, name in ipairs(names) do
              local due = basic[name] or not helper.thin or turn % 7 == 0
              if due and not (row.plain and not_plain[name]) then
                failures:run(label .. " " .. name, checks[name], case)
              end
            end
          end
        end
      end
      failures:check()
    end)
  end
end)

if not helper.is_first_part then return end

describe("the table of ufuncs", function()
  local has_row = {}
  for _, row in ipairs(rows) do has_row[row[1]] = true end

  it("has a row of test values for each", function()
    local missing = {}
    for name in pairs(helper.ufuncs()) do
      local f = ma[name]
      if not has_row[name] and not has_row[f.name] then missing[#missing + 1] = name end
    end
    table.sort(missing)
    assert(#missing == 0, "no row in spec/ops/ops_values.lua: " .. table.concat(missing, ", "))
  end)

  it("has every name of CuPy's and the array API's", function()
    local wanted = [[bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_count invert left_shift right_shift isfinite isinf isnan
      logical_and logical_not logical_or logical_xor arccos arcsin arctan arctan2 cos deg2rad degrees hypot rad2deg radians sin tan
      arccosh arcsinh arctanh cosh sinh tanh rint exp exp2 expm1 log log10 log1p log2 logaddexp logaddexp2 i0 sinc copysign frexp
      ldexp nextafter signbit gcd lcm add divide divmod floor_divide float_power fmod modf multiply negative positive power
      reciprocal remainder mod subtract true_divide conj conjugate abs absolute cbrt fabs fmax fmin maximum minimum sign heaviside
      sqrt square equal not_equal greater greater_equal less less_equal ceil floor trunc fix acos acosh asin asinh atan atanh atan2
      pow bitwise_invert bitwise_left_shift bitwise_right_shift]]
    local ufuncs, missing = helper.ufuncs(), {}
    for name in wanted:gmatch("%S+") do
      if not ufuncs[name] then missing[#missing + 1] = name end
    end
    assert(#missing == 0, "no such ufunc: " .. table.concat(missing, ", "))
  end)

  it("gives each a name and a docstring", function()
    for name in pairs(helper.ufuncs()) do
      local f = ma[name]
      assert(type(f.name) == "string" and #f.doc > 0, name)
      assert(tostring(f):find(f.name, 1, true), tostring(f))
    end
  end)
end)

describe("other values", function()
  it("round", function()
    local failures = helper.failures()
    for _, r in ipairs(rounds) do
      failures:run(("round %s %s"):format(r[3], r[2]), function()
        local x = helper.array(sets.real[r[3]], r[3])
        local y = ma.round(x, tonumber(r[2]))
        assert(y.dtype == r[5], y.dtype)
        local want, undefined = helper.unhex(r[6], helper.itemsize[r[5]])
        helper.same(helper.bytes(y), want, r[5], 0, "golden", undefined)
        helper.same(helper.bytes(x["::-1"]:round(tonumber(r[2]))["::-1"]), helper.bytes(y), r[5], 0, "reversed")
      end)
    end
    failures:check()
  end)

  it("fmod, remainder and floor_divide are exact, whatever the quotient", function()
    local special = { 0, -0.0, 1, -1, math.huge, -math.huge, 0 / 0, 1e-300, 5e-324, 1.7e308 }
    for _, dtype in ipairs { "float32", "float64" } do
      local widest = dtype == "float32" and 40 or 300
      local x, y = {}, {}
      for k = 1, 2000 do
        y[k] = (math.random() - 0.5) * 2 ^ math.random(-widest, widest)
        local times = math.random(4)
        x[k] = times == 1 and y[k] * math.random(-1e6, 1e6) or times == 2 and math.random(-40, 40)
          or y[k] * (math.random() - 0.5) * 2 ^ math.random(0, 70)
        if times == 2 then y[k] = math.random(-9, 9) end
        if k % 50 == 0 then x[k] = special[math.random(#special)] end
        if k % 70 == 0 then y[k] = special[math.random(#special)] end
      end
      local a, b = ma.array(x):astype(dtype), ma.array(y):astype(dtype)
      x, y = a:totable(), b:totable()
      local fmod, remainder, quotient = ma.fmod(a, b):totable(), (a % b):totable(), ma.floor_divide(a, b):totable()
      for k = 1, #x do
        local want = math.fmod(x[k], y[k])
        local text = ("%.17g and %.17g"):format(x[k], y[k])
        local function equal(value, wanted) assert(value == wanted or (value ~= value and wanted ~= wanted), text) end
        equal(fmod[k], want)
        if want ~= 0 and (want < 0) ~= (y[k] < 0) then want = ma.array(want + y[k]):astype(dtype):item() end
        equal(remainder[k], want)
        local part = want / y[k]
        if part > 1e-6 and part < 1 - 1e-6 and math.abs(x[k] / y[k]) < 2 ^ 20 then
          equal(quotient[k], math.floor(x[k] / y[k]))
        end
      end
    end
  end)

  it("remainder and floor_divide of integers by one number are exact, whatever the number", function()
    for dtype, bits in pairs { int32 = 31, int64 = 62 } do
      for _, by in ipairs { 1, 2, 3, 7, 10, 2048, 999983, 2 ^ (bits - 1), 2 ^ 31 - 1, bits > 31 and 2 ^ 51 or 5, -7, -1,
        0 } do
        for far = 0, 1 do
          local x = {}
          for k = 1, 2000 do x[k] = math.floor((math.random() - 0.5) * 2 ^ math.random(1, math.min(bits, 50))) end
          for k = 1, 20 do x[k] = (k - 10) * (by > 2 ^ 20 and 1 or by) + k % 3 - 1 end
          if far == 1 then x[77] = 2 ^ (bits - 1) end
          local a = ma.array(x):astype(dtype)
          local remainder, quotient = (a % by):astype("float64"):totable(),
            ma.floor_divide(a, by):astype("float64"):totable()
          for k = 1, #x do
            local rest = by == 0 and 0 or math.fmod(x[k], by)
            if rest ~= 0 and (rest < 0) ~= (by < 0) then rest = rest + by end
            assert(remainder[k] == rest and quotient[k] == (by == 0 and 0 or (x[k] - rest) / by),
              ("%s: %.0f by %.0f"):format(dtype, x[k], by))
          end
        end
      end
    end
  end)

  it("aliases are the same ufunc", function()
    for alias, name in pairs({ abs = "absolute", conj = "conjugate", mod = "remainder", true_divide = "divide",
      bitwise_not = "invert",
      degrees = "rad2deg", radians = "deg2rad", acos = "arccos", pow = "power" }) do
      assert(ma[alias].name == ma[name].name, alias)
    end
  end)
end)

describe("ufunc methods", function()
  local binary = { "add", "subtract", "multiply", "divide", "maximum", "minimum", "power", "arctan2", "less",
    "logical_and", "copysign" }

  it("outer is the operation on every pair", function()
    for _, name in ipairs(binary) do
      local x, y = helper.array(sets.real.float32, "float32")["1:20"],
        helper.array(sets.real.float32, "float32")["15:40"]
      helper.identical(ma[name].outer(x, y), ma[name](x:reshape(20, 1), y), name .. ".outer")
    end
  end)

  it("reduce and accumulate agree with the reductions", function()
    local x = helper.array(sets.finite.int32, "int32")["1:16"]:reshape(4, 4)
    helper.identical(ma.add.reduce(x, 1), x:sum(1), "add.reduce")
    helper.identical(ma.multiply.reduce(x, 2), x:prod(2), "multiply.reduce")
    helper.identical(ma.maximum.reduce(x, 2), x:max(2), "maximum.reduce")
    helper.identical(ma.minimum.reduce(x, 1), x:min(1), "minimum.reduce")
    helper.identical(ma.add.accumulate(x, 1), ma.cumsum(x, 1), "add.accumulate")
    helper.identical(ma.multiply.accumulate(x, 2), ma.cumprod(x, 2), "multiply.accumulate")
  end)
end)
