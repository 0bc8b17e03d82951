/* body.c: interns kernel definitions by content, so that a program, its key and a call refer to one by a number; and
** analyses the text of a body before it is compiled. */
#include "compile/lex.h"
#include "base/fork.h"
#include "compile/body.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const ma_body ma_body_empty = { .name = "",
                                .preamble = "",
                                .options = "",
                                .operation = "",
                                .loop_prep = "",
                                .after_loop = "",
                                .map = "",
                                .reduce = "",
                                .post_map = "",
                                .identity = "",
                                .reduce_type = "" };

/* ==== Interning ================================================================================================== */

/* Entries never move and are never freed, so readers need no lock. */
#define CHUNK 256
#define NCHUNK 256
typedef struct entry {
  ma_body body;
  char *code;
  uint64_t hash;
  size_t size;
  char key[];
} entry;
static entry **chunks[NCHUNK];
static uint32_t nbody;
static pthread_mutex_t interning = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(interning, MA_FORK_LEAF)

/* Everything in a body except its id, without padding; strings with their terminators. */
static void put_key(ma_ctext *key, const ma_body *b) {
  ma_ctext_add(key, "%d %d %d %d %d %d %d\n", b->nparam, b->ntype, b->uses_index, b->is_reduction, b->reaches, b->once,
               b->reduce_dtype);
  for (int k = 0; k < b->nparam; k++) {
    const ma_param *p = &b->param[k];
    ma_ctext_add(key, "%s %d %d %d %d %d %d %d\n", p->name, p->role, p->dtype, p->place, p->is_output, p->is_read,
                 p->ndim, p->contiguous);
  }
  for (int k = 0; k < b->ntype; k++) ma_ctext_add(key, "%s %d\n", b->type[k].name, b->type[k].dtype);
}

#define NSTRING 11
static const char **string_of(ma_body *b, int k) {
  const char **all[NSTRING] = { &b->name, &b->preamble, &b->options,  &b->operation, &b->loop_prep,  &b->after_loop,
                                &b->map,  &b->reduce,   &b->post_map, &b->identity,  &b->reduce_type };
  return all[k];
}

static entry *find(uint64_t hash, const char *key, size_t size) {
  for (uint32_t id = 0; id < nbody; id++) {
    entry *e = chunks[id / CHUNK][id % CHUNK];
    if (e->hash == hash && e->size == size && !memcmp(e->key, key, size)) return e;
  }
  return NULL;
}

/* Adds an entry. Its strings are those of the key, from `head` on. */
static ma_status add(const ma_body *body, uint64_t hash, const char *key, size_t head, size_t size, uint32_t *id) {
  if (nbody == CHUNK * NCHUNK)
    return ma_fail(MA_ERR_VALUE, "%d kernel definitions in one process; is a text built anew at every call?",
                   CHUNK * NCHUNK);
  entry **chunk = chunks[nbody / CHUNK];
  if (!chunk) {
    chunk = calloc(CHUNK, sizeof(entry *));
    if (!chunk) return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's definition");
    __atomic_store_n(&chunks[nbody / CHUNK], chunk, __ATOMIC_RELEASE);
  }
  entry *e = malloc(sizeof *e + size);
  if (!e) return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's definition");
  e->body = *body;
  e->code = NULL;
  e->hash = hash;
  e->size = size;
  memcpy(e->key, key, size);
  const char *at = e->key + head;
  for (int k = 0; k < NSTRING; k++, at += strlen(at) + 1) *string_of(&e->body, k) = at;
  __atomic_store_n(&chunk[nbody % CHUNK], e, __ATOMIC_RELEASE);
  e->body.id = *id = ++nbody;
  return MA_OK;
}

ma_status ma_body_intern(const ma_body *body, uint32_t *id) {
  ma_body copy = *body;
  ma_ctext numbers = { 0 };
  size_t size, head;
  put_key(&numbers, body);
  if (numbers.failed) return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's definition");
  size = head = numbers.size;
  for (int k = 0; k < NSTRING; k++) size += strlen(*string_of(&copy, k)) + 1;
  char *key = malloc(size), *at = key;
  if (!key) {
    ma_ctext_free(&numbers);
    return ma_fail(MA_ERR_MEMORY, "out of memory for a kernel's definition");
  }
  memcpy(at, numbers.bytes, head);
  at += head;
  for (int k = 0; k < NSTRING; k++) {
    size_t n = strlen(*string_of(&copy, k)) + 1;
    memcpy(at, *string_of(&copy, k), n);
    at += n;
  }
  ma_ctext_free(&numbers);
  uint64_t hash = ma_hash(key, size, 0);
  pthread_mutex_lock(&interning);
  entry *e = find(hash, key, size);
  ma_status status = MA_OK;
  if (e) *id = e->body.id;
  else status = add(body, hash, key, head, size, id);
  pthread_mutex_unlock(&interning);
  free(key);
  return status;
}

const ma_body *ma_body_get(uint32_t id) {
  entry **chunk = __atomic_load_n(&chunks[(id - 1) / CHUNK], __ATOMIC_ACQUIRE);
  return &__atomic_load_n(&chunk[(id - 1) % CHUNK], __ATOMIC_ACQUIRE)->body;
}

void ma_body_keep_code(uint32_t id, const char *code) {
  char *copy = code ? strdup(code) : NULL;
  pthread_mutex_lock(&interning);
  entry *e = chunks[(id - 1) / CHUNK][(id - 1) % CHUNK];
  free(e->code);
  e->code = copy;
  pthread_mutex_unlock(&interning);
}

char *ma_body_code(uint32_t id) {
  pthread_mutex_lock(&interning);
  const entry *e = chunks[(id - 1) / CHUNK][(id - 1) % CHUNK];
  char *copy = e->code ? strdup(e->code) : NULL;
  pthread_mutex_unlock(&interning);
  return copy;
}

/* ==== Analysing a text ============================================================================================ */

/*
** Whether an output may be read before it is assigned. It may not if its first mention is `name =` at the start of a
** statement outside all brackets, the statement does not mention it again, and nothing earlier may leave the body
** (return, goto, throw, a directive).
*/
bool ma_body_reads(const char *operation, const char *name) {
  ma_lex lex = { operation, 1 };
  ma_token token;
  int depth = 0;
  bool start = true, assigned = false;
  while (ma_lex_next(&lex, &token)) {
    bool named = token.kind == MA_TOKEN_NAME && ma_token_is(&token, name);
    if (token.kind == MA_TOKEN_DIRECTIVE || (assigned && named)) return true;
    if (assigned && depth == 0 && ma_token_is(&token, ";")) return false;
    if (ma_token_is(&token, "return") || ma_token_is(&token, "goto") || ma_token_is(&token, "throw")) return true;
    if (named && !(start && depth == 0 && !assigned)) return true;
    if (named) {
      if (!ma_lex_next(&lex, &token) || !ma_token_is(&token, "=")) return true;
      assigned = true;
    }
    if (token.kind != MA_TOKEN_PUNCTUATION) {
      start = false;
      continue;
    }
    char c = token.size == 1 ? *token.start : 0;
    depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
    start = c == ';' || c == '}';
  }
  return !assigned;
}
