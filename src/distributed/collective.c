/*
** collective.c: calls of MPI on memory of the host. Data that only moves goes as a type of its size, so every dtype
** arrives bit for bit.
*/
#include "distributed/distributed.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {
#define COLLECTIVE(name) #name,
#include "backend/collective.def"
};

bool ma_collective_find(const char *name, ma_collective_kind *kind) {
  for (int k = 0; k < MA_NCOLLECTIVE; k++)
    if (!strcmp(kinds[k], name)) {
      *kind = (ma_collective_kind)k;
      return true;
    }
  return false;
}

bool ma_merge_find(const char *name, ma_merge *merge) {
  static const char *const merges[] = { "sum", "prod", "min", "max" };
  for (int k = 0; k < MA_NMERGE; k++)
    if (!strcmp(merges[k], name)) {
      *merge = (ma_merge)k;
      return true;
    }
  return false;
}

/* ==== One rank alone ============================================================================================= */

static void copy_alone(const ma_collective *c) {
  size_t n = (size_t)(c->nfrom < c->nto ? c->nfrom : c->nto) * ma_dtypes[c->dtype].itemsize;
  if (c->from && c->to && c->from != c->to) memcpy(c->to, c->from, n);
}

/* ==== Requests =================================================================================================== */

/* MPI's counts are ints, so a call with more elements goes in pieces. Every rank must cut it alike. */
static int64_t most(void) {
  int64_t n = ma_config_int(MA_CONFIG_MPI_COUNT);
  return n > 0 && n < INT_MAX ? n : INT_MAX;
}

/* The place of one more request; NULL: no memory. */
static ma_mpi_handle *add(ma_work *w) {
  if (w->nrequest == w->room) {
    int room = w->room ? 2 * w->room : 2;
    ma_mpi_handle *larger = realloc(w->request, (size_t)room * sizeof *larger);
    if (!larger) {
      ma_fail(MA_ERR_MEMORY, "out of memory");
      return NULL;
    }
    w->request = larger;
    w->room = room;
  }
  w->request[w->nrequest] = 0;
  return &w->request[w->nrequest++];
}

/* Elements `at` to `at` + n of an array. */
typedef struct piece {
  int64_t at;
  int n;
} piece;

/* The next piece of `total` elements; the first one may be empty. */
static bool next_piece(piece *p, int64_t total) {
  int64_t at = p->at + (p->n < 0 ? 0 : p->n);
  if (p->n >= 0 && at >= total) return false;
  p->n = (int)(total - at < most() ? total - at : most());
  p->at = at;
  return true;
}
#define FIRST_PIECE \
  { 0, -1 }

/* One call and the types it goes with. */
typedef struct going {
  const ma_group *group;
  const ma_collective *call;
  ma_work *work;
  ma_mpi_handle type, op;
  int64_t itemsize;
} going;

static char *from_at(const going *g, int64_t at) { return (char *)g->call->from + at * g->itemsize; }
static char *to_at(const going *g, int64_t at) { return (char *)g->call->to + at * g->itemsize; }

/* ==== Calls of MPI in pieces ===================================================================================== */

static int reduce_piece(const going *g, const void *from, void *to, int n, ma_mpi_handle *request) {
  const ma_collective *c = g->call;
  void *in_place = (void *)ma_mpi.IN_PLACE;
  bool over = c->from == c->to;
  if (c->kind == MA_COLLECTIVE_all_reduce)
    return ma_mpi.Iallreduce(over ? in_place : from, to, n, g->type, g->op, g->group->data, request);
  return ma_mpi.Ireduce(over && g->group->rank == c->root ? in_place : from, to, n, g->type, g->op, c->root,
                        g->group->data, request);
}

/* all_reduce, reduce and broadcast: pieces of all ranks' arrays. */
static ma_status alike(const going *g, int64_t total) {
  const ma_collective *c = g->call;
  for (piece p = FIRST_PIECE; next_piece(&p, total);) {
    ma_mpi_handle *request = add(g->work);
    if (!request) return MA_ERR_MEMORY;
    void *to = c->to ? to_at(g, p.at) : NULL;
    MA_TRY(ma_mpi_check(c->kind == MA_COLLECTIVE_broadcast
                          ? ma_mpi.Ibcast(to, p.n, g->type, c->root, g->group->data, request)
                          : reduce_piece(g, from_at(g, p.at), to, p.n, request)));
  }
  return MA_OK;
}

