/* bundle.c: reads a bundle from a file or from memory. */
#include "bundle/bundle.h"
#include "bundle/inflate.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ma_bundle {
  int fd;         /* -1: the bundle is in memory */
  uint8_t *bytes; /* all bytes of a bundle in memory */
  uint64_t size;
  char *name;
  uint32_t count;
  ma_bundle_entry *entry;
  int64_t used; /* atomic: images that were loaded */
};

void ma_bundle_key(const char *text, uint64_t key[2]) {
  size_t n = strlen(text);
  for (int i = 0; i < 2; i++) key[i] = ma_hash(text, n, 0x9e3779b97f4a7c15u * (uint64_t)(i + 1) + MA_BUNDLE_FORMAT);
}

uint64_t ma_bundle_checksum(const void *bytes, size_t size) { return ma_hash(bytes, size, MA_BUNDLE_FORMAT); }

int ma_bundle_compare(const ma_bundle_entry *a, const ma_bundle_entry *b) {
  for (int i = 0; i < 2; i++)
    if (a->key[i] != b->key[i]) return a->key[i] < b->key[i] ? -1 : 1;
  if (a->arch != b->arch) return a->arch < b->arch ? -1 : 1;
  return (a->kind > b->kind) - (a->kind < b->kind);
}

/* ==== Bytes ==== */

static ma_status damaged(const ma_bundle *b, const char *what) {
  return ma_fail(MA_ERR_IO, "the bundle %s is damaged: %s", b->name, what);
}

