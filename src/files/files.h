/*
** files.h: arrays as bytes outside the process: .npy, .npz (zip), text; and the writer of bundles. Nothing in a file is
** trusted: a length is compared with the rest of the file before memory is allocated for it. So a damaged file gives an
** error or an array, never a crash.
*/
#ifndef MOONARRAY_FILES_H
#define MOONARRAY_FILES_H

#include "bundle/bundle.h"
#include "bundle/inflate.h"
#include "ops/ops.h"
#include <stdio.h>

#pragma GCC visibility push(hidden)

/* ==== bytes.c: sources and sinks of bytes ==== */

typedef struct ma_deflate ma_deflate;

uint32_t ma_crc32(uint32_t crc, const void *bytes, size_t nbytes); /* of bytes that follow those of `crc`; first 0 */

/* A span of a file or of memory that is read from start to end. Several sources may share one file. */
typedef struct ma_source {
  FILE *file; /* NULL: the source is memory */
  const uint8_t *bytes;
  bool seekable;
  int64_t position;    /* offset of the next raw byte */
  int64_t left;        /* raw bytes not yet read; INT64_MAX for a pipe */
  ma_inflate *inflate; /* not NULL: the raw bytes are compressed by deflate */
  int64_t most;        /* limit of the bytes that inflating gives */
  bool checked;        /* whether crc is kept up to date */
  uint32_t crc;        /* of the bytes read so far */
} ma_source;

void ma_source_file(ma_source *source, FILE *file);
void ma_source_memory(ma_source *source, const void *bytes, size_t nbytes);
void ma_source_close(ma_source *source); /* frees the inflater; the file stays open */
/* *got < nbytes at the end. */
ma_status ma_source_read(ma_source *source, void *to, size_t nbytes, size_t *got);
ma_status ma_source_exact(ma_source *source, void *to, size_t nbytes, const char *what); /* the end is an error */

/* ==== output.c: a file that is written completely or not at all ==== */

typedef enum ma_output_way {
  MA_OUTPUT_IN_PLACE,  /* the file itself is written: a pipe, a device */
  MA_OUTPUT_BESIDE,    /* a new file in the target's folder, which replaces the target when it is closed */
  MA_OUTPUT_ELSEWHERE, /* a new file in another folder, which is copied over the target when it is closed */
} ma_output_way;

/* All zeros: no output. The existing file stays unchanged until the output is closed. */
typedef struct ma_output {
  bool opened;
  ma_output_way way;
  FILE *handle;        /* a file that the user opened; NULL: `fd` is written */
  int fd, old;         /* what is written; the existing file, -1: none */
  char *target, *made; /* the path behind symbolic links; path of the new file, NULL while it has no name */
  uint8_t *buffer;     /* bytes that are not in `fd` yet */
  size_t filled;
} ma_output;

ma_status ma_output_open(ma_output *out, const char *path);
/* For writers that open the file by its name, such as other processes: the new file has one from the start. */
ma_status ma_output_open_named(ma_output *out, const char *path, const char **name);
void ma_output_handle(ma_output *out, FILE *file); /* the user's file is written in place and stays open */
ma_status ma_output_put(ma_output *out, const void *bytes, size_t nbytes);
int64_t ma_output_tell(ma_output *out); /* -1: it is a pipe */
ma_status ma_output_seek(ma_output *out, int64_t at);
ma_status ma_output_close(ma_output *out); /* on failure the old file stays */
void ma_output_abandon(ma_output *out);    /* keeps the old file; harmless if called twice */
/* Writes a part of the file that another process opened under `name` (ma_output_open_named). */
ma_status ma_output_put_part(const char *name, int64_t at, const void *bytes, size_t nbytes);

/* An output or memory of known size. */
typedef struct ma_sink {
  ma_output *output; /* NULL: the sink is memory */
  uint8_t *bytes;
  size_t room;
  ma_deflate *deflate; /* not NULL: bytes are compressed */
  int64_t written;     /* bytes in the file or memory so far */
  bool checked;        /* whether crc is kept up to date */
  uint32_t crc;        /* of the bytes before compression */
} ma_sink;

