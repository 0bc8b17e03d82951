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

/* ==== Calls of MPI =============================================================================================== */

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

static int start(const ma_group *g, const ma_collective *c, ma_mpi_handle type, ma_mpi_handle op, ma_work *w) {
  ma_mpi_handle comm = g->data, *request = w->request;
  void *in_place = (void *)ma_mpi.IN_PLACE;
  int nfrom = (int)c->nfrom, nto = (int)c->nto, size = g->size, none = (int)ma_mpi.PROC_NULL;
  int *of_from = w->numbers, *of_to = w->numbers + 2 * size;
  int to_rank = c->root < 0 ? none : c->root, from_rank = c->source < 0 ? none : c->source, code = 0;
  bool is_root = g->rank == c->root;
  switch (c->kind) {
  case MA_COLLECTIVE_all_reduce:
    return ma_mpi.Iallreduce(c->from == c->to ? in_place : c->from, c->to, nfrom, type, op, comm, request);
  case MA_COLLECTIVE_reduce:
    return ma_mpi.Ireduce(is_root && c->from == c->to ? in_place : c->from, c->to, nfrom, type, op, c->root, comm,
                          request);
  case MA_COLLECTIVE_broadcast:
    if (is_root) copy_alone(c);
    return ma_mpi.Ibcast(c->to, nto, type, c->root, comm, request);
  case MA_COLLECTIVE_all_gather:
    return ma_mpi.Iallgatherv(c->from, nfrom, type, c->to, of_to, of_to + size, type, comm, request);
  case MA_COLLECTIVE_gather:
    return ma_mpi.Igatherv(c->from, nfrom, type, c->to, of_to, of_to + size, type, c->root, comm, request);
  case MA_COLLECTIVE_scatter:
    return ma_mpi.Iscatterv(c->from, of_from, of_from + size, type, c->to, nto, type, c->root, comm, request);
  case MA_COLLECTIVE_reduce_scatter: return ma_mpi.Ireduce_scatter(c->from, c->to, of_from, type, op, comm, request);
  case MA_COLLECTIVE_all_to_all:
    return ma_mpi.Ialltoallv(c->from, of_from, of_from + size, type, c->to, of_to, of_to + size, type, comm, request);
  case MA_COLLECTIVE_send: return ma_mpi.Isend(c->from, nfrom, type, to_rank, c->tag, comm, request);
  case MA_COLLECTIVE_recv: return ma_mpi.Irecv(c->to, nto, type, from_rank, c->tag, comm, request);
  case MA_COLLECTIVE_sendrecv:
    code = ma_mpi.Irecv(c->to, nto, type, from_rank, c->tag, comm, &request[1]);
    return code ? code : ma_mpi.Isend(c->from, nfrom, type, to_rank, c->tag, comm, &request[0]);
  default: return ma_mpi.Ibarrier(comm, request);
  }
}

static bool has_parts(ma_collective_kind kind) {
  return kind == MA_COLLECTIVE_all_gather || kind == MA_COLLECTIVE_gather || kind == MA_COLLECTIVE_scatter ||
         kind == MA_COLLECTIVE_reduce_scatter || kind == MA_COLLECTIVE_all_to_all;
}

static bool is_reduction(ma_collective_kind kind) {
  return kind == MA_COLLECTIVE_all_reduce || kind == MA_COLLECTIVE_reduce || kind == MA_COLLECTIVE_reduce_scatter;
}

static bool is_between_two(ma_collective_kind kind) {
  return kind == MA_COLLECTIVE_send || kind == MA_COLLECTIVE_recv || kind == MA_COLLECTIVE_sendrecv;
}

