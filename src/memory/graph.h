/*
** graph.h: work that a stream records instead of running it (a capture), and what comes of it: a graph, which runs it
** again and again.
**
** One struct is both, for its memory is the same. It holds
**  - every buffer that the recorded work uses. An outside one is ordered at each launch like any other use (order.c),
**  so what it
**    holds then is what the work sees;
**  - every buffer that was made while recording (`own`): nobody else gets that memory while the graph lives, so its
**  temporaries
**    stay valid between launches. Within the recording it is handed out again when only the graph holds it: one stream,
**    one order;
**  - the kernels of the user's own that it launches;
**  - for each generator of random numbers that the work draws from a cell of the device's memory with its seed and
**  position, which
**    every launch fills anew, so that it draws other numbers.
** While it is recorded nothing runs: whatever asks for a value, or waits, is refused, and that ends and drops the
** capture.
*/
#ifndef MOONARRAY_GRAPH_H
#define MOONARRAY_GRAPH_H

#include "memory/memory.h"

#include <pthread.h>

#pragma GCC visibility push(hidden)

typedef struct ma_capture_use {
  ma_buffer *buffer; /* a reference */
  bool written;      /* by recorded work */
  bool used;         /* by recorded work, at all */
  bool own;
} ma_capture_use;

typedef struct ma_capture_hold {
  struct ma_capture_hold *next;
  void *what;
  void (*release)(void *what);
} ma_capture_hold;

typedef struct ma_capture_source {
  struct ma_capture_source *next;
  ma_buffer *cell; /* a reference: one ma_random_cell */
  uint32_t ndraw;  /* of one launch */
  uint64_t key;    /* of the next launch, and its first draw */
  uint32_t draw;
} ma_capture_source;

typedef struct ma_capture {
  ma_device *device;
  ma_stream *stream;       /* that records; NULL: ended or dropped */
  pthread_t thread;        /* that began it */
  struct ma_capture *next; /* in graph.c's list of those in progress */
  void *handle;            /* the backend's: what was recorded; NULL: nothing to launch */
  bool ready;              /* ended well */
  bool elsewhere;          /* for a moment: what is allocated is not `own` */
  char why[160];           /* it was dropped */
  ma_capture_use *use;
  int nuse, room;
  int32_t *slot; /* use by buffer: open addressing, 0 is empty, else the index + 1 */
  int nslot;     /* a power of two */
  ma_capture_hold *hold;
  ma_capture_source *source; /* in the order of their numbers, from 1 */
} ma_capture;

/* `stream` records from now on; the thread may record one at a time. Not a null stream. */
ma_status ma_capture_begin(ma_stream *stream, ma_capture **capture);
/* The stream runs what it is given again. On failure, or if the capture was dropped, there is nothing to launch; free
** it all the same. */
ma_status ma_capture_end(ma_capture *capture);
/* Ends a capture in progress without a graph; `why` is what ma_capture_end will say. Harmless otherwise. */
void ma_capture_drop(ma_capture *capture, const char *why);
void ma_capture_free(ma_capture *capture); /* in any state; work that was launched runs on */
/* Queues the work on `stream`, after what the buffers it uses must come after. */
ma_status ma_capture_launch(ma_capture *graph, ma_stream *stream);
/* Keeps `what` while the graph lives; takes over the reference, and lets go of it at once if it has one already. */
ma_status ma_capture_keep(ma_capture *capture, void *what, void (*release)(void *what));

/* One more generator that the recorded work draws from; source number n, from 1; NULL: there is none. */
ma_status ma_capture_source_new(ma_capture *capture);
ma_capture_source *ma_capture_source_get(const ma_capture *capture, int n);

/* The error of what cannot be recorded; the capture is dropped. MA_OK on a stream that records nothing. */
ma_status ma_capture_refuse(ma_stream *stream);
/* The same where `what` (a literal) cannot be recorded: "inside a graph capture; a Fourier transform cannot be
** recorded". */
ma_status ma_capture_refuse_work(ma_stream *stream, const char *what);
int ma_capture_count(void); /* in progress, in the process */
/* Records a copy of host bytes as they are now. */
ma_status ma_capture_constant(ma_stream *stream, void *to, const void *from, size_t nbytes);

/* In order.c: the stream records, or runs again, from one moment on for every thread that might wait for it. */
ma_status ma_stream_begin_capture(ma_stream *stream, ma_capture *capture, void **handle);
ma_status ma_stream_end_capture(ma_stream *stream, void *handle, bool keep);

/* Buffers whose memory went with a reset, n more or less: while there are any, every use is looked at. */
void ma_buffer_lost(int64_t n);
ma_status ma_buffer_check(const ma_buffer *buffer);              /* an error if its memory was lost or taken back */
void ma_buffer_lose_wrapped(ma_device *device);                  /* all foreign ones of the device; device.c */
void ma_capture_drop_device(ma_device *device, const char *why); /* every capture in progress there */

/* For order.c and buffer.c, while ma_uses_watched is not 0. */
/* *noted: the use was recorded */
ma_status ma_capture_note(ma_buffer *buffer, ma_stream *stream, bool write, bool *noted);
bool ma_capture_reuse(ma_device *device, size_t nbytes, ma_buffer **buffer);
ma_status ma_capture_own(ma_buffer *buffer); /* a fresh one */

#pragma GCC visibility pop
#endif
