# loops.awk: prints the CPU's loops of one kind for one instruction set, a function for each operation and dtype, from
# the rows of kernels/ops.def and kernels/special.def.
# usage: awk -v kind=KIND -v target=TARGET -f loops.awk ops.def special.def [FILE.loops]
#   kind    int, float, complex, cast, special or fused     target   base, avx2 or avx512
#
# Operations whose text is the same share a function, and so do those that are another one with its operands swapped.
# FILE.loops has functions that are written out since the compiler makes slow code of a row. A function faster_NAME_TYPE
# takes the place of NAME's, which it may call. Such a file has parts,
#   %rows WORD1 WORD2 ...     then lines of as many values, the first of which is a dtype's short name or a target
#   %text                     then C, which is printed once for each line with its values in place of the words
# A function between `#if FUSES` and `#endif` is there where the machine multiplies and adds in one instruction.

# ==== Rows of the tables ====

# Splits the arguments of a row at its commas into field[1..n].
function split_row(line,   i, c, depth, quoted, n) {
  line = substr(line, index(line, "(") + 1)
  n = 1; field[1] = ""; depth = 0; quoted = 0
  for (i = 1; i <= length(line); i++) {
    c = substr(line, i, 1)
    if (c == "\\" && quoted) { field[n] = field[n] c substr(line, ++i, 1); continue }
    if (c == "\"") quoted = !quoted
    else if (!quoted && c == "(") depth++
    else if (!quoted && c == ")" && depth-- == 0) break
    if (c == "," && !quoted && depth == 0) field[++n] = ""
    else field[n] = field[n] c
  }
  for (i = 1; i <= n; i++) { sub(/^ +/, "", field[i]); sub(/ +$/, "", field[i]) }
  return n
}

# The dtypes of the operands, in parentheses, into taken[name, 1..].
function keep_operands(name, list,   part, n, k) {
  gsub(/[() ]/, "", list)
  n = split(list, part, ",")
  for (k = 1; k <= n; k++) taken[name, k] = part[k]
  arity[name] = n
}

function keep(name, out) { names[++nname] = name; keep_operands(name, field[3]); gives[name] = out }

# ==== Dtypes ====

function define(suffix, ctype, real, column) {
  ctypes[suffix] = ctype; reals[suffix] = real; columns[suffix] = column
}

function c_type(sig, suffix) {
  if (sig == "T") return ctypes[suffix]
  if (sig == "REAL") return reals[suffix]
  return sig == "INT32" ? "int32_t" : sig == "INT64" ? "int64_t" : "uint8_t"
}

# ==== Text ====

# The text with words replaced: by[word] of those in `by`.
function replaced(text, by,   out, word) {
  out = ""
  while (match(text, /[A-Za-z_][A-Za-z_0-9]*/)) {
    word = substr(text, RSTART, RLENGTH)
    out = out substr(text, 1, RSTART - 1) (word in by ? by[word] : word)
    text = substr(text, RSTART + RLENGTH)
  }
  return out text
}

function has_word(text, word) { return (" " text " ") ~ ("[^A-Za-z_0-9]" word "[^A-Za-z_0-9]") }

function head(name) {
  return "static __attribute__((noinline)) void " name \
    "(void *r_, const void *x_, const void *y_, const void *z_, const void *w_, int n)"
}

# A function that takes its operands from arrays; `types` has their types by place, "" where one is not read.
function print_loop(name, types, out, body,   k, letter) {
  print head(name) " {"
  for (k = 1; k <= 4; k++) {
    letter = substr("xyzw", k, 1)
    if (types[k] != "") print "  const " types[k] " *" letter "s = " letter "_;"
  }
  print "  " out " *r = r_;"
  print "  EACH_ELEMENT {"
  for (k = 1; k <= 4; k++) {
    letter = substr("xyzw", k, 1)
    if (types[k] != "") print "    " types[k] " " letter " = " letter "s[i];"
  }
  print "    r[i] = " body ";\n  }\n}\n"
}

# The same where operand `one`, x or y, has one value.
function print_single(name, suffix, body, one,   type) {
  type = ctypes[suffix]
  print head("single_" one "_" name "_" suffix) " {"
  print "  const " type " *xs = x_, *ys = y_;\n  " type " *r = r_;\n  const " type " " one " = " one "s[0];"
  print "  EACH_ELEMENT {\n    " type " " (one == "x" ? "y = ys" : "x = xs") "[i];\n    r[i] = " body ";\n  }\n}\n"
}

