/*
** cuda_map.c: random elementwise programs over random layouts on the GPU, against the CPU backend, bit for bit, stray
** writes included. Works with a real GPU and with the pretended one (spec/pretend). usage: cuda_map [count [seed]]
*/
#include "ops/ops.h"
#include "backends.h"
#include "cuda/kernels/map.h"
#include "unit.h"

#include <time.h>

/* ---- Programs: exact on both devices ---- */

static void binary(ma_program *p, ma_opcode op, ma_dtype dtype, bool scalar) {
  int args[2] = { ma_program_input(p, dtype) };
  args[1] = scalar ? ma_program_scalar(p, dtype) : ma_program_input(p, dtype);
  ma_program_output(p, ma_program_emit(p, op, dtype, args));
}

static void choose_program(ma_program *p) {
  static const uint8_t dtypes[] = { MA_FLOAT32, MA_UINT8,    MA_FLOAT16, MA_COMPLEX128,
                                    MA_FLOAT64, MA_BFLOAT16, MA_INT16,   MA_BOOL };
  ma_program_clear(p);
  switch (draw(6)) {
  case 0: binary(p, MA_OP_add, (ma_dtype)dtypes[draw(8)], false); break;
  case 1: binary(p, MA_OP_equal, (ma_dtype)dtypes[draw(4)], true); break;
  case 2:
    ma_program_output(p, ma_program_cast(p, ma_program_input(p, (ma_dtype)dtypes[draw(8)]), (ma_dtype)dtypes[draw(8)]));
    break;
  case 3: ma_program_output(p, ma_program_input(p, (ma_dtype)dtypes[draw(8)])); break;
  case 4: ma_program_output(p, ma_program_scalar(p, (ma_dtype)dtypes[draw(8)])); break;
  default: { /* several instructions, two outputs of different sizes */
    int a = ma_program_input(p, MA_FLOAT32), b = ma_program_input(p, MA_INT16);
    int sum = ma_program_emit(p, MA_OP_multiply, MA_FLOAT32, (int[]){ a, ma_program_cast(p, b, MA_FLOAT32) });
    ma_program_output(p, ma_program_cast(p, sum, MA_FLOAT64));
    ma_program_output(p, ma_program_emit(p, MA_OP_less, MA_FLOAT32, (int[]){ sum, a }));
  }
  }
}

/* ---- Layouts ---- */

typedef struct memory {
  char *host, *expected, *got;
  void *device;
  int64_t size, start;
} memory;

static void choose_shape(ma_space *s) {
  static const int64_t extents[] = { 1, 1, 2, 3, 5, 16, 17, 31, 64, 65, 70, 100, 128, 130, 200 };
  do {
    s->ndim = 1 + (int)draw(4);
    for (int d = 0; d < s->ndim; d++) s->shape[d] = extents[draw(15)];
    if (s->ndim == 1) s->shape[0] *= draw(4) ? 1 + draw(40) : 1;
  } while (s->ndim > 2 && s->shape[0] * s->shape[1] * s->shape[2] * (s->ndim > 3 ? s->shape[3] : 1) > 60000);
}

/* Strides of some order of the axes, padded, reversed or (inputs) broadcast now and then. */
static void choose_strides(ma_space *s, int k, int itemsize, bool output, memory *m) {
  int order[MA_MAX_NDIM];
  int64_t step = itemsize * (draw(8) == 0 ? 3 : 1), low = 0, high = itemsize;
  for (int d = 0; d < s->ndim; d++) order[d] = s->ndim - 1 - d;
  if (draw(3) == 0)
    for (int d = 0; d < s->ndim; d++) {
      int e = (int)draw((uint32_t)s->ndim), t = order[d];
      order[d] = order[e];
      order[e] = t;
    }
  for (int d = 0; d < s->ndim; d++) {
    int64_t stride = !output && draw(8) == 0 ? 0 : step;
    if (stride) step *= s->shape[order[d]] + (draw(6) == 0 ? draw(9) : 0);
    if (draw(12) == 0) stride = -stride;
    s->stride[k][order[d]] = stride;
    if (stride < 0) low += stride * (s->shape[order[d]] - 1);
    else high += stride * (s->shape[order[d]] - 1);
  }
  m->start = 32 - low + (draw(4) == 0 ? itemsize * draw(5) : 0);
  m->start += (16 - m->start % 16) % 16 * (draw(3) != 0);
  if (m->start % itemsize && itemsize < 16) m->start += itemsize - m->start % itemsize;
  if (itemsize == 16) m->start = (m->start + 7) / 8 * 8;
  m->size = m->start + high + 64;
}

