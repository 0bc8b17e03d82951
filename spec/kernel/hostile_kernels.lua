--- What hostile_kernels_spec.lua runs in a process of its own: mutated sources, parameters, names and options in every
--- constructor of kernels. usage: luajit hostile_kernels.lua SEED COUNT LOG; the log's last line is the input that was
--- in work. COUNT 0: a few that get to the compiler.

local seed, count, path = tonumber(arg[1]), tonumber(arg[2]), arg[3]
local ma = require "moonarray"
local core = require "moonarray.core"
local log = assert(io.open(path, "w"))

local state = seed % 2147483646 + 1
local function random(n)
  state = state * 16807 % 2147483647
  return state % n + 1
end
local function pick(list) return list[random(#list)] end

local wrong = 0
local function shown(value)
  local fine, text = pcall(tostring, value)
  text = fine and type(text) == "string" and text or type(value)
  return #text > 300 and text:sub(1, 300) .. "..." or text
end

--- Calls, and accepts a result or an error that is a text of ours.
local function try(what, inputs, call)
  local parts = {}
  for k, v in pairs(inputs) do parts[#parts + 1] = tostring(k) .. " = " .. shown(v) end
  table.sort(parts)
  log:write(("%s { %s }\n"):format(what, (table.concat(parts, ", "):gsub("%c", "?"))))
  log:flush()
  local fine, message = pcall(call, inputs)
  if not fine and (type(message) ~= "string" or not message:find("moonarray[.:]")) then
    wrong = wrong + 1
    print(("%s: %s\n  of { %s }"):format(what, shown(message), table.concat(parts, ", ")))
  end
end

-- ==== Mutations ====

local words = { '"', "'", "/*", "*/", "//", "\n", "\r\n", "\0", "\255\254", "\\\n", "\\", "(", ")", "((((", "{", "}",
  "[", "]", "<", ">", ",", ";", "::",
  "R\"(", "R\"x(", "u8\"", "'\\", "#", "##", "#include \"../../x\"\n", "#include <x>\n", "#define x\n",
  "#define f(x) f(x) f\n", "#if 1\n", "#endif\n",
  "#line 99999999999 \"../../x\"\n", "#line 3\n", "#pragma x\n", "_Pragma(\"x\")", "template <", "extern \"C\"",
  "__global__ ", "__shared__ ",
  "extern __shared__ float ", "__device__ ", "__launch_bounds__(", "asm(\"x\")", "__attribute__((", "%s%n%d", "%",
  "../../x", "/tmp/x", "~", "$(x)",
    "`x`", "; rm x;",
  "0x", "1e999999999", "99999999999999999999999999999", "1'0", "nan", "T", "raw ", "const ", "float ", "float32 x", "i",
  "n", "x", "a", "...", "..",
    "--[[", "--[==[", "]]",
  "end", "function", "function(", "return", "local ", "for i = ", "while ", "if ", "then", "goto x", "::x::", "nil",
  "true", "jit.", "math.", "x[",
    "x[{1,", "#x", "x.shape[",
  "\239\187\191", "\226\128\174", "\27L", ("x"):rep(40), ("x"):rep(5000), ("("):rep(10000), ("{"):rep(3000),
  ("<"):rep(3000), ("- "):rep(3000),
  ("/*"):rep(1000), ("#if x\n"):rep(1000), ("x, "):rep(2000), ("float32 x, "):rep(1000), ("not "):rep(10000),
  ("x["):rep(10000),
    ("if x then "):rep(10000), ("9"):rep(10000) }

local function mutate(text)
  for _ = 1, random(3) do
    local at, to = random(#text + 1), random(#text + 1)
    if at > to then at, to = to, at end
    local how = random(7)
    if how == 1 then text = text:sub(1, at - 1)
    elseif how == 2 then text = text:sub(1, at - 1) .. text:sub(to)
    elseif how == 3 then text = text:sub(1, at - 1) .. string.char(random(256) - 1) .. text:sub(at + 1)
    elseif how == 4 and #text < 20000 then text = text:sub(1, at - 1) .. text:sub(at, to):rep(random(4)) .. text:sub(to)
    else text = text:sub(1, at - 1) .. pick(words) .. text:sub(random(2) == 1 and at or to) end
  end
  return text
end

local cyclic = {}
cyclic[1], cyclic.x = cyclic, cyclic
local x = ma.arange(4, "float32")
local objects = { 0, -1, 0 / 0, 1 / 0, 1e300, 2 ^ 53, true, false, {}, { {} }, { 1, nil, 3 }, cyclic, print, x,
  ma.zeros({ 2, 2 }),
  coroutine.create(print), ma.float32,
  setmetatable({}, { __index = error, __tostring = function() return 3 end }), { [0] = "x" }, { "-DN=1", n = 3 },
  { ("-DN"):rep(3000) }, "" }

-- ==== Constructors: valid arguments, and a use of what they make ====

local function lua_function(a) if a > 1 then return a end return -a end
local add = [[
extern "C" __global__ void my_add(const float *x, float *y, int n) { // a comment
  extern __shared__ float part[];
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) { part[threadIdx.x] = x[i]; __syncthreads(); y[i] = part[threadIdx.x] + 1; }
}
template <typename T> __global__ void scale(T *x) { x[threadIdx.x] *= '\n' + 2e3f; }
]]
local lua_source = [[
function(a, y)
  local i = jit.grid(1) -- a comment
  for k = 1, 3 do
    if i <= #y and (y[i] > a or not (i == 2)) then y[i] = y[i] * a + math.sin(k) % 3 else break end
  end
  local s = jit.shared_memory("float32", 32)
  while i < 0 do i = i + "1" repeat i = 2 until i > 1 end
end
]]

local constructors = {
  { "ElementwiseKernel", { in_params = "T x, raw float32 y", out_params = "T z",
    operation = "T d = x - y[i]; z = d * d", name = "squared",
    preamble = "#define SQUARE(x) ((x) * (x))\n__device__ int two() { return 2; }", loop_prep = "int k = 0;",
    after_loop = "k = 1;", options = "-DN=3" },
    function(a) ma.ElementwiseKernel(a)(x, x) end },
  { "ElementwiseKernel", { [1] = "T x", [2] = "T z", [3] = "z = x", [4] = "copy" },
    function(a) ma.ElementwiseKernel(a[1], a[2], a[3], a[4])(x,
    { size = 3, out = x }) end },
  { "ReductionKernel", { in_params = "T x", out_params = "T y", map = "x * x", reduce = "a + b",
    post_map = "y = sqrt(a)", identity = "0", name = "l2norm",
    reduce_type = "float", preamble = "struct pair { float s, q; };", options = "-DN=3" },
      function(a) ma.ReductionKernel(a)(x) end },
  { "RawKernel", { code = add, name = "my_add" },
    function(a) ma.RawKernel(a.code, a.name)(1, 4, { x, x, 4 }, { shared_mem = 16 }) end },
  { "RawKernel", { code = add, name = "scale<float>", option = "-DN=3" },
    function(a) return ma.RawKernel(a.code, a.name,
    { options = { a.option } }).signature end },
  { "RawKernel", { code = add, name = "my_add", option = "--std=c++17" }, function(a) ma.RawKernel(a.code, a.name,
    { options = { a.option } }):compile() end },
  { "RawModule", { code = add, name = "scale<float>", get = "scale<float>", global = "part" }, function(a)
    local m = ma.RawModule { code = a.code, name_expressions = { a.name } }
    pcall(m.get_function, m, a.get)
    m:get_global(a.global)
  end },
  { "RawModule", { path = "no/such/file.cu" }, function(a) ma.RawModule { path = a.path } end },
  { "fuse", { name = "f" }, function(a) ma.fuse(function(v) return v + 1 end, a.name)(x) end },
  { "jit.rawkernel", { code = lua_source, name = "heat" },
    function(a) ma.jit.rawkernel(a.code, { name = a.name })(1, 4, { 3, x }) end },
  { "jit.rawkernel", { code = lua_source }, function(a) ma.jit.rawkernel(a.code):code_for({ 3.5, x }) end },
  { "jit.device", { code = "function(a) if a > 1 then return a end return -a * 2 ^ a end", name = "f" }, function(a)
    local f = ma.jit.device(a.code, { name = a.name })
    ma.jit.rawkernel("function(y) y[1] = f(y[2]) end", { constants = { f = f } }):code_for({ x })
  end },
  { "vectorize", { code = "function(a, b) if a > b then return a end return -b % 3 end", name = "soft" },
    function(a) ma.vectorize(a.code, a.name)(x,
    2) end },
  { "vectorize", { fn = lua_function, name = "soft" }, function(a) ma.vectorize(a.fn, a.name)(x) end },
}

-- ==== The run ====

local function compile_some()
  local function raw(body) return
    function() ma.RawKernel('extern "C" __global__ void k(float *x) { ' .. body, "k")(1, 1, { x }) end end
  local function elementwise(operation, preamble)
    return function() ma.ElementwiseKernel("float32 x", "float32 y", operation, "k", { preamble = preamble })(x) end
  end
  local function reduction(map, post_map) return
    function() ma.ReductionKernel("float32 x", "float32 y", map, "a + b", post_map or "y = a", "0",
    "k")(x) end end
  for name, call in pairs { parentheses = raw("x[0] = " .. ("("):rep(10000) .. "1" .. (")"):rep(10000) .. "; }"),
    open = raw("x[0] = " .. ("("):rep(10000)),
    comment = raw("/* "), string = raw('const char *s = "'), literal = raw("x[0] = " .. ("9"):rep(10000) .. "; }"),
      template = raw("} template <int N> struct A { A<N - 1> a; }; A<100000> b;"),
    directive = raw("}\n#error \"../../x\"\n#line 7 \"../../x\"\nint x = ;"), include = raw('}\n#include "/"'),
    bytes = raw("\1\2\255 }"),
    closes = elementwise("y = x; }; } } int evil; {{{"), remark = elementwise("y = x; /*"),
    preamble = elementwise("y = x", "struct {"),
    map = reduction("x); } int y; ma_reduce_type f() { return (1"), post_map = reduction("x", "y = a; } } /*") } do
    try(name, {}, call)
  end
end

-- Otherwise whatever passes every check of ours ends where a compiler would begin.
if count == 0 then compile_some() else core.fail_compile(1, 2 ^ 40) end
for _ = 1, count do
  local constructor = pick(constructors)
  local inputs, keys = {}, {}
  for k, v in pairs(constructor[2]) do inputs[k], keys[#keys + 1] = v, k end
  table.sort(keys)
  for _ = 1, random(2) do
    local key = pick(keys)
    local value = constructor[2][key]
    if random(8) == 1 or type(value) ~= "string" then inputs[key] = pick(objects)
    elseif random(8) == 1 then inputs[key] = pick(words)
    else inputs[key] = mutate(value) end
  end
  try(constructor[1], inputs, constructor[3])
end

-- Deep and long, each alone.
for _, deep in ipairs(count == 0 and {} or { { "(", ")" }, { "{", "}" }, { "[", "]" }, { "-(", ")" }, { "x[", "]" },
  { "f(", ")" }, { "if x then ",
  " end " }, { "while x do ", " end " },
  { "do ", " end " }, { "not ", "" }, { "-", "" }, { "- ", "" }, { "1 + ", "" }, { "1 ^ ", "" }, { "x and ", "" },
  { "x.y.", "z" }, { "f()", "()" },
    { "--[[", "]]" }, { "'", "'" }, { "/*", "*/" }, { "<", ">" } }) do
  local text = deep[1]:rep(10000) .. "1" .. deep[2]:rep(10000)
  for _, source in ipairs { "function(x) x[1] = " .. text .. " end", "function(x) " .. text .. " end",
    "function(x) local y = " .. text } do
    try("jit.rawkernel", { code = source }, function(a) ma.jit.rawkernel(a.code)(1, 1, { x }) end)
  end
  try("jit.device", { code = text }, function(a) ma.jit.device("function(x) return " .. a.code .. " end") end)
  try("vectorize", { code = text }, function(a) ma.vectorize("function(x) return " .. a.code .. " end")(x) end)
  for _, source in ipairs { add .. text, 'extern "C" __global__ void k(int *x) { x[0] = ' .. text .. "; }",
    "template <class T> " .. text,
    "#define X " .. text .. "\nX",
    'extern "C" __global__ void k(' .. text .. " *x) { }" } do
    try("RawKernel", { code = source }, function(a) ma.RawKernel(a.code, "k")(1, 1, { x }) end)
  end
  try("RawModule", { code = text },
    function(a) ma.RawModule { code = add .. a.code,
      name_expressions = { "k<" .. text:sub(1, 100) .. ">" } }:compile() end)
  try("ElementwiseKernel", { operation = text },
    function(a) ma.ElementwiseKernel("T x", "T y", "y = " .. a.operation, "k")(x) end)
  try("ElementwiseKernel", { in_params = text },
    function(a) ma.ElementwiseKernel(a.in_params .. " x", "T y", "y = 1", "k")(x) end)
  try("ReductionKernel", { map = text },
    function(a) ma.ReductionKernel("T x", "T y", a.map, a.map, a.map, a.map, "k", { reduce_type = a.map })(x) end)
end

-- Thousands of parameters, and of arguments.
for _, n in ipairs(count == 0 and {} or { 13, 32, 33, 64, 65, 256, 5000 }) do
  local params, names, args, types = {}, {}, {}, {}
  for k = 1, n do params[k], names[k], args[k], types[k] = "float32 x" .. k, "x" .. k, x, "float *x" .. k end
  local inputs, list, declared = table.concat(params, ", "), table.concat(names, ", "), table.concat(types, ", ")
  try("ElementwiseKernel", { n = n },
    function() ma.ElementwiseKernel(inputs, "float32 y", "y = x1", "k")(unpack(args, 1, math.min(n, 200))) end)
  try("ElementwiseKernel", { outputs = n }, function() ma.ElementwiseKernel("float32 y", inputs, "x1 = y", "k")(x) end)
  try("ReductionKernel", { n = n },
    function() ma.ReductionKernel(inputs, "float32 y", "x1", "a + b", "y = a")(unpack(args, 1, math.min(n, 200))) end)
  try("ReductionKernel", { outputs = n },
    function() ma.ReductionKernel("float32 y", inputs, "y", "a + b", "x1 = a")(x) end)
  try("RawKernel", { n = n },
    function() ma.RawKernel('extern "C" __global__ void k(' .. declared .. ") { }", "k")(1, 1, args) end)
  try("jit.rawkernel", { n = n },
    function() ma.jit.rawkernel("function(" .. list .. ") x1[1] = " .. names[n] .. "[1] end")(1, 1, args) end)
  try("jit.rawkernel", { locals = n },
    function() ma.jit.rawkernel("function(x) local " .. list .. " = x[1] " .. list .. " = x[1] end")(1, 1, { x }) end)
  try("vectorize", { n = n },
    function() ma.vectorize("function(" .. list .. ") return x1 end")(unpack(args, 1, math.min(n, 200))) end)
  try("fuse", { n = n }, function() ma.fuse(function(...) return (...) + 1 end)(unpack(args, 1, math.min(n, 200))) end)
end

log:write("done\n")
log:close()
print(("%d wrong"):format(wrong))
os.exit(wrong == 0 and 0 or 1)
