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
check "luarocks make" luarocks --lua-version 5.1 make --tree="$tree/a"
cd "$tree" || exit 1
check "luarocks pack" luarocks --lua-version 5.1 --tree="$tree/a" pack moonarray
cd "$here" || exit 1
check "luarocks install" luarocks --lua-version 5.1 --tree="$tree/b" install "$(ls "$tree"/*.rock 2>/dev/null)"
check "luajit" load "${LUAJIT:-luajit}"
cd "$here" || exit 1
check "the C header is in the rock" sh -c \
  'cmp include/moonarray.h "$1"/b/lib/luarocks/rocks-5.1/moonarray/*/include/moonarray.h' sh "$tree"
check "so is what pkg-config reads" sh -c \
  'grep -qx "Version: [0-9]*[.][0-9]*[.][0-9]*" "$1"/b/lib/luarocks/rocks-5.1/moonarray/*/share/pkgconfig/moonarray.pc' \
  sh "$tree"
if command -v lua5.1 >/dev/null 2>&1; then check "lua5.1, without ffi" load lua5.1; fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
