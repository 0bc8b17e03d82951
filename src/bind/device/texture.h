/* texture.h: texture and surface objects as arguments of kernels. */
#ifndef MOONARRAY_BIND_TEXTURE_H
#define MOONARRAY_BIND_TEXTURE_H

#include "bind/bind.h"
#include "ops/fields/texture.h"

#pragma GCC visibility push(hidden)

/* The texture or surface object at `index`; NULL: another value. */
const ma_texture_object *ma_lua_totexture(lua_State *L, int index);

#pragma GCC visibility pop
#endif
