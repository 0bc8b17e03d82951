/*
** moonarray.h: read this first. The central structs, in the order in which they build on each other, with their
** invariants. The functions are in the floors' headers, each of which includes the one below it:
**
**     base/base.h         failures, switches, dtypes, shapes
**     moonarray.h         this file: device, stream, buffer, array, program, and what crosses to a backend
**     backend/backend.h   the table of functions that a backend is
**     memory/memory.h     devices, streams, order, buffers, pools
**     array/array.h       arrays, views, indices
**     program/program.h   programs, operations, reductions
**     run/run.h           programs over arrays, which run or wait
**     ops/ops.h           copies, ufuncs, reductions, picks
**
** The core knows nothing of Lua: src/bind alone does. scripts/floors.lua lists the floors; docs/design.md says what
** each is for.
*/
#ifndef MOONARRAY_H
#define MOONARRAY_H

#include "base/base.h"

#pragma GCC visibility push(hidden)

/* ==== Devices and streams (device.c) ============================================================================== */

typedef struct ma_backend ma_backend;
typedef struct ma_pool ma_pool;

typedef struct ma_device {
  const ma_backend *backend;
  int id;             /* 0-based, as everywhere in CUDA */
  char name[16];      /* "cpu", "cuda:0" */
  ma_pool *pool;      /* the default pool, which lives as long as the process */
  ma_pool *allocator; /* atomic: the pool that set_allocator put in place of the default one, or NULL */
  ma_pool *pinned;    /* atomic: the default pool of pinned memory, made at its first use */
  /* Atomic: the stream that was made current last, or NULL for the null stream. The pool prefers blocks that
  ** suit it. */
  struct ma_stream *hint;
  uint32_t generation; /* atomic: number of resets; memory, kernels and events of an earlier generation are lost */
  void *state;         /* private to the backend */
} ma_device;           /* one per device and process; never freed */

/* A queue of work on a device. The structs live as long as the process: a closed stream keeps its queue and waits
** for the next ma_stream_open of its kind. So a buffer's marks may point to a stream for ever. */
typedef struct ma_stream {
  ma_device *device;
  void *handle;   /* CUstream; NULL is the legacy null stream */
  uint32_t flags; /* MA_STREAM_... */
  int priority;   /* lower is more urgent, as in CUDA */
  bool exposed;   /* the program has the handle, and may queue work of its own */
  bool ended;     /* a foreign stream that its owner may destroy; `tail` is the end of its work */
  void *tail;     /* the backend's event at the end of the stream's work, made when another stream had to wait for it */
  struct ma_capture *capture; /* graph.c: the graph that records the stream's work; NULL: the work runs */
  void *collects;             /* the backend's frame that collects its launches; NULL: they are sent at once */
  void *line;                 /* the backend's notes on it while a timeline is on; NULL: there are none */
  struct ma_stream *next;     /* in stream.c's list of closed streams */
  struct ma_stream *every;    /* in stream.c's list of all streams */
} ma_stream;

#define MA_STREAM_NON_BLOCKING 1 /* ordered with the legacy null stream only through the buffers that both use */
#define MA_STREAM_FOREIGN 2      /* the handle belongs to somebody else */

#define MA_EVENT_DISABLE_TIMING 1 /* cheaper, but the event measures no time */
#define MA_EVENT_BLOCKING 2       /* a thread that waits for the event sleeps and does not spin */

/* ==== order.c: the order of uses of memory over streams =========================================================== */

#define MA_MAX_READERS 3
/*
** The last users of a buffer: the stream that wrote it, and the streams that have read it since. The marks stay with a
** block when it returns to the pool, so a block that is handed out again is not written while its last user still
** works. On the CPU, work is done when its call returns; there the marks matter only for memory that a GPU copies from
** or to.
*/
typedef struct ma_marks {
  ma_stream *writer;                 /* NULL: none, or the host */
  ma_stream *reader[MA_MAX_READERS]; /* streams other than the writer */
  uint8_t nreader;
} ma_marks;

/* ==== pool.c and buffer.c: memory ================================================================================= */