static ma_status read_at(const ma_bundle *b, uint64_t offset, void *to, size_t n) {
  if (offset > b->size || n > b->size - offset) return damaged(b, "it ends early");
  if (b->fd < 0) {
    memcpy(to, b->bytes + offset, n);
    return MA_OK;
  }
  for (size_t at = 0; at < n;) {
    ssize_t got = pread(b->fd, (char *)to + at, n - at, (off_t)(offset + at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return damaged(b, got ? strerror(errno) : "it ends early");
    at += (size_t)got;
  }
  return MA_OK;
}

/* ==== Opening ==== */

/* What an entry says of itself and of its place. The packed bytes follow the index and lie in the file. */
static const char *wrong_entry(const ma_bundle *b, const ma_bundle_entry *e) {
  uint64_t start = sizeof(ma_bundle_header) + (uint64_t)b->count * sizeof *e;
  if (e->offset < start || e->offset > b->size || e->packed > b->size - e->offset) return "an image lies outside";
  if (e->size == 0 || e->size > MA_BUNDLE_MOST_IMAGE) return "the size of an image";
  if (e->kind < MA_IMAGE_PTX || e->kind > MA_IMAGE_SHARED_OBJECT) return "an unknown kind of image";
  if (e->arch < 0 || e->arch > 10000) return "an unknown architecture";
  if (e->family[sizeof e->family - 1]) return "a name without an end";
  if (e->dictionary > b->count) return "a dictionary that is not there";
  /* so that an image needs one other image at most */
  if (e->dictionary && b->entry[e->dictionary - 1].dictionary) return "a dictionary that has one itself";
  return NULL;
}

static ma_status check_index(const ma_bundle *b) {
  for (uint32_t k = 0; k < b->count; k++) {
    const char *wrong = wrong_entry(b, &b->entry[k]);
    if (!wrong && k && ma_bundle_compare(&b->entry[k - 1], &b->entry[k]) >= 0) wrong = "the index is not sorted";
    if (wrong) return damaged(b, wrong);
  }
  return MA_OK;
}

static ma_status read_index(ma_bundle *b) {
  ma_bundle_header h;
  if (b->size < sizeof h) return ma_fail(MA_ERR_IO, "%s is no bundle: it is too short", b->name);
  MA_TRY(read_at(b, 0, &h, sizeof h));
  if (memcmp(h.magic, MA_BUNDLE_MAGIC, sizeof h.magic))
    return ma_fail(MA_ERR_IO, "%s is no bundle: it does not begin with " MA_BUNDLE_MAGIC, b->name);
  if (h.format != MA_BUNDLE_FORMAT)
    return ma_fail(MA_ERR_IO, "the bundle %s has format %u; this moonarray reads format %d: build it anew", b->name,
                   h.format, MA_BUNDLE_FORMAT);
  if (ma_bundle_checksum(&h, offsetof(ma_bundle_header, checksum)) != h.checksum[0]) return damaged(b, "the header");
  if (h.size != b->size) return damaged(b, "it has lost its end");
  if (h.count > MA_BUNDLE_MOST_ENTRIES || h.count > (b->size - sizeof h) / sizeof *b->entry)
    return damaged(b, "the index lies outside");
  b->entry = malloc(h.count ? h.count * sizeof *b->entry : 1);
  if (!b->entry) return ma_fail(MA_ERR_MEMORY, "out of memory for the index of the bundle %s", b->name);
  b->count = h.count;
  MA_TRY(read_at(b, sizeof h, b->entry, h.count * sizeof *b->entry));
  if (ma_bundle_checksum(b->entry, h.count * sizeof *b->entry) != h.checksum[1]) return damaged(b, "the index");
  return check_index(b);
}

static ma_status begin(ma_bundle **bundle, const char *name) {
  ma_bundle *b = *bundle = calloc(1, sizeof *b);
  if (b) b->fd = -1;
  if (b) b->name = strdup(name);
  if (b && b->name) return MA_OK;
  free(b);
  *bundle = NULL;
  return ma_fail(MA_ERR_MEMORY, "out of memory for the bundle %s", name);
}

static ma_status end(ma_bundle **bundle, ma_status status) {
  if (status == MA_OK) status = read_index(*bundle);
  if (status == MA_OK) return MA_OK;
  ma_bundle_close(*bundle);
  *bundle = NULL;
  return status;
}

ma_status ma_bundle_open_file(ma_bundle **bundle, int fd, const char *name) {
  struct stat st;
  ma_status status = begin(bundle, name);
  if (status != MA_OK) {
    close(fd);
    return status;
  }
  (*bundle)->fd = fd;
  if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) status = ma_fail(MA_ERR_IO, "%s is no bundle: it is no file", name);
  else (*bundle)->size = (uint64_t)st.st_size;
  return end(bundle, status);
}

ma_status ma_bundle_open_memory(ma_bundle **bundle, const void *bytes, size_t size, const char *name) {
  MA_TRY(begin(bundle, name));
  ma_bundle *b = *bundle;
  b->size = size;
  b->bytes = malloc(size ? size : 1);
  if (!b->bytes) return end(bundle, ma_fail(MA_ERR_MEMORY, "out of memory for the bundle %s", name));
  memcpy(b->bytes, bytes, size);
  return end(bundle, MA_OK);
}

void ma_bundle_close(ma_bundle *b) {
  if (!b) return;
  if (b->fd >= 0) close(b->fd);
  free(b->bytes);
  free(b->entry);
  free(b->name);
  free(b);
}

const char *ma_bundle_name(const ma_bundle *b) { return b->name; }
uint32_t ma_bundle_count(const ma_bundle *b) { return b->count; }
const ma_bundle_entry *ma_bundle_entry_at(const ma_bundle *b, uint32_t k) { return &b->entry[k]; }

void ma_bundle_note_use(const ma_bundle *b) { __atomic_add_fetch(&((ma_bundle *)b)->used, 1, __ATOMIC_RELAXED); }
int64_t ma_bundle_used(const ma_bundle *b) { return __atomic_load_n(&b->used, __ATOMIC_RELAXED); }

/* ==== Finding ==== */

int ma_bundle_rank(const ma_bundle_entry *e, int arch) {
  int own = arch < MA_BUNDLE_CPU ? MA_IMAGE_CUBIN : MA_IMAGE_SHARED_OBJECT;
  if (e->kind == own && e->arch / 10 == arch / 10 && e->arch <= arch) return 100000 + e->arch;
  if (e->kind == MA_IMAGE_PTX && own == MA_IMAGE_CUBIN && e->arch <= arch) return 1 + e->arch;
  return 0;
}

/* The first entry of the key, or where it would be. */
static uint32_t first_of(const ma_bundle *b, const uint64_t key[2]) {
  uint32_t low = 0, high = b->count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    const uint64_t *k = b->entry[middle].key;
    if (k[0] < key[0] || (k[0] == key[0] && k[1] < key[1])) low = middle + 1;
    else high = middle;
  }
  return low;
}

