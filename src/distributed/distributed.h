/*
** distributed.h: several processes. MPI carries the arrays of the CPU; a backend may bring a library of its own for its
** devices (the slots `comm`).
**
** Files: mpi.c mpi.def   MPI, opened at run time
**        world.c         this process among the others: its start and its end
**        watch.c         who has left, who has died, who is late
**        guard.c         a time limit for calls of MPI that return only when all ranks have made them
**        group.c         groups of ranks, and short texts that all members share
**        store.c         what ranks share where there is no MPI
**        member.c        a rank's own connection to the store
**        secret.c        how both prove that they know the same secret
**        wire.h          what they send each other
**        collective.c    calls of MPI on memory of the host
**        merge.c         sums and extremes that MPI lacks
**
** A call may not wait for ever: nearly all is begun by MPI's calls that return at once, and then asked for with a look
** at the clock and at the other ranks. What MPI has no such call for, a guard watches.
*/
#ifndef MOONARRAY_DISTRIBUTED_H
#define MOONARRAY_DISTRIBUTED_H

#include "distributed/mpi.h"
#include "backend/collective.h"
#include "memory/memory.h"

#pragma GCC visibility push(hidden)

#define MA_MAX_GROUPS 256

/* Ranks that call together. The world's group is number 0, and lives as long as the process. */
typedef struct ma_group {
  uint64_t key; /* the same in all members, another for every group */
  int rank, size;
  int *member;                /* rank in the world, by rank in the group */
  ma_mpi_handle data, shares; /* MPI's: for arrays, and for texts; 0 where one rank is alone */
  uint64_t ncall;             /* calls of all members that this rank has begun */
  int nopen;                  /* calls that are begun and not done */
  bool is_local;              /* the members are devices of this process */
  void *comm;                 /* of the backend of `device`, for arrays there; NULL: there is none */
  ma_device *device;
  char why[400]; /* why there is none */
} ma_group;

/* What this process waits for, for messages. */
typedef struct ma_waiting {
  const ma_group *group;
  const char *name; /* "distributed.all_reduce" */
  uint64_t number;  /* of the call in the group; 0: no call of a group */
  int peer;         /* the one rank of the world that is waited for, or -1: all of the group */
  double limit;     /* seconds; 0: none */
} ma_waiting;

/* ==== world.c ==================================================================================================== */

typedef struct ma_world {
  bool open, owns_mpi, has_mpi, has_store;
  int rank, size, local_rank, local_size;
  ma_mpi_handle service; /* for messages about the ranks themselves */
  char broken[512];      /* why nothing can be called any more; "" if it can */
} ma_world;
extern ma_world ma_the_world;

/* Joins the processes that the launcher started, or makes a world of one. */
ma_status ma_world_open(double limit);
/* Leaves it: waits for the others to do so too. The end of the process does it as well. */
ma_status ma_world_close(void);
ma_status ma_world_check(void);             /* an error where the world is not open, broken, or of another thread */
ma_status ma_world_break(ma_status status); /* keeps the message: every later call fails with it */

/* ==== launcher.c ================================================================================================= */

double ma_clock(void);                                     /* seconds */
const char *ma_launcher_set(const char *const *variables); /* the first variable that is set, or NULL */
/* The whole number in the first variable that is set, or *value as it is. An error where it is none, or beyond. */
ma_status ma_launcher_number(const char *const *variables, int least, int most, int *value);

/* ==== guard.c ==================================================================================================== */

/* From here on to ma_guard_end the process has `limit` seconds (0: no limit). After them it says so and ends. */
void ma_guard_begin(const char *name, double limit);
ma_status ma_guard_end(ma_status status); /* returns status */

/* ==== watch.c ==================================================================================================== */

