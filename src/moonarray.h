/*
** moonarray.h: read this first. Every central struct of the core and the invariants that hold between them.
**
** The core knows nothing of Lua. Dependencies run one way:
**
**     lua/ -> src/bind -> src (this header) -> backend table <- { src/cpu, src/cuda }
**
** A function that can fail returns ma_status and leaves nothing behind on failure: no half-written out-parameter that the
** caller would have to free. Names: ma_noun_verb for what other files call, plain verb_noun for statics, MA_UPPER for constants.
*/
#ifndef MOONARRAY_H
#define MOONARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)   /* the module exports luaopen_moonarray_core alone */

#define MA_VERSION "0.1.0"
#define MA_MAX_NDIM 16                 /* axes of an array */
#define MA_MAX_GPUS 64

#if defined(__GNUC__)
#define MA_PRINTF(f, a) __attribute__((format(printf, f, a)))
#define MA_COLD __attribute__((cold))  /* what leads to a call of it is kept apart from what runs */
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
/* Puts more text in front of the message that is set, for example the name of the operand; returns `code`. */
ma_status ma_fail_prefix(ma_status code, const char *format, ...) MA_PRINTF(2, 3) MA_COLD;
const char *ma_message(void);          /* the calling thread's last message; valid until the next failure */

#define MA_TRY(expression) do { ma_status status_ = (expression); if (status_ != MA_OK) return status_; } while (0)

/* ==== config.c: the environment switches ======================================================================== */

typedef enum ma_switch {
#define SWITCH(id, name, type, fallback, doc) MA_CONFIG_##id,
#include "base/config.def"
#undef SWITCH
  MA_NCONFIG
} ma_switch;

int64_t ma_config_int(ma_switch which);            /* INT and BOOL switches; read from the environment once */
const char *ma_config_string(ma_switch which);     /* STRING switches; "" when unset */
const char *ma_config_name(ma_switch which);       /* "MOONARRAY_DEVICE" */
const char *ma_config_doc(ma_switch which);
const char *ma_config_default(ma_switch which);
bool ma_config_tf32(int set);                      /* may float32 products use TF32? Sets it from now on unless -1 */
bool ma_config_traces(const char *topic);          /* is `topic` in MOONARRAY_TRACE? */
void ma_trace(const char *topic, const char *format, ...) MA_PRINTF(2, 3);   /* to stderr, if the topic is on */

/* ==== dtype.c: types of elements ================================================================================= */

typedef struct ma_c64 { float re, im; } ma_c64;
typedef struct ma_c128 { double re, im; } ma_c128;

typedef enum ma_kind { MA_KIND_BOOL, MA_KIND_SIGNED, MA_KIND_UNSIGNED, MA_KIND_FLOAT, MA_KIND_COMPLEX, MA_NKIND } ma_kind;

typedef enum ma_dtype {
#define DTYPE(ID, name, suffix, itemsize, kind, npy, reg) MA_##ID,
#include "base/dtype.def"
#undef DTYPE
  MA_NDTYPE
} ma_dtype;

typedef struct ma_dtype_info {
  const char *name, *npy;
  uint8_t itemsize;                    /* bytes in memory */
  uint8_t regsize;                     /* bytes of the type that holds a value while a program runs */
  ma_kind kind;
} ma_dtype_info;

extern const ma_dtype_info ma_dtypes[MA_NDTYPE];

/* A Lua number is weak: it gives its kind to a result, not its width. WIDE: a whole number beyond int64, as a value of uint64. */
typedef enum ma_weak { MA_STRONG, MA_WEAK_INT, MA_WEAK_WIDE, MA_WEAK_FLOAT, MA_WEAK_COMPLEX } ma_weak;
static inline bool ma_weak_is_whole(int weak) { return weak == MA_WEAK_INT || weak == MA_WEAK_WIDE; }

/* One value, held by kind: bool and unsigned in u, signed in i, float in c.re, complex in c. */
typedef union ma_value { int64_t i; uint64_t u; ma_c128 c; } ma_value;

bool ma_dtype_find(const char *name, ma_dtype *dtype);                 /* "float32"; false if there is none of that name */
ma_dtype ma_dtype_promote(ma_dtype a, ma_dtype b);                     /* NumPy 2's promote_types */
ma_dtype ma_dtype_promote_set(uint32_t dtypes);                        /* of more than two, whose order does not matter: bit d is dtype d */
ma_dtype ma_dtype_promote_weak(ma_dtype strong, ma_weak weak);         /* an array's dtype beside a Lua number */
ma_dtype ma_dtype_of_weak(ma_weak weak);                               /* a Lua number alone: int64, uint64, float64, complex128 */
ma_dtype ma_dtype_real(ma_dtype dtype);                                /* complex64 -> float32; others unchanged */
bool ma_dtype_can_cast(ma_dtype from, ma_dtype to, bool same_kind);    /* NumPy's "safe", or "same_kind" */
/* Converts a value of dtype `from` to `to` as an array cast would (kernels/scalar.h holds the rule). */
ma_value ma_value_cast(ma_value value, ma_dtype from, ma_dtype to);
/* A weak scalar for dtype `to`: an integer outside its range is an error ("300 does not fit uint8"). */
ma_status ma_value_weak(ma_value value, ma_weak weak, ma_dtype to, ma_value *result);
void ma_value_store(void *memory, ma_dtype dtype, ma_value value);     /* one element in host memory */
ma_value ma_value_load(const void *memory, ma_dtype dtype);

/* ==== shape.c: extents and strides =============================================================================== */

/* Number of elements, or an error if an extent is negative or the bytes overflow int64. */
ma_status ma_shape_size(int ndim, const int64_t *shape, size_t itemsize, int64_t *size);
void ma_shape_contiguous(int ndim, const int64_t *shape, size_t itemsize, int64_t *stride);    /* fills C-order strides */
/* Folds `other` into the running broadcast shape (start with *ndim = 0). */
ma_status ma_shape_broadcast(int *ndim, int64_t *shape, int other_ndim, const int64_t *other);
const char *ma_shape_print(int ndim, const int64_t *shape, char *text, size_t size);           /* "(3, 4)"; returns text */
/* 1-based, negative from the end -> 0-based axis, or an error that names the range. */
ma_status ma_shape_axis(int64_t position, int ndim, int *axis);

static inline int64_t ma_magnitude(int64_t step) { return step < 0 ? -step : step; }

/* Iteration space shared by several operands: stride[k][d] is operand k's step in bytes along axis d. */
#define MA_MAX_OPERANDS 20
typedef struct ma_space {
  int ndim, noperand;
  int64_t shape[MA_MAX_NDIM];
  int64_t stride[MA_MAX_OPERANDS][MA_MAX_NDIM];
} ma_space;

