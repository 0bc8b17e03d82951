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
**     defer/defer.h       programs over arrays, which run or wait
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
  ma_pool *pool;      /* the default one, which lives as long as the process */
  ma_pool *allocator; /* atomic; the pool that serves in place of it (set_allocator), NULL: none */
  ma_pool *pinned;    /* atomic; of pinned memory, made at its first use */
  /* atomic: the stream that was made current last, for the pool's preference; NULL: the null stream */
  struct ma_stream *hint;
  uint32_t generation; /* atomic: resets so far; memory, kernels and events of an earlier one are gone */
  void *state;         /* the backend's own */
} ma_device;           /* one per device and process; never freed */

/*
** A queue of work on a device. The structs live as long as the process: a stream that is closed waits, with its queue,
** for the next ma_stream_open of its kind, so that what remembers a stream (the marks of a buffer) may do so for ever.
*/
typedef struct ma_stream {
  ma_device *device;
  void *handle;   /* CUstream; NULL is the legacy null stream */
  uint32_t flags; /* MA_STREAM_... */
  int priority;   /* lower is more urgent, as in CUDA */
  bool ended;     /* foreign, and its owner may destroy it: `tail` is its last work */
  void *tail;     /* the backend's: an event at the end of its work, when another stream had to wait for it */
  struct ma_capture *capture; /* graph.c: the graph that its work is recorded into; NULL: it runs */
  struct ma_stream *next;     /* in stream.c's list of closed ones */
  struct ma_stream *every;    /* in stream.c's list of all that were made */
} ma_stream;

#define MA_STREAM_NON_BLOCKING 1 /* no order with the legacy null stream but the one that buffers ask for */
#define MA_STREAM_FOREIGN 2      /* the handle is somebody else's */

#define MA_EVENT_DISABLE_TIMING 1 /* cheaper; takes no time */
#define MA_EVENT_BLOCKING 2       /* who waits for it sleeps and does not spin */

/* ==== order.c: the order of uses of memory over streams =========================================================== */

/*
** Who used a buffer last: the stream that wrote it, and those that read it since. They outlive the block's time in the
** pool, so that a block which is handed out again is not written while its last user still works. On the CPU, where
** work is done when its call returns, they matter only for memory that a GPU copies from or to.
*/
#define MA_MAX_READERS 3
typedef struct ma_marks {
  ma_stream *writer;                 /* NULL: none, or the host */
  ma_stream *reader[MA_MAX_READERS]; /* other streams than the writer */
  uint8_t nreader;
} ma_marks;

/* ==== pool.c and buffer.c: memory ================================================================================= */

/*
** A buffer owns one block of a device's memory. References are counted atomically: arrays (views) of any Lua state hold
** one each. `release` is called once, when the last reference goes; a pool's blocks return to the pool.
*/
typedef struct ma_buffer {
  int refs; /* atomic */
  ma_device *device;
  void *ptr; /* an address of that device */
  size_t nbytes;
  void (*release)(struct ma_buffer *buffer);
  void *owner;         /* for `release`: the pool's block, or whatever keeps foreign memory alive */
  uint32_t generation; /* of the device, when the block was handed out */
  /* a handle (pending.h) whose address nobody outside knows: its memory may be made late, or changed for other */
  bool movable;
  struct ma_pending *pending; /* what will fill the memory, which is not there yet (ptr is NULL); NULL: it is */
  bool pinned;                /* nothing but those that follow holds it */
  int nreaders;
  struct ma_reading *readers; /* programs not yet run that read it, a reference each */
  ma_marks marks;             /* order.c */
} ma_buffer;

/* ==== array.c: arrays and views =================================================================================== */

/*
** A shape and strides over a buffer. Views share buffers. The Lua userdata is one of these, so `magic` comes first: it
** tells an array from any other userdata without a look at metatables. buffer == NULL: freed. Invariant: every address
** offset + sum(i[d] * stride[d]) with 0 <= i[d] < shape[d] lies inside the buffer, for owned memory.
*/
#define MA_ARRAY_MAGIC 0x6d61617272617931u
typedef struct ma_array {
  uint64_t magic;
  uint8_t dtype; /* ma_dtype */
  uint8_t ndim;
  uint8_t readonly; /* foreign memory that must not be written, or a broadcast view */
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
  MA_NOP
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
  const char *body[MA_NKIND]; /* CUDA text by kind of T, operands x, y, z, w; NULL: no loop of that kind */
  const char *doc;
} ma_op_info;

#define MA_OPF_TRUE_DIVIDE 1 /* integers and bools are computed in float64 whatever their width */
#define MA_OPF_INTERNAL 2    /* no ufunc of this name: a part of one, or the core's own */
#define MA_OPF_NO_BOOL 4     /* bool operands are an error, not promoted (subtract, negative) */
#define MA_OPF_COMPARISON 8  /* a weak integer outside the dtype's range still has an answer */
#define MA_OPF_DOUBLE 16     /* computed in float64 or complex128 whatever the operands (float_power) */

extern const ma_op_info ma_ops[MA_NOP];
ma_dtype ma_sig_dtype(ma_sig sig, ma_dtype loop);

/*
** A program: at most 32 instructions over numbered inputs and scalars; plain bytes without pointers, so that it can be
** copied, hashed, compared and printed. Static single assignment: instruction k writes register MA_REG_CODE + k and
** reads lower ones. An output may be any register: a program without instructions copies an input or fills with a
** scalar. Bytes past the used instructions are undefined. Scalars' values are not part of it: they are parameters of a
** run. MA_OP_cast converts from `dtype` to `result`; every other instruction computes in the loop dtype `dtype`.
*/
#define MA_MAX_INPUTS 12
#define MA_MAX_SCALARS 8
#define MA_MAX_CODE 32
#define MA_MAX_OUTPUTS 4
#define MA_REG_SCALAR MA_MAX_INPUTS
#define MA_REG_CODE (MA_MAX_INPUTS + MA_MAX_SCALARS)
#define MA_MAX_REGS (MA_REG_CODE + MA_MAX_CODE)