ma_status ma_watch_open(double limit); /* exchanges where the ranks run */
/* Looks at what the others say, and fails if one that is waited for has left or died. */
ma_status ma_watch_look(const ma_waiting *waiting, double waited);
void ma_watch_leave(void);    /* tells all others that this rank calls nothing any more */
bool ma_watch_all_left(void); /* whether all have told so, and were told */
/* Waits for requests, which become 0 as they are done. A failure breaks the world. */
ma_status ma_wait_for(ma_mpi_handle *request, int n, const ma_waiting *waiting);
/* Asks once. */
ma_status ma_wait_test(ma_mpi_handle *request, int n, bool *done);

/* ==== store.c ==================================================================================================== */

/* Begins the thread of rank 0, which listens at the port. */
ma_status ma_store_start(const char *host, int port, int size);
void ma_store_stop(bool waits); /* with `waits` when all ranks have closed their connections */
void ma_store_forked(void);     /* closes what the child of a fork inherited */

/* ==== member.c =================================================================================================== */

/* Rank 0 keeps the store at MASTER_ADDR:MASTER_PORT, and each rank connects to it. */
ma_status ma_member_join(int rank, int size, double limit);
/* As ma_group_share. */
ma_status ma_member_share(const ma_group *group, const void *mine, size_t n, void *all, double limit);
/* Closes the connection. With `waits` rank 0 stays until the others have closed theirs. */
void ma_member_leave(bool waits);

/* ==== group.c ==================================================================================================== */

ma_status ma_group_world(void);   /* makes the group of all ranks */
ma_group *ma_group_at(int index); /* NULL: there is none of that number, which is below MA_MAX_GROUPS */
/* Members of the same color become a group, ordered by key and then by rank. A color below 0 joins none: *index is
** -1. */
ma_status ma_group_split(ma_group *group, int color, int key, double limit, int *index);
/* All members give up the group, when none of its calls is open. The number is free then. */
ma_status ma_group_close(int index, double limit);
/* Gives the n bytes of every member to all, in the order of ranks. */
ma_status ma_group_share(ma_group *group, const char *name, const void *mine, size_t n, void *all, double limit);
ma_status ma_group_meet(ma_group *group, const char *name, double limit); /* returns when all members have called it */

/* Makes a communicator of the backend of `device` if every member has a device with one; else group->why says why
** there is none. */
ma_status ma_group_join(ma_group *group, ma_device *device, double limit);

/* Groups of one process: each of n devices is a rank, with a group of its own; fills their numbers. */
ma_status ma_group_local(ma_device *const *devices, int n, int *indices);

/* ==== collective.c =============================================================================================== */

/* A call that was begun. MPI may have it in pieces. */
typedef struct ma_work {
  struct ma_work *next; /* of those that nobody waits for any more */
  ma_group *group;
  ma_waiting waiting;
  char name[40];
  ma_mpi_handle *request;
  int nrequest, room;
  int *numbers;         /* counts and places, for as long as MPI works */
  ma_buffer *buffer[2]; /* references */
  bool done;
} ma_work;

bool ma_collective_find(const char *name, ma_collective_kind *kind);
bool ma_merge_find(const char *name, ma_merge *merge);
/* Begins a call; the buffers are those of the memory. Fills *work, which ma_work_free empties. */
ma_status ma_work_begin(ma_group *group, const ma_collective *call, ma_buffer *from, ma_buffer *to, ma_work *work);
ma_status ma_work_test(ma_work *work, bool *done);
ma_status ma_work_wait(ma_work *work);
/* What MPI still works on is kept until that is done; a later call looks. */
void ma_work_free(ma_work *work);

/* ==== merge.c ===================================================================================================== */

/* The type and operation of MPI for a reduction; an error if there is none. */
ma_status ma_merge_of(ma_merge merge, ma_dtype dtype, ma_mpi_handle *type, ma_mpi_handle *op);
ma_mpi_handle ma_type_of_size(int itemsize); /* a type of MPI of that many bytes */

#pragma GCC visibility pop
#endif
