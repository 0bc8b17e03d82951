/*
** pool.c: the pools over a pretended device whose addresses point to nothing: how much a trace of allocations holds,
** that blocks never overlap and go back whole, limits, marks, threads.
*/
#include "ops/ops.h"
#include "memory/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int passed, failed;

#define CHECK(condition)                                     \
  do {                                                       \
    if (condition) passed++;                                 \
    else {                                                   \
      failed++;                                              \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
    }                                                        \
  } while (0)

static uint64_t seed = 20260101;
static double random_unit(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(seed >> 11) / 9007199254740992.0;
}
static int random_below(int n) { return (int)(random_unit() * n); }

/* 2^x for 0 <= x < 64, piecewise linear: exact enough for sizes */
static size_t power2(double x) {
  int whole = (int)x;
  double rest = x - whole;
  return (size_t)((double)((size_t)1 << whole) * (1 + rest * (0.6565 + rest * 0.3435)));
}

/* ==== The pretended device: addresses go up and never come again ==== */

static int64_t device_bytes, device_blocks, device_calls;
static size_t device_room;
static uintptr_t next_address = (uintptr_t)1 << 40;
typedef struct given {
  void *ptr;
  size_t nbytes;
} given;
static given all_given[65536];
static int ngiven;

static ma_status pretend_alloc(ma_device *device, size_t nbytes, void **ptr) {
  __atomic_add_fetch(&device_calls, 1, __ATOMIC_RELAXED);
  if (device_room && (size_t)device_bytes + nbytes > device_room)
    return ma_fail(MA_ERR_MEMORY, "out of memory: the pretended device is full");
  *ptr = (void *)next_address;
  next_address += (nbytes + 4095) / 4096 * 4096 + 4096;
  all_given[ngiven++] = (given){ *ptr, nbytes };
  device_bytes += (int64_t)nbytes;
  device_blocks++;
  return MA_OK;
}

static void pretend_free(ma_device *device, void *ptr) {
  for (int k = 0; k < ngiven; k++)
    if (all_given[k].ptr == ptr) {
      device_bytes -= (int64_t)all_given[k].nbytes;
      device_blocks--;
      all_given[k] = all_given[--ngiven];
      return;
    }
  CHECK(!"an address that the device gave");
}

static ma_status pretend_describe(ma_device *device, size_t *free_bytes, size_t *total_bytes, char *text, size_t size) {
  return ma_fail(MA_ERR_DEVICE, "the pretended device does not say");
}

static const ma_backend backend = { .name = "pretended",
                                    .info = { .describe = pretend_describe },
                                    .memory = { .alloc = pretend_alloc, .free = pretend_free } };
static ma_device device = { .backend = &backend, .name = "pretended" };

static ma_pool *new_pool(void) {
  ma_pool *pool = NULL;
  CHECK(ma_pool_new(&device, &pool) == MA_OK);
  return pool;
}

static ma_pool_stats statistics(ma_pool *pool) {
  ma_pool_stats stats;
  ma_pool_statistics(pool, &stats);
  return stats;
}

/* ==== A trace: sizes log-uniform from `low` to `high` powers of two, lives from a few allocations to very many ==== */

#define MAX_LIVE 4096

typedef struct life {
  ma_buffer *buffer;
  int end;
} life;

static double trace(double low, double high, int steps, int longest) {
  static life live[MAX_LIVE];
  ma_pool *pool = new_pool();
  int nlive = 0;
  int64_t bytes = 0, live_peak = 0, held_peak = 0, calls = device_calls;
  for (int step = 0; step < steps; step++) {
    for (int k = 0; k < nlive; k++)
      if (live[k].end <= step) {
        bytes -= (int64_t)live[k].buffer->nbytes;
        ma_buffer_release(live[k].buffer);
        live[k--] = live[--nlive];
      }
    size_t nbytes = power2(low + (high - low) * random_unit());
    ma_buffer *buffer = NULL;
    CHECK(ma_pool_alloc(pool, nbytes, &buffer) == MA_OK);
    int end = step + 1 + (int)power2(random_unit() * longest);
    if (nlive == MAX_LIVE) {
      ma_buffer_release(buffer);
      continue;
    }
    live[nlive++] = (life){ buffer, end };
    bytes += (int64_t)nbytes;
    live_peak = bytes > live_peak ? bytes : live_peak;
    held_peak = device_bytes > held_peak ? device_bytes : held_peak;
  }
  while (nlive > 0) ma_buffer_release(live[--nlive].buffer);
  CHECK(statistics(pool).used_bytes == 0);
  ma_pool_drop(pool);
  CHECK(device_bytes == 0 && device_blocks == 0);
  double ratio = (double)held_peak / (double)live_peak;
  printf("trace 2^%.0f..2^%.0f, lives up to 2^%d: %.2f GiB live, %.2f GiB held, ratio %.3f, %.3f calls of the device "
         "an allocation\n",
         low, high, longest, (double)live_peak / 0x1p30, (double)held_peak / 0x1p30, ratio,
         (double)(device_calls - calls) / steps);
  return ratio;
}

