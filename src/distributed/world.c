/*
** world.c: this process among those that a launcher started together. Its end is a part of it: a rank that ends tells
** the others, so that none of them waits for it, and one that failed ends the others by the launcher.
*/
#include "distributed/distributed.h"
#include "system/system.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LAST_SECONDS 5 /* in which MPI must have ended, or the launcher a rank that failed */
#define LAST_WORDS 1.0 /* seconds in which the others may end too before a rank that failed ends them */

ma_world ma_the_world;
static pid_t process;
static pthread_t thread;

ma_status ma_world_break(ma_status status) {
  ma_world *w = &ma_the_world;
  if (status != MA_OK && !*w->broken) snprintf(w->broken, sizeof w->broken, "%s", ma_message());
  return status;
}

ma_status ma_world_check(void) {
  const ma_world *w = &ma_the_world;
  if (!w->open) return ma_fail(MA_ERR_VALUE, "no world of ranks; call ma.distributed.init() first");
  if (process != getpid()) return ma_fail(MA_ERR_VALUE, "called in the child of a fork; only its parent is a rank");
  if (w->has_mpi && !pthread_equal(thread, pthread_self()))
    return ma_fail(MA_ERR_VALUE, "called on another thread; wanted the one that called ma.distributed.init()");
  if (*w->broken) return ma_fail(MA_ERR_LIBRARY, "nothing can be called after: %s", w->broken);
  return MA_OK;
}

/* ==== The end ==================================================================================================== */

/* Takes the last messages, which MPI would not like to find at its end. */
static void clear_messages(void) {
  double begun = ma_clock();
  while (!ma_watch_all_left() && ma_clock() - begun < LAST_WORDS) sched_yield();
}

/* All ranks meet in a last barrier. Returns false if one died, or if `limit` seconds (0: no limit) passed. */
static bool meet(double limit) {
  ma_mpi_handle request = 0;
  int done = 0;
  double begun = ma_clock(), looked = begun;
  ma_waiting all = { .group = ma_group_at(0), .name = "the end", .peer = -1 };
  if (ma_mpi.Ibarrier(ma_the_world.service, &request) != 0) return false;
  for (;;) {
    if (ma_mpi.Test(&request, &done, (void *)ma_mpi.STATUS_IGNORE) != 0) return false;
    if (done) return true;
    double now = ma_clock();
    if (limit > 0 && now - begun > limit) return false;
    if (now - looked > 0.02) {
      looked = now;
      if (ma_watch_look(&all, now - begun) != MA_OK) return false;
    }
    nanosleep(&(struct timespec){ .tv_nsec = 200000 }, NULL);
  }
}

#ifdef SIGALRM
static int last_status;
static void end_now(int signal) { quick_exit(last_status); }
#endif

/* The ranks have met, but MPICH over TCP may still wait for a rank that has stopped listening. Then the process ends
** with its status as it is. */
static void finalize(int status) {
#ifdef SIGALRM
  last_status = status > 0 ? status : 0;
  signal(SIGALRM, end_now);
  alarm(LAST_SECONDS);
#endif
  fflush(NULL);
  ma_mpi.Finalize();
#ifdef SIGALRM
  alarm(0);
  signal(SIGALRM, SIG_DFL);
#endif
}

/* `status`: that of the process, or -1 if it is not known. */
static void leave(int status) {
  ma_world *w = &ma_the_world;
  int finalized = 0;
  if (!w->open || process != getpid()) return;
  w->open = false;
  if (w->has_store) ma_member_leave(status <= 0 && !*w->broken);
  if (!w->has_mpi || !w->owns_mpi || ma_mpi.Finalized(&finalized) != 0 || finalized) return;
  bool failed = status > 0 || *w->broken;
  ma_watch_leave();
  if (meet(failed ? LAST_WORDS : 0) && !*w->broken) {
    clear_messages();
    finalize(status);
    return;
  }
  fflush(NULL);
  nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL); /* for the launcher to read what was printed */
#ifdef SIGALRM
  signal(SIGALRM, SIG_DFL); /* a launcher that has lost a host does not answer */
  alarm(LAST_SECONDS);
#endif
  ma_mpi.Abort(ma_mpi.COMM_WORLD, status > 0 ? status : 1);
}

ma_status ma_world_close(void) {
  MA_TRY(ma_world_check());
  leave(-1);
  return MA_OK;
}

/* ==== The start ================================================================================================== */