/* Small whole numbers in every dtype, so that sums and products are exact; memory bools of any byte. */
static void fill(memory *m, ma_dtype dtype) {
  int size = ma_dtypes[dtype].itemsize;
  for (int64_t at = m->start % size; at + size <= m->size; at += size) {
    ma_value v = { .c = { 0, 0 } };
    ma_value_store(m->host + at, dtype, ma_value_cast((v.i = (int64_t)draw(100), v), MA_INT64, dtype));
    if (dtype == MA_BOOL) m->host[at] = (char)draw(3);
  }
}

static bool run_case(ma_device *gpu, int number) {
  ma_program program;
  ma_map map = { .program = &program };
  memory m[MA_MAX_OPERANDS] = { { 0 } };
  int64_t flip[MA_MAX_OPERANDS] = { 0 };
  bool ok = true;
  choose_program(&program);
  map.space.noperand = program.noutput + program.ninput;
  choose_shape(&map.space);
  for (int k = 0; k < program.nscalar; k++)
    map.scalar[k] = ma_value_cast((ma_value){ .i = draw(100) }, MA_INT64, (ma_dtype)program.scalar_dtype[k]);
  for (int k = 0; k < map.space.noperand; k++) {
    ma_dtype dtype = ma_map_operand_dtype(&program, k);
    choose_strides(&map.space, k, ma_dtypes[dtype].itemsize, k < program.noutput, &m[k]);
    m[k].host = aligned_alloc(64, (size_t)(m[k].size + 63) & ~(size_t)63);
    memset(m[k].host, 0xa5, (size_t)m[k].size);
    if (k >= program.noutput) fill(&m[k], dtype);
    m[k].expected = m[k].host;
    m[k].got = malloc((size_t)m[k].size);
    check(gpu->backend->memory.alloc(gpu, (size_t)m[k].size, &m[k].device));
    check(gpu->backend->memory.copy(ma_device_null_stream(gpu), m[k].device, m[k].host, (size_t)m[k].size,
                                    MA_COPY_TO_DEVICE));
  }
  ma_space_collapse(&map.space, true, flip);
  for (int k = 0; k < map.space.noperand; k++) map.data[k] = (char *)m[k].device + m[k].start + flip[k];
  check(gpu->backend->map.run(ma_device_null_stream(gpu), &map));
  for (int k = 0; k < map.space.noperand; k++) map.data[k] = m[k].host + m[k].start + flip[k];
  check(ma_cpu_backend.map.run(ma_device_null_stream(ma_device_cpu()), &map));
  for (int k = 0; k < map.space.noperand; k++) {
    check(
      gpu->backend->memory.copy(ma_device_null_stream(gpu), m[k].got, m[k].device, (size_t)m[k].size, MA_COPY_TO_HOST));
    for (int64_t i = 0; i < m[k].size && ok; i++)
      if (m[k].got[i] != m[k].expected[i]) {
        char text[2000];
        ma_program_print(&program, text, sizeof text);
        printf("case %d: operand %d, byte %ld of %ld (starts at %ld): %02x, not %02x\n%s\n", number, k, (long)i,
               (long)m[k].size, (long)m[k].start, (unsigned char)m[k].got[i], (unsigned char)m[k].expected[i], text);
        for (int d = 0; d < map.space.ndim; d++) {
          printf("  extent %ld, strides", (long)map.space.shape[d]);
          for (int j = 0; j < map.space.noperand; j++) printf(" %ld", (long)map.space.stride[j][d]);
          printf("\n");
        }
        ok = false;
      }
    gpu->backend->memory.free(gpu, m[k].device);
    free(m[k].host);
    free(m[k].got);
  }
  return ok;
}

int main(int argc, char **argv) {
  int count = argc > 1 ? atoi(argv[1]) : 100, bad = 0;
  state = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
  printf("seed %llu\n", (unsigned long long)state);
  ma_device *gpu;
  if (ma_device_get("cuda", &gpu) != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  for (int i = 0; i < count; i++) bad += !run_case(gpu, i);
  printf("%d cases, %d wrong\n", count, bad);
  return bad != 0;
}