static void test_traces(void) {
  static const int longest[] = { 6, 8, 10 };
  for (int k = 0; k < 3; k++)
    for (int again = 0; again < 3; again++) {
      CHECK(trace(10, 30, 20000, longest[k]) < 1.3);
      CHECK(trace(16, 26, 20000, longest[k]) < 1.35);
      CHECK(trace(20, 30, 20000, longest[k]) < 1.35);
    }
}

/* ==== Random work: no two blocks overlap, all lie in what the device gave, and everything goes back ==== */

static int compare_address(const void *a, const void *b) {
  const ma_buffer *x = *(ma_buffer *const *)a, *y = *(ma_buffer *const *)b;
  return (x->ptr > y->ptr) - (x->ptr < y->ptr);
}

static bool inside_device(const ma_buffer *buffer) {
  const char *from = buffer->ptr, *to = from + buffer->nbytes;
  for (int k = 0; k < ngiven; k++)
    if (from >= (char *)all_given[k].ptr && to <= (char *)all_given[k].ptr + all_given[k].nbytes) return true;
  return false;
}

static void check_blocks(ma_pool *pool, ma_buffer **buffer, int n) {
  size_t used = 0;
  qsort(buffer, (size_t)n, sizeof *buffer, compare_address);
  for (int k = 0; k < n; k++) {
    CHECK(inside_device(buffer[k]));
    CHECK((uintptr_t)buffer[k]->ptr % 128 == 0);
    used += buffer[k]->nbytes;
    if (k > 0 && (char *)buffer[k - 1]->ptr + buffer[k - 1]->nbytes > (char *)buffer[k]->ptr) CHECK(!"blocks overlap");
  }
  ma_pool_stats stats = statistics(pool);
  CHECK(stats.used_bytes >= used);
  CHECK(stats.total_bytes == (size_t)device_bytes);
  CHECK(stats.free_bytes + stats.used_bytes == stats.total_bytes);
}

static void test_random(void) {
  enum { N = 512 };
  ma_buffer *buffer[N];
  int n = 0;
  ma_pool *pool = new_pool();
  for (int step = 0; step < 30000; step++) {
    if (n == N || (n > 0 && random_below(100) < 48)) {
      int k = random_below(n);
      ma_buffer_release(buffer[k]);
      buffer[k] = buffer[--n];
    } else {
      CHECK(ma_pool_alloc(pool, random_below(50) ? power2(30 * random_unit()) : 0, &buffer[n]) == MA_OK);
      n++;
    }
    if (step % 500 == 0) check_blocks(pool, buffer, n);
    if (step % 5000 == 4999) ma_pool_free_all(pool);
  }
  while (n > 0) ma_buffer_release(buffer[--n]);
  ma_pool_free_all(pool);
  CHECK(device_blocks == 0 && statistics(pool).n_free_blocks == 0);
  ma_pool_drop(pool);
}

/* ==== Single properties ==== */

#define MIB ((size_t)1 << 20)

static ma_buffer *take(ma_pool *pool, size_t nbytes) {
  ma_buffer *buffer = NULL;
  CHECK(ma_pool_alloc(pool, nbytes, &buffer) == MA_OK);
  return buffer;
}

