#!/bin/sh
# Turn kernel texts into C: for each FILE, `EMBED("name", "line\n" "line\n" ...)`. usage: embed.sh FILE...
set -eu
for file in "$@"; do
  printf 'EMBED("%s",\n' "$(basename "$file")"
  sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$/\\n"/' "$file"
  printf ')\n'
done
