/* print.h: programs as text that is both CUDA C++ and, behind kernels/cpu/cpu_cuda.h, C++. */
#ifndef MOONARRAY_PRINT_H
#define MOONARRAY_PRINT_H

#include "program/program.h"

#pragma GCC visibility push(hidden)

/*
** Names in kernel texts. Each dtype has a traits struct `dt_SUFFIX` (dt_f4, dt_bf, dt_c16 ...) with
**   dt_f4::mem        the type in memory (unsigned short for the 16-bit floats)
**   dt_f4::reg        the type that computes
**   dt_f4::load(m)    memory to register (bool: != 0)
**   dt_f4::store(r)   register to memory
** i1 i2 i4 i8 u1 u2 u4 u8 are plain integer types. ma_print_program prints the functions of the program's
** operations, `struct scalars`, and
**   __device__ __forceinline__ void program(const scalars &s, dt_A::reg v0, dt_B::reg v1 ..., dt_C::reg &o0, ...)
** with the inputs' and outputs' dtypes in register form. A program with a body has the body's preamble before it, and
** its operation in place of instructions: a text that sets y0 ... from v0 .... If the body reaches, a ma_reach stands
** behind the inputs. An input that is places is a ma_place & (kernels/special/draw.h).
*/
void ma_print_program(ma_ctext *text, const ma_program *program);
/* The same for several programs with the same scalars, as functions of these names. */
void ma_print_programs(ma_ctext *text, int n, const ma_program *const *program, const char (*name)[8]);
/* Prints the function of an operation in a loop: op_NAME_SUFFIX. */
void ma_print_operation(ma_ctext *text, ma_opcode op, ma_dtype loop);
/* Notes what a special function needs in the text of a kernel; ma_put_special puts those headers in front of it. */
void ma_note_special(ma_ctext *text, ma_opcode op);
void ma_put_special(ma_ctext *text, uint32_t set);
void ma_print_scalars(ma_ctext *text, const ma_program *program); /* only `struct scalars` */
const char *ma_dtype_suffix(ma_dtype dtype);                      /* "f4" */
/* Packs values for `struct scalars`, 16 bytes each, in register form. Returns the bytes written, at least 16. */
size_t ma_pack_scalars(const ma_program *program, const ma_value *scalar, void *bytes);

#pragma GCC visibility pop
#endif