/* A free block of 1 GiB is not broken for 100 MiB, is for 300 MiB, and is whole again afterwards. */
static void test_breaking(void) {
  ma_pool *pool = new_pool();
  ma_buffer *whole = take(pool, 1024 * MIB);
  void *at = whole->ptr;
  ma_buffer_release(whole);
  for (int k = 0; k < 3; k++) {
    static const size_t small[] = { 1000, 2 * MIB, 17 * MIB };
    ma_buffer *buffer = take(pool, small[k]);
    CHECK((char *)buffer->ptr < (char *)at || (char *)buffer->ptr >= (char *)at + 1024 * MIB);
    ma_buffer_release(buffer);
  }
  ma_buffer *part[3];
  for (int k = 0; k < 3; k++) part[k] = take(pool, 300 * MIB);
  for (int k = 0; k < 3; k++) CHECK(part[k]->ptr == (char *)at + (size_t)k * 300 * MIB);
  ma_buffer_release(part[0]);
  ma_buffer_release(part[2]);
  ma_buffer_release(part[1]);
  whole = take(pool, 1024 * MIB);
  CHECK(whole->ptr == at);
  ma_buffer_release(whole);
  ma_pool_drop(pool);
  CHECK(device_blocks == 0);
}

/* What a block is cut down by comes back as one piece with the free one behind it, counts as free, and is handed out
** again. */
static void test_shrinking(void) {
  ma_pool *pool = new_pool();
  ma_buffer *a = take(pool, 400 * MIB), *b = take(pool, 300 * MIB), *small = take(pool, 100000), *c;
  char *at = a->ptr;
  int64_t live = ma_pool_live_bytes();
  CHECK(ma_pool_shrink(small, 1000) && small->nbytes == 1000 && ma_pool_live_bytes() == live - 99000);
  CHECK(ma_pool_shrink(a, a->nbytes - MIB) && a->nbytes == 399 * MIB && statistics(pool).used_bytes >= 700 * MIB);
  CHECK(ma_pool_shrink(a, 200 * MIB + 5) && a->nbytes == 200 * MIB + 5 && a->ptr == at);
  CHECK(ma_pool_live_bytes() == live - (int64_t)(200 * MIB) + 5 - 99000);
  CHECK(statistics(pool).used_bytes < (500 + 2) * MIB && statistics(pool).total_bytes >= 700 * MIB);
  CHECK(ma_pool_shrink(a, 100 * MIB));
  c = take(pool, 300 * MIB);
  CHECK((char *)c->ptr == at + 100 * MIB && statistics(pool).total_bytes < 703 * MIB);
  ma_buffer_release(c);
  ma_buffer_release(a);
  a = take(pool, 400 * MIB);
  CHECK(a->ptr == at);
  ma_buffer_release(a);
  ma_buffer_release(b);
  ma_buffer_release(small);
  CHECK(statistics(pool).used_bytes == 0 && ma_pool_live_bytes() == live - (int64_t)(700 * MIB) - 100000);
  ma_pool_free_all(pool);
  CHECK(statistics(pool).total_bytes == 0);
  ma_pool_drop(pool);
}

static void test_limit(void) {
  ma_pool *pool = new_pool();
  ma_buffer *a = NULL, *b = NULL;
  ma_pool_set_limit(pool, 100 * MIB);
  a = take(pool, 60 * MIB);
  CHECK(ma_pool_alloc(pool, 60 * MIB, &b) == MA_ERR_MEMORY);
  CHECK(strstr(ma_message(), "60.0 MiB in use") && strstr(ma_message(), "100 MiB"));
  ma_buffer_release(a);
  b = take(pool, 90 * MIB); /* what is cached makes room */
  CHECK(statistics(pool).total_bytes <= 100 * MIB);
  ma_buffer_release(b);
  ma_pool_set_limit(pool, 0);
  b = take(pool, 200 * MIB);
  ma_buffer_release(b);
  ma_pool_drop(pool);
}