/*
** Rewrites an iteration space as the fewest axes that visit the same elements. With `sort`, axes are first flipped to
** positive steps and ordered by the strides of operand 0 (ties by the next operands), largest first, so that a transposed
** operand is walked in its own order; `flip[k]` receives the bytes to add to operand k's address. Without `sort` the order
** of visits is kept (reductions need it) and only neighbours that run on are joined. Axes of extent 1 go. An empty space
** becomes one axis of 0. Result: ndim >= 1.
*/
void ma_space_collapse(ma_space *space, bool sort, int64_t *flip);

/* ==== Devices and streams (device.c) ============================================================================= */

typedef struct ma_backend ma_backend;
typedef struct ma_pool ma_pool;

typedef struct ma_device {
  const ma_backend *backend;
  int id;                              /* 0-based, as everywhere in CUDA */
  char name[16];                       /* "cpu", "cuda:0" */
  ma_pool *pool;                       /* the default one, which lives as long as the process */
  ma_pool *allocator;                  /* atomic; the pool that serves in place of it (set_allocator), NULL: none */
  ma_pool *pinned;                     /* atomic; of pinned memory, made at its first use */
  struct ma_stream *hint;              /* atomic: the stream that was made current last, for the pool's preference; NULL: the null stream */
  uint32_t generation;                 /* atomic: resets so far; memory, kernels and events of an earlier one are gone */
  void *state;                         /* the backend's own */
} ma_device;                           /* one per device and process; never freed */

/*
** A queue of work on a device. The structs live as long as the process: a stream that is closed waits, with its queue, for the
** next ma_stream_open of its kind, so that what remembers a stream (the marks of a buffer) may do so for ever.
*/
typedef struct ma_stream {
  ma_device *device;
  void *handle;                        /* CUstream; NULL is the legacy null stream */
  uint32_t flags;                      /* MA_STREAM_... */
  int priority;                        /* lower is more urgent, as in CUDA */
  bool ended;                          /* foreign, and its owner may destroy it: `tail` is its last work */
  void *tail;                          /* the backend's: an event at the end of its work, when another stream had to wait for it */
  struct ma_capture *capture;          /* graph.c: the graph that its work is recorded into; NULL: it runs */
  struct ma_stream *next;              /* in stream.c's list of closed ones */
  struct ma_stream *every;             /* in stream.c's list of all that were made */
} ma_stream;

#define MA_STREAM_NON_BLOCKING 1       /* no order with the legacy null stream but the one that buffers ask for */
#define MA_STREAM_FOREIGN      2       /* the handle is somebody else's */

#define MA_EVENT_DISABLE_TIMING 1      /* cheaper; takes no time */
#define MA_EVENT_BLOCKING       2      /* who waits for it sleeps and does not spin */

ma_status ma_device_default(ma_device **device);               /* the GPU if it is usable, else the CPU */
ma_device *ma_device_cpu(void);                                /* always there */
ma_status ma_device_get(const char *name, ma_device **device); /* "cpu", "cuda", "cuda:1"; an error names the reason */
int ma_device_count(const char *backend);                      /* "cuda": 0 where there is none */
const char *ma_device_why_not(void);                           /* why the default is not a GPU; "" if it is */
ma_stream *ma_device_null_stream(ma_device *device);
/* Does a kernel on `device` read and write the memory of `of` as its own? True of one device, and of GPUs with peer access, which is
** enabled here. */
bool ma_device_reaches(ma_device *device, ma_device *of);
/* Makes a device usable again after a kernel that faulted. Whatever lay in its memory is lost, and using it an error; streams are
** empty and go on. Nothing else may use the device meanwhile. */
ma_status ma_device_reset(ma_device *device);

/* ==== stream.c: queues of work =================================================================================== */

ma_status ma_stream_open(ma_device *device, uint32_t flags, int priority, ma_stream **stream);
ma_status ma_stream_wrap(ma_device *device, void *handle, ma_stream **stream);       /* somebody else's; it must live until ma_stream_close */
void ma_stream_close(ma_stream *stream);                       /* its work goes on; not for a null stream */
int64_t ma_stream_live(void);                                  /* opened and not closed, in the process */
/* What `stream` is given from now on begins after what `on` was given until now. A CPU stream, or NULL, is the host: it waits here. */
ma_status ma_stream_wait(ma_stream *stream, ma_stream *on);
ma_status ma_stream_renew_all(ma_device *device);              /* after a reset: fresh queues in the same structs */

/* ==== order.c: the order of uses of memory over streams ========================================================== */

/*
** Who used a buffer last: the stream that wrote it, and those that read it since. They outlive the block's time in the pool, so
** that a block which is handed out again is not written while its last user still works. On the CPU, where work is done when
** its call returns, they matter only for memory that a GPU copies from or to.
*/
#define MA_MAX_READERS 3
typedef struct ma_marks {
  ma_stream *writer;                   /* NULL: none, or the host */
  ma_stream *reader[MA_MAX_READERS];   /* other streams than the writer */
  uint8_t nreader;
} ma_marks;

/* ==== pool.c and buffer.c: memory ================================================================================ */

/*
** A buffer owns one block of a device's memory. References are counted atomically: arrays (views) of any Lua state hold one
** each. `release` is called once, when the last reference goes; a pool's blocks return to the pool.
*/
typedef struct ma_buffer {
  int refs;                            /* atomic */
  ma_device *device;
  void *ptr;                           /* an address of that device */
  size_t nbytes;
  void (*release)(struct ma_buffer *buffer);
  void *owner;                         /* for `release`: the pool's block, or whatever keeps foreign memory alive */
  uint32_t generation;                 /* of the device, when the block was handed out */
  bool movable;                        /* a handle (pending.h) whose address nobody outside knows: its memory may be made late, or changed for other */
  struct ma_pending *pending;          /* what will fill the memory, which is not there yet (ptr is NULL); NULL: it is */
  bool pinned;                         /* nothing but those that follow holds it */
  int nreaders;
  struct ma_reading *readers;          /* programs not yet run that read it, a reference each */
  ma_marks marks;                      /* order.c */
} ma_buffer;

/*
** Announces work on `stream` (NULL: the host itself, at once) that reads or writes the buffer: the stream waits for other streams'
** work on it. Call it before the work is queued; one stream's own uses cost a comparison.
*/
extern int ma_ncapture;                /* atomic: streams that record a graph, whose uses are noted there (graph.c), and devices that were
                                       ** reset, whose older memory is refused: not 0, and every use is looked at */
