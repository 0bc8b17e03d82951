/*
** files.h: arrays as bytes outside the process: .npy, .npz (zip), text. Nothing here trusts what it reads: a length is
** held against what is left of the file before memory is asked for, so a damaged file gives an error or an array, never
** a crash.
*/
#ifndef MOONARRAY_FILES_H
#define MOONARRAY_FILES_H

#include "ops/ops.h"
#include <stdio.h>

#pragma GCC visibility push(hidden)

/* ==== bytes.c: where bytes come from and go to ==== */

typedef struct ma_inflate ma_inflate;

/* A span of a file or of memory, read from its start to its end. Several sources may lie over one file. */
typedef struct ma_source {
  FILE *file; /* NULL: memory */
  const uint8_t *bytes;
  bool seekable;
  int64_t position;    /* of the next raw byte */
  int64_t left;        /* raw bytes not yet read; INT64_MAX for a pipe */
  ma_inflate *inflate; /* not NULL: the raw bytes are deflated */
  int64_t most;        /* bytes that inflating can give, whatever they claim */
  bool checked;        /* keep crc up to date */
  uint32_t crc;        /* of the bytes given out */
} ma_source;

void ma_source_file(ma_source *source, FILE *file);
void ma_source_memory(ma_source *source, const void *bytes, size_t nbytes);
void ma_source_close(ma_source *source); /* frees what inflating needed; the file stays open */
/* *got < nbytes: the end. */
ma_status ma_source_read(ma_source *source, void *to, size_t nbytes, size_t *got);
ma_status ma_source_exact(ma_source *source, void *to, size_t nbytes, const char *what); /* the end is an error */

/* A file to write, or memory of a known size. */
typedef struct ma_sink {
  FILE *file; /* NULL: memory */
  uint8_t *bytes;
  size_t room;
  struct ma_deflate *deflate; /* not NULL: compress on the way */
  int64_t written;            /* bytes that reached the file or memory */
  uint32_t crc;               /* of the bytes given in */
} ma_sink;

void ma_sink_file(ma_sink *sink, FILE *file);
void ma_sink_memory(ma_sink *sink, void *bytes, size_t room);
ma_status ma_sink_write(ma_sink *sink, const void *bytes, size_t nbytes);
ma_status ma_sink_compress(ma_sink *sink, bool *compressed); /* from here on, if zlib is there */
ma_status ma_sink_finish(ma_sink *sink);                     /* ends the compressed part */
void ma_sink_close(ma_sink *sink);                           /* frees; harmless twice */

/* ==== output.c: a file that is written whole or not at all ==== */

/* All zeros: none. Until it is closed, the file that is there stays as it is. */
typedef struct ma_output {
  FILE *file;          /* to write to */
  bool opened, beside; /* beside: `file` takes the target's place when it is closed; else it is written where it is */
  char *target, *made; /* the path behind symbolic links; of the file beside it, NULL while that has no name */
  int old;             /* the file that is there, -1: none */
} ma_output;

ma_status ma_output_open(ma_output *out, const char *path);
ma_status ma_output_close(ma_output *out); /* an error leaves the old file */
void ma_output_abandon(ma_output *out);    /* the same, of purpose; harmless twice */

uint32_t ma_crc32(uint32_t crc, const void *bytes, size_t nbytes);

/* The array's elements in C order, through chunks where the memory is not the host's. `array` must be contiguous to be
** read. */
ma_status ma_array_from_source(ma_array *array, ma_source *source, bool swap, ma_stream *stream);
ma_status ma_array_to_sink(const ma_array *array, ma_sink *sink, ma_stream *stream);

/* ==== inflate.c ==== */

ma_status ma_inflate_new(ma_inflate **inflate);
void ma_inflate_free(ma_inflate *inflate);
/* Takes raw bytes from `source` as needed. */
ma_status ma_inflate_read(ma_inflate *inflate, ma_source *source, uint8_t *to, size_t nbytes, size_t *got);
ma_status ma_source_raw(ma_source *source, void *to, size_t nbytes, size_t *got); /* below inflating; bytes.c */