/* A buffer owns one block of a device's memory. References are counted atomically: each array (view) of any Lua
** state holds one. `release` is called once, when the last reference is dropped; the blocks of a pool return to the
** pool. */
typedef struct ma_buffer {
  int refs;        /* atomic */
  uint32_t writes; /* rises with each write that is announced, and where the memory is exchanged */
  ma_device *device;
  void *ptr; /* an address of that device */
  size_t nbytes;
  void (*release)(struct ma_buffer *buffer);
  void *owner;         /* for `release`: a slab, a pool, the block of a handle, or what keeps foreign memory alive */
  uint32_t generation; /* of the device when the block was handed out */
  /* A handle (handle.h) whose address is known to nobody outside: its memory may be allocated late or exchanged. */
  bool movable;
  bool for_host; /* a copy that was made for the host: reading it waits for nobody */
  bool pinned;   /* only its pending readers hold the buffer */
  /* The program that will fill the memory (ptr is NULL until then); NULL: the memory is filled. */
  struct ma_pending *pending;
  uint32_t recorded; /* its number in the records of differentiated functions; 0: it is in none */
  int nreaders;
  struct ma_reading *readers; /* pending programs that read the buffer; each holds a reference */
  ma_marks marks;             /* order.c */
} ma_buffer;

/* ==== array.c: arrays and views =================================================================================== */

#define MA_ARRAY_MAGIC 0x6d61617272617931u
#define MA_CONSTANT 1 /* foreign memory that must not be written */
#define MA_REPEATS 4  /* a view that shows an element in several places */
/*
** A shape and strides over a buffer. Views share buffers. A Lua userdata of an array is this struct, and `magic` is its
** first field: it tells an array from any other userdata without a look at metatables. An array whose buffer is NULL
** was freed. Invariant for owned memory: every address offset + sum(i[d] * stride[d]) with 0 <= i[d] < shape[d] lies
** inside the buffer.
*/
typedef struct ma_array {
  uint64_t magic;
  uint8_t dtype; /* ma_dtype */
  uint8_t ndim;
  uint8_t readonly; /* MA_CONSTANT, or MA_REPEATS; 0: it may be written */
  uint8_t is_view;  /* the memory was made for another array */
  int64_t size;     /* product of the extents */
  int64_t offset;   /* bytes from buffer->ptr to element (1, 1, ...) */
  ma_buffer *buffer;
  int64_t shape[MA_MAX_NDIM];
  int64_t stride[MA_MAX_NDIM]; /* bytes; zero and negative are allowed */
} ma_array;

/* ==== program.c: arithmetic as data =============================================================================== */

typedef enum ma_opcode {
#define OP(name, ...) MA_OP_##name,
#include "kernels/ops.def"
  MA_NOP,
  MA_OP_NONE = MA_NOP,
#define CORE(NAME, op) MA_##NAME = MA_OP_##op,
#define USE(name, op) MA_DO_##name = MA_OP_##op,
#include "kernels/ops.def"
} ma_opcode;

/* How an operand's or a result's dtype follows from the loop dtype T. */
typedef enum ma_sig {
  MA_SIG_NONE,
  MA_SIG_T, /* the loop dtype itself */
  MA_SIG_BOOL,
  MA_SIG_INT32,
  MA_SIG_INT64,
  MA_SIG_UINT8,
  MA_SIG_REAL /* float32 for complex64, float64 for complex128, else T */
} ma_sig;

#define MA_MAX_ARITY 4
typedef struct ma_op_info {
  const char *name;
  uint8_t nin;
  uint8_t flags;              /* MA_OPF_... in ops.def */
  uint8_t in[MA_MAX_ARITY];   /* ma_sig of each operand */
  uint8_t out;                /* ma_sig of the result */
  const char *body[MA_NKIND]; /* CUDA text for each kind of T with operands x, y, z, w; NULL: no loop of that kind */
  const char *doc;
  const char *arguments; /* of a special function: the names of its operands; else NULL */
  uint8_t family;        /* of a special function: ma_special_family, the header that its bodies call */
  /* Facts of ops.def, read by program/op.h. Operations that are not there are MA_CAST, which is 0. */
  uint8_t exact; /* kinds, by bit */
  bool signless, light, folds, begins, zero, extreme, exponents;
  uint16_t truths, bits, mask, widths[2];
  double identity;
} ma_op_info;

/* Families of special functions: headers of kernels/special. */
typedef enum ma_special_family {
#define FAMILY(name, needs) MA_SPECIAL_##name,
#include "kernels/special/families.def"
  MA_NSPECIAL
} ma_special_family;

