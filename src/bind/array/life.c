/* life.c: the userdata of an array: how it is made, joins a scope, is freed and is collected. */
#include "memory/pool.h"
#include "bind/array/foreign.h"
#include "bind/array/life.h"
#include "tuning.h"

#include <stdlib.h>
#include <string.h>

/* The free objects, the last used one first. They are cut from slabs, which stay until the Lua state closes. The
** collector frees thousands of objects at once, and by then they have left the processor's caches. So an object that
** will be needed soon is fetched into the cache ahead of time. Taking an object fetches the next one. Finalisers run
** for the youngest object first; each fetches an older object, and the buffer of one in between. While an object is in
** no scope, its links point to these two. */
#define SLAB 64

#if defined(__SANITIZE_ADDRESS__) /* AddressSanitizer is told which objects are in use */
#include <sanitizer/asan_interface.h>
#define FORBID(object) ASAN_POISON_MEMORY_REGION(&(object)->array, sizeof(ma_array))
#define PERMIT(object) ASAN_UNPOISON_MEMORY_REGION(&(object)->array, sizeof(ma_array))
#else
#define FORBID(object) ((void)0)
#define PERMIT(object) ((void)0)
#endif

typedef struct ma_lua_slab {
  struct ma_lua_slab *next;
  ma_lua_object objects[] __attribute__((aligned(64)));
} ma_lua_slab;

/* Never written: no call turns a freed array into an array. */
static ma_lua_object finalised = { .array = { .magic = MA_ARRAY_MAGIC } };

static void give_object(ma_lua *state, ma_lua_object *object) {
  object->link.next = (ma_scope_link *)state->spare;
  state->spare = object;
  FORBID(object);
}

static void new_slab(lua_State *L, ma_lua *state) {
  size_t size = sizeof(ma_lua_slab) + SLAB * sizeof(ma_lua_object);
  ma_lua_slab *slab = aligned_alloc(64, size);
  if (!slab) ma_lua_fail(L, "out of memory: %d bytes for arrays", (int)size);
  slab->next = state->slabs;
  state->slabs = slab;
  for (int k = SLAB - 1; k >= 0; k--) give_object(state, &slab->objects[k]);
}

/* A macro, because gcc removes a call of a function that only prefetches. */
#define FETCH(address) __builtin_prefetch((const char *)(address), 1)

#define AHEAD MA_MADE_LAST

static inline void note_older(ma_lua *state, ma_lua_object *object) {
  unsigned n = state->nmade++;
  object->link.prev = (ma_scope_link *)state->made_last[n % AHEAD];
  object->link.next = (ma_scope_link *)state->made_last[(n + AHEAD / 2) % AHEAD];
  state->made_last[n % AHEAD] = object;
}

/* Finalisers may still make arrays after the finaliser of the state. */
void ma_lua_leaveslabs(ma_lua *state) {
  if (--state->users) return;
  for (ma_lua_slab *slab = state->slabs, *next; slab; slab = next) {
    next = slab->next;
    for (int k = 0; k < SLAB; k++) PERMIT(&slab->objects[k]);
    free(slab);
  }
  state->slabs = NULL;
  state->spare = NULL;
  memset(state->made_last, 0, sizeof state->made_last);
  memset(state->fetched, 0, sizeof state->fetched);
}

static ma_lua_object *take_object(lua_State *L, ma_lua *state) {
  if (__builtin_expect(!state->spare, 0)) new_slab(L, state);
  ma_lua_object *object = state->spare;
  state->spare = (ma_lua_object *)object->link.next;
  state->users++;
  if (state->spare) {
    FETCH(state->spare);
    FETCH(state->spare->array.shape);
    FETCH(state->spare->array.stride);
  }
  PERMIT(object);
  return object;
}