static ma_status message_to(const going *g, ma_mpi_handle comm, int rank, int tag, int64_t at, int64_t n) {
  for (piece p = FIRST_PIECE; next_piece(&p, n);) {
    ma_mpi_handle *request = add(g->work);
    if (!request) return MA_ERR_MEMORY;
    MA_TRY(ma_mpi_check(ma_mpi.Isend(from_at(g, at + p.at), p.n, g->type, rank, tag, comm, request)));
  }
  return MA_OK;
}

static ma_status message_from(const going *g, ma_mpi_handle comm, int rank, int tag, int64_t at, int64_t n) {
  for (piece p = FIRST_PIECE; next_piece(&p, n);) {
    ma_mpi_handle *request = add(g->work);
    if (!request) return MA_ERR_MEMORY;
    MA_TRY(ma_mpi_check(ma_mpi.Irecv(to_at(g, at + p.at), p.n, g->type, rank, tag, comm, request)));
  }
  return MA_OK;
}

/* send, recv, sendrecv */
static ma_status between_two(const going *g) {
  const ma_collective *c = g->call;
  ma_mpi_handle comm = g->group->data;
  if (c->to && c->source >= 0) MA_TRY(message_from(g, comm, c->source, c->tag, 0, c->nto));
  if (c->from && c->root >= 0) MA_TRY(message_to(g, comm, c->root, c->tag, 0, c->nfrom));
  return MA_OK;
}

/* Elements that this rank gives to another one, and those that it gets from it; *at: where they are, behind those of
** the ranks before. */
static int64_t gives(const going *g, int rank, int64_t *at) {
  const ma_collective *c = g->call;
  *at = 0;
  if (c->kind == MA_COLLECTIVE_all_gather) return c->nfrom;
  if (c->kind == MA_COLLECTIVE_gather) return rank == c->root ? c->nfrom : 0;
  if (c->kind == MA_COLLECTIVE_scatter && g->group->rank != c->root) return 0;
  for (int r = 0; r < rank; r++) *at += c->from_parts ? c->from_parts[r] : c->nfrom / g->group->size;
  return c->from_parts ? c->from_parts[rank] : c->nfrom / g->group->size;
}

static int64_t receives(const going *g, int rank, int64_t *at) {
  const ma_collective *c = g->call;
  *at = 0;
  if (c->kind == MA_COLLECTIVE_scatter) return rank == c->root ? c->nto : 0;
  if (c->kind == MA_COLLECTIVE_gather && g->group->rank != c->root) return 0;
  for (int r = 0; r < rank; r++) *at += c->to_parts ? c->to_parts[r] : c->nto / g->group->size;
  return c->to_parts ? c->to_parts[rank] : c->nto / g->group->size;
}

/* Parts that go from rank to rank as messages, on the communicator where the user has none. */
static ma_status as_messages(const going *g) {
  int me = g->group->rank;
  int64_t at, to, n;
  for (int r = 0; r < g->group->size; r++) {
    n = receives(g, r, &at);
    if (r != me && n) MA_TRY(message_from(g, g->group->shares, r, 0, at, n));
  }
  for (int r = 0; r < g->group->size; r++) {
    n = gives(g, r, &at);
    if (r != me && n) MA_TRY(message_to(g, g->group->shares, r, 0, at, n));
  }
  n = receives(g, me, &to);
  if (gives(g, me, &at) && n) memcpy(to_at(g, to), from_at(g, at), (size_t)(n * g->itemsize));
  return MA_OK;
}

/* reduce_scatter: each part is reduced to its rank. */
static ma_status reduce_parts(const going *g) {
  for (int r = 0; r < g->group->size; r++) {
    int64_t at, n = gives(g, r, &at);
    for (piece p = FIRST_PIECE; n && next_piece(&p, n);) {
      ma_mpi_handle *request = add(g->work);
      if (!request) return MA_ERR_MEMORY;
      MA_TRY(ma_mpi_check(ma_mpi.Ireduce(from_at(g, at + p.at), r == g->group->rank ? to_at(g, p.at) : NULL, p.n,
                                         g->type, g->op, r, g->group->data, request)));
    }
  }
  return MA_OK;
}

