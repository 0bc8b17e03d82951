/*
** fiber.c: runs the threads of a CUDA block on one thread of the system.
**
** A kernel without waits is a loop over its threads. A kernel with barriers, shuffles or votes gives each thread a
** stack. A thread that waits switches directly to the next one that can run, warp by warp. If no thread of a warp can
** run, its lanes that have all reached the same operation are released. If no warp can run, the threads at the block's
** barrier are released. Nobody waits for a thread that has ended. If threads are left that cannot be released, the
** launch fails with their number.
*/
#include "cpu/kernel/fiber.h"
#include "system/system.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define ASAN 1
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#define TSAN 1
#endif

/* How large the stacks are. Each of 1024 threads has 576 KiB, since a thread of a GPU has up to 512 KiB of locals;
** fewer threads have more. Only touched pages take memory. The tops of stacks are not page-aligned, so that they use
** different cache sets. */
#define MOST_THREADS MA_CPU_BLOCK_THREADS
#define GUARD ((size_t)64 << 10)
#define ROOM ((size_t)MOST_THREADS * ma_system.stack)
#define MOST_STACK ((size_t)1 << 20)
#define STAGGER 832
#define NCANARY 8
#define CANARY 0x5afe57ac4ca9a41full
#define NOBODY (-1)

typedef enum fiber_state { READY, AT_BLOCK, AT_WARP, ENDED } fiber_state;

typedef struct fiber {
  void *place;               /* saved place to switch to */
  uint8_t state, op, source; /* op, source, mask, value: its request to the warp */
  uint32_t mask;
  uint64_t value; /* its value, then the result */
#ifdef ASAN
  void *fake;
#endif
#ifdef TSAN
  void *shadow;
#endif
} fiber;

struct ma_seat {
  struct ma_cpu_block block; /* first: the kernel's calls pass its address */
  const struct ma_cpu_entry *entry;
  unsigned n, ended, arrived, votes; /* threads; ended threads; threads at the barrier; nonzero values given there */
  unsigned guarded;                  /* threads for which canaries are set */
  unsigned warp, next;               /* the current warp, and its next thread to look at */
  int current;
  uint64_t barrier_result;
  char *region;
  size_t stride;
  fiber main;
  const void *main_bottom; /* for AddressSanitizer */
  size_t main_size, shared_room;
  bool failed;
  char message[600];
  jmp_buf exit;
  fiber fiber[MOST_THREADS];
};

static _Thread_local ma_seat *mine;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;

/* ==== Seats ====================================================================================================== */

static void seat_free(void *seat) {
  ma_seat *s = seat;
  if (s->region) munmap(s->region, GUARD + ROOM);
  free(s->block.shared);
  free(s);
}

static void make_key(void) { has_key = pthread_key_create(&key, seat_free) == 0; }

ma_status ma_seat_get(ma_seat **seat) {
  if (!mine) {
    pthread_once(&once, make_key);
    ma_seat *s = has_key ? calloc(1, sizeof *s) : NULL;
    if (!s || pthread_setspecific(key, s) != 0) {
      free(s);
      return ma_fail(MA_ERR_MEMORY, "out of memory for the threads of a block");
    }
    mine = s;
  }
  *seat = mine;
  return MA_OK;
}

ma_status ma_seat_shared(ma_seat *seat, size_t nbytes) {
  if (nbytes <= seat->shared_room) return MA_OK;
  free(seat->block.shared);
  seat->block.shared = NULL;
  seat->shared_room = 0;
  if (posix_memalign(&seat->block.shared, 128, nbytes) != 0) {
    seat->block.shared = NULL;
    return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes of dynamic shared memory", nbytes);
  }
  seat->shared_room = nbytes;
  return MA_OK;
}

struct ma_cpu_block *ma_seat_block(ma_seat *seat) {
  return &seat->block;
}

/* ==== Switching ================================================================================================== */

