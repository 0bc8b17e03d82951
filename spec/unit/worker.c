/*
** worker.c: the thread that compiles in the background. First as a device that is lost would use it, so that nothing is
** loaded: requests of many threads at once, what failed, what is forgotten, a child forked meanwhile, an exit in the
** middle of a compilation. Then, where there is a GPU, programs that run in steps until their kernel is there, against
** the CPU. For make tsan above all.
*/
#include "ops/ops.h"
#include "run/step.h"
#include "cuda/driver/worker.h"
#include "base/inject.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int passed, failed;
#define EXPECT(condition)                                    \
  do {                                                       \
    if (condition) passed++;                                 \
    else {                                                   \
      failed++;                                              \
      printf("line %d: not so: %s\n", __LINE__, #condition); \
    }                                                        \
  } while (0)
#define CHECK(call)                            \
  do {                                         \
    if ((call) != MA_OK) {                     \
      printf("%s: %s\n", #call, ma_message()); \
      exit(1);                                 \
    }                                          \
  } while (0)

/* ==== Requests =================================================================================================== */

static void print_nothing(ma_ctext *text, const void *what) {}
static const ma_cuda_family family = { "unit", { "unit" }, print_nothing, NULL };

static ma_cuda_device lost = { .arch = 90, .lost = 1 };

static ma_cuda_want want(const int *number) {
  return (ma_cuda_want){ &family, number, sizeof *number, ma_hash(number, sizeof *number, 7) };
}

/* A number below 0 does not compile. The text is this process's own, so that no cache knows it. */
static ma_cuda_answer ask(int number) {
  ma_ctext text = { 0 };
  ma_cuda_want w = want(&number);
  ma_ctext_add(&text, "extern \"C\" __global__ void unit(int *p) { p[0] = %d; p[1] = %d; %s }\n", number, (int)getpid(),
               number < 0 ? "+" : "");
  ma_cuda_answer answer = ma_cuda_worker_ask(&lost, &w, &text);
  ma_ctext_free(&text);
  return answer;
}

static bool knows(int number) {
  ma_cuda_want w = want(&number);
  return ma_cuda_worker_knows(&lost, &w);
}

static void *ask_many(void *from) {
  for (int k = 0; k < 20; k++) ask((int)(intptr_t)from + k % 5);
  return NULL;
}

static void try_requests(void) {
  pthread_t thread[4];
  ma_background before, now;
  bool works = ma_cuda_need_nvrtc() == MA_OK;
  ma_cuda_map_background(true, &before);
  for (intptr_t k = 0; k < 4; k++) pthread_create(&thread[k], NULL, ask_many, (void *)(100 + k));
  for (int k = 0; k < 4; k++) pthread_join(thread[k], NULL);
  ma_cuda_map_background(true, &now);
  EXPECT(now.waiting == 0);
  /* What is done before it is asked for again is asked for again. Without NVRTC it is done at once. */
  if (works) EXPECT(now.compiled - before.compiled >= 8 && now.failed == before.failed);
  else EXPECT(now.compiled == before.compiled && now.failed >= before.failed + 8 && now.failed <= before.failed + 80);
  int64_t failures = now.failed;
  EXPECT(ask(-1) == MA_CUDA_ACCEPTED);
  ma_cuda_map_background(true, &now);
  EXPECT(now.failed == failures + 1 && knows(-1) == works);
  /* What NVRTC refused is not compiled twice. That there is no NVRTC, the device's table notes. */
  EXPECT(ask(-1) == MA_CUDA_ACCEPTED);
  ma_cuda_map_background(true, &now);
  EXPECT(now.failed == failures + (works ? 1 : 2));
  failures = now.failed;
  ma_inject_ask(MA_INJECT_WORKER, 1, 1);
  ask(200);
  ma_cuda_map_background(true, &now);
  EXPECT(now.failed == failures + 1 && knows(200));
  ma_cuda_worker_forget(&lost);
  EXPECT(!knows(-1) && !knows(200));
  int accepted = 0;
  for (int k = 0; k < 300; k++) accepted += ask(1000 + k) == MA_CUDA_ACCEPTED;
  ma_cuda_map_background(false, &now);
  EXPECT(now.waiting <= 128); /* bounded */
  /* A request that nothing can compile ends at once, and leaves its place to another. */
  EXPECT(accepted >= 100 && (accepted < 300 || !works));
  ma_cuda_worker_forget(&lost);
  ma_cuda_map_background(true, &now);
  EXPECT(now.waiting == 0);
}

static void try_fork(void) {
  ask(500);
  ask(501);
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    bool refused = ask(502) == MA_CUDA_NO_WORKER;
#ifdef __SANITIZE_ADDRESS__
    ma_cuda_worker_end(); /* what the thread had of its own counts as leaked in a child */
    _exit(refused ? 0 : 3);
#endif
    exit(refused ? 0 : 3); /* and nobody waits for a thread that is not there */
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ==== Programs on a GPU ========================================================================================== */

static ma_status run(const ma_program *p, ma_array *x, ma_array *y, ma_value *scalar, ma_array *result,
                     ma_stream *stream) {
  const ma_array *input[] = { x, y };
  result->buffer = NULL;
  return ma_program_run_ready(p, input, scalar, &result, stream);
}

static bool same(const ma_array *a, const ma_array *b, ma_stream *stream) {
  ma_array x, y;
  CHECK(ma_array_to(&x, a, ma_device_cpu(), stream));
  CHECK(ma_array_to(&y, b, ma_device_cpu(), stream));
  bool equal = !memcmp(x.buffer->ptr, y.buffer->ptr, (size_t)x.size * 4);
  ma_array_release(&x);
  ma_array_release(&y);
  return equal;
}

static void try_programs(ma_device *gpu) {
  ma_stream *stream = ma_device_null_stream(gpu), *cpu = ma_device_null_stream(ma_device_cpu());
  ma_array x, y, gx, gy, first, again, expected;
  int64_t n = 1000;
  float data[1000];
  ma_program p;
  ma_background before, now;
  ma_value scalar = { .c = { (double)getpid() * 0.5, 0 } }; /* a parameter: no part of the kernel */
  CHECK(ma_array_new(&x, ma_device_cpu(), MA_FLOAT32, 1, &n));
  CHECK(ma_array_new(&y, ma_device_cpu(), MA_FLOAT32, 1, &n));
  for (int k = 0; k < 1000; k++) data[k] = (float)(k * 7919 % 1000) / 3 - 100;
  memcpy(x.buffer->ptr, data, sizeof data);
  for (int k = 0; k < 1000; k++) data[k] = (float)(k * 104729 % 1000) / 7;
  memcpy(y.buffer->ptr, data, sizeof data);
  CHECK(ma_array_to(&gx, &x, gpu, stream));
  CHECK(ma_array_to(&gy, &y, gpu, stream));
  for (int variant = 0; variant < 3; variant++) {
    ma_program_clear(&p);
    int a = ma_program_input(&p, MA_FLOAT32), b = ma_program_input(&p, MA_FLOAT32),
        s = ma_program_scalar(&p, MA_FLOAT32);
    int r = ma_program_emit(&p, MA_OP_multiply, MA_FLOAT32, (int[]){ a, b, 0, 0 });
    for (int k = 0; k < 3; k++)
      r = ma_program_emit(&p, k == variant ? MA_OP_subtract : MA_OP_add, MA_FLOAT32, (int[]){ r, k ? a : s, 0, 0 });
    ma_program_output(&p, r);
    CHECK(run(&p, &x, &y, &scalar, &expected, cpu));
    gpu->backend->map.background(true, &before);
    if (variant == 1) ma_inject_ask(MA_INJECT_WORKER, 1, 1);
    int64_t launches = ma_launches;
    CHECK(run(&p, &gx, &gy, &scalar, &first, stream));
    bool stepped = ma_launches - launches == 4; /* else the kernel is in the cache on disk */
    EXPECT(stepped || ma_launches - launches == 1);
    gpu->backend->map.background(true, &now);
    bool fails = stepped && variant == 1;
    EXPECT(now.compiled - before.compiled == (stepped && !fails) && now.failed - before.failed == fails);
    launches = ma_launches;
    CHECK(run(&p, &gx, &gy, &scalar, &again, stream));
    EXPECT(ma_launches - launches == (fails ? 4 : 1));
    EXPECT(same(&first, &expected, stream) && same(&again, &expected, stream));
    ma_array_release(&first);
    ma_array_release(&again);
    ma_array_release(&expected);
    ma_inject_ask(MA_INJECT_WORKER, 0, 0);
  }
  for (int k = 0; k < 4; k++) ma_array_release((ma_array *[]){ &x, &y, &gx, &gy }[k]);
  EXPECT(ma_buffer_live() == 0);
}

int main(int argc, char **argv) {
  ma_device *gpu;
  if (ma_device_get("cuda", &gpu) == MA_OK) {
    lost.arch = ((ma_cuda_device *)gpu->state)->arch;
    try_programs(gpu);
  } else printf("no GPU: %s\n", ma_message());
  try_requests();
  try_fork();
  ask(600); /* what is under way when this returns */
  ask(601);
  printf("%d passed, %d failed\n", passed, failed);
  return failed != 0;
}
