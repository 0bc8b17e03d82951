/* divide.h: integer division by zero in the user's kernels does not end the process. */
#ifndef MOONARRAY_CPU_DIVIDE_H
#define MOONARRAY_CPU_DIVIDE_H

#pragma GCC visibility push(hidden)

/* Call them around the user's code, on the thread that runs it. Between them, a division by zero gives a quotient
** and a remainder with all bits set, and a quotient that does not fit wraps. */
void ma_cpu_divide_begin(void);
void ma_cpu_divide_end(void);

#pragma GCC visibility pop
#endif