static inline ma_lua_object *new_object(lua_State *L, ma_lua *state) {
  if (__builtin_expect(ma_lua_accountable(state, ma_lua_livebytes(state)) ||
                         state->deferral.pinned > state->deferral.most || __atomic_load_n(&ma_nwatch, __ATOMIC_RELAXED),
                       0))
    ma_lua_account(L);
  if (__builtin_expect(state->deferral.made >= TUNE_PENDING_OFTEN, 0)) ma_lua_hasten(L);
  ma_deferral_current = &state->deferral;
  ma_lua_box *box = lua_newuserdata(L, sizeof *box);
  box->magic = MA_BOX_MAGIC;
  box->object = &finalised;
  ma_lua_object *object = take_object(L, state);
  object->link.scope = NULL;
  note_older(state, object);
  object->array.magic = MA_ARRAY_MAGIC;
  object->array.readonly = 0;
  object->array.is_view = 0;
  object->array.ndim = 0;
  object->array.buffer = NULL;
  box->object = object;
  lua_rawgeti(L, LUA_REGISTRYINDEX, state->array_metatable);
  lua_setmetatable(L, -2);
  return object;
}

/* The result for the coroutine that asked last is cached until a scope opens or closes. */
ma_scope *ma_scope_of(lua_State *L, ma_lua *state) {
  if (state->scope_thread != L) {
    ma_scope *s = state->scopes;
    while (s && s->thread != L) s = s->next;
    state->scope = s;
    state->scope_thread = L;
  }
  return state->scope;
}

/* Adds a new array to the innermost scope of the running coroutine, if there is one. */
static void join_scope(lua_State *L, ma_lua *state, ma_lua_object *object) {
  ma_scope *s = ma_scope_of(L, state);
  if (!s) return;
  object->link.scope = s;
  ma_scope_append(&s->made, &object->link);
}

ma_array *ma_lua_newarray_in(lua_State *L, ma_lua *state) {
  ma_lua_object *object = new_object(L, state);
  if (__builtin_expect(state->scopes != NULL, 0)) join_scope(L, state, object);
  return &object->array;
}

ma_array *ma_lua_newarray(lua_State *L) { return ma_lua_newarray_in(L, ma_lua_state(L)); }

ma_array *ma_lua_newkept(lua_State *L) { return &new_object(L, ma_lua_state(L))->array; }

/* Upvalue 1: the state. */
int ma_lua_array_gc(lua_State *L) {
  ma_lua_box *box = lua_touserdata(L, 1);
  ma_lua_object *object = box ? box->object : &finalised;
  if (object != &finalised) {
    ma_lua *state = ma_lua_state(L);
    box->object = &finalised;
/* the older ones may be free by now; what they hold is still good enough for a guess */
#if !defined(__SANITIZE_ADDRESS__)
    ma_lua_object *near = (ma_lua_object *)object->link.next;
    if (near && !object->link.scope) {
      const ma_lua_object *next = state->fetched[state->nfetched % 2];
      const char *buffer = (const char *)near->array.buffer;
      FETCH(object->link.prev);
      FETCH(buffer);
      FETCH(buffer + 64);
      state->fetched[state->nfetched++ % 2] = near;
      /* a guess: the owner may be a block */
      const char *block = next && next->array.buffer ? next->array.buffer->owner : NULL;
      if (block) {
        FETCH(block);
        FETCH(block + 64);
      }
      const char *pending = next && next->array.buffer ? (const char *)next->array.buffer->pending : NULL;
      if (pending) {
        FETCH(pending);
        FETCH(pending + 64);
        FETCH(pending + 128);
      }
    }
#endif
    ma_scope_leave(object);
    ma_array_release(&object->array);
    give_object(state, object);
    ma_lua_leaveslabs(state);
  }
  ma_lua_sweep(L);
  return 0;
}

void ma_lua_freearray(ma_array *array, const char *by) {
  size_t n = strlen(by);
  if (n >= sizeof array->shape) n = sizeof array->shape - 1;
  ma_scope_leave(ma_lua_objectof(array));
  ma_array_release(array);
  array->ndim = 0;
  array->size = 0;
  array->readonly = MA_FREED;
  memcpy(array->shape, by, n);
  ((char *)array->shape)[n] = 0;
}
