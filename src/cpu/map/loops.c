/* loops.c: chooses loops by operation, dtype and instruction set. */
#include "cpu/map/loops.h"

/* The tables of one instruction set. */
typedef struct loop_set {
  ma_loop *const (*ints)[MA_NOP], *const (*floats)[MA_NOP], *const (*complexes)[MA_NOP];
  ma_loop *const (*singles)[2][MA_NOP];
  ma_loop *const (*cast)[MA_NDTYPE];
  ma_loop *const *load, *const *store, *const *round;
} loop_set;

#define SET(t)                                                                        \
  { ma_int_loops_##t,  ma_float_loops_##t, ma_complex_loops_##t, ma_single_loops_##t, \
    ma_cast_loops_##t, ma_load_loops_##t,  ma_store_loops_##t,   ma_round_loops_##t },
static const loop_set loop_sets[] = { MA_TARGETS(SET) };

static const loop_set *best_set(void) {
  const loop_set *set = loop_sets;
#ifdef MA_MANY_TARGETS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) set = &loop_sets[1];
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    set = &loop_sets[2];
#endif
  return set;
}

static const loop_set *loops(void) {
  static const loop_set *set; /* every thread would write the same value */
  const loop_set *known = __atomic_load_n(&set, __ATOMIC_RELAXED);
  if (known == NULL) __atomic_store_n(&set, known = best_set(), __ATOMIC_RELAXED);
  return known;
}

/* The place of a dtype's loops: kind of table and row, and that of signed integers of the size; casts have their own
** rows. */
static const struct {
  uint8_t kind, row, from, as_signed;
} places[MA_NDTYPE] = {
  [MA_BOOL] = { 0, 0, 4, 0 },    [MA_INT8] = { 0, 1, 0, 1 },       [MA_INT16] = { 0, 2, 1, 2 },
  [MA_INT32] = { 0, 3, 2, 3 },   [MA_INT64] = { 0, 4, 3, 4 },      [MA_UINT8] = { 0, 5, 4, 1 },
  [MA_UINT16] = { 0, 6, 5, 2 },  [MA_UINT32] = { 0, 7, 6, 3 },     [MA_UINT64] = { 0, 8, 7, 4 },
  [MA_FLOAT16] = { 1, 0, 8, 0 }, [MA_BFLOAT16] = { 1, 0, 8, 0 },   [MA_FLOAT32] = { 1, 0, 8, 0 },
  [MA_FLOAT64] = { 1, 1, 9, 0 }, [MA_COMPLEX64] = { 2, 0, 10, 0 }, [MA_COMPLEX128] = { 2, 1, 11, 0 }
};

static ma_loop *special_loop(ma_opcode op, ma_dtype dtype) {
  int kind = places[dtype].kind, row = places[dtype].row;
  if (kind == 0) return NULL;
#ifdef MA_MANY_TARGETS
  __builtin_cpu_init();
  if (kind == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return ma_fused_loops[row][op];
#endif
  return ma_special_loops[2 * (kind - 1) + row][op];
}

ma_loop *ma_cpu_loop(ma_opcode op, ma_dtype dtype) {
  if (ma_ops[op].flags & MA_OPF_SPECIAL) return special_loop(op, dtype);
  const loop_set *set = loops();
  if (places[dtype].kind == 0)
    return set->ints[ma_op_is_signless(op) ? places[dtype].as_signed : places[dtype].row][op];
  return (places[dtype].kind == 1 ? set->floats : set->complexes)[places[dtype].row][op];
}

ma_loop *ma_cpu_single(ma_opcode op, ma_dtype dtype, int operand) {
  return places[dtype].kind == 1 ? loops()->singles[operand][places[dtype].row][op] : NULL;
}

/* The loop for bools as they lie in memory: an operation on bytes that reads them as truths. NULL if there is none. */
ma_loop *ma_cpu_truths(ma_opcode op, ma_dtype dtype) {
  ma_opcode same = dtype == MA_BOOL ? ma_op_of_truths(op) : MA_CAST;
  return same != MA_CAST ? ma_cpu_loop(same, MA_UINT8) : NULL;
}

ma_loop *ma_cpu_cast(ma_dtype from, ma_dtype to) { return loops()->cast[places[from].from][to]; }

ma_loop *ma_cpu_round(ma_dtype dtype) { return loops()->round[dtype]; }
ma_loop *ma_cpu_load(ma_dtype dtype) { return loops()->load[dtype]; }
ma_loop *ma_cpu_store(ma_dtype dtype) { return loops()->store[dtype]; }
