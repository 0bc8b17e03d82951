/*
** bundle.c: bundles are read back as they were written, the best image for a card is found, and random damage gives an
** error or the right image, never a crash. Run it on a build with the sanitizers: make asan builds the units too.
**
** usage: bundle [ROUNDS [SEED]]
*/
#include "files/files.h"
#include "unit.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define NTEXT 12
#define NTARGET 4

#define CHECK(condition)                                                \
  do {                                                                  \
    if (!(condition)) {                                                 \
      printf("line %d: %s (%s)\n", __LINE__, #condition, ma_message()); \
      exit(1);                                                          \
    }                                                                   \
  } while (0)

static const struct {
  int arch, kind;
} targets[NTARGET] = { { 75, MA_IMAGE_PTX }, { 80, MA_IMAGE_CUBIN }, { 86, MA_IMAGE_CUBIN }, { 90, MA_IMAGE_CUBIN } };

static char texts[NTEXT][32];
static ma_bundle_item items[NTEXT * NTARGET];
static char folder[] = "/tmp/bundle-XXXXXX", path[64];

/* Images of a family have most of their bytes in common, as compiled kernels do. */
static void make_items(void) {
  for (int k = 0; k < NTEXT * NTARGET; k++) {
    ma_bundle_item *item = &items[k];
    int text = k / NTARGET, target = k % NTARGET;
    snprintf(texts[text], sizeof texts[text], "text %d", text);
    size_t n = text == 0 ? 1 : 3000 + 20000 * (size_t)(text % 3);
    char *bytes = malloc(n + 1);
    uint64_t keep = state;
    state = (uint64_t)(target + 7 * (text % 3));
    for (size_t i = 0; i < n; i++) bytes[i] = (char)draw(text == 11 ? 256 : 9);
    state = keep;
    for (int i = 0; i < 20; i++) bytes[draw((uint32_t)n)] = (char)draw(256);
    bytes[n] = 0;
    *item = (ma_bundle_item){ .family = text % 3 ? "map" : "a family of a longest name",
                              .text = texts[text],
                              .image = { bytes, n, targets[target].kind },
                              .arch = targets[target].arch,
                              .maker = 12080 };
  }
}

static bool is_item(const ma_image *image, const ma_bundle_item *item) {
  return image->size == item->image.size && image->kind == item->image.kind &&
         !memcmp(image->bytes, item->image.bytes, image->size) && image->bytes[image->size] == 0;
}

static int by_entry(const void *a, const void *b) {
  const ma_bundle_item *const *item[2] = { a, b };
  ma_bundle_entry e[2];
  for (int k = 0; k < 2; k++) {
    ma_bundle_key((*item[k])->text, e[k].key);
    e[k].arch = (*item[k])->arch;
    e[k].kind = (*item[k])->image.kind;
  }
  return ma_bundle_compare(&e[0], &e[1]);
}

/* Writes the first n items, each twice, into a bundle with more room than they need. */
static int64_t write_items(int n) {
  const ma_bundle_item *sorted[NTEXT * NTARGET];
  ma_bundle_writer *writer;
  int64_t nbytes;
  for (int k = 0; k < n; k++) sorted[k] = &items[k];
  qsort(sorted, (size_t)n, sizeof *sorted, by_entry);
  check(ma_bundle_begin(&writer, path, (size_t)n + 3));
  for (int k = 0; k < n; k++) {
    check(ma_bundle_put(writer, sorted[k]));
    check(ma_bundle_put(writer, sorted[k]));
    CHECK(k == 0 || (ma_bundle_put(writer, sorted[0]) == MA_ERR_INTERNAL && strstr(ma_message(), "out of order")));
  }
  check(ma_bundle_end(writer, &nbytes));
  ma_bundle_abandon(writer);
  return nbytes;
}

static ma_bundle *open_file(void) {
  ma_bundle *bundle;
  int fd;
  check(ma_bundle_open_trusted(path, &fd));
  check(ma_bundle_open_file(&bundle, fd, path));
  return bundle;
}

static void all_are_there(void) {
  ma_bundle *bundle = open_file();
  ma_image image;
  uint64_t key[2];
  CHECK(ma_bundle_count(bundle) == NTEXT * NTARGET);
  for (int k = 0; k < NTEXT * NTARGET; k++) {
    ma_bundle_key(items[k].text, key);
    const ma_bundle_entry *e = ma_bundle_find(bundle, key, items[k].arch, INT_MAX);
    CHECK(e && e->arch == items[k].arch && e->maker == 12080);
    check(ma_bundle_image(bundle, e, &image));
    CHECK(is_item(&image, &items[k]));
    ma_image_free(&image);
  }
  ma_bundle_key("no text", key);
  CHECK(!ma_bundle_find(bundle, key, 90, INT_MAX));
  ma_bundle_close(bundle);
}

/* A card takes its own cubin, then that of a lower minor version, then PTX; never a cubin of another major version. */
static void the_best_is_found(void) {
  static const struct {
    int card, wanted[4];
  } table[] = { { 90, { 90, 75 } }, { 86, { 86, 80, 75 } }, { 89, { 86, 80, 75 } }, { 80, { 80, 75 } },
                { 75, { 75 } },     { 120, { 75 } },        { 70, { 0 } } };
  ma_bundle *bundle = open_file();
  uint64_t key[2];
  ma_bundle_key(items[5 * NTARGET].text, key);
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    int below = INT_MAX, n = 0;
    for (const ma_bundle_entry *e; (e = ma_bundle_find(bundle, key, table[k].card, below)); n++) {
      CHECK(n < 3 && e->arch == table[k].wanted[n]);
      below = ma_bundle_rank(e, table[k].card);
    }
    CHECK(table[k].wanted[n] == 0);
  }
  ma_bundle_close(bundle);
}

