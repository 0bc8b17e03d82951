/*
** bind.h: the declarations that the files of src/bind share. Only this folder sees a lua_State.
**
** Every function that Lua can call is a C closure with two upvalues: (1) the ma_lua of its Lua state, (2) its
** ma_signature. A call has positional arguments in NumPy's order, and then may have a last table whose keys are all
** strings, the options. Both forms are in the same stack slots when the function begins: nargs slots (nil: absent),
** then further arguments. So no function handles options itself.
**
** The core returns a status; only this folder raises errors. Arguments are checked before anything is acquired. A
** resource that must survive an error belongs to a userdata whose __gc is already set: ma_lua_newarray makes an empty
** array, and then the core fills it.
**
** Files (the .h of a .c is not listed; scripts/maps.lua compares the list with the folder). A room calls itself and
** those before it in this list, which scripts/floors.lua holds:
** lua/       tag.c value.c            what a Lua value is; elements as Lua values
**            error.c unknown.c own.c  messages; names that are not there; the library's own Lua files
**            state.c collect.c        what is kept for a Lua state; its collector and the memory of arrays
**            signature.c register.c later.c   functions: what they take, where they are stored, when they are made
**            args.c object.c          arguments; metatables of objects
**            noted.c outside.c held.c   calls on a timeline; whether what functions take from outside was replaced;
**                                     objects of the Lua layer that hold arrays
**            probe.c time.c           for specs and benchmarks; the clock
** array/     life.c new.c operand.c   the userdata of an array; new ones; arguments that become arrays
**            table.c elements.c       nested tables as arrays, and arrays as nested tables
**            array.c complex.c dtype.c    attributes of the array, the complex scalar, dtypes
**            create.c sequence.c join.c copies.c   functions that make arrays
**            shape.c layout.c index.c index_text.c take.c position.c   views; indices, picks, positions
**            scope.c ticket.c foreign.c   scopes; arrays for other Lua states and over foreign memory
** device/    device.c runtime.c libraries.c   devices, ma.cuda.runtime, libraries
**            stream.c event.c graph.c frame.c hostfunc.c async.c   streams, events, graphs, frames, functions, copies
**            pool.c watch.c memory.c pointer.c dlpack.c   pools, their log, foreign memory, DLPack
**            gl.c external.c texture.c profile.c   OpenGL, Vulkan and Direct3D, textures, measuring
**            again.c                  calls that are made again on the CPU, since a GPU lacks a kernel
** ops/       ufunc.c casting.c        operations, operators; the rules for casts
**            reduce.c fold.c sort.c filter.c random.c fft.c   operations of these names
**            product.c linalg.c spatial.c signal.c interpolate.c sparse.c numbers.c   likewise, and of numbers alone
**            factors.c csgraph.c      factors of sparse matrices; searches of graphs
**            distributed.c partial.c   several processes; their parts of a reduction
**            morphology.c deferral.c   morphology, labels and distances of images; control of deferred operators
** kernel/    elementwise.c reduction.c options.c   ElementwiseKernel, ReductionKernel, their options
**            rawkernel.c rawfields.c launch.c   RawKernel, RawModule: objects, attributes, arguments
**            prepare.c       calls that only have compiled what they need
**            fuse.c traced.c fuse_plain.c ma.fuse, the values that it records, functions that it cannot record
**            stencil.c stencil_trace.c record.c   stencils, their recorded functions; calls that are differentiated
**            rule.c          what is said of functions that take what stands in for elements for elements
**            fuse_trace.c fuse_entry.c captures.c   how a fused function is recorded; its recordings; what it takes
**                            from outside, which each call looks at
**            draws.c         random numbers in such functions, which each run draws
**            operation.c structs.c   operations of such functions as functions in C++; arrays of structs for them
**            kernel.h        what these share
** grad/      tape.c, place.c the records of calls that are differentiated, and places of arrays in their buffers
** files/     files.c npy.c bytes.c loadtxt.c savetxt.c images.c parts.c bundle.c   files and strings of these kinds
** ./         module.c parts.def api.c   opening the library, its parts; the interface for C programs
*/
#ifndef MOONARRAY_BIND_H
#define MOONARRAY_BIND_H

#include "ops/ops.h"
#include "run/pending.h"

#include <lua.h>
#include <lauxlib.h>

#if LUA_VERSION_NUM != 501
#error "moonarray needs the headers of LuaJIT or Lua 5.1; name their folder: make LUA_INCDIR=/usr/include/luajit-2.1"
#endif

#pragma GCC visibility push(hidden)

#define MA_LUA_TCDATA 10 /* what lua_type() of LuaJIT returns for FFI objects; no header has it */

