/*
** store.c: what ranks share where no MPI connects them: NCCL's names, colors of groups, records of the checking mode.
** A thread of rank 0 collects the bytes of all members of a group and gives them to each. It notices a rank whose
** connection closes, and those that do not come in time.
*/
#include "distributed/distributed.h"
#include "system/system.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAGIC 0x6d6173746f726531u
#define WIRE 10.0 /* seconds in which a message that has begun must end */
#define GRACE 3.0 /* seconds beyond the limit in which the store says who is late */
#define FOREVER 1e6

typedef struct hello {
  uint64_t magic;
  int32_t rank, size;
} hello;

typedef struct request { /* the members' ranks and the bytes follow */
  uint64_t key, number;
  double limit;
  int32_t index, size;
  int64_t nbytes;
} request;

typedef struct reply { /* the bytes of all members follow, or why there are none */
  int64_t failed, nbytes;
} reply;

/* One sharing, while its members come. */
typedef struct entry {
  struct entry *next;
  uint64_t key, number;
  int size, narrived;
  int64_t nbytes;
  int *member;
  char *bytes;
  bool *arrived;
  double until;
  char why[300]; /* of one that failed; late members get it too */
} entry;

static struct {
  int listener, size, *fd; /* by rank; -1: not there, or gone */
  bool *gone;
  entry *entries;
  pthread_t thread;
  bool runs, ending;
} server = { .listener = -1 };
static int connection = -1;

/* ==== The thread of rank 0 ======================================================================================= */

static void answer(const entry *e, int rank) {
  reply r = { .failed = *e->why != 0, .nbytes = *e->why ? (int64_t)sizeof e->why : e->nbytes * e->size };
  if (server.fd[rank] < 0) return;
  if (ma_socket_send(server.fd[rank], &r, sizeof r, WIRE))
    ma_socket_send(server.fd[rank], *e->why ? e->why : e->bytes, (size_t)r.nbytes, WIRE);
}

static void answer_all(const entry *e) {
  for (int k = 0; k < e->size; k++)
    if (e->arrived[k]) answer(e, e->member[k]);
}

static void free_entry(entry *e) {
  free(e->member);
  free(e->bytes);
  free(e->arrived);
  free(e);
}

static void remove_entry(entry *e) {
  entry **at = &server.entries;
  while (*at != e) at = &(*at)->next;
  *at = e->next;
  free_entry(e);
}

static entry *entry_of(const request *q) {
  for (entry *e = server.entries; e; e = e->next)
    if (e->key == q->key && e->number == q->number) return e;
  entry *e = calloc(1, sizeof *e);
  if (!e) return NULL;
  e->member = calloc((size_t)q->size, sizeof *e->member);
  e->arrived = calloc((size_t)q->size, sizeof *e->arrived);
  e->bytes = calloc((size_t)q->size, (size_t)q->nbytes + 1);
  if (!e->member || !e->arrived || !e->bytes) {
    free_entry(e);
    return NULL;
  }
  e->key = q->key;
  e->number = q->number;
  e->size = q->size;
  e->nbytes = q->nbytes;
  e->until = ma_clock() + FOREVER;
  e->next = server.entries;
  return server.entries = e;
}

static void drop(int rank) {
  ma_socket_close(server.fd[rank]);
  server.fd[rank] = -1;
  server.gone[rank] = true;
}

/* Reads one request; false: the connection is closed, or what came is none. */
static bool serve(int rank) {
  request q;
  int fd = server.fd[rank];
  if (!ma_socket_receive(fd, &q, sizeof q, WIRE)) return false;
  if (q.size < 1 || q.size > server.size || q.index < 0 || q.index >= q.size || q.nbytes < 0 || q.nbytes > 1 << 30)
    return false;
  entry *e = entry_of(&q);
  if (!e || e->size != q.size || e->nbytes != q.nbytes || e->arrived[q.index]) return false;
  if (!ma_socket_receive(fd, e->member, (size_t)q.size * sizeof *e->member, WIRE)) return false;
  if (!ma_socket_receive(fd, e->bytes + q.nbytes * q.index, (size_t)q.nbytes, WIRE)) return false;
  e->arrived[q.index] = true;
  e->narrived++;
  double until = ma_clock() + (q.limit > 0 ? q.limit : FOREVER);
  if (until < e->until) e->until = until;
  if (*e->why) answer(e, rank);
  else if (e->narrived == e->size) answer_all(e);
  if (e->narrived == e->size) remove_entry(e);
  return true;
}

/* Fails the sharings whose members have gone, or whose time is over. */
static void look_at_entries(void) {
  double now = ma_clock();
  for (entry *e = server.entries; e; e = e->next) {
    int missing = 0, first = -1, gone = -1;
    if (*e->why) continue;
    for (int k = 0; k < e->size; k++) {
      if (e->arrived[k]) continue;
      if (!missing++) first = e->member[k];
      if (server.gone[e->member[k]]) gone = e->member[k];
    }
    if (gone >= 0)
      snprintf(e->why, sizeof e->why,
               "rank %d has ended, or failed, before it called this; wanted a call on every rank", gone);
    else if (now > e->until)
      snprintf(e->why, sizeof e->why, "not done in time: rank %d%s not come; wanted every rank in it", first,
               missing > 1 ? " and others did" : " did");
    if (*e->why) answer_all(e);
  }
}