/* ==== npy.c: NumPy's format of one array ==== */

#define MA_NPY_HEADER 512 /* our headers are no longer */

typedef struct ma_npy {
  ma_dtype dtype;
  bool swap, fortran; /* big-endian elements; first axis fastest */
  int ndim;
  int64_t shape[MA_MAX_NDIM];
} ma_npy;

ma_status ma_npy_read_header(ma_source *source, ma_npy *npy);
size_t ma_npy_write_header(const ma_npy *npy, char *text); /* returns the length, a multiple of 64 */
ma_status ma_npy_load(ma_array *array, ma_source *source, ma_device *device, ma_stream *stream);
ma_status ma_npy_save(const ma_array *array, ma_sink *sink, ma_stream *stream);
int64_t ma_npy_size(const ma_array *array); /* bytes that ma_npy_save writes */

/* ==== zip.c: archives of members, .npz ==== */

typedef struct ma_zip {
  ma_source whole;
  uint8_t *directory; /* the central directory's bytes */
  size_t size, next;
  int64_t shift;  /* of the offsets: bytes put in front of the archive */
  int64_t budget; /* compressed bytes that the members not yet seen may claim */
} ma_zip;

typedef struct ma_zip_member {
  const char *name; /* not terminated; lives as long as the zip */
  size_t length;
  int method;
  uint32_t crc;
  int64_t packed, unpacked, offset; /* bytes in the file and out of it; of the local header */
} ma_zip_member;

ma_status ma_zip_open(ma_zip *zip, const ma_source *whole);
ma_status ma_zip_next(ma_zip *zip, ma_zip_member *member, bool *more);
ma_status ma_zip_source(ma_zip *zip, const ma_zip_member *member, ma_source *source);
ma_status ma_zip_verify(const ma_zip_member *member, ma_source *source); /* at the end of a member, its checksum */
void ma_zip_close(ma_zip *zip);

typedef struct ma_zip_writer {
  FILE *file;
  uint8_t *directory;
  size_t size, room;
  int64_t start, count; /* file position of the archive's first byte; members */
} ma_zip_writer;

ma_status ma_zip_begin(ma_zip_writer *writer, FILE *file);
ma_status ma_zip_add(ma_zip_writer *writer, const char *name, const ma_array *array, bool compress, ma_stream *stream);
ma_status ma_zip_end(ma_zip_writer *writer);
void ma_zip_abandon(ma_zip_writer *writer); /* frees; harmless after ma_zip_end */

/* ==== text.c: rows of numbers ==== */

typedef struct ma_text_options {
  ma_dtype dtype;
  const char *const *comments; /* texts that begin a comment */
  int ncomment;
  char delimiter;         /* 0: white space */
  int64_t skip, max_rows; /* lines at the start; rows at most, -1: all */
  const int64_t *columns; /* 1-based, negative from the end; NULL: all */
  int ncolumn;
  bool names;    /* the first line names the columns (it may begin with a comment's text) */
  bool missing;  /* an empty or unreadable field becomes `fill` */
  ma_value fill; /* by kind of dtype */
  bool flat;     /* one run of values: rows need not have one length; the end of it is not an error */
} ma_text_options;

typedef struct ma_text {
  void *values; /* rows * columns elements of the dtype, by malloc */
  int64_t rows, columns;
  char *names; /* the line of names, by malloc; NULL: none */
} ma_text;

ma_status ma_text_read(ma_text *text, ma_source *source, const ma_text_options *options);
void ma_text_free(ma_text *text); /* harmless twice */

/* One value as `spec` says (one conversion of printf's, already checked), or the shortest text that reads back for
** NULL. */
#define MA_TEXT_VALUE 512
int ma_text_value(char *out, ma_value value, ma_dtype dtype, const char *spec);
/* Splits `format` into literal texts and conversions; says what is wrong with it. Returns conversions found, or -1. */
bool ma_text_check_spec(const char *spec, size_t length);

#pragma GCC visibility pop
#endif