/* ==== Calls of MPI as they are =================================================================================== */

/* Counts and places of the parts, as ints: counts, then places. NULL parts: `total` in equal ones. */
static void place_parts(int *numbers, int size, const int64_t *parts, int64_t total) {
  int64_t place = 0;
  for (int r = 0; r < size; r++) {
    int64_t n = parts ? parts[r] : total / size;
    numbers[r] = (int)n;
    numbers[size + r] = (int)place;
    place += n;
  }
}

/* The elements of all parts, which every rank knows alike. all_to_all in parts that differ: none does, so it is more
** than one call of MPI takes. */
static int64_t elements_of_parts(const ma_collective *c, int size) {
  const int64_t *parts = c->kind == MA_COLLECTIVE_all_gather || c->kind == MA_COLLECTIVE_gather ? c->to_parts
                                                                                                : c->from_parts;
  int64_t sum = 0;
  if (c->kind == MA_COLLECTIVE_all_to_all) return parts ? INT64_MAX : c->nfrom;
  for (int r = 0; r < size && parts; r++) sum += parts[r];
  if (parts) return sum;
  return c->kind == MA_COLLECTIVE_scatter          ? c->nto * size
         : c->kind == MA_COLLECTIVE_reduce_scatter ? c->nfrom
                                                   : c->nfrom * size;
}

static ma_status in_parts(const going *g) {
  const ma_collective *c = g->call;
  const ma_group *group = g->group;
  ma_work *w = g->work;
  int size = group->size, nfrom = (int)c->nfrom, nto = (int)c->nto, code;
  if (elements_of_parts(c, size) > most())
    return c->kind == MA_COLLECTIVE_reduce_scatter ? reduce_parts(g) : as_messages(g);
  ma_mpi_handle comm = group->data, type = g->type, *request = add(w);
  w->numbers = calloc(4 * (size_t)size, sizeof *w->numbers);
  if (!request || !w->numbers) return ma_fail(MA_ERR_MEMORY, "out of memory");
  int *of_from = w->numbers, *of_to = w->numbers + 2 * size;
  place_parts(of_from, size, c->from_parts, c->nfrom);
  place_parts(of_to, size, c->to_parts, c->nto);
  switch (c->kind) {
  case MA_COLLECTIVE_all_gather:
    code = ma_mpi.Iallgatherv(c->from, nfrom, type, c->to, of_to, of_to + size, type, comm, request);
    break;
  case MA_COLLECTIVE_gather:
    code = ma_mpi.Igatherv(c->from, nfrom, type, c->to, of_to, of_to + size, type, c->root, comm, request);
    break;
  case MA_COLLECTIVE_scatter:
    code = ma_mpi.Iscatterv(c->from, of_from, of_from + size, type, c->to, nto, type, c->root, comm, request);
    break;
  case MA_COLLECTIVE_reduce_scatter:
    code = ma_mpi.Ireduce_scatter(c->from, c->to, of_from, type, g->op, comm, request);
    break;
  default:
    code = ma_mpi.Ialltoallv(c->from, of_from, of_from + size, type, c->to, of_to, of_to + size, type, comm, request);
  }
  return ma_mpi_check(code);
}

static ma_status begin(ma_group *group, const ma_collective *c, ma_work *w) {
  going g = { group, c, w, .itemsize = ma_dtypes[c->dtype].itemsize };
  ma_mpi_handle *request;
  g.type = ma_type_of_size((int)g.itemsize);
  switch (c->kind) {
  case MA_COLLECTIVE_all_reduce:
  case MA_COLLECTIVE_reduce: MA_TRY(ma_merge_of(c->merge, c->dtype, &g.type, &g.op)); return alike(&g, c->nfrom);
  case MA_COLLECTIVE_broadcast:
    if (group->rank == c->root) copy_alone(c);
    return alike(&g, c->nto);
  case MA_COLLECTIVE_reduce_scatter: MA_TRY(ma_merge_of(c->merge, c->dtype, &g.type, &g.op)); return in_parts(&g);
  case MA_COLLECTIVE_send:
  case MA_COLLECTIVE_recv:
  case MA_COLLECTIVE_sendrecv: return between_two(&g);
  case MA_COLLECTIVE_barrier:
    request = add(w);
    return request ? ma_mpi_check(ma_mpi.Ibarrier(group->data, request)) : MA_ERR_MEMORY;
  default: return in_parts(&g);
  }
}

