#!/bin/sh
# The files of a release (make dist): each is unpacked and loaded, the rocks as luarocks installs them on their systems.
# Linux on ARM runs under qemu, Windows under Wine, where these are; a file that was not made is named. make test-dist
set -u
here=$(pwd)
dist=${DIST:-$here/dist}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
check() {
  name=$1; shift
  if output=$("$@" 2>&1); then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$name: $output"; fi
}
release=$(basename "$(ls "$dist"/moonarray-*.rockspec)" .rockspec)
version=${release%-*}
qemu=$here/build/zig/luajit-aarch64
wine=$(command -v wine64 || command -v /usr/lib/wine/wine64)
luajit_exe=$here/build-windows/lua/luajit.exe
export WINEPREFIX="${WINEPREFIX:-$here/build-windows/wine}" WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml="

# load RUN LUA LIBRARIES: the library from these folders alone, far from the checkout
load() {
  # shellcheck disable=SC2086  # a command with its words
  cd / && LUA_PATH="$2/?.lua;$2/?/init.lua" LUA_CPATH="$3" MOONARRAY_DEVICE=cpu $1 -e '
    local ma = require "moonarray"
    assert(ma.version == arg[1], ma.version)
    assert(ma.arange(6):reshape(2, 3):sum():item() == 15)
    assert(ma.stencil(function(u) return u(-1) + u(1) end)(ma.arange(5))(3) == 4)' /dev/null "${version#*-}"
}
on_linux() { load "${LUAJIT:-luajit}" "$1" "$2/?.so"; }
on_arm() { load "$qemu" "$1" "$2/?.so;"; }           # what lies behind is the script's own
on_windows() { load "$wine $luajit_exe" "Z:$1" "Z:$2/?.dll"; }

# general LUA LIBRARIES: on the pretended GPU without NVRTC, a process of these folders alone finds general forms there
general() {
  # shellcheck disable=SC2016  # Lua
  text=$(cd / && LD_LIBRARY_PATH="$here/build/pretend" PRETEND_IDLE=1 CUDA_PATH= MOONARRAY_CUDA_LIBRARIES=0 \
    MOONARRAY_NVRTC=0 MOONARRAY_DEVICE=cuda MOONARRAY_CACHE_DIR="$work/cache" MOONARRAY_TRACE=jit \
    LUA_PATH="$1/?.lua;$1/?/init.lua" LUA_CPATH="$2/?.so" "${LUAJIT:-luajit}" -e '
    local ma = require "moonarray"
    ma.eval(ma.array({ 1, 2, 3 }, "float32") + 1)' 2>&1)
  rm -rf "$work/cache"
  echo "$text" | grep "map_general: from the bundle $2/moonarray/kernels/floor.mab" || { echo "$text"; return 1; }
}
# with_floor NAME LUA LIBRARIES: what make dist made has the floor set if that was made
with_floor() {
  if [ ! -f "$here/build/kernels/floor.mab" ]; then echo "skipped: $1: no floor set was made, for want of NVRTC"
  elif [ ! -f "$here/build/pretend/libcuda.so.1" ]; then check "$1" test -f "$3/moonarray/kernels/floor.mab"
  else check "$1" general "$2" "$3"; fi
}

# install ROCK PLATFORM ENDING: as luarocks of that platform does, which compares the sums of the files
install() {
  printf 'arch = "%s"\nlib_extension = "%s"\n' "$2" "$3" >"$work/config.lua"
  LUAROCKS_CONFIG=$work/config.lua luarocks --lua-version 5.1 --tree="$work/$2" install "$1"
}
# rock PLATFORM ENDING RUN
rock() {
  file=$dist/$release.$1.rock
  [ -f "$file" ] || { echo "skipped: $file was not made"; return; }
  check "install $1" install "$file" "$1" "$2"
  case $3 in :) echo "skipped: the rock for $1 was not run: no program here runs it"; return ;; esac
  check "load $1" "$3" "$work/$1/share/lua/5.1" "$work/$1/lib/lua/5.1"
}
arm=:; [ -x "$qemu" ] && arm=on_arm
windows=:; [ -n "$wine" ] && [ -f "$luajit_exe" ] && windows=on_windows
rock "linux-$(uname -m)" so on_linux
rock linux-aarch64 so $arm
rock win32-x86_64 dll $windows

host=$work/linux-$(uname -m)
with_floor "the floor set of the rock" "$host/share/lua/5.1" "$host/lib/lua/5.1"
if [ -f "$dist/moonarray-kernels-${release#moonarray-}.all.rock" ]; then
  check "install moonarray-kernels" install "$dist/moonarray-kernels-${release#moonarray-}.all.rock" \
    "linux-$(uname -m)" so
  for file in "$dist"/base-*.mab; do
    name=$(basename "$file")
    check "$name of moonarray-kernels" cmp "$file" "$host/lib/lua/5.1/moonarray/kernels/$name"
  done
else
  echo "skipped: the rock moonarray-kernels: no base set was made"
fi

# Everything that git tracks is in the rock of sources, and its rockspec names the archive in it.
sources() {
  mkdir "$work/source" && cd "$work/source" && unzip -q "$dist/$release.src.rock" && tar xzf "$version.tar.gz" &&
    grep -q "/$version.tar.gz" "$release.rockspec" || return 1
  ! (cd "$here" && git ls-files) | while read -r path; do
    [ -e "$version/$path" ] || echo "not there: $path"
  done | grep .
}
check "the rock of sources" sources

# game FOLDER ARCHIVE
game() { mkdir -p "$work/$1" && unzip -q "$2" -d "$work/$1" && [ -f "$work/$1/moonarray/LICENSE" ]; }
check "the zip for games" game game "$dist/$version-game.zip"
check "load it" on_linux "$work/game" "$work/game"
with_floor "the floor set of the zip" "$work/game" "$work/game"
if [ -f "$work/game/moonarray/core.dll" ] && [ $windows != : ]; then
  check "load it on Windows" on_windows "$work/game" "$work/game"
fi
if [ -f "$dist/$version-game-linux-aarch64.zip" ]; then
  check "the zip for games on ARM" game arm "$dist/$version-game-linux-aarch64.zip"
  [ $arm = : ] || check "load it on ARM" on_arm "$work/arm" "$work/arm"
fi

# The games run for a while, as they lie there. LÖVE prints an error that it shows.
play() {
  export XDG_DATA_HOME="$work/data" ALSOFT_DRIVERS=null
  text=$(cd / && timeout -k 5 "${SECONDS_OF_GAME:-8}" xvfb-run -a love "$1" 2>&1)
  code=$?
  echo "$text"
  [ $code = 124 ] && ! echo "$text" | grep -q "^Error" && [ -n "$(find "$work/data" -name 'core-*.so')" ]
}
for path in "$here"/examples/love/*/; do
  archive=$dist/$(basename "$path").love
  check "$(basename "$path").love" game "$(basename "$path")" "$archive"
done
if command -v love >/dev/null 2>&1 && command -v xvfb-run >/dev/null 2>&1; then
  check "play reaction_diffusion.love" play "$dist/reaction_diffusion.love"
else
  echo "skipped: the games were not played: no LÖVE or no Xvfb"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