#define MA_OPF_TRUE_DIVIDE 1 /* integers and bools are computed in float64, whatever their width */
#define MA_OPF_INTERNAL 2    /* not a ufunc: a part of one, or an operation for the core only */
#define MA_OPF_NO_BOOL 4     /* bool operands are an error, not promoted (subtract, negative) */
#define MA_OPF_COMPARISON 8  /* a weak integer outside the dtype's range still has an answer */
#define MA_OPF_SPECIAL 32    /* a special function: a ufunc of ma.special, computed in double */
#define MA_OPF_DOUBLE 16     /* computed in float64 or complex128, whatever the operands (float_power) */
#define MA_OPF_DRAWS 64      /* draws random numbers; its first operand is a place */

extern const ma_op_info ma_ops[MA_NOP];
ma_dtype ma_sig_dtype(ma_sig sig, ma_dtype loop);

#define MA_MAX_INPUTS 25
#define MA_MAX_SCALARS 16
#define MA_MAX_CODE 128
#define MA_MAX_OUTPUTS 4
#define MA_REG_SCALAR MA_MAX_INPUTS
#define MA_REG_CODE (MA_MAX_INPUTS + MA_MAX_SCALARS)
#define MA_MAX_REGS (MA_REG_CODE + MA_MAX_CODE)

typedef struct ma_instr {
  uint16_t op; /* ma_opcode: there are more operations than a byte has values */
  uint8_t dtype, result, arg[MA_MAX_ARITY];
} ma_instr;

/*
** A program: at most 128 instructions over numbered inputs and scalars. It is plain bytes, so it can be copied, hashed,
** compared and printed. It is in static single assignment: instruction k writes register MA_REG_CODE + k and reads
** lower registers. An output may be any register: a program without instructions copies an input or fills with a
** scalar. Bytes past the used instructions are undefined. The values of scalars are parameters of a run and not part of
** the program. MA_CAST converts from `dtype` to `result`; every other instruction computes in the loop dtype
** `dtype`.
** An instruction that draws (MA_OPF_DRAWS) makes element `place` of a draw of random numbers. Its first operand is an
** input without memory, which nothing else reads: its addresses, from MA_PLACES on, are those that the drawn array
** would have, so that a view of the array becomes a view of the places (program.h).
*/
typedef struct ma_program {
  uint8_t ninput, nscalar, ncode, noutput;
  /* The id of a user's text that replaces the instructions (body.c), or 0. With a body, ncode is 0, output k is
  ** register MA_REG_CODE + k, and code[k].result is the dtype of output k. */
  uint32_t body;
  /* Where a backend notes what it finds out about a program that is never freed: atomic, first NULL. NULL itself for
  ** other programs, also for a copy that gets further instructions. Not part of the program. */
  void **notes;
  uint8_t output[MA_MAX_OUTPUTS]; /* register of each output; the output has the register's dtype */
  uint8_t input_dtype[MA_MAX_INPUTS];
  uint8_t scalar_dtype[MA_MAX_SCALARS];
  ma_instr code[MA_MAX_CODE];
} ma_program;

/* A raw array of a user's kernel: the kernel sees the whole array, not one element. */
typedef struct ma_raw {
  void *data;
  int ndim;
  int64_t size, shape[MA_MAX_NDIM], stride[MA_MAX_NDIM];
} ma_raw;

/* ==== What crosses to a backend =================================================================================== */

/*
** One run of a program over an iteration space. Operands are the outputs, then the inputs, in the program's order;
** data[k] is the address of operand k's first element. An output overlaps no other output. It overlaps an input only if
** both are the same elements in the same order. The space is collapsed and sorted; `space.shape` has no zero.
*/
typedef struct ma_map {
  const ma_program *program;
  ma_space space;
  void *data[MA_MAX_OPERANDS];
  ma_value scalar[MA_MAX_SCALARS];
  /* The fields below are read only if the program has a body. If the body uses the index, one more operand follows
  ** the inputs: its strides count elements in C order of the user's shape, so that an address in it is the index. */
  const ma_raw *raw; /* raw arrays by place */
  int64_t total;     /* number of elements: `n` in the body */
  int block_size;    /* threads in a block; 0: the backend chooses */
} ma_map;

typedef enum ma_reduce_op {
#define REDUCE(name, ...) MA_REDUCE_##name,
#include "kernels/reduce/reduce.def"
#undef REDUCE
  MA_NREDUCE
} ma_reduce_op;