void ma_sink_output(ma_sink *sink, ma_output *output);
void ma_sink_memory(ma_sink *sink, void *bytes, size_t room);
ma_status ma_sink_write(ma_sink *sink, const void *bytes, size_t nbytes);
ma_status ma_sink_compress(ma_sink *sink); /* compresses from now on */
ma_status ma_sink_finish(ma_sink *sink);   /* ends the compressed part */
void ma_sink_close(ma_sink *sink);         /* frees; harmless twice */

/* Copies the array's elements in C order, in chunks if they are not in host memory. ma_array_from_source needs a
** contiguous array. */
ma_status ma_array_from_source(ma_array *array, ma_source *source, bool swap, ma_stream *stream);
ma_status ma_array_to_sink(const ma_array *array, ma_sink *sink, ma_stream *stream);

/* ==== deflate.c ==== */

ma_status ma_deflate_new(ma_deflate **deflate);
void ma_deflate_free(ma_deflate *deflate); /* NULL is harmless */
/* Before the first write: bytes that matches may reach back to; a reader needs the same ones. Their end counts. */
ma_status ma_deflate_dictionary(ma_deflate *deflate, const void *bytes, size_t nbytes);
/* Compressed bytes go to the sink as they are made; after `finish` nothing may follow. */
ma_status ma_deflate_write(ma_deflate *deflate, ma_sink *sink, const uint8_t *bytes, size_t nbytes);
ma_status ma_deflate_finish(ma_deflate *deflate, ma_sink *sink);
ma_status ma_sink_raw(ma_sink *sink, const void *bytes, size_t nbytes); /* bytes that are not compressed; bytes.c */

/* ==== bundle.c: files of compiled kernels (bundle/bundle.h) ==== */

/* A kernel for a bundle: the text that it is found by, and its image. */
typedef struct ma_bundle_item {
  const char *family, *text;
  ma_image image;
  int arch, maker;
  uint64_t functions;
} ma_bundle_item;

/* Writes a bundle, whose index has room for `most` images. Until its end the file that is there stays. */
typedef struct ma_bundle_writer ma_bundle_writer;
ma_status ma_bundle_begin(ma_bundle_writer **writer, const char *path, size_t most);
/* The next image in the order of the index (ma_bundle_compare). One that is there already is passed over. */
ma_status ma_bundle_put(ma_bundle_writer *writer, const ma_bundle_item *item);
ma_status ma_bundle_end(ma_bundle_writer *writer, int64_t *nbytes); /* *nbytes: the size of the file */
void ma_bundle_abandon(ma_bundle_writer *writer);                   /* frees, also after the end; NULL is harmless */

/* Reads one that is a member of a zip archive, to memory; NULL: the archive has none of this name. */
ma_status ma_bundle_from_archive(const char *archive, const char *name, ma_bundle **bundle);

/* ==== npy.c: NumPy's format of one array ==== */

#define MA_NPY_DESCR 9000                  /* limit of a struct's dtype, since NumPy takes headers of 10000 bytes */
#define MA_NPY_HEADER (MA_NPY_DESCR + 512) /* limit of the headers that are written */

typedef struct ma_npy {
  ma_dtype dtype;
  bool swap, fortran; /* elements are big-endian; the first axis varies fastest */
  int ndim;
  int64_t shape[MA_MAX_NDIM];
  char *descr; /* from malloc: a dtype that arrays do not have, as the header writes it; NULL: none */
} ma_npy;

ma_status ma_npy_begin(ma_npy *npy, ma_source *source); /* reads the header; the caller frees npy->descr */
/* Reads the elements; `descr` is NULL. */
ma_status ma_npy_load(ma_npy *npy, ma_array *array, ma_source *source, ma_device *device, ma_stream *stream);
/* Sets *nbytes to the bytes of the elements. It is an error if the source has fewer. */
ma_status ma_npy_claim(const ma_npy *npy, size_t itemsize, const ma_source *source, int64_t *nbytes);
/* `descr`: NULL, or the dtype of structs as a header has it. Their bytes are along the last axis of the array then. */
ma_status ma_npy_save(const ma_array *array, const char *descr, ma_sink *sink, ma_stream *stream);
int64_t ma_npy_size(const ma_array *array, const char *descr); /* bytes that ma_npy_save writes */

