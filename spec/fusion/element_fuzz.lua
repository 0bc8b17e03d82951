--- Random functions of elements, each run in several forms: as ma.stencil, ma.fuse, ma.vectorize and
--- ndimage.generic_filter make programs and kernels of it, in its plain form, and for float64 as bare Lua. A program is
--- a seed; check(seed) gives nil, or what differs, with the function's text.

local ma = require "moonarray"

local fuzz = { programs = 0, runs = {} }

local N = 9                            -- elements of a field
local kinds = { "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
  "float32", "float64" }
local is_float = { float16 = true, bfloat16 = true, float32 = true, float64 = true }

-- ==== Random choices =================================================================================================

local state

local function random(n)               -- 1 .. n
  state = (state * 1103515245 + 12345) % 2 ^ 31
  return math.floor(state / 2 ^ 31 * n) + 1
end

local function chance(percent) return random(100) <= percent end
local function pick(list) return list[random(#list)] end

-- ==== Dtypes of expressions ==========================================================================================

local known = {}

--- The dtype of a binary operation; "int" and "float" are weak numbers.
local function joined(op, a, b)
  local key = op .. a .. "," .. b
  if known[key] then return known[key] end
  local function operand(dtype) return dtype == "int" and 1 or dtype == "float" and 0.5 or ma.ones(1, dtype) end
  local x, y = operand(a), operand(b)
  local r
  if op == "/" then r = x / y elseif op == "%" then r = x % y else r = x + y end
  known[key] = r.dtype
  return r.dtype
end

-- ==== Expressions ====================================================================================================
-- What is written is a list of texts and of leaves, {leaf number}, whose text depends on the form.

local vars, leaves, loop, turn, allowed, bare
local T = ma.array { 0.5, -2, 3, 1.25, -0.75, 7 }      -- from outside, read at positions

local function text(...) return { ... } end

--- Writes a list into `to`, where `names` has the text of each leaf.
local function write(list, names, to)
  for _, part in ipairs(list) do
    if type(part) == "string" then to[#to + 1] = part
    elseif part.leaf then to[#to + 1] = names[part.leaf]
    else write(part, names, to) end
  end
end

local expression, condition

local function constant(dtype)
  if is_float[dtype] and chance(50) then return pick { "0.5", "1.25", "3.75", "0.25" }, "float" end
  return pick { "0", "1", "2", "3", "5" }, "int"
end

--- An element of an array from outside. `turn`: a loop's variable, from 1 to 5.
local function from_array()
  bare = false
  return text("T[", turn and chance(70) and turn or "#T", "]"), "float64"
end

--- A value of elements, without operations: a leaf or a variable.
local function simple()
  if not allowed.kernel and chance(4) then return from_array() end
  if #vars > 0 and chance(50) then
    local v = pick(vars)
    return text(v.name), v.dtype
  end
  local k = random(#leaves)
  return text { leaf = k }, leaves[k]
end

local function function_call(depth)
  local e, dtype = expression(depth - 1)
  local library = allowed.mathematics and chance(50) and "math." or "ma."
  local which = random(5)
  if which == 1 then return text(library, "abs(", e, ")"), dtype end
  if which == 2 then return text(library, "floor(", e, ")"), dtype end
  if which == 3 then
    local root = text(library, "sqrt(", library, "abs(", e, "))")
    return root, allowed.kernel and not is_float[dtype] and "float64" or ma.sqrt(ma.ones(1, dtype)).dtype
  end
  local f, other = expression(depth - 1)
  bare = false                           -- NaN: Lua's and the library's minima differ
  return text("ma.", which == 4 and "maximum(" or "minimum(", e, ", ", f, ")"), joined("+", dtype, other)
end

local function arithmetic(depth)
  local a, da = expression(depth - 1)
  local op = pick { "+", "-", "*", "+", "-", "*", "/", "%" }
  if op == "%" then bare = false end
  if chance(35) then
    local c, weak = constant(da)
    if loop and not allowed.kernel and chance(40) then c, weak = loop, "int" end
    if chance(30) then return text("(", c, " ", op, " ", a, ")"), joined(op, weak, da) end
    return text("(", a, " ", op, " ", c, ")"), joined(op, da, weak)
  end
  local b, db = expression(depth - 1)
  return text("(", a, " ", op, " ", b, ")"), joined(op, da, db)
end

--- An expression of a dtype, or nil after some tries.
local function of_dtype(dtype, depth)
  for _ = 1, 6 do
    local e, found = expression(depth)
    if found == dtype then return e end
  end
end

function expression(depth)
  if depth <= 0 or chance(20) then return simple() end
  local which = random(10)
  if which <= 6 then return arithmetic(depth) end
  if which == 7 then
    local e, dtype = expression(depth - 1)
    return text("(-", e, ")"), dtype
  end
  if which == 8 and allowed.branches then
    local a, dtype = expression(depth - 1)
    local b = of_dtype(dtype, depth - 1)
    if b then return text("(", condition(1), " and ", a, " or ", b, ")"), dtype end
  end
  return function_call(depth)
end

local function comparison(depth)
  local a, da = expression(depth)
  local op = pick { "<", "<=", ">", ">=", "==", "~=" }
  if chance(50) then
    local c = constant(da)
    if chance(20) then return text("(", c, " ", op, " ", a, ")") end
    return text("(", a, " ", op, " ", c, ")")
  end
  return text("(", a, " ", op, " ", (expression(depth)), ")")
end

function condition(depth)
  if depth > 0 then
    local which = random(6)
    if which == 1 then return text("(", condition(depth - 1), " and ", condition(depth - 1), ")") end
    if which == 2 then return text("(", condition(depth - 1), " or ", condition(depth - 1), ")") end
    if which == 3 then return text("not ", condition(depth - 1)) end
  end
  return comparison(1)
end

-- ==== Statements =====================================================================================================

local block
local count

local function assignment(indent)
  if #vars == 0 then return text() end
  local v = pick(vars)
  local e = of_dtype(v.dtype, 2)
  return e and text(indent, v.name, " = ", e, "\n") or text()
end

local function declaration(indent)
  local e, dtype = expression(2)
  count = count + 1
  vars[#vars + 1] = { name = "v" .. count, dtype = dtype }
  return text(indent, "local v", tostring(count), " = ", e, "\n")
end

local function returned(indent)
  if allowed.branches and chance(15) then return text(indent, "return ", pick { "0", "1", "2" }, "\n") end
  return text(indent, "return ", (expression(2)), "\n")
end

local function branch(indent, depth)
  local list = text(indent, "if ", condition(2), " then\n", block(indent .. "  ", depth - 1, true))
  if chance(40) then
    list[#list + 1] = text(indent, "elseif ", condition(1), " then\n", block(indent .. "  ", depth - 1, true))
  end
  if chance(50) then list[#list + 1] = text(indent, "else\n", block(indent .. "  ", depth - 1, true)) end
  list[#list + 1] = indent .. "end\n"
  return list
end

local function repetition(indent, depth)
  if loop then return assignment(indent) end
  loop, turn = "k", "k"
  local list = text(indent, "for k = 1, ", tostring(random(3)), " do\n", block(indent .. "  ", depth - 1, false))
  if allowed.branches and chance(25) then list[#list + 1] = text(indent, "  if ", condition(1), " then break end\n") end
  list[#list + 1] = indent .. "end\n"
  loop, turn = nil, nil
  return list
end

--- A loop that runs as often as an element says.
local function element_loop(indent, depth)
  count = count + 1
  local name = "n" .. count
  local list = text(indent, "local ", name, " = 0\n", indent, "while ", name, " < ", tostring(random(5)), " and ",
    condition(1), " do\n", indent, "  ", name, " = ", name, " + 1\n")
  local outer = turn
  turn = turn or name
  list[#list + 1] = block(indent .. "  ", depth - 1, false)
  turn = outer
  if chance(25) then list[#list + 1] = text(indent, "  if ", condition(1), " then break end\n") end
  list[#list + 1] = indent .. "end\n"
  return list
end

--- Some statements. `leaves_early`: the block may end with a return.
function block(indent, depth, leaves_early)
  local list, outer = {}, #vars
  for _ = 1, random(depth > 1 and 3 or 2) do
    local which = random(10)
    if which <= 3 then list[#list + 1] = declaration(indent)
    elseif which <= 6 or depth == 0 then list[#list + 1] = assignment(indent)
    elseif allowed.loops and chance(50) then list[#list + 1] = element_loop(indent, depth)
    elseif which <= 9 and allowed.branches then list[#list + 1] = branch(indent, depth)
    else list[#list + 1] = repetition(indent, depth) end
  end
  if leaves_early and chance(35) then list[#list + 1] = returned(indent) end
  while #vars > outer do vars[#vars] = nil end
  return list
end

-- ==== Fields =========================================================================================================

local function value(dtype)
  if is_float[dtype] then
    if chance(8) then return pick { 1 / 0, -1 / 0, 0 / 0, -0.0, 1e4 } end
    return (random(41) - 21) / 4
  end
  local info = ma.iinfo(dtype)
  if chance(15) then return pick { tonumber(info.min), math.min(tonumber(info.max), 2 ^ 53) } end
  local low = tonumber(info.min) < 0 and -5 or 0
  return low + random(12) - 1
end

local function field(dtype)
  local list = {}
  for k = 1, N do list[k] = value(dtype) end
  return ma.array(list, { dtype = dtype })
end

-- ==== Forms ==========================================================================================================

--- The function of a form: its text, and as a function whose text the library finds.
local function made(list, params, names)
  local to = { "return function(" .. params .. ")\n" }
  write(list, names, to)
  to[#to + 1] = "end\n"
  local source = table.concat(to)
  local chunk, why = (rawget(_G, "loadstring") or load)("local ma, T = ...\n" .. source)
  if not chunk then error(why .. "\n" .. source, 0) end
  return chunk(ma, T), source
end

local function same(a, b)
  if a ~= a or b ~= b then return a ~= a and b ~= b end
  return a == b and (a ~= 0 or type(a) ~= "number" or 1 / a == 1 / b)
end

--- What differs between two results; nil: nothing. The first one's dtype counts.
local function difference(what, result, wanted)
  if result.ndim == 0 then result = ma.broadcast_to(result, wanted.shape) end -- a constant has no axes
  local got, want = result:totable(), wanted:astype(result.dtype):totable()
  for k = 1, #want do
    if not same(got[k], want[k]) then
      return ("element %d is %s (%s); %s gives %s"):format(k, tostring(got[k]), result.dtype, what, tostring(want[k]))
    end
  end
end

local function report(seed, form, fields, source, why)
  local dtypes = {}
  for k, f in ipairs(fields) do dtypes[k] = f.dtype .. " " .. tostring(f):gsub("%s+", " ") end
  return ("seed %d, %s: %s\n%s\n  %s"):format(seed, form, why, source, table.concat(dtypes, "\n  "))
end

--- Runs the form and its plain form; nil: they agree, or the form refuses what it may refuse.
local function compare(seed, form, fields, source, run, plain)
  fuzz.runs[form] = (fuzz.runs[form] or 0) + 1
  local done, result = pcall(run)
  if not done then return report(seed, form, fields, source, "refused: " .. tostring(result)) end
  local other, wanted = pcall(plain)
  if not other then return report(seed, form, fields, source, "the plain form: " .. tostring(wanted)) end
  local why = difference("the plain form", result, wanted)
  return why and report(seed, form, fields, source, why), result
end

local unpack = rawget(_G, "unpack") or rawget(table, "unpack")

--- As bare Lua, whose numbers are float64.
local function in_lua(fn, fields)
  local columns, list = {}, {}
  for k, f in ipairs(fields) do columns[k] = f:totable() end
  for p = 1, N do
    local given = {}
    for k = 1, #columns do given[k] = columns[k][p] end
    list[p] = fn(unpack(given))
  end
  return ma.array(list)
end

local function all_float64(fields)
  for _, f in ipairs(fields) do
    if f.dtype ~= "float64" then return false end
  end
  return true
end

local forms = {}

function forms.fuse(seed, list, fields)
  local fn, source = made(list, "a, b, c, d", { "a", "b", "c", "d" })
  local why, result = compare(seed, "fuse", fields, source, function() return ma.fuse(fn)(unpack(fields)) end,
    function() return ma.fuse(fn, { plain = true })(unpack(fields)) end)
  if why or not (bare and all_float64(fields)) then return why end
  fuzz.runs["bare Lua"] = (fuzz.runs["bare Lua"] or 0) + 1
  why = difference("bare Lua", result, in_lua(fn, fields))
  return why and report(seed, "fuse", fields, source, why)
end

--- As a program, in its plain form and, if it is to be compiled, as a kernel of the same dtype.
function forms.vectorize(seed, list, fields, kernels)
  local fn, source = made(list, "a, b, c, d", { "a", "b", "c", "d" })
  local of = ma.vectorize(fn)
  of.program.wanted = "always"
  local why, result = compare(seed, "vectorize", fields, source, function() return of(unpack(fields)) end,
    function() return ma.vectorize(fn, { plain = true })(unpack(fields)) end)
  if why then return why end
  if of.program.refused == "larger than a program" then return end
  if of.program.refused then return report(seed, "vectorize", fields, source, "no program: " .. of.program.refused) end
  if not kernels then return end
  local kernel = ma.vectorize(fn)
  kernel.program.refused = "for its kernel"
  fuzz.runs["compiled"] = (fuzz.runs["compiled"] or 0) + 1
  local wanted = kernel(unpack(fields))
  why = wanted.dtype ~= result.dtype and ("%s; its kernel gives %s"):format(result.dtype, wanted.dtype)
    or difference("its kernel", result, wanted)
  return why and report(seed, "vectorize", fields, source, why)
end

function forms.stencil(seed, list, fields)
  local fn, source = made(list, "u, v", { "u(0)", "u(-1)", "u(1)", "v(0)" })
  local boundary = pick { "wrap", "nearest", "mirror", "reflect", "constant" }
  local function run(plain)
    return ma.stencil(fn, { boundary = boundary, compile = false, plain = plain })(fields[1], fields[4])
  end
  return (compare(seed, "stencil", fields, source, run, function() return run(true) end))
end

--- Beyond selects: as C++ over values.
function forms.loops(seed, list, fields)
  local fused, its_source = made(list, "a, b, c, d", { "a", "b", "c", "d" })
  local why = compare(seed, "loops", fields, its_source, function() return ma.fuse(fused)(unpack(fields)) end,
    function() return ma.fuse(fused, { plain = true })(unpack(fields)) end)
  if why then return why end
  local fn, source = made(list, "u, v", { "u(0)", "u(-1)", "u(1)", "v(0)" })
  local boundary = pick { "wrap", "nearest", "mirror", "reflect", "constant" }
  local function run(plain)
    return ma.stencil(fn, { boundary = boundary, plain = plain })(fields[1], fields[4])
  end
  return (compare(seed, "loops", fields, source, run, function() return run(true) end))
end

function forms.generic_filter(seed, list, fields)
  local fn, source = made(list, "w", { "w[1]", "w[2]", "w[3]", "w[4]" })
  local function run(plain)
    return ma.ndimage.generic_filter(fields[1], fn, 4, { mode = "nearest", output = "float64", plain = plain })
  end
  return (compare(seed, "generic_filter", fields, source, run, function() return run(true) end))
end

-- ==== Numbers from outside ===========================================================================================

local others = { 0, 1, 2, 3, 5, 0.5, 1.25, -1, -0.0, 300 }

--- The text of a function with its numbers as fields of K, or with those of a list. Returns how many there are too.
local function with_numbers(source, values)
  local n = 0
  return (source:gsub("%f[%w%.]%d+%.?%d*%f[^%w%.]", function(number)
    n = n + 1
    if not values then return "K.n" .. n end
    local v = values[n] or tonumber(number)
    return v == 0 and 1 / v < 0 and "(-0.0)" or v < 0 and "(" .. v .. ")" or tostring(v)
  end)), n
end

local function loaded(source, K)
  return assert((rawget(_G, "loadstring") or load)("local ma, T, K = ...\n" .. source))(ma, T, K)
end

--- A function whose numbers come from outside and change gives what one gives that has them in its text.
local function changing(seed, form, fields, source, make, apply)
  local K, _, n = {}, with_numbers(source)
  local f = make(loaded(with_numbers(source), K))
  for round = 1, 4 do
    local values = {}
    for k = 1, n do
      if chance(round == 1 and 0 or 60) then values[k] = pick(others) end
    end
    local at = 0
    for number in source:gmatch "%f[%w%.]%d+%.?%d*%f[^%w%.]" do
      at = at + 1
      K["n" .. at] = values[at] or tonumber(number)
    end
    local written = with_numbers(source, values)
    local done, wanted = pcall(apply, make(loaded(written, K)))
    local same_done, result = pcall(apply, f)
    local unused = not done and same_done and tostring(wanted):find "does not fit"      -- in what no result uses
    if done ~= same_done and not unused then
      return report(seed, form, fields, written, "numbers from outside: " .. tostring(done and result or wanted))
    end
    if done and result.dtype ~= wanted.dtype then
      return report(seed, form, fields, written, ("numbers from outside give %s, wanted %s"):format(result.dtype,
        wanted.dtype))
    end
    local why = done and difference("the same numbers in its text", result, wanted)
    if why then return report(seed, form .. ", numbers that change", fields, written, why) end
  end
end

function forms.changing(seed, list, fields)
  local _, source = made(list, "a, b, c, d", { "a", "b", "c", "d" })
  local why = changing(seed, "fuse", fields, source, ma.fuse, function(f) return f(unpack(fields)) end)
  if why then return why end
  _, source = made(list, "u, v", { "u(0)", "u(-1)", "u(1)", "v(0)" })
  return changing(seed, "stencil", fields, source, function(fn)
    return ma.stencil(fn, { boundary = "wrap", compile = false })
  end, function(f) return f(fields[1], fields[4]) end)
end

-- ==== Programs =======================================================================================================

--- Whether the library takes branches on elements where it records programs.
local function takes_branches()
  return (pcall(ma.fuse(function(x)
    if x > 1 then return x end
    return -x
  end), ma.ones(2)))
end

--- Begins a program: its leaves have these dtypes.
local function begin(dtypes, how)
  vars, leaves, loop, turn, allowed, bare, count = {}, dtypes, nil, nil, how, true, 0
  local list = block("  ", 2, false)
  list[#list + 1] = text("  return ", (expression(2)), "\n")
  return list
end

--- Holds one program against its plain form. `kernels`: also against a kernel in C++.
function fuzz.check(seed, kernels)
  if fuzz.branches == nil then fuzz.branches = takes_branches() end
  local how = { branches = fuzz.branches, mathematics = fuzz.branches }
  state = (seed * 2654435761) % 2 ^ 31
  for _ = 1, 3 do random(2) end
  fuzz.programs = fuzz.programs + 1
  local one, other = pick(kinds), pick(kinds)
  if chance(25) then one = "float64" end
  if chance(60) then other = one end
  local fields = { field(one), field(one), field(one), field(other) }
  local list = begin({ one, one, one, other }, how)
  local only = bare
  local why = forms.fuse(seed, list, fields) or forms.stencil(seed, list, fields)
  if not why and seed % 10 == 0 then why = forms.changing(seed, list, fields) end
  bare = only
  if why then return why end
  if kernels then
    how.loops = true
    list = begin({ one, one, one, other }, how)
    list[#list + 1] = element_loop("  ", 1)
    list[#list], list[#list - 1] = list[#list - 1], list[#list]      -- before the last return
    why = forms.loops(seed, list, fields)
    if why then return why end
  end
  local freely = { branches = true, mathematics = true, kernel = true }
  list = begin({ one, one, one, other }, freely)
  why = forms.vectorize(seed, list, fields, kernels)
  if why then return why end
  local dtype = is_float[one] and one or "float64"
  fields = { field(dtype) }
  return forms.generic_filter(seed, begin({ dtype, dtype, dtype, dtype }, freely), fields)
end

return fuzz
