/*
** small.c: programs over a few packed elements, such as `a + b` of small arrays, where making a plan (block.c) costs more than the
** work. An instruction runs over up to a block at once, the last one straight into the result; what is left of a lane is padded.
*/
#include "cpu.h"

#include <string.h>

#define MOST 8192                      /* elements */
#define ARENA 32768                    /* bytes of all that is not in an array */

typedef struct small {
  const ma_program *program;
  int width;                           /* elements that have room in the arena */
  ma_loop *loop[MA_MAX_CODE];
  char *place[MA_MAX_REGS];            /* of scalars and instructions */
} small;

static bool is_packed(const ma_map *map, int k, int size)
{
  return map->space.stride[k][0] == size && ((uintptr_t)map->data[k] & (uintptr_t)((size < 8 ? size : 8) - 1)) == 0;
}

/* Finds the loops; false where something has to be converted on its way from or to memory, or takes no loop. */
static bool choose_loops(small *s, const ma_map *map)
{
  const ma_program *program = map->program;
  int last = program->ncode - 1;
  if (last < 0 || program->noutput != 1 || program->output[0] != MA_REG_CODE + last) return false;
  for (int j = 0; j < program->ninput; j++) {
    ma_dtype dtype = (ma_dtype)program->input_dtype[j];
    if (ma_cpu_load(dtype) != NULL || !is_packed(map, j + 1, ma_dtypes[dtype].itemsize)) return false;
  }
  for (int k = 0; k <= last; k++) {
    const ma_instr *instr = &program->code[k];
    s->loop[k] = instr->op == MA_OP_cast ? ma_cpu_cast((ma_dtype)instr->dtype, (ma_dtype)instr->result)
                                         : ma_cpu_loop((ma_opcode)instr->op, (ma_dtype)instr->dtype);
    if (s->loop[k] == NULL || ma_cpu_round((ma_dtype)instr->result) != NULL) return false;
  }
  ma_dtype dtype = (ma_dtype)program->code[last].result;
  return ma_cpu_store(dtype) == NULL && is_packed(map, 0, ma_dtypes[dtype].itemsize);
}

static void repeat(char *to, const void *value, int size, int n)
{
  memcpy(to, value, (size_t)size);
  for (int done = 1; done < n; done *= 2)
    memcpy(to + done * size, to, (size_t)size * (size_t)(n - done < done ? n - done : done));
}

/* Divides the arena and fills in the scalars; false if it is too small. */
static bool lay_out(small *s, const ma_map *map, char *arena)
{
  const ma_program *program = map->program;
  size_t used = 0;
  for (int j = 0; j < program->nscalar; j++) {
    char value[16];
    int size = ma_dtypes[program->scalar_dtype[j]].regsize;
    if (ma_cpu_load((ma_dtype)program->scalar_dtype[j]) != NULL) return false;
    s->place[MA_REG_SCALAR + j] = arena + used;
    used += ((size_t)size * (size_t)s->width + MA_ALIGN - 1) / MA_ALIGN * MA_ALIGN;
    if (used > ARENA) return false;
    ma_value_store(value, (ma_dtype)program->scalar_dtype[j], map->scalar[j]);
    repeat(s->place[MA_REG_SCALAR + j], value, size, s->width);
  }
  for (int k = 0; k < program->ncode - 1; k++) {
    s->place[MA_REG_CODE + k] = arena + used;
    used += ((size_t)ma_dtypes[program->code[k].result].regsize * (size_t)s->width + MA_ALIGN - 1) / MA_ALIGN * MA_ALIGN;
    if (used > ARENA) return false;
  }
  return true;
}

/* n whole lanes, at most the width. */
static void run(const small *s, const char *const *input, char *result, int n)
{
  const ma_program *program = s->program;
  const void *arg[MA_MAX_ARITY] = { NULL };
  for (int k = 0; k < program->ncode; k++) {
    const ma_instr *instr = &program->code[k];
    for (int i = 0; i < ma_ops[instr->op].nin; i++)
      arg[i] = instr->arg[i] < MA_REG_SCALAR ? input[instr->arg[i]] : s->place[instr->arg[i]];
    s->loop[k](k == program->ncode - 1 ? result : s->place[MA_REG_CODE + k], arg[0], arg[1], arg[2], arg[3], n);
  }
}

static void run_tail(const small *s, const char *const *input, char *result, int n)
{
  _Alignas(MA_ALIGN) char padded[MA_MAX_INPUTS + 1][MA_LANE * 16];
  const ma_program *program = s->program;
  const char *from[MA_MAX_INPUTS];
  for (int j = 0; j < program->ninput; j++) {
    size_t size = ma_dtypes[program->input_dtype[j]].itemsize;
    memset(padded[j], 0, MA_LANE * size);
    from[j] = memcpy(padded[j], input[j], (size_t)n * size);
  }
  run(s, from, padded[MA_MAX_INPUTS], MA_LANE);
  memcpy(result, padded[MA_MAX_INPUTS], (size_t)n * ma_dtypes[program->code[program->ncode - 1].result].itemsize);
}

bool ma_cpu_small(const ma_map *map)
{
  _Alignas(MA_ALIGN) char arena[ARENA];
  const ma_program *program = map->program;
  small s;
  int64_t n = map->space.shape[0];
  if (map->space.ndim != 1 || n > MOST || !choose_loops(&s, map)) return false;
  s.program = program;
  s.width = n >= MA_BLOCK ? MA_BLOCK : n < MA_LANE ? MA_LANE : (int)n / MA_LANE * MA_LANE;
  if (!lay_out(&s, map, arena)) return false;
  const char *input[MA_MAX_INPUTS];
  char *result = map->data[0];
  for (int j = 0; j < program->ninput; j++) input[j] = map->data[j + 1];
  for (int part; n > 0; n -= part) {
    part = n > s.width ? s.width : (int)n;
    if (part >= MA_LANE) part = part / MA_LANE * MA_LANE;
    if (part >= MA_LANE) run(&s, input, result, part);
    else run_tail(&s, input, result, part);
    for (int j = 0; j < program->ninput; j++) input[j] += part * ma_dtypes[program->input_dtype[j]].itemsize;
    result += part * ma_dtypes[program->code[program->ncode - 1].result].itemsize;
  }
  return true;
}
