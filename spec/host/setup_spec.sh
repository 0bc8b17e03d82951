#!/bin/sh
# scripts/setup where the path has nothing but a stub of apt-get: what it installs, and what it says where it cannot.
set -u
shell=$(command -v sh)
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0
check() {         # check NAME TEST...
  name=$1; shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$name: $said"; fi
}
program() {       # program NAME LINE...: a script in the folder that is the path
  name=$1; shift
  { echo "#!$shell"; printf '%s\n' "$@"; } >"$folder/bin/$name"
  chmod +x "$folder/bin/$name"
}
machine() {       # machine USER: a path without anything; id and env are what every system has
  rm -rf "$folder/bin" "$folder/calls" && mkdir "$folder/bin"
  program id "echo $1"
  program env 'while case ${1:-} in *=*) : ;; *) false ;; esac; do export "$1"; shift; done; exec "$@"'
}
setup() { said=$(PATH="$folder/bin" "$shell" scripts/setup "$@" 2>&1); code=$?; }
says() { case $said in *"$1"*) ;; *) return 1 ;; esac; }
called() { grep -q -- "$1" "$folder/calls"; }
refuses() { [ "$code" != 0 ] && says "$1"; }
nothing_run() { [ ! -e "$folder/calls" ]; }

machine 0
program apt-get "echo \"\$DEBIAN_FRONTEND \$*\" >>'$folder/calls'"
setup lint test
check "succeeds with apt-get alone" [ "$code" = 0 ]
check "says what it installs" says "setup: installing make gcc g++ "
check "looks for new lists first" called "^noninteractive .*update$"
for package in make gcc g++ luajit luarocks lua-busted lua-check cppcheck musl-tools; do
  check "installs $package" called "install --no-install-recommends .*$package"
done
check "asks nothing" called "^noninteractive -q -y .* install"
setup
check "leaves out what only tests need" sh -c '! tail -1 "$1" | grep -qE "busted|cppcheck"' sh "$folder/calls"

program apt-get 'exit 100'
setup
check "says what to do where apt-get fails" refuses "setup: apt-get failed; by hand: apt-get install make gcc"

machine 1000
program apt-get "echo >>'$folder/calls'"
setup
check "says what root must do where there is no sudo" refuses \
  "as root: apt-get install -y --no-install-recommends make gcc"
check "calls nothing then" nothing_run
program sudo "echo sudo >>'$folder/calls'; exec \"\$@\""
setup
check "takes sudo" called "^sudo$"

machine 0
setup test
check "names what is missing where there is no apt-get" refuses "setup: not found: make gcc g++"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