#if defined(__x86_64__)
#define SWITCH_ABI __attribute__((sysv_abi)) /* on Windows the caller saves what its own convention wants kept */
#else
#define SWITCH_ABI
#endif
#if defined(__ELF__) && defined(__x86_64__)
#define SWITCH_KIND ".hidden ma_fiber_switch\n.type ma_fiber_switch,@function\n"
#elif defined(__ELF__)
#define SWITCH_KIND ".hidden ma_fiber_switch\n.type ma_fiber_switch,%function\n"
#else
#define SWITCH_KIND
#endif
#define SWITCH_BEGIN ".text\n.p2align 4\n.globl ma_fiber_switch\n" SWITCH_KIND "ma_fiber_switch:\n"

/* Saves the callee-saved registers and the stack in *from, and continues where `to` was saved. */
SWITCH_ABI void ma_fiber_switch(void **from, void *to);
static void fiber_start(void);

#if defined(__x86_64__)
__asm__(SWITCH_BEGIN "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
                     "  movq %rsp, (%rdi)\n  movq %rsi, %rsp\n"
                     "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n  ret\n");

static void *fresh_place(fiber *f, char *bottom, char *top) {
  void **sp = (void **)((uintptr_t)top & ~(uintptr_t)15) - 8; /* Windows' convention has a place for arguments there */
  *--sp = NULL;                                               /* return address of fiber_start */
  *--sp = (void *)fiber_start;
  for (int i = 0; i < 6; i++) *--sp = NULL;
  return sp;
}

#elif defined(__aarch64__)
__asm__(SWITCH_BEGIN
        "  sub sp, sp, #160\n"
        "  stp x19, x20, [sp, #0]\n  stp x21, x22, [sp, #16]\n  stp x23, x24, [sp, #32]\n  stp x25, x26, [sp, #48]\n"
        "  stp x27, x28, [sp, #64]\n  stp x29, x30, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n  stp d10, d11, [sp, #112]\n  stp d12, d13, [sp, #128]\n  stp d14, d15, [sp, #144]\n"
        "  mov x9, sp\n  str x9, [x0]\n  mov sp, x1\n"
        "  ldp x19, x20, [sp, #0]\n  ldp x21, x22, [sp, #16]\n  ldp x23, x24, [sp, #32]\n  ldp x25, x26, [sp, #48]\n"
        "  ldp x27, x28, [sp, #64]\n  ldp x29, x30, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n  ldp d10, d11, [sp, #112]\n  ldp d12, d13, [sp, #128]\n  ldp d14, d15, [sp, #144]\n"
        "  add sp, sp, #160\n  ret\n");

static void *fresh_place(fiber *f, char *bottom, char *top) {
  void **sp = (void **)(((uintptr_t)top & ~(uintptr_t)15) - 160);
  memset(sp, 0, 160);
  sp[11] = (void *)fiber_start; /* x30 */
  return sp;
}

#else
/* A place is a ucontext_t at the bottom of the stack, behind the canaries; main has its own. */
#include <ucontext.h>
static _Thread_local ucontext_t main_context;

void ma_fiber_switch(void **from, void *to) {
  if (!*from) *from = &main_context;
  swapcontext(*from, to ? to : &main_context);
}

static void *fresh_place(fiber *f, char *bottom, char *top) {
  ucontext_t *context = (ucontext_t *)(((uintptr_t)bottom + NCANARY * 8 + 63) & ~(uintptr_t)63);
  getcontext(context);
  context->uc_stack.ss_sp = context + 1;
  context->uc_stack.ss_size = (size_t)(top - (char *)(context + 1));
  context->uc_link = NULL;
  makecontext(context, fiber_start, 0);
  return context;
}
#endif

/* Thread 0 has the highest stack: it runs first, and overflows into other stacks before it leaves the region. */
static char *stack_bottom(const ma_seat *s, unsigned t) { return s->region + GUARD + (s->n - 1 - t) * s->stride; }

static void change(ma_seat *s, fiber *from, int to) {
  fiber *target = to == NOBODY ? &s->main : &s->fiber[to];
  s->current = to;
#ifdef ASAN
  __sanitizer_start_switch_fiber(from->state == ENDED ? NULL : &from->fake,
                                 to == NOBODY ? s->main_bottom : stack_bottom(s, (unsigned)to),
                                 to == NOBODY ? s->main_size : s->stride);
#endif
#ifdef TSAN
  __tsan_switch_to_fiber(target->shadow, 0);
#endif
  ma_fiber_switch(&from->place, target->place);
#ifdef ASAN
  __sanitizer_finish_switch_fiber(from->fake, NULL, NULL);
#endif
}

