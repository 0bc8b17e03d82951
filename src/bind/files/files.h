/* files.h: functions of files.c for npy.c, bytes.c, loadtxt.c, savetxt.c, images.c and parts.c. */
#ifndef MOONARRAY_BIND_FILES_H
#define MOONARRAY_BIND_FILES_H

#include "files/files.h"
#include "bind/bind.h"

#pragma GCC visibility push(hidden)

/* Resources of one call that an error must not leak. It is a userdata, whose finaliser closes and frees them. */
typedef struct ma_lua_scratch {
  uint64_t magic;
  FILE *file;       /* a file to read and close; NULL if the user's handle is read */
  ma_output output; /* the file that is written */
  ma_zip zip;
  ma_source source;
  ma_zip_writer writer;
  ma_text text;
  void *descr; /* from malloc */
  void *jpeg;  /* from ma_jpeg_write */
  struct ma_png_reader *png;
} ma_lua_scratch;

extern const ma_class ma_lua_scratchclass;
/* Pushes an empty scratch. */
ma_lua_scratch *ma_lua_pushscratch(lua_State *L);
void ma_lua_endscratch(ma_lua_scratch *s); /* frees now instead of at the next collection; it may be used again */

/* A path or an open file, for reading. */
FILE *ma_lua_openfile(lua_State *L, int index, ma_lua_scratch *s);
/* The same for writing. `extension` is added to a path that lacks it, as in NumPy; NULL: none. */
ma_output *ma_lua_openoutput(lua_State *L, int index, ma_lua_scratch *s, const char *extension);
/* Raises an error, with the file's name in front of the message. */
void ma_lua_checkfile(lua_State *L, int index, ma_lua_scratch *s, ma_status status);
/* Closes a written file. If `status` or closing failed, the path keeps its old file. */
void ma_lua_closewritten(lua_State *L, int index, ma_lua_scratch *s, ma_status status);

void ma_lua_checkstring(lua_State *L, int index);
char ma_lua_checkseparator(lua_State *L, int index, char fallback); /* one character, or 0 for white space */
/* The elements in C order on the host: the array's own memory, or a copy in a userdata, which is pushed. */
const char *ma_lua_pushhost(lua_State *L, const ma_array *array);
/* Pushes a new array with elements from `source`. */
ma_array *ma_lua_pushread(lua_State *L, ma_lua_scratch *s, int file, ma_source *source, ma_dtype dtype, int ndim,
                          const int64_t *shape, ma_device *device);
/* Pushes a new array on the host, and gives its memory. */
ma_array *ma_lua_pushfilled(lua_State *L, ma_dtype dtype, int ndim, const int64_t *shape, void **address);
/* Ends the scratch, raises an error, or moves the array on top, which was filled, to the device. */
void ma_lua_endfilled(lua_State *L, ma_lua_scratch *s, ma_status status, ma_array *array, ma_device *device);

const char *ma_lua_checkpath(lua_State *L, int index, const char *extension); /* adds `extension` where it lacks */

#pragma GCC visibility pop
#endif
