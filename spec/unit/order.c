/*
** order.c: the order that src/memory/order.c makes, against a model of what "before" means. A backend that does no work
** notes which waits are made; vector clocks follow from them, and every pair of uses of a buffer of which one is a
** write must be ordered by them.
*/
#include "ops/ops.h"
#include "backends.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NSTREAM 9 /* the last one is the host */
#define HOST (NSTREAM - 1)
#define NBUFFER 10
#define MAX_USES 4000

typedef struct use {
  int stream, count;
  bool write;
} use;
typedef struct history {
  use *use;
  int n;
} history;

static int clock_of[NSTREAM][NSTREAM]; /* [s][t]: how many of t's uses are done before what s is given next */
static ma_device devices[2], host_device;
static ma_stream streams[NSTREAM];
static ma_buffer buffers[NBUFFER];
static history past[NBUFFER];
static bool fresh[NBUFFER]; /* handed out by the pool: the next use is a write */
static int nwait, fail_in = -1, failures;
static unsigned seed;

static unsigned draw(unsigned n) {
  seed = seed * 1664525u + 1013904223u;
  return (seed >> 8) % n;
}

/* ---- The backend ---- */

static int number_of(const ma_stream *stream) { return (int)(stream - streams); }

static void join(int to, int from) {
  for (int t = 0; t < NSTREAM; t++)
    if (clock_of[from][t] > clock_of[to][t]) clock_of[to][t] = clock_of[from][t];
}

static bool fails(void) { return fail_in >= 0 && fail_in-- == 0; }

static ma_status note_wait(ma_stream *stream, ma_stream *on) {
  if (stream->ended) {
    printf("a stream that ended was told to wait\n");
    exit(1);
  }
  if (fails()) return ma_fail(MA_ERR_DEVICE, "injected");
  nwait++;
  join(number_of(stream), HOST);
  join(number_of(stream), number_of(on));
  return MA_OK;
}

static ma_status note_synchronize(ma_stream *stream) {
  if (fails()) return ma_fail(MA_ERR_DEVICE, "injected");
  nwait++;
  join(HOST, number_of(stream));
  return MA_OK;
}

static const ma_backend fake = { .name = "fake", .stream = { .wait = note_wait, .synchronize = note_synchronize } };

/* ---- Uses ---- */

static void check(int buffer, int stream, bool write) {
  for (int k = 0; k < past[buffer].n; k++) {
    const use *u = &past[buffer].use[k];
    if (!(write || u->write) || u->stream == stream || clock_of[stream][u->stream] >= u->count) continue;
    if (failures++ < 5)
      printf("a %s on stream %d is not after use %d of stream %d, a %s\n", write ? "write" : "read", stream, u->count,
             u->stream, u->write ? "write" : "read");
  }
}

static void use_buffer(int buffer, int stream, bool write) {
  ma_stream *s = stream == HOST ? NULL : &streams[stream];
  if (fresh[buffer]) write = true;
  join(stream, HOST); /* what is queued now comes after what the host saw */
  if (ma_buffer_use(&buffers[buffer], s, write) != MA_OK) return;
  join(stream, HOST);
  check(buffer, stream, write);
  fresh[buffer] = false;
  int count = ++clock_of[stream][stream];
  if (past[buffer].n < MAX_USES) past[buffer].use[past[buffer].n++] = (use){ stream, count, write };
}

/* Two neighbours in the pool become one block, whose next user finds the marks of both. */
static void merge(int a, int b) {
  if (a == b || past[a].n + past[b].n > MAX_USES) return;
  ma_marks_merge(&buffers[a].marks, &buffers[b].marks);
  memcpy(past[a].use + past[a].n, past[b].use, (size_t)past[b].n * sizeof(use));
  past[a].n += past[b].n;
  past[b].n = 0;
  memset(&buffers[b].marks, 0, sizeof buffers[b].marks);
  fresh[a] = fresh[b] = true;
}

static void split(int a, int b) {
  if (a == b) return;
  buffers[b].marks = buffers[a].marks;
  memcpy(past[b].use, past[a].use, (size_t)past[a].n * sizeof(use));
  past[b].n = past[a].n;
  fresh[a] = fresh[b] = true;
}

static void reset(void) {
  host_device.backend = &ma_cpu_backend;
  memset(clock_of, 0, sizeof clock_of);
  for (int s = 0; s < NSTREAM; s++) streams[s] = (ma_stream){ .device = &devices[s >= 6], .ended = s == 5 };
  for (int k = 0; k < NBUFFER; k++) {
    buffers[k] = (ma_buffer){ .refs = 1, .device = k == NBUFFER - 1 ? &host_device : &devices[k % 4 == 3] };
    past[k].n = 0;
    fresh[k] = true;
  }
  nwait = 0;
}

static void run(int steps, unsigned nstream, bool errors) {
  reset();
  streams[5].ended = false;
  for (int i = 0; i < steps; i++) {
    unsigned what = draw(100), a = draw(NBUFFER);
    if (errors && draw(20) == 0) fail_in = (int)draw(4);
    if (i == steps / 2) streams[5].ended = true; /* its owner took it back; its marks stay */
    unsigned s = draw(nstream);
    if (s == 5 && streams[5].ended) s = HOST;
    if (what < 3) merge((int)a, (int)draw(NBUFFER));
    else if (what < 5) split((int)a, (int)draw(NBUFFER));
    else use_buffer((int)a, (int)s, draw(3) == 0);
    fail_in = -1;
  }
}

int main(void) {
  unsigned first = getenv("SEED") ? (unsigned)atoi(getenv("SEED")) : 12345;
  devices[0].backend = devices[1].backend = &fake;
  for (int k = 0; k < NBUFFER; k++) past[k].use = calloc(MAX_USES, sizeof(use));
  int passed = 0, failed = 0;
  for (unsigned round = 0; round < 300; round++) {
    failures = 0;
    seed = first + round;
    run(200 + (int)draw(600), 2 + draw(NSTREAM - 1), round % 3 == 0);
    if (failures) printf("round %u, SEED=%u: %d conflicts\n", round, first + round, failures);
    failures ? failed++ : passed++;
  }

  reset(); /* one stream and its own buffers: no waits at all */
  for (int i = 0; i < 1000; i++) {
    int a = (int)draw(NBUFFER);
    if (draw(20) == 0) merge(a, (int)draw(NBUFFER));
    use_buffer(a, 0, draw(2));
  }
  if (nwait) printf("one stream made %d waits\n", nwait);
  nwait ? failed++ : passed++;

  reset(); /* a stream that only reads what another wrote waits once */
  use_buffer(0, 0, true);
  for (int i = 0; i < 100; i++) use_buffer(0, 1, false);
  if (nwait != 1) printf("a reader made %d waits; wanted 1\n", nwait);
  nwait == 1 ? passed++ : failed++;
  for (int k = 0; k < NBUFFER; k++) free(past[k].use);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
