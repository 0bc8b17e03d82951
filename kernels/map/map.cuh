/*
** map.cuh: how an elementwise kernel walks its operands. The text before this file, which src/cuda/kernels/map_text.c
** prints, has the program, and lists. A list calls X once for each entry, and passes `t` on:
**   MAP_OUTPUTS(X, t), MAP_INPUTS(X, t)   X(k, dtype, size, WALK, t) for operand k, outputs before inputs. WALK is how
**     it moves along the inner axis: BROADCAST, VECTOR, ELEMENT, STRIDED, or TALL for an input of a tiled kernel. The
**     places of a draw, which are not loaded, are DRAWN_BROADCAST, DRAWN_VECTOR, DRAWN_ELEMENT or DRAWN_STRIDED
**   MAP_INDEX(X, t)       X(k, , 1, WALK, t) for the index of a body
**   MAP_OLD(X, t)         those outputs whose old values a body reads
**   MAP_AXES(X, k)        X(d, k) for the outer axes, the outermost first
**   MAP_AXES_INNER(X)     X(d) for these but 0, the innermost first
**   MAP_AXES_OUTER(X)     X(0), if there is an outer axis
**   MAP_TALL(X, t)        X(k, dtype, size, HOW, wide, rounds, across, pitch, elements, t) for each TALL input: a round
**     reads a pack of `wide` elements in each thread, `across` packs for each row of the square. HOW: VECTOR or ELEMENT
** It also has these macros:
**   MAP_TILE, MAP_WIDTH, MAP_UNROLL, MAP_BLOCK, MAP_NOUTER   the members of ma_map_variant
**   MAP_ROUNDS, MAP_ACROSS   groups of a tile for each thread, and for each of its rows
**   MAP_HEAVY                1 if a tile's groups are not worth unrolling
**   MAP_WIDE_INPUTS, MAP_OTHER_INPUTS, MAP_WIDE_OUTPUTS, MAP_OTHER_OUTPUTS   1 if there are any: VECTOR, or the rest
**   MAP_BODY                 1 if the user wrote the operation. Then there are these too:
**   MAP_RAW(ALONG, STRIDED)  ALONG(i) or STRIDED(i, ndim) for raw array i: contiguous, or with extents and strides
**   MAP_RESULTS(READ, NEW)   READ(k, dtype, WALK) or NEW(k, dtype, WALK) for output k
**   MAP_ARGUMENTS(INPUT, RESULT, SCALAR, INDEX)   INPUT(k, dtype, WALK), RESULT(k), SCALAR(i, dtype) or INDEX(k, WALK),
**     and commas between them
*/
#define MAP_UNROLL_LOOP _Pragma("unroll")
#define MAP_UNSIGNED(n) MAP_UNSIGNED_(n)
#define MAP_UNSIGNED_(n) n##u

/* ==== Parameters: map.c packs them in this order ==== */

#define MAP_ADDRESS(k, type, size, walk, t) char *p##k;
#define MAP_DIVISOR(d) divisor e##d;
#define MAP_OUTER_STRIDE(d, k) i4 t##k##_##d;
#if MAP_TILE
#define MAP_STRIDES(k, type, size, walk, t) \
  MAP_AXES(MAP_OUTER_STRIDE, k) i4 a##k;    \
  i4 j##k;
#else
#define MAP_STRIDE_BROADCAST(k)
#define MAP_STRIDE_VECTOR(k)
#define MAP_STRIDE_ELEMENT(k)
#define MAP_STRIDE_STRIDED(k) i4 j##k;
#define MAP_STRIDE_DRAWN_BROADCAST(k)
#define MAP_STRIDE_DRAWN_VECTOR(k)
#define MAP_STRIDE_DRAWN_ELEMENT(k)
#define MAP_STRIDE_DRAWN_STRIDED(k) i4 j##k;
#define MAP_STRIDES(k, type, size, walk, t) MAP_AXES(MAP_OUTER_STRIDE, k) MAP_STRIDE_##walk(k)
#endif
#define MAP_RAW_ALONG(i) \
  char *r##i;            \
  i8 rn##i;
