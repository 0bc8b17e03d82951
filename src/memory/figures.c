/* figures.c: the list of all pools, and their statistics: of all, of one, and in the message of a failed allocation. */
#include "base/number.h"
#include "memory/pool.h"

#include <stdio.h>

static ma_pool *pools; /* all pools of the process */

ma_pool *ma_pool_first(void) { return __atomic_load_n(&pools, __ATOMIC_ACQUIRE); }

void ma_pool_enlist(ma_pool *pool) {
  pool->next = ma_pool_first();
  while (!__atomic_compare_exchange_n(&pools, &pool->next, pool, true, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE)) continue;
}

int64_t ma_pool_live_count(void) {
  int64_t sum = 0;
  for (const ma_pool *pool = ma_pool_first(); pool; pool = pool->next)
    sum += __atomic_load_n(&pool->nlive, __ATOMIC_RELAXED);
  return sum;
}

int64_t ma_pool_live_large(void) {
  int64_t sum = 0;
  for (const ma_pool *pool = ma_pool_first(); pool; pool = pool->next)
    sum += __atomic_load_n(&pool->nlarge, __ATOMIC_RELAXED);
  return sum;
}

int64_t ma_pool_live_bytes(void) {
  int64_t sum = 0;
  for (const ma_pool *pool = ma_pool_first(); pool; pool = pool->next)
    sum += __atomic_load_n(&pool->live_bytes, __ATOMIC_RELAXED);
  return sum;
}

void ma_pool_statistics(ma_pool *pool, ma_pool_stats *stats) {
  pthread_mutex_lock(&pool->lock);
  *stats = (ma_pool_stats){ .used_bytes = pool->used,
                            .free_bytes = pool->reserved - pool->used,
                            .total_bytes = pool->reserved,
                            .peak_bytes = pool->peak,
                            .limit = pool->limit,
                            .n_free_blocks = pool->nfree };
  pthread_mutex_unlock(&pool->lock);
}

void ma_pool_set_limit(ma_pool *pool, size_t bytes) {
  pthread_mutex_lock(&pool->lock);
  pool->limit = bytes;
  pthread_mutex_unlock(&pool->lock);
}

void ma_pool_reset_peak(ma_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  pool->peak = pool->used;
  pthread_mutex_unlock(&pool->lock);
}

/* ==== Out of memory ============================================================================================== */

/* "1.5 GiB"; returns text. */
static const char *print_bytes(size_t nbytes, char text[32]) {
  static const char *const unit[] = { "bytes", "KiB", "MiB", "GiB", "TiB" };
  double value = (double)nbytes;
  int k = 0;
  for (; value >= 1024 && k < 4; k++) value /= 1024;
  ma_print(text, 32, k && value < 100 ? "%.1f %s" : "%.0f %s", value, unit[k]);
  return text;
}

ma_status ma_pool_fail_memory(ma_pool *pool, size_t nbytes) {
  char want[32], used[32], cached[32], limit[64] = "", left[32], all[32], device[96] = "", number[32];
  size_t free_bytes = 0, total_bytes = 0;
  if (pool->limit) snprintf(limit, sizeof limit, ", its limit is %s", print_bytes(pool->limit, number));
  if (pool->source->backend->info.describe(pool->source, &free_bytes, &total_bytes, NULL, 0) == MA_OK)
    snprintf(device, sizeof device, "; %s of %s are free on the device", print_bytes(free_bytes, left),
             print_bytes(total_bytes, all));
  return ma_fail(
    MA_ERR_MEMORY,
    "out of memory on %s: no room for %s; %s holds %s in use and %s cached%s%s. Free arrays with x:free() or "
    "ma.scope, write into an existing one with out =, compute in smaller pieces%s",
    pool->source->name, print_bytes(nbytes, want), pool->kind == MA_MEMORY_PINNED ? "the pinned pool" : "the pool",
    print_bytes(pool->used, used), print_bytes(pool->reserved - pool->used, cached), limit, device,
    pool->limit ? ", or raise the limit with pool:set_limit" : "");
}
