/* group.c: groups of ranks, and short texts that all members share. */
#include "distributed/distributed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ma_group *groups[MA_MAX_GROUPS];
static int ngroup;

int ma_group_count(void) { return ngroup; }

ma_group *ma_group_at(int index) { return index >= 0 && index < ngroup ? groups[index] : NULL; }

static ma_status make(uint64_t key, int rank, int size, ma_group **made) {
  ma_group *g = calloc(1, sizeof *g);
  if (ngroup == MA_MAX_GROUPS) {
    free(g);
    return ma_fail(MA_ERR_VALUE, "%d groups; at most so many can be made", MA_MAX_GROUPS);
  }
  if (g) g->member = calloc((size_t)size, sizeof *g->member);
  if (!g || !g->member) {
    free(g);
    return ma_fail(MA_ERR_MEMORY, "out of memory");
  }
  g->key = key;
  g->rank = rank;
  g->size = size;
  *made = groups[ngroup++] = g;
  return MA_OK;
}

/* Gives the group communicators of its own, which are copies of `comm`. */
static ma_status connect(ma_group *g, ma_mpi_handle comm) {
  ma_mpi_handle *made[] = { &g->data, &g->shares };
  for (int i = 0; i < 2; i++) {
    MA_TRY(ma_mpi_check(ma_mpi.Comm_dup(comm, made[i])));
    ma_mpi.Comm_set_errhandler(*made[i], ma_mpi.ERRORS_RETURN);
  }
  return MA_OK;
}

ma_status ma_group_world(ma_group **group) {
  const ma_world *w = &ma_the_world;
  MA_TRY(make(1, w->rank, w->size, group));
  for (int r = 0; r < w->size; r++) (*group)->member[r] = r;
  return w->has_mpi ? connect(*group, ma_mpi.COMM_WORLD) : MA_OK;
}

ma_status ma_group_share(ma_group *g, const char *name, const void *mine, size_t n, void *all, double limit) {
  ma_waiting waiting = { .group = g, .name = name, .number = ++g->ncall, .peer = -1, .limit = limit };
  ma_mpi_handle request = 0;
  if (g->size == 1) {
    memcpy(all, mine, n);
    return MA_OK;
  }
  if (ma_the_world.has_store) return ma_world_break(ma_store_share(g, name, mine, n, all, limit));
  int *numbers = calloc(2 * (size_t)g->size, sizeof *numbers);
  if (!numbers) return ma_fail(MA_ERR_MEMORY, "out of memory");
  for (int r = 0; r < g->size; r++) {
    numbers[r] = (int)n;
    numbers[g->size + r] = (int)n * r;
  }
  ma_status status = ma_mpi_check(
    ma_mpi.Iallgatherv(mine, (int)n, ma_mpi.BYTE, all, numbers, numbers + g->size, ma_mpi.BYTE, g->shares, &request));
  if (status == MA_OK) status = ma_wait_for(&request, 1, &waiting);
  if (!request) free(numbers); /* else MPI may still read them */
  return status;
}

typedef struct choice {
  int color, key, rank;
} choice;

static int by_key(const void *a, const void *b) {
  const choice *p = a, *q = b;
  if (p->key != q->key) return p->key < q->key ? -1 : 1;
  return p->rank - q->rank;
}

static ma_status split(ma_group *g, int color, choice *all, ma_group **made) {
  choice mine = all[g->rank];
  uint64_t words[] = { g->key, g->ncall, (uint64_t)color };
  int size = 0, rank = 0;
  ma_mpi_handle comm = 0;
  for (int r = 0; r < g->size; r++)
    if (all[r].color == color) all[size++] = all[r];
  qsort(all, (size_t)size, sizeof *all, by_key);
  while (all[rank].rank != mine.rank) rank++;
  if (g->data) MA_TRY(ma_mpi_check(ma_mpi.Comm_split(g->shares, color, mine.key, &comm)));
  MA_TRY(make(ma_hash(words, sizeof words, 0), rank, size, made));
  for (int r = 0; r < size; r++) (*made)->member[r] = g->member[all[r].rank];
  return g->data ? connect(*made, comm) : MA_OK;
}

