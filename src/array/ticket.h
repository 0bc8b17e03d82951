/* ticket.h: passes arrays from one Lua state of the process to another. */
#ifndef MOONARRAY_TICKET_H
#define MOONARRAY_TICKET_H

#include "array/array.h"

#pragma GCC visibility push(hidden)

#define MA_MAX_TICKETS 1024 /* limit of open tickets, so that arrays that nobody fetches cannot pile up */
#define MA_TICKET_SIZE 64   /* bytes for the text of a ticket */

/* Makes a ticket for `imports` imports of a view of `array`. It holds a reference until the last import, or until it
** is revoked. */
ma_status ma_ticket_new(const ma_array *array, int64_t imports, char text[MA_TICKET_SIZE]);
/* Makes *array a view of the ticket's array. Its buffer must be NULL, and is NULL on failure. */
ma_status ma_ticket_take(const char *text, size_t size, ma_array *array);
ma_status ma_ticket_revoke(const char *text, size_t size, bool *was_open);
int64_t ma_ticket_open(void); /* number of tickets that hold an array */

#pragma GCC visibility pop
#endif
