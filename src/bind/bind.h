/*
** bind.h: what the files of src/bind share. This folder is the only place that sees a lua_State.
**
** Every function that Lua can call is a C closure with two upvalues: (1) the ma_lua of its Lua state, (2) its
** ma_signature. Calls follow one rule (API.md 11): positional arguments in NumPy's order, then an optional last table
** whose keys are all strings, the options. ma_lua_args() turns either form into the same stack, so no function looks at
** options itself.
**
** The core returns a status; only this folder raises. Before anything is acquired every argument is checked; what must
** outlive an error is a userdata whose __gc is already safe (ma_lua_newarray makes an empty array first, the core then
** fills it).
*/
#ifndef MOONARRAY_BIND_H
#define MOONARRAY_BIND_H

#include "ops/ops.h"
#include "defer/pending.h"

#include <lua.h>
#include <lauxlib.h>

#pragma GCC visibility push(hidden)

#define MA_LUA_TCDATA 10 /* LuaJIT's lua_type() of an FFI object; in no header */

/* "sum(a, axis?, dtype?, out?, keepdims?)": required names first, then optional ones, which are also the options. After
** a lone `;` names can be given as options only: "zeros(shape, dtype?; device?)". "..." takes loose arguments. Names:
** "linalg.svd(a)" goes into the subtable linalg; "core.parse(text)" is for the Lua layer alone; ":sort(a)" is a method
** and no function. A plain name whose first required argument is called `a` is a function and a method of arrays. */
#define MA_MAX_ARGS 32 /* a kernel's parameters and its options too */
typedef struct ma_signature {
  const char *name; /* "sum", "linalg.svd": errors say moonarray.<name> */
  const char *text; /* "sum(a, axis?)" */
  uint8_t nrequired, npositional, nargs;
  int8_t dtype;                 /* the slot of the argument called dtype, -1 without one */
  uint32_t flags;               /* slots that are true or false by their names */
  bool loose;                   /* takes any number of arguments after nargs */
  bool method;                  /* the closure was reached as a method: the first argument must be an array */
  const char *arg[MA_MAX_ARGS]; /* room for nargs; interned strings of the Lua state: names are compared by address */
} ma_signature;

typedef struct ma_function {
  const char *signature;
  lua_CFunction call;
  const char *doc;
} ma_function;

/* What the Lua layer installs by core.set_hook(name, fn). */
typedef enum ma_hook {
  MA_HOOK_TOSTRING,   /* "tostring": fn(array) -> string */
  MA_HOOK_INT64,      /* "int64": fn(cdata) -> 1 int64, 2 uint64, 3 complex, else nil */
  MA_HOOK_PUSH_INT64, /* "push_int64": fn(high, low, unsigned) -> cdata, from two 32-bit halves */
  MA_HOOK_POINTER,    /* "pointer": fn(address, dtype, readonly, array) -> typed cdata that keeps the array */
  MA_HOOK_ADDRESS, /* "address": fn(object) -> address, bytes or nil, dtype or nil, readonly; nothing if it has none */
  MA_NHOOK
} ma_hook;