ma_status ma_buffer_order(ma_buffer *buffer, ma_stream *stream, bool write);
static inline ma_status ma_buffer_use(ma_buffer *buffer, ma_stream *stream, bool write)
{
  bool known = __atomic_load_n(&buffer->marks.writer, __ATOMIC_RELAXED) == stream && !__atomic_load_n(&buffer->marks.nreader, __ATOMIC_RELAXED);
  if (__builtin_expect(known && !__atomic_load_n(&ma_ncapture, __ATOMIC_RELAXED), 1))
    return MA_OK;
  return ma_buffer_order(buffer, stream, write);
}
void ma_marks_merge(ma_marks *into, const ma_marks *from);     /* of two blocks that become one; may wait */
void ma_buffer_withdraw(ma_buffer *buffer);                    /* its owner took the memory back: every later use is an error */
void ma_buffer_settle(ma_buffer *buffer, const ma_stream *stream);     /* the stream's work on it is known to be done */

ma_status ma_buffer_new(ma_device *device, size_t nbytes, ma_buffer **buffer);   /* from the pool; contents undefined */
/* Foreign memory: `release(buffer)` must free the ma_buffer's owner, then call ma_buffer_free_header. NULL release: none. */
ma_status ma_buffer_wrap(ma_device *device, void *ptr, size_t nbytes, void (*release)(ma_buffer *), void *owner, ma_buffer **buffer);
void ma_buffer_free_header(ma_buffer *buffer);
void ma_buffer_retain(ma_buffer *buffer);
void ma_buffer_release(ma_buffer *buffer);
/* Of what is movable: that is one Lua state's, so nobody else counts meanwhile, and a locked addition waits for every store before it. */
static inline int ma_buffer_count_own(ma_buffer *buffer, int n)
{
  int refs = __atomic_load_n(&buffer->refs, __ATOMIC_RELAXED) + n;
  __atomic_store_n(&buffer->refs, refs, __ATOMIC_RELAXED);
  return refs;
}
int64_t ma_buffer_live(void);          /* blocks of memory not yet released, in the process: the leak check of the specs */
int64_t ma_buffer_live_bytes(void);

typedef struct ma_pool_stats { size_t used_bytes, free_bytes, total_bytes, peak_bytes, limit; int64_t n_free_blocks; } ma_pool_stats;
/* A pool is counted: `ma_pool_new` gives one reference, and after the last `ma_pool_drop` it lives on until its blocks are back. */
ma_status ma_pool_new(ma_device *device, ma_pool **pool);
typedef enum ma_memory_kind {
  MA_MEMORY_DEVICE,
  MA_MEMORY_MANAGED,                   /* moves between host and device by itself */
  MA_MEMORY_PINNED,                    /* the host's, which the GPU reads and writes directly: the buffers are the CPU's */
  MA_MEMORY_ASYNC,                     /* from a pool of the driver, which caches: MemoryAsyncPool */
  MA_NMEMORY
} ma_memory_kind;
ma_status ma_pool_new_kind(ma_device *device, ma_memory_kind kind, ma_pool **pool);  /* on the CPU all kinds are ordinary memory */
ma_status ma_pool_pinned(ma_device *device, ma_pool **pool);   /* the device's default one; no reference */
void ma_pool_retain(ma_pool *pool);
void ma_pool_drop(ma_pool *pool);      /* NULL is harmless */
/* The pool that serves the calling thread's allocations on `device` (NULL: the device's own). Takes the caller's reference on
** `pool` over and gives the caller the one on the pool before:
**     ma_pool_retain(pool); before = ma_pool_swap(device, pool); ... ma_pool_drop(ma_pool_swap(device, before)); */
ma_pool *ma_pool_swap(ma_device *device, ma_pool *pool);
ma_pool *ma_pool_serving(ma_device *device);                   /* that pool, else the set allocator, else the default; no reference */
ma_status ma_pool_serve(ma_device *device, size_t nbytes, ma_buffer **buffer);       /* a block of it */
void ma_pool_set_allocator(ma_device *device, ma_pool *pool);  /* for all threads; takes a reference of its own; NULL: the default pool */
void ma_pool_reset_allocators(void);                           /* NULL for every device */
ma_status ma_pool_alloc(ma_pool *pool, size_t nbytes, ma_buffer **buffer);
int64_t ma_pool_live_count(void);      /* blocks handed out by all pools, and the bytes that were asked for */
int64_t ma_pool_live_bytes(void);
void ma_pool_free_all(ma_pool *pool);                          /* gives cached blocks back to the backend */
void ma_pool_free_device(ma_device *device);                   /* the same for every pool of a device */
void ma_pool_statistics(ma_pool *pool, ma_pool_stats *stats);
void ma_pool_set_limit(ma_pool *pool, size_t bytes);           /* 0: none */
void ma_pool_reset_peak(ma_pool *pool);                        /* peak_bytes: most bytes in use since */
void ma_pool_forget(ma_device *device);                        /* after a reset: all its pools' blocks are gone, those in use when they come back */
/* Makes the nth next allocation of any pool (1: the very next) and those after it fail, `times` in all; n = 0: none. For the specs. */
void ma_pool_fail(int64_t n, int64_t times);

/* ==== array.c: arrays and views ================================================================================== */

/*
** A shape and strides over a buffer. Views share buffers. The Lua userdata is one of these, so `magic` comes first: it tells
** an array from any other userdata without a look at metatables. buffer == NULL: freed.
** Invariant: every address offset + sum(i[d] * stride[d]) with 0 <= i[d] < shape[d] lies inside the buffer, for owned memory.
*/
#define MA_ARRAY_MAGIC 0x6d61617272617931u
typedef struct ma_array {
  uint64_t magic;
  uint8_t dtype;                       /* ma_dtype */
  uint8_t ndim;
  uint8_t readonly;                    /* foreign memory that must not be written, or a broadcast view */
  int64_t size;                        /* product of the extents */
  int64_t offset;                      /* bytes from buffer->ptr to element (1, 1, ...) */
  ma_buffer *buffer;
  int64_t shape[MA_MAX_NDIM];
  int64_t stride[MA_MAX_NDIM];         /* bytes; zero and negative are allowed */
} ma_array;

/* Fill a caller's struct (every field above, no more than ndim extents). On failure `array->buffer` is NULL. */
ma_status ma_array_new(ma_array *array, ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape);
ma_status ma_array_shape(ma_array *array, ma_dtype dtype, int ndim, const int64_t *shape);   /* all of it but the memory: buffer is NULL */
void ma_array_set_shape(ma_array *array, int ndim, const int64_t *shape, int64_t size);          /* ndim, size and extents, no strides */
void ma_array_view(ma_array *view, const ma_array *base);      /* same elements; takes a reference */
void ma_array_release(ma_array *array);                        /* drops the reference; harmless twice */
ma_device *ma_array_device(const ma_array *array);
bool ma_array_is_contiguous(const ma_array *array);
bool ma_array_has_shape(const ma_array *array, int ndim, const int64_t *shape);
bool ma_array_overlaps(const ma_array *a, const ma_array *b);  /* may share bytes (bounds test) */

