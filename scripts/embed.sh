#!/bin/sh
# Turn kernel texts into C: for each FILE, `EMBED("name", "line\n" "line\n" ...)`. usage: embed.sh FILE...
# A text is one string: in NAME.h, the parts that it includes from the folder NAME stand in the place of their includes.
set -eu
whole() {
  awk -v folder="${1%.*}" -v name="$(basename "${1%.*}")" '
    index($0, "#include \"" name "/") == 1 {
      split($0, quoted, "\"")
      path = folder substr(quoted[2], length(name) + 1)
      while ((got = (getline line < path)) > 0) print line
      if (got < 0) { print "embed.sh: cannot read " path > "/dev/stderr"; exit 1 }
      close(path)
      next
    }
    { print }' "$1"
}
twice=$(for file in "$@"; do basename "$file"; done | sort | uniq -d)
[ -z "$twice" ] || { echo "embed.sh: two kernel texts have the name $twice" >&2; exit 1; }
for file in "$@"; do
  text=$(whole "$file")
  printf 'EMBED("%s",\n' "$(basename "$file")"
  printf '%s\n' "$text" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/"/' -e 's/$/\\n"/'
  printf ')\n'
done