/* A signature such as "sum(a, axis?, dtype?, out?, keepdims?)": required names first, then optional ones, which can
** also be given as options. Names after a lone `;` can be given only as options: "zeros(shape, dtype?; device?)".
** "..." takes any further arguments. "linalg.svd(a)" goes into the subtable linalg; "core.parse(text)" is for the
** Lua layer only; ":sort(a)" is a method and not a function. A plain name whose first required argument is called
** `a` is both a function and a method of arrays. */
#define MA_MAX_ARGS 32 /* enough for a kernel's parameters together with its options */
typedef struct ma_signature {
  const char *name;   /* "sum", "linalg.svd": errors say moonarray.<name> */
  const char *text;   /* "sum(a, axis?)" */
  lua_CFunction call; /* what runs when the arguments are in their slots; NULL: what the closure itself arranges */
  uint8_t nrequired, npositional, nargs;
  int8_t dtype;                 /* slot of the argument `dtype`, or -1 */
  uint32_t flags;               /* slots whose names stand for a boolean */
  bool loose;                   /* accepts any number of arguments after nargs */
  bool method;                  /* the closure is a method: the first argument must be an array */
  bool hidden;                  /* core.name, for the Lua layer */
  bool apart;                   /* :name, a method beside which a function may have the plain name */
  bool layered;                 /* the Lua layer has its code: errors inside carry its name */
  const char *arg[MA_MAX_ARGS]; /* nargs names; strings interned in the Lua state, so names are compared by address */
} ma_signature;

typedef struct ma_function {
  const char *signature;
  lua_CFunction call;
  const char *doc;
} ma_function;

/* Functions of the Lua layer that it installs by core.set_hook(name, fn). */
typedef enum ma_hook {
  MA_HOOK_TOSTRING,   /* "tostring": fn(array) -> string */
  MA_HOOK_INT64,      /* "int64": fn(cdata) -> 1 int64, 2 uint64, 3 complex, 4 + the dtype of an element, else nil */
  MA_HOOK_PUSH_INT64, /* "push_int64": fn(high, low, unsigned) -> cdata, from two 32-bit halves */
  MA_HOOK_POINTER,    /* "pointer": fn(address, dtype, readonly, array) -> typed cdata that keeps the array */
  MA_HOOK_FLAT,       /* "flat": fn(array) -> its elements as one axis that may be written */
  /* "address": fn(object) -> address, bytes or nil, dtype or nil, readonly; returns nothing for an object without
  ** memory */
  MA_HOOK_ADDRESS,
  /* "hold": fn(userdata) -> a function that lets go of what now keeps the userdata's memory although its user frees
  ** it by hand, or nil for one whose memory only the collector frees */
  MA_HOOK_HOLD,
  MA_HOOK_LATER,   /* "later": fn(name) loads the part of the library that has a method of that name, if one has */
  MA_HOOK_UNKNOWN, /* "unknown": fn(place, name, nearest) -> what to write in place of an unknown name, or nil */
  /* "record": fn(dtype as a .npy header writes it) -> bytes of an element, or nil and why there is no counterpart;
  ** fn(dtype, bytes, shape, is_fortran, device, struct?) -> what the elements are, or nil and what is wrong */
  MA_HOOK_RECORD,
  /* "push_element": fn(dtype's number, its name, high and low half of an integer, or real and imaginary part) -> an
  ** element of code that runs in its plain form (lua/moonarray/plain) */
  MA_HOOK_PUSH_ELEMENT,
  MA_HOOK_WAITED, /* "waited": fn() shows what kernels printed (lua/moonarray/prints) */
  MA_NHOOK
} ma_hook;

