/* bundle.c: writes bundles (bundle/bundle.h). The same items give the same bytes. */
#include "files/files.h"

#include <stdlib.h>
#include <string.h>

/* An item with its entry, and its image as it is in the file. */
typedef struct packed {
  const ma_bundle_item *item;
  ma_bundle_entry entry;
  uint8_t *bytes;
} packed;

static int by_entry(const void *a, const void *b) {
  return ma_bundle_compare(&((const packed *)a)->entry, &((const packed *)b)->entry);
}

static ma_status describe(packed *p, const ma_bundle_item *item) {
  ma_bundle_entry *e = &p->entry;
  p->item = item;
  if (item->image.size == 0 || item->image.size > MA_BUNDLE_MOST_IMAGE)
    return ma_fail(MA_ERR_VALUE, "an image of %zu bytes for the kernel %s; a bundle takes 1 to %u", item->image.size,
                   item->family, MA_BUNDLE_MOST_IMAGE);
  ma_bundle_key(item->text, e->key);
  e->size = (uint32_t)item->image.size;
  e->checksum = ma_bundle_checksum(item->image.bytes, item->image.size);
  e->kind = item->image.kind;
  e->arch = item->arch;
  e->maker = item->maker;
  strncpy(e->family, item->family, sizeof e->family - 1);
  return MA_OK;
}

/* The sorted items without those that are there already. Returns their number. */
static size_t sort(packed *list, size_t n) {
  size_t kept = 0;
  qsort(list, n, sizeof *list, by_entry);
  for (size_t k = 0; k < n; k++)
    if (kept == 0 || by_entry(&list[kept - 1], &list[k]) != 0) list[kept++] = list[k];
  return kept;
}

/* The first item of the family for the same target is the dictionary of the others. */
static void choose_dictionary(packed *list, size_t k) {
  for (size_t i = 0; i < k; i++) {
    const ma_bundle_entry *e = &list[i].entry;
    if (e->dictionary || e->kind != list[k].entry.kind || e->arch != list[k].entry.arch ||
        strcmp(e->family, list[k].entry.family))
      continue;
    list[k].entry.dictionary = (uint32_t)(i + 1);
    return;
  }
}

static ma_status deflate_into(packed *p, ma_sink *sink, const ma_image *dictionary) {
  const ma_image *image = &p->item->image;
  MA_TRY(ma_sink_compress(sink));
  if (dictionary) MA_TRY(ma_deflate_dictionary(sink->deflate, dictionary->bytes, dictionary->size));
  MA_TRY(ma_sink_write(sink, image->bytes, image->size));
  MA_TRY(ma_sink_finish(sink));
  p->entry.packed = (uint32_t)sink->written;
  return MA_OK;
}

static ma_status pack(packed *list, size_t k) {
  packed *p = &list[k];
  ma_sink sink;
  choose_dictionary(list, k);
  size_t room = p->item->image.size + p->item->image.size / 1000 + 1024; /* for what deflate cannot make smaller */
  p->bytes = malloc(room);
  if (!p->bytes) return ma_fail(MA_ERR_MEMORY, "out of memory for an image of %s", p->item->family);
  ma_sink_memory(&sink, p->bytes, room);
  ma_status status = deflate_into(p, &sink, p->entry.dictionary ? &list[p->entry.dictionary - 1].item->image : NULL);
  ma_sink_close(&sink);
  return status;
}

static ma_status put(ma_output *out, const packed *list, size_t n, int64_t *nbytes) {
  ma_bundle_header h = { .format = MA_BUNDLE_FORMAT, .count = (uint32_t)n };
  ma_bundle_entry *index = malloc(n ? n * sizeof *index : 1);
  if (!index) return ma_fail(MA_ERR_MEMORY, "out of memory for the index of a bundle");
  memcpy(h.magic, MA_BUNDLE_MAGIC, sizeof h.magic);
  h.size = sizeof h + n * sizeof *index;
  for (size_t k = 0; k < n; k++) {
    index[k] = list[k].entry;
    index[k].offset = h.size;
    h.size += index[k].packed;
  }
  strncpy(h.version, MA_VERSION, sizeof h.version - 1);
  h.checksum[0] = ma_bundle_checksum(&h, offsetof(ma_bundle_header, checksum));
  h.checksum[1] = ma_bundle_checksum(index, n * sizeof *index);
  ma_status status = ma_output_put(out, &h, sizeof h);
  if (status == MA_OK) status = ma_output_put(out, index, n * sizeof *index);
  for (size_t k = 0; k < n && status == MA_OK; k++) status = ma_output_put(out, list[k].bytes, list[k].entry.packed);
  free(index);
  *nbytes = (int64_t)h.size;
  return status;
}

static ma_status write_file(const char *path, const packed *list, size_t n, int64_t *nbytes) {
  ma_output out = { 0 };
  MA_TRY(ma_output_open(&out, path));
  ma_status status = put(&out, list, n, nbytes);
  if (status == MA_OK) return ma_output_close(&out);
  ma_output_abandon(&out);
  return status;
}

ma_status ma_bundle_write(const char *path, const ma_bundle_item *item, size_t n, int64_t *nbytes) {
  if (n > MA_BUNDLE_MOST_ENTRIES)
    return ma_fail(MA_ERR_VALUE, "%zu images for a bundle; it takes %d", n, MA_BUNDLE_MOST_ENTRIES);
  packed *list = calloc(n ? n : 1, sizeof *list);
  ma_status status = list ? MA_OK : ma_fail(MA_ERR_MEMORY, "out of memory for the %zu images of a bundle", n);
  for (size_t k = 0; k < n && status == MA_OK; k++) status = describe(&list[k], &item[k]);
  if (status == MA_OK) n = sort(list, n);
  for (size_t k = 0; k < n && status == MA_OK; k++) status = pack(list, k);
  if (status == MA_OK) status = write_file(path, list, n, nbytes);
  for (size_t k = 0; list && k < n; k++) free(list[k].bytes);
  free(list);
  return status;
}
