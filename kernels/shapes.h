/*
** shapes.h: numbers that the text of a kernel and the C that launches it share. The text of every kernel of the library
** begins with them. They are parts of how a kernel is written: another value wants another look at its text.
*/
#ifndef MA_SHAPES_H
#define MA_SHAPES_H

#define MA_THREADS 256 /* of a block, where a kernel has no reason for another number */

#define MA_TAPS_SPAN 4       /* signal/taps.cuh: sums of a thread */
#define MA_JOIN_EACH 4       /* index/join.cuh: items of a thread */
#define MA_TILE_SIDE 16      /* linalg/tiles.cuh: rows and columns of a block's threads; eight warps */
#define MA_PAIRS_ALONG 64    /* spatial/pairs.cuh: columns of threads that have four rows of four pairs each */
#define MA_BINARY_EACH 16    /* ndimage/binary.cuh: elements of a thread */
#define MA_TRANSFORM_WIDE 32 /* ndimage/transform.cuh: columns of a tile, a lane each */
#define MA_LABEL_TILE 4096   /* ndimage/label.cuh: elements that a block counts and numbers */
#define MA_LABEL_PATCH 32    /* the rows of a patch, which is as many columns wide */
#endif