# The operations of floats that the machine has: no others gain from it.
function print_singles(   s, k, o, one) {
  for (o = 0; o < 2; o++)
    for (s = 1; s <= n; s++)
      for (k = 1; k <= nname; k++)
        if (bodies[names[k], "f"] ~ /^x [-+*\/] y$/)
          print_single(names[k], suffixes[s], bodies[names[k], "f"], o ? "y" : "x")
  print "ma_loop *const ma_single_loops_" target "[2][" n "][MA_NOP] = {"
  for (o = 0; o < 2; o++) {
    one = o ? "y" : "x"
    print "  {"
    for (s = 1; s <= n; s++) {
      print "    {"
      for (k = 1; k <= nname; k++)
        if (bodies[names[k], "f"] ~ /^x [-+*\/] y$/)
          print "      [MA_OP_" names[k] "] = single_" one "_" names[k] "_" suffixes[s] ","
      print "    },"
    }
    print "  },"
  }
  print "};"
}

# x > y is y < x, and so may a call be another operation's with its operands swapped.
function swapped(body,   by) {
  by["x"] = "y"; by["y"] = "x"
  if (body ~ /^x >=? y$/) { sub(/>/, "<", body); return body }
  return replaced(body, by)
}

function print_operation(name, suffix, body,   by, types, key, other, k, letter, out) {
  by["T"] = ctypes[suffix]; by["REAL"] = reals[suffix]
  body = replaced(body, by)
  out = c_type(gives[name], suffix)
  key = suffix ": " out
  for (k = 1; k <= 4; k++) {
    letter = substr("xyzw", k, 1)
    types[k] = k <= arity[name] && has_word(body, letter) ? c_type(taken[name, k], suffix) : ""
    key = key " " types[k]
  }
  other = key " = " swapped(body)
  key = key " = " body
  if (key in made) { entry[name, suffix] = made[key]; return }
  entry[name, suffix] = made[key] = name "_" suffix
  if (arity[name] == 2 && other in made) {
    print head(name "_" suffix) " {\n  " made[other] "(r_, y_, x_, z_, w_, n);\n}\n"
  } else print_loop(name "_" suffix, types, out, body)
}

# ==== Functions that are written out ====

