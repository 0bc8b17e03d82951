/*
** npy.c: NumPy's .npy format, versions 1 to 3: a magic number, the text of a Python dictionary, the elements.
**
** NumPy has no name for bfloat16, so it is stored as raw 2-byte words, "<V2", as ml_dtypes does.
*/
#include "ops/ops.h"
#include "files/files.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC "\x93NUMPY"
#define LONGEST 65536 /* longest header that is read; NumPy's own limit is 10000 */

/* ==== Reading the dictionary: a cursor over text that ends with a zero ==== */

static void skip_space(const char **p) {
  while (**p == ' ' || **p == '\t' || **p == '\n' || **p == '\r') (*p)++;
}

static bool take(const char **p, const char *word) {
  skip_space(p);
  size_t length = strlen(word);
  if (strncmp(*p, word, length) != 0) return false;
  *p += length;
  return true;
}

static bool take_string(const char **p, char *out, size_t size) {
  skip_space(p);
  char quote = **p;
  if (quote != '\'' && quote != '"') return false;
  const char *start = ++*p;
  while (**p && **p != quote) (*p)++;
  size_t length = (size_t)(*p - start);
  if (!**p || length >= size) return false;
  memcpy(out, start, length);
  out[length] = 0;
  (*p)++;
  return true;
}

static bool take_int(const char **p, int64_t *value) {
  skip_space(p);
  if (**p < '0' || **p > '9') return false;
  for (*value = 0; **p >= '0' && **p <= '9'; (*p)++)
    if (__builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, **p - '0', value)) return false;
  if (**p == 'L') (*p)++; /* suffix of Python 2's integers */
  return true;
}

