/* random_loops.h: random numbers for one instruction set (TARGET), among which random.c chooses. A group is
** LANES blocks; word j of block k is at [j][k]. */
/* The loops have a constant number of blocks, LANES or STEP: then they are vectorised without a rest. */
#define ALWAYS static inline __attribute__((always_inline)) void
#if JOIN(PRODUCTS, TARGET)
/* Words in lanes of 64 bits. A product takes only the lower half of a lane, so the upper half may have anything. */
#if JOIN(PRODUCTS, TARGET) == 8
#define PRODUCT(x, y) (lanes) _mm512_mul_epu32((__m512i)(x), _mm512_set1_epi64(y))
#else
#define PRODUCT(x, y) (lanes) _mm256_mul_epu32((__m256i)(x), _mm256_set1_epi64x(y))
#endif
ALWAYS GLUE(words, attempt, TARGET)(const ma_random_job *job, uint64_t block, uint32_t attempt, uint32_t w[4][LANES],
                                    int n) {
  typedef uint64_t lanes __attribute__((vector_size(JOIN(PRODUCTS, TARGET) * 8)));
  typedef uint32_t halves __attribute__((vector_size(JOIN(PRODUCTS, TARGET) * 4), aligned(4), may_alias));
  const uint32_t low = (uint32_t)job->key, high = (uint32_t)(job->key >> 32);
  ma_away_part away = ma_philox_away(job->key, (uint32_t)(block >> 16), job->draw);
  lanes count = { 0 };
  for (int k = 0; k < JOIN(PRODUCTS, TARGET); k++) count[k] = (block & 65535) + (uint64_t)k;
  for (int k = 0; k < n; k += JOIN(PRODUCTS, TARGET), count += JOIN(PRODUCTS, TARGET)) {
    lanes q = PRODUCT(count, 0xCD9E8D57), p = PRODUCT(q >> 32 ^ (attempt ^ low), 0xD2511F53);
    lanes x = q ^ (away.x ^ (low + 0x9E3779B9u)), y = (lanes){ 0 } + away.y,
          z = p >> 32 ^ (away.z ^ (high + 0xBB67AE85u)), v = p;
    uint32_t k0 = low, k1 = high;
    for (int round = 2; round < 10; round++) {
      k0 = low + (uint32_t)round * 0x9E3779B9u;
      k1 = high + (uint32_t)round * 0xBB67AE85u;
      p = PRODUCT(x, 0xD2511F53);
      q = PRODUCT(z, 0xCD9E8D57);
      x = q >> 32 ^ y ^ k0;
      y = q;
      z = p >> 32 ^ v ^ k1;
      v = p;
    }
    *(halves *)&w[0][k] = __builtin_convertvector(x, halves);
    *(halves *)&w[1][k] = __builtin_convertvector(y, halves);
    *(halves *)&w[2][k] = __builtin_convertvector(z, halves);
    *(halves *)&w[3][k] = __builtin_convertvector(v, halves);
  }
}
#else
ALWAYS GLUE(words, attempt, TARGET)(const ma_random_job *job, uint64_t block, uint32_t attempt, uint32_t w[4][LANES],
                                    int n) {
  uint64_t key = job->key;
  ma_away_part away = ma_philox_away(key, (uint32_t)(block >> 16), job->draw);
  uint32_t lower = (uint32_t)block & 65535;
  for (int k = 0; k < n; k++) {
    ma_words r = ma_philox_rest(key, ma_philox_near(key, lower + (uint32_t)k, attempt), away);
    w[0][k] = r.x;
    w[1][k] = r.y;
    w[2][k] = r.z;
    w[3][k] = r.w;
  }
}
#endif

ALWAYS GLUE(words, all, TARGET)(const ma_random_job *job, uint64_t block, uint32_t w[4][LANES], int lanes) {
  GLUE(words, attempt, TARGET)(job, block, job->attempt, w, lanes);
}

