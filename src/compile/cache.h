/* cache.h: compiled kernels on disk, found by text and salt. The salt names everything else that the image depends
** on: compiler, options, architecture. A failed lookup returns false. A failure to store is not an error. */
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
} ma_image; /* a 0, not counted in size, follows the bytes */
void ma_image_free(ma_image *image);

#define MA_CACHE_FOLDER "moonarray-kernels" /* made in the folder that the user names */
#define MA_CACHE_MOST ((int64_t)256 << 20)  /* bytes that all entries may take */

/* The end of an entry's file, behind the image. It identifies the file as an entry. */
typedef struct ma_cache_trailer {
  uint64_t key[2], checksum[2], size; /* of the image */
  int32_t maker;                      /* the compiler's version, for people who look at it */
  uint32_t kind : 2, salt : 30;       /* ma_image_kind; a hash of the library's version and the salt */
  char magic[8];                      /* "MAKERNEL" */
} ma_cache_trailer;

bool ma_cache_load(const char *text, const char *salt, ma_image *image);
/* `maker` is the compiler's version, for people who look at the file. */
bool ma_cache_store(const char *text, const char *salt, const ma_image *image, int maker);
void ma_cache_drop(const char *text, const char *salt);
/* As ma_cache_load, and gives the path of the entry's file. The image is at the start of the file, so a loader can
** open it there. `path` has PATH_MAX bytes. */
bool ma_cache_find(const char *text, const char *salt, char *path, ma_image *image);
bool ma_cache_has(const char *salt); /* whether any entry of this version has that salt */
const char *ma_cache_folder(void);   /* folder of the entries; NULL: there is none */

/* ---- work.c: folders of temporary files. Each has a marker that identifies it as one of the library's. ----------- */

#define MA_WORK_PLACES 4
/* Finds places for such folders: the cache's folder, $TMPDIR, /tmp. Places that have room and allow code to run are
** listed first. Returns their number. */
int ma_work_places(const char *place[MA_WORK_PLACES]);
bool ma_work_make(const char *in, char *path); /* makes a private folder; `path` has PATH_MAX bytes */
void ma_work_remove(const char *path);         /* removes the folder with its files */
/* Whether files can be written in the folder and code in them runs. If so, a failure there has another cause. */
bool ma_work_serves(const char *path);
void ma_work_sweep(const char *in); /* removes folders that killed processes left more than a day ago */

/* Reads at most the first `most` bytes, and appends a 0. */
bool ma_file_read(const char *path, size_t most, char **bytes, size_t *size);
bool ma_file_write(const char *path, const void *bytes, size_t size); /* creates the file with mode 0600 */
bool ma_read_all(int fd, void *bytes, size_t n);
bool ma_write_all(int fd, const void *bytes, size_t n);

#pragma GCC visibility pop
#endif
