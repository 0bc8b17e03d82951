/* text.c: numbers as text. A file is read in one pass without a copy of the whole. Values are exact: a decimal
** fraction of up to 19 digits is computed directly if that rounds correctly (Clinger); else ma_strtod computes it. */
#include "base/number.h"
#include "ops/ops.h"
#include "files/files.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ==== One number ==== */

/* Reads a real number at *p and moves past it. */
static bool take_real(const char **p, double *value) {
  static const double ten[23] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
  const char *s = *p;
  bool minus = *s == '-';
  if (*s == '-' || *s == '+') s++;
  uint64_t mantissa = 0;
  int digits = 0, exponent = 0;
  for (; *s >= '0' && *s <= '9'; s++, digits++) mantissa = mantissa * 10 + (uint64_t)(*s - '0');
  if (*s == '.')
    for (s++; *s >= '0' && *s <= '9'; s++, digits++, exponent--) mantissa = mantissa * 10 + (uint64_t)(*s - '0');
  bool plain = digits > 0 && digits <= 19 && *s != 'x' && *s != 'X';
  if (plain && (*s == 'e' || *s == 'E')) {
    const char *e = s + 1;
    bool down = *e == '-';
    int by = 0;
    if (*e == '-' || *e == '+') e++;
    plain = *e >= '0' && *e <= '9';
    for (; *e >= '0' && *e <= '9'; e++)
      if (by < 1000) by = by * 10 + (*e - '0');
    exponent += down ? -by : by;
    s = e;
  }
  if (plain && mantissa <= 1ull << 53 && exponent >= -22 && exponent <= 22) {
    double v = (double)mantissa;
    v = exponent < 0 ? v / ten[-exponent] : v * ten[exponent];
    *value = minus ? -v : v;
    *p = s;
    return true;
  }
  char *end;
  *value = ma_strtod(*p, &end);
  if (end == *p) return false;
  *p = end;
  return true;
}

/* Reads an integer of 64 bits; one that does not fit is not a number of that dtype. */
static bool take_whole(const char **p, bool is_signed, ma_value *value) {
  const char *s = *p;
  bool minus = *s == '-';
  if (*s == '-' || *s == '+') s++;
  if (*s < '0' || *s > '9') return false;
  uint64_t v = 0;
  for (; *s >= '0' && *s <= '9'; s++)
    if (__builtin_mul_overflow(v, 10u, &v) || __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v)) return false;
  if (is_signed) {
    if (v > (uint64_t)INT64_MAX + minus) return false;
    value->i = minus ? (int64_t)(0 - v) : (int64_t)v;
  } else {
    if (minus && v > 0) return false;
    value->u = v;
  }
  *p = s;
  return true;
}

/* Reads "1.5", "2j", "1+2j", "(1+2j)", as NumPy and Python write them. */
static bool take_complex(const char **p, ma_c128 *value) {
  bool parenthesis = **p == '(';
  double first, second;
  if (parenthesis) (*p)++;
  if (!take_real(p, &first)) return false;
  *value = (ma_c128){ first, 0 };
  if (**p == 'j' || **p == 'i') {
    *value = (ma_c128){ 0, first };
    (*p)++;
  } else if (**p == '+' || **p == '-') {
    if ((*p)[1] == '-') (*p)++; /* "1+-2j", as "%g+%gj" writes it */
    if (!take_real(p, &second) || (**p != 'j' && **p != 'i')) return false;
    (*p)++;
    value->im = second;
  }
  if (parenthesis && *(*p)++ != ')') return false;
  return true;
}

static bool take_bool(const char **p, ma_value *value) {
  static const struct {
    const char *word;
    int value;
  } words[] = { { "True", 1 }, { "False", 0 }, { "true", 1 }, { "false", 0 } };
  for (int i = 0; i < 4; i++) {
    size_t n = strlen(words[i].word);
    if (strncmp(*p, words[i].word, n) != 0) continue;
    value->u = (uint64_t)words[i].value;
    *p += n;
    return true;
  }
  double v;
  if (!take_real(p, &v)) return false;
  value->u = v != 0;
  return true;
}