/* One a Lua state, a userdata kept in the registry: what "current" means, and references to what is used often. */
#define MA_RECENT_TEXTS 32 /* powers of 2 */
#define MA_MADE_LAST 8
#define MA_KNOWN_BUCKETS 512
typedef struct ma_lua {
  ma_device *device; /* NULL until the first use: `require` never opens CUDA */
  /* the current stream of the CPU, then of each GPU; NULL: the null stream. stream.c keeps their objects */
  ma_stream *streams[1 + MA_MAX_GPUS];
  int nhost_functions; /* hostfunc.c: that wait for their stream */
  bool runs_host_functions;
  /* by the GPU's id: where positions in arrays were used last, which may turn out to be wrong */
  ma_stream *picked[MA_MAX_GPUS];
  uint32_t owner;       /* the number that faults of this state's work carry (owner.h) */
  ma_deferral deferral; /* what its operators left for later */
  ma_dtype default_dtype;
  const char *dtype_names[MA_NDTYPE]; /* interned strings of the Lua state: names are compared by address */
  /* registry references */
  int array_metatable, complex_metatable, device_metatable, ufunc_metatable, traced_metatable, fused_metatable;
  int methods;       /* methods of arrays by name; a number is a property of array.c */
  int library, core; /* the tables ma and core */
  int functions;     /* core.functions; LUA_NOREF: nobody asked for it yet */
  int signatures;    /* keeps the strings that signatures point to, and the memory that `kept` is a part of */
  struct {
    char *at;
    size_t left;
  } kept; /* signature.c: for what stays as long as the state */
  struct ma_lua_known *known[MA_KNOWN_BUCKETS];
  struct ma_lua_doc *documents[MA_KNOWN_BUCKETS];
  int casts;          /* ma.float32 -> its dtype, so that the function is taken as a dtype */
  int hook[MA_NHOOK]; /* LUA_NOREF: not installed */
  uint32_t given; /* by the last ma_lua_arrange: slots without a bit are nil. Read at once: finalisers make calls too */
  const ma_signature *running; /* for errors of a closure that has no signature of its own (ufuncs) */
  int texts, ntexts;           /* index_text.c: parsed indices by their text, 0: no table yet */
  /* of that table, by address */
  struct {
    const char *text;
    const struct ma_index *index;
  } recent_texts[MA_RECENT_TEXTS];
  struct tracing *tracing; /* the function that ma.fuse runs over stand-ins now; NULL: none */
  uint32_t ntraced;        /* traces so far: each has a number */
  struct {
    int64_t low, at, by, seen, capacity, host;
  } collect;                   /* live bytes at which collecting begins and must be done; state.c */
  struct ma_lua_object *spare; /* array.c: arrays without a userdata, and all the memory that they are cut from */
  struct ma_lua_object *made_last[MA_MADE_LAST];
  unsigned nmade, nfetched;
  struct ma_lua_object *fetched[2]; /* at the finalisers before this one */
  struct ma_lua_slab *slabs;
  int64_t users;           /* of the slabs: this state, until it closes, and the arrays */
  struct ma_scope *scopes; /* open ones of all coroutines; NULL: arrays need not look for theirs */
  struct ma_scope *scope;  /* the innermost of the coroutine scope_thread, for scope.c alone */
  const lua_State *scope_thread;
  char own_prefix[256]; /* chunk names that start so are ours: skipped when an error is placed */
} ma_lua;

