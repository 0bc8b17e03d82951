rockspec_format = "3.0"
package = "moonarray"
version = "0.2.0-1"
-- The address is that of scripts/address (scripts/addressed.lua). The rock of sources has the archive in it.
source = {
  url = "https://moonarray.invalid/releases/download/v0.2.0/moonarray-0.2.0.tar.gz",
  dir = "moonarray-0.2.0",
}
description = {
  summary = "NumPy-style arrays for LuaJIT, on NVIDIA GPUs and on the CPU",
  detailed = "Arrays, elementwise operations and reductions in C. Needs no CUDA toolkit and no BLAS to build; both " ..
    "are found at run time.",
  license = "MIT",
  homepage = "https://moonarray.invalid",
  issues_url = "https://moonarray.invalid/issues",
  labels = { "math", "numeric", "arrays", "gpu", "cuda", "love2d" },
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
