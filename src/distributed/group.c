/* group.c: groups of ranks, and short texts that all members share. */
#include "distributed/distributed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ma_group *groups[MA_MAX_GROUPS]; /* NULL: a number that is free */

ma_group *ma_group_at(int index) { return index >= 0 && index < MA_MAX_GROUPS ? groups[index] : NULL; }

static int rooms(void) {
  int n = 0;
  for (int k = 0; k < MA_MAX_GROUPS; k++) n += !groups[k];
  return n;
}

static ma_status full(int rank) {
  return ma_fail(MA_ERR_VALUE,
                 "rank %d has no room for more groups, %d at once; close those that are not needed any more by "
                 "group:close()",
                 rank, MA_MAX_GROUPS);
}

static ma_status make(uint64_t key, int rank, int size, int *index) {
  int k = 0;
  while (k < MA_MAX_GROUPS && groups[k]) k++;
  if (k == MA_MAX_GROUPS) return full(ma_the_world.rank);
  ma_group *g = calloc(1, sizeof *g);
  if (g) g->member = calloc((size_t)size, sizeof *g->member);
  if (!g || !g->member) {
    free(g);
    return ma_fail(MA_ERR_MEMORY, "out of memory");
  }
  g->key = key;
  g->rank = rank;
  g->size = size;
  groups[k] = g;
  *index = k;
  return MA_OK;
}

/* Frees one that no other rank has joined, or that all have given up. */
static void drop(int index) {
  ma_group *g = groups[index];
  ma_mpi_handle *made[] = { &g->data, &g->shares };
  for (int i = 0; i < 2; i++)
    if (*made[i]) ma_mpi.Comm_free(made[i]);
  if (g->comm) g->device->backend->comm.close(g->comm);
  free(g->member);
  free(g);
  groups[index] = NULL;
}

/* Takes over `comm` for arrays, and makes a copy for texts. */
static ma_status connect(ma_group *g, ma_mpi_handle comm) {
  g->data = comm;
  ma_mpi.Comm_set_errhandler(comm, ma_mpi.ERRORS_RETURN);
  MA_TRY(ma_mpi_check(ma_mpi.Comm_dup(comm, &g->shares)));
  ma_mpi.Comm_set_errhandler(g->shares, ma_mpi.ERRORS_RETURN);
  return MA_OK;
}

ma_status ma_group_world(void) {
  const ma_world *w = &ma_the_world;
  ma_mpi_handle comm;
  int index;
  MA_TRY(make(1, w->rank, w->size, &index));
  for (int r = 0; r < w->size; r++) groups[index]->member[r] = r;
  if (!w->has_mpi) return MA_OK;
  ma_status status = ma_mpi_check(ma_mpi.Comm_dup(ma_mpi.COMM_WORLD, &comm));
  if (status == MA_OK) status = connect(groups[index], comm);
  if (status != MA_OK) drop(index);
  return status;
}

