/* delay.h: work of the pretended GPU that is done late. An end of work is a time of delay.c's clock. */
#ifndef PRETEND_DELAY_H
#define PRETEND_DELAY_H

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

long long delay_end(long long before); /* of work that is queued now, behind work that ends at `before` */
bool delay_look(long long end);        /* whether that work is done; a look is a tick of the clock */
void delay_wait(long long end);
void delay_wait_all(void);
bool delay_is_on(void);
/* Copies bytes to the host, which are there when the work is done and not before. */
void delay_copy(void *to, const void *from, size_t n, long long end);

#pragma GCC visibility pop
#endif
