/* signal.h: the slots of signals: taps.c, recurrence.c, peaks.c. */
#ifndef MA_CPU_SIGNAL_H
#define MA_CPU_SIGNAL_H

#include "backend/signal.h"

#pragma GCC visibility push(hidden)

ma_status ma_cpu_correlate(ma_stream *stream, const ma_correlate *correlate);
ma_status ma_cpu_upfirdn(ma_stream *stream, const ma_upfirdn *upfirdn);
ma_status ma_cpu_recurrence(ma_stream *stream, const ma_recurrence *recurrence);
ma_status ma_cpu_peaks(ma_stream *stream, const ma_peaks *peaks);

#pragma GCC visibility pop
#endif
