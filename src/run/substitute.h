/*
** substitute.h: what takes the place of a kernel of the library's own that has no image, where nothing can compile it.
** The search for it fails with MA_ERR_LACK. A program of several operations then runs as single ones (now.c). A single
** map, reduction, scan or stencil runs on the CPU here, over copies of its operands. So do a transform of a length that
** only cuFFT has (ops/fft.c) and a draw that ma.fuse reads (kernel/fused.c). Any other call of Lua is made again with
** its arrays on the CPU (bind/device/again.c).
*/
#ifndef MOONARRAY_SUBSTITUTE_H
#define MOONARRAY_SUBSTITUTE_H

#include "backend/stencil.h"
#include "program/program.h"

#pragma GCC visibility push(hidden)

/* Fails if the CPU cannot stand in now: while the stream is recorded, or where waits are forbidden. Else it warns once
** for each operation and dtype (MA_NDTYPE: none). Forgets what was lacking. */
ma_status ma_substitute_begin(const ma_stream *stream, const char *operation, ma_dtype dtype);
extern int64_t ma_stand_ins; /* how often the CPU stood in, in the whole process */

/* ==== Copies of a device's memory on the host ==================================================================== */

/* Operands whose bytes overlap share a copy, so that what is written back leaves the bytes between elements alone. */
typedef struct ma_copied {
  char *low, *high;
  ma_buffer *host;
  bool written;
} ma_copied;
typedef struct ma_copies {
  int n;
  ma_copied *part; /* room for one of each operand */
} ma_copies;
void ma_copies_add(ma_copies *copies, const void *low, const void *high, bool written);
const ma_copied *ma_copies_at(const ma_copies *copies, const void *address);
ma_status ma_copied_fetch(const ma_copied *part, ma_stream *stream); /* to the host, whose memory the caller made */
ma_status ma_copies_make(ma_copies *copies, ma_stream *stream);      /* all parts, and memory of the host for them */
void *ma_copies_host(const ma_copies *copies, const void *address);  /* where its copy is; NULL: it has none */
/* Writes the parts back that were written, and waits. */
ma_status ma_copies_return(const ma_copies *copies, ma_stream *stream);
/* Ends what ma_copies_make began: writes them back if the run succeeded, and frees the host's memory. */
ma_status ma_copies_finish(ma_copies *copies, ma_status status, ma_stream *stream);

/* ==== Programs on the CPU ======================================================================================== */

/* As the slots map.run, reduce.run, reduce.scan and stencil.run. Programs have no text of the user's. */
ma_status ma_substitute_map(ma_stream *stream, const ma_map *map);
ma_status ma_substitute_reduction(ma_stream *stream, const ma_reduction *reduction);
ma_status ma_substitute_scan(ma_stream *stream, const ma_scan *scan);
ma_status ma_substitute_stencil(ma_stream *stream, const ma_stencil *stencil);

#pragma GCC visibility pop
#endif
