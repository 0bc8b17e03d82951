/*
** bundle.h: bundles, files of compiled kernels that come with a program (docs/bundles.md). Their names end in ".mab".
**
**   header, index, images                 all numbers are little-endian, and nothing is padded
**
** The index is sorted by key, architecture and kind, so that a reader looks up a key by halves. The key is a hash of
** the kernel's text alone: an entry stays valid as long as its text does, over versions of the library. An image is
** deflated. It may be deflated against another image of the file as a dictionary: that of the family's first kernel for
** the same architecture, most of whose bytes are in the others too.
**
** A reader trusts nothing in a file: bundle.c checks every offset and size before it uses them, and the checksum of
** what it has inflated. Whether the code in a bundle may run is another question, which trust.c answers.
*/
#ifndef MOONARRAY_BUNDLE_H
#define MOONARRAY_BUNDLE_H

#include "compile/cache.h"

#pragma GCC visibility push(hidden)

#define MA_BUNDLE_MAGIC "MABUNDLE"
#define MA_BUNDLE_FORMAT 2 /* changes with the structs, with what the key is made of, and with the compiler's options */
#define MA_BUNDLE_MOST_ENTRIES (1 << 20)
#define MA_BUNDLE_MOST_IMAGE ((uint32_t)64 << 20) /* bytes of an image */
#define MA_BUNDLE_CPU 2000  /* architectures from here on are CPUs' (cpu/kernel/bundled.c); in a record: all CPUs */
#define MA_BUNDLE_FAMILY 24 /* bytes of a family's name, with its 0 */

typedef struct ma_bundle_header {
  char magic[8];
  uint32_t format, count; /* entries in the index, which follows the header */
  char version[16];       /* of the library that wrote the file, for people; ends with a 0 */
  uint64_t size;          /* of the file */
  uint64_t checksum[2];   /* of the header up to here; of the index */
} ma_bundle_header;

typedef struct ma_bundle_entry {
  uint64_t key[2];           /* ma_bundle_key */
  uint64_t offset, checksum; /* of the packed bytes in the file; ma_bundle_checksum of the image */
  uint32_t packed, size;     /* bytes in the file, bytes of the image */
  int32_t arch, kind, maker; /* 90 for compute capability 9.0; ma_image_kind; NVRTC's version, 13000 for 13.0, else 0 */
  uint32_t dictionary;       /* 1 for the first entry of the index: its image is the dictionary; 0: there is none */
  char family[MA_BUNDLE_FAMILY];
  uint64_t functions; /* of mathematics that a cubin of the library calls: rows of cuda/driver/mathematics.def */
} ma_bundle_entry;

_Static_assert(sizeof(ma_bundle_header) == 56 && sizeof(ma_bundle_entry) == 88, "the format of bundles has no padding");

void ma_bundle_key(const char *text, uint64_t key[2]);
uint64_t ma_bundle_checksum(const void *bytes, size_t size);
/* The order of the index. */
int ma_bundle_compare(const ma_bundle_entry *a, const ma_bundle_entry *b);

/* ==== bundle.c: one bundle ======================================================================================== */

typedef struct ma_bundle ma_bundle; /* never changes but for a count, so threads share it */

/* Reads the header and the index of an open file, and takes over `fd`, also if it fails. `name` is for messages. */
ma_status ma_bundle_open_file(ma_bundle **bundle, int fd, const char *name);
ma_status ma_bundle_open_memory(ma_bundle **bundle, const void *bytes, size_t size, const char *name); /* copies them */
void ma_bundle_close(ma_bundle *bundle);
const char *ma_bundle_name(const ma_bundle *bundle);
uint32_t ma_bundle_count(const ma_bundle *bundle);
const ma_bundle_entry *ma_bundle_entry_at(const ma_bundle *bundle, uint32_t k);

void ma_bundle_note_use(const ma_bundle *bundle); /* counts an image that was loaded */
int64_t ma_bundle_used(const ma_bundle *bundle);