static void welcome(void) {
  hello h;
  int fd = ma_socket_accept(server.listener);
  if (fd < 0) return;
  if (ma_socket_receive(fd, &h, sizeof h, WIRE) && h.magic == MAGIC && h.size == server.size && h.rank >= 0 &&
      h.rank < server.size && server.fd[h.rank] < 0 && !server.gone[h.rank])
    server.fd[h.rank] = fd;
  else ma_socket_close(fd);
}

static bool all_gone(void) {
  for (int r = 0; r < server.size; r++)
    if (!server.gone[r]) return false;
  return true;
}

static void *run(void *nothing) {
  int *fds = calloc((size_t)server.size + 1, sizeof *fds);
  bool *ready = calloc((size_t)server.size + 1, sizeof *ready);
  while (fds && ready && !__atomic_load_n(&server.ending, __ATOMIC_ACQUIRE) && !all_gone()) {
    for (int r = 0; r < server.size; r++) fds[r] = server.fd[r];
    fds[server.size] = server.listener;
    ma_socket_poll(fds, ready, server.size + 1, 0.05);
    for (int r = 0; r < server.size; r++)
      if (ready[r] && server.fd[r] >= 0 && !serve(r)) drop(r);
    if (ready[server.size]) welcome();
    look_at_entries();
  }
  free(fds);
  free(ready);
  return NULL;
}

static void stop_server(void) {
  for (int r = 0; r < server.size && server.fd; r++)
    if (server.fd[r] >= 0) ma_socket_close(server.fd[r]);
  if (server.listener >= 0) ma_socket_close(server.listener);
  while (server.entries) remove_entry(server.entries);
  free(server.fd);
  free(server.gone);
  server.listener = -1;
  server.size = 0;
  server.fd = NULL;
  server.gone = NULL;
  server.runs = server.ending = false;
}

static ma_status start_server(const char *host, int port, int size) {
  MA_TRY(ma_socket_listen(host, port, &server.listener));
  server.fd = malloc((size_t)size * sizeof *server.fd);
  server.gone = calloc((size_t)size, sizeof *server.gone);
  server.size = server.fd && server.gone ? size : 0;
  for (int r = 0; r < server.size; r++) server.fd[r] = -1;
  ma_status status = server.size ? MA_OK : ma_fail(MA_ERR_MEMORY, "out of memory");
  if (status == MA_OK && pthread_create(&server.thread, NULL, run, NULL) != 0)
    status = ma_fail(MA_ERR_INTERNAL, "no thread for the store");
  if (status == MA_OK) server.runs = true;
  else stop_server();
  return status;
}

/* ==== Every rank ================================================================================================= */

ma_status ma_store_open(int rank, int size, double limit) {
  const char *host = getenv("MASTER_ADDR"), *port_text = getenv("MASTER_PORT");
  int port = port_text ? atoi(port_text) : 29500;
  hello h = { .magic = MAGIC, .rank = rank, .size = size };
  if (size >= MA_SOCKETS)
    return ma_fail(MA_ERR_VALUE, "%d ranks without MPI; at most %d are taken", size, MA_SOCKETS - 1);
  if (rank == 0) MA_TRY(start_server(host, port, size));
  if (ma_socket_connect(host, port, limit > 0 ? limit : FOREVER, &connection) != MA_OK) {
    connection = -1;
    return ma_fail_prefix(MA_ERR_IO, "rank 0 (MASTER_ADDR, MASTER_PORT) was not reached within %.4g s; ", limit);
  }
  if (ma_socket_send(connection, &h, sizeof h, WIRE)) return MA_OK;
  return ma_fail(MA_ERR_IO, "rank 0 at %s:%d closed the connection", host, port);
}

static ma_status lost(void) {
  return ma_fail(MA_ERR_LIBRARY, "rank 0, which keeps what ranks share, has ended or does not answer");
}

ma_status ma_store_share(const ma_group *g, const char *name, const void *mine, size_t n, void *all, double limit) {
  request q = { g->key, g->ncall, limit, g->rank, g->size, (int64_t)n };
  reply r;
  if (connection < 0) return lost();
  if (!ma_socket_send(connection, &q, sizeof q, WIRE) ||
      !ma_socket_send(connection, g->member, (size_t)g->size * sizeof *g->member, WIRE) ||
      !ma_socket_send(connection, mine, n, WIRE) ||
      !ma_socket_receive(connection, &r, sizeof r, limit > 0 ? limit + GRACE : FOREVER))
    return lost();
  if (r.failed) {
    char why[sizeof((entry *)0)->why];
    if (r.nbytes != (int64_t)sizeof why || !ma_socket_receive(connection, why, sizeof why, WIRE)) return lost();
    return ma_fail(MA_ERR_LIBRARY, "%.*s", (int)sizeof why - 1, why);
  }
  if (r.nbytes != (int64_t)n * g->size || !ma_socket_receive(connection, all, (size_t)r.nbytes, WIRE)) return lost();
  return MA_OK;
}

void ma_store_close(bool waits) {
  if (connection >= 0) ma_socket_close(connection);
  connection = -1;
  if (!server.runs) return;
  if (!waits) __atomic_store_n(&server.ending, true, __ATOMIC_RELEASE);
  pthread_join(server.thread, NULL);
  stop_server();
}
