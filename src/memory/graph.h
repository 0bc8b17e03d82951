/*
** graph.h: captures and graphs. A stream with a capture records its work and does not run it. The capture becomes a
** graph, which runs the work any number of times. One struct is both, because both hold the same memory:
**  - Every buffer that the recorded work uses. A buffer from outside is ordered at each launch like any other use
**    (order.c), so the work sees what the buffer holds at that time.
**  - Every buffer that was made while recording (`own`). Nobody else gets that memory while the graph lives, so its
**    temporaries stay valid between launches. Within the recording, a block is reused once only the graph holds it: all
**    work is on one stream.
**  - The user's own kernels that it launches.
**  - For each random generator that the work draws from, a cell of device memory with its seed and position. Every
**    launch fills the cell anew and so draws other numbers.
** While a stream records, nothing runs: a call that asks for a value or waits is refused, and the refusal drops the
** capture.
*/
#ifndef MOONARRAY_GRAPH_H
#define MOONARRAY_GRAPH_H

#include "memory/memory.h"

#include <pthread.h>

#pragma GCC visibility push(hidden)

typedef struct ma_capture_use {
  ma_buffer *buffer; /* a reference */
  bool written;      /* recorded work writes it */
  bool used;         /* recorded work uses it */
  bool own;
  bool known; /* others knew the address before */
} ma_capture_use;

typedef struct ma_capture_hold {
  struct ma_capture_hold *next;
  void *what;
  void (*release)(void *what);
} ma_capture_hold;

typedef struct ma_capture_source {
  struct ma_capture_source *next;
  ma_buffer *cell; /* a reference; holds one ma_random_cell */
  uint32_t ndraw;  /* draws in one launch */
  uint64_t key;    /* seed of the next launch */
  uint32_t draw;
} ma_capture_source;

typedef struct ma_capture {
  ma_device *device;
  ma_stream *stream;       /* the stream that records; NULL: ended or dropped */
  pthread_t thread;        /* the thread that began it */
  struct ma_capture *next; /* in the list of captures in progress */
  void *handle;            /* the backend's recording; NULL: nothing to launch */
  bool ready;              /* the capture ended successfully */
  bool elsewhere;          /* set for a moment: buffers that are allocated now are not `own` */
  char why[160];           /* why it was dropped */
  ma_capture_use *use;
  int nuse, room;
  int32_t *slot; /* hash table of uses by buffer, with open addressing; 0: empty, else index + 1 */
  int nslot;     /* slots of the table, a power of two */
  ma_capture_hold *hold;
  ma_capture_source *source; /* sources in the order of their numbers, from 1 */
} ma_capture;

/* `stream` records from now on. A thread may record one capture at a time. Not for a null stream. */
ma_status ma_capture_begin(ma_stream *stream, ma_capture **capture);
/* The stream runs its work again. On failure, or if the capture was dropped, there is nothing to launch; the caller
** frees the capture in any case. */
ma_status ma_capture_end(ma_capture *capture);
/* Ends a capture in progress without a graph; ma_capture_end will report `why`. Harmless in other states. */
void ma_capture_drop(ma_capture *capture, const char *why);
void ma_capture_free(ma_capture *capture); /* in any state; launched work goes on */
/* Queues the graph's work on `stream`, in order with other uses of its buffers. */
ma_status ma_capture_launch(ma_capture *graph, ma_stream *stream);
/* Moves what the device needs of the graph there, so that the first launch on the stream does not. */
ma_status ma_capture_upload(ma_capture *graph, ma_stream *stream);
/* The recorded work in Graphviz's language, for the caller to free. */
ma_status ma_capture_dot(ma_capture *graph, unsigned flags, char **text);
/* Keeps `what` while the graph lives. Takes over the caller's reference, and drops it at once if the graph has one. */
ma_status ma_capture_keep(ma_capture *capture, void *what, void (*release)(void *what));

/* Adds a generator that the recorded work draws from. */
ma_status ma_capture_source_new(ma_capture *capture);
/* The generator of this number, from 1 on; NULL: there is none. */
ma_capture_source *ma_capture_source_get(const ma_capture *capture, int n);

/* Fails if the stream records, and drops the capture: for work that cannot be recorded. MA_OK on other streams. */
ma_status ma_capture_refuse(ma_stream *stream);
/* The same with the name of the work (a literal): "inside a graph capture; a Fourier transform cannot be recorded". */
ma_status ma_capture_refuse_work(ma_stream *stream, const char *what);
int ma_capture_count(void); /* captures in progress in the process */
/* Records a copy of the host's bytes as they are now. */
ma_status ma_capture_constant(ma_stream *stream, void *to, const void *from, size_t nbytes);

/* In order.c: begins and ends recording at one moment for every thread that might wait for the stream. */
ma_status ma_stream_begin_capture(ma_stream *stream, ma_capture *capture, void **handle);
ma_status ma_stream_end_capture(ma_stream *stream, void *handle, bool keep);

/* Adds n to the number of buffers whose memory was lost in a reset. While it is positive, every use of a buffer is
** checked. */
void ma_buffer_lost(int64_t n);
ma_status ma_buffer_check(const ma_buffer *buffer); /* an error if the memory was lost or withdrawn */
void ma_buffer_lose_wrapped(ma_device *device);     /* marks all foreign buffers of the device as lost; device.c */
void ma_capture_drop_device(ma_device *device, const char *why); /* drops every capture in progress on the device */

/* ---- for order.c and buffer.c, while ma_uses_watched is not 0 ---- */

/* Notes a use of the buffer in the graph that `stream` records. *noted: whether it records. */
ma_status ma_capture_note(ma_buffer *buffer, ma_stream *stream, bool write, bool *noted);
ma_status ma_capture_use_of(ma_capture *capture, ma_buffer *buffer, bool write); /* the same for a known capture */
/* Whether this thread's capture alone knows the address of a buffer that is not movable: nobody writes there but by
** work that it records. */
bool ma_capture_alone(const ma_capture *capture, const ma_buffer *buffer);
/* Whether the memory was made while recording, and nothing uses it yet. */
bool ma_capture_is_fresh(const ma_capture *c, const ma_buffer *buffer);
bool ma_capture_reuse(ma_device *device, size_t nbytes, ma_buffer **buffer);
ma_status ma_capture_own(ma_buffer *buffer); /* for a new buffer */

#pragma GCC visibility pop
#endif
