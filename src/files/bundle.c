/*
** bundle.c: writes bundles (bundle/bundle.h) image by image. The images come in the order of the index, so each goes to
** the file at once, behind room for the index, which is written last. The same images give the same bytes. And it reads
** bundles out of archives, the .love files of games.
*/
#include "files/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW 32768      /* bytes of a dictionary that deflate can reach */
#define MOST_WINDOWS 1024 /* families and targets that have a dictionary, so that memory is bounded */

/* The dictionary of the images of a family for a target: the first of them. */
typedef struct window {
  uint32_t entry; /* counted from 1 */
  size_t size;
  uint8_t *bytes; /* its end */
} window;

struct ma_bundle_writer {
  ma_output out;
  uint64_t size;        /* of the file so far */
  uint32_t count, most; /* entries that are there, and that have room */
  ma_bundle_entry *index;
  int nwindow;
  window window[MOST_WINDOWS];
};

static uint64_t index_end(const ma_bundle_writer *w) {
  return sizeof(ma_bundle_header) + (uint64_t)w->most * sizeof *w->index;
}

ma_status ma_bundle_begin(ma_bundle_writer **writer, const char *path, size_t most) {
  *writer = NULL;
  if (most > MA_BUNDLE_MOST_ENTRIES)
    return ma_fail(MA_ERR_VALUE, "%zu images for a bundle; it takes %d", most, MA_BUNDLE_MOST_ENTRIES);
  ma_bundle_writer *w = calloc(1, sizeof *w);
  if (w) w->index = calloc(most ? most : 1, sizeof *w->index);
  ma_status status = w && w->index ? ma_output_open(&w->out, path)
                                   : ma_fail(MA_ERR_MEMORY, "out of memory for the index of a bundle");
  if (status == MA_OK) {
    w->most = (uint32_t)most;
    w->size = index_end(w);
    status = ma_output_seek(&w->out, (int64_t)w->size);
  }
  if (status == MA_OK) *writer = w;
  else ma_bundle_abandon(w);
  return status;
}

/* ==== Images ==== */

static ma_status describe(const ma_bundle_item *item, ma_bundle_entry *e) {
  memset(e, 0, sizeof *e);
  if (item->image.size == 0 || item->image.size > MA_BUNDLE_MOST_IMAGE)
    return ma_fail(MA_ERR_VALUE, "an image of %zu bytes for the kernel %s; a bundle takes 1 to %u", item->image.size,
                   item->family, MA_BUNDLE_MOST_IMAGE);
  ma_bundle_key(item->text, e->key);
  e->size = (uint32_t)item->image.size;
  e->checksum = ma_bundle_checksum(item->image.bytes, item->image.size);
  e->kind = item->image.kind;
  e->arch = item->arch;
  e->maker = item->maker;
  e->functions = item->functions;
  strncpy(e->family, item->family, sizeof e->family - 1);
  return MA_OK;
}

static const window *find_window(const ma_bundle_writer *w, const ma_bundle_entry *e) {
  for (int i = 0; i < w->nwindow; i++) {
    const ma_bundle_entry *first = &w->index[w->window[i].entry - 1];
    if (first->kind == e->kind && first->arch == e->arch && !strcmp(first->family, e->family)) return &w->window[i];
  }
  return NULL;
}

/* Keeps the end of an image, which is the last of the index, for those of its family that follow. */
static ma_status keep_window(ma_bundle_writer *w, const ma_image *image) {
  if (w->nwindow == MOST_WINDOWS) return MA_OK;
  window *kept = &w->window[w->nwindow];
  kept->entry = w->count;
  kept->size = image->size < WINDOW ? image->size : WINDOW;
  kept->bytes = malloc(kept->size);
  if (!kept->bytes) return ma_fail(MA_ERR_MEMORY, "out of memory for a dictionary of a bundle");
  memcpy(kept->bytes, image->bytes + image->size - kept->size, kept->size);
  w->nwindow++;
  return MA_OK;
}

static ma_status deflate_into(ma_sink *sink, const ma_image *image, const window *dictionary) {
  MA_TRY(ma_sink_compress(sink));
  if (dictionary) MA_TRY(ma_deflate_dictionary(sink->deflate, dictionary->bytes, dictionary->size));
  MA_TRY(ma_sink_write(sink, image->bytes, image->size));
  return ma_sink_finish(sink);
}