/* ==== Damage ==== */

static void sign(uint8_t *bytes, size_t n) {
  ma_bundle_header h;
  if (n < sizeof h) return;
  memcpy(&h, bytes, sizeof h);
  h.checksum[0] = ma_bundle_checksum(&h, offsetof(ma_bundle_header, checksum));
  if (h.count <= (n - sizeof h) / sizeof(ma_bundle_entry))
    h.checksum[1] = ma_bundle_checksum(bytes + sizeof h, h.count * sizeof(ma_bundle_entry));
  memcpy(bytes, &h, sizeof h);
}

/* Changes some bytes, mostly of the header and the index, or sets a number there to one that is likely to be wrong. */
static void damage(uint8_t *bytes, size_t n) {
  static const uint64_t likely[] = { 0, 1, 2, 55, 56, 57, 0x7fffffff, 0x80000000, 0xffffffff, 1ull << 63, UINT64_MAX };
  size_t index = sizeof(ma_bundle_header) + NTEXT * NTARGET * sizeof(ma_bundle_entry);
  for (uint32_t times = 1 + draw(4); times > 0; times--) {
    size_t at = draw((uint32_t)(draw(3) && index < n ? index : n)), width = draw(2) ? 8 : 4;
    uint64_t value = draw(2) ? likely[draw(sizeof likely / sizeof *likely)] : draw((uint32_t)(2 * n));
    if (draw(2)) bytes[at] = (uint8_t)draw(256);
    else if ((at &= ~(width - 1)) + width <= n) memcpy(bytes + at, &value, width);
  }
}

/* Looks at all images. One that is given must be one of the items, since its checksum holds. */
static int read_all(const ma_bundle *bundle) {
  ma_image image;
  int given = 0;
  for (uint32_t k = 0; k < ma_bundle_count(bundle); k++) {
    const ma_bundle_entry *e = ma_bundle_entry_at(bundle, k);
    if (e->size > 1 << 20) continue; /* it would only take long */
    ma_bundle_find(bundle, e->key, 90, INT_MAX);
    if (ma_bundle_image(bundle, e, &image) != MA_OK) continue;
    bool known = false;
    for (int i = 0; i < NTEXT * NTARGET && !known; i++)
      known = image.size == items[i].image.size && !memcmp(image.bytes, items[i].image.bytes, image.size);
    CHECK(known);
    given++;
    ma_image_free(&image);
  }
  return given;
}

static void survives_damage(int rounds) {
  char *whole;
  size_t size;
  int opened = 0, given = 0;
  CHECK(ma_file_read(path, INT_MAX, &whole, &size));
  for (int k = 0; k < rounds; k++) {
    size_t n = draw(4) ? size : draw((uint32_t)size + 1);
    uint8_t *bytes = malloc(n ? n : 1); /* exactly, so that a sanitizer sees a read behind it */
    ma_bundle *bundle;
    memcpy(bytes, whole, n);
    if (n) damage(bytes, n);
    if (n >= sizeof(ma_bundle_header) && draw(2)) memcpy(bytes + offsetof(ma_bundle_header, size), &(uint64_t){ n }, 8);
    if (draw(4)) sign(bytes, n);
    if (ma_bundle_open_memory(&bundle, bytes, n, "memory") == MA_OK) {
      opened++;
      given += read_all(bundle);
      ma_bundle_close(bundle);
    } else {
      CHECK(strstr(ma_message(), "bundle"));
    }
    free(bytes);
  }
  free(whole);
  CHECK(opened > rounds / 50 && given > 0); /* else the damage goes no further than the header */
  printf("%d of %d damaged bundles opened, %d images whole\n", opened, rounds, given);
}

/* ==== Trust ==== */

static void others_must_not_write(void) {
  int fd;
  CHECK(chmod(path, 0666) == 0);
  CHECK(ma_bundle_open_trusted(path, &fd) != MA_OK && strstr(ma_message(), "others can write"));
  CHECK(chmod(path, 0600) == 0);
  check(ma_bundle_open_trusted(path, &fd));
  close(fd);
  CHECK(ma_bundle_open_trusted("/nowhere/kernels.mab", &fd) != MA_OK && strstr(ma_message(), "cannot be opened"));
}

int main(int argc, char **argv) {
  struct stat st;
  state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  CHECK(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/k.mab", folder);
  make_items();
  int64_t nbytes = write_items(NTEXT * NTARGET);
  CHECK(stat(path, &st) == 0 && st.st_size == nbytes && chmod(path, 0600) == 0);
  all_are_there();
  the_best_is_found();
  survives_damage(argc > 1 ? atoi(argv[1]) : 1000);
  others_must_not_write();
  write_items(0);
  CHECK(chmod(path, 0600) == 0);
  ma_bundle *none = open_file();
  CHECK(ma_bundle_count(none) == 0);
  ma_bundle_close(none);
  for (int k = 0; k < NTEXT * NTARGET; k++) ma_image_free(&items[k].image);
  unlink(path);
  rmdir(folder);
  return 0;
}