/* The data of one Lua state, a userdata in the registry: the current device and streams, and references to frequent
** values. */
#define MA_RECENT_TEXTS 64 /* powers of 2 */
#define MA_MADE_LAST 8
#define MA_KNOWN_BUCKETS 512
#define MA_WAITING_BUCKETS 256
typedef struct ma_lua {
  ma_device *device; /* the current device; NULL until the first use: `require` never opens CUDA */
  /* The current stream of the CPU, then of each GPU; NULL: the null stream. stream.c keeps their objects. */
  ma_stream *streams[1 + MA_MAX_GPUS];
  int nhost_functions; /* hostfunc.c: number of functions that wait for their stream */
  bool runs_host_functions;
  /* By the GPU's id: the stream that last used positions in arrays, which may turn out to be out of range. */
  ma_stream *picked[MA_MAX_GPUS];
  uint32_t owner;       /* the number of this state in the faults of its work (owner.h) */
  ma_deferral deferral; /* the deferred operators of this state */
  ma_dtype default_dtype;
  const char *dtype_names[MA_NDTYPE]; /* strings interned in the Lua state, so names are compared by address */
  int dtype_strings[MA_NDTYPE], device_strings[1 + MA_MAX_GPUS]; /* references to the names, which are read often */
  /* registry references */
  int array_metatable, complex_metatable, ufunc_metatable, traced_metatable;
  int methods;       /* methods of arrays by name; a number stands for a property in array.c */
  int used_methods;  /* those that a program has used, for lua/moonarray/attribute.lua */
  int library, core; /* the tables ma and core */
  int functions;     /* core.functions; LUA_NOREF until somebody asks for it */
  int signatures;    /* keeps alive the strings that signatures point to, and the memory of `kept` */
  struct {
    char *at;
    size_t left;
  } kept; /* signature.c: memory that lives as long as the state */
  struct ma_lua_known *known[MA_KNOWN_BUCKETS];
  struct ma_lua_doc *documents[MA_KNOWN_BUCKETS];
  struct ma_lua_waiting *waiting[MA_WAITING_BUCKETS]; /* later.c: functions that nobody asked for yet */
  bool keeps_names;   /* while they are made: what is stored under a name and its docstring stay */
  int shapes;         /* metatable of a.shape */
  int casts;          /* ma.float32 -> its dtype, so that the function can be given as a dtype */
  int hook[MA_NHOOK]; /* LUA_NOREF if not installed */
  /* Slots that the last ma_lua_arrange filled; other slots are nil. Read it at once: finalisers make calls too. */
  uint32_t given;
  const ma_signature *running; /* for errors of closures without a signature of their own (ufuncs) */
  int texts, ntexts;           /* index_text.c: table of parsed indices by text; 0: none yet */
  /* Recent entries of that table and recent attributes of arrays, by address. */
  struct ma_recent_text {
    const char *text;
    const struct ma_index *index; /* NULL: an attribute */
    int attribute;                /* its place in the table of array.c */
  } recent_texts[MA_RECENT_TEXTS];
  const struct ma_lua_standin *standin;
  int (*door)(lua_State *L); /* device/again.c: see MA_LUA_DOOR */
  bool enters;               /* the closure that begins next runs at once */
  bool passes;               /* likewise, but for a GPU without kernels: it is recorded already */
  struct tracing *tracing;   /* the function that ma.fuse is recording; NULL: none */
  uint32_t ntraced;          /* number of traces so far, which numbers the next one */
  int records;               /* registry reference of the handlers of kernel/record.c; 0: none */
  ma_dtype rule_dtype;       /* while code for one element runs: of its first field; MA_NDTYPE: none */
  struct {
    int64_t low, at, by, seen, left, capacity, host;
    int64_t cache;             /* bytes of a cache that garbage may fill */
    int64_t took, took_last;   /* us of the last collection, and the lesser of the last two in took */
  } collect;                   /* limits of live bytes for the collector; collect.c */
  struct ma_lua_object *spare; /* life.c: free objects without a userdata, and the slabs that they are cut from */
  struct ma_lua_object *made_last[MA_MADE_LAST];
  unsigned nmade, nfetched;
  struct ma_lua_object *fetched[2]; /* objects that the two preceding finalisers fetched into the cache */
  struct ma_lua_slab *slabs;
  int64_t users;           /* users of the slabs: this state while it is open, and its arrays */
  struct ma_scope *scopes; /* open scopes of all coroutines; NULL: arrays need not look for a scope */
  struct ma_scope *scope;  /* innermost scope of the coroutine scope_thread, for scope.c only */
  const lua_State *scope_thread;
  char own_prefix[256]; /* chunk names with this prefix belong to the library; the position of an error skips them */
} ma_lua;

/* The first line of a closure that works on arrays. While a function is differentiated, a call over its arrays is
** recorded. In a process without NVRTC, a call for which a kernel of the GPU is lacking is made again on the CPU. */
#define MA_LUA_DOOR(L)                                                       \
  do {                                                                       \
    if (__builtin_expect(__atomic_load_n(&ma_doors, __ATOMIC_RELAXED), 0)) { \
      int nresult_ = ma_lua_state(L)->door(L);                               \
      if (nresult_ >= 0) return nresult_;                                    \
    }                                                                        \
  } while (0)
int ma_lua_door(lua_State *L); /* -1: the closure is to run */

