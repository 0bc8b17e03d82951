/*
** backend.c: the backends' tables against src/backend/slots.def, which says of each slot who must fill it. Then each
** slot is emptied in a copy of a table, and the check must notice where the slot was needed.
*/
#include "backends.h"
#include "memory/memory.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

typedef enum need { ALWAYS, NOT_HOST, WITH_FIRST, MAY_BE_NULL } need;

typedef struct slot {
  const char *group, *name;
  need need;
  size_t offset;
} slot;

static const slot slots[] = {
#define SLOT(group, need, result, slot, parameters) { #group, #slot, need, offsetof(ma_backend, group.slot) },
#define SLOT_DATA(group, need, type, slot) { #group, #slot, need, offsetof(ma_backend, group.slot) },
#include "backend/slots.def"
};
enum { NSLOT = sizeof slots / sizeof *slots };

static bool is_filled(const ma_backend *backend, const slot *s) {
  static const char zero[sizeof(void *)];
  return memcmp((const char *)backend + s->offset, zero, sizeof zero) != 0;
}

static const slot *first_of(const slot *s) {
  while (s > slots && !strcmp(s[-1].group, s->group)) s--;
  return s;
}

/* NULL: nothing is wrong with what the backend has in the slot. */
static const char *complaint(const ma_backend *backend, const slot *s) {
  bool filled = is_filled(backend, s);
  switch (s->need) {
  case ALWAYS: return filled ? NULL : "is NULL, and every backend needs it";
  case NOT_HOST: return filled || backend->is_host ? NULL : "is NULL, and a device with memory of its own needs it";
  case WITH_FIRST:
    if (filled == is_filled(backend, first_of(s))) return NULL;
    return filled ? "is filled, but the group's first slot is NULL, so nobody calls it"
                  : "is NULL, and the group's first slot is not";
  default: return NULL;
  }
}

static int complaints(const ma_backend *backend, bool print) {
  int n = 0;
  for (int k = 0; k < NSLOT; k++) {
    const char *why = complaint(backend, &slots[k]);
    if (!why) continue;
    n++;
    if (print) printf("%s: %s.%s %s\n", backend->name, slots[k].group, slots[k].name, why);
  }
  return n;
}

/* Does the check notice that slot k is empty? */
static int check_emptied(const ma_backend *backend, int k) {
  ma_backend copy = *backend;
  const slot *s = &slots[k];
  bool heads = s->need == MAY_BE_NULL && k + 1 < NSLOT && slots[k + 1].need == WITH_FIRST && first_of(s) == s,
       needed = s->need == ALWAYS || s->need == WITH_FIRST || heads || (s->need == NOT_HOST && !backend->is_host);
  if (!is_filled(backend, s)) return 0;
  memset((char *)&copy + s->offset, 0, sizeof(void *));
  if ((complaints(&copy, false) > complaints(backend, false)) == needed) return 0;
  printf("%s without %s.%s: %s\n", backend->name, s->group, s->name, needed ? "nobody noticed" : "was refused");
  return 1;
}

int main(void) {
  const ma_backend *const backends[] = { &ma_cpu_backend, &ma_cuda_backend };
  int wrong = 0;
  for (int b = 0; b < 2; b++) {
    if (!backends[b]->name || (b == 0) != backends[b]->is_host) printf("backend %d says what it is not\n", b), wrong++;
    wrong += complaints(backends[b], true);
    for (int k = 0; k < NSLOT; k++) wrong += check_emptied(backends[b], k);
  }
  for (int k = 0; k < NSLOT; k++) {
    if (is_filled(backends[0], &slots[k]) || is_filled(backends[1], &slots[k])) continue;
    printf("%s.%s: no backend has it\n", slots[k].group, slots[k].name);
    wrong++;
  }
  printf(wrong ? "%d wrong\n" : "both tables are as slots.def asks, in %d slots\n", wrong ? wrong : NSLOT);
  return wrong != 0;
}
