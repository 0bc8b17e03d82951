/*
** hazard.c: writes into memory that pending programs still read. An open program runs before the write. An absorbed
** program is most likely dead, but nobody can know, so it does not run: all absorbed readers share one copy of the old
** values. A writer of the whole array instead gives the array other memory and leaves the old memory to the readers
** (now.c).
*/
#include "memory/graph.h"
#include "run/run.h"
#include "run/pending.h"
#include "tuning.h"

#include <string.h>

bool ma_hazard_covers(const ma_array *array) {
  int64_t step = ma_dtypes[array->dtype].itemsize;
  uint32_t done = 0;
  if ((uint64_t)(array->size * step) != array->buffer->nbytes) return false;
  /* from the last axis outwards, each axis must be contiguous with the inner ones */
  for (int n = 0; n < array->ndim; n++) {
    int d = 0;
    for (; d < array->ndim; d++) {
      int64_t size = array->stride[d] < 0 ? -array->stride[d] : array->stride[d];
      if (!(done >> d & 1) && (array->shape[d] == 1 || size == step)) break;
    }
    if (d == array->ndim) return false;
    done |= 1u << d;
    step *= array->shape[d];
  }
  return true;
}

bool ma_hazard_is_apart(const ma_array *to) {
  ma_array read;
  int left = TUNE_HAZARD_LOOK;
  for (const ma_reading *r = to->buffer->readers; r; r = r->next) {
    const ma_bound *bound = &r->pending->bound;
    size_t extents = bound->ndim * sizeof(int64_t), k = (size_t)(r - bound->reading);
    if (left-- == 0) return false;
    read.buffer = r->buffer;
    read.offset = r->offset;
    read.dtype = bound->input_dtype[k];
    read.ndim = bound->ndim;
    read.size = r->pending->size;
    memcpy(read.shape, r->pending->shape, extents);
    memcpy(read.stride, bound->step + k * bound->ndim, extents);
    if (ma_array_overlaps(&read, to)) return false;
  }
  return true;
}

/* Whether an open program is the only reader. Running it costs no more than a copy of the old values. With other
** readers the copy is needed in any case, and the program can wait. */
static bool is_for_one(const ma_buffer *buffer) {
  for (const ma_reading *r = buffer->readers; r; r = r->next)
    if (r->pending->absorbed || r->pending != buffer->readers->pending) return false;
  return true;
}

/* Runs the open readers. A run changes the list, so the search starts again each time. */
static ma_status run_open(ma_buffer *buffer, const char *why) {
  ma_reading *r = buffer->readers;
  while (r) {
    if (r->pending->absorbed) {
      r = r->next;
      continue;
    }
    MA_TRY(ma_pending_settle(r->pending->buffer, why));
    r = buffer->readers;
  }
  return MA_OK;
}

/* Where the buffer is copied for its readers. Readers that are recorded read a copy that is recorded. */
static ma_stream *stream_on(ma_stream *stream, const ma_buffer *buffer) {
  const ma_pending *reader = buffer->readers->pending;
  if (reader->recorded && reader->stream->capture) return reader->stream;
  return stream && stream->device == buffer->device && !stream->capture ? stream
                                                                        : ma_device_null_stream(buffer->device);
}

/* Copies all bytes, also those that were never written. */
static ma_status copy_all(ma_buffer *to, ma_buffer *from, ma_stream *stream) {
  MA_TRY(ma_buffer_use(from, stream, false));
  MA_TRY(ma_buffer_use(to, stream, true));
  return stream->device->backend->memory.copy(stream, to->ptr, from->ptr, from->nbytes, MA_COPY_WITHIN);
}

ma_status ma_hazard_clone(ma_buffer *buffer, ma_stream *stream, ma_buffer **clone) {
  ma_buffer *block, *made;
  *clone = NULL;
  if (is_for_one(buffer)) MA_TRY(run_open(buffer, "what it reads is written"));
  if (!buffer->readers) return MA_OK;
  stream = stream_on(stream, buffer);
  MA_TRY(ma_handle_bare(buffer->device, buffer->nbytes, &made));
  ma_status status = ma_buffer_new(buffer->device, buffer->nbytes, &block);
  if (status == MA_OK) ma_handle_fill(made, block);
  if (status == MA_OK && stream->capture) status = ma_capture_own(made); /* used again when nobody reads it any more */
  if (status == MA_OK) status = copy_all(made, buffer, stream);
  if (status == MA_OK) {
    ma_handle_move_readers(buffer, made);
    MA_FIGURE(cloned, 1);
    *clone = made;
  }
  ma_buffer_release(made);
  return status;
}

ma_status ma_hazard_write(ma_buffer *buffer, ma_stream *stream) {
  ma_buffer *clone;
  MA_TRY(ma_pending_settle(buffer, "it is written"));
  return buffer->readers ? ma_hazard_clone(buffer, stream, &clone) : MA_OK;
}

ma_status ma_hazard_expose(ma_buffer *buffer, ma_stream *stream) {
  if (!buffer->movable) return MA_OK;
  MA_TRY(ma_pending_settle(buffer, "others are to know its memory"));
  MA_TRY(ma_hazard_write(buffer, stream));
  buffer->movable = false;
  return MA_OK;
}
