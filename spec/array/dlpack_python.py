"""Exchanges tensors by DLPack between moonarray and the array libraries of Python, in one process: Python loads
LuaJIT's library, and Lua the module. usage: python3 dlpack_python.py [cpu|cuda] LIBRARY ...
LIBRARY: numpy, cupy or torch; "skipped: ..." is printed for one that is not there.

Both ways, every dtype and layout that the library has: the same elements, the same memory, and an end of both once
nobody holds it.
"""
import ctypes
import ctypes.util
import gc
import importlib
import os
import sys
import weakref

VERSIONED, LEGACY = b"dltensor_versioned", b"dltensor"
DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16",
    "float32", "float64",
          "complex64", "complex128"]


class Lua:
    """A Lua state. run(chunk, *arguments) calls a chunk with numbers and strings and gives what it returns, one of
    those or None."""

    def __init__(self):
        name = os.environ.get("LUAJIT_LIBRARY") or ctypes.util.find_library("luajit-5.1") or "libluajit-5.1.so.2"
        self.c = ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)      # the module finds Lua's functions in the process
        for name, result, arguments in [
                ("luaL_newstate", ctypes.c_void_p, []), ("luaL_openlibs", None, "p"),
                ("luaL_loadstring", ctypes.c_int, "ps"),
                ("lua_pushnumber", None, "pd"), ("lua_pushstring", None, "ps"), ("lua_pcall", ctypes.c_int, "piii"),
                ("lua_type", ctypes.c_int, "pi"), ("lua_tonumber", ctypes.c_double, "pi"),
                ("lua_tolstring", ctypes.c_char_p, "pip"),
                ("lua_settop", None, "pi"), ("lua_close", None, "p")]:
            function = getattr(self.c, name)
            function.restype = result
            function.argtypes = [{"p": ctypes.c_void_p, "s": ctypes.c_char_p, "d": ctypes.c_double,
                "i": ctypes.c_int}[a] for a in arguments]
        self.state = self.c.luaL_newstate()
        self.c.luaL_openlibs(self.state)

    def run(self, chunk, *arguments):
        c, state = self.c, self.state
        failed = c.luaL_loadstring(state, chunk.encode())
        if not failed:
            for value in arguments:
                if isinstance(value, str):
                    c.lua_pushstring(state, value.encode())
                else:
                    c.lua_pushnumber(state, value)
            failed = c.lua_pcall(state, len(arguments), 1, 0)
        kind = c.lua_type(state, -1)
        value = c.lua_tonumber(state, -1) if kind == 3 else c.lua_tolstring(state, -1, None) if kind == 4 else None
        c.lua_settop(state, -2)
        if failed:
            raise RuntimeError(value.decode())
        return value.decode() if isinstance(value, bytes) else value

    def close(self):
        self.c.lua_close(self.state)


api = ctypes.pythonapi
api.PyCapsule_New.restype = ctypes.py_object
api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
api.PyCapsule_GetPointer.restype = ctypes.c_void_p
api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_GetName.restype = ctypes.c_char_p
api.PyCapsule_GetName.argtypes = [ctypes.py_object]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
NAMES = {VERSIONED: ctypes.c_char_p(b"used_" + VERSIONED),
    LEGACY: ctypes.c_char_p(b"used_" + LEGACY)}     # live as long as the capsules


class Tensor:
    """The Lua global `a` as Python sees a producer: __dlpack__ and __dlpack_device__."""

    def __init__(self, lua, device):
        self.lua, self.device = lua, device

    def __dlpack_device__(self):
        return (2, 0) if self.device == "cuda" else (1, 0)

    def __dlpack__(self, stream=None, max_version=None, dl_device=None, copy=None):
        major = 1 if max_version and max_version[0] >= 1 else 0
        # 1 and None: the legacy default stream; -1: no order is asked for; else a stream's address
        address = stream if isinstance(stream, int) and stream > 2 else 0
        self.lua.run("""
            local version, stream = ...
            local on = stream ~= 0 and ma.cuda.ExternalStream(stream) or nil
            address = a:dlpack({ version = version, stream = on }):release()
            if on then on:close() end""", major, address)
        name = VERSIONED if major else LEGACY
        return api.PyCapsule_New(int(self.lua.run("return address")), name, None)


