/*
** order.c: orders uses of memory over streams, so that programs that use only arrays have no races.
**
** A stream that uses a buffer waits for the streams before it: a reader for the last writer, a writer for the last
** writer and all readers since. It waits for the end of the other stream's queue at that moment, by an event that is
** recorded then and not at each launch. So a use costs nothing by itself, and a mark names a stream but no position in
** it. A stream that waited to read is a reader until the next write, so it does not wait twice.
*/
#include "base/fork.h"
#include "memory/wait.h"
#include "memory/graph.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for all marks, and for the streams' tails */
MA_FORK_GUARD(lock, MA_FORK_LEAF)

static bool is_host(const ma_stream *stream) { return !stream || ma_is_host(stream->device); }

ma_status ma_wait_for_sure(ma_stream *stream) {
  ma_wait_rule forbidden = ma_wait_forbidden;
  ma_wait_forbidden = MA_WAIT_ALLOWED;
  ma_status status = stream->device->backend->stream.synchronize(stream);
  ma_wait_forbidden = forbidden;
  return status;
}

static ma_status wait_locked(ma_stream *stream, ma_stream *on) {
  if (stream == on || is_host(on)) return MA_OK;
  if (is_host(stream) && on->capture)
    return ma_fail(MA_ERR_VALUE, "inside a graph capture; the host cannot wait for the stream that records");
  if (is_host(stream)) return on->device->backend->stream.synchronize(on);
  return stream->device->backend->stream.wait(stream, on);
}

ma_status ma_stream_wait(ma_stream *stream, ma_stream *on) {
  if (stream && stream->capture) return ma_capture_refuse(stream);
  pthread_mutex_lock(&lock);
  ma_status status = wait_locked(stream, on);
  pthread_mutex_unlock(&lock);
  return status;
}

