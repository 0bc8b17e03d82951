/*
** zip.c: zip archives, such as .npz files: members are stored or deflated, and found through the directory at the end.
** Files beyond 4 GiB use the zip64 fields. Members that are written have their sizes in front too, because some readers
** need them there.
*/
#include "ops/ops.h"
#include "files/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOCAL 0x04034b50u
#define CENTRAL 0x02014b50u
#define END 0x06054b50u
#define END64 0x06064b50u
#define LOCATOR64 0x07064b50u
#define FULL32 0xffffffffu
#define FULL16 0xffffu

static ma_status damaged(const char *what) { return ma_fail(MA_ERR_IO, "the .npz file is damaged: %s", what); }

static uint32_t get16(const uint8_t *p) { return (uint32_t)p[0] | (uint32_t)p[1] << 8; }
static uint32_t get32(const uint8_t *p) { return get16(p) | get16(p + 2) << 16; }
static uint64_t get64(const uint8_t *p) { return get32(p) | (uint64_t)get32(p + 4) << 32; }

/* ==== Reading ==== */

/* Reads `n` bytes at `offset` of the archive. */
static ma_status read_at(const ma_source *whole, int64_t offset, void *to, size_t n, const char *what) {
  if (offset < 0 || offset > whole->left || (int64_t)n > whole->left - offset) return damaged(what);
  ma_source part = *whole;
  part.position += offset;
  part.left -= offset;
  return ma_source_exact(&part, to, n, what);
}

typedef struct zip_end {
  int64_t at, size, offset;
} zip_end; /* the directory's; `at`: where the directory must end */

static ma_status find_end(const ma_source *whole, zip_end *end) {
  size_t n = whole->left < 22 + 65535 ? (size_t)whole->left : 22 + 65535;
  if (n < 22) return damaged("no end of directory");
  uint8_t *tail = malloc(n);
  if (!tail) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for a directory", n);
  int64_t base = whole->left - (int64_t)n;
  ma_status status = read_at(whole, base, tail, n, "the end of the directory");
  int64_t found = -1;
  for (size_t i = n - 22 + 1; status == MA_OK && found < 0 && i-- > 0;)
    if (get32(tail + i) == END && i + 22 + get16(tail + i + 20) <= n) {
      found = base + (int64_t)i;
      *end = (zip_end){ found, get32(tail + i + 12), get32(tail + i + 16) };
    }
  free(tail);
  if (status == MA_OK && found < 0) return damaged("no end of directory");
  return status;
}

/* The zip64 record precedes the end record, with a locator between them. */
static ma_status find_end64(const ma_source *whole, zip_end *end) {
  uint8_t locator[20], record[56];
  if (end->at < 20) return MA_OK;
  MA_TRY(read_at(whole, end->at - 20, locator, 20, "the zip64 locator"));
  if (get32(locator) != LOCATOR64) return MA_OK;
  /* Writers put it directly in front; the locator's offset is wrong if there are bytes in front of the archive. */
  int64_t at = end->at - 20 - 56;
  MA_TRY(read_at(whole, at, record, 56, "the zip64 record"));
  if (get32(record) != END64) return damaged("the zip64 record");
  *end = (zip_end){ at, (int64_t)get64(record + 40), (int64_t)get64(record + 48) };
  return MA_OK;
}

ma_status ma_zip_open(ma_zip *zip, const ma_source *whole) {
  zip_end end = { 0, 0, 0 };
  *zip = (ma_zip){ .whole = *whole, .budget = whole->left };
  if (!whole->seekable)
    return ma_fail(MA_ERR_IO, "a .npz file cannot be read from a pipe; read it into a string, then ma.loads");
  MA_TRY(find_end(whole, &end));
  MA_TRY(find_end64(whole, &end));
  if (end.size < 0 || end.offset < 0 || end.size > end.at || end.offset > end.at - end.size)
    return damaged("its directory's place");
  zip->shift = end.at - end.size - end.offset;
  zip->directory = malloc((size_t)end.size + 1);
  if (!zip->directory) return ma_fail(MA_ERR_MEMORY, "out of memory: %lld bytes for a directory", (long long)end.size);
  zip->size = (size_t)end.size;
  ma_status status = read_at(whole, end.at - end.size, zip->directory, zip->size, "its directory");
  if (status != MA_OK) ma_zip_close(zip);
  return status;
}

