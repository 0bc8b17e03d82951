/*
** mpi.c: opens MPI at run time. The launcher that started the process says which library speaks to it: mpirun of Open
** MPI sets OMPI_COMM_WORLD_RANK, MPICH's and Intel's set PMI_RANK, and Slurm sets PMIX_RANK or PMI_RANK.
*/
#include "distributed/mpi.h"
#include "base/once.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ma_mpi_api ma_mpi;

#define MOST_FILES 4
static const char *const openmpi_files[MOST_FILES] = { "libmpi.so.40", "libmpi.so.80", NULL };
static const char *const mpich_files[MOST_FILES] = { "libmpich.so.12", "libmpi.so.12", "libmpi_cray.so.12", NULL };

static const char *const openmpi_variables[] = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", NULL };
static const char *const mpich_variables[] = { "PMI_RANK", "PMI_FD", NULL };

#define HINT "install Open MPI or MPICH (apt-get install openmpi-bin, or mpich), or name its library in MOONARRAY_MPI"

static const struct {
  const char *name;
  size_t offset;
} functions[] = {
#define FUNCTION(name, parameters) { "MPI_" #name, offsetof(ma_mpi_api, name) },
#include "distributed/mpi.def"
};

static const struct {
  const char *openmpi;
  ma_mpi_handle mpich;
  size_t offset;
} handles[] = {
#define HANDLE(name, openmpi, mpich) { #openmpi, mpich, offsetof(ma_mpi_api, name) },
#include "distributed/mpi.def"
};

static bool is_set(const char *const *variables) {
  for (; *variables; variables++)
    if (getenv(*variables)) return true;
  return false;
}

bool ma_mpi_is_launched(void) { return is_set(openmpi_variables) || is_set(mpich_variables); }

/* Fills ma_mpi from an open library; returns the name of a missing symbol, or NULL. */
static const char *resolve(void *library) {
  bool is_openmpi = dlsym(library, handles[0].openmpi) != NULL;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *address = dlsym(library, functions[i].name);
    if (!address) return functions[i].name;
    memcpy((char *)&ma_mpi + functions[i].offset, &address, sizeof address);
  }
  for (size_t i = 0; i < sizeof handles / sizeof *handles; i++) {
    ma_mpi_handle handle = is_openmpi ? (ma_mpi_handle)dlsym(library, handles[i].openmpi) : handles[i].mpich;
    if (!handle) return handles[i].openmpi;
    memcpy((char *)&ma_mpi + handles[i].offset, &handle, sizeof handle);
  }
#define CONSTANT(name, openmpi, mpich) ma_mpi.name = is_openmpi ? (openmpi) : (mpich);
#include "distributed/mpi.def"
  ma_mpi.status_source = is_openmpi ? 0 : 2;
  ma_mpi.status_tag = is_openmpi ? 1 : 3;
  return NULL;
}

/* The components of Open MPI look for its symbols, so the library is opened for all. */
static void *open_file(const char *file) { return dlopen(file, RTLD_NOW | RTLD_GLOBAL); }

static void *open_first(const char *const *files, const char **file) {
  for (int i = 0; files[i]; i++) {
    void *library = open_file(*file = files[i]);
    if (library) return library;
  }
  return NULL;
}

static ma_status open_library(void) {
  const char *chosen = ma_config_string(MA_CONFIG_MPI), *file = chosen;
  void *library = NULL;
  if (*chosen) {
    library = open_file(chosen);
    if (!library) return ma_fail(MA_ERR_LIBRARY, "%s does not open (%s); MOONARRAY_MPI names it", chosen, dlerror());
  } else {
    bool mpich_first = is_set(mpich_variables) && !is_set(openmpi_variables);
    library = open_first(mpich_first ? mpich_files : openmpi_files, &file);
    if (!library && !ma_mpi_is_launched()) library = open_first(mpich_files, &file);
    if (!library && ma_mpi_is_launched())
      return ma_fail(MA_ERR_LIBRARY, "%s, whose launcher started this process, was not found; " HINT,
                     mpich_first ? "MPICH (libmpich.so.12)" : "Open MPI (libmpi.so.40)");
    if (!library) return ma_fail(MA_ERR_LIBRARY, "MPI was not found; " HINT);
  }
  const char *missing = resolve(library);
  if (missing) return ma_fail(MA_ERR_LIBRARY, "%s has no %s; MPI 3 is wanted: " HINT, file, missing);
  static char text[8192];
  int size = 0;
  snprintf(ma_mpi.file, sizeof ma_mpi.file, "%s", file);
  if (ma_mpi.Get_library_version(text, &size) == 0) snprintf(ma_mpi.version, sizeof ma_mpi.version, "%.120s", text);
  ma_mpi.version[strcspn(ma_mpi.version, "\n,")] = 0;
  return MA_OK;
}

ma_status ma_mpi_need(void) {
  static ma_once once = MA_ONCE;
  return ma_once_try(&once, open_library);
}

ma_status ma_mpi_check(int code) {
  if (code == 0) return MA_OK;
  static char text[8192];
  int size = 0;
  if (ma_mpi.Error_string(code, text, &size) != 0) snprintf(text, sizeof text, "error %d", code);
  return ma_fail(MA_ERR_LIBRARY, "MPI failed: %.300s", text);
}
