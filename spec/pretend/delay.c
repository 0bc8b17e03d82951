/*
** delay.c: the pretended GPU runs a kernel when it is launched. To a program that is told otherwise: its streams and
** events are done later, and bytes that are copied to the host arrive when they are. PRETEND_DELAY=N: after N looks
** at streams and events, of all of them together. PRETEND_DELAY_MS=N: after N milliseconds.
*/
#include "delay.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct landing {
  struct landing *next;
  void *to;
  size_t n;
  long long end;
  char bytes[];
} landing;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long long looks, latest; /* the clock where looks are counted; the end of all work so far */
static landing *first, **last = &first;

static long long from_environment(const char *name) {
  const char *text = getenv(name);
  return text ? atoll(text) : 0;
}
static bool in_milliseconds(void) { return from_environment("PRETEND_DELAY_MS") > 0; }
static long long delay(void) { return from_environment(in_milliseconds() ? "PRETEND_DELAY_MS" : "PRETEND_DELAY"); }
bool delay_is_on(void) { return delay() > 0; }

static long long time_now(void) {
  struct timespec now;
  if (!in_milliseconds()) return looks;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void land_locked(void) {
  for (landing *l = first; l && l->end <= time_now(); l = first) {
    first = l->next;
    if (!first) last = &first;
    memcpy(l->to, l->bytes, l->n);
    free(l);
  }
}

long long delay_end(long long before) {
  if (!delay_is_on()) return 0;
  pthread_mutex_lock(&lock);
  long long end = time_now() + delay();
  if (end < before) end = before;
  if (latest < end) latest = end;
  pthread_mutex_unlock(&lock);
  return end;
}

bool delay_look(long long end) {
  pthread_mutex_lock(&lock);
  looks++;
  land_locked();
  bool done = end <= time_now();
  pthread_mutex_unlock(&lock);
  return done || !delay_is_on();
}

void delay_wait(long long end) {
  if (!delay_is_on()) return;
  pthread_mutex_lock(&lock);
  while (time_now() < end)
    if (in_milliseconds()) nanosleep(&(struct timespec){ 0, 200000 }, NULL);
    else looks = end;
  land_locked();
  pthread_mutex_unlock(&lock);
}

void delay_wait_all(void) { delay_wait(latest); }

void delay_copy(void *to, const void *from, size_t n, long long end) {
  landing *l = delay_is_on() ? malloc(sizeof *l + n) : NULL;
  if (!l) {
    memcpy(to, from, n);
    return;
  }
  *l = (landing){ NULL, to, n, end };
  memcpy(l->bytes, from, n);
  pthread_mutex_lock(&lock);
  *last = l;
  last = &l->next;
  pthread_mutex_unlock(&lock);
}
