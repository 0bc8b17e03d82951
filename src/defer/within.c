/*
** within.c: is the value of one pending program computed on the way of another? `squared * sqrt(squared)` has it so: the root took squared
** in, and beside it squared costs nothing.
*/
#include "defer/defer.h"
#include "defer/pending.h"

#include <string.h>

static int find_input(const ma_pending *q, const ma_pending *p, int k)
{
  size_t extents = p->ndim * sizeof(int64_t);
  for (int i = 0; i < q->ninput; i++)
    if (q->reading[i].buffer == p->reading[k].buffer && q->reading[i].offset == p->reading[k].offset &&
        q->input_dtype[i] == p->input_dtype[k] && !memcmp(q->step + i * q->ndim, p->step + k * p->ndim, extents))
      return i;
  return -1;
}

static int find_scalar(const ma_pending *q, const ma_pending *p, int k)
{
  for (int i = 0; i < q->nscalar; i++)
    if (q->scalar_dtype[i] == p->scalar_dtype[k] && !memcmp(&q->scalar[i], &p->scalar[k], sizeof *q->scalar))
      return MA_REG_SCALAR + i;
  return -1;
}

static int find_instr(const ma_pending *q, const ma_instr *instr, const int8_t *reg)
{
  ma_instr renamed = *instr;
  for (int a = 0; a < ma_ops[instr->op].nin; a++)
    renamed.arg[a] = (uint8_t)reg[instr->arg[a]];
  for (int k = 0; k < q->ncode; k++)
    if (!memcmp(&q->code[k], &renamed, sizeof renamed))
      return MA_REG_CODE + k;
  return -1;
}

int ma_pending_within(const ma_pending *q, const ma_pending *p)
{
  int8_t reg[MA_MAX_REGS];
  size_t extents = p->ndim * sizeof(int64_t);
  if (q == p || q->ndim != p->ndim || q->ncode <= p->ncode || memcmp(q->shape, p->shape, extents))
    return -1;
  for (int k = 0; k < p->ninput; k++)
    if ((reg[k] = (int8_t)find_input(q, p, k)) < 0)
      return -1;
  for (int k = 0; k < p->nscalar; k++)
    if ((reg[MA_REG_SCALAR + k] = (int8_t)find_scalar(q, p, k)) < 0)
      return -1;
  for (int k = 0; k < p->ncode; k++)
    if ((reg[MA_REG_CODE + k] = (int8_t)find_instr(q, &p->code[k], reg)) < 0)
      return -1;
  return reg[p->output];
}