/* ==== Scheduling ================================================================================================== */

static uint64_t fold(int op, uint64_t a, uint64_t b) {
  switch (op) {
  case MA_WARP_ADD: return (uint32_t)(a + b);
  case MA_WARP_MIN: return (int32_t)a < (int32_t)b ? a : b;
  case MA_WARP_MAX: return (int32_t)a > (int32_t)b ? a : b;
  case MA_WARP_UMIN: return a < b ? a : b;
  case MA_WARP_UMAX: return a > b ? a : b;
  case MA_WARP_AND: return a & b;
  case MA_WARP_OR: return a | b;
  default: return a ^ b;
  }
}

/* The value that lane `me` receives from the lanes in `here`. */
static uint64_t receive(const fiber *lane, unsigned me, uint32_t here) {
  uint64_t r = 0;
  switch (lane[me].op) {
  case MA_WARP_SYNC: return 0;
  case MA_WARP_SHUFFLE: return lane[here >> lane[me].source & 1 ? lane[me].source : me].value;
  case MA_WARP_BALLOT:
    for (unsigned k = 0; k < 32; k++)
      if (here >> k & 1) r |= (lane[k].value & 1) << k;
    return r;
  case MA_WARP_MATCH:
    for (unsigned k = 0; k < 32; k++)
      if ((here >> k & 1) && lane[k].value == lane[me].value) r |= 1u << k;
    return r;
  default:
    r = lane[me].value;
    for (unsigned k = 0; k < 32; k++)
      if ((here >> k & 1) && k != me) r = fold(lane[me].op, r, lane[k].value);
    return r;
  }
}

/* Lets waiting lanes continue, in two phases: all requests are read before any lane runs and makes another. */
static void let_lanes_go(fiber *lane, uint32_t here) {
  uint64_t result[32];
  for (unsigned k = 0; k < 32; k++)
    if (here >> k & 1) result[k] = receive(lane, k, here);
  for (unsigned k = 0; k < 32; k++)
    if (here >> k & 1) {
      lane[k].value = result[k];
      lane[k].state = READY;
    }
}

/* The lanes of `mask`, if all wait in the same operation. Otherwise 0, and *missing is a lane that is elsewhere. */
static uint32_t gathered(const fiber *lane, unsigned size, uint32_t mask, unsigned *missing) {
  uint32_t here = 0;
  for (unsigned k = 0; k < size; k++) {
    if (!(mask >> k & 1) || lane[k].state == ENDED) continue;
    if (lane[k].state != AT_WARP || lane[k].mask != mask) {
      *missing = k;
      return 0;
    }
    here |= 1u << k;
  }
  return here;
}

static bool release_warp(ma_seat *s, unsigned warp) {
  fiber *lane = s->fiber + warp * 32;
  unsigned size = s->n - warp * 32 < 32 ? s->n - warp * 32 : 32, missing;
  bool any = false;
  for (unsigned k = 0; k < size; k++) {
    if (lane[k].state != AT_WARP) continue;
    uint32_t here = gathered(lane, size, lane[k].mask, &missing);
    if (here) {
      let_lanes_go(lane, here);
      any = true;
    }
  }
  return any;
}

static void release_block(ma_seat *s) {
  s->barrier_result = (uint64_t)s->arrived << 32 | s->votes;
  s->arrived = s->votes = 0;
  for (unsigned t = 0; t < s->n; t++)
    if (s->fiber[t].state == AT_BLOCK) s->fiber[t].state = READY;
}

static void set_failure(ma_seat *s, const char *message) {
  if (!s->failed) snprintf(s->message, sizeof s->message, "%s", message);
  s->failed = true;
}

