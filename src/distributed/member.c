/* member.c: a rank's own connection to the store of rank 0. */
#include "distributed/distributed.h"
#include "distributed/wire.h"
#include "system/system.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GRACE 3.0 /* seconds beyond the limit in which the store says who is late */
#define LEAST 1.0 /* seconds for the greeting, however late the store was reached */

static int connection = -1;

/* A child is no rank. Connections that it held open would hide the end of its parent from the other ranks. */
static void close_in_child(void) {
  if (connection >= 0) ma_socket_close(connection);
  connection = -1;
  ma_store_forked();
}

static void watch_forks(void) { pthread_atfork(NULL, NULL, close_in_child); }

static void hang_up(void) {
  int fd = connection;
  connection = -1;
  if (fd >= 0) ma_socket_close(fd);
}

static ma_status refused(uint64_t code, int rank, int size) {
  if (code == MA_OTHER_SECRET)
    return ma_fail(
      MA_ERR_VALUE,
      "rank 0 has another MOONARRAY_STORE_SECRET than rank %d, or one of both has none; wanted the same on "
      "every rank",
      rank);
  if (code == MA_OTHER_SIZE)
    return ma_fail(MA_ERR_VALUE,
                   "rank %d of %d, but rank 0 has another number of ranks; wanted the same WORLD_SIZE everywhere", rank,
                   size);
  if (code == MA_TAKEN)
    return ma_fail(MA_ERR_VALUE, "another process is, or was, rank %d; wanted a RANK of its own for each", rank);
  return ma_fail(MA_ERR_IO, "the answer of rank 0 is none of moonarray's");
}

/* Each side proves to the other that it knows the secret. *again: the other end closed the connection, as it does when
** many strangers come, so another attempt is worth it. */
static ma_status greet(int rank, int size, double limit, bool *again) {
  double until = ma_clock() + (limit > LEAST ? limit : LEAST);
  ma_hello hello = { .magic = MA_WIRE_HELLO, .rank = rank, .size = size };
  ma_challenge challenge;
  ma_verdict verdict;
  uint8_t proof[MA_PROOF];
  *again = false;
  MA_TRY(ma_secret_nonce(hello.nonce));
  *again = true;
  if (!ma_socket_send(connection, &hello, sizeof hello, until - ma_clock()) ||
      !ma_socket_receive(connection, &challenge, sizeof challenge, until - ma_clock()))
    return ma_fail(MA_ERR_IO, "what was reached did not answer as rank 0 of moonarray does");
  if (challenge.magic != MA_WIRE_CHALLENGE) return *again = false, refused(UINT64_MAX, rank, size);
  ma_secret_prove(MA_PROVER_RANK, &hello, &challenge, proof);
  if (!ma_socket_send(connection, proof, sizeof proof, until - ma_clock()) ||
      !ma_socket_receive(connection, &verdict, sizeof verdict, until - ma_clock()))
    return ma_fail(MA_ERR_IO, "rank 0 closed the connection");
  *again = false;
  if (verdict.code != MA_WELCOME) return refused(verdict.code, rank, size);
  if (ma_secret_is_proof(MA_PROVER_STORE, &hello, &challenge, verdict.proof)) return MA_OK;
  return ma_fail(MA_ERR_VALUE, "what was reached at MASTER_ADDR and MASTER_PORT does not know "
                               "MOONARRAY_STORE_SECRET; wanted rank 0");
}

/* Tries until `limit` seconds are over. */
static ma_status reach(const char *host, int port, int rank, int size, double limit) {
  double begun = ma_clock();
  for (;;) {
    bool again;
    ma_status status = ma_socket_connect(host, port, limit - (ma_clock() - begun), &connection);
    if (status != MA_OK) connection = -1;
    if (status != MA_OK)
      return ma_fail_prefix(status, "rank 0 (MASTER_ADDR, MASTER_PORT) was not reached within %.4g s; ", limit);
    status = greet(rank, size, limit - (ma_clock() - begun), &again);
    if (status == MA_OK) return MA_OK;
    hang_up();
    if (!again || ma_clock() - begun >= limit) return ma_fail_prefix(status, "%s:%d: ", host, port);
    nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
  }
}

/* Without a secret the store is for this machine alone. */
static ma_status check_address(const char *host) {
  bool is_local;
  MA_TRY(ma_secret_need());
  if (ma_secret_is_set()) return MA_OK;
  MA_TRY(ma_socket_is_local(host, &is_local));
  if (is_local) return MA_OK;
  return ma_fail(
    MA_ERR_VALUE,
    "MASTER_ADDR is %.100s, which other machines may reach, and MOONARRAY_STORE_SECRET is not set; wanted "
    "the same random text on every rank, as from export MOONARRAY_STORE_SECRET=$(od -An -v -N32 -tx1 "
    "/dev/urandom | tr -d ' \\n') before srun or torchrun, or 127.0.0.1 where all ranks are on one machine",
    host);
}

ma_status ma_member_join(int rank, int size, double limit) {
  static const char *const ports[] = { "MASTER_PORT", NULL };
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const char *host = getenv("MASTER_ADDR");
  int port = 29500;
  MA_TRY(ma_launcher_number(ports, 1, 65535, &port));
  MA_TRY(check_address(host));
  pthread_once(&once, watch_forks);
  if (rank == 0) MA_TRY(ma_store_start(host, port, size));
  return reach(host, port, rank, size, limit > 0 ? limit : MA_WIRE_FOREVER);
}

static ma_status lost(void) {
  hang_up();
  return ma_fail(MA_ERR_LIBRARY, "rank 0, which keeps what ranks share, has ended or does not answer");
}

/* The bytes of all, or why there are none. */
static ma_status take_reply(const ma_request *q, const ma_reply *r, void *all) {
  char why[MA_WHY];
  if (r->key != q->key || r->number != q->number) return lost();
  if (!r->failed) {
    if (r->nbytes != q->nbytes * q->size) return lost();
    return ma_socket_receive(connection, all, (size_t)r->nbytes, MA_WIRE_SECONDS) ? MA_OK : lost();
  }
  if (r->nbytes != MA_WHY || !ma_socket_receive(connection, why, sizeof why, MA_WIRE_SECONDS)) return lost();
  return ma_fail(MA_ERR_LIBRARY, "%.*s", (int)sizeof why - 1, why);
}

ma_status ma_member_share(const ma_group *g, const void *mine, size_t n, void *all, double limit) {
  ma_request q = { g->key, g->ncall, limit, g->rank, g->size, (int64_t)n };
  ma_reply r;
  if (n > MA_WIRE_BYTES)
    return ma_fail(MA_ERR_VALUE, "%zu bytes for each rank; at most %d are shared", n, MA_WIRE_BYTES);
  if (connection < 0) return lost();
  if (!ma_socket_send(connection, &q, sizeof q, MA_WIRE_SECONDS) ||
      !ma_socket_send(connection, g->member, (size_t)g->size * sizeof *g->member, MA_WIRE_SECONDS) ||
      !ma_socket_send(connection, mine, n, MA_WIRE_SECONDS) ||
      !ma_socket_receive(connection, &r, sizeof r, limit > 0 ? limit + GRACE : MA_WIRE_FOREVER))
    return lost();
  return take_reply(&q, &r, all);
}

void ma_member_leave(bool waits) {
  hang_up();
  ma_store_stop(waits);
}