/* ==== zip.c: archives of members, .npz ==== */

typedef struct ma_zip {
  ma_source whole;
  uint8_t *directory; /* the central directory's bytes */
  size_t size, next;
  int64_t shift;  /* bytes in front of the archive, added to its offsets */
  int64_t budget; /* compressed bytes that the remaining members may claim */
} ma_zip;

typedef struct ma_zip_member {
  const char *name; /* not terminated; lives as long as the zip */
  size_t length;
  int method;
  uint32_t crc;
  int64_t packed, unpacked, offset; /* bytes in the file; bytes of the content; offset of the local header */
} ma_zip_member;

ma_status ma_zip_open(ma_zip *zip, const ma_source *whole);
ma_status ma_zip_next(ma_zip *zip, ma_zip_member *member, bool *more);
ma_status ma_zip_source(ma_zip *zip, const ma_zip_member *member, ma_source *source);
/* Compares the checksum. Call it at the end of a member. */
ma_status ma_zip_verify(const ma_zip_member *member, ma_source *source);
void ma_zip_close(ma_zip *zip);

typedef struct ma_zip_writer {
  ma_output *output;
  uint8_t *directory;
  size_t size, room;
  int64_t start, count; /* file position of the archive's first byte; number of members */
} ma_zip_writer;

ma_status ma_zip_begin(ma_zip_writer *writer, ma_output *output);
/* A member as ma_npy_save writes it. */
ma_status ma_zip_add(ma_zip_writer *writer, const char *name, const ma_array *array, const char *descr, bool compress,
                     ma_stream *stream);
/* A member of any bytes. */
ma_status ma_zip_add_bytes(ma_zip_writer *writer, const char *name, const void *bytes, size_t nbytes, bool compress);
ma_status ma_zip_end(ma_zip_writer *writer);
void ma_zip_abandon(ma_zip_writer *writer); /* frees; harmless after ma_zip_end */

/* ==== text.c: rows of numbers ==== */

typedef struct ma_text_options {
  ma_dtype dtype;
  const char *const *comments; /* prefixes of comments */
  int ncomment;
  char delimiter;         /* 0: any white space */
  char quote;             /* around a field that may have a delimiter in it, and twice for itself; 0: none */
  int64_t skip, max_rows; /* lines to skip at the start; limit of rows, -1: none */
  const int64_t *columns; /* 1-based, negative from the end; NULL: all columns */
  int ncolumn;
  bool names;    /* the first line has the names of the columns; it may begin with a comment prefix */
  bool missing;  /* an empty or invalid field becomes `fill` */
  ma_value fill; /* by kind of dtype */
  bool flat;     /* all lines are one sequence of values: lines may differ in length and may end with a delimiter */
} ma_text_options;

typedef struct ma_text {
  void *values; /* rows * columns elements of the dtype, from malloc */
  int64_t rows, columns;
  char *names; /* the line of names, from malloc; NULL: none */
} ma_text;

/* Reads the text from p to end, where there is a 0, as a value of `dtype`; false if it is none. */
bool ma_text_parse(const char *p, const char *end, ma_dtype dtype, ma_value *value);
/* The end of the field that begins at p in a line that ends with a 0. */
const char *ma_text_field(const char *p, char delimiter, char quote);
ma_status ma_text_read(ma_text *text, ma_source *source, const ma_text_options *options);
void ma_text_free(ma_text *text); /* harmless if called twice */

/* Prints a value with `spec`, one checked conversion of printf. NULL: the shortest text that reads back. */
#define MA_TEXT_VALUE 512
int ma_text_value(char *out, ma_value value, ma_dtype dtype, const char *spec);
/* Whether `spec` is one conversion of printf that a value can take. */
bool ma_text_check_spec(const char *spec, size_t length);

#pragma GCC visibility pop
#endif
