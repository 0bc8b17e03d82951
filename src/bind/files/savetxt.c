/* savetxt.c: rows of numbers as text. */
#include "bind/files/files.h"

#include <string.h>

#define MAX_SPECS 256

/* The format of a row: texts, each followed by a conversion except the last. */
typedef struct row_format {
  int nspec;
  bool whole; /* the texts are the whole row; else `delimiter` separates the fields */
  char spec[MAX_SPECS][16];
  const char *text[MAX_SPECS + 1];
  size_t length[MAX_SPECS + 1];
} row_format;

static void bad_format(lua_State *L, const char *format) {
  ma_lua_fail(L, "the format '%.60s'; wanted conversions for numbers, such as '%%.18e' or '%%d'", format);
}

/* Splits `format` at its conversions. "%%" is kept as two characters, and written as one. */
static void parse_format(lua_State *L, const char *format, row_format *row) {
  const char *p = format, *start = format;
  for (row->nspec = 0; *p;) {
    if (p[0] == '%' && p[1] == '%') {
      p += 2;
      continue;
    }
    if (*p != '%') {
      p++;
      continue;
    }
    size_t n = 1 + strspn(p + 1, "-+ #0123456789.") + 1;
    if (row->nspec == MAX_SPECS || n > 15 || strnlen(p, n) < n || !ma_text_check_spec(p, n)) bad_format(L, format);
    row->text[row->nspec] = start;
    row->length[row->nspec] = (size_t)(p - start);
    memcpy(row->spec[row->nspec], p, n);
    row->spec[row->nspec++][n] = 0;
    start = p += n;
  }
  row->text[row->nspec] = start;
  row->length[row->nspec] = (size_t)(p - start);
  if (row->nspec == 0) bad_format(L, format);
}

static void check_format(lua_State *L, int index, int64_t columns, row_format *row) {
  memset(row, 0, sizeof *row);
  if (lua_type(L, index) == LUA_TTABLE) {
    row->nspec = (int)lua_objlen(L, index);
    if (row->nspec > MAX_SPECS || row->nspec != columns)
      ma_lua_fail(L, "fmt has %d formats; x has %lld columns", row->nspec, (long long)columns);
    for (int i = 0; i < row->nspec; i++) {
      size_t length = 0;
      lua_rawgeti(L, index, i + 1);
      const char *spec = lua_type(L, -1) == LUA_TSTRING ? lua_tolstring(L, -1, &length) : "";
      if (length > 15 || !ma_text_check_spec(spec, length)) bad_format(L, spec);
      memcpy(row->spec[i], spec, length + 1);
      row->text[i] = "";
      lua_pop(L, 1);
    }
    row->text[row->nspec] = "";
    return;
  }
  if (!lua_isnil(L, index)) ma_lua_checkstring(L, index);
  const char *format = lua_isnil(L, index) ? "%.18e" : lua_tostring(L, index);
  if (!lua_isnil(L, index) && strlen(format) != lua_objlen(L, index))
    ma_lua_fail(L, "the format '%.60s' goes on behind a zero byte; wanted one without", format);
  parse_format(L, format, row);
  row->whole = row->nspec > 1;
  if (row->whole && row->nspec != columns)
    ma_lua_fail(L, "fmt has %d conversions; x has %lld columns", row->nspec, (long long)columns);
}

static ma_status put_literal(ma_output *out, const char *text, size_t length) {
  for (size_t i = 0; i < length; i++) {
    MA_TRY(ma_output_put(out, text + i, 1));
    if (text[i] == '%') i++;
  }
  return MA_OK;
}

/* A text of the user's, with any bytes. */
typedef struct piece {
  const char *text;
  size_t length;
} piece;

static ma_status put_piece(ma_output *out, piece p) { return ma_output_put(out, p.text, p.length); }