static bool in_range(ma_value value, ma_dtype dtype) {
  int bits = ma_dtypes[dtype].itemsize * 8;
  if (bits == 64) return true;
  if (ma_dtypes[dtype].kind == MA_KIND_UNSIGNED) return value.u < 1ull << bits;
  return value.i >= -(1ll << (bits - 1)) && value.i < 1ll << (bits - 1);
}

bool ma_text_parse(const char *p, const char *end, ma_dtype dtype, ma_value *value) {
  bool good = false;
  switch (ma_dtypes[dtype].kind) {
  case MA_KIND_BOOL: good = take_bool(&p, value); break;
  case MA_KIND_SIGNED: good = take_whole(&p, true, value) && in_range(*value, dtype); break;
  case MA_KIND_UNSIGNED: good = take_whole(&p, false, value) && in_range(*value, dtype); break;
  case MA_KIND_FLOAT: good = take_real(&p, &value->c.re); break;
  default: good = take_complex(&p, &value->c); break;
  }
  return good && p == end;
}

/* ==== Lines ==== */

typedef struct reader {
  ma_source *source;
  const ma_text_options *options;
  char *buffer;
  size_t at, end, room;
  int64_t line; /* 1-based number of the line that was returned last */
  bool ended;
} reader;

static ma_status no_memory(size_t nbytes) {
  return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for text", nbytes);
}

/* Returns the next line, with a 0 in place of its line end; NULL after the last. */
static ma_status next_line(reader *r, char **line, char **line_end) {
  size_t seen = r->at;
  *line = NULL;
  for (;;) {
    char *found = seen < r->end ? memchr(r->buffer + seen, '\n', r->end - seen) : NULL;
    if (!found && r->ended && r->at < r->end) found = r->buffer + r->end;
    if (found) {
      *line = r->buffer + r->at;
      r->at = (size_t)(found - r->buffer) + 1;
      if (found > *line && found[-1] == '\r') found--;
      *found = 0;
      *line_end = found;
      r->line++;
      return MA_OK;
    }
    if (r->ended) return MA_OK;
    seen = r->end - r->at;
    if (r->at > 0) memmove(r->buffer, r->buffer + r->at, seen);
    r->at = 0;
    r->end = seen;
    if (r->room - r->end < 1 << 15) {
      size_t room = r->room ? r->room * 2 : 1 << 17;
      char *grown = realloc(r->buffer, room + 1); /* the last line may need a 0 behind it */
      if (!grown) return no_memory(room);
      r->buffer = grown;
      r->room = room;
    }
    size_t got;
    MA_TRY(ma_source_read(r->source, r->buffer + r->end, r->room - r->end, &got));
    if (r->line == 0 && r->end == 0 && got >= 3 && memcmp(r->buffer, "\xef\xbb\xbf", 3) == 0) r->at = seen = 3;
    r->end += got;
    r->ended = got == 0;
  }
}

/* Where the comment begins; NULL: there is none. */
static char *find_comment(char *line, const char *mark, char quote) {
  if (!quote) return strstr(line, mark);
  bool within = false;
  for (size_t n = strlen(mark); *line; line++) {
    if (*line == quote) within = !within;
    if (!within && strncmp(line, mark, n) == 0) return line;
  }
  return NULL;
}

/* Removes a comment, and white space at both ends. */
static void trim(const ma_text_options *options, char **line, char **end) {
  for (int i = 0; i < options->ncomment; i++) {
    char *cut = find_comment(*line, options->comments[i], options->quote);
    if (cut) *(*end = cut) = 0;
  }
  while (*end > *line && isspace((unsigned char)(*end)[-1]) && (*end)[-1] != options->delimiter) *--*end = 0;
  while (isspace((unsigned char)**line) && **line != options->delimiter) (*line)++;
}

/* ==== Rows ==== */

typedef struct rows {
  ma_text *text;
  size_t used, room; /* elements */
  int64_t fields;    /* fields in a line of the file; -1: unknown */
  int64_t *pick;     /* by 0-based field: its column, or -1; NULL: all fields */
} rows;

