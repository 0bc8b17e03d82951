/* divide.h: kernels of the user's own may divide whole numbers by zero. */
#ifndef MOONARRAY_CPU_DIVIDE_H
#define MOONARRAY_CPU_DIVIDE_H

#pragma GCC visibility push(hidden)

/* Around code of the user's, on the thread that runs it. Within, a division that the processor would trap gives all
** bits, quotient and rest, by zero, and wraps where the quotient does not fit. */
void ma_cpu_divide_begin(void);
void ma_cpu_divide_end(void);

#pragma GCC visibility pop
#endif
