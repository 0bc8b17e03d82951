rockspec_format = "3.0"
package = "moonarray"
version = "0.2.0-1"
source = { url = "file://./moonarray-0.2.0.tar.gz", dir = "moonarray-0.2.0" } -- in the rock of sources, beside this file
description = {
  summary = "NumPy-style arrays for LuaJIT, on NVIDIA GPUs and on the CPU",
  detailed = "Arrays, elementwise operations and reductions in C. Needs no CUDA toolkit and no BLAS to build; both " ..
    "are found at run time.",
  license = "MIT",
}
dependencies = { "lua ~> 5.1" }
build = {
  type = "make",
  build_variables = {
    CC = "$(CC)",
    CFLAGS = "$(CFLAGS)",
    LIBFLAG = "$(LIBFLAG)",
    LUA_INCDIR = "$(LUA_INCDIR)",
    LUA = "$(LUA)",
  },
  install_variables = {
    CC = "$(CC)",
    CFLAGS = "$(CFLAGS)",
    LIBFLAG = "$(LIBFLAG)",
    LUA_INCDIR = "$(LUA_INCDIR)",
    LUA = "$(LUA)",
    INST_PREFIX = "$(PREFIX)",
    INST_LIBDIR = "$(LIBDIR)",
    INST_LUADIR = "$(LUADIR)",
  },
  copy_directories = { "docs", "examples" },
}
test = { type = "command", command = "make test" }