def take(lua, array, device, legacy):
    """A library's array as the Lua global `b`."""
    options = {"stream": 1} if device == "cuda" else {}
    if not legacy:
        options["max_version"] = (1, 1)
    try:
        capsule = array.__dlpack__(**options)
    except TypeError:                                            # a library from before versions
        options.pop("max_version", None)
        capsule = array.__dlpack__(**options)
    name = api.PyCapsule_GetName(capsule)
    address = api.PyCapsule_GetPointer(capsule, name)
    lua.run("b = ma.from_dlpack((...))", address)
    api.PyCapsule_SetName(capsule, NAMES[name])


LAYOUTS = {
    "whole": ("a", lambda x: x),
    "transposed": ("a.T", lambda x: x.T),
    "part": ('a["2:3, 1:-1:2"]', lambda x: x[1:3, ::2]),
    "row": ('a["2, :"]', lambda x: x[1]),
    "one": ('a["2:2, 2:2"]:reshape({})', lambda x: x[1:2, 1:2].reshape(())),
    "reversed": ('a["::-1, :"]', lambda x: x[::-1, :]),
    "empty": ('a["1:0, :"]', lambda x: x[0:0]),
}


def dtype_of(library, name):
    if library.__name__ == "numpy" and name == "bfloat16":
        return None
    return getattr(library, name + "_" if name == "bool" and library.__name__ != "torch" else name, None)


def make(library, dtype, device):
    if library.__name__ == "torch":
        return (library.arange(24, device=device) % 2 if dtype == library.bool
            else library.arange(24, device=device)).to(dtype).reshape(4, 6)
    values = library.arange(24)
    return (values % 2 if dtype == library.bool_ else values).astype(dtype).reshape(4, 6)


def listed(library, array):
    """The elements as floats, in C order."""
    if library.__name__ == "torch":
        return [float(v) for v in (array.cpu().to(library.complex128).real if array.is_complex()
            else array.cpu().double()).flatten().tolist()]
    array = array.get() if hasattr(array, "get") else array
    return [float(v) for v in (array.real if array.dtype.kind == "c" else array).astype("float64").ravel().tolist()]


READ = """
    local x = ({ a = a, b = b })[(...)]
    if x.dtype:find("complex") then x = ma.real(x) end
    local values = x.size == 0 and {} or x:astype("float64"):reshape({ -1 }):totable()
    for k, v in ipairs(values) do values[k] = ("%.17g"):format(v) end
    return table.concat(values, " ")"""


def values_of(lua, name):
    return [float(v) for v in (lua.run(READ, name) or "").split()]


def check(condition, *what):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print("failed:", *what)


def refused(fn):
    try:
        fn()
    except Exception as error:                                   # each library has its own
        return str(error) or repr(error)
    return None


def strides_fit(library, layout, exported=False):
    """PyTorch has no negative strides, and CuPy 14 exports them without their sign."""
    return layout != "reversed" or library.__name__ == "numpy" or (library.__name__ == "cupy" and not exported)


def ours_to(lua, library, device, dtype, name):
    for layout, (index, pick) in LAYOUTS.items():
        if not strides_fit(library, layout):
            continue
        lua.run("a = (ma.arange(24) % ((...) == 'bool' and 2 or 100)):astype((...)):reshape(4, 6); whole = a; a = "
            + index, name)
        got = library.from_dlpack(Tensor(lua, device))
        wanted = values_of(lua, "a")
        check(listed(library, got) == wanted, name, layout, "to", library.__name__, listed(library, got), wanted)
        check(got.dtype == dtype, name, "became", got.dtype)
        if layout != "empty" and name != "bool":
            lua.run("a:fill(7); ma.device():synchronize()")
            check(listed(library, got) == [7.0] * len(wanted), name, layout, "to", library.__name__, "is a copy")
        lua.run("a, whole = nil, nil; collectgarbage(); collectgarbage()")
        check(lua.run("return core.live_buffers()") > lua.run("return live"), name, layout, "ended while",
            library.__name__, "holds it")
        del got
        gc.collect()
        check(lua.run("return core.live_buffers()") == lua.run("return live"), name, layout, "to", library.__name__,
            "stays")