/* The only two ways to an array's memory, for work on `stream` (NULL: the host, on a CPU array). The order with other streams is made
** here, and deferred evaluation hooks in here: a pending array is computed before it is read, and programs that are still to read what is
** written keep the old values. No address that was had before changes by it. */
ma_status ma_array_read(const ma_array *array, ma_stream *stream, const void **address);
ma_status ma_array_write(ma_array *array, ma_stream *stream, void **address);
ma_status ma_array_check_writable(const ma_array *array);      /* an error if it is read-only */

/* Views. `view` may not be `base`. Each takes a reference on the buffer. */
ma_status ma_array_broadcast(ma_array *view, const ma_array *base, int ndim, const int64_t *shape);   /* read-only view */
ma_status ma_array_transpose(ma_array *view, const ma_array *base, const int *axes);                  /* NULL: reversed */
/* `shape` may hold one -1; `full` gets it without. Where the strides allow no view, view->buffer is NULL. */
ma_status ma_array_reshape_view(ma_array *view, const ma_array *base, int ndim, const int64_t *shape, int64_t *full);
/* The same, but where there is no view it is a fresh contiguous copy. In copy.c. */
ma_status ma_array_reshape(ma_array *view, const ma_array *base, int ndim, const int64_t *shape, ma_stream *stream);
ma_status ma_array_part(ma_array *view, const ma_array *base, bool imaginary);    /* real or imaginary half of a complex array */

/* In copy.c. Copies with a cast, broadcasting `from`; overlapping arrays are right. May cross devices. */
ma_status ma_array_assign(ma_array *to, const ma_array *from, ma_stream *stream);
ma_status ma_array_fill(ma_array *to, ma_value value, ma_dtype dtype, ma_stream *stream);
ma_status ma_array_copy(ma_array *copy, const ma_array *from, ma_dtype dtype, ma_stream *stream);     /* contiguous, same device */
ma_status ma_array_to(ma_array *copy, const ma_array *from, ma_device *device, ma_stream *stream);    /* contiguous, on `device` */
ma_status ma_array_item(const ma_array *array, ma_stream *stream, ma_value *value);                   /* size 1; waits */
/* Queues a copy of a GPU's array into `host`, a contiguous CPU array of its dtype and shape in pinned memory, or the other way
** (`upload`), and returns: who uses `host` by ma_array_read or write waits for it. */
ma_status ma_array_queue_copy(ma_array *array, ma_array *host, bool upload, ma_stream *stream);

/* ==== program.c: arithmetic as data ============================================================================== */

typedef enum ma_opcode {
#define OP(name, ...) MA_OP_##name,
#include "kernels/ops.def"
  MA_NOP
} ma_opcode;

/* How an operand's or a result's dtype follows from the loop dtype T. */
typedef enum ma_sig {
  MA_SIG_NONE,
  MA_SIG_T,                            /* the loop dtype itself */
  MA_SIG_BOOL,
  MA_SIG_INT32,
  MA_SIG_INT64,
  MA_SIG_UINT8,
  MA_SIG_REAL                          /* float32 for complex64, float64 for complex128, else T */
} ma_sig;

#define MA_MAX_ARITY 4
typedef struct ma_op_info {
  const char *name;
  uint8_t nin;
  uint8_t flags;                       /* MA_OPF_... in ops.def */
  uint8_t in[MA_MAX_ARITY];            /* ma_sig of each operand */
  uint8_t out;                         /* ma_sig of the result */
  const char *body[MA_NKIND];          /* CUDA text by kind of T, operands x, y, z, w; NULL: no loop of that kind */
  const char *doc;
} ma_op_info;

#define MA_OPF_TRUE_DIVIDE 1           /* integers and bools are computed in float64 whatever their width */
#define MA_OPF_INTERNAL    2           /* no ufunc of this name: a part of one, or the core's own */
#define MA_OPF_NO_BOOL     4           /* bool operands are an error, not promoted (subtract, negative) */
#define MA_OPF_COMPARISON  8           /* a weak integer outside the dtype's range still has an answer */
#define MA_OPF_DOUBLE      16          /* computed in float64 or complex128 whatever the operands (float_power) */

extern const ma_op_info ma_ops[MA_NOP];
ma_dtype ma_sig_dtype(ma_sig sig, ma_dtype loop);

/*
** A program: at most 32 instructions over numbered inputs and scalars; plain bytes without pointers, so that it can be
** copied, hashed, compared and printed. Static single assignment: instruction k writes register MA_REG_CODE + k and reads
** lower ones. An output may be any register: a program without instructions copies an input or fills with a scalar. Bytes
** past the used instructions are undefined. Scalars' values are not part of it: they are parameters of a run.
** MA_OP_cast converts from `dtype` to `result`; every other instruction computes in the loop dtype `dtype`.
*/
#define MA_MAX_INPUTS  12
#define MA_MAX_SCALARS 8
#define MA_MAX_CODE    32
#define MA_MAX_OUTPUTS 4
#define MA_REG_SCALAR  MA_MAX_INPUTS
#define MA_REG_CODE    (MA_MAX_INPUTS + MA_MAX_SCALARS)
#define MA_MAX_REGS    (MA_REG_CODE + MA_MAX_CODE)

typedef struct ma_instr { uint8_t op, dtype, result, arg[MA_MAX_ARITY], unused; } ma_instr;

typedef struct ma_program {
  uint8_t ninput, nscalar, ncode, noutput;
  uint32_t body;                       /* 0, or the user's text in place of instructions (body.c): then ncode is 0, output k is register
                                       ** MA_REG_CODE + k, and code[k].result is its dtype */
  uint8_t output[MA_MAX_OUTPUTS];      /* register of each output; its dtype is the register's */
  uint8_t input_dtype[MA_MAX_INPUTS];
  uint8_t scalar_dtype[MA_MAX_SCALARS];
  ma_instr code[MA_MAX_CODE];
} ma_program;

void ma_program_clear(ma_program *program);
int ma_program_input(ma_program *program, ma_dtype dtype);                 /* returns the register */
int ma_program_scalar(ma_program *program, ma_dtype dtype);
int ma_program_cast(ma_program *program, int reg, ma_dtype to);            /* the same register if it has that dtype */
int ma_program_emit(ma_program *program, ma_opcode op, ma_dtype loop, const int *args);   /* args already cast to the signature */
void ma_program_output(ma_program *program, int reg);
ma_dtype ma_program_dtype(const ma_program *program, int reg);
size_t ma_program_key(const ma_program *program, uint8_t *bytes);          /* canonical bytes, at most sizeof(ma_program) */
ma_status ma_program_check(const ma_program *program);                     /* registers, dtypes, bounds */
void ma_program_print(const ma_program *program, char *text, size_t size);

