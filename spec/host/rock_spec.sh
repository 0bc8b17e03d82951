#!/bin/sh
# The rock: made without network into a tree, packed, installed from the pack into another, and loaded from there alone.
set -u
if ! command -v luarocks >/dev/null 2>&1; then echo "skipped: luarocks is not installed"; exit 0; fi
here=$(pwd)
tree=$(mktemp -d) || exit 1
trap 'rm -rf "$tree"' EXIT
passed=0 failed=0
check() {
  name=$1; shift
  if output=$("$@" 2>&1); then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$name: $output"; fi
}
load() {          # load INTERPRETER: from the second tree, far from the checkout
  cd / && LUA_PATH="$tree/b/share/lua/5.1/?.lua;$tree/b/share/lua/5.1/?/init.lua" \
    LUA_CPATH="$tree/b/lib/lua/5.1/?.so" "$1" -e '
    local ma = require "moonarray"
    assert(ma.arange(6):reshape(2, 3):sum():item() == 15)
    for name in pairs(ma) do assert(type(name) == "string") end'
}
# A module with make's own flags is built with LuaRocks', and the rock has its objects. Others would build it anew.
flags=$(head -1 build/flags 2>/dev/null)
[ "$flags" = "-O2 -g1" ] && flags=
rock() {
  luarocks --lua-version 5.1 make --tree="$tree/a" ${flags:+CFLAGS="$flags"} >"$tree/log" 2>&1 ||
    { cat "$tree/log"; return 1; }
}
check "luarocks make" rock
check "make's objects are the rock's, none compiled again" sh -c '! grep -- " -c -o " "$1"' sh "$tree/log"
cd "$tree" || exit 1
check "luarocks pack" luarocks --lua-version 5.1 --tree="$tree/a" pack moonarray
cd "$here" || exit 1
check "luarocks install" luarocks --lua-version 5.1 --tree="$tree/b" install "$(ls "$tree"/*.rock 2>/dev/null)"
check "luajit" load "${LUAJIT:-luajit}"
cd "$here" || exit 1
check "the C header is in the rock" sh -c \
  'cmp include/moonarray.h "$1"/b/lib/luarocks/rocks-5.1/moonarray/*/include/moonarray.h' sh "$tree"
check "so is what pkg-config reads" sh -c 'cd "$1"/b/lib/luarocks/rocks-5.1/moonarray/* &&
  grep -qx "Version: [0-9]*[.][0-9]*[.][0-9]*" share/pkgconfig/moonarray.pc' sh "$tree"
check "so are documents and examples" sh -c \
  'cd "$1"/b/lib/luarocks/rocks-5.1/moonarray/* && cmp docs/README.md "$2/docs/README.md" &&
   cmp examples/quickstart.lua "$2/examples/quickstart.lua"' sh "$tree" "$here"
# What make install puts into a folder, make uninstall takes away, and nothing else.
install_and_back() {
  mkdir -p "$tree/c/lib/lua/5.1/other" && make -s install PREFIX="$tree/c" && [ -f "$tree/c/include/moonarray.h" ] &&
    make -s uninstall PREFIX="$tree/c" && [ -d "$tree/c/lib/lua/5.1/other" ] && ! find "$tree/c" -type f | grep .
}
check "make install and make uninstall" install_and_back
# Without -j, as LuaRocks calls make, all cores work.
check "a plain make on all cores" sh -c 'MAKEFLAGS= MAKELEVEL=0 make -np all 2>/dev/null | grep -q "^MAKEFLAGS = .*-j"'
refuses_macos() { ! make SYSTEM=Darwin all >"$tree/said" 2>&1 && grep -q 'does not build on macOS' "$tree/said"; }
check "make on macOS" refuses_macos
# Other flags compile anew, the same flags do not.
compiles() { MAKEFLAGS= make BUILD="$tree/d" CFLAGS="$1" "$tree/d/base/status.o" | grep 'status\.c'; }
flags_rebuild() { compiles -O0 && ! compiles -O0 && compiles -O1; }
check "changed flags" flags_rebuild
if command -v lua5.1 >/dev/null 2>&1; then check "lua5.1, without ffi" load lua5.1; fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
