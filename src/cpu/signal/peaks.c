/* peaks.c: prominences and widths of peaks on the CPU. */
#include "cpu/cpu.h"
#include "backend/signal.h"
#include "cpu/submit.h"
#include "kernels/signal/peaks.h"
#include "tuning.h"

static ma_status measure(void *context, int64_t first, int64_t last) {
  const ma_peaks *p = context;
  for (int64_t k = first; k < last; k++) {
    int64_t peak = p->peaks[k] - 1, left, right;
    double from, to;
    if (!p->width) {
      p->prominence[k] = ma_peak_prominence(p->x, p->n, peak, p->window, &left, &right);
      p->left[k] = left + 1;
      p->right[k] = right + 1;
      continue;
    }
    p->height[k] = p->x[peak] - p->prominence[k] * p->part;
    ma_peak_width(p->x, p->n, peak, p->height[k], p->left[k] - 1, p->right[k] - 1, &from, &to);
    p->left_at[k] = from + 1;
    p->right_at[k] = to + 1;
    p->width[k] = to - from;
  }
  return MA_OK;
}

static ma_status run(ma_stream *stream, const void *job) {
  return ma_cpu_parallel(((const ma_peaks *)job)->count, TUNE_THREAD_SEARCHES, measure, (void *)job);
}

static int64_t bytes(const void *job) {
  const ma_peaks *p = job;
  return p->n * (int64_t)sizeof(double) + p->count * (p->width ? 64 : 32);
}

static const char *name_of(const void *job) { return ((const ma_peaks *)job)->width ? "widths" : "prominences"; }

MA_CPU_SLOT(ma_cpu_signal_peaks, ma_peaks, .name_of = name_of, .run = run, .bytes = bytes)