static ma_status grow(rows *rows, size_t more, size_t itemsize) {
  if (rows->used + more <= rows->room) return MA_OK;
  size_t room = rows->room * 2 > rows->used + more ? rows->room * 2 : rows->used + more + 1024;
  void *grown = realloc(rows->text->values, room * itemsize);
  if (!grown) return no_memory(room * itemsize);
  rows->text->values = grown;
  rows->room = room;
  return MA_OK;
}

const char *ma_text_field(const char *p, char delimiter, char quote) {
  const char *start = p;
  while (quote && *start != delimiter && isspace((unsigned char)*start)) start++;
  if (quote && *start == quote) {
    for (p = start + 1; *p && (*p != quote || p[1] == quote); p++) p += *p == quote;
    p += *p == quote;
  }
  if (delimiter) {
    while (*p && *p != delimiter) p++;
    return p;
  }
  while (*p && !isspace((unsigned char)*p)) p++;
  return p;
}

static char *field_end(char *p, const ma_text_options *options) {
  return (char *)ma_text_field(p, options->delimiter, options->quote);
}

static char *field_next(char *end, char delimiter) {
  if (*end) end++;
  if (!delimiter)
    while (isspace((unsigned char)*end)) end++;
  return end;
}

static int64_t count_fields(char *p, const ma_text_options *options) {
  int64_t n = 1;
  for (p = field_end(p, options); *p; p = field_end(field_next(p, options->delimiter), options)) n++;
  return n;
}

/* The first row sets the number of fields, and which field becomes which column. */
static ma_status choose_columns(rows *rows, const ma_text_options *options, int64_t fields) {
  rows->fields = fields;
  rows->text->columns = options->columns ? options->ncolumn : fields;
  if (!options->columns) return MA_OK;
  rows->pick = malloc((size_t)options->ncolumn * sizeof *rows->pick);
  if (!rows->pick) return no_memory((size_t)options->ncolumn * sizeof *rows->pick);
  for (int i = 0; i < options->ncolumn; i++) {
    int64_t column = options->columns[i] < 0 ? options->columns[i] + fields : options->columns[i] - 1;
    if (options->columns[i] == 0 || column < 0 || column >= fields)
      return ma_fail(MA_ERR_INDEX, "usecols has %lld; the file has columns 1 to %lld", (long long)options->columns[i],
                     (long long)fields);
    rows->pick[i] = column;
  }
  return MA_OK;
}

static void strip(char **p, char **end) {
  while (*p < *end && isspace((unsigned char)**p)) (*p)++;
  while (*end > *p && isspace((unsigned char)(*end)[-1])) (*end)--;
}

/* Stores one field as element `at`; `field` and the line are for messages. */
static ma_status store(const reader *r, rows *rows, char *p, char *end, size_t at, int64_t field) {
  const ma_text_options *options = r->options;
  ma_value value = { 0 };
  strip(&p, &end);
  if (options->quote && end - p >= 2 && *p == options->quote && end[-1] == *p) {
    p++;
    end--;
    strip(&p, &end);
  }
  char keep = *end;
  *end = 0;
  bool good = ma_text_parse(p, end, options->dtype, &value);
  if (!good && options->missing) {
    value = options->fill;
    good = true;
  }
  ma_status status = MA_OK;
  if (!good)
    status = ma_fail(MA_ERR_VALUE, "line %lld, column %lld: '%.40s' is no %s", (long long)r->line, (long long)field, p,
                     ma_dtypes[options->dtype].name);
  *end = keep;
  if (!good) return status;
  if (options->dtype == MA_FLOAT64) ((double *)rows->text->values)[at] = value.c.re;
  else if (options->dtype == MA_INT64) ((int64_t *)rows->text->values)[at] = value.i;
  else ma_value_store((char *)rows->text->values + at * ma_dtypes[options->dtype].itemsize, options->dtype, value);
  return MA_OK;
}