ALWAYS GLUE(uniform, f4, TARGET)(const ma_random *r, uint64_t block, int lanes, float *to) {
  uint32_t w[4][LANES];
  float low = (float)r->job.param[0], range = (float)(r->job.param[1] - r->job.param[0]), last = (float)r->job.param[2];
  int bits = uniform_bits(r->dtype);
  GLUE(words, all, TARGET)(&r->job, block, w, lanes);
  for (int k = 0; k < lanes; k++)
    for (int j = 0; j < 4; j++) to[4 * k + j] = ma_uniform_f(w[j][k], bits);
  if (!ma_random_is_standard(r))
    for (int k = 0; k < 4 * lanes; k++) {
      float x = low + range * to[k];
      to[k] = x < last ? x : last;
    }
}

ALWAYS GLUE(uniform, f8, TARGET)(const ma_random *r, uint64_t block, int lanes, double *to) {
  uint32_t w[4][LANES];
  double low = r->job.param[0], range = r->job.param[1] - r->job.param[0], last = r->job.param[2];
  GLUE(words, all, TARGET)(&r->job, block, w, lanes);
  for (int k = 0; k < lanes; k++)
    for (int j = 0; j < 2; j++) to[2 * k + j] = ma_uniform_d(w[2 * j][k], w[2 * j + 1][k]);
  if (!ma_random_is_standard(r))
    for (int k = 0; k < 2 * lanes; k++) {
      double x = low + range * to[k];
      to[k] = x < last ? x : last;
    }
}

ALWAYS GLUE(normal, f4, TARGET)(const ma_random *r, uint64_t block, int lanes, float *to) {
  uint32_t w[4][LANES];
  float z[4][LANES], loc = (float)r->job.param[0], scale = (float)r->job.param[1];
  GLUE(words, all, TARGET)(&r->job, block, w, lanes);
  for (int j = 0; j < 4; j += 2)
    for (int k = 0; k < lanes; k++) {
      float a, b;
      ma_normals_f(w[j][k], w[j + 1][k], &a, &b);
      z[j][k] = a;
      z[j + 1][k] = b;
    }
  for (int k = 0; k < lanes; k++)
    for (int j = 0; j < 4; j++) to[4 * k + j] = z[j][k];
  if (!ma_random_is_standard(r))
    for (int k = 0; k < 4 * lanes; k++) to[k] = loc + scale * to[k];
}

ALWAYS GLUE(normal, f8, TARGET)(const ma_random *r, uint64_t block, int lanes, double *to) {
  uint32_t w[4][LANES];
  double loc = r->job.param[0], scale = r->job.param[1];
  GLUE(words, all, TARGET)(&r->job, block, w, lanes);
  for (int k = 0; k < lanes; k++) {
    double a, b;
    ma_normals_d((ma_words){ w[0][k], w[1][k], w[2][k], w[3][k] }, &a, &b);
    to[2 * k] = a;
    to[2 * k + 1] = b;
  }
  if (!ma_random_is_standard(r))
    for (int k = 0; k < 2 * lanes; k++) to[k] = loc + scale * to[k];
}

ALWAYS GLUE(integers, u4, TARGET)(const ma_random *r, uint64_t block, int lanes, uint32_t *to) {
  uint32_t w[4][LANES], threshold = (uint32_t)r->job.threshold, again = 0;
  uint64_t span = r->job.span;
  GLUE(words, all, TARGET)(&r->job, block, w, lanes);
  for (int k = 0; k < lanes; k++)
    for (int j = 0; j < 4; j++) {
      uint64_t m = w[j][k] * span;
      again |= (uint32_t)m < threshold;
      to[4 * k + j] = (uint32_t)(m >> 32);
    }
  if (!again) return;
  for (int k = 0; k < lanes; k++)
    for (int j = 0; j < 4; j++) to[4 * k + j] = ma_bounded(&r->job, w[j][k], block + (uint64_t)k, j);
}

