/*
** watch.c: who has left, who has died, who is late. The ranks tell each other by short messages on a communicator of
** their own. A rank looks for them while it waits, and answers then:
**     LEFT     this rank calls nothing any more; with the number of calls that it has begun in each group
**     WHERE    a rank whose time is over asks
**     HERE     where the asked one waits
** A rank that died says nothing. If it ran on this host, its process is looked for.
*/
#include "distributed/distributed.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define GRACE 1.0      /* seconds in which what a rank sent before its end may still arrive */
#define LOOK_EACH 1e-3 /* seconds between looks at messages */
#define DEATH_EACH 0.1 /* and at processes */

enum { LEFT = 1, WHERE, HERE };

typedef struct place {
  uint64_t group, number;
  char name[48];
} place;

typedef struct count {
  uint64_t group, ncall;
} count;

typedef struct message {
  place here;
  int64_t ncount;
  count counts[MA_MAX_GROUPS];
} message;

typedef struct identity {
  uint64_t host, started;
  int64_t process;
} identity;

typedef struct peer {
  identity id;
  bool left, dead, answered;
  double since; /* when that was noticed */
  place at;
  int64_t ncount;
  count *counts;
} peer;

/* A message on its way, which keeps its bytes. */
typedef struct letter {
  struct letter *next;
  ma_mpi_handle request;
  message text;
} letter;

static peer *peers;
static letter *letters;
static const ma_waiting *current;
static double looked_at_processes;

/* ==== Processes ================================================================================================== */

/* When a process of this host was started, in ticks; 0: it has gone, or nobody can tell. */
static uint64_t start_of(int64_t process) {
  char name[64], text[1024];
  unsigned long long started = 0;
  snprintf(name, sizeof name, "/proc/%lld/stat", (long long)process);
  FILE *file = fopen(name, "re");
  if (!file) return 0;
  size_t n = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[n] = 0;
  const char *rest = strrchr(text, ')'); /* the name before it may have spaces */
  if (!rest || strlen(rest) < 3 || rest[2] == 'Z' || rest[2] == 'X') return 0;
  rest += 2;
  for (int field = 3; field < 22 && rest; field++) {
    rest = strchr(rest, ' ');
    if (rest) rest++;
  }
  return rest && sscanf(rest, "%llu", &started) == 1 ? started : 0;
}

/* A number for the host and its numbering of processes, which containers have of their own. */
static uint64_t this_host(void) {
  static const char *const files[] = { "/proc/sys/kernel/random/boot_id", "/proc/sys/kernel/hostname" };
  char text[256];
  uint64_t hash = 1;
  struct stat about;
  for (int i = 0; i < 2; i++) {
    FILE *file = fopen(files[i], "re");
    if (!file) continue;
    size_t n = fread(text, 1, sizeof text, file);
    fclose(file);
    hash = ma_hash(text, n, hash);
  }
  if (stat("/proc/self/ns/pid", &about) == 0) hash = ma_hash(&about.st_ino, sizeof about.st_ino, hash);
  return hash;
}

static void look_at_processes(void) {
  const ma_world *w = &ma_the_world;
  double now = ma_clock();
  if (now - looked_at_processes < DEATH_EACH) return;
  looked_at_processes = now;
  for (int r = 0; r < w->size; r++) {
    peer *p = &peers[r];
    if (p->dead || !p->id.started || p->id.host != peers[w->rank].id.host || r == w->rank) continue;
    if (start_of(p->id.process) == p->id.started) continue;
    p->dead = true;
    if (!p->left) p->since = now;
  }
}

/* ==== Messages =================================================================================================== */

static void send_to(int rank, int tag, const message *text) {
  letter *l = malloc(sizeof *l);
  if (!l) return;
  l->text = *text;
  l->request = 0;
  size_t size = offsetof(message, counts) + (size_t)text->ncount * sizeof *text->counts;
  if (ma_mpi.Isend(&l->text, (int)size, ma_mpi.BYTE, rank, tag, ma_the_world.service, &l->request) != 0) {
    free(l);
    return;
  }
  l->next = letters;
  letters = l;
}

static void free_sent(void) {
  for (letter **at = &letters; *at;) {
    letter *l = *at;
    int done = 0;
    if (ma_mpi.Test(&l->request, &done, (void *)ma_mpi.STATUS_IGNORE) == 0 && !done) {
      at = &l->next;
      continue;
    }
    *at = l->next;
    free(l);
  }
}

static void answer(int rank) {
  message text = { .ncount = 0 };
  if (!current) return;
  text.here = (place){ .group = current->group->key, .number = current->number };
  snprintf(text.here.name, sizeof text.here.name, "%s", current->name);
  send_to(rank, HERE, &text);
}