/* Fields that are all ones in the entry are in the zip64 extra field, in this order. */
static ma_status widen(const uint8_t *extra, size_t n, ma_zip_member *member) {
  int64_t *field[3] = { &member->unpacked, &member->packed, &member->offset };
  while (n >= 4) {
    size_t length = get16(extra + 2);
    if (length > n - 4) return damaged("an extra field");
    if (get16(extra) == 1) {
      const uint8_t *p = extra + 4;
      for (int i = 0; i < 3; i++) {
        if (*field[i] != (int64_t)FULL32) continue;
        if (length < 8) return damaged("a zip64 field");
        *field[i] = (int64_t)get64(p);
        p += 8;
        length -= 8;
      }
      return MA_OK;
    }
    extra += 4 + length;
    n -= 4 + length;
  }
  return MA_OK;
}

ma_status ma_zip_next(ma_zip *zip, ma_zip_member *member, bool *more) {
  *more = zip->next < zip->size;
  if (!*more) return MA_OK;
  const uint8_t *p = zip->directory + zip->next;
  size_t n = zip->size - zip->next;
  if (n < 46 || get32(p) != CENTRAL) return damaged("an entry of its directory");
  size_t name = get16(p + 28), extra = get16(p + 30), comment = get16(p + 32);
  if (46 + name + extra + comment > n) return damaged("an entry of its directory");
  *member = (ma_zip_member){ .name = (const char *)p + 46,
                             .length = name,
                             .method = (int)get16(p + 10),
                             .crc = get32(p + 16),
                             .packed = get32(p + 20),
                             .unpacked = get32(p + 24),
                             .offset = get32(p + 42) };
  MA_TRY(widen(p + 46 + name, extra, member));
  if (get16(p + 8) & 1) return ma_fail(MA_ERR_IO, "the member '%.*s' is encrypted", (int)name, member->name);
  zip->next += 46 + name + extra + comment;
  return MA_OK;
}

ma_status ma_zip_source(ma_zip *zip, const ma_zip_member *member, ma_source *source) {
  uint8_t local[30];
  int64_t offset;
  if (member->packed < 0 || member->unpacked < 0 || __builtin_add_overflow(member->offset, zip->shift, &offset))
    return damaged("a member's size");
  MA_TRY(read_at(&zip->whole, offset, local, 30, "a member's header"));
  if (get32(local) != LOCAL) return damaged("a member's header");
  offset += 30 + get16(local + 26) + get16(local + 28);
  if (offset > zip->whole.left || member->packed > zip->whole.left - offset) return damaged("a member's size");
  /* With members that overlap, a small file could demand any amount of memory. */
  if (member->packed > zip->budget) return damaged("its members overlap");
  zip->budget -= member->packed;
  *source = zip->whole;
  source->position += offset;
  source->left = member->packed;
  source->checked = true;
  source->crc = 0;
  source->most = member->packed < INT64_MAX / 1032 ? member->packed * 1032 : INT64_MAX; /* deflate's largest ratio */
  if (member->unpacked < source->most) source->most = member->unpacked;
  if (member->method == 8) return ma_inflate_new(&source->inflate);
  if (member->method != 0)
    return ma_fail(MA_ERR_IO, "the member '%.*s' is packed by method %d; stored and deflated ones are read",
                   (int)member->length, member->name, member->method);
  return MA_OK;
}

ma_status ma_zip_verify(const ma_zip_member *member, ma_source *source) {
  uint8_t rest[64];
  size_t got;
  do MA_TRY(ma_source_read(source, rest, sizeof rest, &got));
  while (got == sizeof rest);
  if (source->crc != member->crc)
    return ma_fail(MA_ERR_IO, "the checksum of the member '%.*s' is wrong: the file is damaged", (int)member->length,
                   member->name);
  return MA_OK;
}

void ma_zip_close(ma_zip *zip) {
  free(zip->directory);
  zip->directory = NULL;
  zip->size = zip->next = 0;
}