/* state.c */
/* The data of the state that the running C closure belongs to. */
static inline ma_lua *ma_lua_state(lua_State *L) { return lua_touserdata(L, lua_upvalueindex(1)); }
/* Calls core.name, a function of the Lua layer, with the n values on top in its place. */
void ma_lua_callcore(lua_State *L, const char *name, int n, int nresult);
ma_device *ma_lua_device(lua_State *L);              /* the current device; the first use opens the default one */
void ma_lua_pushdtype(lua_State *L, ma_dtype dtype); /* pushes its name */
void ma_lua_pushdevice(lua_State *L, const ma_device *device); /* pushes its name */
ma_stream *ma_lua_stream(lua_State *L);                        /* the current stream of the current device */
/* The place of a device in state->streams. */
static inline int ma_lua_streamslot(const ma_device *device) { return ma_is_host(device) ? 0 : 1 + device->id; }
/* The current stream of `device`, for work on its arrays. */
static inline ma_stream *ma_lua_stream_in(const ma_lua *state, ma_device *device) {
  ma_stream *stream = state->streams[ma_lua_streamslot(device)];
  return stream ? stream : ma_device_null_stream(device);
}
static inline ma_stream *ma_lua_stream_of(lua_State *L, ma_device *device) {
  return ma_lua_stream_in(ma_lua_state(L), device);
}
/* The same for work on an array. */
static inline ma_stream *ma_lua_streamfor(lua_State *L, const ma_array *array) {
  return ma_lua_stream_of(L, ma_array_device(array));
}
/* for stream.c, which keeps the stream's object */
void ma_lua_setstream(lua_State *L, ma_device *device, ma_stream *stream);
void ma_lua_use(lua_State *L, ma_device *device); /* makes the device current, with its last current stream */
/* Defines the functions of a list that ends with {NULL}. Those with a plain name wait until somebody asks for them. */
void ma_lua_register(lua_State *L, const ma_function *list);
/* The same for functions that find the stack as the caller left it: to arrange the arguments takes longer than many of
** them, or they have their own way to do it. */
void ma_lua_registerplain(lua_State *L, const ma_function *list);
/* Makes a closure with the upvalues (state, signature, the nup values on top). Stores it under its name, as a method
** if it is one, and in core.functions. Pops the nup values and pushes the closure. */
void ma_lua_define(lua_State *L, const char *signature, const char *doc, lua_CFunction call, int nup);
/* later.c: make(L, of) defines the function `name`, of n bytes, when somebody asks for it. Nothing is copied. */
typedef void (*ma_lua_maker)(lua_State *L, const void *of);
void ma_lua_postpone(lua_State *L, const char *name, size_t n, ma_lua_maker make, const void *of);
bool ma_lua_summon(lua_State *L, const char *name); /* makes what waits under the name; false: nothing did */
void ma_lua_summonall(lua_State *L);
/* signature.c: memory that lives as long as the state */
void *ma_lua_keepmemory(lua_State *L, size_t size);
int ma_lua_pushdocuments(lua_State *L); /* core.functions, of all functions; returns 1 */
/* The steps of ma_lua_define. */
/* signature.c: makes one signature for each text; it lives as long as the state. */
ma_signature *ma_lua_newsignature(lua_State *L, const char *text, bool method, lua_CFunction call);
void ma_lua_setlayered(lua_State *L, const char *text); /* marks the signatures of a text as layered */
void ma_lua_pushclosure(lua_State *L, const char *text, bool method, lua_CFunction call, int nup);
void ma_lua_pushplain(lua_State *L, const char *text, bool method, lua_CFunction call, int nup); /* as registerplain */
void ma_lua_file(lua_State *L, const char *name); /* pops a value and stores it: ma.name, ma.sub.name, core.name */
/* core.strict(table, name): makes the table, a part of the library of this name, raise an error for unknown names;
** returns it. */
int ma_lua_strict(lua_State *L);
void ma_lua_addmethod(lua_State *L, const char *name); /* pops a value and stores it as the method `name` of arrays */
/* Adds an entry to core.functions: "linalg.svd", or ":sort" for a method, since a function may have the plain name. */
void ma_lua_document(lua_State *L, const char *name, const ma_signature *signature, const char *doc);
void ma_lua_documentalias(lua_State *L, const char *name, const char *of);
/* Pushes the state's userdata, which the first call makes; `close` is called when the Lua state closes. */
ma_lua *ma_lua_open(lua_State *L, lua_CFunction close);
bool ma_lua_pushhook(lua_State *L, ma_hook hook); /* if the hook is not installed, returns false and pushes nothing */
#define MA_ARRAY_BYTES 1024 /* what a small array takes beside its elements: object, headers, the rest of a block */
/* The results of open programs count as live: dead ones would run with the rest. */
static inline int64_t ma_lua_livebytes(const ma_lua *state) {
  return ma_buffer_live_bytes() + state->deferral.bytes + state->users * MA_ARRAY_BYTES;
}
/* Whether the live bytes are outside the range in which the collector needs no help. */
static inline bool ma_lua_accountable(const ma_lua *state, int64_t live) {
  return (uint64_t)(live - state->collect.low) >= (uint64_t)(state->collect.at - state->collect.low);
}
/* Runs the collector if live bytes crossed the threshold, but never if the user stopped it. Call it only where every
** array in use is on the stack. */
void ma_lua_account(lua_State *L);
/* The same before a large array on the CPU is made while a GPU is current, because then the GPU's memory sets the
** pace. */
void ma_lua_accounthost(lua_State *L, int64_t nbytes);
/* On a GPU, starts Lua's next collection early while the heap is small. An array with a pending program counts about
** 60 bytes for Lua's collector, but takes about a thousand. Without this, dead arrays would have left the caches
** before the collector reaches them. Called once for a number of pending programs. */
void ma_lua_hasten(lua_State *L);
void ma_lua_collectall(lua_State *L); /* also where the program has stopped the collector */
int ma_lua_collectstep(lua_State *L); /* core.collect_step */
/* In the registry: the function of memory hooks that ma_lua_account calls while there is a watch. */
#define MA_DISPATCH_KEY "moonarray.pool.dispatch"
void ma_lua_startcollecting(ma_lua *state); /* sets the first limits */
/* Runs the open deferred operators of this state. Called where the order of work becomes visible; `why` is for the
** trace. */
void ma_lua_flush(lua_State *L, const char *why);
/* Whether to try again after `status` out of memory: once after a full collection and a trim of the pools, and under
** LuaJIT's compiler once more after its traces were flushed. `int tries = 0; do status = f(); while (ma_lua_retry(L,
** status, &tries));` */
bool ma_lua_retry(lua_State *L, ma_status status, int *tries);
/* Calls again after a collection if memory ran out, so `call` may run twice and must not push. Then does `last` with
** the last status. */
#define MA_LUA_RETRIED(L, call, last)                                                   \
  do {                                                                                  \
    int tries_ = 0;                                                                     \
    ma_status status_;                                                                  \
    do status_ = (call);                                                                \
    while (__builtin_expect(status_ != MA_OK, 0) && ma_lua_retry(L, status_, &tries_)); \
    last;                                                                               \
  } while (0)
