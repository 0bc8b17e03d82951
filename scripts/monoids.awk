# monoids.awk: prints the loops of the CPU's reductions as C, those of each monoid and register type one after another,
# and a table of them.
# usage: awk -f monoids.awk monoid.loops OTHERS.loops ...
#
# A file has parts:
#   %types WORD ...      then lines: the suffix of a type, what stands for each word in the text, its class, its dtypes
#   %monoids             then lines: a monoid, what stands for BEATS and LEADER in the text, and the types that it has;
#                        `masked`: with a mask too, `alone`: only so
#   %same A B            where A has no loops for a dtype, those of B serve
#   %fact FACT WORD ... | WORD ...    FACT is true where all words of one list are, or with a ! false; true are the
#                        names of the monoid and of the type's class, MASKED, and facts
#   %head                C that is printed once
#   %text                C that is printed for each monoid and type. %if, with such lists, to %else or %end encloses
#                        lines for some of them.
# A signed dtype without loops of its own has those of the unsigned one: where that happens, bits alone count.

function holds(lists,   list, word, nlist, nword, i, k, ok) {
  nlist = split(lists, list, /\|/)
  for (i = 1; i <= nlist; i++) {
    nword = split(list[i], word, " "); ok = 1
    for (k = 1; k <= nword && ok; k++) ok = word[k] ~ /^!/ ? !(substr(word[k], 2) in fact) : word[k] in fact
    if (ok) return 1
  }
  return 0
}

# Lines of the text between an %if and its %end are left out at `depth` and deeper.
function print_text(monoid, suffix, masked,   name, l, k, line, depth, out, last, dtype) {
  name = monoid "_" suffix (masked ? "_masked" : "")
  for (k in fact) delete fact[k]
  fact[monoid] = 1; fact[class[suffix]] = 1
  if (masked) fact["MASKED"] = 1
  for (k = 1; k <= nfact; k++) if (holds(lists_of[k])) fact[named[k]] = 1
  depth = 0; out = 0
  for (l = 1; l <= nline; l++) {
    line = lines[l]
    if (line ~ /^%if /) { depth++; if (!out && !holds(substr(line, 5))) out = depth; continue }
    if (line ~ /^%else/) { if (!out) out = depth; else if (out == depth) out = 0; continue }
    if (line ~ /^%end/) { if (out == depth) out = 0; depth--; continue }
    if (out) continue
    gsub(/_NAME/, "_" name, line)
    if (line ~ /[A-Z][A-Z][A-Z][A-Z]/) {
      gsub(/_LEADER/, "_" leader[monoid] "_" suffix, line)
      gsub(/CLONES/, ("WIDEST" in fact) ? "FOR_AVX512" : ("WIDENS" in fact) ? "FOR_AVX2" : "", line)
      gsub(/BEATS/, beats[monoid], line)
      gsub(/THIS_MONOID/, "RED_" monoid, line); gsub(/THIS_CLASS/, "RED_" class[suffix], line)
      gsub(/IS_MASKED/, masked, line)
      for (k = 1; k <= nword; k++) gsub(words[k], value[suffix, k], line)
    }
    print line
  }
  last = split(dtypes[suffix], dtype, ",")
  for (k = 1; k <= last; k++) loops[masked, monoid, dtype[k]] = name
}

# The loops of a monoid for a dtype, or those that serve.
function serving(masked, monoid, dtype,   found) {
  found = loops[masked, monoid, dtype]
  if (!found && dtype ~ /^INT/) found = loops[masked, monoid, "U" dtype]
  return !found && monoid in same ? serving(masked, same[monoid], dtype) : found
}

function print_table(   masked, i, k, n, all, dtype, found) {
  n = split("BOOL INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 FLOAT16 BFLOAT16 FLOAT32 FLOAT64 " \
            "COMPLEX64 COMPLEX128", dtype, " ")
  print "const ma_monoid *const ma_monoids[2][RED_bxor + 1][MA_NDTYPE] = {"
  for (masked = 0; masked < 2; masked++) {
    print "  {"
    for (i = 1; i <= nmonoid; i++) {
      print "    [RED_" monoids[i] "] = {"
      for (k = 1; k <= n; k++)
        if (found = serving(masked, monoids[i], dtype[k])) print "      [MA_" dtype[k] "] = &loops_" found ","
      print "    },"
    }
    print "  },"
  }
  print "};"
}

function note(monoid) { if (!(monoid in known)) { known[monoid] = 1; monoids[++nmonoid] = monoid } }

/^%types/ { part = "types"; nword = NF - 4; for (k = 1; k <= nword; k++) words[k] = $(k + 2); next }
/^%monoids/ { part = "monoids"; next }
/^%same/ { same[$2] = $3; note($2); next }
/^%fact/ { named[++nfact] = $2; sub(/^%fact +[A-Z0-9]+ +/, ""); lists_of[nfact] = $0; part = ""; next }
/^%head/ { part = "head"; print "/* Printed by scripts/monoids.awk from src/cpu/reduce. */"; next }
/^%text/ { part = "text"; next }
FNR == 1 { part = "" }
part == "head" { print }
part == "text" { lines[++nline] = $0 }
part == "types" && NF { for (k = 1; k <= nword; k++) value[$1, k] = $(k + 1); class[$1] = $(NF - 1); dtypes[$1] = $NF }
part == "monoids" && NF { rows[++nrow] = $0; beats[$1] = $2; leader[$1] = $3; note($1) }

END {
  for (i = 1; i <= nrow; i++) {
    n = split(rows[i], row, " ")
    for (k = 4; k <= n; k++) if (row[k] in class && rows[i] !~ / alone/) print_text(row[1], row[k], 0)
    n = split(rows[i], row, " ")
    for (k = 4; k <= n; k++) if (row[k] in class && rows[i] ~ / masked/) print_text(row[1], row[k], 1)
  }
  print_table()
}
