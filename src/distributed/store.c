/*
** store.c: what ranks share where no MPI connects them: NCCL's names, colors of groups, records of the checking mode.
** A thread of rank 0 collects the bytes of all members of a group and gives them to each. It notices a rank whose
** connection closes, and those that do not come in time.
**
** Anybody may connect, so nothing that comes is believed. One loop looks at all connections and never waits for one. A
** connection that does not end in time what it began is closed, and so is one that sends what does not fit: it counts
** for nothing before it has proved that it knows the secret, and after that for a rank that failed. Memory is taken for
** bytes that came, not for bytes that were announced.
*/
#include "distributed/distributed.h"
#include "distributed/wire.h"
#include "system/system.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STRANGERS 256           /* most connections that have proved nothing yet; the oldest gives way */
#define TURN 16                 /* reads, and new connections, before the loop looks at the others */
#define PIECE ((size_t)1 << 16) /* bytes in a read */
#define TICK 0.05               /* seconds between looks at the clock */

/* One sharing, while its members come. */
typedef struct call {
  struct call *next;
  ma_request request; /* of the first member that came */
  int narrived, nwaiting;
  int *member;   /* rank by place */
  char **part;   /* by place: the member's bytes, behind the ranks that came with them */
  bool *arrived; /* by place */
  char *all;     /* when all have come */
  double until;
  char why[MA_WHY]; /* of one that failed; late members get it too */
} call;

typedef enum stage { HELLO, PROOF, REQUEST, PART, WAITING, REFUSED, FAILED } stage;

typedef struct peer {
  int fd, rank; /* -1: nobody, and nobody yet */
  stage stage;
  double until; /* closed then */
  ma_hello hello;
  ma_challenge challenge;
  ma_request request;
  char *in; /* the message that comes */
  size_t have, want, room;
  call *call; /* that it has not got the bytes of yet */
  char head[64];
  const char *body; /* goes out behind the head */
  size_t nhead, nbody, sent;
} peer;

static struct {
  int listener, size, npeers;
  peer *peers;
  int *seat; /* by rank: the place in peers; -1: not there, or gone */
  bool *gone;
  ma_socket_wait *waits;
  call *calls;
  double rests; /* the listener, where the process has no descriptors left */
  pthread_t thread;
  bool runs, ending;
} server = { .listener = -1 };

/* ==== Connections ================================================================================================ */

static void release(call *c);

static size_t size_of(stage stage, const ma_request *q) {
  switch (stage) {
  case HELLO: return sizeof(ma_hello);
  case PROOF: return MA_PROOF;
  case REQUEST: return sizeof(ma_request);
  case PART: return (size_t)q->size * sizeof(int32_t) + (size_t)q->nbytes;
  default: return 0; /* nothing may come */
  }
}

static void expect(peer *p, stage stage) {
  p->stage = stage;
  p->have = 0;
  p->want = size_of(stage, &p->request);
  if (stage == WAITING) p->until = ma_clock() + MA_WIRE_FOREVER;
}

static void drop(peer *p) {
  int fd = p->fd;
  call *c = p->call;
  if (p->rank >= 0) {
    server.seat[p->rank] = -1;
    server.gone[p->rank] = true;
  }
  free(p->in);
  *p = (peer){ .fd = -1, .rank = -1 };
  ma_socket_close(fd);
  if (c) {
    c->nwaiting--;
    release(c);
  }
}

/* Sends as much as the other end takes. False: the connection is over. */
static bool send_more(peer *p) {
  while (p->sent < p->nhead + p->nbody) {
    bool in_head = p->sent < p->nhead;
    const char *from = in_head ? p->head + p->sent : p->body + (p->sent - p->nhead);
    ptrdiff_t n = ma_socket_write(p->fd, from, in_head ? p->nhead - p->sent : p->nhead + p->nbody - p->sent);
    if (n < 0) return false;
    if (n == 0) return true;
    p->sent += (size_t)n;
    if (p->rank >= 0) p->until = ma_clock() + MA_WIRE_SECONDS;
  }
  p->sent = p->nhead = p->nbody = 0;
  if (p->rank >= 0) p->until = ma_clock() + MA_WIRE_FOREVER;
  if (p->stage == REFUSED) return false;
  if (p->stage == WAITING) {
    call *c = p->call;
    p->call = NULL;
    expect(p, *c->why ? FAILED : REQUEST);
    c->nwaiting--;
    release(c);
  }
  return true;
}