/* Moves behind a text in quotes, or a list or tuple in brackets. */
static bool skip_value(const char **p) {
  int depth = 0;
  char quote = 0;
  for (; **p; (*p)++) {
    char c = **p;
    if (quote) {
      if (c == '\\' && (*p)[1]) (*p)++;
      else if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') quote = c;
    else if (c == '[' || c == '(') depth++;
    else if (c == ']' || c == ')') depth--;
    if (!quote && depth <= 0) {
      (*p)++;
      return depth == 0;
    }
  }
  return false;
}

static ma_status read_descr(const char **p, ma_npy *npy) {
  char text[32];
  skip_space(p);
  const char *start = *p;
  if (take_string(p, text, sizeof text)) {
    npy->swap = text[0] == '>';
    const char *name = text + (strchr("<>|=", text[0]) && text[0] ? 1 : 0);
    for (int i = 0; i < MA_NDTYPE; i++)
      if (strcmp(name, ma_dtypes[i].npy) == 0) {
        npy->dtype = (ma_dtype)i;
        return MA_OK;
      }
  }
  *p = start;
  if (npy->descr || !skip_value(p)) return ma_fail(MA_ERR_IO, "the .npy header is damaged at descr");
  npy->descr = strndup(start, (size_t)(*p - start));
  return npy->descr ? MA_OK : ma_fail(MA_ERR_MEMORY, "out of memory: a dtype of %zu bytes", (size_t)(*p - start));
}

static ma_status read_shape(const char **p, ma_npy *npy) {
  if (!take(p, "(")) return ma_fail(MA_ERR_IO, "the .npy header's shape is damaged");
  for (npy->ndim = 0; !take(p, ")"); npy->ndim++) {
    if (npy->ndim == MA_MAX_NDIM) return ma_fail(MA_ERR_IO, "the .npy header has more than %d axes", MA_MAX_NDIM);
    if (!take_int(p, &npy->shape[npy->ndim])) return ma_fail(MA_ERR_IO, "the .npy header's shape is damaged");
    if (!take(p, ",")) {
      npy->ndim++;
      if (take(p, ")")) return MA_OK;
      return ma_fail(MA_ERR_IO, "the .npy header's shape is damaged");
    }
  }
  return MA_OK;
}

static ma_status read_dictionary(const char *p, ma_npy *npy) {
  enum { DESCR = 1, ORDER = 2, SHAPE = 4 };
  int seen = 0;
  char key[32];
  if (!take(&p, "{")) return ma_fail(MA_ERR_IO, "the .npy header is damaged");
  while (!take(&p, "}")) {
    if (!take_string(&p, key, sizeof key) || !take(&p, ":")) return ma_fail(MA_ERR_IO, "the .npy header is damaged");
    if (strcmp(key, "descr") == 0) {
      MA_TRY(read_descr(&p, npy));
      seen |= DESCR;
    } else if (strcmp(key, "fortran_order") == 0) {
      npy->fortran = take(&p, "True");
      if (!npy->fortran && !take(&p, "False")) return ma_fail(MA_ERR_IO, "the .npy header is damaged at fortran_order");
      seen |= ORDER;
    } else if (strcmp(key, "shape") == 0) {
      MA_TRY(read_shape(&p, npy));
      seen |= SHAPE;
    } else return ma_fail(MA_ERR_IO, "the .npy header has the unknown key '%s'", key);
    if (!take(&p, ",")) {
      if (take(&p, "}")) break;
      return ma_fail(MA_ERR_IO, "the .npy header is damaged");
    }
  }
  if (seen != (DESCR | ORDER | SHAPE))
    return ma_fail(MA_ERR_IO, "the .npy header lacks one of descr, fortran_order, shape");
  return MA_OK;
}

ma_status ma_npy_begin(ma_npy *npy, ma_source *source) {
  uint8_t start[12];
  *npy = (ma_npy){ 0 };
  MA_TRY(ma_source_exact(source, start, 10, "the .npy header"));
  if (memcmp(start, MAGIC, 6) != 0) return ma_fail(MA_ERR_IO, "no .npy or .npz file: its first bytes are neither's");
  if (start[6] < 1 || start[6] > 3) return ma_fail(MA_ERR_IO, "a .npy file of version %d; 1 to 3 are known", start[6]);
  size_t length = (size_t)start[8] | (size_t)start[9] << 8;
  if (start[6] > 1) {
    MA_TRY(ma_source_exact(source, start + 10, 2, "the .npy header"));
    length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
  }
  if (length > LONGEST) return ma_fail(MA_ERR_IO, "a .npy header of %zu bytes; at most %d are taken", length, LONGEST);
  char *text = malloc(length + 1);
  if (!text) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for a .npy header", length);
  ma_status status = ma_source_exact(source, text, length, "the .npy header");
  text[length] = 0;
  if (status == MA_OK) status = read_dictionary(text, npy);
  free(text);
  return status;
}

/* ==== Writing ==== */

/* Returns the length, a multiple of 64. */
static size_t write_header(const ma_npy *npy, const char *descr, char *text) {
  const ma_dtype_info *info = &ma_dtypes[npy->dtype];
  int at = 10 + sprintf(text + 10, "{'descr': ");
  if (descr) at += sprintf(text + at, "%s", descr);
  else at += sprintf(text + at, "'%s%s'", info->itemsize == 1 ? "|" : "<", info->npy);
  at += sprintf(text + at, ", 'fortran_order': %s, 'shape': (", npy->fortran ? "True" : "False");
  for (int d = 0; d < npy->ndim; d++)
    at += sprintf(text + at,
                  npy->ndim == 1      ? "%lld,"
                  : d + 1 < npy->ndim ? "%lld, "
                                      : "%lld",
                  (long long)npy->shape[d]);
  at += sprintf(text + at, "), }");
  while ((at + 1) % 64 != 0) text[at++] = ' '; /* so that the elements begin at a multiple of 64 */
  text[at++] = '\n';
  memcpy(text, MAGIC "\1\0", 8); /* NOLINT(bugprone-not-null-terminated-result): it is no string */
  text[8] = (char)((at - 10) & 255);
  text[9] = (char)((at - 10) >> 8);
  return (size_t)at;
}

/* As NumPy: an array whose transpose is contiguous, but which is not contiguous itself, is written with the first
** axis fastest. */
static void describe(const ma_array *array, const char *descr, ma_npy *npy, ma_array *view) {
  *npy = (ma_npy){ .dtype = (ma_dtype)array->dtype, .ndim = array->ndim - (descr != NULL) };
  memcpy(npy->shape, array->shape, (size_t)array->ndim * sizeof *array->shape);
  if (!descr && !ma_array_is_contiguous(array) && ma_array_transpose(view, array, NULL) == MA_OK) {
    npy->fortran = ma_array_is_contiguous(view);
    if (npy->fortran) return;
    ma_array_release(view);
  }
  ma_array_view(view, array);
}

ma_status ma_npy_save(const ma_array *array, const char *descr, ma_sink *sink, ma_stream *stream) {
  ma_npy npy;
  ma_array view;
  char header[MA_NPY_HEADER];
  if (descr && strlen(descr) > MA_NPY_DESCR)
    return ma_fail(MA_ERR_VALUE, "a struct whose fields take %zu bytes in a .npy header; at most %d", strlen(descr),
                   MA_NPY_DESCR);
  describe(array, descr, &npy, &view);
  ma_status status = ma_sink_write(sink, header, write_header(&npy, descr, header));
  if (status == MA_OK) status = ma_array_to_sink(&view, sink, stream);
  ma_array_release(&view);
  return status;
}

int64_t ma_npy_size(const ma_array *array, const char *descr) {
  ma_npy npy;
  ma_array view;
  char header[MA_NPY_HEADER];
  if (descr && strlen(descr) > MA_NPY_DESCR) return 0; /* it is not saved */
  describe(array, descr, &npy, &view);
  ma_array_release(&view);
  return (int64_t)write_header(&npy, descr, header) + array->size * ma_dtypes[array->dtype].itemsize;
}

/* ==== Loading ==== */

/* The elements must not claim more bytes than are left. If they are compressed, the limit is deflate's largest
** ratio. */
ma_status ma_npy_claim(const ma_npy *npy, size_t itemsize, const ma_source *source, int64_t *nbytes) {
  MA_TRY(ma_shape_size(npy->ndim, npy->shape, itemsize, nbytes));
  *nbytes *= (int64_t)itemsize;
  if (!source->seekable)
    return ma_fail(MA_ERR_IO, "a pipe has no size to check the array's against; read it into a string, then ma.loads");
  int64_t most = source->inflate ? source->most : source->left;
  if (*nbytes > most)
    return ma_fail(MA_ERR_IO, "the .npy header promises %lld bytes; the file has %lld", (long long)*nbytes,
                   (long long)most);
  return MA_OK;
}

ma_status ma_npy_load(ma_npy *npy, ma_array *array, ma_source *source, ma_device *device, ma_stream *stream) {
  int64_t nbytes;
  ma_array plain;
  array->buffer = NULL;
  MA_TRY(ma_npy_claim(npy, ma_dtypes[npy->dtype].itemsize, source, &nbytes));
  if (npy->fortran)
    for (int i = 0, j = npy->ndim - 1; i < j; i++, j--) {
      int64_t keep = npy->shape[i];
      npy->shape[i] = npy->shape[j];
      npy->shape[j] = keep;
    }
  MA_TRY(ma_array_new(&plain, device, npy->dtype, npy->ndim, npy->shape));
  ma_status status = ma_array_from_source(&plain, source, npy->swap, stream);
  if (status == MA_OK) {
    if (npy->fortran) status = ma_array_transpose(array, &plain, NULL);
    else ma_array_view(array, &plain);
    array->is_view = 0;
  }
  ma_array_release(&plain);
  return status;
}