/* ==== ctext.c, lex.c: generated text, and the user's ============================================================= */

/* C or CUDA C++ text that grows. After a failed allocation it stays empty and `failed` is set, so only the end needs a check. */
typedef struct ma_ctext { char *bytes; size_t size, room; bool failed; } ma_ctext;
void ma_ctext_put(ma_ctext *text, const char *string);
void ma_ctext_add(ma_ctext *text, const char *format, ...) MA_PRINTF(2, 3);
void ma_ctext_free(ma_ctext *text);
const char *ma_embedded(const char *name);                     /* the file kernels/NAME, NULL if there is none */
const char *ma_embedded_end(const char *text, const char *at); /* where the embedded file ends that `at` lies in, NULL if it lies in none */
uint64_t ma_hash(const void *bytes, size_t size, uint64_t seed);

/* Tokens of C++. Comments and white space are passed over; a directive is one token with its continued lines. */
typedef enum ma_token_kind { MA_TOKEN_END, MA_TOKEN_NAME, MA_TOKEN_NUMBER, MA_TOKEN_STRING, MA_TOKEN_PUNCTUATION, MA_TOKEN_DIRECTIVE } ma_token_kind;
typedef struct ma_token { ma_token_kind kind; const char *start; size_t size; int line; } ma_token;   /* line: from 1 */
typedef struct ma_lex { const char *at; int line; } ma_lex;    /* start with {text, 1}; the text ends with a 0 */
bool ma_lex_next(ma_lex *lex, ma_token *token);                /* false at the end; "::", "->", "..." and "<<=" are punctuation of more than one character, ">" never */
bool ma_token_is(const ma_token *token, const char *text);
bool ma_lex_mentions(const char *text, const char *name);      /* is `name` one of the names in the text? */

/* ==== body.c: text that a user wrote, in place of a program's instructions ========================================= */

#define MA_MAX_PARAMS 24               /* of an elementwise or reduction kernel */
#define MA_MAX_RAW 8
typedef enum ma_param_role { MA_PARAM_INPUT, MA_PARAM_SCALAR, MA_PARAM_RAW, MA_PARAM_OUTPUT } ma_param_role;

/* One parameter of a body, its type known. */
typedef struct ma_param {
  char name[32];
  uint8_t role, dtype;
  uint8_t place;                       /* its number among the program's inputs, scalars, raw arrays or outputs */
  uint8_t is_output;                   /* of a raw array: it may be written */
  uint8_t is_read;                     /* of an output: the body may read its old value, or leave it as it is */
  uint8_t ndim, contiguous;            /* of a raw array: what shapes the text; contiguous ones are of any ndim */
} ma_param;

/*
** A kernel definition with every type resolved: all that shapes a text beside the layout of operands. Interned by content: the
** same bytes have the same id, for the life of the process. Inputs, scalars and outputs have the names that the program gives
** their dtypes by place. Strings are never NULL.
*/
typedef struct ma_body {
  uint32_t id;                         /* from 1 */
  uint8_t nparam, ntype;
  bool uses_index;                     /* `i` is among the names in the texts, so operands have an index to follow them */
  bool is_reduction;
  ma_param param[MA_MAX_PARAMS];
  struct { char name[32]; uint8_t dtype; } type[MA_MAX_PARAMS];        /* placeholders: T is float32 */
  const char *name, *preamble, *options;
  const char *operation, *loop_prep, *after_loop;                      /* elementwise */
  const char *map, *reduce, *post_map, *identity;                      /* reductions; identity "": none */
  uint8_t reduce_dtype;                /* of a and b; MA_NDTYPE: reduce_type names a C++ type of the preamble */
  const char *reduce_type;
} ma_body;

ma_status ma_body_intern(const ma_body *body, uint32_t *id);   /* copies the strings */
const ma_body *ma_body_get(uint32_t id);                       /* without a lock */

/* A raw array as a kernel sees it. */
typedef struct ma_raw { void *data; int ndim; int64_t size, shape[MA_MAX_NDIM], stride[MA_MAX_NDIM]; } ma_raw;

/* ==== What crosses to a backend ================================================================================== */

/*
** One run of a program over an iteration space. Operands are the outputs, then the inputs, in the program's order; data[k]
** is the address of operand k's first element. Outputs do not overlap inputs unless they are the same elements in the same
** order. Outputs do not overlap each other. The space is collapsed and sorted already; `space.shape` has no zero.
*/
typedef struct ma_map {
  const ma_program *program;
  ma_space space;
  void *data[MA_MAX_OPERANDS];
  ma_value scalar[MA_MAX_SCALARS];
  /* Read only where the program has a body. If that uses the index, one operand more follows the inputs: its strides count
  ** elements in C order of the space as the user sees it, so that an address of it is the index. */
  const ma_raw *raw;                   /* by place */
  int64_t total;                       /* elements in all: `n` */
  int block_size;                      /* threads of a block; 0: the backend's choice */
} ma_map;

typedef enum ma_reduce_op {
#define REDUCE(name, ...) MA_REDUCE_##name,
#include "kernels/reduce.def"
#undef REDUCE
  MA_NREDUCE
} ma_reduce_op;

/*
** A reduction takes the program's output over the space, whose first `nkept` axes remain and whose others are reduced in
** C order (the order is the meaning: arg reductions and the tree follow it). A second output, of bool, is a mask: elements
** where it is false are left out. Operand 0 is the result, with stride 0 on the reduced axes; the inputs follow.
** Neighbouring axes of the same group are joined where they run on; both groups have at least one axis, of extent 1 if need
** be, and no axis has extent 0. `count` is the product of the reduced extents.
** kernels/reduce.h holds the tree, which both backends follow, so that the same values give the same bits.
*/
typedef struct ma_reduction {
  ma_reduce_op op;
  const ma_program *program;
  ma_dtype result;                     /* dtype of the result in memory; follows from `op` and the output's dtype */
  int nkept;
  ma_space space;
  int64_t count;
  double param;                        /* ddof for var and std */
  bool has_initial;                    /* then `initial`, of the output's dtype, is merged in front of the elements */
  ma_value initial;
  void *data[MA_MAX_OPERANDS];
  ma_value scalar[MA_MAX_SCALARS];
  /* Read only where the program has a body: then the operands are its outputs, the inputs and, if it uses the index, one whose
  ** address is the index, as in ma_map; op, result, param and initial are not looked at, and `count` is 0 where an identity is
  ** to be reduced alone. */
  const ma_raw *raw;
  int64_t total;                       /* elements in all: `n` */
} ma_reduction;

/* Inclusive scan of the program's one output along the last axis of the space (operand 0 the result, then the inputs).
** sum or prod alone; `result` is the output's dtype. No extent is 0. */
typedef struct ma_scan {
  ma_reduce_op op;
  const ma_program *program;
  ma_dtype result;
  ma_space space;
  void *data[MA_MAX_OPERANDS];
  ma_value scalar[MA_MAX_SCALARS];
} ma_scan;

