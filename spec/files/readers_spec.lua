-- What is given to functions that read files: folders, files that are open for writing, closed ones, and none.

local helper = require "spec.helper"
local ma = helper.ma

--- Each function that reads a file, and whether it takes an open one.
local readers = {
  { "load", ma.load, true }, { "loadtxt", ma.loadtxt, true }, { "genfromtxt", ma.genfromtxt, true },
  { "genfromtxt", function(file) return ma.genfromtxt(file, { names = true }) end, true },
  { "fromfile", ma.fromfile, true }, { "loadt7", ma.loadt7, true }, { "sparse.load_npz", ma.sparse.load_npz, true },
  { "wavfile.read", ma.wavfile.read, true }, { "image.read", ma.image.read, false },
}

local path
setup(function() path = os.tmpname() end)
teardown(function() os.remove(path) end)

for _, reader in ipairs(readers) do
  local name, read, takes_files = unpack(reader)
  local function fails(pattern, file)
    local message = helper.fails(read, file)
    assert.matches("moonarray." .. name .. ": ", message)
    assert.matches(pattern, message)
  end

  describe("ma." .. name, function()
    it("says that a path is a folder, or names nothing", function()
      fails("'/tmp' is a folder; wanted a file", "/tmp")
      fails("cannot open '?/nowhere/file'?: No such file or directory", "/nowhere/file")
    end)

    if takes_files then
      it("says that an open file cannot be read", function()
        local file = assert(io.open(path, "wb"))
        file:write("123")
        fails("file cannot be read: .*; wanted a file that is open for reading", file)
        file:write("456")                                  -- nothing was lost
        file:close()
        assert.equal("123456", require("spec.file").read(path))
        fails("closed file", file)
        local folder = io.open("/tmp", "rb")
        if folder then
          fails("file cannot be read: Is a directory; wanted", folder)
          folder:close()
        end
      end)
    end
  end)
end