static ma_status open_mpi(ma_world *w) {
  int initialized = 0, provided = 0;
  ma_mpi.Initialized(&initialized);
  w->owns_mpi = !initialized;
  if (!initialized) MA_TRY(ma_mpi_check(ma_mpi.Init_thread(NULL, NULL, 1, &provided)));
  MA_TRY(ma_mpi_check(ma_mpi.Comm_rank(ma_mpi.COMM_WORLD, &w->rank)));
  MA_TRY(ma_mpi_check(ma_mpi.Comm_size(ma_mpi.COMM_WORLD, &w->size)));
  MA_TRY(ma_mpi_check(ma_mpi.Comm_dup(ma_mpi.COMM_WORLD, &w->service)));
  ma_mpi.Comm_set_errhandler(w->service, ma_mpi.ERRORS_RETURN);
  w->has_mpi = true;
  return MA_OK;
}

/* torchrun and its like say who a process is and where rank 0 is to be found; Slurm says the first of that. */
static ma_status open_store(ma_world *w, double limit) {
  static const char *const ranks[] = { "RANK", "SLURM_PROCID", NULL };
  static const char *const sizes[] = { "WORLD_SIZE", "SLURM_NTASKS", NULL };
  if (!ma_launcher_set(ranks) || !ma_launcher_set(sizes))
    return ma_fail(MA_ERR_VALUE,
                   "MASTER_ADDR is set, but not %s; wanted this process's rank in RANK, and the number "
                   "of ranks in WORLD_SIZE",
                   ma_launcher_set(ranks) ? sizes[0] : ranks[0]);
  MA_TRY(ma_launcher_number(ranks, 0, INT_MAX, &w->rank));
  MA_TRY(ma_launcher_number(sizes, 1, INT_MAX, &w->size));
  if (w->rank >= w->size)
    return ma_fail(MA_ERR_VALUE, "rank %d of %d; wanted RANK from 0 to WORLD_SIZE - 1", w->rank, w->size);
  if (w->size > 1) MA_TRY(ma_member_join(w->rank, w->size, limit));
  w->has_store = w->size > 1;
  return MA_OK;
}

/* Who says that it is one of several ranks, but not where rank 0 is, would be a world of its own without a word. Slurm
** sets its variables for a batch script that is no rank, too. */
static ma_status is_alone(void) {
  static const char *const ranks[] = { "RANK", NULL }, *const sizes[] = { "WORLD_SIZE", NULL };
  int size = 1;
  if (ma_launcher_set(ranks)) MA_TRY(ma_launcher_number(sizes, 1, INT_MAX, &size));
  if (size == 1) return MA_OK;
  return ma_fail(MA_ERR_VALUE, "RANK and WORLD_SIZE are set, but not MASTER_ADDR; wanted the address of rank 0");
}

/* Where MPI has begun and the rest fails, only the end of the process is left: the launcher ends the others then. */
static ma_status join(ma_world *w, double limit) {
  static const char *const addresses[] = { "MASTER_ADDR", NULL };
  ma_status status = MA_OK;
  if (ma_mpi_is_launched() || *ma_config_string(MA_CONFIG_MPI)) {
    MA_TRY(ma_mpi_need());
    ma_guard_begin("distributed.init", limit);
    status = open_mpi(w);
    if (status == MA_OK) status = ma_group_world();
    return ma_guard_end(status);
  }
  status = ma_launcher_set(addresses) ? open_store(w, limit) : is_alone();
  if (status == MA_OK) status = ma_group_world();
  if (status != MA_OK) ma_member_leave(false);
  return status;
}

ma_status ma_world_open(double limit) {
  static const char *const local_ranks[] = { "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "LOCAL_RANK",
                                             "SLURM_LOCALID", NULL };
  static const char *const local_sizes[] = { "OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "LOCAL_WORLD_SIZE",
                                             NULL };
  static bool used;
  ma_world *w = &ma_the_world;
  int local_rank = -1, local_size = -1;
  if (w->open) return ma_world_check();
  if (used) return ma_fail(MA_ERR_VALUE, "this process has left its world; init() is for once");
  MA_TRY(ma_launcher_number(local_ranks, 0, INT_MAX, &local_rank));
  MA_TRY(ma_launcher_number(local_sizes, 1, INT_MAX, &local_size));
  *w = (ma_world){ .size = 1 };
  MA_TRY(join(w, limit));
  process = getpid();
  thread = pthread_self();
  w->open = used = true;
  ma_system_at_exit(leave);
  if (w->size > 1) MA_TRY(ma_world_break(ma_watch_open(limit)));
  if (local_rank >= 0) w->local_rank = local_rank;
  if (local_size > 0) w->local_size = local_size;
  return MA_OK;
}