/*
** A reduction takes the program's output over the space. The first `nkept` axes remain; the others are reduced in C
** order, which defines the result of arg reductions and the shape of the tree. A second output, of bool, is a mask:
** elements where it is false are left out. Operand 0 is the result, with stride 0 on the reduced axes; the inputs
** follow. Neighbouring axes of the same group are joined where their strides allow it. Both groups have at least one
** axis, of extent 1 if need be, and no axis has extent 0. `count` is the product of the reduced extents. Both backends
** follow the tree of kernels/reduce/reduce.h, so the same values give the same bits.
*/
typedef struct ma_reduction {
  ma_reduce_op op;
  const ma_program *program;
  /* dtype of the result in memory; follows from `op` and the dtype of the output. MA_NDTYPE: partial results as bytes,
  ** for the slot reduce.merge */
  ma_dtype result;
  int nkept;
  ma_space space;
  int64_t count;
  double param;     /* ddof for var and std */
  bool has_initial; /* if set, `initial`, of the output's dtype, is merged in front of the elements */
  ma_value initial;
  void *data[MA_MAX_OPERANDS];
  ma_value scalar[MA_MAX_SCALARS];
  /* NULL, or 1-based positions on the one reduced axis, in device memory, as many as the last kept axis has results:
  ** result k reduces the elements from starts[k] up to starts[k + 1], the last one up to the axis's end, and one
  ** element where the next start is not further on. A position outside the axis is moved to its nearest end. */
  const int64_t *starts;
  /* The fields below are read only if the program has a body. Then the operands are its outputs, its inputs and, if
  ** it uses the index, one whose address is the index, as in ma_map. op, result, param and initial are ignored.
  ** `count` is 0 if the identity alone is to be reduced. */
  const ma_raw *raw;
  int64_t total; /* number of elements: `n` in the body */
} ma_reduction;

/* Inclusive scan (sum or prod) of the program's one output along the last axis of the space. Operand 0 is the
** result; the inputs follow. `result` is the output's dtype. No extent is 0. */
typedef struct ma_scan {
  ma_reduce_op op;
  const ma_program *program;
  ma_dtype result;
  ma_space space;
  void *data[MA_MAX_OPERANDS];
  ma_value scalar[MA_MAX_SCALARS];
} ma_scan;

#define MA_MAX_INDEX MA_MAX_NDIM
typedef enum ma_index_mode { MA_MODE_RAISE, MA_MODE_WRAP, MA_MODE_CLIP } ma_index_mode;
/*
** Elements picked by integer arrays. The space is the result's shape. Operand 0 is the picked side (gather: the result,
** scatter: the values), operand 1 the indexed array, operands 2 and on the index arrays. The address in the array is
**     data[1] + sum over d of stride[1][d] * i[d] + sum over k of offset(position_k) * step[k]
** where offset is position - 1, or extent[k] + position if the position is negative. Any other position, such as 0,
** reads 0, writes nothing, and is recorded (see ma_fault). With MA_MODE_WRAP and MA_MODE_CLIP positions go round or
** stop at the ends, and 0 is the place before 1, -1 the place before 0. The space is collapsed without sorting and has
** no zero extent.
*/
typedef struct ma_gather {
  ma_space space;
  int nindex;
  ma_dtype dtype; /* of the array and of the picked side */
  ma_index_mode mode;
  bool distinct; /* scatter: no element is picked twice, so the order of writes does not matter */
  int op;        /* scatter: -1 stores; else the ma_opcode that combines the old value with each new one in turn */
  uint8_t index_dtype[MA_MAX_INDEX]; /* integer dtypes */
  uint8_t axis[MA_MAX_INDEX];        /* 1-based axis of the array, for the fault record */
  int64_t extent[MA_MAX_INDEX], step[MA_MAX_INDEX];
  void *data[2 + MA_MAX_INDEX];
} ma_gather;

/*
** The first position that was found outside an array. The next call of its owner that waits raises it. `line` is the
** line in a kernel written in Lua, or 0. Such a kernel takes no negative positions; its extent is INT64_MAX if the
** extent is unknown. For a position that is not whole, `axis` is negative and `position` has the bits of the double.
*/
typedef struct ma_fault {
  bool set;
  int64_t position, extent;
  int axis, line;
  char function[32];
} ma_fault;
typedef enum ma_copy_kind { MA_COPY_TO_DEVICE, MA_COPY_TO_HOST, MA_COPY_WITHIN } ma_copy_kind;

#pragma GCC visibility pop
#endif