/*
** Elements picked by integer arrays. The space is the result's shape; operand 0 is the picked side's (gather: the result,
** scatter: the values), operand 1 the indexed array, operands 2.. the index arrays. The address in the array is
**     data[1] + sum over d of stride[1][d] * i[d] + sum over k of offset(position_k) * step[k]
** where offset is position - 1, or extent[k] + position if that is negative. Other positions, 0 among them, read 0, write
** nothing, and are recorded (see ma_fault), unless `mode` says that they go round or stop at the ends (then 0 is the place
** before 1, -1 the one before that). The space is collapsed without sorting and has no zero extent.
*/
#define MA_MAX_INDEX MA_MAX_NDIM
typedef enum ma_index_mode { MA_MODE_RAISE, MA_MODE_WRAP, MA_MODE_CLIP } ma_index_mode;
typedef struct ma_gather {
  ma_space space;
  int nindex;
  ma_dtype dtype;                      /* of the array and of the picked side */
  ma_index_mode mode;
  bool distinct;                       /* scatter: no element is picked twice, so the order of writes does not matter */
  int op;                              /* scatter: -1 stores, else the ma_opcode that combines old and new, one after another */
  uint8_t index_dtype[MA_MAX_INDEX];   /* integer dtypes */
  uint8_t axis[MA_MAX_INDEX];          /* the array's axis, 1-based, for the fault record */
  int64_t extent[MA_MAX_INDEX], step[MA_MAX_INDEX];
  void *data[2 + MA_MAX_INDEX];
} ma_gather;

/*
** The first position found outside an array; raised by the next call of its owner that waits. `line` is that of a kernel written in
** Lua, 0: none. Such a kernel takes no negative positions; its extent is INT64_MAX where none is known, and of a position that is a
** fraction `axis` is negative and `position` has the bits of the double.
*/
typedef struct ma_fault { bool set; int64_t position, extent; int axis, line; char function[32]; } ma_fault;
/* fault.c: "position 9 on axis 1", and what was wanted: "1..4" */
void ma_fault_print(const ma_fault *fault, char *found, size_t nfound, char *wanted, size_t nwanted);

typedef enum ma_copy_kind { MA_COPY_TO_DEVICE, MA_COPY_TO_HOST, MA_COPY_WITHIN } ma_copy_kind;

/* ==== kernel.c: kernels whose whole source the user wrote ======================================================== */

typedef struct ma_module_source {
  const char *text, *name;             /* name: of the file, for messages and #line */
  const char *const *option; int noption;                      /* as for NVRTC: -DN=3, -I/path, --std=c++20 */
  const char *const *expression; int nexpression;              /* C++ name expressions: "scale<float>" */
  bool prelude;                        /* kernels/scalar.h and prelude.cuh come first (what the jit prints) */
} ma_module_source;

#define MA_MAX_KERNEL_PARAMS 64
/* One kernel of a loaded module. */
typedef struct ma_kernel {
  ma_device *device;
  void *handle;                        /* the backend's */
  char name[128];
  int nparam;                          /* -1: unknown; else the size of each parameter in bytes */
  uint32_t param_size[MA_MAX_KERNEL_PARAMS];
  int max_threads_per_block, num_regs, shared_size_bytes, const_size_bytes, local_size_bytes, max_dynamic_shared_size_bytes;
  int ptx_version, binary_version, preferred_shared_memory_carveout;
} ma_kernel;

typedef struct ma_launch {
  uint32_t grid[3], block[3], shared;
  bool cooperative;
  int nargument;
  void *argument[MA_MAX_KERNEL_PARAMS];        /* the address of each value, as for cuLaunchKernel */
} ma_launch;

/* Kernels that a thread compiles while the work goes on without them. */
typedef struct ma_background { int64_t waiting, compiled, failed; } ma_background;

struct ma_linalg_table;
struct ma_fft_table;
struct ma_sort_table;
struct ma_random;
struct ma_direct;
struct ma_library_look;

/* ==== The backend table: one static const instance a backend; a NULL slot is visible and checked by its caller. ==== */