static ma_status begin(ma_group *g, const ma_collective *c, ma_work *w) {
  ma_mpi_handle type = ma_type_of_size(ma_dtypes[c->dtype].itemsize), op = 0;
  if (c->nfrom > INT_MAX || c->nto > INT_MAX)
    return ma_fail(MA_ERR_VALUE, "%lld elements in one call of MPI; at most %d are taken",
                   (long long)(c->nfrom > c->nto ? c->nfrom : c->nto), INT_MAX);
  if (is_reduction(c->kind)) MA_TRY(ma_merge_of(c->merge, c->dtype, &type, &op));
  if (has_parts(c->kind)) {
    w->numbers = calloc(4 * (size_t)g->size, sizeof *w->numbers);
    if (!w->numbers) return ma_fail(MA_ERR_MEMORY, "out of memory");
    place_parts(w->numbers, g->size, c->from_parts, c->nfrom);
    place_parts(w->numbers + 2 * g->size, g->size, c->to_parts, c->nto);
  }
  return ma_world_break(ma_mpi_check(start(g, c, type, op, w)));
}

/* A barrier without MPI. */
static ma_status meet(ma_group *g, const ma_collective *c) {
  char *all = malloc((size_t)g->size);
  ma_status status = all ? ma_group_share(g, c->name, "", 1, all, c->limit) : ma_fail(MA_ERR_MEMORY, "out of memory");
  free(all);
  return status;
}

ma_status ma_work_begin(ma_group *g, const ma_collective *c, ma_buffer *from, ma_buffer *to, ma_work *w) {
  bool two = is_between_two(c->kind);
  int other = c->kind == MA_COLLECTIVE_send || c->source < 0 ? c->root : c->source;
  *w = (ma_work){ .waiting = { .group = g, .limit = c->limit, .peer = two && other >= 0 ? g->member[other] : -1 } };
  snprintf(w->name, sizeof w->name, "%s", c->name);
  w->waiting.number = two ? 0 : ++g->ncall;
  if (!g->data && g->size > 1 && c->kind == MA_COLLECTIVE_barrier) {
    w->done = true;
    return meet(g, c);
  }
  if (!g->data && g->size > 1)
    return ma_fail(MA_ERR_LIBRARY, "arrays of the CPU move between ranks by MPI, and no launcher of MPI started this "
                                   "process; start it by mpirun");
  if (!g->data) {
    if (two && c->kind != MA_COLLECTIVE_sendrecv && other >= 0)
      return ma_fail(MA_ERR_VALUE,
                     "one rank alone has nobody to send to or receive from; sendrecv copies within a rank");
    if (!two || (c->root >= 0 && c->source >= 0)) copy_alone(c);
    w->done = true;
    return MA_OK;
  }
  ma_status status = begin(g, c, w);
  if (status != MA_OK && !w->request[0] && !w->request[1]) {
    free(w->numbers);
    *w = (ma_work){ .done = true };
    return status;
  }
  w->buffer[0] = from;
  w->buffer[1] = to;
  for (int i = 0; i < 2; i++)
    if (w->buffer[i]) ma_buffer_retain(w->buffer[i]);
  return status;
}

static void finish(ma_work *w) {
  w->done = true;
  for (int i = 0; i < 2; i++)
    if (w->buffer[i]) ma_buffer_release(w->buffer[i]);
  w->buffer[0] = w->buffer[1] = NULL;
  free(w->numbers);
  w->numbers = NULL;
}

ma_status ma_work_test(ma_work *w, bool *done) {
  if (!w->done) {
    bool all;
    MA_TRY(ma_world_check());
    MA_TRY(ma_wait_test(w->request, 2, &all));
    if (all) finish(w);
  }
  *done = w->done;
  return MA_OK;
}

ma_status ma_work_wait(ma_work *w) {
  if (w->done) return MA_OK;
  MA_TRY(ma_world_check());
  w->waiting.name = w->name;
  MA_TRY(ma_wait_for(w->request, 2, &w->waiting));
  finish(w);
  return MA_OK;
}

void ma_work_free(ma_work *w) {
  bool done;
  if (w->done || ma_work_test(w, &done) != MA_OK) return;
  w->done = true;
}
