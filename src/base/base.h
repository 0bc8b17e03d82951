/*
** base.h: failures, switches, dtypes, shapes, growing text. Every file includes it.
**
** A function that can fail returns ma_status. On failure it leaves nothing behind: no out-parameter that the caller
** would have to free. Names: ma_noun_verb for functions that other files call, plain verb_noun for statics, MA_UPPER
** for constants.
*/
#ifndef MOONARRAY_BASE_BASE_H
#define MOONARRAY_BASE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define MA_VERSION "0.2.0"
#define MA_MAX_NDIM 16 /* axes of an array */
#define MA_MAX_GPUS 64

#if defined(__GNUC__)
#define MA_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define MA_COLD __attribute__((cold)) /* the compiler moves the branch that calls it out of the hot path */
#else
#define MA_PRINTF(f, a)
#define MA_COLD
#endif

/* ==== status.c: failures ======================================================================================== */

typedef enum ma_status {
  MA_OK,
#define ERROR(id, name) MA_ERR_##id,
#include "base/error.def"
#undef ERROR
} ma_status;

/* Sets the calling thread's message and returns `code`. The text reads "what was found; what was wanted". */
ma_status ma_fail(ma_status code, const char *format, ...) MA_PRINTF(2, 3) MA_COLD;
/* Puts text in front of the message that is set, for example the name of the operand; returns `code`. */
ma_status ma_fail_prefix(ma_status code, const char *format, ...) MA_PRINTF(2, 3) MA_COLD;
const char *ma_message(void); /* the calling thread's last message; valid until the next failure */

/* Keeps the message that is set as what the calling thread lacks, and returns MA_ERR_LACK. */
ma_status ma_lack(void) MA_COLD;
#define MA_LACKED 800
const char *ma_lacked(void); /* that message; NULL: nothing since it was forgotten */
void ma_lack_forget(void);

#define MA_TRY(expression)                \
  do {                                    \
    ma_status status_ = (expression);     \
    if (status_ != MA_OK) return status_; \
  } while (0)

/* ==== config.c: the environment switches ======================================================================== */

typedef enum ma_switch {
#define SWITCH(id, name, type, fallback, doc) MA_CONFIG_##id,
#include "base/config.def"
#undef SWITCH
  MA_NCONFIG
} ma_switch;

int64_t ma_config_int(ma_switch which);        /* for INT and BOOL switches; the environment is read once */
const char *ma_config_string(ma_switch which); /* for STRING and SECRET switches; "" if unset */
const char *ma_config_name(ma_switch which);   /* "MOONARRAY_DEVICE" */
const char *ma_config_doc(ma_switch which);
const char *ma_config_default(ma_switch which);
bool ma_config_tf32(int set);             /* whether float32 products may use TF32; `set` other than -1 changes it */
bool ma_config_traces(const char *topic); /* whether MOONARRAY_TRACE lists `topic` */
void ma_trace(const char *topic, const char *format, ...) MA_PRINTF(2, 3); /* prints to stderr if the topic is on */

/* ==== dtype.c: types of elements ================================================================================= */

typedef struct ma_c64 {
  float re, im;
} ma_c64;
typedef struct ma_c128 {
  double re, im;
} ma_c128;

typedef enum ma_kind {
  MA_KIND_BOOL,
  MA_KIND_SIGNED,
  MA_KIND_UNSIGNED,
  MA_KIND_FLOAT,
  MA_KIND_COMPLEX,
  MA_NKIND
} ma_kind;

typedef enum ma_dtype {
#define DTYPE(ID, name, suffix, itemsize, kind, npy, reg) MA_##ID,
#include "base/dtype.def"
#undef DTYPE
  MA_NDTYPE
} ma_dtype;

/* C's long, which has 32 bits on Windows. Compilers of kernels, NVRTC too, follow the system. */
#define MA_LONG (sizeof(long) == 8 ? MA_INT64 : MA_INT32)
#define MA_ULONG (sizeof(long) == 8 ? MA_UINT64 : MA_UINT32)

typedef struct ma_dtype_info {
  const char *name, *npy;
  uint8_t itemsize; /* bytes in memory */
  uint8_t regsize;  /* bytes in a register, while a program runs */
  ma_kind kind;
} ma_dtype_info;

extern const ma_dtype_info ma_dtypes[MA_NDTYPE];

/* A Lua number is weak: a result takes its kind, but not its width. WIDE is a whole number beyond int64, held as
** uint64. */
typedef enum ma_weak { MA_STRONG, MA_WEAK_INT, MA_WEAK_WIDE, MA_WEAK_FLOAT, MA_WEAK_COMPLEX } ma_weak;
static inline bool ma_weak_is_whole(int weak) { return weak == MA_WEAK_INT || weak == MA_WEAK_WIDE; }

