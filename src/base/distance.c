/* distance.c: how far two names are from each other, letter by letter. */
#include "base/distance.h"

#include <stdbool.h>
#include <string.h>

#define LONGEST 40

int ma_edit_distance(const char *a, const char *b) {
  int row[3][LONGEST + 1], na = (int)strlen(a), nb = (int)strlen(b);
  if (na > LONGEST || nb > LONGEST) return LONGEST;
  for (int j = 0; j <= nb; j++) row[0][j] = j;
  for (int i = 1; i <= na; i++) {
    int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= nb; j++) {
      int best = last[j - 1] + (a[i - 1] != b[j - 1]);
      if (last[j] + 1 < best) best = last[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && before[j - 2] + 1 < best) best = before[j - 2] + 1;
      now[j] = best;
    }
  }
  return row[na % 3][nb];
}