/* state.c */
/* of the running C closure */
static inline ma_lua *ma_lua_state(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }
ma_device *ma_lua_device(lua_State *L); /* the current device; opens the default one at first use */
ma_stream *ma_lua_stream(lua_State *L); /* the current stream of the current device */
/* The stream for work on arrays of `device`: its current one. */
static inline int ma_lua_streamslot(const ma_device *device) { return ma_is_host(device) ? 0 : 1 + device->id; }
static inline ma_stream *ma_lua_stream_in(const ma_lua *state, ma_device *device) {
  ma_stream *stream = state->streams[ma_lua_streamslot(device)];
  return stream ? stream : ma_device_null_stream(device);
}
static inline ma_stream *ma_lua_stream_of(lua_State *L, ma_device *device) {
  return ma_lua_stream_in(ma_lua_state(L), device);
}
void ma_lua_setstream(lua_State *L, ma_device *device, ma_stream *stream); /* for stream.c, which keeps the object */
void ma_lua_use(lua_State *L, ma_device *device); /* makes it current, with the stream that was current there last */
/* Defines every function of a list that ends with {NULL}. */
void ma_lua_register(lua_State *L, const ma_function *list);
/* Makes a closure of (state, signature, the nup values on top) and files it where its name says, with its method if it
** has one, and in core.functions. Pops the nup values, pushes the closure. */
void ma_lua_define(lua_State *L, const char *signature, const char *doc, lua_CFunction call, int nup);
/* The steps of it. */
/* signature.c: one a text, for as long as the state */
ma_signature *ma_lua_newsignature(lua_State *L, const char *text, bool method);
void ma_lua_pushclosure(lua_State *L, const char *text, bool method, lua_CFunction call, int nup);
void ma_lua_file(lua_State *L, const char *name); /* pops a value: ma.name, ma.sub.name, core.name */
/* core.strict(table): an error for names that the table has not, as every module gives; returns it */
int ma_lua_strict(lua_State *L);
void ma_lua_addmethod(lua_State *L, const char *name); /* pops a value: the method `name` of arrays */
/* Into core.functions: "linalg.svd", ":sort" of what is a method alone, beside which a function may have the plain
** name. */
void ma_lua_document(lua_State *L, const char *name, const ma_signature *signature, const char *doc);
void ma_lua_documentalias(lua_State *L, const char *name, const char *of);
const char *ma_lua_intern(lua_State *L, ma_lua *state, const char *from, const char *to);
/* of a function that core.def made, else NULL (module.c) */
const ma_signature *ma_lua_layered(lua_State *L, int index);
ma_lua *ma_lua_open(lua_State *L);                /* pushes the state's userdata, made at first use */
bool ma_lua_pushhook(lua_State *L, ma_hook hook); /* false, and nothing pushed, if it is not installed */
/* Are the live bytes outside of those at which the collector is left alone? */
static inline bool ma_lua_accountable(const ma_lua *state, int64_t live) {
  return (uint64_t)(live - state->collect.low) >= (uint64_t)(state->collect.at - state->collect.low);
}
/* Runs the collector when live bytes crossed the threshold, never when the user stopped it. Only where every array in
** use is on the stack. */
void ma_lua_account(lua_State *L);
/* The same before a large array on the CPU while a GPU is current, whose memory sets the pace otherwise. */
void ma_lua_accounthost(lua_State *L, int64_t nbytes);
/* Every so many pending programs: on a GPU, begins Lua's next collection early while the heap is small. An array with
** one is some 60 bytes to Lua's own pace but a thousand in all, so that dead ones would have left the caches before
** they are come to. */
void ma_lua_hasten(lua_State *L);
/* watch.c: tells memory hooks what the pools did; may run Lua functions. Called by ma_lua_account, while somebody
** watches. */
void ma_lua_dispatch(lua_State *L);
/* Runs the operators that this state deferred and that no other took in; `why` is for the trace. Where the order of
** work is looked at. */
void ma_lua_flush(lua_State *L, const char *why);
/* True if `status` is out of memory: try again, once after a full collection and a trim of the pools, and where LuaJIT
** compiles once more after its traces went too. `int tries = 0; do status = f(); while (ma_lua_retry(L, status,
** &tries));` */
bool ma_lua_retry(lua_State *L, ma_status status, int *tries);
/* Tries again after a collection when memory is out, so `call` may run twice: it pushes nothing. Raises what
** remains. */
#define MA_LUA_TRY(L, call)                                                             \
  do {                                                                                  \
    int tries_ = 0;                                                                     \
    ma_status status_;                                                                  \
    do status_ = (call);                                                                \
    while (__builtin_expect(status_ != MA_OK, 0) && ma_lua_retry(L, status_, &tries_)); \
    ma_lua_check(L, status_);                                                           \
  } while (0)

/* object.c */
typedef struct ma_method {
  const char *name, *signature;
  lua_CFunction call;
} ma_method;
typedef struct ma_object_type {
  const char *name, *index_signature; /* name: "moonarray event", for messages */
  lua_CFunction index, tostring, gc;  /* index: upvalue 3 is the table of methods; gc: NULL for none */
} ma_object_type;
/* The userdata at `index`, if its metatable is the registry's of that name; else NULL. */
void *ma_lua_toobject(lua_State *L, int index, const char *metatable);
void ma_lua_pushmethods(lua_State *L, const ma_method *methods, size_t n);
void ma_lua_settype(lua_State *L, const ma_object_type *type); /* pops the methods; fills the metatable below them */

/* error.c: messages read "user.lua:12: moonarray.sum: what was found; what was wanted" */
/* What raises never returns; the type is there for `return ma_lua_fail(...)`. */
#define MA_RAISES MA_COLD __attribute__((noreturn))
MA_RAISES int ma_lua_fail(lua_State *L, const char *format, ...) MA_PRINTF(2, 3);
/* the same under another name; NULL: the running one */
MA_RAISES int ma_lua_failas(lua_State *L, const char *name, const char *text);
static inline void ma_lua_check(lua_State *L, ma_status status) { /* raises the core's message unless MA_OK */
  if (__builtin_expect(status != MA_OK, 0)) ma_lua_failas(L, NULL, ma_message());
}
void ma_lua_where(lua_State *L); /* pushes "user.lua:12: ", or "" */
/* the innermost frame that is neither C nor ours: source and line */
bool ma_lua_userframe(lua_State *L, lua_Debug *frame);
const char *ma_lua_describe(lua_State *L, int index); /* "a boolean", "float32 array (3, 4)", "the string 'abc'" */
const char *ma_lua_argname(lua_State *L, int index);  /* the signature's name of a slot: "axis" */
void ma_lua_room(lua_State *L, int n);                /* for n more values on the stack; raises if there is none */
bool ma_lua_iscallable(lua_State *L, int index);      /* a function, or what has __call: a kernel, a graph */
/* The key of the table at `index` that is nearest to `name` in spelling, or NULL. */
const char *ma_lua_nearest(lua_State *L, int index, const char *name);
/* raises "no <what> 'nme'; did you mean 'name'?" */
MA_RAISES int ma_lua_unknown(lua_State *L, const char *what, const char *name, int index);