ALWAYS GLUE(integers, u8, TARGET)(const ma_random *r, uint64_t block, int lanes, uint64_t *to) {
  uint32_t w[4][LANES];
  GLUE(words, all, TARGET)(&r->job, block, w, lanes);
  for (int k = 0; k < lanes; k++)
    for (int j = 0; j < 2; j++)
      to[2 * k + j] = ma_bounded64(&r->job, (uint64_t)w[2 * j + 1][k] << 32 | w[2 * j][k], block + (uint64_t)k, j);
}

ALWAYS GLUE(exponential, some, TARGET)(const ma_random_job *job, uint64_t element, int lanes, double *to) {
  uint32_t w[4][LANES];
  GLUE(words, all, TARGET)(job, element, w, lanes);
  for (int k = 0; k < lanes; k++) to[k] = -ma_log_d(1 - ma_uniform_d(w[0][k], w[1][k]));
}

/* ma_next_exponential for many elements, of which the first is a multiple of LANES. An element's words are those of the
** block with its number. */
static void GLUE(exponential, f8, TARGET)(const ma_random_job *job, uint64_t element, int lanes, double *to) {
  if (lanes == LANES) GLUE(exponential, some, TARGET)(job, element, LANES, to);
  else
    for (int k = 0; k < lanes; k += STEP) GLUE(exponential, some, TARGET)(job, element + (uint64_t)k, STEP, to + k);
}

/* One mapping of ma_draw_permutation, for n numbers. Numbers behind them, up to a multiple of 32, are overwritten. */
static void GLUE(rounds, all, TARGET)(const ma_random_job *job, uint64_t *u, int n) {
  const uint32_t left_bits = job->bits / 2, right_bits = job->bits - left_bits, more = right_bits - left_bits,
                 left_mask = (1u << left_bits) - 1, right_mask = (1u << right_bits) - 1;
#if JOIN(PRODUCTS, TARGET)
  typedef uint64_t lanes __attribute__((vector_size(JOIN(PRODUCTS, TARGET) * 8)));
  typedef lanes packed __attribute__((aligned(8), may_alias));
  for (int i = 0; i < n; i += 4 * JOIN(PRODUCTS, TARGET)) { /* four at once: each is a long chain of dependent steps */
    packed *v = (packed *)(u + i);
    lanes left[4], right[4];
    for (int j = 0; j < 4; j++) {
      left[j] = v[j] >> right_bits;
      right[j] = v[j] & right_mask;
    }
    for (int k = 0; k < MA_RANDOM_ROUNDS; k++)
      for (int j = 0; j < 4; j++) {
        lanes low = PRODUCT(left[j], 0xB1CE6E93), high = (low >> 32) + PRODUCT(left[j], 0xD2B74407);
        low = low << more | right[j] >> left_bits;
        left[j] = (high ^ job->round[k] ^ right[j]) & left_mask;
        right[j] = low & right_mask;
      }
    for (int j = 0; j < 4; j++) v[j] = left[j] << right_bits | right[j];
  }
#else
  uint32_t left[GROUP], right[GROUP];
  for (int i = 0; i < n; i++) {
    left[i] = (uint32_t)(u[i] >> right_bits);
    right[i] = (uint32_t)u[i] & right_mask;
  }
  for (int k = 0; k < MA_RANDOM_ROUNDS; k++) {
    uint32_t key = job->round[k];
    for (int i = 0; i < n; i++) {
      uint64_t m = 0xD2B74407B1CE6E93u * (uint64_t)left[i];
      uint32_t low = (uint32_t)m << more | right[i] >> left_bits;
      left[i] = ((uint32_t)(m >> 32) ^ key ^ right[i]) & left_mask;
      right[i] = low & right_mask;
    }
  }
  for (int i = 0; i < n; i++) u[i] = (uint64_t)left[i] << right_bits | right[i];
#endif
}