/* One value, held by kind: bool and unsigned in u, signed in i, float in c.re, complex in c. */
typedef union ma_value {
  int64_t i;
  uint64_t u;
  ma_c128 c;
} ma_value;

bool ma_dtype_find(const char *name, ma_dtype *dtype);  /* "float32"; false if no dtype has that name */
bool ma_dtype_spelt(const char *name, ma_dtype *dtype); /* NumPy's other spellings too: "f4", "<i8", "double" */
/* The name of the dtype that a word of another language means ("byte", "number"); NULL: none. */
const char *ma_dtype_meant(const char *name);
ma_dtype ma_dtype_promote(ma_dtype a, ma_dtype b); /* NumPy 2's promote_types */
ma_dtype ma_dtype_promote_set(uint32_t dtypes);    /* of any number of dtypes, in any order: bit d stands for dtype d */
/* The dtype of an operation on an array and a Lua number. */
ma_dtype ma_dtype_promote_weak(ma_dtype strong, ma_weak weak);
ma_dtype ma_dtype_of_weak(ma_weak weak); /* the dtype of a Lua number alone: int64, uint64, float64, complex128 */
ma_dtype ma_dtype_real(ma_dtype dtype);  /* complex64 gives float32, complex128 float64; others are unchanged */
bool ma_dtype_can_cast(ma_dtype from, ma_dtype to, bool same_kind); /* NumPy's "safe", or "same_kind" */
/* Converts a value of dtype `from` to `to` by the rule of array casts (kernels/scalar.h). */
ma_value ma_value_cast(ma_value value, ma_dtype from, ma_dtype to);
/* Converts a weak scalar to dtype `to`. An integer outside its range is an error ("300 does not fit uint8"). */
ma_status ma_value_weak(ma_value value, ma_weak weak, ma_dtype to, ma_value *result);
void ma_value_store(void *memory, ma_dtype dtype, ma_value value); /* one element in host memory */
ma_value ma_value_load(const void *memory, ma_dtype dtype);

/* ==== shape.c: extents and strides =============================================================================== */

/* Number of elements, or an error if an extent is negative or the bytes overflow int64. */
ma_status ma_shape_size(int ndim, const int64_t *shape, size_t itemsize, int64_t *size);
/* Fills the strides of C order. */
void ma_shape_contiguous(int ndim, const int64_t *shape, size_t itemsize, int64_t *stride);
/* Broadcasts the shape with `other`, in place (start with *ndim = 0). */
ma_status ma_shape_broadcast(int *ndim, int64_t *shape, int other_ndim, const int64_t *other);
const char *ma_shape_print(int ndim, const int64_t *shape, char *text, size_t size); /* "(3, 4)"; returns text */
/* Converts a 1-based position (negative: from the end) to a 0-based axis; the error names the range. */
ma_status ma_shape_axis(int64_t position, int ndim, int *axis);

static inline int64_t ma_magnitude(int64_t step) { return step < 0 ? -step : step; }

#define MA_MAX_OPERANDS 32
/* The iteration space that several operands share: stride[k][d] is operand k's step in bytes along axis d. */
typedef struct ma_space {
  int ndim, noperand;
  int64_t shape[MA_MAX_NDIM];
  int64_t stride[MA_MAX_OPERANDS][MA_MAX_NDIM];
} ma_space;
void ma_space_copy(ma_space *to, const ma_space *from); /* only the operands that there are */

/*
** Rewrites an iteration space as the fewest axes that visit the same elements. With `sort`, axes are first flipped to
** positive steps and ordered by the strides of operand 0 (ties by the next operands), largest first, so that a
** transposed operand is walked in its own order; `flip[k]` receives the bytes to add to operand k's address. Without
** `sort` the order of visits is kept, which reductions need, and axes are only joined. Two neighbouring axes are joined
** if their strides allow it. Axes of extent 1 are removed. An empty space becomes one axis of extent 0. The result has
** at least one axis.
*/
void ma_space_collapse(ma_space *space, bool sort, int64_t *flip);

/* ==== ctext.c: text that grows ============================================================= */

/* C or CUDA C++ text that grows. After a failed allocation it stays empty and `failed` is set, so the caller checks
** only at the end. */
typedef struct ma_ctext {
  char *bytes;
  size_t size, room;
  bool failed;
  uint32_t special; /* of a kernel: the families of special functions that it calls, as bits */
} ma_ctext;
void ma_ctext_put(ma_ctext *text, const char *string);
void ma_ctext_add(ma_ctext *text, const char *format, ...) MA_PRINTF(2, 3);
void ma_ctext_free(ma_ctext *text);
const char *ma_embedded(const char *name); /* text of the file `name` under kernels/, or NULL */
/* The end of the embedded file that contains `at`, or NULL if `at` is in none. */
const char *ma_embedded_end(const char *text, const char *at);
uint64_t ma_hash(const void *bytes, size_t size, uint64_t seed);

#pragma GCC visibility pop
#endif
