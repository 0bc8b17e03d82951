/* signal.h: the slots of signals: taps.c, recurrence.c, peaks.c. */
#ifndef MA_CPU_SIGNAL_H
#define MA_CPU_SIGNAL_H

#include "backend/signal.h"

#pragma GCC visibility push(hidden)

ma_status ma_cpu_correlate(ma_stream *stream, const ma_correlate *correlate);
ma_status ma_cpu_upfirdn(ma_stream *stream, const ma_upfirdn *upfirdn);
ma_status ma_cpu_recurrence(ma_stream *stream, const ma_recurrence *recurrence);
ma_status ma_cpu_peaks(ma_stream *stream, const ma_peaks *peaks);
ma_status ma_cpu_maxima(ma_stream *stream, const ma_maxima *maxima, ma_maxima_found *found);
ma_status ma_cpu_apart(ma_stream *stream, const ma_apart *apart);

#pragma GCC visibility pop
#endif
