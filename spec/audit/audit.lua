--- The audits: random calls with the results that they should have, one a line, made by
--- spec/golden/audit/audit_MODULE.py (audit.py says how). AUDIT_FILE=path takes a file's lines, as `make audit` does.

local helper = require "spec.helper"
local ma = helper.ma

local audit = {}

local TOLERANCES = { float64 = 1e-12, complex128 = 1e-12, float32 = 1e-5, complex64 = 1e-5, float16 = 2e-3,
  bfloat16 = 2e-2 }
local LEAST = { float64 = 2 ^ -1074, complex128 = 2 ^ -1074, float32 = 2 ^ -149, complex64 = 2 ^ -149,
  float16 = 2 ^ -24, bfloat16 = 2 ^ -133 }

-- ==== What the lines are written in ====

--- How an array lies in memory: each gives an array of the same elements.
local layouts = {
  c = function(x) return x end,
  f = function(x) return x.ndim < 2 and x or x:transpose():copy():transpose() end,
  r = function(x) return x.ndim == 0 and x or ma.flip(ma.flip(x):copy()) end,
  s = function(x)
    if x.ndim == 0 then return x end
    local shape = { x:dims() }
    shape[#shape] = 2 * shape[#shape]
    local wide = ma.zeros(shape, x.dtype)
    local view = wide["..., ::2"]
    view:assign(x)
    return view
  end,
  o = function(x)
    if x.ndim == 0 then return x end
    local shape = { x:dims() }
    shape[1] = shape[1] + 1
    local long = ma.zeros(shape, x.dtype)
    local view = long[shape[1] > 1 and "2:, ..." or "1:0, ..."]
    view:assign(x)
    return view
  end,
  l = function(x) return x:totable() end,
}

local function array_of(dtype, shape, hex, layout)
  local x = helper.array(helper.unhex(hex, helper.itemsize[dtype]), dtype, helper.parse_shape(shape))
  if not layout or x.size == 0 or helper.thin and layout ~= "l" then return x end
  return layouts[layout](x)
end

--- The same of numbers.
local function array_of_numbers(dtype, shape, list, layout)
  local x = ma.array(list, { dtype = dtype }):reshape(helper.parse_shape(shape))
  if not layout or helper.thin and layout ~= "l" then return x end
  return layouts[layout](x)
end

local words = {
  a = array_of, n = array_of_numbers, z = ma.complex, inf = math.huge, nan = 0 / 0,
  p = function(...) return { n = select("#", ...), ... } end,
  call = function(name, args, wants, how) return { name = name, args = args, wants = wants, how = how or {} } end,
}

-- ==== Comparing ====

local function is_array(x) return type(x) == "userdata" and x.dtype ~= nil end

--- The elements as numbers, of a complex array its parts in turn.
local function numbers(x)
  return helper.numbers(helper.bytes(x), x.dtype)
end

local function same_number(got, want, allowed)
  if want ~= want then return got ~= got end
  return got == want or math.abs(got - want) <= allowed
end

local function array_difference(got, want, how, dtype)
  if not how.loose and got.dtype ~= want.dtype then return ("dtype %s; wanted %s"):format(got.dtype, want.dtype) end
  if helper.shape(got) ~= helper.shape(want) then
    return ("shape %s; wanted %s"):format(helper.shape(got), helper.shape(want))
  end
  local g, w = numbers(got), numbers(want)
  local step = helper.is_complex[want.dtype] and 2 or 1
  local tol, least = how.tol or TOLERANCES[dtype] or 0, LEAST[dtype] or 0
  local scale, norm = is_array(how.scale) and numbers(how.scale), type(how.scale) == "number" and how.scale or 0
  for k = 1, how.scale == "norm" and #w or 0 do
    if math.abs(w[k]) < math.huge then norm = math.max(norm, math.abs(w[k])) end
  end
  for k = 1, #w, step do
    local size = scale and scale[(k - 1) / step + 1] or norm
    if not scale and not how.scale then
      size = step == 2 and math.max(math.abs(w[k]), math.abs(w[k + 1])) or math.abs(w[k])
      if size ~= size or size == math.huge then size = 0 end
    end
    for part = k, k + step - 1 do
      if not same_number(g[part], w[part], tol * size + 4 * least) then
        return ("element %d is %.17g; wanted %.17g (%.3g of what is allowed)"):format((k - 1) / step + 1, g[part],
          w[part], math.abs(g[part] - w[part]) / (tol * size + 4 * least))
      end
    end
  end
  return nil
end

local function difference(got, want, how)
  if is_array(want) then
    if type(got) == "number" and want.ndim == 0 then got = ma.array(got, want.dtype) end
    if not is_array(got) then return ("a %s; wanted an array"):format(type(got)) end
    return array_difference(got, want, how, want.dtype)
  end
  if is_array(got) and got.ndim == 0 then got = got:item() end
  if type(want) == "number" then
    if type(got) ~= "number" then return ("a %s; wanted %.17g"):format(type(got), want) end
    local size = math.abs(want) < math.huge and math.abs(want) or 0
    if same_number(got, want, (how.tol or TOLERANCES.float64) * size) then return nil end
    return ("%.17g; wanted %.17g"):format(got, want)
  end
  if type(want) == "table" and type(got) == "table" then
    for key, value in pairs(want) do
      local why = difference(got[key], value, how)
      if why then return ("[%s]: %s"):format(tostring(key), why) end
    end
    return nil
  end
  if got ~= want then return ("%s; wanted %s"):format(tostring(got), tostring(want)) end
  return nil
end

-- ==== Running ====

--- What an argument looks like in a message.
local function show(x)
  if is_array(x) then
    local list = x.size <= 8 and numbers(x) or {}
    for k, v in ipairs(list) do list[k] = ("%.17g"):format(v) end
    return ("%s(%s){%s}"):format(x.dtype, helper.shape(x), x.size <= 8 and table.concat(list, ", ") or "...")
  end
  if type(x) == "table" then
    local list = {}
    for key, value in pairs(x) do
      list[#list + 1] = type(key) == "number" and show(value) or key .. " = " .. show(value)
    end
    return "{" .. table.concat(list, ", ") .. "}"
  end
  return type(x) == "number" and ("%.17g"):format(x) or type(x) == "string" and ("%q"):format(x) or tostring(x)
end

local function show_call(call)
  local list = {}
  for k = 1, call.args.n do list[k] = show(call.args[k]) end
  return ("%s(%s)"):format(call.name, table.concat(list, ", "))
end

--- The function of "stats.entropy", or of the audit's own calls.
local function function_of(name, own)
  if own and own[name] then return own[name] end
  local at = ma
  for part in name:gmatch("[^.]+") do at = at[part] end
  return at
end

--- Makes one call. Returns what is wrong with it, or nil.
local function fault(call, own)
  local results = words.p(pcall(function_of(call.name, own), unpack(call.args, 1, call.args.n)))
  local how = call.how
  if how.error then
    if results[1] then return "no error; wanted one with " .. how.error end
    return not tostring(results[2]):find(how.error, 1, true) and tostring(results[2]) or nil
  end
  if not results[1] then return tostring(results[2]) end
  if results.n - 1 ~= call.wants.n then
    return ("%d results; wanted %d"):format(results.n - 1, call.wants.n)
  end
  for k = 1, call.wants.n do
    local why = difference(results[k + 1], call.wants[k], how)
    if why then return call.wants.n > 1 and ("result %d: %s"):format(k, why) or why end
  end
  return nil
end

local function load_line(line)
  local chunk = assert(loadstring("return " .. line))
  return setfenv(chunk, words)()
end

--- The tests of one module's audit, one a function: a list of { name =, run = } for busted's `it`. `own` has functions
--- for names that are none of the library's.
---@param module string
---@param own? table<string, function>
function audit.tests(module, own)
  local order, lines, tests = {}, {}, {}
  local path = os.getenv("AUDIT_FILE")
  for line in path and io.lines(path) or helper.golden_lines("audit_" .. module) do
    local name = line:match('^call%("([^"]*)"')
    if name then
      if not lines[name] then
        lines[name] = {}
        order[#order + 1] = name
      end
      table.insert(lines[name], line)
    end
  end
  for k, name in ipairs(helper.part(order)) do
    tests[k] = { name = ("%s, %d calls"):format(name, #lines[name]), run = function()
      local failures = helper.failures(tonumber(os.getenv("AUDIT_SHOW")) or 6)
      for _, line in ipairs(lines[name]) do
        local call = load_line(line)
        local why = fault(call, own)
        if why then failures:run(show_call(call), error, why, 0) end
      end
      failures:check()
    end }
  end
  return tests
end

return audit