function take_function(line,   name) {
  if (line !~ /^static void faster_/) return
  name = line
  sub(/^static void faster_/, "", name); sub(/\(.*/, "", name)
  faster[name] = condition
}

function print_rows(text, nrow, row, nword, word,   r, k, value, lines, n, l) {
  for (r = 1; r <= nrow; r++) {
    split(row[r], value, " ")
    if (value[1] != target && !(value[1] in ctypes)) continue
    n = split(text, lines, "\n")
    for (l = 1; l < n; l++) {
      for (k = 1; k <= nword; k++) gsub(word[k], value[k], lines[l])
      condition = lines[l] ~ /^#if FUSES/ ? "FUSES" : lines[l] ~ /^#endif/ ? "" : condition
      take_function(lines[l])
      written = written lines[l] "\n"
    }
    written = written "\n"
  }
}

function read_written(file,   line, text, nrow, row, nword, word, reading) {
  text = ""; nrow = 0; reading = ""
  while ((getline line < file) > 0) {
    if (line ~ /^%rows/) {
      if (reading == "text") print_rows(text, nrow, row, nword, word)
      sub(/^%rows +/, "", line)
      nword = split(line, word, " "); nrow = 0; text = ""; reading = "rows"
    } else if (line ~ /^%text/) reading = "text"
    else if (reading == "rows" && line != "") row[++nrow] = line
    else if (reading == "text") text = text line "\n"
  }
  close(file)
  if (reading == "text") print_rows(text, nrow, row, nword, word)
}

# ==== Casts ====

function is_whole(t) { return t ~ /^[iu]/ }
function size_of(t) { return substr(t, 2) + 0 }

# The cast whose loop serves: neither the sign of a result nor that of an operand as wide as it changes a bit, and
# 16-bit floats hold all integers of 8 bits.
function cast_name(from, to) {
  if (is_whole(from) && is_whole(to)) {
    if (size_of(to) <= size_of(from)) from = "i" size_of(from)
    to = "i" size_of(to)
  } else if (is_whole(from) && to == "b1") from = "i" size_of(from)
  else if (from ~ /^[iu]1$/ && (to == "f2" || to == "bf")) to = "f4"
  return from "_" to
}

function print_cast(from, to,   types) {
  if (cast_name(from, to) != from "_" to) return
  types[1] = ctypes[from]
  print_loop(from "_" to, types, ctypes[to], "ma_to_" to "(x)")
}

function print_casts(   nf, nt, from, to, dtype, i, k) {
  nf = split("i1 i2 i4 i8 u1 u2 u4 u8 f4 f8 c8 c16", from, " ")
  nt = split("b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 bf f4 f8 c8 c16", to, " ")
  split("BOOL INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 FLOAT16 BFLOAT16 FLOAT32 FLOAT64 COMPLEX64 COMPLEX128",
        dtype, " ")
  for (i = 1; i <= nf; i++) for (k = 1; k <= nt; k++) print_cast(from[i], to[k])
  print "ma_loop *const ma_cast_loops_" target "[MA_NCAST_FROM][MA_NDTYPE] = {"
  for (i = 1; i <= nf; i++) {
    print "  {"
    for (k = 1; k <= nt; k++) print "    [MA_" dtype[k] "] = " cast_name(from[i], to[k]) ","
    print "  },"
  }
  print "};\n"
}

# ==== The file ====

function print_head() {
  print "/* Printed by scripts/loops.awk from kernels/ops.def: " kind " loops for " target ". */"
  if (kind == "cast") print "#if defined(__x86_64__) && defined(__GNUC__)\n#include <immintrin.h>\n#endif"
  print "#include <float.h>\n#include <string.h>\n#include \"cpu/map/loops.h\"\n"
  if (target != "base" || kind == "fused") print "#ifdef MA_MANY_TARGETS"
  if (kind == "fused") print "#define FUSED"
  print "#define TARGET_" (kind == "fused" ? kind : target) "\n#include \"cpu/map/target.h\"\n"
  if (is_special) print "#include \"cpu/map/special.h\"\n"
}

function print_plain(suffix,   k, name, body, at) {
  for (k = 1; k <= nname; k++) {
    name = names[k]
    body = bodies[name, columns[suffix]]
    if (body == "NO" || body == "") continue
    if (suffix ~ /^u/ && signless[name]) continue
    at = name "_" suffix
    if (at in faster && !has_word(written, at)) {
      if (faster[at] == "") continue
      print "#if !" faster[at]
      print_operation(name, suffix, body)
      print "#endif\n"
    } else print_operation(name, suffix, body)
  }
}

function print_table(suffix,   k, name, at, plain) {
  print "  { /* " ctypes[suffix] " */"
  for (k = 1; k <= nname; k++) {
    name = names[k]
    at = name "_" suffix
    plain = (name, suffix) in entry ? "    [MA_OP_" name "] = " entry[name, suffix] "," : ""
    if (!(at in faster)) { if (plain != "") print plain }
    else if (faster[at] == "") print "    [MA_OP_" name "] = faster_" at ","
    else print "#if " faster[at] "\n    [MA_OP_" name "] = faster_" at ",\n#else\n" plain "\n#endif"
  }
  print "  },"
}

BEGIN {
  is_special = kind == "special" || kind == "fused"
  if (kind == "int" || kind == "cast") {
    define("b1", "uint8_t", "uint8_t", "b")
    for (k = 1; k <= 8; k *= 2) {
      define("i" k, "int" 8 * k "_t", "int" 8 * k "_t", "i")
      define("u" k, "uint" 8 * k "_t", "uint" 8 * k "_t", "u")
    }
  }
  if (kind != "int" && kind != "complex") { define("f4", "float", "float", "f"); define("f8", "double", "double", "f") }
  if (kind != "int" && kind != "float" && kind != "fused") {
    define("c8", "ma_c64", "float", "c"); define("c16", "ma_c128", "double", "c")
  }
  if (kind == "cast") { ctypes["f2"] = "float"; ctypes["bf"] = "float" }
}

FILENAME ~ /\.loops$/ { file = FILENAME; next }

/^OP\(/ && !is_special {
  split_row($0)
  name = field[1]
  keep(name, field[4])
  signless[name] = has_word(field[6], "SIGNLESS")
  bodies[name, "b"] = field[7]; bodies[name, "i"] = field[8]; bodies[name, "u"] = field[9]
  bodies[name, "f"] = field[10]; bodies[name, "c"] = field[11]
}

/^SPECIAL\(/ && is_special {
  split_row($0)
  name = field[1]
  keep(name, "T")
  bodies[name, "f"] = field[7]; bodies[name, "c"] = field[8]
}

END {
  print_head()
  if (file != "") read_written(file)
  if (kind == "cast") {
    print_casts()
    printf "%s", written
  }
  else {
    n = split(kind == "int" ? "b1 i1 i2 i4 i8 u1 u2 u4 u8" : kind == "complex" ? "c8 c16" : \
              kind == "special" ? "f4 f8 c8 c16" : "f4 f8", suffixes, " ")
    for (s = 1; s <= n; s++) print_plain(suffixes[s])
    printf "%s", written
    print "ma_loop *const ma_" kind "_loops" (is_special ? "" : "_" target) "[" n "][MA_NOP] = {"
    for (s = 1; s <= n; s++) print_table(suffixes[s])
    print "};"
    if (kind == "float") print_singles()
  }
  if (target != "base" || kind == "fused") print "#define TARGET_end\n#include \"cpu/map/target.h\"\n#endif"
}