ma_status ma_bundle_put(ma_bundle_writer *w, const ma_bundle_item *item) {
  ma_bundle_entry e;
  ma_sink sink;
  MA_TRY(describe(item, &e));
  int order = w->count ? ma_bundle_compare(&w->index[w->count - 1], &e) : -1;
  if (order == 0) return MA_OK;
  if (order > 0 || w->count == w->most)
    return ma_fail(MA_ERR_INTERNAL, "image %u of %u of a bundle, of %s, is out of order", w->count + 1, w->most,
                   item->family);
  const window *dictionary = find_window(w, &e);
  ma_sink_output(&sink, &w->out);
  ma_status status = deflate_into(&sink, &item->image, dictionary);
  ma_sink_close(&sink);
  MA_TRY(status);
  e.dictionary = dictionary ? dictionary->entry : 0;
  e.offset = w->size;
  e.packed = (uint32_t)sink.written;
  w->size += e.packed;
  w->index[w->count++] = e;
  return dictionary ? MA_OK : keep_window(w, &item->image);
}

/* ==== The end ==== */

static ma_status put_index(ma_bundle_writer *w) {
  ma_bundle_header h = { .format = MA_BUNDLE_FORMAT, .count = w->count, .size = w->size };
  memcpy(h.magic, MA_BUNDLE_MAGIC, sizeof h.magic);
  strncpy(h.version, MA_VERSION, sizeof h.version - 1);
  h.checksum[0] = ma_bundle_checksum(&h, offsetof(ma_bundle_header, checksum));
  h.checksum[1] = ma_bundle_checksum(w->index, w->count * sizeof *w->index);
  MA_TRY(ma_output_seek(&w->out, 0));
  MA_TRY(ma_output_put(&w->out, &h, sizeof h));
  return ma_output_put(&w->out, w->index, w->most * sizeof *w->index); /* zeros behind those that there are */
}

ma_status ma_bundle_end(ma_bundle_writer *w, int64_t *nbytes) {
  *nbytes = (int64_t)w->size;
  MA_TRY(put_index(w));
  return ma_output_close(&w->out);
}

void ma_bundle_abandon(ma_bundle_writer *w) {
  if (!w) return;
  ma_output_abandon(&w->out);
  for (int i = 0; i < w->nwindow; i++) free(w->window[i].bytes);
  free(w->index);
  free(w);
}

/* ==== Out of an archive ==== */

#define MOST_BYTES ((int64_t)1 << 30) /* of a bundle, which is held in memory */

static ma_status read_member(ma_zip *zip, const ma_zip_member *member, const char *name, ma_bundle **bundle) {
  ma_source source;
  if (member->unpacked <= 0 || member->unpacked > MOST_BYTES)
    return ma_fail(MA_ERR_IO, "%s is no bundle: it has %lld bytes", name, (long long)member->unpacked);
  uint8_t *bytes = malloc((size_t)member->unpacked);
  if (!bytes) return ma_fail(MA_ERR_MEMORY, "out of memory for the bundle %s", name);
  ma_status status = ma_zip_source(zip, member, &source);
  if (status == MA_OK) {
    status = ma_source_exact(&source, bytes, (size_t)member->unpacked, "a bundle");
    if (status == MA_OK) status = ma_zip_verify(member, &source);
    ma_source_close(&source);
  }
  if (status == MA_OK) status = ma_bundle_open_memory(bundle, bytes, (size_t)member->unpacked, name);
  free(bytes);
  return status;
}

static ma_status find_member(ma_zip *zip, const char *archive, const char *name, ma_bundle **bundle) {
  char whole[PATH_MAX];
  ma_zip_member member;
  bool more;
  for (;;) {
    MA_TRY(ma_zip_next(zip, &member, &more));
    if (!more) return MA_OK;
    if (member.length == strlen(name) && !memcmp(member.name, name, member.length)) break;
  }
  snprintf(whole, sizeof whole, "%s/%s", archive, name);
  return read_member(zip, &member, whole, bundle);
}

ma_status ma_bundle_from_archive(const char *archive, const char *name, ma_bundle **bundle) {
  ma_source whole;
  ma_zip zip;
  *bundle = NULL;
  FILE *file = fopen(archive, "rbe");
  if (!file) return ma_fail(MA_ERR_IO, "the archive %s cannot be opened: %s", archive, strerror(errno));
  ma_source_file(&whole, file);
  ma_status status = ma_zip_open(&zip, &whole);
  if (status == MA_OK) {
    status = find_member(&zip, archive, name, bundle);
    ma_zip_close(&zip);
  }
  fclose(file);
  return status == MA_OK ? status : ma_fail_prefix(status, "the archive %s: ", archive);
}