typedef struct ma_instr {
  uint8_t op, dtype, result, arg[MA_MAX_ARITY], unused;
} ma_instr;

typedef struct ma_program {
  uint8_t ninput, nscalar, ncode, noutput;
  uint32_t body; /* 0, or the user's text in place of instructions (body.c): then ncode is 0, output k is register
                                       ** MA_REG_CODE + k, and code[k].result is its dtype */
  uint8_t output[MA_MAX_OUTPUTS]; /* register of each output; its dtype is the register's */
  uint8_t input_dtype[MA_MAX_INPUTS];
  uint8_t scalar_dtype[MA_MAX_SCALARS];
  ma_instr code[MA_MAX_CODE];
} ma_program;

/* A raw array as a kernel sees it. */
typedef struct ma_raw {
  void *data;
  int ndim;
  int64_t size, shape[MA_MAX_NDIM], stride[MA_MAX_NDIM];
} ma_raw;

/* ==== What crosses to a backend =================================================================================== */

/*
** One run of a program over an iteration space. Operands are the outputs, then the inputs, in the program's order;
** data[k] is the address of operand k's first element. Outputs do not overlap inputs unless they are the same elements
** in the same order. Outputs do not overlap each other. The space is collapsed and sorted already; `space.shape` has no
** zero.
*/
typedef struct ma_map {
  const ma_program *program;
  ma_space space;
  void *data[MA_MAX_OPERANDS];
  ma_value scalar[MA_MAX_SCALARS];
  /* Read only where the program has a body. If that uses the index, one operand more follows the inputs: its strides
  ** count elements in C order of the space as the user sees it, so that an address of it is the index. */
  const ma_raw *raw; /* by place */
  int64_t total;     /* elements in all: `n` */
  int block_size;    /* threads of a block; 0: the backend's choice */
} ma_map;

typedef enum ma_reduce_op {
#define REDUCE(name, ...) MA_REDUCE_##name,
#include "kernels/reduce/reduce.def"
#undef REDUCE
  MA_NREDUCE
} ma_reduce_op;

/*
** A reduction takes the program's output over the space, whose first `nkept` axes remain and whose others are reduced
** in C order (the order is the meaning: arg reductions and the tree follow it). A second output, of bool, is a mask:
** elements where it is false are left out. Operand 0 is the result, with stride 0 on the reduced axes; the inputs
** follow. Neighbouring axes of the same group are joined where they run on; both groups have at least one axis, of
** extent 1 if need be, and no axis has extent 0. `count` is the product of the reduced extents. kernels/reduce/reduce.h
** holds the tree, which both backends follow, so that the same values give the same bits.
*/
typedef struct ma_reduction {
  ma_reduce_op op;
  const ma_program *program;
  ma_dtype result; /* dtype of the result in memory; follows from `op` and the output's dtype */
  int nkept;
  ma_space space;
  int64_t count;
  double param;     /* ddof for var and std */
  bool has_initial; /* then `initial`, of the output's dtype, is merged in front of the elements */
  ma_value initial;
  void *data[MA_MAX_OPERANDS];
  ma_value scalar[MA_MAX_SCALARS];
  /* Read only where the program has a body: then the operands are its outputs, the inputs and, if it uses the index,
  ** one whose address is the index, as in ma_map; op, result, param and initial are not looked at, and `count` is 0
  ** where an identity is to be reduced alone. */
  const ma_raw *raw;
  int64_t total; /* elements in all: `n` */
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
** Elements picked by integer arrays. The space is the result's shape; operand 0 is the picked side's (gather: the
** result, scatter: the values), operand 1 the indexed array, operands 2.. the index arrays. The address in the array is
**     data[1] + sum over d of stride[1][d] * i[d] + sum over k of offset(position_k) * step[k]
** where offset is position - 1, or extent[k] + position if that is negative. Other positions, 0 among them, read 0,
** write nothing, and are recorded (see ma_fault), unless `mode` says that they go round or stop at the ends (then 0 is
** the place before 1, -1 the one before that). The space is collapsed without sorting and has no zero extent.
*/
#define MA_MAX_INDEX MA_MAX_NDIM
typedef enum ma_index_mode { MA_MODE_RAISE, MA_MODE_WRAP, MA_MODE_CLIP } ma_index_mode;
typedef struct ma_gather {
  ma_space space;
  int nindex;
  ma_dtype dtype; /* of the array and of the picked side */
  ma_index_mode mode;
  bool distinct; /* scatter: no element is picked twice, so the order of writes does not matter */
  int op;        /* scatter: -1 stores, else the ma_opcode that combines old and new, one after another */
  uint8_t index_dtype[MA_MAX_INDEX]; /* integer dtypes */
  uint8_t axis[MA_MAX_INDEX];        /* the array's axis, 1-based, for the fault record */
  int64_t extent[MA_MAX_INDEX], step[MA_MAX_INDEX];
  void *data[2 + MA_MAX_INDEX];
} ma_gather;

/*
** The first position found outside an array; raised by the next call of its owner that waits. `line` is that of a
** kernel written in Lua, 0: none. Such a kernel takes no negative positions; its extent is INT64_MAX where none is
** known, and of a position that is a fraction `axis` is negative and `position` has the bits of the double.
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
