/*
** threads.c: dividing a range among OpenMP's threads. A range is cut at multiples of its grain, so that what is computed
** together does not depend on how many threads there are.
*/
#include "cpu.h"

#ifdef _OPENMP
#include <omp.h>
#endif
#include <stdio.h>

int ma_cpu_threads(void)
{
  int64_t wanted = ma_config_int(MA_CONFIG_NUM_THREADS);
  if (wanted > 0) return wanted < 1024 ? (int)wanted : 1024;
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

#ifdef _OPENMP
static ma_status run_parallel(int64_t n, int64_t grain, int nthread, ma_range_function *fn, void *context)
{
  int64_t ngrain = (n + grain - 1) / grain;
  ma_status failed = MA_OK;
  char message[512] = "";
#pragma omp parallel num_threads(nthread)
  {
    int64_t count = omp_get_num_threads(), k = omp_get_thread_num();
    int64_t first = ngrain * k / count * grain, last = ngrain * (k + 1) / count * grain;
    if (last > n) last = n;
    ma_status status = first < last ? fn(context, first, last) : MA_OK;
    if (status != MA_OK) {
#pragma omp critical(moonarray_failure)
      if (failed == MA_OK) {
        failed = status;
        snprintf(message, sizeof message, "%s", ma_message());
      }
    }
  }
  return failed == MA_OK ? MA_OK : ma_fail(failed, "%s", message);
}
#endif

ma_status ma_cpu_parallel(int64_t n, int64_t grain, ma_range_function *fn, void *context)
{
#ifdef _OPENMP
  if (n >= 2 * grain && !omp_in_parallel()) {
    int64_t nthread = ma_cpu_threads(), most = (n + grain - 1) / grain;
    if (nthread > most) nthread = most;
    if (nthread > 1) return run_parallel(n, grain, (int)nthread, fn, context);
  }
#endif
  return n > 0 ? fn(context, 0, n) : MA_OK;
}
