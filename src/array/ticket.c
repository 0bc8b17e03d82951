/*
** ticket.c: a ticket stands for an array on its way from one Lua state to another. It is text, so it passes through any
** channel of the program: a queue, a message, a global string.
**
** A ticket names a slot of the process's table and repeats the random number in it. So a ticket that was invented, was
** used up or is of another process is recognised, and never dereferenced.
*/
#include "array/ticket.h"
#include "base/fork.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "moonarray-"

typedef struct ticket {
  uint64_t secret;
  int64_t left;
  ma_array array;
} ticket;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
MA_FORK_GUARD(lock, MA_FORK_LEAF)
static ticket *table[MA_MAX_TICKETS]; /* NULL: free */
static int64_t nopen;                 /* written under the lock, read without it */

static uint64_t draw_secret(void) {
  static uint64_t turn; /* under the lock */
  uint64_t secret;
  if (getrandom(&secret, sizeof secret, GRND_NONBLOCK) == (ssize_t)sizeof secret) return secret;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const uint64_t parts[] = { (uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, ++turn, (uint64_t)(uintptr_t)&secret };
  return ma_hash(parts, sizeof parts, 0);
}

ma_status ma_ticket_new(const ma_array *array, int64_t imports, char text[MA_TICKET_SIZE]) {
  ticket *made = malloc(sizeof *made);
  if (!made) return ma_fail(MA_ERR_MEMORY, "out of memory: %zu bytes for a ticket", sizeof *made);
  made->left = imports;
  ma_array_view(&made->array, array);
  pthread_mutex_lock(&lock);
  int k = 0;
  while (k < MA_MAX_TICKETS && table[k]) k++;
  if (k < MA_MAX_TICKETS) {
    made->secret = draw_secret();
    table[k] = made;
    __atomic_add_fetch(&nopen, 1, __ATOMIC_RELAXED);
    snprintf(text, MA_TICKET_SIZE, PREFIX "%ld-%d-%016llx", (long)getpid(), k, (unsigned long long)made->secret);
  }
  pthread_mutex_unlock(&lock);
  if (k < MA_MAX_TICKETS) return MA_OK;
  ma_array_release(&made->array);
  free(made);
  return ma_fail(MA_ERR_VALUE,
                 "%d tickets wait to be imported, which is the most; import them, or give them up by moonarray.revoke",
                 MA_MAX_TICKETS);
}

/* Reads digits up to `end`; false if there are none or too many. */
static bool read_number(const char **at, const char *end, int base, uint64_t *number) {
  const char *from = *at;
  uint64_t n = 0;
  for (; *at < end && *at - from < 17; (*at)++) {
    int c = **at, digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : base;
    if (digit >= base) break;
    n = n * (uint64_t)base + (uint64_t)digit;
  }
  *number = n;
  return *at > from && *at - from < 17;
}

static ma_status parse(const char *text, size_t size, uint64_t *slot, uint64_t *secret) {
  const char *at = text, *end = text + size;
  uint64_t process = 0;
  bool good = size > strlen(PREFIX) && !memcmp(text, PREFIX, strlen(PREFIX));
  if (good) {
    at += strlen(PREFIX);
    good = read_number(&at, end, 10, &process) && at < end && *at++ == '-' && read_number(&at, end, 10, slot) &&
           at < end && *at++ == '-' && read_number(&at, end, 16, secret) && at == end;
  }
  if (!good)
    return ma_fail(MA_ERR_VALUE, "ticket is the string '%.*s'; wanted one that moonarray.export returned",
                   size < 64 ? (int)size : 64, text);
  if (process != (uint64_t)getpid())
    return ma_fail(MA_ERR_VALUE,
                   "a ticket of process %llu in process %ld; arrays are shared within a process, "
                   "others take a:dumps() and moonarray.loads",
                   (unsigned long long)process, (long)getpid());
  return MA_OK;
}

/* Needs the lock. The ticket, or NULL if it is used up. */
static ticket *find_locked(uint64_t slot, uint64_t secret) {
  return slot < MA_MAX_TICKETS && table[slot] && table[slot]->secret == secret ? table[slot] : NULL;
}

static void close_locked(uint64_t slot) {
  table[slot] = NULL;
  __atomic_sub_fetch(&nopen, 1, __ATOMIC_RELAXED);
}

ma_status ma_ticket_take(const char *text, size_t size, ma_array *array) {
  uint64_t slot, secret;
  MA_TRY(parse(text, size, &slot, &secret));
  pthread_mutex_lock(&lock);
  ticket *found = find_locked(slot, secret);
  bool last = found && --found->left == 0;
  if (found) ma_array_view(array, &found->array);
  if (last) close_locked(slot);
  pthread_mutex_unlock(&lock);
  if (!found)
    return ma_fail(
      MA_ERR_VALUE,
      "a ticket that was imported or revoked before; each is good for as many imports as moonarray.export was told, "
      "by default one");
  if (last) {
    ma_array_release(&found->array);
    free(found);
  }
  return MA_OK;
}

ma_status ma_ticket_revoke(const char *text, size_t size, bool *was_open) {
  uint64_t slot, secret;
  MA_TRY(parse(text, size, &slot, &secret));
  pthread_mutex_lock(&lock);
  ticket *found = find_locked(slot, secret);
  if (found) close_locked(slot);
  pthread_mutex_unlock(&lock);
  *was_open = found != NULL;
  if (found) {
    ma_array_release(&found->array);
    free(found);
  }
  return MA_OK;
}

int64_t ma_ticket_open(void) { return __atomic_load_n(&nopen, __ATOMIC_RELAXED); }