def theirs_to(lua, library, device, dtype, name):
    for layout, (_, pick) in LAYOUTS.items():
        if not strides_fit(library, layout, exported=True):
            continue
        for legacy in (False, True):
            base = make(library, dtype, device)
            array = pick(base)
            wanted = listed(library, array)
            take(lua, array, device, legacy)
            check(lua.run("return b.dtype") == name, name, "became", lua.run("return b.dtype"))
            check(values_of(lua, "b") == wanted, library.__name__, name, layout, values_of(lua, "b"), wanted)
            if layout != "empty" and name != "bool":
                lua.run("b:fill(9); ma.device():synchronize()")
                check(listed(library, array) == [9.0] * len(wanted), library.__name__, name, layout, "is a copy")
            end = weakref.ref(base)
            del base, array
            gc.collect()
            if layout != "empty" and name != "bool":
                check(values_of(lua, "b") == [9.0] * len(wanted), library.__name__, name, layout,
                    "ended while it is held")
            lua.run("b = nil; collectgarbage(); collectgarbage(); ma.device():synchronize(); collectgarbage()")
            gc.collect()
            check(end() is None, library.__name__, name, layout, "stays")


def exchange(lua, library, device):
    for name in DTYPES:
        dtype = dtype_of(library, name)
        if dtype is None:
            continue
        reason = refused(lambda: listed(library, library.from_dlpack(make(library, dtype, device))))
        if reason:                                               # the library has no such elements, or not there
            print("without %s: %s" % (name, reason.splitlines()[0]))
            continue
        for way in (ours_to, theirs_to):
            error = refused(lambda: way(lua, library, device, dtype, name))
            check(not error, library.__name__, name, way.__name__, error)
            lua.run("a, b, whole = nil, nil, nil; collectgarbage(); collectgarbage()")
    versioned = library.__name__ == "numpy" and not refused(lambda: library.arange(1.0).__dlpack__(max_version=(1, 1)))
    if library.__name__ == "numpy" and not versioned:
        print("without read-only arrays: this numpy is older than versions of DLPack")
    if versioned:
        frozen = library.arange(6.0)
        frozen.flags.writeable = False
        take(lua, frozen, device, False)
        check("read-only" in (refused(lambda: lua.run("b:fill(1)")) or ""), "a read-only array of numpy is written")
        lua.run("b = nil; collectgarbage(); collectgarbage(); a = ma.arange(3):broadcast_to({ 2, 3 })")
        got = library.from_dlpack(Tensor(lua, device))
        check(not got.flags.writeable, "a read-only array is writable in numpy")
        check(got.tolist() == [[0, 1, 2], [0, 1, 2]], "a broadcast array", got)
        del got
        lua.run("a = nil; collectgarbage()")
    if device == "cuda":
        streams(lua, library)


def streams(lua, library):
    """The consumer's stream waits for what the producer's was given, without anybody waiting on the host."""
    if library.__name__ == "torch":
        side = library.cuda.Stream()
        with library.cuda.stream(side):
            ordered(lua, library, lambda a: library.from_dlpack(a).sum().item())
    else:
        with library.cuda.Stream(non_blocking=True):
            ordered(lua, library, lambda a: float(library.from_dlpack(a).sum()))


def ordered(lua, library, total):
    for turn in range(20):
        lua.run("""
            local s = ma.Stream { non_blocking = true }
            a = s:with(function(n)
              local x = ma.zeros(2^22, "float32")
              for _ = 1, 50 do x:iadd(n) end
              return x
            end, (...))""", turn)
        got = total(Tensor(lua, "cuda"))
        check(got == 50 * turn * 2**22, library.__name__, "read before it was written:", got / 2**22, "not", 50 * turn)
    lua.run("a = nil; collectgarbage(); collectgarbage(); ma.device():synchronize()")


passed = failed = 0


def main(device, libraries):
    try:
        lua = Lua()
    except OSError as error:
        print("skipped: LuaJIT's shared library: %s\n0 passed, 0 failed" % error)
        return False
    lua.run("""
        package.path = "./lua/?.lua;./lua/?/init.lua;" .. package.path
        package.cpath = (os.getenv("MODULE_DIR") or ".") .. "/?.so;" .. package.cpath
        ma, core = require "moonarray", require "moonarray.core"
        ma.device((...)):use()
        ma.zeros(3):sum():item()
        collectgarbage()
        collectgarbage()
        live = core.live_buffers()""", device)
    for name in libraries:
        try:
            library = importlib.import_module(name)
        except ImportError as error:
            print("skipped: %s: %s" % (name, error))
            continue
        before = passed + failed
        exchange(lua, library, device)
        print("%s %s on %s: %d checks" % (name, library.__version__, device, passed + failed - before))
    check(lua.run("collectgarbage() collectgarbage() return core.live_buffers() - live") == 0, "buffers are left")
    lua.close()
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "cpu", sys.argv[2:] or ["numpy"]))
