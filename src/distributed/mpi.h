/* mpi.h: MPI, opened at run time. Open MPI and MPICH differ in their handles alone; here a handle is a number that is
** wide enough for both. */
#ifndef MOONARRAY_DISTRIBUTED_MPI_H
#define MOONARRAY_DISTRIBUTED_MPI_H

#include "base/base.h"

#pragma GCC visibility push(hidden)

typedef uintptr_t ma_mpi_handle;
typedef void ma_mpi_merge(void *from, void *into, int *count, ma_mpi_handle *type);

typedef struct ma_mpi_api {
#define FUNCTION(name, parameters) int(*name) parameters;
#define HANDLE(name, openmpi, mpich) ma_mpi_handle name;
#define CONSTANT(name, openmpi, mpich) intptr_t name;
#include "distributed/mpi.def"
  int status_source; /* place of MPI_SOURCE and MPI_TAG in an MPI_Status, in ints */
  int status_tag;
  char file[512], version[128];
} ma_mpi_api;
extern ma_mpi_api ma_mpi;

#define MA_MPI_STATUS_INTS 16 /* more than the MPI_Status of either */

ma_status ma_mpi_need(void);      /* opens the library; the error says how to get one */
bool ma_mpi_is_launched(void);    /* whether a launcher of MPI started this process */
ma_status ma_mpi_check(int code); /* MA_OK, or MPI's words for an error */

#pragma GCC visibility pop
#endif