static void take(int rank, int tag, const message *text) {
  peer *p = &peers[rank];
  if (tag == WHERE) answer(rank);
  if (tag == HERE) {
    p->answered = true;
    p->at = text->here;
  }
  if (tag != LEFT || p->left) return;
  p->left = true;
  p->since = ma_clock();
  p->counts = malloc((size_t)text->ncount * sizeof *p->counts + 1);
  p->ncount = p->counts ? text->ncount : 0;
  if (p->counts) memcpy(p->counts, text->counts, (size_t)p->ncount * sizeof *p->counts);
}

/* Takes all messages that have arrived. */
static ma_status take_all(void) {
  int status[MA_MPI_STATUS_INTS] = { 0 }, there = 0, done;
  static message text;
  free_sent();
  for (;;) {
    MA_TRY(
      ma_mpi_check(ma_mpi.Iprobe((int)ma_mpi.ANY_SOURCE, (int)ma_mpi.ANY_TAG, ma_the_world.service, &there, status)));
    if (!there) return MA_OK;
    int from = status[ma_mpi.status_source], tag = status[ma_mpi.status_tag];
    ma_mpi_handle request = 0;
    MA_TRY(ma_mpi_check(ma_mpi.Irecv(&text, (int)sizeof text, ma_mpi.BYTE, from, tag, ma_the_world.service, &request)));
    for (done = 0; !done;) MA_TRY(ma_mpi_check(ma_mpi.Test(&request, &done, (void *)ma_mpi.STATUS_IGNORE)));
    take(from, tag, &text);
  }
}

bool ma_watch_all_left(void) {
  const ma_world *w = &ma_the_world;
  if (!peers) return true;
  take_all();
  for (int r = 0; r < w->size; r++)
    if (r != w->rank && !peers[r].left) return false;
  return !letters;
}

void ma_watch_leave(void) {
  const ma_world *w = &ma_the_world;
  static message text;
  if (!peers) return;
  text = (message){ .ncount = 0 };
  for (int k = 0; k < MA_MAX_GROUPS; k++) {
    const ma_group *g = ma_group_at(k);
    if (g) text.counts[text.ncount++] = (count){ .group = g->key, .ncall = g->ncall };
  }
  for (int r = 0; r < w->size; r++)
    if (r != w->rank) send_to(r, LEFT, &text);
}

ma_status ma_watch_open(double limit) {
  ma_world *w = &ma_the_world;
  identity mine = { .host = this_host(), .process = getpid(), .started = start_of(getpid()) };
  identity *all = calloc((size_t)w->size, sizeof *all);
  peer *made = calloc((size_t)w->size, sizeof *made);
  ma_status status = all && made ? ma_group_share(ma_group_at(0), "distributed.init", &mine, sizeof mine, all, limit)
                                 : ma_fail(MA_ERR_MEMORY, "out of memory");
  for (int r = 0; r < w->size && status == MA_OK; r++) {
    made[r].id = all[r];
    w->local_size += all[r].host == mine.host;
    w->local_rank += r < w->rank && all[r].host == mine.host;
  }
  if (status == MA_OK && w->has_mpi) peers = made;
  else free(made);
  free(all);
  return status;
}

/* ==== Waiting ==================================================================================================== */

static int awaited(const ma_waiting *waiting) { return waiting->peer >= 0 ? 1 : waiting->group->size; }
static int awaited_rank(const ma_waiting *waiting, int k) {
  return waiting->peer >= 0 ? waiting->peer : waiting->group->member[k];
}

/* Whether a rank that left had begun the call that is waited for. */
static bool took_part(const peer *p, const ma_waiting *waiting) {
  for (int64_t k = 0; k < p->ncount; k++)
    if (p->counts[k].group == waiting->group->key) return p->counts[k].ncall >= waiting->number;
  return false;
}

static ma_status look_at(int rank, const ma_waiting *waiting) {
  const peer *p = &peers[rank];
  if (!p->left && !p->dead) return MA_OK;
  bool graced = ma_clock() - p->since > GRACE;
  if (p->dead && !p->left && graced)
    return ma_fail(MA_ERR_LIBRARY, "rank %d (process %lld) has died; wanted all ranks until the end", rank,
                   (long long)p->id.process);
  if (!p->left || (waiting->number == 0 && waiting->peer < 0)) return MA_OK;
  if (waiting->peer >= 0 ? !graced : took_part(p, waiting)) return MA_OK;
  return ma_fail(MA_ERR_LIBRARY, "rank %d has ended, or failed, before it called this; wanted a call on every rank",
                 rank);
}