/* ma_draw_permutation for n positions at once. Results outside the range are mapped again, all together. */
static void GLUE(permute, group, TARGET)(const ma_random_job *job, uint64_t *v, int n) {
  uint64_t u[GROUP + 32] = { 0 };
  int at[GROUP], again;
  for (int i = 0; i < n; i++) {
    u[i] = v[i];
    at[i] = i;
  }
  for (int more = n; more > 0; more = again) {
    GLUE(rounds, all, TARGET)(job, u, more);
    again = 0;
    for (int i = 0; i < more; i++) {
      uint64_t mapped = u[i];
      v[at[i]] = mapped;
      at[again] = at[i];
      u[again] = mapped;
      again += mapped >= (uint64_t)job->count;
    }
  }
}

#undef PRODUCT

/* Parameters of elements from a block on, or of those that there are. */
ALWAYS GLUE(parameters, of, TARGET)(const ma_random_job *job, uint64_t block, int lanes, double (*p)[LANES]) {
  for (int j = 0; j < 3; j++) {
    const double *from = job->array[j] ? job->array[j] + block : NULL;
    int n = !from ? 0 : job->n - (int64_t)block < lanes ? (int)(job->n - (int64_t)block) : lanes;
    for (int k = 0; k < n; k++) p[j][k] = from[k];
    for (int k = n; k < lanes; k++) p[j][k] = job->param[j];
  }
}

ALWAYS GLUE(singles, f4, TARGET)(const ma_random *r, uint64_t block, int lanes, float *to) {
  uint32_t w[4][LANES];
  double p[3][LANES];
  GLUE(words, all, TARGET)(&r->job, block, w, lanes);
  GLUE(parameters, of, TARGET)(&r->job, block, lanes, p);
  choose_set()->single[r->kind]((const uint32_t(*)[LANES])w, (const double(*)[LANES])p, lanes, to);
}

ALWAYS GLUE(fill, some, TARGET)(const ma_random *r, uint64_t block, int lanes, void *to) {
  bool wide = ma_random_per_block(r) == 2;
  if (!ma_randoms[r->kind].block) GLUE(singles, f4, TARGET)(r, block, lanes, to);
  else if (r->kind == MA_RANDOM_uniform && wide) GLUE(uniform, f8, TARGET)(r, block, lanes, to);
  else if (r->kind == MA_RANDOM_uniform) GLUE(uniform, f4, TARGET)(r, block, lanes, to);
  else if (r->kind == MA_RANDOM_normal && wide) GLUE(normal, f8, TARGET)(r, block, lanes, to);
  else if (r->kind == MA_RANDOM_normal) GLUE(normal, f4, TARGET)(r, block, lanes, to);
  else if (wide) GLUE(integers, u8, TARGET)(r, block, lanes, to);
  else GLUE(integers, u4, TARGET)(r, block, lanes, to);
}

/* Fills a group with register values, from a block on, or the part of it that `lanes` blocks make, a multiple of STEP.
** The registers of a block that elements share take 16 bytes together. */
static void GLUE(fill, group, TARGET)(const ma_random *r, uint64_t block, int lanes, void *to) {
  if (lanes == LANES) GLUE(fill, some, TARGET)(r, block, LANES, to);
  else
    for (int k = 0, size = ma_randoms[r->kind].block ? 16 : 4; k < lanes; k += STEP)
      GLUE(fill, some, TARGET)(r, block + (uint64_t)k, STEP, (char *)to + size * k);
}

ALWAYS GLUE(normals, of, TARGET)(const uint32_t (*w)[LANES], double (*z)[LANES], int lanes) {
  for (int k = 0; k < lanes; k++) {
    double a, b;
    ma_normals_d((ma_words){ w[0][k], w[1][k], w[2][k], w[3][k] }, &a, &b);
    z[0][k] = a;
    z[1][k] = b;
  }
}

