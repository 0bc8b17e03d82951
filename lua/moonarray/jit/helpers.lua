--- Device functions that translated kernels call. A kernel's text has only those that it uses.

return {
  { name = "jit_infinity", text = [[
static __device__ __forceinline__ double jit_infinity() { double x = 1e308; return x * x; }
static __device__ __forceinline__ double jit_nan() { return jit_infinity() - jit_infinity(); }]] , always = true },
  { name = "jit_at", text = [[
/* Where positions lead: an offset in elements, and whether all of them were inside. */
struct jit_at { i8 at; bool in; };
static __device__ __forceinline__ jit_at jit_start() { return {0, true}; }
static __device__ __forceinline__ i8 jit_signed(u8 x) { return x >> 63 ? 0x7fffffffffffffffLL : i8(x); }
/* A position in what a thread has for itself, where nobody is told of one outside. */
static __device__ __forceinline__ jit_at jit_step(jit_at from, i8 position, i8 extent, i8 stride) {
  if (from.in && u8(position) - 1 < u8(extent)) return {from.at + (position - 1) * stride, true};
  return {0, false};
}
static __device__ __forceinline__ jit_at jit_step(jit_at from, double position, i8 extent, i8 stride) {
  i8 whole = ma_to_i8(position);
  return jit_step(from, double(whole) == position ? whole : 0, extent, stride);
}
template <class T> static __device__ __forceinline__ T jit_element(const T *p, jit_at place) {
  if (place.in) return p[place.at];
  return T{};
}]] },
  { name = "jit_check", needs = "jit_at", text = [[
#ifdef MOONARRAY_CPU
struct jit_faults { const char *name; ma_cpu_block *block; };    /* no block: that of the thread */
static __device__ __attribute__((cold)) __noinline__ void jit_outside(jit_faults f, int line, int axis, i8 position, i8 extent) {
  ma_note_fault(f.block, f.name, line, axis, position, extent);
}
#else
struct jit_faults { fault_record *record; int number; };
static __device__ __noinline__ void jit_outside(jit_faults f, int line, int axis, i8 position, i8 extent) {
  record_fault(f.record, f.number, line, axis, position, extent);
}
#endif
static __device__ __forceinline__ jit_at jit_step(jit_faults f, jit_at from, i8 position, i8 extent, i8 stride, int axis, int line) {
  if (from.in && u8(position) - 1 < u8(extent)) return {from.at + (position - 1) * stride, true};
  if (from.in) jit_outside(f, line, axis, position, extent);
  return {0, false};
}
static __device__ __forceinline__ jit_at jit_step(jit_faults f, jit_at from, double position, i8 extent, i8 stride, int axis, int line) {
  i8 whole = ma_to_i8(position);
  if (double(whole) == position) return jit_step(f, from, whole, extent, stride, axis, line);
  union { double position; i8 bits; } u;
  u.position = position;
  if (from.in) jit_outside(f, line, -axis, u.bits, extent);
  return {0, false};
}
#ifdef MOONARRAY_CPU
/* A position that is known to be inside if the row fits. */
static __device__ __forceinline__ jit_at jit_step(bool fits, jit_faults f, jit_at from, i8 position, i8 extent,
                                                  i8 stride, int axis, int line) {
  if (fits) return jit_at{from.at + (position - 1) * stride, from.in};
  return jit_step(f, from, position, extent, stride, axis, line);
}
/* A number with the knowledge whether it was computed without wraps. */
struct jit_end {
  i8 v; bool known;
  explicit jit_end(i8 x, bool k = true) : v(x), known(k) {}
};
static __forceinline__ jit_end operator+(jit_end a, jit_end b) {
  i8 r;
  bool wraps = __builtin_add_overflow(a.v, b.v, &r);
  return jit_end(r, !wraps && a.known && b.known);
}
static __forceinline__ jit_end operator-(jit_end a, jit_end b) {
  i8 r;
  bool wraps = __builtin_sub_overflow(a.v, b.v, &r);
  return jit_end(r, !wraps && a.known && b.known);
}
static __forceinline__ jit_end operator*(jit_end a, jit_end b) {
  i8 r;
  bool wraps = __builtin_mul_overflow(a.v, b.v, &r);
  return jit_end(r, !wraps && a.known && b.known);
}
static __forceinline__ jit_end jit_min_end(jit_end a, jit_end b) {
  return jit_end(b.v < a.v ? b.v : a.v, a.known && b.known);
}
static __forceinline__ jit_end jit_max_end(jit_end a, jit_end b) {
  return jit_end(b.v > a.v ? b.v : a.v, a.known && b.known);
}
static __forceinline__ jit_end jit_least(jit_end a, jit_end b, jit_end c, jit_end d) {
  return jit_min_end(jit_min_end(a, b), jit_min_end(c, d));
}
static __forceinline__ jit_end jit_most(jit_end a, jit_end b, jit_end c, jit_end d) {
  return jit_max_end(jit_max_end(a, b), jit_max_end(c, d));
}
/* Whether positions between these ends are inside; there are none if the ends have crossed. */
static __forceinline__ bool jit_within(jit_end low, jit_end high, i8 extent) {
  return low.known && high.known && (low.v > high.v || (low.v >= 1 && high.v <= extent));
}
static __forceinline__ bool jit_known(jit_end a, jit_end b, jit_end c, jit_end d) {
  return a.known && b.known && c.known && d.known;
}
/* Leaves the threads of a row whose number, `from` in the first one, is from `low` to `high`. */
static __forceinline__ void jit_narrow(ma_row &row, jit_end from, jit_end low, jit_end high) {
  jit_end first = low - from, last = high - from;
  row.fits &= first.known && last.known;
  if (row.first < first.v) row.first = first.v;
  if (last.v < row.last - 1) row.last = last.v + 1;
}
/* Leaves none if the ends have crossed. */
static __forceinline__ void jit_narrow(ma_row &row, jit_end low, jit_end high) {
  row.fits &= low.known && high.known;
  if (low.v > high.v) row.last = row.first;
}
/* One turn of a loop from `start` in the first thread, start + 1 in the next and so on, to `stop` by `by`. */
static __forceinline__ void jit_take_turn(ma_row &row, i8 turn, jit_end start, jit_end stop, jit_end by) {
  jit_end first = start + jit_end(turn) * by, next = first + by;
  jit_narrow(row, first, first, stop);
  row.more = next.known && next.v <= stop.v;
}
/* Whether a counter goes up and does not wrap. */
static __forceinline__ bool jit_counts(jit_end by, jit_end past) { return by.known && by.v > 0 && past.known; }
#endif]] },
  { name = "jit_scaled", text = [[
static __device__ __forceinline__ jit_at jit_scaled(jit_at from, i8 by) { return {from.at * by, from.in}; }]] },
  { name = "jit_list", text = [[
/* What a kernel appends to. An item claims a place by the count, which goes on beyond the capacity. In an ordered list
** it is staged there, with the number of its element and its own among those of the element; behind `most` of these
** lie the counts of the elements. */
template <class T> struct jit_ordered {
  static const int words = sizeof(T) > 8 ? 4 : 3;
  i8 *count; i8 most; i8 *work; i8 element; jit_faults faults;
};
template <class T> struct jit_unordered { T *values; i8 *count; i8 most; jit_faults faults; };
template <class L> static __device__ __forceinline__ i8 jit_claim(const L &list, int line) {
  i8 place = i8(atomicAdd((unsigned long long *)list.count, 1ULL));
  if (place >= list.most) jit_outside(list.faults, line, 0, place + 1, list.most);
  return place;
}
template <class T> static __device__ __forceinline__ void jit_append(const jit_ordered<T> &list, T v, int line) {
  i8 nth = ((i4 *)(list.work + list.words * list.most))[list.element]++, place = jit_claim(list, line);
  if (place >= list.most) return;
  i8 *at = list.work + list.words * place;
  at[0] = list.element;
  at[1] = nth;
  *(T *)(at + 2) = v;
}
template <class T> static __device__ __forceinline__ void jit_append(const jit_unordered<T> &list, T v, int line) {
  i8 place = jit_claim(list, line);
  if (place < list.most) list.values[place] = v;
}]] },
  { name = "jit_size", text = [[
/* How many items a list has. */
static __device__ __forceinline__ i8 jit_size(i8 count, i8 most) { return count < most ? count : most; }]] },
  { name = "jit_print", text = [[
/* What kernels print: words and lines so far, the number of the launch, then the lines (lua/moonarray/prints). */
struct jit_lines { i8 *words; i8 places; i8 element; };
template <class... T> static __device__ __noinline__ void jit_print(const jit_lines &lines, int place, T... v) {
  const int count = 4 + sizeof...(T);
  double values[] = {v..., 0.0};
  if (!lines.words) return;                                  /* of no element */
  atomicAdd((unsigned long long *)lines.words + 1, 1ULL);
  i8 at = i8(atomicAdd((unsigned long long *)lines.words, (unsigned long long)count));
  i8 *to = lines.words + 3 + at;
  if (at + count > 1 << 18) {
    if (at < 1 << 18) *to = 0;                               /* the end of the lines */
    return;
  }
  to[0] = count;
  to[1] = lines.words[2];
  to[2] = lines.element;
  to[3] = lines.places + place;
  for (int k = 4; k < count; k++) {
    union { double v; i8 bits; } u;
    u.v = values[k - 4];
    to[k] = u.bits;
  }
}]] },
  { name = "jit_texel", text = [[
/* A position in linear memory; those that an int does not hold are outside, where texels are 0. */
static __device__ __forceinline__ int jit_texel(i8 k) { return k < 0 || k > 0x7fffffff ? -1 : int(k); }]] },
  { name = "jit_modulo", text = [[
/* Lua's, in Lua's own steps. */
static __device__ __forceinline__ double jit_modulo(double x, double y) { return x - floor(x / y) * y; }
static __device__ __forceinline__ float jit_modulo(float x, float y) { return x - floorf(x / y) * y; }]] },
  { name = "jit_power", text = [[
template <class T> static __device__ __forceinline__ T jit_square(T x) { return x * x; }
/* x ^ 0.5: of -infinity infinity, of -0 zero. */
template <class T> static __device__ __forceinline__ T jit_root(T x) {
  return x == -T(jit_infinity()) ? -x : ma_sqrt(x) + T(0);
}]] },
  { name = "jit_word", text = [[
/* A number as LuaJIT's bit.tobit gives it: the low half of what the sum has for a fraction. */
static __device__ __forceinline__ i4 jit_word(double x) {
  union { double sum; unsigned long long bits; } u;
  u.sum = x + 6755399441055744.0;
  return i4(u4(u.bits));
}
static __device__ __forceinline__ i4 jit_rotate(i4 x, i4 n) { return i4((u4(x) << (n & 31)) | (u4(x) >> (-n & 31))); }
static __device__ __forceinline__ i4 jit_swapped(i4 x) {
  u4 w = u4(x);
  return i4((w >> 24) | (w >> 8 & 0xff00) | (w << 8 & 0xff0000) | (w << 24));
}]] },
  { name = "jit_near", text = [[
/* A HashGrid: points by cells. Cell c has those from start[c] to start[c + 1]; `order` has their positions, from 1. The
** head has seven numbers an axis, and the radius. */
template <class T, int D> struct alignas(D == 2 ? 2 * sizeof(T) : sizeof(T)) jit_place { T v[D]; };
template <class T, int D, bool WRAP> struct jit_grid {
  const T *head;
  const i8 *start, *order;
  const T *points;
  i8 n;
  __device__ __forceinline__ T low(int a) const { return head[7 * a]; }
  __device__ __forceinline__ T high(int a) const { return head[7 * a + 1]; }
  __device__ __forceinline__ T length(int a) const { return head[7 * a + 2]; }
  __device__ __forceinline__ T cells(int a) const { return head[7 * a + 4]; }
  __device__ __forceinline__ T scale(int a) const { return head[7 * a + 5]; }
  __device__ __forceinline__ T slack(int a) const { return head[7 * a + 6]; }
  __device__ __forceinline__ T radius() const { return head[7 * D]; }
  __device__ __forceinline__ i8 point(i8 k) const { return u8(k) - 1 < u8(n) ? order[k - 1] : 0; }
  /* A coordinate as it was when the points were sorted. */
  __device__ __forceinline__ T inside(T x, int a) const {
    if (!WRAP) return x;
    x = x - ma_floor((x - low(a)) * head[7 * a + 3]) * length(a);
    return x < low(a) ? low(a) : x > high(a) ? high(a) : x;
  }
  /* The cell of a coordinate. It never falls while the coordinate grows; NaN has the first. */
  __device__ __forceinline__ int cell(T x, int a) const {
    T n = cells(a), t = (x - low(a)) * scale(a), least = WRAP ? -n : T(0), most = WRAP ? n + n : n - T(1);
    return int(ma_floor(t > least ? t < most ? t : most : t == t ? least : T(0)));
  }
};
struct jit_run { int from, to; };
/* The cells that a place reaches along each axis, `first` to `last`, beyond the ends of an axis that wraps, and the
** cells of the last axis in one or two pieces. */
template <class T, int D, bool WRAP> struct jit_near {
  const i8 *start, *order;
  const jit_place<T, D> *points;
  T place[D], length[D], half[D], most;
  int first[D], last[D], cells[D], from[2], to[2], pieces;
  __device__ __forceinline__ jit_near(const jit_grid<T, D, WRAP> &g, T r, T x, T y = 0, T z = 0)
      : start(g.start), order(g.order), points((const jit_place<T, D> *)g.points) {
    const T given[3] = {x, y, z};
    most = r >= 0 ? r * r : T(-1);
    r = r >= 0 ? r : T(0);
    for (int a = 0; a < D; a++) {
      T c = g.inside(given[a], a), reach = r + r * T(sizeof(T) == 4 ? 1e-6 : 1e-14) + g.slack(a);
      place[a] = c;
      length[a] = g.length(a);
      half[a] = length[a] / 2;
      cells[a] = int(g.cells(a));
      first[a] = g.cell(c - reach, a);
      last[a] = g.cell(c + reach, a);
      if (WRAP && last[a] - first[a] >= cells[a] - 1) first[a] = 0, last[a] = cells[a] - 1;
    }
    int n = cells[D - 1], low = first[D - 1], high = last[D - 1];
    from[0] = WRAP && low < 0 ? low + n : low;
    to[0] = WRAP && (low < 0 || high >= n) ? n - 1 : high;
    from[1] = 0;
    to[1] = low < 0 ? high : high - n;
    pieces = WRAP && (low < 0 || high >= n) ? 2 : 1;
  }
  /* A cell along an axis before the last, brought between its ends. */
  template <int A> __device__ __forceinline__ int cell(int c) const {
    return !WRAP ? c : c < 0 ? c + cells[A] : c >= cells[A] ? c - cells[A] : c;
  }
  /* The points of a row of cells: `row` counts the cells along the axes before the last. */
  __device__ __forceinline__ jit_run run(int row, int piece = 0) const {
    const i8 *s = start + row * cells[D - 1], *past = s + 1;
    int a = piece ? from[1] : from[0], b = piece ? to[1] : to[0];
    return {int(s[a]), int(past[b])};
  }
  /* From the place to a point, the shortest way. */
  __device__ __forceinline__ jit_place<T, D> apart(int k) const {
    jit_place<T, D> d = points[k];
    for (int a = 0; a < D; a++) {
      d.v[a] = d.v[a] - place[a];
      if (WRAP) { /* without a branch */
        d.v[a] = d.v[a] - (d.v[a] > half[a] ? length[a] : d.v[a] < -half[a] ? -length[a] : T(0));
      }
    }
    return d;
  }
  __device__ __forceinline__ bool within(const jit_place<T, D> &d) const {
    T sum = d.v[0] * d.v[0];
    for (int a = 1; a < D; a++) sum = sum + d.v[a] * d.v[a];
    return sum <= most;
  }
};]] },
  { name = "jit_limit", text = [[
/* The end of a loop over whole numbers: a NaN ends it before it begins. */
static __device__ __forceinline__ i8 jit_limit(double stop, bool up) {
  if (stop != stop) return up ? -9223372036854775807LL - 1 : 9223372036854775807LL;
  return ma_to_i8(up ? floor(stop) : ceil(stop));
}]] },
  { name = "jit_min", text = [[
template <class T> static __device__ __forceinline__ T jit_min(T x, T y) { return y < x ? y : x; }
template <class T> static __device__ __forceinline__ T jit_max(T x, T y) { return y > x ? y : x; }]] },
  { name = "jit_thread", text = [[
/* A thread's number in its block, and how many there are. */
static __device__ __forceinline__ unsigned jit_thread() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
static __device__ __forceinline__ unsigned jit_threads() { return blockDim.x * blockDim.y * blockDim.z; }
/* The lanes of the thread's tile of `size` that are there: the last warp of a block may be a part of one. */
static __device__ __forceinline__ unsigned jit_lanes(unsigned size) {
  unsigned lane = jit_thread() & 31, left = jit_threads() - (jit_thread() - lane);
  unsigned here = left < 32 ? (1u << left) - 1 : 0xffffffffu;
  return size == 32 ? here : here & (((1u << size) - 1) << (lane & ~(size - 1)));
}]] },
  { name = "jit_grid", text = [[
/* Waits for all threads of all blocks, which run at the same time in a cooperative launch. Each block adds 1 to the
** counter and the first one what is missing to the highest bit, so the bit turns when all have come, and the counter
** need not go back to 0. */
static __device__ __noinline__ void jit_grid_sync(unsigned *arrived) {
  __syncthreads();
  if (jit_thread() == 0) {
#ifdef MOONARRAY_CPU
    (void)arrived;
    ma_meet();
#else
    unsigned blocks = gridDim.x * gridDim.y * gridDim.z;
    bool first = blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0;
    __threadfence();
    unsigned old = atomicAdd(arrived, first ? 0x80000000u - (blocks - 1) : 1u);
    while (((old ^ *(volatile unsigned *)arrived) & 0x80000000u) == 0) {}
    __threadfence();
#endif
  }
  __syncthreads();
}
static __device__ __forceinline__ i8 jit_block() {
  return i8(blockIdx.x) + i8(gridDim.x) * (blockIdx.y + i8(gridDim.y) * blockIdx.z);
}
static __device__ __forceinline__ i8 jit_blocks() { return i8(gridDim.x) * gridDim.y * gridDim.z; }]] },
  { name = "jit_votes", text = [[
/* The lanes of the tile for which a test holds. */
static __device__ __forceinline__ unsigned jit_votes(unsigned size, bool test) {
  unsigned mask = jit_lanes(size);
  return __ballot_sync(mask, test) & mask;
}]] },
  { name = "jit_combine", text = [[
/* Values of the threads of a tile or a block, combined in the order of the threads: the tree is the same on both
** devices. Each thread is given the result. */
template <class T, class F> static __device__ __forceinline__ T jit_warp_reduce(T v, unsigned size, F op) {
  unsigned mask = jit_lanes(size), lane = jit_thread() & (size - 1), count = __popc(mask);
  for (unsigned by = 1; by < size; by *= 2) {
    T other = T(__shfl_down_sync(mask, v, by, size));
    if (lane + by < count) v = op(v, other);
  }
  return T(__shfl_sync(mask, v, 0, size));
}
template <class T, class F> static __device__ __forceinline__ T jit_warp_scan(T v, unsigned size, F op) {
  unsigned mask = jit_lanes(size), lane = jit_thread() & (size - 1);
  for (unsigned by = 1; by < size; by *= 2) {
    T other = T(__shfl_up_sync(mask, v, by, size));
    if (lane >= by) v = op(other, v);
  }
  return v;
}
/* `part`: shared memory for a value a warp, which the call before may still be reading. */
template <class T, class F> static __device__ __forceinline__ T jit_block_reduce(T v, T *part, F op) {
  unsigned warps = (jit_threads() + 31) / 32;
  v = jit_warp_reduce(v, 32, op);
  __syncthreads();
  if (jit_thread() % 32 == 0) part[jit_thread() / 32] = v;
  __syncthreads();
  v = part[0];
  for (unsigned w = 1; w < warps; w++) v = op(v, part[w]);
  return v;
}
template <class T> struct jit_scanned { T v1, v2; };
/* Up to each thread's own value, and of all of them. */
template <class T, class F> static __device__ __forceinline__ jit_scanned<T> jit_block_scan(T v, T *part, F op) {
  unsigned warps = (jit_threads() + 31) / 32, warp = jit_thread() / 32, lanes = __popc(jit_lanes(32));
  v = jit_warp_scan(v, 32, op);
  __syncthreads();
  if (jit_thread() % 32 == lanes - 1) part[warp] = v;
  __syncthreads();
  T before = part[0], all = part[0];
  for (unsigned w = 1; w < warps; w++) {
    if (w < warp) before = op(before, part[w]);
    all = op(all, part[w]);
  }
  return { warp ? op(before, v) : v, all };
}
/* Up to the value of the thread before; the first thread is given `initial`. */
template <class T, class F> static __device__ __forceinline__ jit_scanned<T> jit_block_before(T v, T *part, T initial, F op) {
  jit_scanned<T> r = jit_block_scan(v, part, op);
  unsigned mask = jit_lanes(32), t = jit_thread();
  T before = T(__shfl_up_sync(mask, r.v1, 1, 32));
  __syncthreads();
  if (t % 32 == 31) part[t / 32] = r.v1;
  __syncthreads();
  if (t && t % 32 == 0) before = part[t / 32 - 1];
  r.v1 = t ? op(initial, before) : initial;
  return r;
}]] },
  { name = "jit_atomic", text = [[
/* What CUDA has no atomic for: the word is exchanged until nobody came between. */
template <class T, class F> static __device__ T jit_atomic_loop(T *place, F next) {
  if constexpr (sizeof(T) == 4) {
    unsigned *word = (unsigned *)place, old = *(volatile unsigned *)word, seen;
    do {
      union { unsigned bits; T v; } was, is;
      was.bits = seen = old;
      is.v = next(was.v);
      if (is.bits == seen) return was.v;
      old = atomicCAS(word, seen, is.bits);
    } while (old != seen);
    union { unsigned bits; T v; } was;
    was.bits = seen;
    return was.v;
  } else {
    unsigned long long *word = (unsigned long long *)place, old = *(volatile unsigned long long *)word, seen;
    do {
      union { unsigned long long bits; T v; } was, is;
      was.bits = seen = old;
      is.v = next(was.v);
      if (is.bits == seen) return was.v;
      old = atomicCAS(word, seen, is.bits);
    } while (old != seen);
    union { unsigned long long bits; T v; } was;
    was.bits = seen;
    return was.v;
  }
}
static __device__ __forceinline__ i4 jit_atomic_add(i4 *p, i4 v) { return atomicAdd(p, v); }
static __device__ __forceinline__ u4 jit_atomic_add(u4 *p, u4 v) { return atomicAdd(p, v); }
static __device__ __forceinline__ i8 jit_atomic_add(i8 *p, i8 v) { return (i8)atomicAdd((unsigned long long *)p, (unsigned long long)v); }
static __device__ __forceinline__ u8 jit_atomic_add(u8 *p, u8 v) { return (u8)atomicAdd((unsigned long long *)p, (unsigned long long)v); }
static __device__ __forceinline__ float jit_atomic_add(float *p, float v) { return atomicAdd(p, v); }
static __device__ __forceinline__ double jit_atomic_add(double *p, double v) { return atomicAdd(p, v); }
template <class T> static __device__ __forceinline__ T jit_atomic_exch(T *p, T v) { return jit_atomic_loop(p, [=](T) { return v; }); }
template <class T> static __device__ __forceinline__ T jit_atomic_min(T *p, T v) { return jit_atomic_loop(p, [=](T x) { return v < x ? v : x; }); }
template <class T> static __device__ __forceinline__ T jit_atomic_max(T *p, T v) { return jit_atomic_loop(p, [=](T x) { return v > x ? v : x; }); }
template <class T> static __device__ __forceinline__ T jit_atomic_inc(T *p, T v) { return jit_atomic_loop(p, [=](T x) { return x >= v ? T(0) : T(x + 1); }); }
template <class T> static __device__ __forceinline__ T jit_atomic_dec(T *p, T v) {
  return jit_atomic_loop(p, [=](T x) { return x == 0 || x > v ? v : T(x - 1); });
}
template <class T> static __device__ __forceinline__ T jit_atomic_and(T *p, T v) { return jit_atomic_loop(p, [=](T x) { return T(x & v); }); }
template <class T> static __device__ __forceinline__ T jit_atomic_or(T *p, T v) { return jit_atomic_loop(p, [=](T x) { return T(x | v); }); }
template <class T> static __device__ __forceinline__ T jit_atomic_xor(T *p, T v) { return jit_atomic_loop(p, [=](T x) { return T(x ^ v); }); }
template <class T> static __device__ __forceinline__ T jit_atomic_cas(T *p, T c, T v) { return jit_atomic_loop(p, [=](T x) { return x == c ? v : x; }); }
static __device__ __forceinline__ i4 jit_atomic_min(i4 *p, i4 v) { return atomicMin(p, v); }
static __device__ __forceinline__ i4 jit_atomic_max(i4 *p, i4 v) { return atomicMax(p, v); }
static __device__ __forceinline__ u4 jit_atomic_min(u4 *p, u4 v) { return atomicMin(p, v); }
static __device__ __forceinline__ u4 jit_atomic_max(u4 *p, u4 v) { return atomicMax(p, v); }
static __device__ __forceinline__ i4 jit_atomic_exch(i4 *p, i4 v) { return atomicExch(p, v); }
static __device__ __forceinline__ u4 jit_atomic_exch(u4 *p, u4 v) { return atomicExch(p, v); }
static __device__ __forceinline__ float jit_atomic_exch(float *p, float v) { return atomicExch(p, v); }
static __device__ __forceinline__ i4 jit_atomic_and(i4 *p, i4 v) { return atomicAnd(p, v); }
static __device__ __forceinline__ i4 jit_atomic_or(i4 *p, i4 v) { return atomicOr(p, v); }
static __device__ __forceinline__ i4 jit_atomic_xor(i4 *p, i4 v) { return atomicXor(p, v); }]] },
  { name = "jit_draws" },                -- random.lua has its text, of which the core has a part
}