/* args.c */
/* The stack becomes exactly nargs slots (nil: absent), then the loose arguments. Returns nargs. */
int ma_lua_args(lua_State *L);
int ma_lua_arrange(lua_State *L, const ma_signature *signature); /* the same for a given signature */
ma_array *ma_lua_toarray(lua_State *L, int index);               /* NULL if it is no array; may be a freed one */
ma_array *ma_lua_checkarray(lua_State *L, int index);            /* raises; a freed array says who freed it */
ma_array *ma_lua_optarray(lua_State *L, int index);              /* nil: NULL */
/* An operand: array, number, int64 cdata, complex scalar, or a table (becomes an array on the stack slot). A boolean is
** refused (API.md 3). The _on forms say where a table or a number goes; the others take the current device. */
void ma_lua_checkarg(lua_State *L, int index, ma_arg *arg);
void ma_lua_checkarg_on(lua_State *L, int index, ma_arg *arg, ma_device *device);
/* As data: like checkarg and booleans too, but always an array, in place of what was in the slot. An array stays on its
** device and is the same one if it has that dtype. MA_NDTYPE: the dtype as found. */
ma_array *ma_lua_asarray(lua_State *L, int index, ma_dtype dtype);
ma_array *ma_lua_asarray_on(lua_State *L, int index, ma_dtype dtype, ma_device *device);
/* The first n elements of the table at `list` as arrays, on `device`, or where the first array among them is (NULL).
** Any number of them: they stay in a table, not on the stack. Pushes that table and the memory of the list. join.c has
** it. */
ma_array **ma_lua_pushlist(lua_State *L, int list, int n, ma_dtype dtype, ma_device *device);
ma_dtype ma_lua_datadtype(lua_State *L, int index); /* of a scalar as data: numbers take the default (API.md 4) */
int64_t ma_lua_checkint(lua_State *L, int index, const char *what); /* a whole number */
double ma_lua_checknumber(lua_State *L, int index, const char *what);
int ma_lua_checkshape(lua_State *L, int index, int64_t *shape); /* a number or a table of numbers; returns ndim */
uint32_t ma_lua_checkaxes(lua_State *L, int index, int ndim);   /* nil: all; a number; a table; as a bit mask */
int ma_lua_checkaxis(lua_State *L, int index, int ndim);        /* one axis, 0-based */
ma_dtype ma_lua_checkdtype(lua_State *L, int index, ma_dtype fallback); /* nil: fallback */
bool ma_lua_optbool(lua_State *L, int index, bool fallback);
ma_device *ma_lua_optdevice(lua_State *L, int index);    /* nil: the current device (device.c) */
void ma_lua_waitdevice(lua_State *L, ma_device *device); /* for all of its streams (device.c) */

/* runtime.c */
/* an id; nil: the current GPU, the first, or the CPU where there is none */
ma_device *ma_lua_checkgpu(lua_State *L, int index);
/* false: it has none of that name */
bool ma_lua_deviceattribute(ma_device *device, const char *wanted, int64_t *value);
void ma_lua_pushattributes(lua_State *L, ma_device *device);

/* stream.c */
ma_stream *ma_lua_optstream(lua_State *L, int index);    /* nil: the current stream */
ma_stream *ma_lua_tostream(lua_State *L, int index);     /* NULL if it is no stream, or a closed one */
ma_stream *ma_lua_checkstream(lua_State *L);             /* of a method: arranges the arguments, slot 1 is the stream */
void ma_lua_pushstream(lua_State *L, ma_stream *stream); /* its object, one a stream and Lua state */
void ma_lua_usestream(lua_State *L, ma_stream *stream);  /* makes it current on its device, and the device too */

