/* ticket.h: arrays on their way from one Lua state of the process to another. */
#ifndef MOONARRAY_TICKET_H
#define MOONARRAY_TICKET_H

#include "array/array.h"

#pragma GCC visibility push(hidden)

#define MA_MAX_TICKETS 1024 /* open at once: arrays that nobody fetches cannot pile up without end */
#define MA_TICKET_SIZE 64   /* room for the text of one */

/* A ticket for `imports` imports of a view of `array`. It holds a reference until the last of them, or until it is
** revoked. */
ma_status ma_ticket_new(const ma_array *array, int64_t imports, char text[MA_TICKET_SIZE]);
/* *array becomes a view of the ticket's array; its buffer must be NULL. On failure it still is. */
ma_status ma_ticket_take(const char *text, size_t size, ma_array *array);
ma_status ma_ticket_revoke(const char *text, size_t size, bool *was_open);
int64_t ma_ticket_open(void); /* tickets that hold an array */

#pragma GCC visibility pop
#endif