static ma_status add_row(const reader *r, rows *rows, char *line) {
  const ma_text_options *options = r->options;
  int64_t fields = count_fields(line, options);
  if (options->flat && fields > 1 && options->delimiter) { /* a delimiter at the end of a line starts no value */
    const char *tail = strrchr(line, options->delimiter) + 1;
    while (isspace((unsigned char)*tail)) tail++;
    fields -= *tail == 0;
  }
  if (rows->fields < 0) MA_TRY(choose_columns(rows, options, options->flat ? 1 : fields));
  if (!options->flat && fields != rows->fields)
    return ma_fail(MA_ERR_VALUE, "line %lld has %lld columns; the lines before it have %lld", (long long)r->line,
                   (long long)fields, (long long)rows->fields);
  MA_TRY(grow(rows, (size_t)(options->flat ? fields : rows->text->columns), ma_dtypes[options->dtype].itemsize));
  char *p = line;
  for (int64_t field = 0; field < fields; field++) {
    char *end = field_end(p, options);
    if (!rows->pick) MA_TRY(store(r, rows, p, end, rows->used++, field + 1));
    else
      for (int i = 0; i < options->ncolumn; i++)
        if (rows->pick[i] == field) MA_TRY(store(r, rows, p, end, rows->used + (size_t)i, field + 1));
    p = field_next(end, options->delimiter);
  }
  if (rows->pick) rows->used += (size_t)options->ncolumn;
  rows->text->rows += options->flat ? fields : 1;
  return MA_OK;
}

static ma_status take_names(reader *r, ma_text *text) {
  char *line, *end;
  do {
    MA_TRY(next_line(r, &line, &end));
    if (!line) return ma_fail(MA_ERR_VALUE, "the file has no line of names");
    for (int i = 0; i < r->options->ncomment; i++) {
      size_t n = strlen(r->options->comments[i]);
      while (isspace((unsigned char)*line)) line++;
      if (n > 0 && strncmp(line, r->options->comments[i], n) == 0) line += n;
    }
    trim(&(ma_text_options){ .ncomment = 0 }, &line, &end);
  } while (!*line);
  text->names = strdup(line);
  return text->names ? MA_OK : no_memory(strlen(line));
}

static ma_status read_rows(reader *r, rows *rows) {
  const ma_text_options *options = r->options;
  char *line, *end;
  while (r->line < options->skip) {
    MA_TRY(next_line(r, &line, &end));
    if (!line) return MA_OK;
  }
  if (options->names) MA_TRY(take_names(r, rows->text));
  while (options->max_rows < 0 || rows->text->rows < options->max_rows) {
    MA_TRY(next_line(r, &line, &end));
    if (!line) return MA_OK;
    trim(options, &line, &end);
    if (*line) MA_TRY(add_row(r, rows, line));
  }
  return MA_OK;
}

ma_status ma_text_read(ma_text *text, ma_source *source, const ma_text_options *options) {
  reader r = { .source = source, .options = options };
  rows rows = { .text = text, .fields = -1 };
  *text = (ma_text){ 0 };
  if (source->file) source->left = INT64_MAX; /* read to the end: some files of the system report no size */
  ma_status status = read_rows(&r, &rows);
  free(r.buffer);
  free(rows.pick);
  if (status != MA_OK) ma_text_free(text);
  return status;
}

void ma_text_free(ma_text *text) {
  free(text->values);
  free(text->names);
  *text = (ma_text){ 0 };
}

/* ==== Writing ==== */

/* Accepts "%-08.3f" and the like: one conversion of a known letter, with short numbers. */
bool ma_text_check_spec(const char *spec, size_t length) {
  size_t i = 1;
  if (length < 2 || spec[0] != '%' || memchr(spec, 0, length)) return false;
  while (i < length && strchr("-+ #0", spec[i])) i++;
  for (int digits = 0; i < length && isdigit((unsigned char)spec[i]); i++)
    if (++digits > 2) return false;
  if (i < length && spec[i] == '.') {
    i++;
    for (int digits = 0; i < length && isdigit((unsigned char)spec[i]); i++)
      if (++digits > 2) return false;
  }
  return i + 1 == length && strchr("diouxXeEfFgGs", spec[i]) != NULL;
}