const ma_bundle_entry *ma_bundle_find(const ma_bundle *b, const uint64_t key[2], int arch, int below) {
  const ma_bundle_entry *best = NULL;
  int most = 0;
  for (uint32_t k = first_of(b, key); k < b->count && !memcmp(b->entry[k].key, key, sizeof b->entry[k].key); k++) {
    int rank = ma_bundle_rank(&b->entry[k], arch);
    if (rank <= most || rank >= below) continue;
    best = &b->entry[k];
    most = rank;
  }
  return best;
}

/* ==== Images ==== */

/* The packed bytes that are not inflated yet. */
typedef struct rest {
  const uint8_t *at;
  size_t left;
} rest;

static ma_status feed(void *from, void *to, size_t n, size_t *got) {
  rest *r = from;
  *got = n < r->left ? n : r->left;
  memcpy(to, r->at, *got);
  r->at += *got;
  r->left -= *got;
  return MA_OK;
}

static ma_status inflate(const ma_bundle *b, const ma_bundle_entry *e, const uint8_t *packed,
                         const ma_image *dictionary, ma_image *image) {
  ma_inflate *z;
  rest r = { packed, e->packed };
  size_t got, more = 0;
  uint8_t beyond;
  MA_TRY(ma_inflate_new(&z));
  if (dictionary) ma_inflate_dictionary(z, dictionary->bytes, dictionary->size);
  ma_status status = ma_inflate_read(z, feed, &r, (uint8_t *)image->bytes, image->size, &got);
  if (status == MA_OK && got == image->size) status = ma_inflate_read(z, feed, &r, &beyond, 1, &more);
  ma_inflate_free(z);
  if (status != MA_OK) return ma_fail_prefix(status, "the bundle %s, an image of %s: ", b->name, e->family);
  if (got != image->size || more) return damaged(b, "an image has another size");
  return ma_bundle_checksum(image->bytes, image->size) == e->checksum ? MA_OK : damaged(b, "an image");
}

static ma_status take_image(const ma_bundle *b, const ma_bundle_entry *e, const ma_image *dictionary, ma_image *image) {
  uint8_t *packed = malloc(e->packed ? e->packed : 1);
  image->kind = e->kind;
  image->size = e->size;
  image->bytes = malloc((size_t)e->size + 1);
  ma_status status = packed && image->bytes ? read_at(b, e->offset, packed, e->packed)
                                            : ma_fail(MA_ERR_MEMORY, "out of memory for an image of %s", e->family);
  if (status == MA_OK) status = inflate(b, e, packed, dictionary, image);
  free(packed);
  if (status == MA_OK) image->bytes[image->size] = 0; /* the driver reads PTX up to a 0 */
  else ma_image_free(image);
  return status;
}

ma_status ma_bundle_image(const ma_bundle *b, const ma_bundle_entry *e, ma_image *image) {
  ma_image dictionary = { 0 };
  memset(image, 0, sizeof *image);
  if (!e->dictionary) return take_image(b, e, NULL, image);
  MA_TRY(take_image(b, &b->entry[e->dictionary - 1], NULL, &dictionary));
  ma_status status = take_image(b, e, &dictionary, image);
  ma_image_free(&dictionary);
  return status;
}