/* A full device: what is cached goes back, and before an error a large free piece is broken up after all. */
static void test_full(void) {
  ma_pool *pool = new_pool();
  device_room = 256 * MIB;
  ma_buffer *a = take(pool, 200 * MIB);
  ma_buffer_release(a);
  a = take(pool, 100 * MIB);
  ma_buffer *b = take(pool, 90 * MIB);
  ma_buffer *c = NULL, *d = NULL;
  CHECK(ma_pool_alloc(pool, 100 * MIB, &c) == MA_ERR_MEMORY);
  ma_buffer_release(a);
  c = take(pool, 2 * MIB);
  for (int k = 0; k < 2; k++) CHECK(ma_pool_alloc(pool, 300 * MIB, &d) == MA_ERR_MEMORY);
  ma_buffer_release(b);
  ma_buffer_release(c);
  ma_pool_drop(pool);
  CHECK(device_blocks == 0);
  device_room = 0;
}

/* The pool outlives its owner for as long as there is a block of it. */
static void test_dropped(void) {
  ma_pool *pool = new_pool();
  ma_buffer *a = take(pool, 1000), *b = take(pool, 40 * MIB);
  ma_pool_drop(pool);
  CHECK(device_blocks == 2);
  ma_buffer_release(a);
  CHECK(device_blocks == 2);
  ma_buffer_release(b);
  CHECK(device_blocks == 0);
  CHECK(new_pool() == pool); /* and then serves again, as a new one */
  CHECK(statistics(pool).total_bytes == 0 && statistics(pool).peak_bytes == 0);
  ma_pool_drop(pool);
}

/* Free blocks of the hinted stream come first; joined blocks have the marks of both. */
static void test_marks(void) {
  ma_stream one = { .device = &device }, two = { .device = &device };
  static const size_t sizes[] = { 4000, 20 * MIB };
  for (int k = 0; k < 2; k++) {
    ma_pool *pool = new_pool();
    ma_buffer *a = take(pool, sizes[k]), *b = take(pool, sizes[k]);
    a->marks.writer = &one;
    b->marks.writer = &two;
    void *at = a->ptr, *bt = b->ptr;
    ma_buffer_release(a);
    ma_buffer_release(b);
    device.hint = &one;
    a = take(pool, sizes[k]);
    CHECK(a->ptr == at && a->marks.writer == &one);
    ma_buffer_release(a);
    device.hint = &two;
    a = take(pool, sizes[k]);
    CHECK(a->ptr == bt && a->marks.writer == &two);
    ma_buffer_release(a);
    device.hint = NULL;
    ma_pool_drop(pool);
  }
  ma_pool *pool = new_pool();
  ma_buffer_release(take(pool, 64 * MIB));
  ma_buffer *a = take(pool, 32 * MIB), *b = take(pool, 32 * MIB);
  CHECK((char *)b->ptr == (char *)a->ptr + 32 * MIB);
  a->marks.writer = &one;
  b->marks.writer = &two;
  void *bt = b->ptr;
  ma_buffer_release(a);
  ma_buffer_release(b);
  device.hint = &two; /* who used a piece last has it back without a word of its neighbour's user */
  a = take(pool, 32 * MIB);
  CHECK(a->ptr == bt && a->marks.writer == &two && a->marks.nreader == 0);
  ma_buffer_release(a);
  device.hint = NULL;
  a = take(pool, 64 * MIB);
  CHECK(a->marks.writer == &one && a->marks.nreader == 1 && a->marks.reader[0] == &two);
  ma_buffer_release(a);
  ma_pool_drop(pool);
}

static void test_serving(void) {
  ma_pool *standard = new_pool(), *mine = new_pool();
  ma_buffer *buffer = NULL;
  device.pool = standard;
  CHECK(ma_pool_serving(&device) == standard);
  ma_pool_set_allocator(&device, mine);
  CHECK(ma_buffer_new(&device, 100, &buffer) == MA_OK && ((ma_slab *)buffer->owner)->pool == mine);
  ma_buffer_release(buffer);
  ma_pool_retain(standard);
  ma_pool *before = ma_pool_swap(&device, standard);
  CHECK(before == NULL && ma_pool_serving(&device) == standard);
  ma_pool_drop(ma_pool_swap(&device, before));
  CHECK(ma_pool_serving(&device) == mine);
  ma_pool_drop(mine);
  CHECK(ma_pool_serving(&device) == mine); /* the device holds it */
  ma_pool_set_allocator(&device, NULL);
  CHECK(ma_pool_serving(&device) == standard);
  device.pool = NULL;
  ma_pool_drop(standard);
}

