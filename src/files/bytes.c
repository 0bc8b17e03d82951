/* bytes.c: sources and sinks of bytes over files and memory. Bytes of a device go through chunks in host memory. */
#include "base/threads.h"
#include "memory/wait.h"
#include "ops/ops.h"
#include "files/files.h"
#include "tuning.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ==== CRC-32, eight bytes at a time ==== */

static uint32_t crc_table[8][256];
static pthread_once_t crc_once = PTHREAD_ONCE_INIT;

static void crc_init(void) {
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
    crc_table[0][i] = c;
  }
  for (uint32_t i = 0; i < 256; i++)
    for (int t = 1; t < 8; t++) crc_table[t][i] = crc_table[0][crc_table[t - 1][i] & 255] ^ (crc_table[t - 1][i] >> 8);
}

uint32_t ma_crc32(uint32_t crc, const void *bytes, size_t nbytes) {
  const uint8_t *p = bytes;
  uint32_t c = ~crc;
  pthread_once(&crc_once, crc_init);
  for (; nbytes >= 8; nbytes -= 8, p += 8) {
    uint32_t low = c ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
    c = crc_table[7][low & 255] ^ crc_table[6][low >> 8 & 255] ^ crc_table[5][low >> 16 & 255] ^
        crc_table[4][low >> 24] ^ crc_table[3][p[4]] ^ crc_table[2][p[5]] ^ crc_table[1][p[6]] ^ crc_table[0][p[7]];
  }
  while (nbytes-- > 0) c = crc_table[0][(c ^ *p++) & 255] ^ (c >> 8);
  return ~c;
}

/* ==== Sources ==== */

void ma_source_file(ma_source *source, FILE *file) {
  *source = (ma_source){ .file = file, .left = INT64_MAX };
  struct stat about;
  int64_t at = (int64_t)ftello(file);
  if (at < 0 || fstat(fileno(file), &about) != 0 || !S_ISREG(about.st_mode)) return;
  source->seekable = true;
  source->position = at;
  source->left = about.st_size > at ? (int64_t)about.st_size - at : 0;
}

void ma_source_memory(ma_source *source, const void *bytes, size_t nbytes) {
  *source = (ma_source){ .bytes = bytes, .seekable = true, .left = (int64_t)nbytes };
}

void ma_source_close(ma_source *source) {
  ma_inflate_free(source->inflate);
  source->inflate = NULL;
}

/* ---- Long reads: the page cache is copied by several threads, and each touches its part of new memory ---- */

#ifndef _WIN32
typedef struct long_read {
  int file;
  int64_t position;
  char *to;
  bool failed; /* atomic; fread finds out why */
} long_read;