/* The members' choices come first, so that a member that does not come is noticed within the limit. */
ma_status ma_group_split(ma_group *g, int color, int key, double limit, int *index) {
  choice mine = { color, key, g->rank }, *all = calloc((size_t)g->size, sizeof *all);
  ma_group *made = NULL;
  ma_mpi_handle none;
  *index = -1;
  if (!all) return ma_fail(MA_ERR_MEMORY, "out of memory");
  ma_status status = ma_group_share(g, "distributed.split", &mine, sizeof mine, all, limit);
  if (status == MA_OK && color >= 0) {
    status = split(g, color, all, &made);
    if (status == MA_OK) *index = ngroup - 1;
  } else if (status == MA_OK && g->data) {
    status = ma_mpi_check(ma_mpi.Comm_split(g->shares, (int)ma_mpi.UNDEFINED, 0, &none));
  }
  free(all);
  return ma_world_break(status);
}

/* ==== Communicators of a backend ================================================================================= */

typedef struct offer {
  char name[MA_COMM_NAME]; /* from the first member */
  char why[200];           /* why this member cannot take part; "" if it can */
} offer;

static void make_offer(const ma_group *g, ma_device *device, offer *mine) {
  char spare[MA_COMM_NAME] = "";
  const ma_backend *backend = device->backend;
  if (!backend->comm.name) snprintf(mine->why, sizeof mine->why, "its device is %s", device->name);
  else if (backend->comm.name(device, g->rank == 0 ? mine->name : spare) != MA_OK)
    snprintf(mine->why, sizeof mine->why, "%s", ma_message());
}

ma_status ma_group_join(ma_group *g, ma_device *device, double limit) {
  offer mine = { .why = "" }, *all = calloc((size_t)g->size, sizeof *all);
  if (!all) return ma_fail(MA_ERR_MEMORY, "out of memory");
  make_offer(g, device, &mine);
  ma_status status = ma_group_share(g, "distributed.init", &mine, sizeof mine, all, limit);
  for (int r = 0; r < g->size && status == MA_OK && !*g->why; r++)
    if (*all[r].why) snprintf(g->why, sizeof g->why, "rank %d has no part in it: %s", g->member[r], all[r].why);
  if (status == MA_OK && !*g->why) {
    if (device->backend->comm.open(device, all[0].name, g->size, g->rank, &g->comm) == MA_OK) g->device = device;
    else snprintf(g->why, sizeof g->why, "%s", ma_message());
  }
  free(all);
  return ma_world_break(status);
}

/* ==== Several devices of one process ============================================================================= */

static ma_status open_all(ma_device *const *devices, int n, const char *name, int first) {
  const ma_backend *backend = devices[0]->backend;
  ma_status status = backend->comm.bracket(true);
  if (status != MA_OK) return status;
  for (int k = 0; k < n && status == MA_OK; k++)
    status = backend->comm.open(devices[k], name, n, k, &groups[first + k]->comm);
  if (status == MA_OK) return backend->comm.bracket(false);
  char why[400];
  snprintf(why, sizeof why, "%s", ma_message());
  backend->comm.bracket(false);
  return ma_fail(status, "%s", why);
}

ma_status ma_group_local(ma_device *const *devices, int n, int *first) {
  char name[MA_COMM_NAME];
  static uint64_t count = 0;
  uint64_t key = ma_hash(&count, sizeof count, 2);
  count++;
  if (!devices[0]->backend->comm.name)
    return ma_fail(MA_ERR_DEVICE, "%s has no calls of several devices", devices[0]->name);
  MA_TRY(devices[0]->backend->comm.name(devices[0], name));
  *first = ngroup;
  for (int k = 0; k < n; k++) {
    ma_group *g;
    MA_TRY(make(key + (uint64_t)k, k, n, &g));
    for (int r = 0; r < n; r++) g->member[r] = r;
    g->device = devices[k];
  }
  return open_all(devices, n, name, *first);
}