static void report_deadlock(ma_seat *s) {
  unsigned t = 0, missing = 0, nwarp = 0;
  while (s->fiber[t].state != AT_WARP) t++;
  for (unsigned k = t; k < s->n; k++) nwarp += s->fiber[k].state == AT_WARP;
  const fiber *f = &s->fiber[t], *lane = &s->fiber[t & ~31u];
  gathered(lane, s->n - (t & ~31u) < 32 ? s->n - (t & ~31u) : 32, f->mask, &missing);
  const char *other = lane[missing].state == AT_BLOCK ? "is at __syncthreads" : "waits with another mask";
  char text[400];
  snprintf(text, sizeof text,
           "the threads of block (%u, %u, %u) wait for each other: of %u threads %u wait at a barrier of the block, %u "
           "at an operation of "
           "their warp and %u have ended; thread %u waits with mask 0x%08x for lane %u, which %s",
           s->block.index[0], s->block.index[1], s->block.index[2], s->n, s->arrived, nwarp, s->ended, t,
           (unsigned)f->mask, missing, other);
  set_failure(s, text);
}

/* The next thread that can run; NOBODY if all have ended or none can ever run. */
static int pick(ma_seat *s) {
  unsigned nwarp = (s->n + 31) / 32;
  if (s->failed) return NOBODY;
  for (;;) {
    unsigned end = (s->warp + 1) * 32 < s->n ? (s->warp + 1) * 32 : s->n;
    for (unsigned t = s->next; t < end; t++)
      if (s->fiber[t].state == READY) {
        s->next = t + 1;
        return (int)t;
      }
    if (!release_warp(s, s->warp) && ++s->warp == nwarp) {
      if (s->ended == s->n) return NOBODY;
      if (s->ended + s->arrived < s->n) {
        report_deadlock(s);
        return NOBODY;
      }
      release_block(s);
      s->warp = 0;
    }
    s->next = s->warp * 32;
  }
}

/* ==== Functions that a kernel calls =============================================================================== */

/* Whether the stack did not overflow. `deepest` is an address in the calling frame, which lies below all frames of the
** kernel. */
static bool stack_is_whole(const ma_seat *s, unsigned t, const void *deepest) {
  if ((const char *)deepest < stack_bottom(s, t) + NCANARY * 8) return false;
  const uint64_t *word = (const uint64_t *)(const void *)stack_bottom(s, t);
  for (int i = 0; i < NCANARY; i++)
    if (word[i] != CANARY) return false;
  return true;
}

/* Lets other threads run. If the stack overflowed into its neighbour, the block is aborted instead. */
static void leave(ma_seat *s) {
  unsigned me = (unsigned)s->current;
  if (!stack_is_whole(s, me, __builtin_frame_address(0))) {
    char text[160];
    snprintf(
      text, sizeof text,
      "thread %u overflowed its stack of %zu bytes (deep recursion, or large arrays in a kernel that has barriers)", me,
      s->stride);
    set_failure(s, text);
  }
  int to = pick(s);
  if (to != (int)me) change(s, &s->fiber[me], to);
  else s->current = to;
}

static unsigned long long fiber_barrier(struct ma_cpu_block *block, int value) {
  ma_seat *s = (ma_seat *)block;
  s->fiber[s->current].state = AT_BLOCK;
  s->arrived++;
  s->votes += value != 0;
  leave(s);
  return s->barrier_result;
}

static void fiber_stop(struct ma_cpu_block *block, const char *message) {
  ma_seat *s = (ma_seat *)block;
  set_failure(s, message);
  leave(s);
}

static unsigned long long fiber_warp(struct ma_cpu_block *block, int op, unsigned mask, unsigned long long value,
                                     int source) {
  ma_seat *s = (ma_seat *)block;
  fiber *f = &s->fiber[s->current];
  if (!(mask >> (s->current & 31) & 1)) {
    char text[160];
    snprintf(text, sizeof text,
             "lane %d calls an operation of its warp with mask 0x%08x; the mask must have its own bit", s->current & 31,
             mask);
    fiber_stop(block, text);
  }
  f->state = AT_WARP;
  f->op = (uint8_t)op;
  f->source = (uint8_t)(source & 31);
  f->mask = mask;
  f->value = value;
  leave(s);
  return f->value;
}