/* The fewest digits that read back to the same value. */
static int shortest(char *out, double v, ma_dtype dtype) {
  if (isnan(v)) return sprintf(out, "nan");
  if (isinf(v)) return sprintf(out, v < 0 ? "-inf" : "inf");
  bool narrow = dtype == MA_FLOAT32 || dtype == MA_COMPLEX64 || dtype == MA_FLOAT16 || dtype == MA_BFLOAT16;
  int n = 0;
  for (int digits = narrow ? 1 : 15; digits <= 17; digits++) {
    n = ma_print(out, 40, "%.*g", digits, v);
    double back = ma_strtod(out, NULL);
    if (narrow ? (float)back == (float)v : back == v) break;
  }
  return n;
}

static int format_real(char *out, double v, const char *spec) {
  char letter = spec[strlen(spec) - 1];
  if (strchr("diouxX", letter)) {
    char wide[24];
    size_t n = strlen(spec) - 1;
    memcpy(wide, spec, n);
    memcpy(wide + n, "ll", 2);
    wide[n + 2] = letter;
    wide[n + 3] = 0;
    double limit = 9223372036854775808.0;
    return snprintf(out, MA_TEXT_VALUE, wide, v >= limit ? INT64_MAX : v >= -limit ? (long long)v : INT64_MIN);
  }
  return ma_print(out, MA_TEXT_VALUE, spec, isnan(v) ? fabs(v) : v);
}

static int format_whole(char *out, ma_value value, bool is_signed, const char *spec) {
  char letter = spec[strlen(spec) - 1], wide[24];
  if (!strchr("diouxX", letter)) return format_real(out, is_signed ? (double)value.i : (double)value.u, spec);
  size_t n = strlen(spec) - 1;
  memcpy(wide, spec, n);
  memcpy(wide + n, "ll", 2);
  wide[n + 2] = !is_signed && (letter == 'd' || letter == 'i') ? 'u' : letter;
  wide[n + 3] = 0;
  return snprintf(out, MA_TEXT_VALUE, wide, value.u);
}

int ma_text_value(char *out, ma_value value, ma_dtype dtype, const char *spec) {
  ma_kind kind = ma_dtypes[dtype].kind;
  char plain[MA_TEXT_VALUE];
  bool text = spec && spec[strlen(spec) - 1] == 's';
  char *to = text ? plain : out;
  int n = 0;
  if (!spec || text) {
    switch (kind) {
    case MA_KIND_BOOL: n = sprintf(to, value.u ? "True" : "False"); break;
    case MA_KIND_SIGNED: n = sprintf(to, "%lld", (long long)value.i); break;
    case MA_KIND_UNSIGNED: n = sprintf(to, "%llu", (unsigned long long)value.u); break;
    case MA_KIND_FLOAT: n = shortest(to, value.c.re, dtype); break;
    default:
      n = sprintf(to, "(");
      n += shortest(to + n, value.c.re, dtype);
      if (!signbit(value.c.im) || isnan(value.c.im)) to[n++] = '+';
      n += shortest(to + n, value.c.im, dtype);
      n += sprintf(to + n, "j)");
    }
    return text ? snprintf(out, MA_TEXT_VALUE, spec, plain) : n;
  }
  if (kind == MA_KIND_SIGNED) return format_whole(out, value, true, spec);
  if (kind == MA_KIND_BOOL || kind == MA_KIND_UNSIGNED) return format_whole(out, value, false, spec);
  if (kind == MA_KIND_FLOAT) return format_real(out, value.c.re, spec);
  n = snprintf(out, MA_TEXT_VALUE, "("); /* NumPy's " (re+imj)" without the leading space */
  n += format_real(out + n, value.c.re, spec);
  if (!signbit(value.c.im) || isnan(value.c.im)) out[n++] = '+';
  n += format_real(out + n, value.c.im, spec);
  return n + sprintf(out + n, "j)");
}