ALWAYS GLUE(prepare, some, TARGET)(const ma_random_job *job, uint64_t element, bool normals, first_words *f, int from,
                                   int lanes) {
  uint32_t w[4][LANES];
  double z[2][LANES];
  GLUE(words, all, TARGET)(job, element + (uint64_t)from, w, lanes);
  for (int j = 0; j < 4; j++)
    for (int k = 0; k < lanes; k++) f->w[j][from + k] = w[j][k];
  if (!normals) return;
  GLUE(normals, of, TARGET)((const uint32_t(*)[LANES])w, z, lanes);
  for (int j = 0; j < 2; j++)
    for (int k = 0; k < lanes; k++) f->z[j][from + k] = z[j][k];
}

/* Makes the words of LANES elements, from a multiple of LANES on, or of one element anywhere. If `how` is not 0, the
** words of the next attempt are made too, for LANES elements. */
static void GLUE(prepare, all, TARGET)(const ma_random_job *job, uint64_t element, bool normals, int how,
                                       first_words *f, int lanes) {
  int at = (int)(element % LANES);
  if (lanes == 1) {
    ma_words w = ma_philox_far(job->key, element, 0, job->draw);
    f->w[0][at] = w.x, f->w[1][at] = w.y, f->w[2][at] = w.z, f->w[3][at] = w.w;
    if (normals) ma_normals_d(w, &f->z[0][at], &f->z[1][at]);
  } else if (lanes == LANES) {
    GLUE(prepare, some, TARGET)(job, element, normals, f, 0, LANES);
  } else {
    for (int k = 0; k < lanes; k += STEP) GLUE(prepare, some, TARGET)(job, element, normals, f, k, STEP);
  }
  if (!how) return;
  GLUE(words, attempt, TARGET)(job, element, 1, f->next, LANES);
  if (how != MA_ABOVE) GLUE(normals, of, TARGET)((const uint32_t(*)[LANES])f->next, f->next_z, LANES);
}

/* Draws gamma numbers, with parameters of their own for each element. An element that must be drawn again is NaN. */
#define TRY(name, how)                                                                                           \
  static void GLUE(try_##how, name, TARGET)(const ma_random_job *job, uint64_t element, const double(*p)[LANES], \
                                            const first_words *f, double *restrict to) {                         \
    for (int k = 0; k < LANES; k++) {                                                                            \
      ma_draws s = ma_draws_of(job, element + (uint64_t)k);                                                      \
      s.first = (ma_words){ f->w[0][k], f->w[1][k], f->w[2][k], f->w[3][k] };                                    \
      s.second = (ma_words){ f->next[0][k], f->next[1][k], f->next[2][k], f->next[3][k] };                       \
      s.once = how;                                                                                              \
      s.normals = how == MA_ABOVE;                                                                               \
      if (how == MA_ABOVE) s.normal[0] = f->z[0][k], s.normal[1] = f->z[1][k];                                   \
      else s.next_normal[0] = f->next_z[0][k], s.next_normal[1] = f->next_z[1][k];                               \
      double x = ma_draw_##name(job, &s, p[0][k], p[1][k], p[2][k]);                                             \
      to[k] = ma_choose(s.failed, MA_NAN, x);                                                                    \
    }                                                                                                            \
  }