/* Raises the last error with the name of the running function, or with the one that is its first argument. */
#define MA_LUA_TRY(L, call) MA_LUA_RETRIED(L, call, ma_lua_check(L, status_))
#define MA_LUA_TRYAS(L, call) \
  MA_LUA_RETRIED(L, call, if (status_ != MA_OK) ma_lua_failas(L, lua_tostring(L, 1), ma_message()))

/* object.c: classes of objects. An object is a userdata that begins with the magic of its class. */
typedef struct ma_method {
  const char *signature; /* ":use(stream?)" */
  lua_CFunction call;
} ma_method;
typedef struct ma_attribute {
  const char *name;
  void (*push)(lua_State *L, void *object, size_t place); /* pushes the value; the object is in slot 1 */
  size_t place;
} ma_attribute;
typedef struct ma_class {
  const char *name, *word, *title; /* "RawKernel" and "kernel" in errors; "moonarray.RawKernel": what a value is */
  uint64_t magic;
  size_t size;
  const ma_method *methods; /* both lists end with {NULL}, or are NULL */
  const ma_attribute *attributes;
  bool has_fields;                           /* the environment's fields are attributes too */
  void (*check)(lua_State *L, void *object); /* raises an error where an object cannot be used; may be NULL, as may: */
  void (*text)(lua_State *L, void *object);
  void (*release)(void *object);       /* lets go of what it holds; the collector calls it too */
  lua_CFunction call, write;           /* __call, whose upvalue 3 it may use if it has no signature; __newindex */
  const char *call_signature, *member; /* the second: what a name of an object is in errors; NULL: an attribute */
  bool prepares;                       /* it has the method :prepare(...), which takes what a call takes */
} ma_class;
/* Values of attributes that are at `place` in the object: a device's name, an int, a bool. */
void ma_push_device(lua_State *L, void *object, size_t place);
void ma_push_int(lua_State *L, void *object, size_t place);
void ma_push_flag(lua_State *L, void *object, size_t place);
void ma_push_kept(lua_State *L, void *object, size_t place);          /* element `place` of the object's environment */
void *ma_lua_toclass(lua_State *L, int index, const ma_class *class); /* NULL: the value is no object of the class */
void *ma_lua_self(lua_State *L, const ma_class *class);               /* slot 1 of a method */
void *ma_lua_newobject(lua_State *L, const ma_class *class);          /* pushes an object that is 0 but for its magic */
void ma_lua_pushmetatable(lua_State *L, const ma_class *class);
void ma_lua_filemethods(lua_State *L, const ma_class *class, const char *name); /* for the Lua layer to add to them */

/* tag.c: what a value is, told by the tag of its userdata or by its metatable */
ma_array *ma_lua_toarray(lua_State *L, int index); /* NULL if it is not an array; a freed array is not NULL */
const char *ma_lua_freedby(const ma_array *array); /* NULL: unknown */
bool ma_lua_isshape(lua_State *L, int index);      /* a.shape */
bool ma_lua_ismodule(lua_State *L, int index);     /* a table of functions of the library */
bool ma_lua_tocomplex(lua_State *L, int index, ma_c128 *value);
void ma_lua_pushcomplex(lua_State *L, double re, double im);
/* The userdata at `index` if its metatable is the one that the registry has as `metatable`, else NULL. */
void *ma_lua_toobject(lua_State *L, int index, const char *metatable);
bool ma_lua_sharesfiles(lua_State *L); /* whether this module and Lua have the same C library */

void ma_lua_leaveplace(const ma_lua *state); /* files/bundle.c: the state is closed */

/* own.c */
bool ma_lua_isown(const ma_lua *state, const char *source); /* whether a chunk is of the library */
/* core.own(): declares that the caller's folder has the library's Lua code. */
int ma_lua_own(lua_State *L);