/* Writes text of several lines, each after `comments`. */
static ma_status put_comment(ma_output *out, piece given, piece comments, piece newline) {
  const char *text = given.text;
  if (given.length == 0) return MA_OK;
  for (const char *end = text + given.length;;) {
    const char *stop = memchr(text, '\n', (size_t)(end - text));
    if (!stop) stop = end;
    MA_TRY(put_piece(out, comments));
    MA_TRY(ma_output_put(out, text, (size_t)(stop - text)));
    if (stop == end) return put_piece(out, newline);
    MA_TRY(ma_output_put(out, "\n", 1));
    text = stop + 1;
  }
}

static ma_status put_rows(ma_output *out, const char *host, ma_dtype dtype, int64_t rows, int64_t columns,
                          const row_format *format, piece delimiter, piece newline) {
  char text[MA_TEXT_VALUE * 2];
  size_t itemsize = ma_dtypes[dtype].itemsize;
  for (int64_t i = 0; i < rows; i++) {
    for (int64_t j = 0; j < columns; j++, host += itemsize) {
      int k = format->nspec > 1 ? (int)j : 0;
      if (j > 0 && !format->whole) MA_TRY(put_piece(out, delimiter));
      MA_TRY(put_literal(out, format->text[k], format->length[k]));
      MA_TRY(ma_output_put(out, text, (size_t)ma_text_value(text, ma_value_load(host, dtype), dtype, format->spec[k])));
      if (!format->whole || j + 1 == columns)
        MA_TRY(put_literal(out, format->text[format->nspec], format->length[format->nspec]));
    }
    MA_TRY(put_piece(out, newline));
  }
  return MA_OK;
}

static piece opt_text(lua_State *L, int index, const char *fallback) {
  piece p = { fallback, strlen(fallback) };
  if (lua_isnil(L, index)) return p;
  ma_lua_checkstring(L, index);
  p.text = lua_tolstring(L, index, &p.length);
  return p;
}

static int files_savetxt(lua_State *L) {
  enum { FILE_ = 1, X, FMT, DELIMITER, NEWLINE, HEADER, FOOTER, COMMENTS };
  ma_array *x = ma_lua_asarray(L, X, MA_NDTYPE);
  if (x->ndim > 2) ma_lua_fail(L, "x has %d axes; a text file has rows and columns", x->ndim);
  int64_t rows = x->ndim > 0 ? x->shape[0] : 1, columns = x->ndim > 1 ? x->shape[1] : 1;
  piece delimiter = opt_text(L, DELIMITER, " "), newline = opt_text(L, NEWLINE, "\n"),
        comments = opt_text(L, COMMENTS, "# ");
  piece header = opt_text(L, HEADER, ""), footer = opt_text(L, FOOTER, "");
  row_format *format = lua_newuserdata(L, sizeof *format);
  check_format(L, FMT, columns, format);
  ma_lua_scratch *s = ma_lua_pushscratch(L);
  const char *host = ma_lua_pushhost(L, x);
  ma_output *out = ma_lua_openoutput(L, FILE_, s, NULL);
  ma_status status = put_comment(out, header, comments, newline);
  if (status == MA_OK) status = put_rows(out, host, (ma_dtype)x->dtype, rows, columns, format, delimiter, newline);
  if (status == MA_OK) status = put_comment(out, footer, comments, newline);
  ma_lua_closewritten(L, FILE_, s, status);
  return 0;
}

static const ma_function functions[] = {
  //> savetxt loadtxt: local name = os.tmpname()
  //>   ma.savetxt(name, {{1, 2}, {3, 4}})
  //>   local a = ma.loadtxt(name)
  //>   os.remove(name)
  //>   return a
  { "savetxt(file: string|file*, x: data, fmt?: string, delimiter?: string, newline?: string, header?: string, "
    "footer?: string, comments?: string)",
    files_savetxt,
    "Writes the rows of x as text. fmt is one format ('%.18e'), one a column in a table, or a whole row's." },
  { NULL, NULL, NULL },
};

void ma_open_savetxt(lua_State *L) { ma_lua_register(L, functions); }