/* ma_binomial_small of one n and p. Every element subtracts the same terms. */
static void GLUE(try_MA_ABOVE, binomial, TARGET)(const ma_random_job *job, uint64_t element, const double (*of)[LANES],
                                                 const first_words *f, double *restrict to) {
  const double n = of[0][0], p = of[1][0] <= 0.5 ? of[1][0] : 1 - of[1][0], q = 1 - p, bound = ma_binomial_bound(n, p);
  double term = ma_own_exp(n * ma_own_log1p(-p)), u[LANES], go[LANES];
  (void)job, (void)element;
  for (int i = 0; i < LANES; i++) {
    u[i] = ma_uniform_d(f->w[0][i], f->w[1][i]);
    go[i] = 1;
    to[i] = 0;
  }
  for (double k = 1; k <= bound + 1; k++) {
    for (int i = 0; i < LANES; i++) {
      go[i] = u[i] > term ? go[i] : 0;
      u[i] -= go[i] * term; /* this difference is exact */
      to[i] += go[i];
    }
    term = (n - k + 1) * p * term / (k * q);
  }
  for (int i = 0; i < LANES; i++) {
    double k = of[1][0] <= 0.5 ? to[i] : n - to[i];
    to[i] = ma_choose(to[i] > bound, MA_NAN, k);
  }
}

/* ma_draw_poisson of 0 < lam < 10. A product that has fallen to the limit stays below it, so all elements can take the
** same steps. */
static void GLUE(try_MA_ABOVE, poisson, TARGET)(const ma_random_job *job, uint64_t element, const double (*p)[LANES],
                                                const first_words *f, double *restrict to) {
  uint32_t w[4][LANES];
  double product[LANES], limit[LANES];
  uint64_t more = 1;
  memcpy(w, f->w, sizeof w);
  for (int i = 0; i < LANES; i++) {
    limit[i] = ma_plain_exp(-p[0][i]);
    product[i] = 1;
    to[i] = 0;
  }
  for (uint32_t attempt = 1; more; attempt++) {
    more = 0;
    for (int i = 0; i < LANES; i++) {
      double once = product[i] * ma_uniform_d(w[0][i], w[1][i]), twice = once * ma_uniform_d(w[2][i], w[3][i]);
      product[i] = twice;
      to[i] += (double)(once > limit[i]) + (double)(twice > limit[i]);
      more |= (uint64_t)(twice > limit[i]);
    }
    if (more) GLUE(words, attempt, TARGET)(job, element, attempt, w, LANES);
  }
  for (int i = 0; i < LANES; i++) to[i] = ma_choose((p[0][i] > 0) & (p[0][i] < 10), to[i], MA_NAN);
}

#define ONE_GAMMA(TRY)          \
  TRY(standard_gamma, MA_ONE)   \
  TRY(standard_gamma, MA_BELOW) \
  TRY(gamma, MA_ONE)            \
  TRY(gamma, MA_BELOW)          \
  TRY(chisquare, MA_ONE) TRY(chisquare, MA_BELOW) TRY(noncentral_chisquare, MA_ONE) TRY(noncentral_chisquare, MA_BELOW)