static bool is_between_two(ma_collective_kind kind) {
  return kind == MA_COLLECTIVE_send || kind == MA_COLLECTIVE_recv || kind == MA_COLLECTIVE_sendrecv;
}

/* ==== Works ====================================================================================================== */

static ma_work *forgotten; /* works that MPI has not done, and nobody waits for */

static void finish(ma_work *w) {
  w->done = true;
  w->group->nopen--;
  for (int i = 0; i < 2; i++)
    if (w->buffer[i]) ma_buffer_release(w->buffer[i]);
  w->buffer[0] = w->buffer[1] = NULL;
  free(w->numbers);
  free(w->request);
  w->numbers = NULL;
  w->request = NULL;
}

static void look_at_forgotten(void) {
  for (ma_work **at = &forgotten; *at;) {
    ma_work *w = *at;
    bool done = false;
    if (ma_wait_test(w->request, w->nrequest, &done) != MA_OK || !done) {
      at = &w->next;
      continue;
    }
    *at = w->next;
    finish(w);
    free(w);
  }
}

ma_status ma_work_begin(ma_group *g, const ma_collective *c, ma_buffer *from, ma_buffer *to, ma_work *w) {
  bool two = is_between_two(c->kind);
  int other = c->kind == MA_COLLECTIVE_send || c->source < 0 ? c->root : c->source;
  *w = (ma_work){ .done = true,
                  .group = g,
                  .waiting = { .group = g, .limit = c->limit, .peer = two && other >= 0 ? g->member[other] : -1 } };
  snprintf(w->name, sizeof w->name, "%s", c->name);
  if (!g->data && g->size > 1 && c->kind == MA_COLLECTIVE_barrier) return ma_group_meet(g, c->name, c->limit);
  w->waiting.number = two ? 0 : ++g->ncall;
  if (!g->data && g->size > 1)
    return ma_fail(MA_ERR_LIBRARY, "arrays of the CPU move between ranks by MPI, and no launcher of MPI started this "
                                   "process; start it by mpirun");
  if (!g->data) {
    if (two && c->kind != MA_COLLECTIVE_sendrecv && other >= 0)
      return ma_fail(MA_ERR_VALUE,
                     "one rank alone has nobody to send to or receive from; sendrecv copies within a rank");
    if (!two || (c->root >= 0 && c->source >= 0)) copy_alone(c);
    return MA_OK;
  }
  look_at_forgotten();
  w->done = false;
  w->buffer[0] = from;
  w->buffer[1] = to;
  for (int i = 0; i < 2; i++)
    if (w->buffer[i]) ma_buffer_retain(w->buffer[i]);
  g->nopen++;
  ma_status status = begin(g, c, w);
  bool begun = false;
  for (int i = 0; i < w->nrequest; i++) begun = begun || w->request[i];
  if (status != MA_OK && !begun) finish(w);
  return begun ? ma_world_break(status) : status;
}

ma_status ma_work_test(ma_work *w, bool *done) {
  if (!w->done) {
    bool all;
    MA_TRY(ma_world_check());
    MA_TRY(ma_wait_test(w->request, w->nrequest, &all));
    if (all) finish(w);
  }
  *done = w->done;
  return MA_OK;
}

ma_status ma_work_wait(ma_work *w) {
  if (w->done) return MA_OK;
  MA_TRY(ma_world_check());
  w->waiting.name = w->name;
  MA_TRY(ma_wait_for(w->request, w->nrequest, &w->waiting));
  finish(w);
  return MA_OK;
}

void ma_work_free(ma_work *w) {
  bool done;
  if (w->done || (ma_work_test(w, &done) == MA_OK && done)) return;
  ma_work *kept = malloc(sizeof *kept);
  if (!kept) return;
  *kept = *w;
  kept->next = forgotten;
  forgotten = kept;
  w->done = true;
}
