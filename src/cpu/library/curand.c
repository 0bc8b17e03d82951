/* curand.c: cuRAND's generators on the host, if its library is installed. */
#include "program/generators.h"
#include "cpu/library/library.h"

ma_status ma_cpu_curand(ma_stream *stream, const ma_random *random) {
  MA_TRY(ma_cpu_need(MA_CPU_curand));
  ma_curand_api api = {
    .create = ma_cl.curandCreateGeneratorHost,
    .destroy = ma_cl.curandDestroyGenerator,
    .seed = ma_cl.curandSetPseudoRandomGeneratorSeed,
    .offset = ma_cl.curandSetGeneratorOffset,
    .uniform = ma_cl.curandGenerateUniform,
    .uniform_double = ma_cl.curandGenerateUniformDouble,
    .normal = ma_cl.curandGenerateNormal,
    .normal_double = ma_cl.curandGenerateNormalDouble,
  };
  return ma_curand_run(stream, random, &api);
}