#define BLOCK(name)
#if JOIN(AGAIN, TARGET) /* other draws have no vectors, and gain nothing from AVX-512 */
#define DRAWN avx2
#else
#define DRAWN TARGET
#endif
/* Loops of distributions that reject nothing. They call no function, so they are vectorised. */
#define PLAIN(name)                                                                                        \
  static void GLUE(draw, name, TARGET)(const ma_random_job *job, uint64_t element, const double *p,        \
                                       const first_words *f, double *restrict to, int n) {                 \
    int at = (int)(element % LANES);                                                                       \
    const uint32_t *restrict x = f->w[0] + at, *restrict y = f->w[1] + at, *restrict z = f->w[2] + at,     \
                             *restrict w = f->w[3] + at;                                                   \
    const double *restrict one = f->z[0] + at, *restrict two = f->z[1] + at, a = p[0], b = p[1], c = p[2]; \
    bool normals = begins_normal(MA_RANDOM_##name, p);                                                     \
    for (int k = 0; k < n; k++) {                                                                          \
      ma_draws s = ma_draws_of(job, element + (uint64_t)k);                                                \
      s.first = (ma_words){ x[k], y[k], z[k], w[k] };                                                      \
      s.normals = normals;                                                                                 \
      if (normals) s.normal[0] = one[k], s.normal[1] = two[k];                                             \
      to[k] = ma_draw_##name(job, &s, a, b, c);                                                            \
    }                                                                                                      \
  }
#if JOIN(AGAIN, TARGET)
#define DRAW(name)
#else
#define DRAW(name) PLAIN(name)
#endif
/* The same in float. */
#define TRIED(name)                                                                                          \
  static void GLUE(tried, name, TARGET)(const ma_random_job *job, uint64_t element, const double(*p)[LANES], \
                                        const first_words *f, double *restrict to) {                         \
    float x[LANES];                                                                                          \
    (void)job, (void)element;                                                                                \
    for (int k = 0; k < LANES; k++) {                                                                        \
      ma_tries t = { { f->w[0][k], f->w[1][k], f->w[2][k], f->w[3][k] },                                     \
                     { f->next[0][k], f->next[1][k], f->next[2][k], f->next[3][k] },                         \
                     !ma_may_##name(p[0][k], p[1][k], p[2][k]) };                                            \
      float y = ma_tried_##name(&t, p[0][k], p[1][k], p[2][k]);                                              \
      x[k] = ma_choose_f(t.failed, MA_NAN_F, y);                                                             \
    }                                                                                                        \
    for (int k = 0; k < LANES; k++) to[k] = x[k];                                                            \
  }
#define GAMMA(name) DRAW(name) TRY(name, MA_ABOVE) TRIED(name)
#define SINGLE(name)                                                                                         \
  PLAIN(name)                                                                                                \
  ALWAYS GLUE(single_some, name, TARGET)(const uint32_t(*w)[LANES], const double(*p)[LANES], int lanes,      \
                                         float *restrict to) {                                               \
    for (int k = 0; k < lanes; k++)                                                                          \
      to[k] = ma_single_##name((ma_words){ w[0][k], w[1][k], w[2][k], w[3][k] }, p[0][k], p[1][k], p[2][k]); \
  }                                                                                                          \
  static void GLUE(single, name, TARGET)(const uint32_t(*w)[LANES], const double(*p)[LANES], int lanes,      \
                                         float *restrict to) {                                               \
    if (lanes == LANES) GLUE(single_some, name, TARGET)(w, p, LANES, to);                                    \
    else GLUE(single_some, name, TARGET)(w, p, STEP, to);                                                    \
  }
#define RANDOM(name, nparam, form, doc) form(name)
#include "backend/random.def"
ONE_GAMMA(TRY)
#undef DRAW
#undef PLAIN
#undef GAMMA
#undef SINGLE
#undef TRIED
#undef TRY
#define TRY(name, how) .attempt[MA_RANDOM_##name][how] = GLUE(try_##how, name, TARGET),
#define TRIED(name) .tried[MA_RANDOM_##name] = GLUE(tried, name, TARGET),
#define GAMMA(name) DRAW(name) TRY(name, MA_ABOVE) TRIED(name)
#define DRAW(name) .draw[MA_RANDOM_##name] = GLUE(draw, name, DRAWN),
#define PLAIN(name) .draw[MA_RANDOM_##name] = GLUE(draw, name, TARGET),
#define SINGLE(name) PLAIN(name).single[MA_RANDOM_##name] = GLUE(single, name, TARGET),
/* clang-format off */
static const draw_set GLUE(set, of, TARGET) = {
  .group = GLUE(fill, group, TARGET),
  .permute = GLUE(permute, group, TARGET),
  .exponential = GLUE(exponential, f8, TARGET),
  .prepare = GLUE(prepare, all, TARGET),
#include "backend/random.def"
  ONE_GAMMA(TRY) TRY(binomial, MA_ABOVE) TRY(poisson, MA_ABOVE)
};
/* clang-format on */
#undef RANDOM
#undef DRAW
#undef PLAIN
#undef GAMMA
#undef TRY
#undef TRIED
#undef SINGLE
#undef ONE_GAMMA
#undef DRAWN
#undef BLOCK
#undef ALWAYS
