/*
** system.h: what differs between systems. src/system has it for POSIX systems; windows/ has the same functions for
** Windows, together with those functions of POSIX that the rest of the library calls and Windows lacks.
*/
#ifndef MOONARRAY_SYSTEM_H
#define MOONARRAY_SYSTEM_H

#include "base/base.h"

#pragma GCC visibility push(hidden)

typedef enum ma_system_id { MA_SYSTEM_POSIX, MA_SYSTEM_WINDOWS, MA_NSYSTEM } ma_system_id;

/* A folder: the value of an environment variable and what is appended to it. */
typedef struct ma_folder {
  const char *variable, *rest;
} ma_folder;

/* ==== system.c: words and places ================================================================================= */

#define MA_SYSTEM_FOLDERS 2
typedef struct ma_system_words {
  ma_system_id id; /* column of the tables that name libraries */
  char list;       /* between the folders of $PATH */
  const char *separators, *program_ending, *object_ending;
  const char *program_folders;              /* where $PATH is not set */
  ma_folder cache[MA_SYSTEM_FOLDERS];       /* for the cache; the first whose variable is an absolute path */
  const char *temporary[MA_SYSTEM_FOLDERS]; /* variables with a folder for temporary files */
  const char *temporary_folder, *no_cache;  /* where none is set; "" if there is no such folder */
  const char *const *compilers, *install;   /* C++ compilers that are tried, ends with NULL; how to get one */
  size_t stack;                             /* bytes for the stack of each of 1024 threads of a block */
} ma_system_words;
extern const ma_system_words ma_system;

bool ma_path_is_absolute(const char *path);
const char *ma_path_last(const char *path); /* the last separator, or NULL */
/* The processor's name, and a hash of its features, on which -march=native depends; 0: unknown. */
void ma_system_processor(char *name, size_t size, uint64_t *features);

/* Whether the file's system keeps owners and modes, so that they say who can write it. */
bool ma_system_has_modes(int fd);
/* Whether the group has no member but the user, as the groups that many systems make with each user. */
bool ma_system_group_is_private(unsigned user, unsigned group);

/* A descriptor of the same file that programs do not inherit; -1, with errno, if there is none. On Windows always. */
int ma_system_duplicate(int fd);

/* ==== run.c: programs ============================================================================================ */

/* Runs argv[0], an absolute path, without a shell and with both outputs in the file `log`. Messages are English, and
** its temporary files go to the folder `work`. *known: the exit status is known. */
bool ma_system_run(char *const *argv, const char *work, const char *log, bool *known);

/* ==== copy.c: objects that are loaded twice ====================================================================== */

/* Loads a shared object again, with variables of its own. NULL: the system does not allow that. */
void *ma_system_load_copy(void *original, intptr_t *kept);
void ma_system_close_copy(void *copy, intptr_t kept);

/* ==== end.c: the end of the process ============================================================================== */

/* Calls `call` when the process ends, with its status, or -1 where the system does not tell it. */
void ma_system_at_exit(void (*call)(int status));

/* ==== socket.c: connections between processes ==================================================================== */

#define MA_SOCKETS 4608 /* most that are waited for at once */

/* No socket waits by itself, and none is inherited by a program that is started. */
ma_status ma_socket_is_local(const char *host, bool *is_local); /* whether only this machine can reach the host */
ma_status ma_socket_listen(const char *host, int port, int *fd);
ma_status ma_socket_connect(const char *host, int port, double limit,
                            int *fd);        /* tries until `limit` seconds are over */
int ma_socket_accept(int fd, bool *is_full); /* -1: nobody is there, or *is_full: the process has no descriptor left */
/* Up to n bytes as they are, 0 if there are none, -1 if the connection is over. */
ptrdiff_t ma_socket_read(int fd, void *bytes, size_t n);
ptrdiff_t ma_socket_write(int fd, const void *bytes, size_t n);
/* All bytes within `limit` seconds; false: the time is over, or the other end is closed. */
bool ma_socket_send(int fd, const void *bytes, size_t n, double limit);
bool ma_socket_receive(int fd, void *bytes, size_t n, double limit);

typedef struct ma_socket_wait {
  int fd;
  bool writes, ready; /* writes: room for bytes to send is waited for, else bytes to read */
} ma_socket_wait;
/* Waits until one of n is ready or closed, and sets `ready` of each; fd -1 never is. */
void ma_socket_poll(ma_socket_wait *list, int n, double seconds);
void ma_socket_close(int fd);

/* ==== trap.c: integer divisions that x86 refuses, and exceptions ================================================= */

/* Gets the sixteen registers by their number, and the instruction. Sets the result and returns the bytes of the
** instruction; 0: it is not the library's. */
typedef int ma_division(uint64_t *const reg[16], const uint8_t *at);
/* Calls `answer` for each division that faults from now on. */
void ma_system_catch_divisions(ma_division *answer);
/* What Windows looks at when a C++ exception is thrown: it ends a process that throws one from another stack. */
typedef struct ma_stack {
  void *low, *high, *handlers; /* handlers: NULL for a new stack */
} ma_stack;
void ma_system_exchange_stack(ma_stack *stack); /* says what the thread's stack is; *stack gets what it was before */

#pragma GCC visibility pop
#endif