static bool begin_send(peer *p, const void *head, size_t nhead, const void *body, size_t nbody) {
  memcpy(p->head, head, nhead);
  p->nhead = nhead;
  p->body = body;
  p->nbody = nbody;
  if (p->rank >= 0) p->until = ma_clock() + MA_WIRE_SECONDS;
  return send_more(p);
}

/* ==== Calls ====================================================================================================== */

static void free_parts(call *c) {
  for (int k = 0; k < c->request.size && c->part; k++) {
    free(c->part[k]);
    c->part[k] = NULL;
  }
}

static void remove_call(call *c) {
  call **at = &server.calls;
  while (*at && *at != c) at = &(*at)->next;
  if (*at) *at = c->next;
  free_parts(c);
  free(c->member);
  free(c->part);
  free(c->arrived);
  free(c->all);
  free(c);
}

/* Frees a call that all members have come to and nobody waits for. */
static void release(call *c) {
  if (c->narrived == c->request.size && c->nwaiting == 0) remove_call(c);
}

static call *find_call(const ma_request *q) {
  call *c = server.calls;
  while (c && (c->request.key != q->key || c->request.number != q->number)) c = c->next;
  return c;
}

static call *make_call(const ma_request *q, const int32_t *member) {
  call *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  size_t n = (size_t)q->size;
  c->request = *q;
  c->member = calloc(n, sizeof *c->member);
  c->part = calloc(n, sizeof *c->part);
  c->arrived = calloc(n, sizeof *c->arrived);
  if (!c->member || !c->part || !c->arrived) {
    remove_call(c);
    return NULL;
  }
  for (size_t k = 0; k < n; k++) c->member[k] = member[k];
  c->until = ma_clock() + MA_WIRE_FOREVER;
  c->next = server.calls;
  return server.calls = c;
}

static void answer(call *c, int place) {
  const ma_request *q = &c->request;
  int seat = server.seat[c->member[place]];
  if (seat < 0 || server.peers[seat].call != c || server.peers[seat].nhead) return; /* gone, or answered before */
  bool failed = *c->why != 0;
  ma_reply r = { q->key, q->number, failed, failed ? MA_WHY : q->nbytes * q->size };
  if (!begin_send(&server.peers[seat], &r, sizeof r, failed ? c->why : c->all, (size_t)r.nbytes))
    drop(&server.peers[seat]);
}

static void answer_all(call *c) {
  c->nwaiting++; /* it stays until all have an answer */
  for (int k = 0; k < c->request.size; k++)
    if (c->arrived[k]) answer(c, k);
  c->nwaiting--;
  release(c);
}

static void fail(call *c) {
  free_parts(c);
  answer_all(c);
}

/* Puts the parts behind each other. */
static void join_parts(call *c) {
  size_t n = (size_t)c->request.nbytes, skip = (size_t)c->request.size * sizeof(int32_t);
  c->all = malloc(n * (size_t)c->request.size + 1);
  if (!c->all) snprintf(c->why, sizeof c->why, "rank 0 is out of memory: %zu bytes from each rank", n);
  for (int k = 0; k < c->request.size && c->all; k++) memcpy(c->all + n * (size_t)k, c->part[k] + skip, n);
  free_parts(c);
  answer_all(c);
}

static bool request_fits(const ma_request *q) {
  const call *c = find_call(q);
  if (q->size < 1 || q->size > server.size || q->index < 0 || q->index >= q->size) return false;
  if (q->nbytes < 0 || q->nbytes > MA_WIRE_BYTES) return false;
  return !c || (c->request.size == q->size && c->request.nbytes == q->nbytes && !c->arrived[q->index]);
}

/* Members are ranks, each of them once, and the sender is where it says. */
static bool members_fit(const peer *p, const int32_t *member) {
  const ma_request *q = &p->request;
  bool *is_there = calloc((size_t)server.size, sizeof *is_there), fit = is_there && member[q->index] == p->rank;
  for (int k = 0; k < q->size && fit; k++) {
    fit = member[k] >= 0 && member[k] < server.size && !is_there[member[k]];
    if (fit) is_there[member[k]] = true;
  }
  free(is_there);
  return fit;
}

