-- src/distributed/mpi.def against the mpi.h of Open MPI and of MPICH, where they are.

local read = require("spec.file").read

local HEADERS = {
  openmpi = { package = "libopenmpi-dev", "/usr/lib/x86_64-linux-gnu/openmpi/include/mpi.h",
    "/usr/lib/aarch64-linux-gnu/openmpi/include/mpi.h" },
  mpich = { package = "libmpich-dev", "/usr/include/x86_64-linux-gnu/mpich/mpi.h",
    "/usr/include/aarch64-linux-gnu/mpich/mpi.h" },
}

local function folder_of(list)
  for _, path in ipairs(list) do
    local handle = io.open(path)
    if handle then
      handle:close()
      return (path:gsub("/mpi%.h$", ""))
    end
  end
end

--- What the compiler says of a text, with its exit code on the last line.
local function compile(folder, text, options)
  local name = os.tmpname()
  local handle = assert(io.open(name, "w"))
  handle:write("#include <mpi.h>\n#include <stdint.h>\n", text)
  handle:close()
  local pipe = assert(io.popen(("cc -w -I'%s' %s -x c '%s' 2>&1; echo $?"):format(folder, options, name)))
  local out = pipe:read "*a"
  pipe:close()
  os.remove(name)
  return out
end

local DEF = read("src/distributed/mpi.def"):gsub("/%*.-%*/", "")

local function handles()
  return DEF:gmatch "\nHANDLE%(([%w_]+),%s*([%w_]+),%s*([%w_]+)%)"
end

local function assertions(column)
  local lines = {}
  for name, openmpi, mpich in DEF:gmatch "\nCONSTANT%(([%w_]+),%s*([%w_-]+),%s*([%w_-]+)%)" do
    lines[#lines + 1] = ('_Static_assert((intptr_t)MPI_%s == %s, "%s");'):format(name,
      column == "openmpi" and openmpi or mpich, name)
  end
  assert(#lines == 6)
  return lines
end

describe("the table of MPI", function()
  for abi, list in pairs(HEADERS) do
    local folder = folder_of(list)
    it("is that of " .. abi, function()
      if not folder then pending("mpi.h: the package " .. list.package .. " is not installed") return end
      local lines, n = assertions(abi), 0
      local names = {}
      for name, openmpi, mpich in handles() do
        n = n + 1
        if abi == "mpich" then
          lines[#lines + 1] = ('_Static_assert((uintptr_t)(unsigned)MPI_%s == %s, "%s");'):format(name, mpich, name)
        else names[#names + 1] = { name, openmpi } end
      end
      assert(n == 19)
      for name in DEF:gmatch "\nFUNCTION%(([%w_]+)," do
        lines[#lines + 1] = ("int (*const f_%s)() = (int (*)())MPI_%s;"):format(name, name)
      end
      local out = compile(folder, table.concat(lines, "\n"), "-fsyntax-only")
      assert(out == "0\n", out)
      for _, pair in ipairs(names) do
        local text = compile(folder, "@" .. "MPI_" .. pair[1] .. "@\n", "-E")
        assert(text:match("@.-@"):find(pair[2] .. "%f[^%w_]"), pair[1] .. ": " .. text:sub(-300))
      end
    end)
  end
end)