ma_status ma_watch_look(const ma_waiting *waiting, double waited) {
  if (!peers) return MA_OK;
  MA_TRY(take_all());
  if (waited > DEATH_EACH) look_at_processes();
  for (int k = 0; k < awaited(waiting); k++) MA_TRY(look_at(awaited_rank(waiting, k), waiting));
  return MA_OK;
}

static bool all_answered(const ma_waiting *waiting) {
  for (int k = 0; k < awaited(waiting); k++) {
    int r = awaited_rank(waiting, k);
    if (r != ma_the_world.rank && !peers[r].answered && !peers[r].left) return false;
  }
  return true;
}

/* What to say of a rank; NULL: it waits for the same call. */
static const char *excuse(int rank, const ma_waiting *waiting, char *text, size_t size) {
  const peer *p = &peers[rank];
  if (p->left) snprintf(text, size, "rank %d has ended", rank);
  else if (!p->answered)
    snprintf(text, size, "rank %d does not answer, because it computes, has stopped or died", rank);
  else if (p->at.group != waiting->group->key)
    snprintf(text, size, "rank %d waits in %s of another group", rank, p->at.name);
  else if (p->at.number != waiting->number || strcmp(p->at.name, waiting->name) != 0)
    snprintf(text, size, "rank %d waits in %s, its call %llu", rank, p->at.name, (unsigned long long)p->at.number);
  else return NULL;
  return text;
}

static ma_status late(const ma_waiting *waiting) {
  double begun = ma_clock();
  message text = { .ncount = 0 };
  char list[400] = "", one[120];
  int nlisted = 0;
  if (!peers) return ma_fail(MA_ERR_LIBRARY, "some ranks did not arrive within %.4g s", waiting->limit);
  for (int k = 0; k < awaited(waiting); k++) {
    int r = awaited_rank(waiting, k);
    peers[r].answered = false;
    if (r != ma_the_world.rank && !peers[r].left) send_to(r, WHERE, &text);
  }
  while (ma_clock() - begun < GRACE && !all_answered(waiting)) {
    if (take_all() != MA_OK) break;
    nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
  }
  for (int k = 0; k < awaited(waiting) && nlisted < 4; k++) {
    int r = awaited_rank(waiting, k);
    if (r == ma_the_world.rank || !excuse(r, waiting, one, sizeof one)) continue;
    size_t n = strlen(list);
    snprintf(list + n, sizeof list - n, "%s%s", nlisted++ ? ", " : "", one);
  }
  char call[40] = "";
  if (waiting->number) snprintf(call, sizeof call, ", call %llu", (unsigned long long)waiting->number);
  return ma_fail(MA_ERR_LIBRARY, "not done within %.4g s: %s; wanted every rank in it%s", waiting->limit,
                 nlisted ? list : "all ranks are in it, and the network is slow or broken", call);
}

ma_status ma_wait_test(ma_mpi_handle *request, int n, bool *done) {
  *done = true;
  for (int i = 0; i < n; i++) {
    int one = 0;
    if (!request[i]) continue;
    MA_TRY(ma_world_break(ma_mpi_check(ma_mpi.Test(&request[i], &one, (void *)ma_mpi.STATUS_IGNORE))));
    if (one) request[i] = 0;
    else *done = false;
  }
  return MA_OK;
}

/* Leaves the core to others more and more. */
static void rest(int turn) {
  if (turn < 50) return;
  if (turn < 2000) sched_yield();
  else nanosleep(&(struct timespec){ .tv_nsec = turn < 4000 ? 20000 : 200000 }, NULL);
}

static ma_status wait_for(ma_mpi_handle *request, int n, const ma_waiting *waiting) {
  double begun = 0, looked = 0;
  for (int turn = 0;; turn += turn < 4000) {
    bool done;
    MA_TRY(ma_wait_test(request, n, &done));
    if (done) return MA_OK;
    rest(turn);
    if (turn < 50) continue;
    double now = ma_clock();
    if (begun == 0) begun = looked = now;
    if (now - looked < LOOK_EACH) continue;
    looked = now;
    MA_TRY(ma_watch_look(waiting, now - begun));
    if (waiting->limit > 0 && now - begun > waiting->limit) return late(waiting);
  }
}

ma_status ma_wait_for(ma_mpi_handle *request, int n, const ma_waiting *waiting) {
  const ma_waiting *outer = current;
  current = waiting;
  ma_status status = ma_world_break(wait_for(request, n, waiting));
  current = outer;
  return status;
}
