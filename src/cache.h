/*
** cache.h: what was compiled, on disk, by text and salt: the salt says what else the image depends on (compiler, options, architecture).
** A miss is false; storing is best effort.
*/
#ifndef MOONARRAY_CACHE_H
#define MOONARRAY_CACHE_H

#include "moonarray.h"

#include <limits.h>

#pragma GCC visibility push(hidden)

typedef enum ma_image_kind { MA_IMAGE_PTX, MA_IMAGE_CUBIN, MA_IMAGE_SHARED_OBJECT } ma_image_kind;
typedef struct ma_image { char *bytes; size_t size; int32_t kind; } ma_image;      /* bytes: followed by a 0 that is not counted */
void ma_image_free(ma_image *image);

bool ma_cache_load(const char *text, const char *salt, ma_image *image);
bool ma_cache_store(const char *text, const char *salt, const ma_image *image, int maker);     /* maker: a version, for people */
void ma_cache_drop(const char *text, const char *salt);
/* The file of a verified entry, to be opened where it lies: an image comes first in its file. `path` has PATH_MAX bytes. */
bool ma_cache_find(const char *text, const char *salt, char *path);
/* A new folder of ours alone, in the cache's folder, else in $TMPDIR or /tmp; it and its files go with ma_folder_remove. */
bool ma_folder_make(char *path);
void ma_folder_remove(const char *path);

bool ma_file_read(const char *path, size_t most, char **bytes, size_t *size);      /* the first `most` bytes at most, and a 0 */
bool ma_file_write(const char *path, const void *bytes, size_t size);              /* a new file, mode 0600 */

#pragma GCC visibility pop
#endif