static void fiber_start(void) {
  ma_seat *s = mine;
  fiber *f = &s->fiber[s->current];
#ifdef ASAN
  const void *bottom;
  size_t size;
  __sanitizer_finish_switch_fiber(NULL, &bottom, &size);
  /* The first switch comes from the main stack. */
  if (!s->main_bottom) {
    s->main_bottom = bottom;
    s->main_size = size;
  }
#endif
  s->entry->thread(&s->block, (unsigned)s->current);
  f->state = ENDED;
  s->ended++;
  leave(s);
  __builtin_unreachable(); /* nobody switches to an ended thread */
}

/* ==== Running ==================================================================================================== */

static ma_status map_stacks(ma_seat *s) {
  if (s->region) return MA_OK;
  void *region = mmap(NULL, GUARD + ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (region == MAP_FAILED)
    return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for the stacks of a block's threads", GUARD + ROOM);
  mprotect(region, GUARD, PROT_NONE);
#ifdef MADV_NOHUGEPAGE
  madvise(region, GUARD + ROOM, MADV_NOHUGEPAGE); /* each stack uses only a few pages at its top */
#endif
  s->region = region;
  return MA_OK;
}

static void prepare(ma_seat *s, unsigned t) {
  fiber *f = &s->fiber[t];
  char *bottom = stack_bottom(s, t);
  uint64_t *word = (uint64_t *)(void *)bottom;
#ifdef ASAN
  __asan_unpoison_memory_region(bottom, s->stride); /* of frames that were never left */
#endif
  for (int i = 0; i < NCANARY && s->guarded != s->n; i++) word[i] = CANARY;
  f->state = READY;
  f->place = fresh_place(f, bottom, bottom + s->stride);
#ifdef TSAN
  if (!f->shadow) f->shadow = __tsan_create_fiber(0);
#endif
}

static ma_status take_failure(ma_seat *s) {
  s->failed = false;
  s->guarded = 0;
  return ma_fail(MA_ERR_DEVICE, "%s", s->message);
}

ma_status ma_seat_run_fibers(ma_seat *s, const struct ma_cpu_entry *entry) {
  MA_TRY(map_stacks(s));
  s->n = s->block.block[0] * s->block.block[1] * s->block.block[2];
  size_t room = ROOM / s->n < MOST_STACK ? ROOM / s->n : MOST_STACK;
  s->stride = room / 4096 * 4096 - 4096 + STAGGER;
  s->block.barrier = fiber_barrier;
  s->block.warp = fiber_warp;
  s->block.stop = fiber_stop;
  s->entry = entry;
  s->ended = s->arrived = s->votes = s->warp = s->next = 0;
  s->main_bottom = NULL;
  for (unsigned t = 0; t < s->n; t++) prepare(s, t);
  s->guarded = s->n;
#ifdef TSAN
  s->main.shadow = __tsan_get_current_fiber();
#endif
  ma_stack stack = { s->region + GUARD, s->region + GUARD + ROOM, NULL };
  ma_system_exchange_stack(&stack);
  change(s, &s->main, pick(s));
  ma_system_exchange_stack(&stack);
  return s->failed ? take_failure(s) : MA_OK;
}

static void plain_stop(struct ma_cpu_block *block, const char *message) {
  ma_seat *s = (ma_seat *)block;
  set_failure(s, message);
  longjmp(s->exit, 1);
}

/* For a kernel that was thought not to wait. It is called if a text that is not in the source waits, such as a header
** in the compiler's own folders. */
static unsigned long long plain_barrier(struct ma_cpu_block *block, int value) {
  plain_stop(block, "a barrier is called, but the source mentions none");
  return 0;
}

static unsigned long long plain_warp(struct ma_cpu_block *block, int op, unsigned mask, unsigned long long value,
                                     int source) {
  plain_stop(block, "an operation of a warp is called, but the source mentions none");
  return 0;
}

ma_status ma_seat_run(ma_seat *s, const struct ma_cpu_entry *entry, int64_t first, int64_t last) {
  s->block.barrier = plain_barrier;
  s->block.warp = plain_warp;
  s->block.stop = plain_stop;
  if (_setjmp(s->exit) == 0) entry->blocks(&s->block, first, last);
  return s->failed ? take_failure(s) : MA_OK;
}