/* Begins a capture under the lock, so that no other thread takes the stream's tail between the driver's change and this
** one. */
ma_status ma_stream_begin_capture(ma_stream *stream, ma_capture *capture, void **handle) {
  pthread_mutex_lock(&lock);
  ma_status status = stream->device->backend->graph.begin(stream, handle);
  if (status == MA_OK) __atomic_store_n(&stream->capture, capture, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
  return status;
}

ma_status ma_stream_end_capture(ma_stream *stream, void *handle, bool keep) {
  pthread_mutex_lock(&lock);
  ma_status status = stream->device->backend->graph.end(stream, handle, keep);
  __atomic_store_n(&stream->capture, NULL, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
  return status;
}

/* Whether a stream can be made to wait. A foreign stream that is gone cannot, and a stream that records would record
** the wait. */
static bool takes_work(const ma_stream *stream) { return !stream->ended && !stream->capture; }

static bool has_reader(const ma_marks *marks, const ma_stream *stream) {
  for (int k = 0; k < marks->nreader; k++)
    if (marks->reader[k] == stream) return true;
  return false;
}

/* Adds a reader. If there is no room, it waits for the oldest reader and takes its place. Whoever waits for the new
** reader then waits for both. */
static ma_status add_reader_locked(ma_marks *marks, ma_stream *stream) {
  if (marks->nreader == MA_MAX_READERS) {
    MA_TRY(wait_locked(stream, marks->reader[0]));
    memmove(marks->reader, marks->reader + 1, (MA_MAX_READERS - 1) * sizeof(ma_stream *));
    marks->nreader--;
  }
  marks->reader[marks->nreader] = stream;
  __atomic_store_n(&marks->nreader, (uint8_t)(marks->nreader + 1), __ATOMIC_RELAXED);
  return MA_OK;
}

static void set_writer_locked(ma_marks *marks, ma_stream *stream) {
  __atomic_store_n(&marks->nreader, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&marks->writer, stream, __ATOMIC_RELAXED);
}

/* Marks a read. `own` says that the stream and the buffer are of one device. */
static ma_status read_locked(ma_marks *marks, ma_stream *stream, bool own) {
  if (marks->writer == stream || has_reader(marks, stream)) return MA_OK;
  MA_TRY(wait_locked(stream, marks->writer));
  /* After the host waited there is no writer. Without a writer, a lone reader may take that place, which makes its
  ** next use cheap. */
  if (is_host(stream) || (own && is_host(marks->writer) && !marks->nreader)) {
    __atomic_store_n(&marks->writer, stream, __ATOMIC_RELAXED);
    return MA_OK;
  }
  return add_reader_locked(marks, stream);
}

static ma_status write_locked(ma_marks *marks, ma_stream *stream) {
  MA_TRY(wait_locked(stream, marks->writer));
  for (int k = 0; k < marks->nreader; k++) MA_TRY(wait_locked(stream, marks->reader[k]));
  set_writer_locked(marks, stream);
  return MA_OK;
}

/* The writer of withdrawn memory. No real stream equals it, so every use calls ma_buffer_order. */
static ma_stream withdrawn;

void ma_buffer_withdraw(ma_buffer *buffer) {
  pthread_mutex_lock(&lock);
  set_writer_locked(&buffer->marks, &withdrawn);
  pthread_mutex_unlock(&lock);
}

static ma_status fail_lost(const ma_device *device) {
  return ma_fail(MA_ERR_DEVICE, "memory of %s from before its reset; an array made after it is wanted", device->name);
}

ma_status ma_buffer_check(const ma_buffer *buffer) {
  if (__atomic_load_n(&buffer->marks.writer, __ATOMIC_RELAXED) == &withdrawn)
    return ma_fail(
      MA_ERR_VALUE,
      "an array over memory that was taken back, as an OpenGL resource's is by unmap and external memory is by "
      "close; map or import it again");
  if (__builtin_expect(buffer->generation != __atomic_load_n(&buffer->device->generation, __ATOMIC_ACQUIRE), 0))
    return fail_lost(buffer->device);
  return MA_OK;
}

ma_status ma_buffer_order(ma_buffer *buffer, ma_stream *stream, bool write) {
  MA_TRY(ma_buffer_check(buffer));
  bool noted = false;
  if (__atomic_load_n(&ma_uses_watched, __ATOMIC_RELAXED)) MA_TRY(ma_capture_note(buffer, stream, write, &noted));
  if (noted) return MA_OK;
  pthread_mutex_lock(&lock);
  ma_status status = write ? write_locked(&buffer->marks, stream)
                           : read_locked(&buffer->marks, stream, stream && stream->device == buffer->device);
  pthread_mutex_unlock(&lock);
  return status;
}

/* Makes every stream of the second block a reader of the joined one. The next use is a write, which waits for all of
** them. If there is no room, one of two streams waits for the other and stands for both. If it cannot, the host waits
** here. */
static void merge_locked(ma_marks *into, ma_stream *stream) {
  bool known = is_host(stream) || stream == into->writer || has_reader(into, stream);
  if (known) return;
  for (int k = 0; into->nreader == MA_MAX_READERS && k < MA_MAX_READERS; k++) {
    ma_stream *reader = into->reader[k];
    if (takes_work(stream) && wait_locked(stream, reader) == MA_OK) {
      into->reader[k] = stream;
      return;
    }
    if (takes_work(reader) && wait_locked(reader, stream) == MA_OK) return;
  }
  if (into->nreader == MA_MAX_READERS) ma_wait_for_sure(stream);
  else into->reader[into->nreader++] = stream;
}

void ma_marks_merge(ma_marks *into, const ma_marks *from) {
  pthread_mutex_lock(&lock);
  merge_locked(into, from->writer);
  for (int k = 0; k < from->nreader; k++) merge_locked(into, from->reader[k]);
  pthread_mutex_unlock(&lock);
}

static void drop_reader_locked(ma_marks *marks, const ma_stream *stream) {
  int n = 0;
  for (int k = 0; k < marks->nreader; k++)
    if (marks->reader[k] != stream) marks->reader[n++] = marks->reader[k];
  __atomic_store_n(&marks->nreader, (uint8_t)n, __ATOMIC_RELAXED);
}

void ma_buffer_settle(ma_buffer *buffer, const ma_stream *stream) {
  pthread_mutex_lock(&lock);
  if (buffer->marks.writer == stream) __atomic_store_n(&buffer->marks.writer, NULL, __ATOMIC_RELAXED);
  drop_reader_locked(&buffer->marks, stream);
  pthread_mutex_unlock(&lock);
}

/* ==== What leaves when its streams are done ======================================================================= */

static ma_leaving *leaving; /* under the lock */

static bool is_done(ma_stream *stream) {
  bool done = true;
  if (is_host(stream)) return true;
  if (stream->capture) return false;
  if (stream->ended) return ma_wait_for_sure(stream) == MA_OK;
  return stream->device->backend->stream.done(stream, &done) != MA_OK || done;
}

static bool all_done(const ma_marks *marks) {
  bool done = is_done(marks->writer);
  for (int k = 0; done && k < marks->nreader; k++) done = is_done(marks->reader[k]);
  return done;
}

static void put(ma_leaving *one) {
  pthread_mutex_lock(&lock);
  one->next = leaving;
  __atomic_store_n(&leaving, one, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
}

void ma_leaving_sweep(void) {
  if (!__atomic_load_n(&leaving, __ATOMIC_RELAXED) || ma_capture_count()) return;
  pthread_mutex_lock(&lock);
  ma_leaving *list = leaving;
  __atomic_store_n(&leaving, NULL, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&lock);
  for (ma_leaving *next; list; list = next) {
    next = list->next;
    if (all_done(&list->marks)) list->free(list);
    else put(list);
  }
}

void ma_leaving_add(ma_leaving *one) {
  put(one);
  ma_leaving_sweep();
}

typedef struct leaver {
  ma_leaving leaving; /* first */
  ma_device *device;
  void *what;
  void (*end)(ma_device *device, void *what);
} leaver;

static void end_leaver(ma_leaving *leaving) {
  leaver *l = (leaver *)leaving;
  l->end(l->device, l->what);
  free(l);
}

void ma_leave(ma_device *device, void *what, void (*end)(ma_device *device, void *what)) {
  leaver *l = ma_capture_count() ? malloc(sizeof *l) : NULL;
  if (!l) {
    end(device, what);
    return;
  }
  *l = (leaver){ { .free = end_leaver }, device, what, end };
  put(&l->leaving);
}
