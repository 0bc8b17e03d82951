/*
** owner.h: numbers of Lua states, which say whose a position fault is. A fault may be found while another state waits,
** so work carries the number of the state that queued it. A number consists of a slot, which is the place of the
** state's fault record, and of the count of how often the slot was given out. No two open states share a slot.
*/
#ifndef MOONARRAY_OWNER_H
#define MOONARRAY_OWNER_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

#define MA_OWNERS 256 /* slots; slot 0 belongs to owner 0 alone */
#define MA_OWNER_BITS 8
#define MA_OWNER_SLOT(owner) ((owner) & (MA_OWNERS - 1))
#define MA_OWNER_TURNS (1u << 22)

uint32_t ma_owner_new(void); /* 0 if all slots are taken: such states share one record */
void ma_owner_free(uint32_t owner);

#pragma GCC visibility pop
#endif