ma_status ma_group_share(ma_group *g, const char *name, const void *mine, size_t n, void *all, double limit) {
  ma_waiting waiting = { .group = g, .name = name, .number = ++g->ncall, .peer = -1, .limit = limit };
  ma_mpi_handle request = 0;
  if (g->size == 1) {
    memcpy(all, mine, n);
    return MA_OK;
  }
  if (ma_the_world.has_store) return ma_world_break(ma_member_share(g, mine, n, all, limit));
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

ma_status ma_group_meet(ma_group *g, const char *name, double limit) {
  char *all = calloc((size_t)g->size, 1);
  ma_status status = all ? ma_group_share(g, name, "", 1, all, limit) : ma_fail(MA_ERR_MEMORY, "out of memory");
  free(all);
  return status;
}

typedef struct choice {
  int color, key, rank, has_room;
} choice;

static int by_key(const void *a, const void *b) {
  const choice *p = a, *q = b;
  if (p->key != q->key) return p->key < q->key ? -1 : 1;
  return p->rank - q->rank;
}

/* Makes the group of a color, without communicators. */
static ma_status gather(const ma_group *g, int color, choice *all, int *index) {
  uint64_t words[] = { g->key, g->ncall, (uint64_t)color };
  int size = 0, rank = 0;
  for (int r = 0; r < g->size; r++)
    if (all[r].color == color) all[size++] = all[r];
  qsort(all, (size_t)size, sizeof *all, by_key);
  while (all[rank].rank != g->rank) rank++;
  MA_TRY(make(ma_hash(words, sizeof words, 0), rank, size, index));
  for (int r = 0; r < size; r++) groups[*index]->member[r] = g->member[all[r].rank];
  return MA_OK;
}

/* All ranks split the communicator, also those that join no group. */
static ma_status split(const ma_group *g, int color, int key, int index) {
  ma_mpi_handle comm = 0;
  MA_TRY(ma_mpi_check(ma_mpi.Comm_split(g->shares, color < 0 ? (int)ma_mpi.UNDEFINED : color, key, &comm)));
  return color < 0 ? MA_OK : connect(groups[index], comm);
}

/* The members' choices come first, so that a member that does not come is noticed within the limit. */
ma_status ma_group_split(ma_group *g, int color, int key, double limit, int *index) {
  choice mine = { color, key, g->rank, color < 0 || rooms() > 0 }, *all = calloc((size_t)g->size, sizeof *all);
  ma_status status = all ? MA_OK : ma_fail(MA_ERR_MEMORY, "out of memory");
  *index = -1;
  if (status == MA_OK) status = ma_group_share(g, "distributed.split", &mine, sizeof mine, all, limit);
  for (int r = 0; r < g->size && status == MA_OK; r++)
    if (!all[r].has_room) {
      free(all);
      return full(g->member[r]);
    }
  if (status == MA_OK && color >= 0) status = gather(g, color, all, index);
  if (status == MA_OK && g->data) {
    ma_guard_begin("distributed.split", limit);
    status = ma_guard_end(split(g, color, key, *index));
  }
  if (status != MA_OK && *index >= 0) {
    drop(*index);
    *index = -1;
  }
  free(all);
  return ma_world_break(status);
}

ma_status ma_group_close(int index, double limit) {
  ma_group *g = groups[index];
  ma_status status = MA_OK;
  if (index == 0) return ma_fail(MA_ERR_VALUE, "the group of all ranks; ma.distributed.finalize() leaves the world");
  if (g->nopen)
    return ma_fail(MA_ERR_VALUE, "%d calls of the group are not done; wait for them before it is closed", g->nopen);
  if (!g->is_local) status = ma_group_meet(g, "distributed.close", limit);
  if (status != MA_OK) return status;
  ma_guard_begin("distributed.close", limit);
  drop(index);
  return ma_guard_end(MA_OK);
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
    if (device->backend->comm.open(device, all[0].name, g->size, g->rank, limit, &g->comm) == MA_OK) g->device = device;
    else snprintf(g->why, sizeof g->why, "%s", ma_message());
  }
  free(all);
  return ma_world_break(status);
}

/* ==== Several devices of one process ============================================================================= */

static ma_status open_all(ma_device *const *devices, int n, const char *name, const int *indices) {
  const ma_backend *backend = devices[0]->backend;
  ma_status status = backend->comm.bracket(true);
  if (status != MA_OK) return status;
  for (int k = 0; k < n && status == MA_OK; k++)
    status = backend->comm.open(devices[k], name, n, k, 0, &groups[indices[k]]->comm);
  if (status == MA_OK) return backend->comm.bracket(false);
  char why[400];
  snprintf(why, sizeof why, "%s", ma_message());
  backend->comm.bracket(false);
  return ma_fail(status, "%s", why);
}

ma_status ma_group_local(ma_device *const *devices, int n, int *indices) {
  char name[MA_COMM_NAME];
  static uint64_t count = 0;
  uint64_t key = ma_hash(&count, sizeof count, 2);
  int made = 0;
  ma_status status = MA_OK;
  count++;
  if (!devices[0]->backend->comm.name)
    return ma_fail(MA_ERR_DEVICE, "%s has no calls of several devices", devices[0]->name);
  if (rooms() < n) return full(0);
  MA_TRY(devices[0]->backend->comm.name(devices[0], name));
  for (int k = 0; k < n && status == MA_OK; k++) {
    status = make(key + (uint64_t)k, k, n, &indices[k]);
    if (status != MA_OK) break;
    made++;
    for (int r = 0; r < n; r++) groups[indices[k]]->member[r] = r;
    groups[indices[k]]->device = devices[k];
    groups[indices[k]]->is_local = true;
  }
  if (status == MA_OK) status = open_all(devices, n, name, indices);
  for (int k = 0; k < made && status != MA_OK; k++) drop(indices[k]);
  return status;
}
