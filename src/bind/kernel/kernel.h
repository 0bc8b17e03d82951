/* kernel.h: options and launches of kernels that the user wrote. */
#ifndef MOONARRAY_BIND_KERNEL_H
#define MOONARRAY_BIND_KERNEL_H

#include "bind/bind.h"
#include "kernel/signature.h"

#pragma GCC visibility push(hidden)

/* options.c: reads the options of an elementwise or reduction kernel, a string or a table of strings, and replaces
** them in their slot by the text that a body keeps. */
const char *ma_lua_body_options(lua_State *L, int index, const char *preamble);
void ma_lua_checkderivative(lua_State *L, int index); /* a function, or nothing: what ma.grad asks of a kernel */

/*
** launch.c. Launches `kernel` on `stream`, which is of its device. grid and block are stack indices of a number or a
** table of 1 to 3; `arguments` is the index of a table with one argument for each parameter of the signature. Wrong
** arguments raise an error with the name of the running function.
*/
void ma_lua_launch(lua_State *L, const ma_kernel *kernel, const ma_kernel_signature *signature, bool cooperative,
                   int grid, int block, int arguments, uint32_t shared, ma_stream *stream);

#pragma GCC visibility pop
#endif