struct ma_backend {
  const char *name;                                                        /* "cpu", "cuda" */
  bool is_host;                                                            /* its memory is the host's, and its work is done when a call returns */
  int (*count)(void);                                                      /* devices; 0 with a reason in ma_message */
  ma_status (*open)(ma_device *device);                                    /* fills device->state */
  /* memory: raw blocks below pool.c; `alloc` fails with MA_ERR_MEMORY */
  ma_status (*alloc)(ma_device *device, size_t nbytes, void **ptr);
  void (*free)(ma_device *device, void *ptr);
  const struct ma_pool_memory *const *memory;                              /* pool.h: by ma_memory_kind; NULL: all are alike */
  ma_status (*info)(ma_device *device, size_t *free_bytes, size_t *total_bytes, char *description, size_t size);
  /* The kth attribute, from 0, by CUDA's name (MaxThreadsPerBlock); false after the last. One that the driver does not know is -1. */
  bool (*attribute)(ma_device *device, int k, const char **name, int64_t *value);
  ma_status (*pci_bus_id)(ma_device *device, char *text, size_t size);     /* "0000:65:00.0" */
  ma_status (*versions)(int *driver, int *compiler);                       /* 13000 for 13.0; 0: not known */
  ma_status (*peer)(ma_device *device, ma_device *of, bool enable, bool *can);         /* ma_device_reaches, of two of the backend's */
  ma_status (*reset)(ma_device *device);                                   /* a context anew; the rest is ma_device_reset's */
  /* host memory that the device copies from and to by itself; it stays host memory when the device is reset */
  ma_status (*host_alloc)(ma_device *device, size_t nbytes, void **ptr);
  void (*host_free)(ma_device *device, void *ptr, size_t nbytes);
  bool (*host_is_pinned)(ma_device *device, const void *ptr);              /* is `copy_queued` really queued? */
  /* order: all work is queued on a stream; `copy` to the host returns when the bytes are there */
  ma_status (*copy)(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind);
  ma_status (*pointer)(ma_device *device, const void *ptr, size_t nbytes); /* an error unless the device can use all that memory; NULL: nothing to ask */
  ma_status (*copy_queued)(ma_stream *stream, void *to, const void *from, size_t nbytes, ma_copy_kind kind);     /* pinned memory: does not wait */
  /* between two devices of the backend; the stream is of either */
  ma_status (*copy_between)(ma_stream *stream, ma_device *device, void *to, ma_device *origin, const void *from, size_t nbytes);
  ma_status (*synchronize)(ma_stream *stream);
  ma_status (*device_synchronize)(ma_device *device);                      /* of all its streams */
  ma_status (*done)(ma_stream *stream, bool *done);                        /* is all that was queued done? does not wait */
  ma_status (*stream_new)(ma_device *device, uint32_t flags, int priority, void **handle);
  ma_status (*stream_wait)(ma_stream *stream, ma_stream *on);              /* as ma_stream_wait, of one backend's streams; locked */
  ma_status (*stream_end)(ma_stream *stream);                              /* takes the tail of a foreign stream that goes away */
  ma_status (*stream_look)(ma_stream *stream);                             /* fills flags and priority of a foreign stream; an error if it is another device's */
  ma_status (*priorities)(ma_device *device, int *least, int *greatest);   /* the range of streams' priorities: least >= greatest */
  /* events mark a place in a stream's work and take the time when it gets there */
  ma_status (*event_new)(ma_device *device, uint32_t flags, void **event);
  void (*event_free)(ma_device *device, void *event);
  ma_status (*event_record)(ma_stream *stream, void *event);
  ma_status (*event_elapsed)(ma_device *device, void *start, void *end, double *milliseconds);   /* waits for both */
  ma_status (*event_synchronize)(ma_device *device, void *event);
  ma_status (*event_wait)(ma_stream *stream, void *event);                 /* what the stream is given from now on begins after the event */
  ma_status (*event_done)(ma_device *device, void *event, bool *done);     /* whether the work got there; does not wait */
  ma_status (*nothing)(ma_stream *stream);                                 /* launches work that does nothing: what a launch costs */
  ma_status (*profile)(ma_device *device, bool on);                        /* tells a profiler that what comes is of interest */
  /* faults are kept by their owner, the Lua state whose call gave the work (owner.h); 0: none in particular */
  ma_status (*fault)(ma_stream *stream, uint32_t owner, ma_fault *fault);  /* takes and clears the owner's record; after a wait */
  /* for a kernel that looks at positions itself: the calling thread's record on the device, and the number that a fault is to carry */
  void *(*fault_record)(const ma_stream *stream, int32_t *function);
  void (*set_function)(ma_stream *stream, uint32_t owner, const char *function);    /* the owner and the name that the thread's next faults will carry */
  /* graphs: what a stream records instead of running it (graph.h) */
  ma_status (*capture_begin)(ma_stream *stream, void **handle);
  ma_status (*capture_end)(ma_stream *stream, void *handle, bool keep);   /* keep: it can be launched; the stream runs again in any case */
  ma_status (*graph_launch)(ma_stream *stream, void *handle);
  void (*graph_free)(ma_device *device, void *handle);
  /* arithmetic */
  ma_status (*map)(ma_stream *stream, const ma_map *map);
  ma_status (*reduce)(ma_stream *stream, const ma_reduction *reduction);
  ma_status (*scan)(ma_stream *stream, const ma_scan *scan);
  /* One operation on a few packed elements, without a program (direct.h); *ran is false where it has to be one. NULL: it always has to. */
  ma_status (*direct)(ma_stream *stream, const struct ma_direct *direct, bool *ran);
  /* The same for who has another way: where the kernel would have to be compiled first, a thread begins to, nothing is done, and *ran is
  ** false. NULL: nothing is ever compiled. */
  ma_status (*map_try)(ma_stream *stream, const ma_map *map, bool *ran);
  ma_status (*reduce_try)(ma_stream *stream, const ma_reduction *reduction, bool *ran);
  void (*background)(bool wait, ma_background *now);                       /* what that thread does; wait: until it has nothing to do */
  /* positions */
  ma_status (*gather)(ma_stream *stream, const ma_gather *gather);
  ma_status (*scatter)(ma_stream *stream, const ma_gather *scatter);
  /* 1-based C-order positions of the true elements of a contiguous bool array of n, as a new int64 array of one axis; waits; NULL: compact does it */
  ma_status (*nonzero)(ma_stream *stream, const void *mask, int64_t n, ma_array *positions);
  /* The values of a program's first output for which its second, of bool, is true, in C order as a new array of one axis of dtype what->result,
  ** which they are stored as they are; of one output, of bool, the 1-based positions where it is true. All axes are reduced; op, param and initial
  ** are not looked at, and data[0] is to be made. Waits. `ran` is as below. NULL: nonzero and gather do it. */
  ma_status (*compact)(ma_stream *stream, const ma_reduction *what, ma_array *result, bool *ran);
  /* sort.h has the forms */
  const struct ma_sort_table *sort;
  /* what libraries do: linalg.h, fft.h, random.h have the forms */
  const struct ma_linalg_table *linalg;
  const struct ma_fft_table *fft;
  ma_status (*random)(ma_stream *stream, const struct ma_random *random);
  /* the user's own modules: compiled (or found in the cache) and loaded; each load has globals of its own */
  ma_status (*module_open)(ma_device *device, const ma_module_source *source, void **module);
  void (*module_close)(ma_device *device, void *module);
  ma_status (*module_kernel)(ma_device *device, void *module, const char *name, ma_kernel *kernel);     /* a name or a name expression */
  ma_status (*module_global)(ma_device *device, void *module, const char *name, void **address, size_t *nbytes);
  ma_status (*kernel_set)(ma_kernel *kernel, const char *attribute, int value);        /* max_dynamic_shared_size_bytes, preferred_shared_memory_carveout */
  ma_status (*launch)(ma_stream *stream, const ma_kernel *kernel, const ma_launch *launch);
  const struct ma_gl *gl;                                                  /* gl.h: OpenGL's memory */
  /* What was found of the kth library, from 0, that is opened at run time (libraries.h); false after the last. */
  bool (*library)(int k, struct ma_library_look *look);
};

/* ==== backends.c: the one file that knows the backends by name ================================================== */

/* The backends, the host's first; device.c keeps them. Called once, before any other function. */
void ma_device_set_backends(const ma_backend *host, const ma_backend *gpu);
const ma_backend *ma_backend_find(const char *name);           /* "cpu", "cuda"; NULL: there is none of that name. Opens nothing. */
static inline bool ma_is_host(const ma_device *device) { return device->backend->is_host; }

/* ==== validate.c: MOONARRAY_VALIDATE ============================================================================= */

ma_status ma_validate_map(ma_stream *stream, const ma_map *map);   /* runs it there and on the CPU; an error if they differ */

/* ==== ufunc.c: operations on arrays ============================================================================== */

/* One argument of an operation: an array, or a scalar. */
typedef struct ma_arg {
  const ma_array *array;               /* NULL: a scalar */
  ma_value value;                      /* by kind of `dtype` */
  ma_dtype dtype;                      /* of a strong scalar; of a weak one, int64, float64 or complex128 */
  ma_weak weak;
} ma_arg;

