/* files.h: what the files about files share: files.c has it, npy.c, bytes.c, loadtxt.c and savetxt.c use it. */
#ifndef MOONARRAY_BIND_FILES_H
#define MOONARRAY_BIND_FILES_H

#include "files/files.h"
#include "bind/bind.h"

#pragma GCC visibility push(hidden)

/* What an error must not leave behind: one userdata a call, whose finaliser closes and frees. */
typedef struct ma_lua_scratch {
  FILE *file;       /* to read and close; NULL when it belongs to a handle of the user's */
  ma_output output; /* to write */
  ma_zip zip;
  ma_source source;
  ma_zip_writer writer;
  ma_text text;
} ma_lua_scratch;

/* Pushes an empty one. */
ma_lua_scratch *ma_lua_pushscratch(lua_State *L);
void ma_lua_endscratch(ma_lua_scratch *s); /* frees now rather than at the next collection; it may be used again */

/* A path or an open file, to read. */
FILE *ma_lua_openfile(lua_State *L, int index, ma_lua_scratch *s);
/* The same to write. `extension` is added to a path where it is missing, as NumPy does; NULL: never. */
FILE *ma_lua_openoutput(lua_State *L, int index, ma_lua_scratch *s, const char *extension);
/* Raises, with the file's name in front of what is wrong with it. */
void ma_lua_checkfile(lua_State *L, int index, ma_lua_scratch *s, ma_status status);
/* Closes what was written. Where that or `status` failed, the path has what it had before. */
void ma_lua_closewritten(lua_State *L, int index, ma_lua_scratch *s, FILE *file, ma_status status);

void ma_lua_checkstring(lua_State *L, int index);
char ma_lua_checkseparator(lua_State *L, int index, char fallback); /* one character, 0 for white space */
ma_stream *ma_lua_arraystream(lua_State *L, const ma_array *array); /* for work on the array */
/* The elements in C order on the host: the array's own memory, or a copy in a userdata that is pushed. */
const char *ma_lua_pushhost(lua_State *L, const ma_array *array);
/* Pushes a new array of the elements that `source` gives. */
ma_array *ma_lua_pushread(lua_State *L, ma_lua_scratch *s, int file, ma_source *source, ma_dtype dtype, int ndim,
                          const int64_t *shape, ma_device *device);
ma_status ma_lua_put(FILE *file, const char *text, size_t length);

void ma_open_npy(lua_State *L);
void ma_open_bytes(lua_State *L);
void ma_open_loadtxt(lua_State *L);
void ma_open_savetxt(lua_State *L);

#pragma GCC visibility pop
#endif
