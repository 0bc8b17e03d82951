/* kernel.h: launching a kernel of the user's own with arguments from Lua. */
#ifndef MOONARRAY_BIND_KERNEL_H
#define MOONARRAY_BIND_KERNEL_H

#include "bind/bind.h"
#include "kernel/signature.h"

#pragma GCC visibility push(hidden)

/* options.c: the options of an elementwise or reduction kernel in a slot, a string or a table of them: as a body keeps
** them. The text takes their place. */
const char *ma_lua_body_options(lua_State *L, int index, const char *preamble);

/*
** launch.c. Launches `kernel` on `stream` (of its device): grid and block at two stack indices (a number, or a table of
** 1 to 3), the arguments in the table at index `arguments`, one for each parameter of the signature. Raises what is
** wrong with them, in the name of the running function.
*/
void ma_lua_launch(lua_State *L, const ma_kernel *kernel, const ma_kernel_signature *signature, bool cooperative,
                   int grid, int block, int arguments, uint32_t shared, ma_stream *stream);

#pragma GCC visibility pop
#endif