/* error.c: messages read "user.lua:12: moonarray.sum: what was found; what was wanted" */
/* Functions that raise never return; their result type allows `return ma_lua_fail(...)`. */
#define MA_RAISES MA_COLD __attribute__((noreturn))
MA_RAISES int ma_lua_fail(lua_State *L, const char *format, ...) MA_PRINTF(2, 3);
/* The same under another function's name; NULL: the running function. */
MA_RAISES int ma_lua_failas(lua_State *L, const char *name, const char *text);
static inline void ma_lua_check(lua_State *L, ma_status status) { /* raises the core's message unless MA_OK */
  if (__builtin_expect(status != MA_OK, 0)) ma_lua_failas(L, NULL, ma_message());
}
void ma_lua_checkfault(lua_State *L, ma_stream *stream); /* raises a recorded fault; call it after a wait */
void ma_lua_wait(lua_State *L, ma_stream *stream);       /* synchronises the stream and raises a recorded fault */
const char *ma_lua_running(lua_State *L);                /* the function that errors name */
void ma_lua_where(lua_State *L);                         /* pushes "user.lua:12: ", or "" */
/* Finds the innermost frame that is neither C nor the library's, with source and line. Lua counts frames from the top
** each time, so a call that is no error looks at MA_NEAR_FRAMES alone: `return ma.scope(f)` leaves no frame of the
** user's, and thousands of the library's where f calls itself so. */
#define MA_NEAR_FRAMES 32
bool ma_lua_userframe(lua_State *L, lua_Debug *frame, int most);
bool ma_lua_ownframe(lua_State *L, int level);          /* whether the frame at a level is of the library's Lua code */
bool ma_lua_isprograms(lua_State *L, const char *name); /* whether the program, not the library, called ma.name */
const char *ma_lua_describe(lua_State *L, int index);   /* "a boolean", "float32 array (3, 4)", "the string 'abc'" */
const char *ma_lua_argname(lua_State *L, int index);    /* name of a slot in the running signature: "axis" */
void ma_lua_room(lua_State *L, int n);                  /* reserves stack for n more values; raises if there is none */
bool ma_lua_iscallable(lua_State *L, int index); /* a function, or a value with __call such as a kernel or a graph */
/* The key of the table at `index` with the spelling nearest to `name`, or NULL. */
const char *ma_lua_nearest(lua_State *L, int index, const char *name);
/* Raises "moonarray.<place>: no <what> 'nme'; did you mean 'name'?". The keys of the table at `index` are the names
** that there are. */
MA_RAISES int ma_lua_unknown(lua_State *L, const char *place, const char *what, const char *name, int index);
int ma_lua_unknownkey(lua_State *L);
int ma_lua_nearestname(lua_State *L); /* core.nearest */
/* Pushes the method of arrays whose name is at stack index 2, from a part of the library that is not loaded yet; false
** and nothing if there is none. */
bool ma_lua_latermethod(lua_State *L);
void ma_lua_setrecord(lua_State *L, const char *place); /* makes the table on top raise errors for unknown fields */
int ma_lua_pushnames(lua_State *L, int from);           /* a table of the names in another, to which more are added */
void ma_lua_addname(lua_State *L, int names, const char *name);
/* Makes the table on top, with this full name ("cuda.runtime"), raise errors for unknown names and for calls. */
void ma_lua_setmodule(lua_State *L, const char *name, size_t n);
void ma_lua_refusecolon(lua_State *L, const ma_signature *signature); /* ma:zeros(3) */

/* args.c */
/* Makes the stack exactly nargs slots (nil: absent), followed by further arguments. Returns nargs. */
int ma_lua_arrange(lua_State *L, const ma_signature *signature);
void ma_lua_arrangehere(lua_State *L); /* by the signature of the closure that runs, for one that is plain */
ma_array *ma_lua_checkarray(lua_State *L, int index); /* raises; the message for a freed array says who freed it */
ma_array *ma_lua_optarray(lua_State *L, int index);   /* nil: NULL */
/* Raises an error if two arrays are on devices that do not reach each other; it says how to move one. */
void ma_lua_checkmeet(lua_State *L, const ma_array *a, const ma_array *b);
/* Raises an error, in the name of the function that argument 1 names, if two arrays are on two devices. */
void ma_lua_checksame(lua_State *L, const ma_array *a, const ma_array *b);
ma_array *ma_lua_checkbeside(lua_State *L, int index, const ma_array *first); /* an array that meets the first one */
int64_t ma_lua_checkint(lua_State *L, int index, const char *what);           /* a whole number */
double ma_lua_checknumber(lua_State *L, int index, const char *what);
int ma_lua_checkshape(lua_State *L, int index, int64_t *shape); /* a number or a table of numbers; returns ndim */
uint32_t ma_lua_checkaxes(lua_State *L, int index, int ndim); /* nil: all axes; a number; a table; returns a bit mask */
int ma_lua_checkaxis(lua_State *L, int index, int ndim);      /* one axis, 0-based */
ma_dtype ma_lua_checkdtype(lua_State *L, int index, ma_dtype fallback); /* nil: fallback */
bool ma_lua_optbool(lua_State *L, int index, bool fallback);
void ma_lua_checkflags(lua_State *L, const ma_signature *signature); /* the arguments whose names stand for booleans */
ma_device *ma_lua_optdevice(lua_State *L, int index);                /* nil: the current device */
ma_stream *ma_lua_optstream(lua_State *L, int index);                /* nil: the current stream */
/* The same for arrays of `device`: nil is its current stream; a stream of another device is an error. */
ma_stream *ma_lua_optstream_of(lua_State *L, int index, ma_device *device);
ma_stream *ma_lua_checkstream(lua_State *L); /* of a method: slot 1 */

/* device.c */
void ma_lua_waitdevice(lua_State *L, ma_device *device); /* waits for all streams of the device */

/* runtime.c */
/* A GPU by its id. nil: the current GPU, else the first, else the CPU. */
ma_device *ma_lua_checkgpu(lua_State *L, int index);
/* false if there is no attribute of that name */
bool ma_lua_deviceattribute(ma_device *device, const char *wanted, int64_t *value);
void ma_lua_pushattributes(lua_State *L, ma_device *device); /* pushes a table of all attributes by name */

/* stream.c */
void ma_lua_pushstream(lua_State *L, ma_stream *stream); /* pushes its object; a stream has one in each Lua state */
/* makes the stream current on its device, and the device current */
void ma_lua_usestream(lua_State *L, ma_stream *stream);

