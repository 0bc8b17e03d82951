#!/bin/sh
# A build with a compiler that compiles nothing and writes down what it was asked: make demo, the rock and make dist
# compile each file once, and a quiet build says how far it is.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0
check() {
  name=$1; shift
  if output=$("$@" 2>&1); then passed=$((passed + 1)); else failed=$((failed + 1)); echo "$name: $output"; fi
}
cat >"$folder/cc" <<END
#!/bin/sh
case "\$*" in --version|-dumpmachine) exec cc "\$@" ;; esac
while [ \$# -gt 0 ]; do
  case \$1 in
  -c) kind=compiled ;;
  -o) shift; : >"\$1"; echo "\$1" >>"$folder/\${kind:-linked}" ;;
  esac
  shift
done
END
chmod +x "$folder/cc"
: >"$folder/compiled"
build() {
  MAKEFLAGS='' make "$@" BUILD="$folder/build" MODULE_DIR="$folder/build" CC="$folder/cc" >"$folder/said" 2>&1
}
compiled() {
  count=$(wc -l <"$folder/compiled")
  [ "$count" = "$1" ] || { echo "$count compiled; wanted $1"; return 1; }
}
module=$folder/build/moonarray/core.so

# As make demo builds. What is asked of the compiler is what the module is linked of.
check "a quiet build" build -s -j2 "$module"
all=$(wc -l <"$folder/compiled")
check "compiles some hundred files" [ "$all" -gt 300 ]
check "compiles no file twice" sh -c '! sort "$1" | uniq -d | grep .' sh "$folder/compiled"
check "names the first share" grep -q "^building: 0 % of $all files$" "$folder/said"
check "names a share in the middle" grep -q "^building: 50 % of $all files$" "$folder/said"
check "names the last share" grep -q "^building: 100 % of $all files$" "$folder/said"
check "names some twenty shares" [ "$(grep -c '^building' "$folder/said")" -le 22 ]

# As luarocks make calls it, and as make dist does.
check "the rock's build" build "$module" CFLAGS="-O2 -fPIC" LIBFLAG=-shared LUA_INCDIR=/usr/include/lua5.1
check "the rock takes the same objects" compiled "$all"
check "make dist's build" build -s "$module" CFLAGS="$(head -1 "$folder/build/flags")" LIBFLAG=-shared
check "make dist takes the same objects" compiled "$all"
check "a build of what is there says nothing" sh -c '! grep building "$1"' sh "$folder/said"
rm "$folder"/build/base/*.o
check "a verbose build" build "$module"
check "names its commands" grep -q -- "-c -o $folder/build/base/status.o" "$folder/said"
check "and no shares" sh -c '! grep building "$1"' sh "$folder/said"
few=$(find src/base -name '*.c' | wc -l)
check "a verbose build compiles what is missing alone" compiled $((all + few))
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
