/* distance.h: how far two names are from each other, to suggest the one that was meant. */
#ifndef MA_DISTANCE_H
#define MA_DISTANCE_H

#pragma GCC visibility push(hidden)

/* Number of letters to insert, delete, change or swap with a neighbour. Names of more than 40 letters are far. */
int ma_edit_distance(const char *a, const char *b);

#pragma GCC visibility pop
#endif
