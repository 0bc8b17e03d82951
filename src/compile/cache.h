/*
** cache.h: what was compiled, on disk, by text and salt: the salt says what else the image depends on (compiler,
** options, architecture). A miss is false; storing is best effort.
*/
#ifndef MOONARRAY_CACHE_H
#define MOONARRAY_CACHE_H

#include "program/program.h"

#include <limits.h>

#pragma GCC visibility push(hidden)

typedef enum ma_image_kind { MA_IMAGE_PTX, MA_IMAGE_CUBIN, MA_IMAGE_SHARED_OBJECT } ma_image_kind;
typedef struct ma_image {
  char *bytes;
  size_t size;
  int32_t kind;
} ma_image; /* bytes: followed by a 0 that is not counted */
void ma_image_free(ma_image *image);

#define MA_CACHE_FOLDER "moonarray-kernels" /* ours, in the folder that the user names */
#define MA_CACHE_MOST ((int64_t)256 << 20)  /* bytes that entries may take */

/* What ends an entry's file, behind the image: it proves that the file is one. */
typedef struct ma_cache_trailer {
  uint64_t key[2], checksum[2], size; /* of the image */
  int32_t maker, kind;                /* the version that compiled it, for people; ma_image_kind */
  char magic[8];                      /* "MAKERNEL" */
} ma_cache_trailer;

bool ma_cache_load(const char *text, const char *salt, ma_image *image);
/* maker: a version, for people */
bool ma_cache_store(const char *text, const char *salt, const ma_image *image, int maker);
void ma_cache_drop(const char *text, const char *salt);
/* ma_cache_load with the entry's file, to be opened where it lies: an image comes first in its file. `path` has
** PATH_MAX bytes. */
bool ma_cache_find(const char *text, const char *salt, char *path, ma_image *image);
const char *ma_cache_folder(void); /* where entries lie, NULL: nowhere */

/* ---- work.c: folders in which files are made; each has a marker, which proves that it is one of ours ---- */

#define MA_WORK_PLACES 3
/* Where a folder of work may be: in the cache's folder, in $TMPDIR, in /tmp; first those with room where code can be
** run. Returns how many. */
int ma_work_places(const char *place[MA_WORK_PLACES]);
bool ma_work_make(const char *in, char *path); /* a new one of ours alone; `path` has PATH_MAX bytes */
void ma_work_remove(const char *path);         /* with its files */
/* it can be written, and code in it run: what failed there fails elsewhere too */
bool ma_work_serves(const char *path);
void ma_work_sweep(const char *in); /* removes those that killed processes left a day ago */

/* the first `most` bytes at most, and a 0 */
bool ma_file_read(const char *path, size_t most, char **bytes, size_t *size);
bool ma_file_write(const char *path, const void *bytes, size_t size); /* a new file, mode 0600 */
bool ma_read_all(int fd, void *bytes, size_t n);
bool ma_write_all(int fd, const void *bytes, size_t n);

#pragma GCC visibility pop
#endif
