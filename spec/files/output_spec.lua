-- What a path is when a file is written whole and then takes its place: links, modes, owners, pipes, devices, mounts.
-- spec/files/writers_spec.lua has full disks and every function that writes.

local helper = require "spec.helper"
local ma = helper.ma
local files = require "spec.file"
local read, write = files.read, files.write

local LUA = os.getenv("LUAJIT") or "luajit"

local function run(command) return (files.output(command):gsub("\n$", "")) end

local folder
before_each(function() folder = run("mktemp -d") end)
after_each(function() os.execute("rm -r " .. folder) end)

local function here(name) return folder .. "/" .. name end
local function list(of) return run("ls -A " .. (of or folder)) end
local function mode(path) return run(("stat -c '%%a %%u:%%g' '%s'"):format(path)) end

--- Runs a chunk in a process of its own, `in front` before its command in a shell: what it printed, and how it ended.
local function process(chunk, in_front)
  write(here(".script.lua"), 'local ma = require "moonarray"; local path = ...\n' .. chunk)
  local text = run(("%s '%s' %s %s 2>&1; echo code $?"):format(in_front or "", LUA, here(".script.lua"), here("data")))
  os.remove(here(".script.lua"))
  return text
end

-- A shell of its own for what follows in single quotes, and then for the folder, its $0, below which it mounts: no
-- other process sees that. In a chroot "/" is no mount point that could be made private, so the folder becomes one.
local private = [[unshare -m --propagation unchanged sh -c 'mount --make-rprivate / 2>/dev/null ||
  { mount --bind "$0" "$0" && mount --make-private "$0"; } || exit 1; ]]