/* How well an image suits an architecture; 0: it does not run there. Cubins and objects of the architecture are best,
** then those of the same major version and a lower minor one, then PTX, the newest first. */
int ma_bundle_rank(const ma_bundle_entry *entry, int arch);
/* The best image for the key, of a rank below `below` (INT_MAX at first); NULL: there is none. */
const ma_bundle_entry *ma_bundle_find(const ma_bundle *bundle, const uint64_t key[2], int arch, int below);
ma_status ma_bundle_image(const ma_bundle *bundle, const ma_bundle_entry *entry, ma_image *image);

/* ==== trust.c ===================================================================================================== */

/* Opens a file whose code may run in this process: file and folder belong to the user or to root, and nobody else can
** write them. On a file system without modes everything may. */
ma_status ma_bundle_open_trusted(const char *path, int *fd);

/* ==== list.c: the bundles of the process ========================================================================== */

/* The first call of any of these opens what lies beside the module and what MOONARRAY_BUNDLE names. */

/* Adds a bundle, in front of those that are there. Adding one again is harmless. */
ma_status ma_bundles_add(const char *path);
ma_status ma_bundles_add_memory(const void *bytes, size_t size, const char *name);
/* The same for one that was found, and that nobody asked for: it is refused by a warning. */
void ma_bundles_found(const void *bytes, size_t size, const char *name);
/* The kth bundle in the order of look-ups, counted from 0; NULL behind the last. */
const ma_bundle *ma_bundles_at(int k);
int ma_bundles_count(void);
/* Bundles that were found and refused: the kth reason, which names its file; NULL behind the last. */
const char *ma_bundles_refused(int k);
bool ma_bundles_serve(int arch); /* whether one has an image that runs on the architecture */
/* The path of a file beside the module; `path` has PATH_MAX bytes. */
bool ma_bundle_beside_module(const char *name, char *path);
/* A bundle that is not in the list; NULL: it is refused, as one that was found. */
ma_bundle *ma_bundle_open_or_warn(const char *path);
/* The archive of a game whose folder "moonarray" has more of the module's files. The first one counts. */
void ma_bundles_archive(const char *path);
/* Whether the archive has a bundle beside the module; *bundle is NULL if it is refused. */
bool ma_bundle_in_archive(const char *name, ma_bundle **bundle);
/* Reads a member of an archive; set by the layer above. *bundle is NULL if there is none of this name. */
extern ma_status (*ma_bundle_of_archive)(const char *archive, const char *name, ma_bundle **bundle);
/* What follows these first characters in MOONARRAY_BUNDLE; NULL: it begins otherwise. */
const char *ma_bundle_setting(const char *first);

/* ==== base.c: the library's own kernels, which are asked after the cache ========================================== */

const ma_bundle *ma_bundles_base(int arch); /* for cards of the architecture; NULL: there is none */
/* Where Lua looks for modules, package.cpath and package.path: their absolute folders are searched behind the module's.
** The first list counts. */
void ma_bundles_patterns(const char *list);
/* The floor set, general forms as PTX for all cards; NULL: there is none. */
const ma_bundle *ma_bundles_floor(void);
const ma_bundle *ma_bundles_base_at(int k); /* those of both sets that are open, from 0 on; NULL behind the last */

/* Where the calling thread is in the program, "game.lua:12", or ""; set by the layer above, may be NULL. */
extern const char *(*ma_bundle_place)(void);

/* ==== record.c: texts that the program asks for =================================================================== */

typedef struct ma_bundle_record {
  const char *family, *text, *key; /* what is compiled, and what it is found by */
  const ma_module_source *source;  /* options and expressions; NULL: a text of the library's own */
  int arch;                        /* the architecture whose cards ask for this text; 0: all cards do */
} ma_bundle_record;

bool ma_bundle_records(void); /* whether texts are recorded */
void ma_bundle_note(const ma_bundle_record *record);

/* ==== player.c: MOONARRAY_BUNDLE=check, or check:FILE, which adds a bundle as well ================================ */

#define MA_BUNDLE_CHECK "check"
bool ma_bundle_checks(void);
/* A kernel was asked for: where its image was found, and whether a player would find it. */
void ma_bundle_check_kernel(const char *name, const char *key, int arch, const char *from, bool served);
void ma_bundle_check_library(const char *title); /* a library was asked for, which a player does not have */

#pragma GCC visibility pop
#endif
