-- The kernel for Jupyter, in Jupyter: make test-notebook. spec/notebook/kernel.py has the cases.

local helper = require "spec.helper"
local file = require "spec.file"

describe("the notebook kernel", function()
  local python = helper.python "ipykernel, nbclient"
  local folder, said

  setup(function()
    if not python then return end
    folder = os.tmpname()
    os.remove(folder)
    local here = io.popen("pwd"):read "*l"
    local command = ("JUPYTER_DATA_DIR='%s' MOONARRAY_LUAJIT='%s' "):format(folder, os.getenv "LUAJIT" or "luajit")
    local ok, text = file.run(("%s %s packages/jupyter/moonarray_kernel.py install 2>&1 && "
      .. "%s timeout 400 %s spec/notebook/kernel.py '%s' 2>&1"):format(command, python, command, python, here))
    said = text
    assert(ok, text)
  end)
  teardown(function() if folder then os.execute("rm -rf '" .. folder .. "'") end end)

  local function case(name, what)
    it(what, function()
      if not python then return pending "no Python here has ipykernel and nbclient: scripts/setup notebook" end
      assert(said:find("ok " .. name, 1, true), said:match("failed " .. name .. ":[^\n]*") or said)
    end)
  end

  case("notebook", "runs examples/notebook.ipynb, whose outputs are pictures and tables and those of the file")
  case("values", "shows the value at the end of a cell: tables of at most 20 x 20, pictures, figures, texts")
  case("streams", "passes on what Lua and C print, in order")
  case("errors", "names the cell and the line of an error, and goes on")
  case("globals_", "makes globals of the locals of a cell")
  case("completion", "completes names, describes them, and knows whether code is complete")
  case("interrupt", "interrupts a loop, and keeps the variables")
  case("interrupt_twice", "ends the Lua process where a compiled loop does not notice an interrupt")
  case("killed", "says that its Lua process was killed, and starts another")
  case("restart", "forgets everything when it is restarted")
  case("death", "leaves no Lua process behind when it is killed itself")
end)