/* event.c: methods of streams */
int ma_lua_stream_record(lua_State *L);
int ma_lua_stream_wait_event(lua_State *L);
/* hostfunc.c: functions of the host that a stream's work calls. Whoever waits for the stream in this Lua state runs
** them. */
int ma_lua_launch_host_func(lua_State *L);            /* a method of streams */
void ma_lua_poll(lua_State *L);                       /* runs the functions that are due; raises their first error */
void ma_lua_waitfor(lua_State *L, ma_stream *stream); /* as ma_lua_wait; also runs the host functions that are due */

/* life.c */
ma_array *ma_lua_newarray(lua_State *L); /* pushes the userdata of an empty array: buffer NULL, metatable set */
ma_array *ma_lua_newarray_in(lua_State *L, ma_lua *state); /* the same for a caller that has the state */
/* The same, but no scope frees the array: for an array that belongs to an object. */
ma_array *ma_lua_newkept(lua_State *L);
/* scope.c: takes the arrays in slots first .. last out of their scopes, including those in tables, because an object
** keeps them. */
void ma_lua_keep(lua_State *L, int first, int last);
/* Frees the array of a userdata. Later uses raise "a freed array (freed <by>)". */
void ma_lua_freearray(ma_array *array, const char *by);

/* foreign.c: releases the owners of foreign memory whose arrays are gone. Every array's finaliser calls it. Raises
** nothing. */
void ma_lua_sweep(lua_State *L);
bool ma_lua_borrowed(const ma_buffer *buffer); /* a Lua state keeps the memory alive and frees it when it closes */

/* held.c: objects of the Lua layer, userdata with a table each (core.hold) */
bool ma_lua_pushheld(lua_State *L, int index); /* pushes its table; false and nothing if it is another value */
/* Whether the dtype in the slot is a struct (lua/moonarray/struct). Then pushes what the running function, of `nargs`
** arguments, gives for it: an array of structs. */
bool ma_lua_makestructs(lua_State *L, int dtype, int nargs);
/* The bytes of what is at `index`, in its place, if it is an array of structs: an array; if it is one struct of
** LuaJIT's: a string. False: it is neither. */
bool ma_lua_tostructs(lua_State *L, int index);

/* value.c */
void ma_lua_pushvalue(lua_State *L, ma_value value, ma_dtype dtype); /* pushes one element as a Lua value */
/* Pushes it as an element of code in its plain form, which keeps its dtype; a bool is a Lua boolean. */
void ma_lua_pushelement(lua_State *L, ma_value value, ma_dtype dtype);
bool ma_lua_iselement(lua_State *L, int index); /* whether the value at `index` is such an element */
/* Reads a Lua value as a scalar. */
bool ma_lua_tovalue(lua_State *L, int index, ma_value *value, ma_dtype *dtype, ma_weak *weak);
/* Whether the values in slots first .. last are Lua values that calls with numbers alone take, or nil, and one is not
** nil. */
bool ma_lua_arenumbers(lua_State *L, int first, int last);
/* Is an integer among those that a double holds? */
bool ma_lua_isexact(uint64_t bits, bool is_unsigned);
/* LuaJIT prints a NaN with a sign bit as "-nan". */
static inline void ma_lua_pushfloat(lua_State *L, double value) {
  lua_pushnumber(L, value == value ? value : __builtin_nan(""));
}

/* new.c */
/* Pushes a new array. If memory runs out, it collects and tries again. */
ma_array *ma_lua_pushnew(lua_State *L, ma_device *device, ma_dtype dtype, int ndim, const int64_t *shape);
/* Pushes n results: the arrays that the slot `out` names, where it is not nil, or new ones. */
void ma_lua_pushresults(lua_State *L, int out, int n, ma_array **result);
/* Replaces the CPU array on top of the stack by a copy on `device`, unless that is the CPU. */
ma_array *ma_lua_moveto(lua_State *L, ma_device *device);
/* Pushes a contiguous copy on the same device. */
ma_array *ma_lua_pushcopy(lua_State *L, const ma_array *from, ma_dtype dtype);
/* Pushes a copy on another device. */
void ma_lua_pushon(lua_State *L, const ma_array *from, ma_device *device);

/* operand.c */
/* An operand: array, number, int64 cdata, complex scalar, or a table, which becomes an array in its slot. A boolean
** is refused. The _on form says on which device a table or a number goes; the other form uses the current device. */
void ma_lua_checkarg(lua_State *L, int index, ma_arg *arg);
void ma_lua_checkarg_on(lua_State *L, int index, ma_arg *arg, ma_device *device);
/* An argument as data: as checkarg, with booleans too, and always as an array, which replaces the value in the slot.
** An array stays on its device, and is returned itself if it has the dtype. MA_NDTYPE: the value's own dtype. */
ma_array *ma_lua_asarray(lua_State *L, int index, ma_dtype dtype);
ma_array *ma_lua_asarray_on(lua_State *L, int index, ma_dtype dtype, ma_device *device);
/* The first n elements of the table at `list` as arrays on `device`, or if that is NULL, on the device of the first
** array among them. They are kept in a table, not on the stack, so n is not limited. Pushes that table and the
** memory of the list. In join.c. */
ma_array **ma_lua_pushlist(lua_State *L, int list, int n, ma_dtype dtype, ma_device *device);
ma_dtype ma_lua_datadtype(lua_State *L, int index); /* of a scalar as data: numbers take the default dtype */
int ma_lua_copyout(lua_State *L, int out); /* out[...] = the result on top, unless that slot is nil; returns 1 */
/* to[...] = the value at `index`, for `[...] =`, fill and assign: a scalar, an array on any device, or a table. */
void ma_lua_assign(lua_State *L, ma_array *to, int index);

