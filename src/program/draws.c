/* draws.c: the table of random draws, made from random.def, and properties of a draw for both backends. */
#include "backend/random.h"

#include <string.h>

#define BLOCK true, false, false
#define DRAW false, false, false
#define PLAIN false, false, false
#define GAMMA false, false, true
#define SINGLE false, true, false
const ma_random_info ma_randoms[MA_NRANDOM] = {
#define RANDOM(name, nparam, form, doc) { #name, nparam, form },
#include "backend/random.def"
#undef RANDOM
};
#undef BLOCK
#undef DRAW
#undef PLAIN
#undef GAMMA
#undef SINGLE

bool ma_random_find(const char *name, ma_random_kind *kind) {
  for (int k = 0; k < MA_NRANDOM; k++)
    if (!strcmp(ma_randoms[k].name, name)) {
      *kind = (ma_random_kind)k;
      return true;
    }
  return false;
}

/* Whether an element takes 64 bits. */
static bool is_wide(const ma_random *r) {
  if (r->kind == MA_RANDOM_integers) return r->job.span == 0 || r->job.span > UINT64_C(1) << 32;
  return r->dtype == MA_FLOAT64;
}

int ma_random_per_block(const ma_random *random) {
  return !ma_randoms[random->kind].block ? 1 : is_wide(random) ? 2 : 4;
}

static bool is_narrow(const ma_random *r) {
  return ma_dtypes[r->dtype].kind == MA_KIND_FLOAT && r->dtype != MA_FLOAT64;
}

bool ma_random_is_single(const ma_random *r) { return ma_randoms[r->kind].single && is_narrow(r); }
bool ma_random_is_tried(const ma_random *r) { return ma_randoms[r->kind].tried && is_narrow(r); }

bool ma_random_is_standard(const ma_random *r) {
  return (r->kind == MA_RANDOM_uniform || r->kind == MA_RANDOM_normal) && r->job.param[0] == 0 && r->job.param[1] == 1;
}

void ma_random_of(const ma_drawn *drawn, ma_random *random) {
  memset(random, 0, sizeof *random);
  random->kind = (ma_random_kind)drawn->kind;
  random->dtype = drawn->dtype;
  random->source = drawn->source;
  random->job.key = drawn->key;
  random->job.draw = drawn->draw;
  random->job.attempt = drawn->turn * MA_RANDOM_ATTEMPTS;
  random->job.cell = drawn->cell;
  random->job.param[1] = 1;
  if (drawn->kind == MA_RANDOM_integers) ma_random_bounds(&random->job, drawn->low, drawn->span);
}

void ma_random_bounds(ma_random_job *job, int64_t low, uint64_t span) {
  job->low = low;
  job->span = span;
  job->threshold = span == 0 ? 0 : span > UINT64_C(1) << 32 ? (0 - span) % span : (UINT64_C(1) << 32) % span;
}
