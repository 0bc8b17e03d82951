/* handle.c: handles, which handle.h describes. Every result needs a header, so each thread keeps a list of free
** headers. */
#include "memory/handle.h"
#include "tuning.h"

#include <pthread.h>
#include <stdlib.h>

#define LINE 64 /* bytes of a cache line: a header takes two lines, and stays unused for long between two uses */

typedef struct header {
  ma_buffer buffer;
  struct header *next;
} header;

static __thread struct {
  header *first;
  int n;
} spare;                     /* a single variable, because each access to a thread's variable is a call */
static uint32_t first_count; /* of writes, for a header at an address that another may have had */
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Aligns a header to a cache line, and stores malloc's address in front of it. It takes half the time of
** aligned_alloc. */
static header *new_header(void) {
  void *memory = malloc(sizeof(header) + LINE + sizeof memory);
  if (!memory) return NULL;
  void **h = (void **)(((uintptr_t)memory + sizeof memory + LINE - 1) & ~(uintptr_t)(LINE - 1));
  h[-1] = memory;
  ((header *)h)->buffer.writes = __atomic_add_fetch(&first_count, 1 << 16, __ATOMIC_RELAXED);
  return (header *)h;
}

static void free_header(header *h) { free(((void **)h)[-1]); }

static void free_spare(void *unused) {
  /* The thread ends: the list counts as full, so that no header goes there, which nobody would free. */
  spare.n = TUNE_HEADERS_KEPT;
  while (spare.first) {
    header *h = spare.first;
    spare.first = h->next;
    free_header(h);
  }
}

static void make_key(void) { pthread_key_create(&key, free_spare); }

static void give_back(header *h) {
  if (spare.n >= TUNE_HEADERS_KEPT) {
    free_header(h);
    return;
  }
  if (__builtin_expect(!spare.first && !spare.n, 0)) {
    pthread_once(&once, make_key);
    pthread_setspecific(key, &spare);
  }
  h->next = spare.first;
  spare.first = h;
  spare.n++;
}

static void release_handle(ma_buffer *buffer) {
  ma_buffer *block = buffer->owner;
  if (buffer->pending) ma_defer_hooks.drop(buffer->pending);
  if (block) {
    block->marks = buffer->marks; /* a block takes its marks with it */
    ma_buffer_release(block);
  }
  give_back((header *)buffer);
}

ma_status ma_handle_bare(ma_device *device, size_t nbytes, ma_buffer **buffer) {
  header *h = spare.first, *next;
  if (__builtin_expect(h != NULL, 1)) {
    spare.first = next = h->next;
    spare.n--;
    __builtin_prefetch(next, 1); /* the next header to be freed has left the cache by now */
    __builtin_prefetch((char *)next + LINE, 1);
  } else if (!(h = new_header())) {
    return ma_fail(MA_ERR_MEMORY, "out of memory: no %zu bytes of host memory for a buffer's header", sizeof *h);
  }
  /* Each field for itself: the loop that clears a struct takes as many instructions as all else here. The marks of
  ** readers are not read, since there are none. */
  ma_buffer *b = &h->buffer;
  b->refs = 1;
  b->writes++; /* goes on: a reader knows memory by address and count */
  b->device = device;
  b->ptr = b->owner = NULL;
  b->nbytes = nbytes;
  b->release = release_handle;
  b->generation = __atomic_load_n(&device->generation, __ATOMIC_RELAXED);
  b->movable = true;
  b->for_host = b->pinned = false;
  b->pending = NULL;
  b->recorded = 0;
  b->nreaders = 0;
  b->readers = NULL;
  b->marks.writer = NULL;
  b->marks.nreader = 0;
  *buffer = b;
  return MA_OK;
}

void ma_handle_fill(ma_buffer *handle, ma_buffer *block) {
  handle->owner = block;
  handle->ptr = block->ptr;
  handle->generation = block->generation;
  handle->marks = block->marks;
  ma_buffer_count_write(handle);
}

ma_status ma_handle_new(ma_device *device, size_t nbytes, ma_buffer **buffer) {
  ma_buffer *block;
  MA_TRY(ma_buffer_new(device, nbytes, &block));
  return ma_handle_wrap(block, buffer);
}

ma_status ma_handle_wrap(ma_buffer *block, ma_buffer **buffer) {
  if (!ma_defer_hooks.is_on || !ma_defer_hooks.is_on()) {
    *buffer = block;
    return MA_OK;
  }
  ma_status status = ma_handle_bare(block->device, block->nbytes, buffer);
  if (status == MA_OK) ma_handle_fill(*buffer, block);
  else ma_buffer_release(block);
  return status;
}

/* Makes the pending readers of `from` read `to`. */
void ma_handle_move_readers(ma_buffer *from, ma_buffer *to) {
  ma_reading *last = NULL;
  to->nreaders += from->nreaders;
  from->nreaders = 0;
  for (ma_reading *r = from->readers; r; last = r, r = r->next) {
    ma_buffer_retain(to);
    r->buffer = to;
    ma_buffer_release(from);
  }
  if (!last) return;
  last->next = to->readers;
  if (last->next) last->next->prev = &last->next;
  to->readers = from->readers;
  to->readers->prev = &to->readers;
  from->readers = NULL;
}

void ma_handle_exchange(ma_buffer *a, ma_buffer *b) {
  ma_buffer keep = *a;
  a->ptr = b->ptr, a->owner = b->owner, a->generation = b->generation, a->marks = b->marks;
  b->ptr = keep.ptr, b->owner = keep.owner, b->generation = keep.generation, b->marks = keep.marks;
  ma_buffer_count_write(a);
  ma_buffer_count_write(b);
  ma_handle_move_readers(a, b);
}

const ma_buffer *ma_handle_block(const ma_buffer *buffer) {
  return buffer->release == release_handle ? buffer->owner : buffer;
}
