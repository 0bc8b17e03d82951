-- DLPack with the array libraries of Python: dlpack_python.py has both in one process. NumPy for the CPU; CuPy and
-- PyTorch on a GPU.

local helper = require "spec.helper"
local ma = helper.ma

--- What the script prints; a sanitizer's library, which the host program has to bring, is LuaJIT's here and Python's
--- there.
local function run(python, device, library)
  local out = os.tmpname()
  os.execute(("timeout 280 %s spec/array/dlpack_python.py %s %s >'%s' 2>&1"):format(python, device, library, out))
  local file = assert(io.open(out))
  local text = file:read("*a")
  file:close()
  os.remove(out)
  return text
end

local function exchanges(name, device, library, title)
  it(name, function()
    local python = helper.python(library)
    if not python then return pending("no Python with " .. title) end
    if helper.is_guest() then return pending("the module is for another system than its Python") end
    local text = run(python, device, library)
    local passed, failed = text:match("(%d+) passed, (%d+) failed")
    assert(passed, text)
    assert(tonumber(failed) == 0, text)
    if not text:find("checks", 1, true) then return pending((text:match("skipped: ([^\n]*)"))) end
  end)
end

describe("DLPack in one process with Python", function()
  exchanges("exchanges with NumPy on the CPU", "cpu", "numpy", "NumPy")
  exchanges("exchanges with PyTorch on the CPU", "cpu", "torch", "PyTorch")
  if ma.device().type == "cuda" and not ma.device():description():find("pretended", 1, true) then
    exchanges("exchanges with CuPy on the GPU", "cuda", "cupy", "CuPy, which needs a GPU")
    exchanges("exchanges with PyTorch on the GPU", "cuda", "torch", "PyTorch")
  end
end)
