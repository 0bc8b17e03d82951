/*
** owner.h: whose a position fault is. Work is found to be wrong while somebody else waits, so each Lua state has a
** number, which the work carries: the slot of its fault record, which no two open states share, and how often the slot
** was given.
*/
#ifndef MOONARRAY_OWNER_H
#define MOONARRAY_OWNER_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

#define MA_OWNERS 256 /* slots; slot 0 is that of owner 0 alone */
#define MA_OWNER_BITS 8
#define MA_OWNER_SLOT(owner) ((owner) & (MA_OWNERS - 1))
#define MA_OWNER_TURNS (1u << 22)

uint32_t ma_owner_new(void); /* 0 where all slots are taken: such states share one record */
void ma_owner_free(uint32_t owner);

#pragma GCC visibility pop
#endif