/* A member has come with all that it brings. */
static bool arrive(peer *p) {
  const ma_request *q = &p->request;
  const int32_t *member = (const int32_t *)p->in;
  if (!request_fits(q) || !members_fit(p, member)) return false;
  call *c = find_call(q);
  if (!c) c = make_call(q, member);
  if (!c || memcmp(c->member, member, (size_t)q->size * sizeof *member) != 0) return false;
  double until = ma_clock() + (q->limit > 0 && q->limit < MA_WIRE_FOREVER ? q->limit : MA_WIRE_FOREVER);
  if (until < c->until) c->until = until;
  c->arrived[q->index] = true;
  c->part[q->index] = p->in;
  p->in = NULL;
  p->room = 0;
  p->call = c;
  c->narrived++;
  c->nwaiting++;
  expect(p, WAITING);
  if (*c->why) fail(c);
  else if (c->narrived == q->size) join_parts(c);
  return true;
}

/* Fails the calls whose members have gone, or whose time is over. */
static void look_at_calls(void) {
  double now = ma_clock();
  for (call *c = server.calls, *next; c; c = next) {
    int missing = 0, first = -1, gone = -1;
    next = c->next;
    if (*c->why) continue;
    for (int k = 0; k < c->request.size; k++) {
      if (c->arrived[k]) continue;
      if (!missing++) first = c->member[k];
      if (server.gone[c->member[k]]) gone = c->member[k];
    }
    if (gone >= 0)
      snprintf(c->why, sizeof c->why,
               "rank %d has ended, or failed, before it called this; wanted a call on every rank", gone);
    else if (missing && now > c->until)
      snprintf(c->why, sizeof c->why, "not done in time: rank %d%s not come; wanted every rank in it", first,
               missing > 1 ? " and others did" : " did");
    if (*c->why) fail(c);
  }
}

/* ==== Who comes ================================================================================================== */

static ma_verdict_code judge(const peer *p) {
  const ma_hello *h = &p->hello;
  if (!ma_secret_is_proof(MA_PROVER_RANK, h, &p->challenge, (const uint8_t *)p->in)) return MA_OTHER_SECRET;
  if (h->size != server.size || h->rank < 0 || h->rank >= server.size) return MA_OTHER_SIZE;
  return server.seat[h->rank] >= 0 || server.gone[h->rank] ? MA_TAKEN : MA_WELCOME;
}

static bool take_hello(peer *p) {
  memcpy(&p->hello, p->in, sizeof p->hello);
  p->challenge.magic = MA_WIRE_CHALLENGE;
  if (p->hello.magic != MA_WIRE_HELLO || ma_secret_nonce(p->challenge.nonce) != MA_OK) return false;
  expect(p, PROOF);
  return begin_send(p, &p->challenge, sizeof p->challenge, NULL, 0);
}

static bool take_proof(peer *p) {
  ma_verdict v = { .code = judge(p) };
  if (v.code == MA_WELCOME) {
    ma_secret_prove(MA_PROVER_STORE, &p->hello, &p->challenge, v.proof);
    p->rank = p->hello.rank;
    server.seat[p->rank] = (int)(p - server.peers);
  }
  expect(p, v.code == MA_WELCOME ? REQUEST : REFUSED);
  return begin_send(p, &v, sizeof v, NULL, 0);
}

static bool take_request(peer *p) {
  memcpy(&p->request, p->in, sizeof p->request);
  expect(p, PART);
  return request_fits(&p->request);
}

/* A whole message has come. */
static bool take(peer *p) {
  switch (p->stage) {
  case HELLO: return take_hello(p);
  case PROOF: return take_proof(p);
  case REQUEST: return take_request(p);
  case PART: return arrive(p);
  default: return false;
  }
}

/* Room for what comes next: as much again as has come. */
static bool make_room(peer *p) {
  if (p->have < p->room) return true;
  size_t room = p->have < PIECE ? PIECE : 2 * p->have;
  char *in = realloc(p->in, room < p->want ? room : p->want);
  if (!in) return false;
  p->in = in;
  p->room = room < p->want ? room : p->want;
  return true;
}

/* Reads what has come. False: the connection is over, or what came does not fit. */
static bool read_more(peer *p) {
  for (int k = 0; k < TURN; k++) {
    char nothing;
    if (p->fd < 0 || p->nhead) return true; /* what is on its way out comes first */
    if (!p->want) return ma_socket_read(p->fd, &nothing, 1) == 0;
    if (!make_room(p)) return false;
    ptrdiff_t n = ma_socket_read(p->fd, p->in + p->have, (p->room < p->want ? p->room : p->want) - p->have);
    if (n < 0) return false;
    if (n == 0) return true;
    if (p->have == 0 && p->stage == REQUEST) p->until = ma_clock() + MA_WIRE_SECONDS;
    p->have += (size_t)n;
    if (p->have < p->want) continue;
    if (!take(p)) return false;
  }
  return true;
}

