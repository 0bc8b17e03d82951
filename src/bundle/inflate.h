/* inflate.h: decompresses deflate (RFC 1951), bytes that are not trusted. */
#ifndef MOONARRAY_INFLATE_H
#define MOONARRAY_INFLATE_H

#include "base/base.h"

#pragma GCC visibility push(hidden)

typedef struct ma_inflate ma_inflate;
/* Gives up to n more compressed bytes of `from`; *got is 0 at the end. */
typedef ma_status ma_inflate_feed(void *from, void *to, size_t n, size_t *got);

ma_status ma_inflate_new(ma_inflate **inflate);
void ma_inflate_free(ma_inflate *inflate); /* NULL is harmless */
/* Before the first read: bytes that copies may reach back to, as if they had been read. Their end counts. */
void ma_inflate_dictionary(ma_inflate *inflate, const void *bytes, size_t nbytes);
/* *got < nbytes at the end. */
ma_status ma_inflate_read(ma_inflate *inflate, ma_inflate_feed *feed, void *from, uint8_t *to, size_t nbytes,
                          size_t *got);

#pragma GCC visibility pop
#endif