--- Can a file system be mounted here, for a process alone?
local can_mount = os.execute(private .. [[mount -t tmpfs none "$0"' /mnt 2>/dev/null]]) == 0

describe("a symbolic link", function()
  it("stays, and its target is replaced", function()
    os.execute(("cd %s && mkdir a b && ln -s ../b/second a/first && ln -s %s/b/third b/second"):format(folder, folder))
    write(here("b/third"), "old")
    ma.arange(3, "uint8"):tofile(here("a/first"))
    assert.equal("\0\1\2", read(here("b/third")))
    assert.equal("../b/second", run("readlink " .. here("a/first")))
    assert.equal(folder .. "/b/third", run("readlink " .. here("b/second")))
    assert.equal("first", list(here("a")))
    assert.equal("second\nthird", list(here("b")))
  end)

  it("to nothing yet gets its target", function()
    os.execute(("cd %s && ln -s new link"):format(folder))
    ma.arange(3, "uint8"):tofile(here("link"))
    assert.equal("\0\1\2", read(here("new")))
    assert.equal("new", run("readlink " .. here("link")))
  end)

  it("to itself is an error", function()
    os.execute(("cd %s && ln -s b a && ln -s a b"):format(folder))
    helper.fails(ma.tofile, ma.arange(3), here("a"))
    assert.equal("a\nb", list())
  end)
end)

describe("what a file is", function()
  it("stays: permissions, owner and group", function()
    local root = run("id -u") == "0"
    write(here("old"), "old")
    os.execute(("chmod 640 %s"):format(here("old")))
    if root then os.execute(("chown 12345:23456 %s"):format(here("old"))) end
    local before = mode(here("old"))
    ma.arange(3, "uint8"):tofile(here("old"))
    assert.equal("\0\1\2", read(here("old")))
    assert.equal(before, mode(here("old")))
    assert(before:find(root and "^640 12345:23456$" or "^640 "))
  end)

  it("is the umask's for a new one", function()
    assert.equal("code 0", process("ma.zeros(3):tofile(path)", "umask 027;"))
    assert(mode(here("data")):find("^640 "))
    assert.equal("code 0", process("ma.save(path, ma.zeros(3))", "umask 022;"))
    assert(mode(here("data.npy")):find("^644 "))
  end)

  it("does not reach a second name: that keeps what it had", function()
    write(here("one"), "old")
    os.execute(("ln %s %s"):format(here("one"), here("two")))
    ma.arange(3, "uint8"):tofile(here("one"))
    assert.equal("\0\1\2", read(here("one")))
    assert.equal("old", read(here("two")))
  end)
end)

describe("what cannot be renamed is written where it is", function()
  it("a pipe", function()
    local text = run(([[mkfifo %s; cat %s > %s &
      '%s' -e 'require("moonarray").arange(3, "uint8"):tofile("%s")'; wait; od -An -tu1 %s]]):format(
      here("pipe"), here("pipe"), here("out"), LUA, here("pipe"), here("out")))
    assert(text:find("0 +1 +2"), text)
    assert.equal("fifo", run("stat -c %F " .. here("pipe")))
  end)

  it("/dev/stdout, as a pipe and as a file", function()
    local chunk = [[require("moonarray").savetxt("/dev/stdout", { 1, 2 }, "%d")]]
    assert.equal("1\n2", run(("'%s' -e '%s' | cat"):format(LUA, chunk)))
    run(("'%s' -e '%s' > %s"):format(LUA, chunk, here("out")))
    assert.equal("1\n2\n", read(here("out")))
    -- a file that others hold open: what they write after us is in it
    run(("{ '%s' -e '%s'; echo more; } >> %s"):format(LUA, chunk, here("more")))
    assert.equal("1\n2\nmore\n", read(here("more")))
    assert.equal("more\nout", list())
  end)

  it("a device", function()
    ma.arange(3):tofile("/dev/null")
    assert.equal("character special file", run("stat -c %F /dev/null"))
  end)

  it("a file that is mounted there", function()
    if not can_mount then return pending("no file system can be mounted") end
    write(here("data"), "old")
    write(here("real"), "old")
    write(here("chunk.lua"), 'local ma = require "moonarray"; ma.arange(3, "uint8"):tofile(...)')
    local text = run((private ..
      [[mount --bind "$0/real" "$0/data" && "%s" "$0/chunk.lua" "$0/data" 2>&1; echo code $?' %s]]):format(LUA, folder))
    assert.equal("code 0", text)
    assert.equal("\0\1\2", read(here("real")))
    assert.equal("chunk.lua\ndata\nreal", list())
  end)

  it("a file that is mounted there, on a disk without room for both, which keeps its bytes", function()
    if not can_mount then return pending("no file system can be mounted") end
    os.execute("mkdir " .. here("disk"))
    write(here("chunk.lua"), 'local ma = require "moonarray"; ma.zeros(20480, "uint8"):tofile(...)')
    local text = run((private .. [[mount -t tmpfs -o size=64k none "$0/disk" && printf old > "$0/disk/real" &&
      : > "$0/disk/data" && mount --bind "$0/disk/real" "$0/disk/data" && head -c 28672 /dev/zero > "$0/disk/full" &&
      "%s" "$0/chunk.lua" "$0/disk/data" 2>&1; echo code $?; cat "$0/disk/real"; echo; ls -A "$0/disk"' %s]]):format(
      LUA, folder))
    assert(text:find("cannot be written: No space left on device", 1, true), text)
    assert(text:find("code 1\nold\ndata\nfull\nreal$"), text)
  end)

  it("a file in a folder that takes no new one, and a file that is not ours to write", function()
    -- Another user, who may look into every folder, as "/" of a chroot may be closed to all but root.
    local other = run("command -v setpriv") ~= "" and run("id -u") == "0" and
      "setpriv --reuid 12345 --regid 12345 --clear-groups --inh-caps +dac_read_search --ambient-caps +dac_read_search "
    if not other or run(other .. LUA .. [[ -e 'print(pcall(require, "moonarray"))']]):find("^true") == nil then
      return pending("needs root, and a module that others can read")
    end
    write(here("ours"), "old")
    write(here("theirs"), "old")
    write(here("shared"), "old")
    os.execute(("cd %s && chmod 755 . && chmod 444 ours && chmod 666 theirs && " ..
      "chown 12345 theirs && chmod 666 shared"):format(folder))
    local function save(name)
      return run(("%s'%s' -e 'require(\"moonarray\").arange(3, \"uint8\"):tofile(\"%s\")' 2>&1"):format(other, LUA,
        here(name)))
    end
    assert(save("ours"):find("cannot open '" .. here("ours") .. "': Permission denied", 1, true))
    assert.equal("old", read(here("ours")))
    assert.equal("", save("theirs"))
    assert.equal("\0\1\2", read(here("theirs")))
    assert.equal("666 12345:0", mode(here("theirs")))
    -- the folder takes new files now, and a new one would not be root's
    os.execute("chmod 777 " .. folder)
    assert.equal("", save("shared"))
    assert.equal("\0\1\2", read(here("shared")))
    assert.equal("666 0:0", mode(here("shared")))
    -- as in /tmp: nobody's file may be replaced there, and the kernel refuses to write to it
    os.execute(("chmod 1777 %s && chown 23456 %s && printf old > %s"):format(folder, here("shared"), here("shared")))
    save("shared")
    assert.equal("666 23456:0", mode(here("shared")))
    assert.equal("ours\nshared\ntheirs", list())
  end)
end)

describe("an open file", function()
  it("that is opened to append gets bytes at its end, and no archive, which needs to go back", function()
    write(here("log"), "old")
    local file = assert(io.open(here("log"), "ab"))
    ma.arange(3, "uint8"):tofile(file)
    assert.equal("old\0\1\2", read(here("log")))
    if not (jit and jit.os == "Windows") then
      assert.matches("written to a pipe or by appending", helper.fails(ma.savez, file, ma.zeros(3)))
      assert.equal("old\0\1\2", read(here("log")))
    end
    file:close()
  end)

  it("that takes no more is an error", function()
    local file = assert(io.open("/dev/full", "wb"))
    for _, fn in ipairs { function() ma.save(file, ma.zeros(3)) end, function() ma.zeros(1e5):tofile(file) end,
      function() ma.savetxt(file, ma.zeros(3)) end,
      function() ma.image.show(ma.zeros({ 8, 8 }, "uint8"), { mode = "braille", file = file }) end } do
      assert.matches("cannot be written: No space left on device", helper.fails(fn))
    end
    pcall(file.close, file)
  end)
end)

describe("what a system call does in part", function()
  it("goes on: writes that are short, or that a signal interrupts", function()
    if jit and jit.os == "Windows" then return pending "a shared object of this system" end
    write(here("shim.c"), [[
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
ssize_t write(int fd, const void *bytes, size_t n) {
  static int count;
  if (fd > 2 && count++ % 3 == 0) {
    errno = EINTR;
    return -1;
  }
  return syscall(SYS_write, fd, bytes, fd > 2 && n > 1000 ? 1000 : n);
}
]])
    local cc = (os.getenv("CC") or "cc"):match "%S+$"
    assert(os.execute(("%s -shared -fPIC -o %s %s"):format(cc, here("shim.so"), here("shim.c"))) == 0)
    write(here("chunk.lua"), [[local ma = require "moonarray"
      local a = ma.arange(20000)
      ma.save(..., a)
      assert(ma.array_equal(ma.load(...), a))
      ma.savez(... .. ".npz", { a = a })
      assert(ma.array_equal(ma.load(... .. ".npz").a, a))
      print "whole"]])
    local asan = os.getenv("LD_PRELOAD") or ""
    assert.equal("whole", run(("LD_PRELOAD='%s %s' '%s' %s %s 2>&1"):format(asan, here("shim.so"), LUA,
      here("chunk.lua"), here("x.npy"))))
  end)
end)

describe("a wrong path", function()
  it("is an error that names it", function()
    local function fails(part, ...)
      local message = helper.fails(...)
      assert(message:find(part, 1, true), message)
    end
    fails("cannot open '/no/such/file': No such file", ma.tofile, ma.zeros(2), "/no/such/file")
    fails("cannot open '': No such file", ma.tofile, ma.zeros(2), "")
    fails("is a folder; wanted a file", ma.tofile, ma.zeros(2), folder)
    fails("cannot open", ma.tofile, ma.zeros(2), here("new/"))
    write(here("file"), "old")
    fails("Not a directory", ma.tofile, ma.zeros(2), here("file/x"))
    assert.equal("old", read(here("file")))
    assert.equal("file", list())
  end)
end)

describe("the names of savez", function()
  it("are kept whole, up to 60000 bytes", function()
    local first, second = ("n"):rep(1000) .. "1", ("n"):rep(1000) .. "2"
    local longest = ("x"):rep(60000)
    ma.savez(here("long"), { [first] = ma.array { 1 }, [second] = ma.array { 2 }, [longest] = ma.array { 3 },
      ["a/b"] = ma.array { 4 }, [""] = ma.array { 5 } })
    local all = ma.load(here("long.npz"))
    assert.equal(1, all[first](1))
    assert.equal(2, all[second](1))
    assert.equal(3, all[longest](1))
    assert.equal(4, all["a/b"](1))
    assert.equal(5, all[""](1))
  end)

  it("are errors beyond, or with a zero byte, and the old file stays", function()
    write(here("old.npz"), "old")
    for name, part in pairs { [("x"):rep(60001)] = "at most 60000 are taken", ["a\0b"] = "zero byte" } do
      local message = helper.fails(ma.savez, here("old"), { [name] = ma.zeros(2) })
      assert(message:find(part, 1, true), message)
    end
    assert.equal("old", read(here("old.npz")))
    assert.equal("old.npz", list())
  end)
end)

describe("a text with a zero byte", function()
  it("is written whole", function()
    ma.savetxt(here("x"), { { 1, 2 }, { 3, 4 } }, "%d", "a\0b", "\0\n", { header = "h\0k", comments = "#\0x" })
    assert.equal("#\0xh\0k\0\n1a\0b2\0\n3a\0b4\0\n", read(here("x")))
    ma.arange(3):tofile(here("x"), { sep = "\0," })
    assert.equal("0\0,1\0,2", read(here("x")))
  end)

  it("is an error where it cannot be", function()
    write(here("x"), "1 2\n")
    for _, spec in ipairs { "%g\0zzz", "%\0", "%5\0", { "%g", "%\0" }, { "%g", "%g\0" } } do
      helper.fails(ma.savetxt, here("x"), { { 1, 2 } }, spec)
      if type(spec) == "string" then helper.fails(ma.tofile, ma.arange(3), here("x"), { sep = " ", format = spec }) end
    end
    for _, comments in ipairs { "a\0b", "\0", { "#", "a\0b" } } do
      helper.fails(ma.loadtxt, here("x"), { comments = comments })
    end
    assert.equal("1 2\n", read(here("x")))
  end)
end)

describe("a name that is no UTF-8", function()
  it("is not called so in the archive, which other readers take at its word", function()
    local flags = {}
    for _, name in ipairs { "plain", "\195\169", "\226\130\172", "\240\159\152\128", "\233", "\195", "\192\128",
      "\237\160\128", "\244\144\128\128", "\255" } do
      ma.savez(here("x"), { [name] = ma.array { 7 } })
      local bytes = read(here("x.npz"))
      flags[#flags + 1] = bytes:byte(8) == 8 and "u" or "-"
      assert.equal(bytes:byte(8), bytes:byte(assert(bytes:find("PK\1\2", 1, true)) + 9))
      assert.equal(7, ma.load(here("x.npz"))[name](1))
    end
    assert.equal("uuuu------", table.concat(flags))
  end)
end)
