/*
** together.c: blocks that wait for each other. A thread of the system runs one block after another, so the blocks of a
** cooperative launch get a thread each.
*/
#include "cpu/kernel/together.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct ma_meeting {
  pthread_mutex_t lock;
  pthread_cond_t turned;
  unsigned here, expected; /* blocks that wait, blocks that have not ended */
  uint64_t turn;           /* how often all have met */
  ma_block_function *run_block;
  void *context;
  ma_status status; /* of the first block that failed, and its message */
  char message[600];
};

typedef struct seat {
  ma_meeting *meeting;
  int64_t block;
  pthread_t thread;
} seat;

static void turn_locked(ma_meeting *m) {
  m->here = 0;
  m->turn++;
  pthread_cond_broadcast(&m->turned);
}

void ma_cpu_meet(struct ma_cpu_block *block) {
  ma_meeting *m = block->meeting;
  pthread_mutex_lock(&m->lock);
  uint64_t turn = m->turn;
  if (++m->here == m->expected) turn_locked(m);
  while (m->turn == turn) pthread_cond_wait(&m->turned, &m->lock);
  pthread_mutex_unlock(&m->lock);
}

/* Says that `count` blocks will not come any more. */
static void leave(ma_meeting *m, unsigned count, ma_status status) {
  pthread_mutex_lock(&m->lock);
  if (status != MA_OK && m->status == MA_OK) {
    m->status = status;
    snprintf(m->message, sizeof m->message, "%s", ma_message());
  }
  m->expected -= count;
  if (m->expected > 0 && m->here == m->expected) turn_locked(m);
  pthread_mutex_unlock(&m->lock);
}

static void *run_seat(void *argument) {
  seat *s = argument;
  ma_status status = s->meeting->run_block(s->meeting->context, s->meeting, s->block);
  leave(s->meeting, 1, status);
  return NULL;
}

ma_status ma_cpu_run_together(int64_t blocks, ma_block_function *run_block, void *context) {
  if (blocks > MA_CPU_MOST_TOGETHER)
    return ma_fail(MA_ERR_VALUE, "%lld blocks that wait for each other; at most %d can run at the same time on the CPU",
                   (long long)blocks, MA_CPU_MOST_TOGETHER);
  ma_meeting m = { .expected = (unsigned)blocks, .run_block = run_block, .context = context, .status = MA_OK };
  seat *seats = malloc(sizeof *seats * (size_t)blocks);
  int started = 1;
  if (!seats) return ma_fail(MA_ERR_MEMORY, "out of memory for the threads of blocks");
  pthread_mutex_init(&m.lock, NULL);
  pthread_cond_init(&m.turned, NULL);
  for (int k = 0; k < blocks; k++) seats[k] = (seat){ .meeting = &m, .block = k };
  while (started < blocks && pthread_create(&seats[started].thread, NULL, run_seat, &seats[started]) == 0) started++;
  if (started < blocks) {
    ma_fail(MA_ERR_MEMORY, "out of memory: no thread for block %d of %d", started + 1, (int)blocks);
    leave(&m, (unsigned)(blocks - started), MA_ERR_MEMORY);
  }
  run_seat(&seats[0]); /* block 0 runs here */
  for (int k = 1; k < started; k++) pthread_join(seats[k].thread, NULL);
  pthread_cond_destroy(&m.turned);
  pthread_mutex_destroy(&m.lock);
  free(seats);
  return m.status == MA_OK ? MA_OK : ma_fail(m.status, "%s", m.message);
}