static void test_watch(void) {
  ma_pool *pool = new_pool();
  ma_watch *watch = ma_watch_new(~0u);
  ma_pool_event event[8];
  int64_t lost;
  ma_buffer_release(take(pool, 1000));
  CHECK(ma_watch_take(watch, event, 8, &lost) == 3 && lost == 0);
  CHECK(event[0].act == MA_ACT_ALLOC && event[0].mem_size == 2 * MIB);
  CHECK(event[1].act == MA_ACT_MALLOC && event[1].size == 1000 && event[1].mem_size == 1024);
  CHECK(event[2].act == MA_ACT_FREE && event[2].ptr == event[1].ptr && event[2].id == event[1].id);
  for (int k = 0; k < 40000; k++) ma_buffer_release(take(pool, 1000));
  CHECK(ma_watch_take(watch, event, 8, &lost) == 8 && lost == 80000 - 65536);
  ma_watch_free(watch);
  CHECK(ma_nwatch == 0);
  ma_pool_drop(pool);
}

/* ==== Threads, over the real CPU: each writes what it owns ==== */

static void *work(void *argument) {
  enum { N = 64 };
  ma_pool *pool = argument;
  ma_buffer *buffer[N] = { NULL };
  uint64_t state = (uint64_t)(uintptr_t)&state;
  for (int step = 0; step < 4000; step++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    int k = (int)(state >> 58) % N;
    if (buffer[k]) {
      char *p = buffer[k]->ptr;
      if (p[0] != (char)k || p[buffer[k]->nbytes - 1] != (char)k) return "a block was written by another thread";
      ma_buffer_release(buffer[k]);
      buffer[k] = NULL;
      continue;
    }
    if (ma_pool_alloc(pool, (size_t)1 << (1 + (state >> 40) % 23), &buffer[k]) != MA_OK) return "no memory";
    char *p = buffer[k]->ptr;
    p[0] = p[buffer[k]->nbytes - 1] = (char)k;
    if (step % 1000 == 999) ma_pool_free_all(pool);
  }
  for (int k = 0; k < N; k++) ma_buffer_release(buffer[k]);
  return NULL;
}

static void test_threads(void) {
  pthread_t thread[4];
  ma_pool *pool = NULL;
  CHECK(ma_pool_new(ma_device_cpu(), &pool) == MA_OK);
  for (int k = 0; k < 4; k++) CHECK(pthread_create(&thread[k], NULL, work, pool) == 0);
  for (int k = 0; k < 4; k++) {
    void *result = NULL;
    pthread_join(thread[k], &result);
    if (result) puts(result);
    CHECK(!result);
  }
  CHECK(statistics(pool).used_bytes == 0);
  ma_pool_drop(pool);
}

/* The cost of a pair with ten thousand free blocks of all sizes. */
static void test_speed(void) {
  enum { N = 10000 };
  static ma_buffer *buffer[N];
  ma_pool *pool = new_pool();
  for (int k = 0; k < N; k++) buffer[k] = take(pool, power2(12 + 15 * random_unit()));
  for (int k = 0; k < N; k++) ma_buffer_release(buffer[k]);
  int64_t calls = device_calls;
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (int k = 0; k < 200000; k++) ma_buffer_release(take(pool, power2(12 + 15 * random_unit())));
  clock_gettime(CLOCK_MONOTONIC, &to);
  printf("%.0f ns for an allocation and its release among %lld free blocks, %lld calls of the device\n",
         ((double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec)) / 200000,
         (long long)statistics(pool).n_free_blocks, (long long)(device_calls - calls));
  CHECK(device_calls - calls < 100);
  ma_pool_drop(pool);
}

int main(void) {
  if (!ma_config_int(MA_CONFIG_POOL)) {
    puts("skipped: MOONARRAY_POOL=0 caches nothing");
    return 0;
  }
  test_breaking();
  test_shrinking();
  test_limit();
  test_full();
  test_dropped();
  test_marks();
  test_serving();
  test_watch();
  test_random();
  test_traces();
  test_speed();
  test_threads();
  printf("%d checks passed, %d failed\n", passed, failed);
  return failed != 0;
}