/* result[k] = ops[k](arg ...) over the broadcast shape, in one pass. A result whose buffer is NULL is made; another one must
** have the broadcast shape and take the dtype by same_kind casting. `where` (bool, broadcast) may be NULL. */
ma_status ma_ufunc_apply(const ma_opcode *ops, int nout, const ma_arg *arg, ma_dtype dtype, const ma_array *where,
                         ma_array *const *result, ma_stream *stream);
/* An integer to a negative power is an error. Exponents in an array are looked at, which waits. */
ma_status ma_ufunc_exponent(ma_opcode op, const ma_arg *arg, ma_dtype loop, ma_stream *stream);
/* The same for one operation of one result with nothing else said. */
ma_status ma_ufunc_operator(ma_opcode op, const ma_arg *arg, ma_array *result, ma_stream *stream);
/* Runs a program over arrays: results as above; inputs are broadcast. The general form under ma_ufunc_apply. */
ma_status ma_program_run(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                         ma_array *const *result, ma_stream *stream);
/* The same, but what is pending in the inputs is taken in, and a result whose buffer is NULL may come to be pending itself. */
ma_status ma_program_defer(const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                           ma_array *const *result, ma_stream *stream);

/* ==== reduce.c: reductions over arrays =========================================================================== */

#define MA_REDF_EMPTY    1             /* reduce.def has the meanings */
#define MA_REDF_TRUTH    2
#define MA_REDF_POSITION 4
#define MA_REDF_SCAN     8
#define MA_REDF_INTEGER  16
#define MA_REDF_FLOAT    32

typedef enum ma_reduce_result { MA_RESULT_SAME, MA_RESULT_SUM, MA_RESULT_MEAN, MA_RESULT_REAL, MA_RESULT_BOOL, MA_RESULT_INT64 } ma_reduce_result;

typedef struct ma_reduce_info {
  const char *name;
  const char *monoid;                  /* of kernels/reduce.h */
  const char *doc;
  uint8_t result;                      /* ma_reduce_result */
  uint8_t flags;                       /* MA_REDF_... */
} ma_reduce_info;
extern const ma_reduce_info ma_reduces[MA_NREDUCE];

typedef struct ma_reduce_options {
  uint32_t axes;                       /* bit d: axis d (0-based) of the broadcast shape is reduced */
  bool keepdims;                       /* reduced axes stay, of extent 1 */
  ma_dtype dtype;                      /* elements are cast to it first; MA_NDTYPE: NumPy's choice */
  double ddof;                         /* var and std divide by the count less this */
  const ma_value *initial;             /* of dtype initial_dtype; NULL: none */
  ma_dtype initial_dtype;
  ma_weak initial_weak;
} ma_reduce_options;

/*
** Reduces some axes of the program's output over the broadcast inputs; a second output, of bool, says which elements take
** part. A result whose buffer is NULL is made; another one must have the right shape and take the dtype by same_kind casting.
*/
ma_status ma_reduce_run(ma_reduce_op op, const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                        const ma_reduce_options *options, ma_array *result, ma_stream *stream);
/* Running sum or product of the program's output along one axis; the result has the inputs' broadcast shape. */
ma_status ma_scan_run(ma_reduce_op op, const ma_program *program, const ma_array *const *input, const ma_value *scalar,
                      int axis, ma_dtype dtype, ma_array *result, ma_stream *stream);
ma_dtype ma_reduce_dtype(ma_reduce_op op, ma_dtype from);      /* NumPy's result dtype */
bool ma_reduce_of_op(ma_opcode op, ma_reduce_op *reduce);      /* the reduction that folds a binary operation, if there is one */

/* ==== index.c, pick.c: the indexing grammar ====================================================================== */

/* One item of an index as written: positions and ends are 1-based, negatives count from the end and are not yet resolved. */
typedef enum ma_item_kind {
  MA_ITEM_POSITION,                    /* `lo`: drops the axis */
  MA_ITEM_RANGE,                       /* the positions that `for i = lo, hi, step` visits; ends may be open */
  MA_ITEM_REST,                        /* "...": whole axes, as many as are missing */
  MA_ITEM_NEWAXIS,                     /* a new axis of extent 1 */
  MA_ITEM_ARRAY                        /* positions (an integer dtype) or a mask (bool) over as many axes as it has */
} ma_item_kind;
#define MA_OPEN_LO 1                   /* from the first (the last for a negative step) */
#define MA_OPEN_HI 2                   /* to the last (the first for a negative step) */
#define MA_MAX_ITEMS (2 * MA_MAX_NDIM + 1)
typedef struct ma_item {
  uint8_t kind, open;
  int64_t lo, hi, step;
  const ma_array *array;
} ma_item;

/* The view that items without arrays select. Host-known positions out of range are an error here. */
ma_status ma_index_view(ma_array *view, const ma_array *base, const ma_item *item, int nitem);
/* A position known to the host -> the offset from 0, or the error that names the axis (from 1) and its extent. */
ma_status ma_index_position(int64_t position, int64_t extent, int axis, int64_t *offset);
/* The general read: a view where no item is an array, else a copy. Masks wait for the device (the shape depends on them). */
ma_status ma_index_get(ma_array *result, const ma_array *base, const ma_item *item, int nitem, ma_index_mode mode, ma_stream *stream);
/* The general write: `value` is broadcast, cast and moved to the array's device. `op` is -1, or an ma_opcode that is applied
** to the old element and the value once for every time that a position occurs (`value` may then be NULL for a unary one). */
ma_status ma_index_set(ma_array *base, const ma_item *item, int nitem, const ma_arg *value, int op, ma_index_mode mode, ma_stream *stream);
/* take_along_axis and its inverse: `index` runs along `axis` and is broadcast with the array over the others. */
ma_status ma_index_get_along(ma_array *result, const ma_array *base, const ma_array *index, int axis, ma_index_mode mode, ma_stream *stream);
ma_status ma_index_set_along(ma_array *base, const ma_array *index, int axis, const ma_arg *value, ma_stream *stream);
/* 1-based C-order positions of the elements that are not zero; int64, one axis; waits. */
ma_status ma_index_nonzero(ma_array *positions, const ma_array *base, ma_stream *stream);
/* C-order positions in an array of `shape` -> positions along `axis` of it; no check. */
ma_status ma_index_unravel(ma_array *result, const ma_array *positions, int ndim, const int64_t *shape, int axis, ma_stream *stream);
/* The inverse, an axis a call, outermost first: `before` (NULL at first) is the position by the axes before this one. */
ma_status ma_index_ravel(ma_array *result, const ma_array *before, const ma_array *positions, int64_t extent, ma_index_mode mode, ma_stream *stream);
/* An int64 array from host numbers. */
ma_status ma_index_from_host(ma_array *array, ma_device *device, const int64_t *positions, int ndim, const int64_t *shape, ma_stream *stream);

#pragma GCC visibility pop
#endif