/* ==== Writing ==== */

static uint8_t *put16(uint8_t *p, uint32_t v) {
  p[0] = (uint8_t)v;
  p[1] = (uint8_t)(v >> 8);
  return p + 2;
}
static uint8_t *put32(uint8_t *p, uint32_t v) { return put16(put16(p, v & FULL16), v >> 16); }
static uint8_t *put64(uint8_t *p, uint64_t v) { return put32(put32(p, (uint32_t)v), (uint32_t)(v >> 32)); }
static uint32_t low32(int64_t v) { return v >= (int64_t)FULL32 ? FULL32 : (uint32_t)v; }

/* Names that are valid UTF-8 are marked as UTF-8; readers refuse an archive whose mark is wrong. */
static bool is_utf8(const char *name) {
  for (const uint8_t *p = (const uint8_t *)name; *p;) {
    int more = *p < 0x80                 ? 0
               : *p >= 0xc2 && *p < 0xe0 ? 1
               : *p >= 0xe0 && *p < 0xf0 ? 2
               : *p >= 0xf0 && *p < 0xf5 ? 3
                                         : -1;
    uint8_t least = *p == 0xe0 ? 0xa0 : *p == 0xf0 ? 0x90 : 0x80, most = *p == 0xed ? 0x9f : *p == 0xf4 ? 0x8f : 0xbf;
    if (more < 0) return false;
    for (p++; more > 0; more--, p++, least = 0x80, most = 0xbf)
      if (*p < least || *p > most) return false;
  }
  return true;
}

typedef struct entry {
  const char *name;
  bool wide, deflated;
  uint32_t crc;
  int64_t packed, unpacked, offset;
} entry;

/* Writes the common part of the local header and the directory's entry: from version to checksum and sizes. */
static uint8_t *put_common(uint8_t *p, const entry *e, bool wide) {
  p = put16(p, wide ? 45 : 20);
  p = put16(p, is_utf8(e->name) ? 0x800 : 0);
  p = put16(p, e->deflated ? 8 : 0);
  p = put32(p, 0x00210000); /* 1 January 1980, midnight: the same arrays give the same file */
  p = put32(p, e->crc);
  p = put32(p, wide ? FULL32 : (uint32_t)e->packed);
  return put32(p, wide ? FULL32 : (uint32_t)e->unpacked);
}

static ma_status write_local(ma_output *out, const entry *e) {
  uint8_t head[30 + 20];
  size_t name = strlen(e->name);
  uint8_t *p = put_common(put32(head, LOCAL), e, e->wide);
  p = put16(put16(p, (uint32_t)name), e->wide ? 20 : 0);
  MA_TRY(ma_output_put(out, head, 30));
  MA_TRY(ma_output_put(out, e->name, name));
  if (!e->wide) return MA_OK;
  p = put64(put64(put16(put16(head, 1), 16), (uint64_t)e->unpacked), (uint64_t)e->packed);
  return ma_output_put(out, head, (size_t)(p - head));
}

static ma_status add_entry(ma_zip_writer *writer, const entry *e) {
  size_t name = strlen(e->name), most = 46 + name + 28;
  if (writer->size + most > writer->room) {
    size_t room = (writer->room + most) * 2;
    uint8_t *grown = realloc(writer->directory, room);
    if (!grown) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for a directory", room);
    writer->directory = grown;
    writer->room = room;
  }
  bool wide = e->wide || e->offset >= (int64_t)FULL32;
  uint8_t *start = writer->directory + writer->size;
  uint8_t *p = put_common(put16(put32(start, CENTRAL), (3 << 8) | 45), e, wide);
  p = put16(put16(p, (uint32_t)name), wide ? 28 : 0);
  p = put16(put16(put16(p, 0), 0), 0); /* comment, disk, internal attributes */
  p = put32(put32(p, 0100644u << 16), wide ? FULL32 : (uint32_t)e->offset);
  memcpy(p, e->name, name);
  p += name;
  if (wide)
    p = put64(put64(put64(put16(put16(p, 1), 24), (uint64_t)e->unpacked), (uint64_t)e->packed), (uint64_t)e->offset);
  writer->size += (size_t)(p - start);
  writer->count++;
  return MA_OK;
}