/* event.c */
int ma_lua_stream_record(lua_State *L); /* methods of streams */
int ma_lua_stream_wait_event(lua_State *L);
/* hostfunc.c: functions that a stream's work is to call, run by whoever waits or asks in this Lua state. */
int ma_lua_launch_host_func(lua_State *L); /* a method of streams */
void ma_lua_poll(lua_State *L);            /* runs those whose time has come; raises the first error of theirs */
void ma_lua_waitfor(lua_State *L, ma_stream *stream); /* ma_lua_wait, and what waited for the stream runs */

/* array.c */
ma_array *ma_lua_newarray(lua_State *L); /* pushes an empty array userdata: buffer NULL, metatable set */
ma_array *ma_lua_newarray_in(lua_State *L, ma_lua *state); /* the same for who has the state at hand */
/* The same, but no scope frees it: for what an object holds that lives on. */
ma_array *ma_lua_newkept(lua_State *L);
/* No scope frees what the values in slots first .. last hold, tables included: an object keeps them from now on. */
void ma_lua_keep(lua_State *L, int first, int last);
/* Frees a userdata's array; a later use says "a freed array (freed <by>)". */
void ma_lua_freearray(ma_array *array, const char *by);
const char *ma_lua_freedby(const ma_array *array); /* NULL: nobody said */
/* pushes a contiguous copy on its device */
ma_array *ma_lua_pushcopy(lua_State *L, const ma_array *from, ma_dtype dtype);
void ma_lua_pushon(lua_State *L, const ma_array *from, ma_device *device); /* pushes one on another device */
void ma_lua_wait(lua_State *L, ma_stream *stream); /* synchronises and raises a recorded fault */
/* to[...] = the value at `index`, as in `[...] =`, fill and assign: a scalar, an array of any device, or a table. */
void ma_lua_assign(lua_State *L, ma_array *to, int index);

/* memory.c: lets go of the owners of foreign memory whose arrays are gone; called by every array's finaliser. Raises
** nothing. */
void ma_lua_sweep(lua_State *L);
bool ma_lua_borrowed(const ma_buffer *buffer); /* its memory is kept by a Lua state, and goes with it */

void ma_lua_checkfault(lua_State *L, ma_stream *stream); /* raises a recorded fault; after a wait */

/* value.c */
void ma_lua_pushvalue(lua_State *L, ma_value value, ma_dtype dtype); /* one element as a Lua value (API.md 5) */
/* a Lua value as a scalar */
bool ma_lua_tovalue(lua_State *L, int index, ma_value *value, ma_dtype *dtype, ma_weak *weak);

/* complex.c: the complex scalar */
void ma_lua_pushcomplex(lua_State *L, double re, double im);
bool ma_lua_tocomplex(lua_State *L, int index, ma_c128 *value);

/* create.c */
/* Pushes a new array; collects and tries again when memory is out. */
ma_array *ma_lua_pushnew(lua_State *L, ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape);
/* replaces the CPU array on top by a copy on `device`, if that is another */
ma_array *ma_lua_moveto(lua_State *L, ma_device *device);

/* table.c */
/* Pushes a new array of the nested table at `index`; MA_NDTYPE: the dtype follows from the elements. */
ma_array *ma_lua_fromtable(lua_State *L, int index, ma_dtype dtype, ma_device *device);

/* index.c: a[...] and a[...] = v, a(i, j). Closures of two upvalues like the rest; the stack is as the metamethod got
** it. */
int ma_lua_index(lua_State *L); /* __index for keys that are no method and no property: stack array, key */
int ma_lua_newindex(lua_State *L);
int ma_lua_call(lua_State *L);
int ma_lua_ufunc_at(lua_State *L, ma_opcode op); /* stack array, index, operand or nil: op.at(a, index, b) */

/* reduce.c: add.reduce(a, axis?, dtype?, out?, keepdims?, initial?, where?) and add.accumulate(a, axis?, dtype?, out?),
** arranged. */
int ma_lua_ufunc_reduce(lua_State *L, ma_opcode op);
int ma_lua_ufunc_accumulate(lua_State *L, ma_opcode op);