#define MAP_RAW_STRIDED(i, ndim) MAP_RAW_ALONG(i) i8 rx##i[ndim], rs##i[ndim];

struct params {
  scalars s;
  MAP_OUTPUTS(MAP_ADDRESS, 0)
  MAP_INPUTS(MAP_ADDRESS, 0)
  MAP_INDEX(MAP_ADDRESS, 0)
#if MAP_BODY
  MAP_RAW(MAP_RAW_ALONG, MAP_RAW_STRIDED)
  i8 total;
#endif
#if MAP_TILE
  u4 n, m;
  divisor tiles_j, tiles_a;
#else
  u4 n;
#if MAP_NOUTER
  u4 groups;
  divisor row;
#endif
#endif
  MAP_AXES_INNER(MAP_DIVISOR)
  MAP_OUTPUTS(MAP_STRIDES, 0)
  MAP_INPUTS(MAP_STRIDES, 0)
  MAP_INDEX(MAP_STRIDES, 0)
};

/* ==== Offsets ==== */

/* Computes the outer indices x0, x1 ... from `q`, the number of a row. The outermost index is what remains. */
#define MAP_OUTER_SPLIT(d) \
  u4 x##d;                 \
  q = divmod(q, p.e##d, x##d);
#define MAP_OUTER_LAST(d) const u4 x##d = q;

/* Bytes to inner element `i`. */
#define MAP_ALONG_BROADCAST(k, size, i)
#define MAP_ALONG_VECTOR(k, size, i) +(i4)i *size
#define MAP_ALONG_ELEMENT(k, size, i) +(i4)i *size
#define MAP_ALONG_STRIDED(k, size, i) +(i4)i *p.j##k
#define MAP_ALONG_DRAWN_BROADCAST(k, size, i)
#define MAP_ALONG_DRAWN_VECTOR(k, size, i) +(i4)i *size
#define MAP_ALONG_DRAWN_ELEMENT(k, size, i) +(i4)i *size
#define MAP_ALONG_DRAWN_STRIDED(k, size, i) +(i4)i *p.j##k
#define MAP_OUTER_TERM(d, k) +(i4)x##d *p.t##k##_##d

/* Bytes from one element of a group to the next. */
#define MAP_STEP_BROADCAST(k, size) size
#define MAP_STEP_VECTOR(k, size) size
#define MAP_STEP_ELEMENT(k, size) size
#define MAP_STEP_STRIDED(k, size) p.j##k

#define MAP_LEFT(i)                                                        \
  left[u] = p.n - i < MAP_UNSIGNED(MAP_WIDTH) ? (i4)(p.n - i) : MAP_WIDTH; \
  full = full && left[u] == MAP_WIDTH;

/* The offsets of a group: of element i of row q, or of element j of the tile's row a. */
#define MAP_PLACE(k, type, size, walk, t) f##k[u] = 0 MAP_AXES(MAP_OUTER_TERM, k) MAP_ALONG_##walk(k, size, i);
#define MAP_TILE_PLACE_BROADCAST(k, size) MAP_TILE_AT(k, MAP_ALONG_BROADCAST(k, size, j))
#define MAP_TILE_PLACE_VECTOR(k, size) MAP_TILE_AT(k, MAP_ALONG_VECTOR(k, size, j))
#define MAP_TILE_PLACE_ELEMENT(k, size) MAP_TILE_AT(k, MAP_ALONG_ELEMENT(k, size, j))
#define MAP_TILE_PLACE_STRIDED(k, size) MAP_TILE_AT(k, MAP_ALONG_STRIDED(k, size, j))
#define MAP_TILE_PLACE_TALL(k, size)
#define MAP_TILE_PLACE_DRAWN_BROADCAST(k, size) MAP_TILE_PLACE_BROADCAST(k, size)
#define MAP_TILE_PLACE_DRAWN_VECTOR(k, size) MAP_TILE_PLACE_VECTOR(k, size)
#define MAP_TILE_PLACE_DRAWN_ELEMENT(k, size) MAP_TILE_PLACE_ELEMENT(k, size)
#define MAP_TILE_PLACE_DRAWN_STRIDED(k, size) MAP_TILE_PLACE_STRIDED(k, size)
#define MAP_TILE_AT(k, along) f##k[u] = (i4)a * p.a##k MAP_AXES(MAP_OUTER_TERM, k) along;
#define MAP_TILE_PLACE(k, type, size, walk, t) MAP_TILE_PLACE_##walk(k, size)

/* ==== Groups ==== */

#define MAP_DECLARE_OFFSET(k, type, size, walk, t) i4 f##k[MAP_UNROLL];
#define MAP_DECLARE_BROADCAST(k, mem) \
  mem b##k[MAP_UNROLL];               \
  i4 f##k[MAP_UNROLL];
#define MAP_DECLARE_PACK(k, mem)         \
  pack<mem, MAP_WIDTH> c##k[MAP_UNROLL]; \
  i4 f##k[MAP_UNROLL];
#define MAP_DECLARE_VECTOR(k, mem) MAP_DECLARE_PACK(k, mem)
#define MAP_DECLARE_ELEMENT(k, mem) MAP_DECLARE_PACK(k, mem)
#define MAP_DECLARE_STRIDED(k, mem) MAP_DECLARE_PACK(k, mem)
#define MAP_DECLARE_TALL(k, mem)
#define MAP_DECLARE_DRAWN(k) \
  ma_place d##k[MAP_UNROLL]; \
  i4 f##k[MAP_UNROLL];
#define MAP_DECLARE_DRAWN_BROADCAST(k, mem) MAP_DECLARE_DRAWN(k)
#define MAP_DECLARE_DRAWN_VECTOR(k, mem) MAP_DECLARE_DRAWN(k)
#define MAP_DECLARE_DRAWN_ELEMENT(k, mem) MAP_DECLARE_DRAWN(k)
#define MAP_DECLARE_DRAWN_STRIDED(k, mem) MAP_DECLARE_DRAWN(k)
#define MAP_DECLARE(k, type, size, walk, t) MAP_DECLARE_##walk(k, dt_##type::mem)
#define MAP_DECLARATIONS           \
  MAP_OUTPUTS(MAP_DECLARE, 0)      \
  MAP_INPUTS(MAP_DECLARE, 0)       \
  MAP_INDEX(MAP_DECLARE_OFFSET, 0) \
  i4 left[MAP_UNROLL];             \
  bool full = true;

/* Loads or stores of operands in every group, `verb` is load or store. One test for all groups of the thread chooses
** wide ones, so that what follows the test is a straight run of accesses. */
#define MAP_ALL_BROADCAST(k, verb)
#define MAP_ALL_VECTOR(k, verb) c##k[u].verb##_all(p.p##k + f##k[u]);
#define MAP_ALL_ELEMENT(k, verb)
#define MAP_ALL_STRIDED(k, verb)
#define MAP_ALL_TALL(k, verb)
#define MAP_ALL_DRAWN_BROADCAST(k, verb)
#define MAP_ALL_DRAWN_VECTOR(k, verb)
#define MAP_ALL_DRAWN_ELEMENT(k, verb)
#define MAP_ALL_DRAWN_STRIDED(k, verb)
#define MAP_ALL(k, type, size, walk, verb) MAP_ALL_##walk(k, verb)
#define MAP_SOME_BROADCAST(k, size, verb)
#define MAP_SOME_VECTOR(k, size, verb) c##k[u].verb##_some(p.p##k + f##k[u], size, left[u]);
#define MAP_SOME_ELEMENT(k, size, verb)
#define MAP_SOME_STRIDED(k, size, verb)
#define MAP_SOME_TALL(k, size, verb)
#define MAP_SOME_DRAWN_BROADCAST(k, size, verb)
#define MAP_SOME_DRAWN_VECTOR(k, size, verb)
#define MAP_SOME_DRAWN_ELEMENT(k, size, verb)
#define MAP_SOME_DRAWN_STRIDED(k, size, verb)
#define MAP_SOME(k, type, size, walk, verb) MAP_SOME_##walk(k, size, verb)
#define MAP_OTHER_BROADCAST(k, mem, size, verb) \
  if (left[u]) b##k[u] = *(const mem *)(p.p##k + f##k[u]);
#define MAP_OTHER_VECTOR(k, mem, size, verb)
#define MAP_OTHER_ELEMENT(k, mem, size, verb) c##k[u].verb##_some(p.p##k + f##k[u], size, left[u]);
#define MAP_OTHER_STRIDED(k, mem, size, verb) c##k[u].verb##_some(p.p##k + f##k[u], p.j##k, left[u]);
#define MAP_OTHER_TALL(k, mem, size, verb)
#define MAP_OTHER_DRAWN_BROADCAST(k, mem, size, verb)
#define MAP_OTHER_DRAWN_VECTOR(k, mem, size, verb)
#define MAP_OTHER_DRAWN_ELEMENT(k, mem, size, verb)
#define MAP_OTHER_DRAWN_STRIDED(k, mem, size, verb)
#define MAP_OTHER(k, type, size, walk, verb) MAP_OTHER_##walk(k, dt_##type::mem, size, verb)

#define MAP_EACH_GROUP \
  MAP_UNROLL_LOOP      \
  for (int u = 0; u < MAP_UNROLL; u++)
#define MAP_MOVE_WIDE(all, some) \
  if (full) {                    \
    MAP_EACH_GROUP { all }       \
  } else {                       \
    MAP_EACH_GROUP { some }      \
  }
/* Reads the old values of one output. */
#define MAP_READ_VECTOR(k, mem, size) MAP_MOVE_WIDE(MAP_ALL_VECTOR(k, load), MAP_SOME_VECTOR(k, size, load))
#define MAP_READ_ELEMENT(k, mem, size) \
  MAP_EACH_GROUP { MAP_OTHER_ELEMENT(k, mem, size, load) }
#define MAP_READ_STRIDED(k, mem, size) \
  MAP_EACH_GROUP { MAP_OTHER_STRIDED(k, mem, size, load) }
#define MAP_READ(k, type, size, walk, t) MAP_READ_##walk(k, dt_##type::mem, size)

/* Where element k of the group lies, for operand n. */
#define MAP_ELEMENT_BROADCAST(n) b##n[u]
#define MAP_ELEMENT_VECTOR(n) c##n[u].v[k]
#define MAP_ELEMENT_ELEMENT(n) c##n[u].v[k]
#define MAP_ELEMENT_STRIDED(n) c##n[u].v[k]
#define MAP_ELEMENT_TALL(n) tile##n[(x + k) * pitch##n + y]

/* The operation. A body of the user's is called only for elements that exist, because it may write to raw arrays. */
#if MAP_BODY
#define MAP_RESULT_READ(n, dtype, walk) us_##dtype::type o##n = us_##dtype::load(MAP_ELEMENT_##walk(n));
#define MAP_RESULT_NEW(n, dtype, walk) us_##dtype::type o##n = us_##dtype::type();
#define MAP_INPUT_ARGUMENT(n, dtype, walk) us_##dtype::load(MAP_ELEMENT_##walk(n))
#define MAP_RESULT_ARGUMENT(n) o##n
#define MAP_SCALAR_ARGUMENT(n, dtype) us_##dtype::from(p.s.s##n)
#define MAP_INDEX_ARGUMENT(n, walk) (ptrdiff_t) p.p##n + (f##n[u] + k * MAP_STEP_##walk(n, 1))
#define MAP_STORE_RESULT(n, dtype, size, walk, t) c##n[u].v[k] = us_##dtype::store(o##n);
#define MAP_ENTRY template <class F> static __device__ __forceinline__ void _walk(const params &p, F &operation)
#else
#define MAP_RESULT(n, type, size, walk, t) dt_##type::reg o##n;
#define MAP_INPUT_ARGUMENT(n, type, size, walk, t) , MAP_VALUE_##walk(n, type, size)
#define MAP_VALUE_BROADCAST(n, type, size) dt_##type::load(MAP_ELEMENT_BROADCAST(n))
#define MAP_VALUE_VECTOR(n, type, size) dt_##type::load(MAP_ELEMENT_VECTOR(n))
#define MAP_VALUE_ELEMENT(n, type, size) dt_##type::load(MAP_ELEMENT_ELEMENT(n))
#define MAP_VALUE_STRIDED(n, type, size) dt_##type::load(MAP_ELEMENT_STRIDED(n))
#define MAP_VALUE_TALL(n, type, size) dt_##type::load(MAP_ELEMENT_TALL(n))
#define MAP_DRAWN_AT(n) (i8) p.p##n + f##n[u]
#define MAP_VALUE_DRAWN_BROADCAST(n, type, size) ma_drawn_still<size>(d##n[u], MAP_DRAWN_AT(n), k)
#define MAP_VALUE_DRAWN_VECTOR(n, type, size) ma_drawn_place<size, MAP_WIDTH>(d##n[u], MAP_DRAWN_AT(n), k)
#define MAP_VALUE_DRAWN_ELEMENT(n, type, size) ma_drawn_place<size, 1>(d##n[u], MAP_DRAWN_AT(n) + k * size, 0)
#define MAP_VALUE_DRAWN_STRIDED(n, type, size) ma_drawn_place<size, 1>(d##n[u], MAP_DRAWN_AT(n) + (i8)k * p.j##n, 0)
#define MAP_RESULT_ARGUMENT(n, type, size, walk, t) , o##n
#define MAP_STORE_RESULT(n, type, size, walk, t) c##n[u].v[k] = dt_##type::store(o##n);
#define MAP_ENTRY MA_KERNEL __launch_bounds__(MAP_BLOCK) map(const params p)
#endif

/* ==== Tiles ==== */

#define MAP_TILE_DECLARE(k, type, size, how, wide, rounds, across, pitch_, elements, t) \
  const int pitch##k = pitch_;                                                          \
  __shared__ dt_##type::mem tile##k[elements];
#define MAP_TILE_LOAD_VECTOR(wide, size)    \
  if (a + wide <= p.m) c[r].load_all(from); \
  else c[r].load_some(from, size, p.m - a);
#define MAP_TILE_LOAD_ELEMENT(wide, size) c[r].load_all(from);
#define MAP_TILE_FILL(input, type, size, how, wide, rounds, across, pitch_, elements, unused)                    \
  {                                                                                                              \
    pack<dt_##type::mem, wide> c[rounds];                                                                        \
    MAP_UNROLL_LOOP                                                                                              \
    for (int r = 0; r < rounds; r++) {                                                                           \
      const u4 t = threadIdx.x + r * MAP_BLOCK, j = j0 + t / across, a = a0 + t % across * wide;                 \
      if (j >= p.n || a >= p.m) continue;                                                                        \
      const char *from = p.p##input + (0 MAP_AXES(MAP_OUTER_TERM, input) + (i4)j * p.j##input + (i4)a * size);   \
      MAP_TILE_LOAD_##how(wide, size)                                                                            \
    }                                                                                                            \
    MAP_UNROLL_LOOP                                                                                              \
    for (int r = 0; r < rounds; r++) {                                                                           \
      const u4 t = threadIdx.x + r * MAP_BLOCK;                                                                  \
      MAP_UNROLL_LOOP                                                                                            \
      for (int k = 0; k < wide; k++) tile##input[t / across * pitch##input + t % across * wide + k] = c[r].v[k]; \
    }                                                                                                            \
  }

/* ==== The kernel, or the function that walks a body's operands: its names and the user's do not meet ==== */

#if MAP_UNROLL == 1
#define MAP_PAST return;
#else
#define MAP_PAST  \
  {               \
    left[u] = 0;  \
    full = false; \
    continue;     \
  }
#endif

MAP_ENTRY {
#if MAP_TILE
  MAP_TALL(MAP_TILE_DECLARE, 0)
  u4 j0, a0, q = divmod(blockIdx.x, p.tiles_j, j0);
  q = divmod(q, p.tiles_a, a0);
  j0 *= MAP_TILE;
  a0 *= MAP_TILE;
  MAP_AXES_INNER(MAP_OUTER_SPLIT)
  MAP_AXES_OUTER(MAP_OUTER_LAST)
  MAP_TALL(MAP_TILE_FILL, 0)
  __syncthreads();
  /* y and x are the position of the group's first element in the tile. */
#if MAP_HEAVY
#pragma unroll 1
#else
#pragma unroll
#endif
  for (int r = 0; r < MAP_ROUNDS; r++) {
    const u4 t = threadIdx.x + r * MAP_BLOCK, y = t / MAP_ACROSS, x = t % MAP_ACROSS * MAP_WIDTH, a = a0 + y,
             j = j0 + x;
    if (a >= p.m || j >= p.n) continue;
    const int u = 0;
    MAP_DECLARATIONS
    MAP_LEFT(j)
    MAP_OUTPUTS(MAP_TILE_PLACE, 0)
    MAP_INPUTS(MAP_TILE_PLACE, 0)
    MAP_INDEX(MAP_TILE_PLACE, 0)
#else
  MAP_DECLARATIONS
#pragma unroll
  for (int u = 0; u < MAP_UNROLL; u++) {
    const u4 g = (blockIdx.x * MAP_UNSIGNED(MAP_UNROLL) + u) * MAP_UNSIGNED(MAP_BLOCK) + threadIdx.x;
#if MAP_NOUTER
    if (g >= p.groups) MAP_PAST
    u4 i, q = divmod(g, p.row, i);
    i *= MAP_WIDTH;
    MAP_AXES_INNER(MAP_OUTER_SPLIT)
    MAP_AXES_OUTER(MAP_OUTER_LAST)
#else
    const u4 i = g * MAP_WIDTH;
    if (i >= p.n) MAP_PAST
#endif
    MAP_LEFT(i)
    MAP_OUTPUTS(MAP_PLACE, 0)
    MAP_INPUTS(MAP_PLACE, 0)
    MAP_INDEX(MAP_PLACE, 0)
  }
#endif
    MAP_OLD(MAP_READ, 0)
#if MAP_WIDE_INPUTS
    MAP_MOVE_WIDE(MAP_INPUTS(MAP_ALL, load), MAP_INPUTS(MAP_SOME, load))
#endif
#if MAP_OTHER_INPUTS
#pragma unroll
    for (int u = 0; u < MAP_UNROLL; u++) { MAP_INPUTS(MAP_OTHER, load) }
#endif
    /* All groups run, also those that lie past the end. */
#pragma unroll
    for (int u = 0; u < MAP_UNROLL; u++) {
#pragma unroll
      for (int k = 0; k < MAP_WIDTH; k++) {
#if MAP_BODY
        if (k >= left[u]) continue;
        MAP_RESULTS(MAP_RESULT_READ, MAP_RESULT_NEW)
        operation(MAP_ARGUMENTS(MAP_INPUT_ARGUMENT, MAP_RESULT_ARGUMENT, MAP_SCALAR_ARGUMENT, MAP_INDEX_ARGUMENT));
#else
      MAP_OUTPUTS(MAP_RESULT, 0)
      program(p.s MAP_INPUTS(MAP_INPUT_ARGUMENT, 0) MAP_OUTPUTS(MAP_RESULT_ARGUMENT, 0));
#endif
        MAP_OUTPUTS(MAP_STORE_RESULT, 0)
      }
    }
#if MAP_WIDE_OUTPUTS
    MAP_MOVE_WIDE(MAP_OUTPUTS(MAP_ALL, store), MAP_OUTPUTS(MAP_SOME, store))
#endif
#if MAP_OTHER_OUTPUTS
#pragma unroll
    for (int u = 0; u < MAP_UNROLL; u++) { MAP_OUTPUTS(MAP_OTHER, store) }
#endif
#if MAP_TILE
  }
#endif
}