ma_status ma_zip_begin(ma_zip_writer *writer, ma_output *output) {
  *writer = (ma_zip_writer){ .output = output, .start = ma_output_tell(output) };
  if (writer->start < 0) return ma_fail(MA_ERR_IO, "a .npz file cannot be written to a pipe or by appending");
  return MA_OK;
}

/* A member: an array as .npy, or if that is NULL, these bytes. */
typedef struct member {
  const ma_array *array;
  const char *descr;
  ma_stream *stream;
  const void *bytes;
  size_t nbytes;
} member;

static ma_status add_member(ma_zip_writer *writer, const char *name, const member *m, bool compress) {
  ma_output *out = writer->output;
  if (strlen(name) > FULL16) return ma_fail(MA_ERR_VALUE, "a name of %zu bytes; at most 65535 are taken", strlen(name));
  entry e = { .name = name,
              .unpacked = m->array ? ma_npy_size(m->array, m->descr) : (int64_t)m->nbytes,
              .offset = ma_output_tell(out) - writer->start };
  e.wide = e.unpacked + e.unpacked / 1000 + 1000 >= (int64_t)FULL32; /* deflate may make the data slightly larger */
  MA_TRY(write_local(out, &e));
  ma_sink sink;
  ma_sink_output(&sink, out);
  sink.checked = true;
  if (compress) MA_TRY(ma_sink_compress(&sink));
  e.deflated = compress;
  ma_status status = m->array ? ma_npy_save(m->array, m->descr, &sink, m->stream)
                              : ma_sink_write(&sink, m->bytes, m->nbytes);
  if (status == MA_OK) status = ma_sink_finish(&sink);
  ma_sink_close(&sink);
  if (status != MA_OK) return status;
  e.crc = sink.crc;
  e.packed = sink.written;
  int64_t end = ma_output_tell(out);
  MA_TRY(ma_output_seek(out, writer->start + e.offset));
  MA_TRY(write_local(out, &e)); /* again, with checksum and sizes */
  MA_TRY(ma_output_seek(out, end));
  return add_entry(writer, &e);
}

ma_status ma_zip_add(ma_zip_writer *writer, const char *name, const ma_array *array, const char *descr, bool compress,
                     ma_stream *stream) {
  return add_member(writer, name, &(member){ .array = array, .descr = descr, .stream = stream }, compress);
}

ma_status ma_zip_add_bytes(ma_zip_writer *writer, const char *name, const void *bytes, size_t nbytes, bool compress) {
  return add_member(writer, name, &(member){ .bytes = bytes, .nbytes = nbytes }, compress);
}

ma_status ma_zip_end(ma_zip_writer *writer) {
  uint8_t record[56 + 20 + 22], *p = record;
  int64_t offset = ma_output_tell(writer->output) - writer->start;
  uint32_t count = writer->count >= FULL16 ? FULL16 : (uint32_t)writer->count;
  MA_TRY(ma_output_put(writer->output, writer->directory ? writer->directory : (uint8_t *)"", writer->size));
  if (offset >= (int64_t)FULL32 || count == FULL16) {
    p = put64(put32(p, END64), 44);
    p = put32(put32(put16(put16(p, (3 << 8) | 45), 45), 0), 0);
    p = put64(put64(p, (uint64_t)writer->count), (uint64_t)writer->count);
    p = put64(put64(p, writer->size), (uint64_t)offset);
    p = put32(put64(put32(put32(p, LOCATOR64), 0), (uint64_t)offset + writer->size), 1);
  }
  p = put16(put16(put32(p, END), 0), 0);
  p = put16(put16(p, count), count);
  p = put16(put32(put32(p, low32((int64_t)writer->size)), low32(offset)), 0);
  ma_status status = ma_output_put(writer->output, record, (size_t)(p - record));
  ma_zip_abandon(writer);
  return status;
}

void ma_zip_abandon(ma_zip_writer *writer) {
  free(writer->directory);
  writer->directory = NULL;
  writer->size = writer->room = 0;
}