/*
** traced.c: traced values, the stand-ins of arrays and numbers while ma.fuse runs a function. They are no arrays: what
** can record itself asks for them first (only while state->tracing is set), every other function gets an error from its
** check of arguments.
*/
bool ma_lua_istraced(lua_State *L, int index);
/* Raises "moonarray.cumsum: cannot be part of a fused function; ..." under the name of the call that the user wrote. */
int ma_lua_failtraced(lua_State *L);
/* Record an operation whose operands are in slots first .. first + nin - 1 if one of them is traced: pushes nout traced
** values and returns nout, else 0. out, dtype, where, casting are slots, 0 for none. */
int ma_lua_trace_apply(lua_State *L, const ma_opcode *op, int nout, int first, int out, int dtype, int where,
                       int casting);
int ma_lua_trace_operator(lua_State *L, ma_opcode op); /* slots 1 and 2: numbers alone are computed as Lua does */
int ma_lua_trace_cast(lua_State *L, ma_dtype dtype);   /* slot 1; MA_NDTYPE: its own */
typedef struct ma_lua_reduction {
  ma_reduce_op op;
  bool nan_as_0, nan_as_1, nan_left_out;
  bool answers; /* without axis, keepdims and out it gives a Lua boolean */
  uint8_t axis, dtype, out, keepdims, initial, where, ddof, correction; /* slots, 0 for none */
} ma_lua_reduction;
int ma_lua_trace_reduce(lua_State *L, const ma_lua_reduction *reduction);

/* What each file adds to the library (the table on top of the stack, which stays there). */
void ma_open_signature(lua_State *L);
void ma_open_array(lua_State *L);
void ma_open_value(lua_State *L);
void ma_open_complex(lua_State *L);
void ma_open_create(lua_State *L);
void ma_open_sequence(lua_State *L);
void ma_open_shape(lua_State *L); /* reshape, transpose ...: views */
void ma_open_dtype(lua_State *L); /* promote_types, finfo ... */
void ma_open_join(lua_State *L);  /* concatenate, stack */
void ma_open_ufunc(lua_State *L);
void ma_open_casting(lua_State *L); /* copyto */
void ma_open_reduce(lua_State *L);
void ma_open_fuse(lua_State *L);      /* after ufuncs and reductions, whose operators traced values share */
void ma_open_reduction(lua_State *L); /* ReductionKernel */
void ma_open_index(lua_State *L);
void ma_open_device(lua_State *L);
void ma_open_pool(lua_State *L);    /* MemoryPool, set_allocator, pinned memory */
void ma_open_watch(lua_State *L);   /* what memory hooks are made of */
void ma_open_scope(lua_State *L);   /* keep, and what scope and iterate are made of */
void ma_open_graph(lua_State *L);   /* cuda.graph */
void ma_open_runtime(lua_State *L); /* cuda.runtime */
void ma_open_async(lua_State *L);   /* get_async, set_async */
void ma_open_stream(lua_State *L);  /* Stream; opens the two that follow */
void ma_open_event(lua_State *L);
void ma_open_hostfunc(lua_State *L);
void ma_open_elementwise(lua_State *L); /* ElementwiseKernel */
void ma_open_fusion(lua_State *L);      /* eval, set_fusion */
void ma_open_fft(lua_State *L);
void ma_open_sort(lua_State *L);      /* what lua/moonarray/functions/sort.lua is over */
void ma_open_random(lua_State *L);    /* what ma.random is made of */
void ma_open_libraries(lua_State *L); /* core.libraries, for show_config */
void ma_open_linalg(lua_State *L);    /* core.linalg_...: lua/moonarray/linalg is over them */
void ma_open_product(lua_State *L);   /* matmul */
void ma_open_ticket(lua_State *L);    /* export, import */
void ma_open_profile(lua_State *L);   /* NVTX, the profilers' ranges, terminals */
void ma_open_probe(lua_State *L);     /* what specs and benchmarks ask of the core */
void ma_open_memory(lua_State *L);    /* frombuffer, data; opens files too */
void ma_open_pointer(lua_State *L);   /* ptr, cuda.from_pointer */
void ma_open_dlpack(lua_State *L);    /* to_dlpack, from_dlpack */
void ma_open_gl(lua_State *L);        /* cuda.gl */
void ma_open_api(lua_State *L);       /* what include/moonarray.h gives to C programs */
void ma_open_rawkernel(lua_State *L); /* RawKernel, RawModule */
void ma_open_files(lua_State *L);     /* load, save, loadtxt, fromfile ... */

#pragma GCC visibility pop
#endif
