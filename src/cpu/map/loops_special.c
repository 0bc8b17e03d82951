/*
** loops_special.c: loops of the special functions, for any machine. They are compiled once more with fused
** multiplication and addition (loops_fused.c), and not for each instruction set: most have branches that no vector form
** would save. The 16-bit floats use those of float, which compute in double.
*/
#define TARGET special
#include "cpu/map/loops_special.h"

ma_loop *ma_cpu_special_loop(ma_opcode op, ma_dtype dtype) {
  ma_loop *fused = ma_cpu_fused_loop(op, dtype);
  if (fused) return fused;
  switch (ma_dtypes[dtype].kind) {
  case MA_KIND_FLOAT: return dtype == MA_FLOAT64 ? loops_f8_special[op] : loops_f4_special[op];
  case MA_KIND_COMPLEX: return dtype == MA_COMPLEX128 ? loops_c16_special[op] : loops_c8_special[op];
  default: return NULL;
  }
}
