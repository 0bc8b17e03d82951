/* fault.c: prints a position that was found outside an array, or an item for which a list had no place. */
#include "base/number.h"
#include "memory/memory.h"

#include <stdio.h>
#include <string.h>

static void print_position(const ma_fault *fault, char *text, size_t size) {
  double fraction;
  memcpy(&fraction, &fault->position, sizeof fraction);
  if (fault->axis < 0) ma_print(text, size, "%.14g", fraction);
  else snprintf(text, size, "%lld", (long long)fault->position);
}

void ma_fault_print(const ma_fault *fault, char *found, size_t nfound, char *wanted, size_t nwanted) {
  char position[40], line[40] = "";
  long long extent = (long long)fault->extent;
  print_position(fault, position, sizeof position);
  if (fault->line) snprintf(line, sizeof line, " at line %d", fault->line);
  if (fault->axis == 0) { /* of a list, which has no axes */
    snprintf(found, nfound, "item %lld of a list%s", (long long)fault->position, line);
    snprintf(wanted, nwanted, "at most %lld, its capacity", extent);
    return;
  }
  snprintf(found, nfound, "position %s on axis %d%s", position, fault->axis < 0 ? -fault->axis : fault->axis, line);
  if (!fault->line) snprintf(wanted, nwanted, "1..%lld or -%lld..-1", extent, extent);
  else if (fault->extent == INT64_MAX) snprintf(wanted, nwanted, "a whole number from 1 on");
  else snprintf(wanted, nwanted, fault->axis < 0 ? "a whole number of 1..%lld" : "1..%lld", extent);
}