static ma_status read_range(void *context, int64_t at, int64_t end) {
  long_read *r = context;
  while (at < end) {
    ssize_t got = pread(r->file, r->to + at, (size_t)(end - at), (off_t)(r->position + at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      __atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
      break;
    }
    at += got;
  }
  return MA_OK;
}

/* False: it was not read; what a shorter read gets is for fread to say. */
static bool read_long(ma_source *source, void *to, size_t nbytes) {
  long_read r = { fileno(source->file), source->position, to, false };
  if (nbytes / 4 < TUNE_FILE_PIECE || !source->seekable || ma_cpu_threads() == 1) return false;
  if (fseeko(source->file, source->position, SEEK_SET) != 0) return false;
  return ma_cpu_parallel((int64_t)nbytes, TUNE_FILE_PIECE, read_range, &r) == MA_OK && !r.failed &&
         fseeko(source->file, source->position + (int64_t)nbytes, SEEK_SET) == 0;
}
#else
static bool read_long(ma_source *source, void *to, size_t nbytes) { return false; }
#endif

/* Bytes before inflating. */
static ma_status read_raw(void *from, void *to, size_t nbytes, size_t *got) {
  ma_source *source = from;
  size_t n = (uint64_t)source->left < nbytes ? (size_t)source->left : nbytes;
  *got = 0;
  if (n == 0) return MA_OK;
  if (source->file) {
    if (source->seekable && ftello(source->file) != source->position &&
        fseeko(source->file, source->position, SEEK_SET) != 0)
      return ma_fail(MA_ERR_IO, "the file cannot be read at byte %lld: %s", (long long)source->position,
                     strerror(errno));
    if (!read_long(source, to, n)) n = fread(to, 1, n, source->file);
    if (n == 0 && ferror(source->file)) return ma_fail(MA_ERR_IO, "the file cannot be read: %s", strerror(errno));
  } else {
    memcpy(to, source->bytes + source->position, n);
  }
  source->position += (int64_t)n;
  if (source->left != INT64_MAX) source->left -= (int64_t)n;
  *got = n;
  return MA_OK;
}

ma_status ma_source_read(ma_source *source, void *to, size_t nbytes, size_t *got) {
  if (source->inflate) MA_TRY(ma_inflate_read(source->inflate, read_raw, source, to, nbytes, got));
  else MA_TRY(read_raw(source, to, nbytes, got));
  if (source->checked) source->crc = ma_crc32(source->crc, to, *got);
  return MA_OK;
}

ma_status ma_source_exact(ma_source *source, void *to, size_t nbytes, const char *what) {
  size_t got;
  MA_TRY(ma_source_read(source, to, nbytes, &got));
  if (got != nbytes) return ma_fail(MA_ERR_IO, "the file ends after %zu of the %zu bytes of %s", got, nbytes, what);
  return MA_OK;
}

/* ==== Sinks ==== */

void ma_sink_output(ma_sink *sink, ma_output *output) { *sink = (ma_sink){ .output = output }; }
void ma_sink_memory(ma_sink *sink, void *bytes, size_t room) { *sink = (ma_sink){ .bytes = bytes, .room = room }; }

ma_status ma_sink_raw(ma_sink *sink, const void *bytes, size_t nbytes) {
  if (sink->output) {
    MA_TRY(ma_output_put(sink->output, bytes, nbytes));
  } else {
    if (nbytes > sink->room) return ma_fail(MA_ERR_INTERNAL, "%zu bytes for a place of %zu", nbytes, sink->room);
    memcpy(sink->bytes, bytes, nbytes);
    sink->bytes += nbytes;
    sink->room -= nbytes;
  }
  sink->written += (int64_t)nbytes;
  return MA_OK;
}

ma_status ma_sink_write(ma_sink *sink, const void *bytes, size_t nbytes) {
  if (nbytes == 0) return MA_OK;
  if (sink->checked) sink->crc = ma_crc32(sink->crc, bytes, nbytes);
  return sink->deflate ? ma_deflate_write(sink->deflate, sink, bytes, nbytes) : ma_sink_raw(sink, bytes, nbytes);
}

ma_status ma_sink_compress(ma_sink *sink) { return ma_deflate_new(&sink->deflate); }
ma_status ma_sink_finish(ma_sink *sink) { return sink->deflate ? ma_deflate_finish(sink->deflate, sink) : MA_OK; }

void ma_sink_close(ma_sink *sink) {
  ma_deflate_free(sink->deflate);
  sink->deflate = NULL;
}

/* ==== Arrays ==== */

/* Reverses the bytes of each element; a complex element is two values of half its size. */
static void swap_bytes(uint8_t *bytes, size_t nbytes, ma_dtype dtype) {
  size_t size = ma_dtypes[dtype].itemsize;
  if (ma_dtypes[dtype].kind == MA_KIND_COMPLEX) size /= 2;
  for (size_t at = 0; at + size <= nbytes; at += size)
    for (size_t i = 0, j = size - 1; i < j; i++, j--) {
      uint8_t keep = bytes[at + i];
      bytes[at + i] = bytes[at + j];
      bytes[at + j] = keep;
    }
}

static bool on_host(const ma_array *array) { return ma_is_host(ma_array_device(array)); }

ma_status ma_array_from_source(ma_array *array, ma_source *source, bool swap, ma_stream *stream) {
  size_t nbytes = (size_t)array->size * ma_dtypes[array->dtype].itemsize;
  void *address;
  if (nbytes == 0) return MA_OK;
  MA_TRY(ma_wait_check_array(array));
  MA_TRY(ma_array_write(array, on_host(array) ? NULL : stream, &address));
  bool host = on_host(array);
  uint8_t *stage = host ? NULL : malloc(nbytes < TUNE_MIB(TUNE_FILE_STAGED) ? nbytes : TUNE_MIB(TUNE_FILE_STAGED));
  if (!host && !stage)
    return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes on the host for reading", TUNE_MIB(TUNE_FILE_STAGED));
  ma_status status = MA_OK;
  for (size_t done = 0; done < nbytes && status == MA_OK;) {
    size_t n = nbytes - done < TUNE_MIB(TUNE_FILE_STAGED) ? nbytes - done : TUNE_MIB(TUNE_FILE_STAGED);
    uint8_t *to = host ? (uint8_t *)address + done : stage;
    status = ma_source_exact(source, to, n, "the array");
    if (status == MA_OK && swap) swap_bytes(to, n, array->dtype);
    if (status == MA_OK && !host) {
      status = stream->device->backend->memory.copy(stream, (uint8_t *)address + done, stage, n, MA_COPY_TO_DEVICE);
      if (status == MA_OK) status = stream->device->backend->stream.synchronize(stream); /* the stage will be reused */
    }
    done += n;
  }
  free(stage);
  return status;
}

static ma_status contiguous_to_sink(const ma_array *array, ma_sink *sink, ma_stream *stream) {
  size_t nbytes = (size_t)array->size * ma_dtypes[array->dtype].itemsize;
  const void *address;
  if (nbytes == 0) return MA_OK;
  MA_TRY(ma_wait_check_array(array));
  MA_TRY(ma_array_read(array, on_host(array) ? NULL : stream, &address));
  if (on_host(array)) {
    MA_TRY(stream->device->backend->stream.synchronize(stream));
    return ma_sink_write(sink, address, nbytes);
  }
  uint8_t *stage = malloc(nbytes < TUNE_MIB(TUNE_FILE_STAGED) ? nbytes : TUNE_MIB(TUNE_FILE_STAGED));
  if (!stage)
    return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes on the host for writing", TUNE_MIB(TUNE_FILE_STAGED));
  ma_status status = MA_OK;
  for (size_t done = 0; done < nbytes && status == MA_OK;) {
    size_t n = nbytes - done < TUNE_MIB(TUNE_FILE_STAGED) ? nbytes - done : TUNE_MIB(TUNE_FILE_STAGED);
    status = stream->device->backend->memory.copy(stream, stage, (const uint8_t *)address + done, n, MA_COPY_TO_HOST);
    if (status == MA_OK) status = ma_sink_write(sink, stage, n);
    done += n;
  }
  free(stage);
  return status;
}

ma_status ma_array_to_sink(const ma_array *array, ma_sink *sink, ma_stream *stream) {
  if (ma_array_is_contiguous(array)) return contiguous_to_sink(array, sink, stream);
  ma_array copy;
  MA_TRY(ma_array_copy(&copy, array, array->dtype, stream));
  ma_status status = contiguous_to_sink(&copy, sink, stream);
  ma_array_release(&copy);
  return status;
}