/* The stranger that came first. */
static peer *oldest(int *n) {
  peer *found = NULL;
  *n = 0;
  for (int k = 0; k < server.npeers; k++) {
    peer *p = &server.peers[k];
    if (p->fd < 0 || p->rank >= 0) continue;
    if (!found || p->until < found->until) found = p;
    ++*n;
  }
  return found;
}

static void welcome(void) {
  for (int k = 0, n; k < TURN; k++) {
    bool is_full;
    int fd = ma_socket_accept(server.listener, &is_full);
    if (fd < 0 && !is_full) return;
    peer *first = oldest(&n), *p = server.peers;
    if (first && (is_full || n == STRANGERS)) drop(first);
    if (is_full) {
      server.rests = ma_clock() + TICK;
      return;
    }
    while (p->fd >= 0) p++;
    *p = (peer){ .fd = fd, .rank = -1, .until = ma_clock() + MA_WIRE_SECONDS };
    expect(p, HELLO);
  }
}

/* ==== The thread of rank 0 ======================================================================================= */

static bool all_gone(void) {
  for (int r = 0; r < server.size; r++)
    if (!server.gone[r]) return false;
  return true;
}

static void *run(void *nothing) {
  ma_socket_wait *waits = server.waits;
  while (!__atomic_load_n(&server.ending, __ATOMIC_ACQUIRE) && !all_gone()) {
    double now = ma_clock();
    for (int k = 0; k < server.npeers; k++)
      waits[k] = (ma_socket_wait){ .fd = server.peers[k].fd, .writes = server.peers[k].nhead > 0 };
    waits[server.npeers].fd = now < server.rests ? -1 : server.listener;
    ma_socket_poll(waits, server.npeers + 1, TICK);
    now = ma_clock();
    for (int k = 0; k < server.npeers; k++) {
      peer *p = &server.peers[k];
      if (p->fd < 0) continue;
      bool is_well = !waits[k].ready || (p->nhead ? send_more(p) : read_more(p));
      if (p->fd >= 0 && (!is_well || now > p->until)) drop(p);
    }
    if (waits[server.npeers].ready) welcome();
    look_at_calls();
  }
  return NULL;
}

static void stop(void) {
  for (int k = 0; k < server.npeers; k++)
    if (server.peers[k].fd >= 0) drop(&server.peers[k]);
  if (server.listener >= 0) ma_socket_close(server.listener);
  while (server.calls) remove_call(server.calls);
  free(server.peers);
  free(server.seat);
  free(server.gone);
  free(server.waits);
  memset(&server, 0, sizeof server);
  server.listener = -1;
}

void ma_store_forked(void) {
  for (int k = 0; k < server.npeers; k++)
    if (server.peers[k].fd >= 0) ma_socket_close(server.peers[k].fd);
  if (server.listener >= 0) ma_socket_close(server.listener);
  server.listener = -1;
  server.npeers = 0;
  server.runs = false;
}

ma_status ma_store_start(const char *host, int port, int size) {
  const int npeers = size + STRANGERS;
  if (npeers >= MA_SOCKETS)
    return ma_fail(MA_ERR_VALUE, "%d ranks without MPI; at most %d are taken", size, MA_SOCKETS - STRANGERS - 1);
  MA_TRY(ma_socket_listen(host, port, &server.listener));
  server.peers = malloc((size_t)npeers * sizeof *server.peers);
  server.seat = malloc((size_t)size * sizeof *server.seat);
  server.gone = calloc((size_t)size, sizeof *server.gone);
  server.waits = calloc((size_t)npeers + 1, sizeof *server.waits);
  if (!server.peers || !server.seat || !server.gone || !server.waits) {
    stop();
    return ma_fail(MA_ERR_MEMORY, "out of memory");
  }
  for (int k = 0; k < npeers; k++) server.peers[k] = (peer){ .fd = -1, .rank = -1 };
  for (int r = 0; r < size; r++) server.seat[r] = -1;
  server.size = size;
  server.npeers = npeers;
  server.runs = pthread_create(&server.thread, NULL, run, NULL) == 0;
  if (server.runs) return MA_OK;
  stop();
  return ma_fail(MA_ERR_INTERNAL, "no thread for the store");
}

void ma_store_stop(bool waits) {
  if (!server.runs) return;
  if (!waits) __atomic_store_n(&server.ending, true, __ATOMIC_RELEASE);
  pthread_join(server.thread, NULL);
  stop();
}
