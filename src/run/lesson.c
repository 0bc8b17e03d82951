/*
** lesson.c: learns which programs have results that are used twice. Such a program ran once inside its consumer and
** once by itself. If that happens in most turns of a loop, the program runs at its first use. From time to time it is
** taken in again, to see whether it is still used twice.
*/
#include "run/run.h"
#include "run/pending.h"
#include "tuning.h"

#define LEARNED 64 /* a power of 2 */

typedef struct lesson {
  uint64_t hash;
  int first, second, turns;
} lesson;
static __thread lesson lessons[LEARNED];
bool ma_learned_any;

static uint64_t hash_program(const ma_pending *p) {
  uint64_t hash = ma_hash(p->bound.code, p->bound.ncode * sizeof *p->bound.code, (uint64_t)p->size + p->bound.ninput);
  return ma_hash(p->bound.input_dtype, p->bound.ninput, hash) | 1;
}

static lesson *find_lesson(uint64_t hash) { return &lessons[hash >> 32 & (LEARNED - 1)]; }

static bool is_worth(const ma_pending *p) {
  if (p->bound.ncode >= TUNE_LEARN_FROM) return true;
  for (int k = 0; k < p->bound.ncode; k++)
    if (!ma_op_is_light(p->bound.code[k].op)) return true;
  return false;
}

void ma_pending_learn(const ma_pending *p) {
  if (!is_worth(p)) return;
  uint64_t hash = hash_program(p);
  lesson *l = find_lesson(hash);
  if (l->hash != hash) *l = (lesson){ .hash = hash, .first = 1 };
  l->second++;
  if (l->second >= 2 && 2 * l->second >= l->first) l->turns = TUNE_LEARN_TURNS;
  __atomic_store_n(&ma_learned_any, true, __ATOMIC_RELAXED);
}

bool ma_pending_is_learned(const ma_pending *p) {
  if (!is_worth(p)) return false;
  uint64_t hash = hash_program(p);
  lesson *l = find_lesson(hash);
  if (l->hash != hash) return false;
  if (l->turns == 0) {
    if (++l->first == TUNE_LEARN_COUNT) /* the counts are halved, so that recent turns count most */
      l->first /= 2, l->second /= 2;
    return false;
  }
  if (--l->turns == 0) l->first = l->second = 0;
  return true;
}