/* elements.c */
/* Pushes the array, or a copy of it, on the CPU, and waits for its elements, which are at *memory. */
ma_array *ma_lua_pushonhost(lua_State *L, const ma_array *array, const void **memory);

/* table.c */
/* Pushes a new array with the elements of the nested table at `index`. MA_NDTYPE: the dtype follows from the
** elements. */
ma_array *ma_lua_fromtable(lua_State *L, int index, ma_dtype dtype, ma_device *device);
/* The same for a short list of numbers alone, as in {1, 2, 3}, and on the CPU, in one pass; NULL and nothing for any
** other table. */
ma_array *ma_lua_fromnumbers(lua_State *L, int index, ma_dtype dtype);

/* index.c: a[...], a[...] = v, a(i, j) and core.along. They are closures with two upvalues too; the stack is the
   metamethod's. */
int ma_lua_index(lua_State *L); /* __index for keys that are not a method or a property; stack: array, key */
int ma_lua_newindex(lua_State *L);
int ma_lua_call(lua_State *L);
int ma_lua_along(lua_State *L);
int ma_lua_ufunc_at(lua_State *L, ma_opcode op); /* op.at(a, index, b); stack: array, index, operand or nil */

/* reduce.c: add.reduce(a, axis?, dtype?, out?, keepdims?, initial?, where?) and add.accumulate(a, axis?, dtype?,
** out?). The arguments are arranged already. */
int ma_lua_ufunc_reduce(lua_State *L, ma_opcode op);
int ma_lua_ufunc_accumulate(lua_State *L, ma_opcode op);

typedef struct ma_lua_reduction {
  ma_reduce_op op;
  bool nan_as_0, nan_as_1, nan_left_out;
  bool answers; /* without axis, keepdims and out the result is a Lua boolean */
  uint8_t axis, dtype, out, keepdims, initial, where, ddof, correction; /* slots, or 0 */
} ma_lua_reduction;

/*
** Values that stand in for arrays and numbers while ma.fuse runs a function: all that the files below kernel/ ask of
** them. kernel/traced.c fills the table, and module.c hands it to the state. They are not arrays. A function that can
** be recorded looks for them first (only while state->tracing is set); in any other function the check of arguments
** raises an error.
*/
typedef struct ma_lua_standin {
  bool (*is)(lua_State *L, int index);
  /* Raises "moonarray.cumsum: cannot be part of a fused function; ...", where cumsum is what the user called. */
  int (*fail)(lua_State *L);
  void (*fail_draw)(lua_State *L); /* raises an error about random numbers if a function is being recorded */
  /* Records an operation if an operand, `where` or `out` is traced: pushes nout traced values and returns nout. Else
  ** returns 0. The operands are in slots first .. first + nin - 1. out, dtype, where, casting are slots, or 0. */
  int (*apply)(lua_State *L, const ma_opcode *op, int nout, int first, int out, int dtype, int where, int casting);
  int (*operate)(lua_State *L, ma_opcode op); /* operands in slots 1 and 2; numbers alone are computed as in Lua */
  /* Calls the function in slot 1, of core.elementwise, with the n arguments above it, if they are numbers of a
  ** recording and other numbers alone. Returns the number of results; -1: they are not. */
  int (*numbers)(lua_State *L, int n);
  int (*cast)(lua_State *L, ma_dtype dtype); /* operand in slot 1; MA_NDTYPE: keeps its dtype */
  int (*reduce)(lua_State *L, const ma_lua_reduction *reduction);
  /* Records the call of the running closure. Where the closure is to run, -1 in a function that is differentiated, and
  ** -2 in one that becomes a program. */
  int (*record)(lua_State *L);
} ma_lua_standin;
static inline bool ma_lua_istraced(lua_State *L, int index) { return ma_lua_state(L)->standin->is(L, index); }
static inline int ma_lua_failtraced(lua_State *L) { return ma_lua_state(L)->standin->fail(L); }

/* numbers.c: a call that is given Lua values alone (numbers, int64, booleans, complex scalars) gives Lua values. The
** CPU computes them at once, whichever device is current, and while a graph records too. */
/* If the operands, in slots first .. first + nin - 1, are numbers, pushes the nout results and returns nout; else 0. */
int ma_lua_applynumbers(lua_State *L, const ma_opcode *op, int nout, int first);
/* Calls the Lua function in slot 1 with the arguments above it. The first is passed as a CPU array, and arrays without
** axes among the results become numbers. Returns the number of results. */
int ma_lua_callwithnumbers(lua_State *L);

/* Each file adds its functions to the library, which is the table on top of the stack and stays there. */
#define PART(name) void ma_open_##name(lua_State *L);
#include "bind/parts.def"
#undef PART

#pragma GCC visibility pop
#endif
