/* curand.c: cuRAND's generators for GPU memory. */
#include "cuda/cuda.h"

#include "program/generators.h"

static int create(void **generator, int type) {
  return ma_cu.curandCreateGenerator((curandGenerator_t *)generator, type);
}
static int destroy(void *generator) { return ma_cu.curandDestroyGenerator(generator); }
static int seed(void *generator, unsigned long long seed) {
  return ma_cu.curandSetPseudoRandomGeneratorSeed(generator, seed);
}
static int offset(void *generator, unsigned long long offset) {
  return ma_cu.curandSetGeneratorOffset(generator, offset);
}
static int set_stream(void *generator, void *stream) { return ma_cu.curandSetStream(generator, stream); }
static int uniform(void *generator, float *to, size_t n) { return ma_cu.curandGenerateUniform(generator, to, n); }
static int uniform_double(void *generator, double *to, size_t n) {
  return ma_cu.curandGenerateUniformDouble(generator, to, n);
}
static int normal(void *generator, float *to, size_t n, float mean, float deviation) {
  return ma_cu.curandGenerateNormal(generator, to, n, mean, deviation);
}
static int normal_double(void *generator, double *to, size_t n, double mean, double deviation) {
  return ma_cu.curandGenerateNormalDouble(generator, to, n, mean, deviation);
}

static const ma_curand_api api = { create,  destroy,        seed,   offset,       set_stream,
                                   uniform, uniform_double, normal, normal_double };

ma_status ma_cuda_curand(ma_stream *stream, const ma_random *random) {
  MA_TRY(ma_cuda_need(MA_CUDA_curand));
  MA_TRY(ma_cuda_enter(stream->device));
  ma_cuda_hold(stream, 1);
  ma_cuda_span span = ma_cuda_span_begin(stream);
  ma_status status = ma_curand_run(stream, random, &api);
  ma_cuda_span_end(stream, MA_TRACK_STREAM, span, "cuRAND", 0);
  ma_cuda_hold(stream, -1);
  return status;
}
