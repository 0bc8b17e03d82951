-- Options and headers of the user's own: -D, -U, -I and --std in elementwise and reduction kernels, headers of every
-- kind of kernel in C++.
local helper = require "spec.helper"
local ma = helper.ma

local runs, why = pcall(function() ma.ElementwiseKernel("T x", "T y", "y = x", "probe")(ma.ones(3)) end)
if not runs then
  print("skipped: kernel_options_spec: " .. tostring(why):match("[^\n]*"))
  return
end

local folder = os.tmpname()
os.remove(folder)

local function write(name, text)
  local file = assert(io.open(folder .. "/" .. name, "w"))
  file:write(text)
  file:close()
end

local function fails(wanted, f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok)
  assert.is_truthy(tostring(message):find(wanted, 1, true), "wanted: " .. wanted .. "\nfound: " .. tostring(message))
end

local function elementwise(preamble, operation, options)
  return ma.ElementwiseKernel("T x", "T y", operation, "with_options",
    { preamble = preamble, options = options })(ma.ones(2)):totable()[1]
end

local function reduction(preamble, map, options)
  return ma.ReductionKernel("T x", "T y", map, "a + b", "y = a", "0", "with_options",
    { preamble = preamble, options = options })(ma.ones(2)):item() / 2
end

local function raw(preamble, value, options)
  local y = ma.zeros(1)
  ma.RawKernel(preamble .. '\nextern "C" __global__ void k(double *y) { double x = 1; y[0] = ' .. value .. "; }", "k",
    { options = options })(1, 1, { y })
  return y[1]
end

describe("options", function()
  setup(function() assert(os.execute("mkdir -p " .. folder .. "/inner")) end)
  teardown(function() os.execute("rm -r " .. folder) end)

  it("define, undefine, in each of their forms", function()
    for _, options in ipairs { { "-DN=3" }, { "-D", "N=3" }, { "--define-macro=N=3" }, { "--define-macro", "N=3" },
      "-DN=3", { "-DN=7", "-UN", "-DN=3" } } do
      assert.are.equal(3, elementwise("", "y = x * N", options))
      assert.are.equal(3, reduction("", "x * N", options))
      if type(options) == "table" then assert.are.equal(3, raw("", "N", options)) end
    end
    assert.are.equal(1, elementwise("", "y = N", { "-DN" }))
    assert.are.equal(2, elementwise("#ifndef N\n#define N 2\n#endif", "y = N", { "-DN", "--undefine-macro=N" }))
  end)

  it("define what our own text uses as a name, too", function()
    local options = {}
    for _, name in ipairs { "N", "I", "T", "F", "A", "a", "b", "f", "x1", "block", "thread", "size", "name", "value",
      "at", "part",
      "sizes", "nparam", "first", "last" } do
      options[#options + 1] = "-D" .. name .. "=3"
    end
    -- On a GPU the compiler reads headers of its own behind the options, which such names would break.
    if helper.device == "cpu" then assert.are.equal(12, raw("", "N + I + block + sizes", options)) end
    local fine, message = pcall(raw, "", "1", { "-DN=1\n#error x" })
    assert.is_false(fine)
    assert.is_truthy(message:find("moonarray", 1, true), message)
  end)

  it("choose a standard", function()
    assert.are.equal(202002, math.floor(elementwise("", "y = __cplusplus", { "--std=c++20" })))
    assert.are.equal(202002, math.floor(reduction("", "__cplusplus", { "-std=c++20" })))
    assert.are.equal(201703, math.floor(elementwise("", "y = __cplusplus", { "--std=c++14" })))
  end)

  it("name folders of headers, which may include others", function()
    write("outer.h", '#include "inner/inner.h"\ntemplate <class T> __device__ T outer(T x) { return inner(x) + 1; }\n')
    write("inner/inner.h", "template <class T> __device__ T inner(T x) { return x * 10; }\n")
    for _, options in ipairs { { "-I" .. folder }, { "-I", folder }, { "--include-path=" .. folder } } do
      assert.are.equal(11, elementwise('#include "outer.h"', "y = outer(x)", options))
      assert.are.equal(11, reduction("#include <outer.h>", "outer(x)", options))
      assert.are.equal(11, raw('#include "outer.h"', "outer(x)", options))
    end
    local y = ma.zeros(1)
    ma.RawModule { code = '#include "outer.h"\nextern "C" __global__ void k(double *y) { y[0] = outer(2.0); }',
      options = { "-I" .. folder } }:get_function("k")(1, 1, { y })
    assert.are.equal(21, y[1])
  end)

  it("follow a header that has changed", function()
    for _, kind in ipairs { { elementwise, "y = " }, { reduction, "" }, { raw, "" } } do
      for value = 1, 3 do
        write("inner/changes.h", ("#define CHANGES %d\n"):format(value))
        write("changes.h", '#include "inner/changes.h"\n')
        assert.are.equal(value, kind[1]('#include "changes.h"', kind[2] .. "CHANGES", { "-I" .. folder }))
      end
    end
  end)

  it("tell a missing header, and an error in one, with file and line", function()
    write("wrong.h", "\n#include \"no_such.h\"\n")
    write("broken.h", "\n\nint broken( { ;\n")
    for _, kind in ipairs { { elementwise, "y = " }, { reduction, "" }, { raw, "" } } do
      local ok, message = pcall(kind[1], '\n#include "missing.h"', kind[2] .. "1", { "-I" .. folder })
      assert.is_false(ok)
      assert.is_truthy(message:find("missing.h", 1, true), message)
      assert.is_truthy(message:find("[:(]2[:)]"), message)
      ok, message = pcall(kind[1], '#include "wrong.h"', kind[2] .. "1", { "-I" .. folder })
      assert.is_false(ok)
      assert.is_truthy(message:find("no_such.h", 1, true) and message:find("wrong.h[:(]2"), message)
      ok, message = pcall(kind[1], '#include "broken.h"', kind[2] .. "1", { "-I" .. folder })
      assert.is_false(ok)
      assert.is_truthy(message:find("broken.h[:(]3"), message)
    end
  end)

  it("of other kinds are refused, saying why", function()
    for _, option in ipairs { "-O3", "--use_fast_math", "-fmad=true", "-o", "-time=/tmp/x", "x", "", "-std=gnu++17",
      "--std=c++1z", "@file", "-Xptxas" } do
      fails("the same bits on both devices", elementwise, "", "y = x", { option })
      fails("the same bits on both devices", reduction, "", "x", { option })
    end
    for _, option in ipairs { "-DN(x)=1", "-D1", "-D=3", "-D__x", "-Dint=3", "-Ua b", "-D" .. ("x"):rep(50) } do
      fails("the name that an option defines", elementwise, "", "y = x", { option })
      fails("moonarray.ReductionKernel: the name that an option defines", reduction, "", "x", { option })
    end
    fails("ends in a backslash", elementwise, "", "y = x", { "-DN=1\\" })
    fails("has a line's end", elementwise, "", "y = x", { "-DN=1\n#error" })
    fails("with nothing behind it", elementwise, "", "y = x", { "-I" })
    fails("zero byte", elementwise, "", "y = x", { "-DN=\0" })
    fails("options has the number 3", elementwise, "", "y = x", { 3 })
    fails("options is the number 3", reduction, "", "x", 3)
    local many = {}
    for k = 1, 65 do many[k] = "-DN" .. k end
    fails("65 options; at most 64", elementwise, "", "y = x", many)
  end)
end)
