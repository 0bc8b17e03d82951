/*
** counting.cuh: a draw of Poisson numbers, behind random.cuh. ATTEMPTS is how many blocks a multiprocessor has at once.
**
** A number takes as many attempts as it needs. So that a warp need not wait for the last of 32 numbers, its lanes go on
** to the warp's next numbers by themselves. The numbers are those of draws.h, in double; but most attempts are decided
** in float, where it is far enough from what would decide otherwise. What is nearer, and what takes logarithms, is
** tested in double. What few lanes need waits until more need it: a next number until FEW_IDLE do, and a test until
** FEW_TESTED do.
*/
enum { IDLE, DRAWING, TESTED };

#define BY_PRODUCTS 10.0f /* means below */
#define BEYOND 65536.0f   /* means with too many digits for float */
#define APART 0x1p-16f    /* products have less than 80 factors, each of which may add 2e-7 to the relative error */

/* Below BY_PRODUCTS: a product of uniform numbers, how many there were, and where it ends. Else the parameters of
** ma_poisson, and `apart`, within which of a whole number float cannot tell what is below it. */
struct counting {
  float lam, product_or_a, count_or_b, limit_or_vr, apart;
  float k, us, v; /* of an attempt that is to be tested; k is -1 if only double can tell */
  u8 element;
  u4 attempt;
  int state;
};

template <class T> static __device__ __forceinline__ void finish(const ma_random_job &job, counting &c, T count) {
  ((D::mem *)job.data)[c.element] = D::store(TO(count));
  c.state = IDLE;
}

/* Whether float decides no attempt, so that all of them are made in double. */
static __device__ __forceinline__ bool takes_double(const counting &c) { return !(c.lam < BEYOND); }

static __device__ __forceinline__ void doubt(counting &c) {
  c.k = -1;
  c.state = TESTED;
}

static __device__ __forceinline__ void begin(const ma_random_job &job, counting &c) {
  double lam = parameter(job, 0, c.element);
  c.attempt = 0;
  c.state = DRAWING;
  c.lam = (float)lam;
  if (!(lam > 0)) finish(job, c, lam == 0 ? 0 : MA_NAN);
  else if (lam < 10) {
    c.lam = c.lam < BY_PRODUCTS ? c.lam : 0x1.3ffffep3f; /* below 10 still */
    c.product_or_a = 1;
    c.count_or_b = 0;
    c.limit_or_vr = ma_exp_f(-c.lam);
  } else {
    c.count_or_b = 0.931f + 2.53f * ma_root_f(c.lam);
    c.product_or_a = -0.059f + 0.02483f * c.count_or_b;
    c.limit_or_vr = 0.9277f - 3.6224f / (c.count_or_b - 2.0f);
    c.apart = 4e-6f * c.count_or_b + 5e-7f * c.lam;
    if (takes_double(c)) doubt(c);
  }
}

static __device__ __forceinline__ float uniform(u4 x, u4 y) {
  return fmaf((float)(i4)(x >> 5), 0x1p-27f, (float)(i4)(y >> 6) * 0x1p-53f);
}

static __device__ __forceinline__ void multiply(const ma_random_job &job, counting &c, float first, float second) {
  float low = c.limit_or_vr * (1 - APART), high = c.limit_or_vr * (1 + APART), once = c.product_or_a * first,
        twice = once * second;
  if (once > high && twice > high) {
    c.product_or_a = twice;
    c.count_or_b += 2;
  } else if (once < low) finish(job, c, (i4)c.count_or_b);
  else if (once > high && twice < low) finish(job, c, (i4)c.count_or_b + 1);
  else doubt(c);
}

/* Hoermann's attempt. Errors of u and us are below 3e-7, which 2 a / us makes larger near the ends. */
static __device__ __forceinline__ void reject(const ma_random_job &job, counting &c, float first, float second) {
  float u = first - 0.5f, us = 0.5f - fabsf(u);
  if (us < 0.0129f && second > us + 1e-6f) return;
  float t = (2 * c.product_or_a / us + c.count_or_b) * u + c.lam + 0.43f, k = floorf(t), above = t - k;
  float apart = us > 0.07f ? c.apart : c.apart * (0.0049f / (us * us));
  bool quick = us > 0.0699f && second < c.limit_or_vr + 2e-6f;
  if (us > 0.001f && us < 0.0699f && t < -apart) return;
  if (!(us > 0.0131f && fabsf(above - 0.5f) < 0.5f - apart && k >= 2)) doubt(c);
  else if (us > 0.0701f && second < c.limit_or_vr - 2e-6f) finish(job, c, (i4)k);
  else if (quick) doubt(c);
  else {
    c.k = k;
    c.us = us;
    c.v = second;
    c.state = TESTED;
  }
}

static __device__ __forceinline__ void attempt(const ma_random_job &job, counting &c) {
  ma_words w = ma_philox(job.key, c.element, c.attempt++, job.draw);
  float first = uniform(w.x, w.y), second = uniform(w.z, w.w);
  if (c.lam < BY_PRODUCTS) multiply(job, c, first, second);
  else reject(job, c, first, second);
}

/* The number of a mean by an attempt, or -1 if it fails; or by this attempt and all behind it. */
MA_CALLED double exact(u8 key, u4 draw, u8 element, u4 attempt, double lam, bool all) {
  ma_poisson p = ma_poisson_of(lam);
  ma_poisson_attempt t;
  bool taken;
  do {
    ma_words w = ma_philox_far(key, element, attempt++, draw);
    int judged = ma_poisson_try(&p, ma_uniform_d(w.x, w.y), ma_uniform_d(w.z, w.w), &t);
    taken = judged == MA_TAKEN || (judged == MA_UNSURE && ma_poisson_test(&p, &t));
  } while (all && !taken);
  return taken ? t.k : -1;
}

/* ma_poisson_test in float, by Stirling's series: above 0 if it holds, and its error is below `apart`. */
static __device__ __forceinline__ float margin(const counting &c, float *apart) {
  float x = c.k + 1, inverse = 1.1239f + 1.1328f / (c.count_or_b - 3.4f), part = 1.0f / x;
  float q = c.v * inverse / (c.product_or_a / (c.us * c.us) + c.count_or_b);
  *apart = 8e-5f + 1e-6f * x;
  return c.k * ma_log_f(c.lam * part) + (x - c.lam) - 0.9189385f - part * (0.083333336f - 0.0027777778f * part * part) -
         0.5f * ma_log_f(q * q * x);
}

static __device__ __forceinline__ void test(const ma_random_job &job, counting &c) {
  float apart, by = margin(c, &apart);
  c.state = DRAWING;
  if (c.k >= 0 && by < -apart) return;
  if (c.k >= 0 && by > apart) {
    finish(job, c, (i4)c.k);
    return;
  }
  bool all = c.lam < BY_PRODUCTS || takes_double(c);
  double count = exact(job.key, job.draw, c.element, all ? 0 : c.attempt - 1, parameter(job, 0, c.element), all);
  if (count >= 0) finish(job, c, count);
}

MA_KERNEL __launch_bounds__(256, ATTEMPTS) draw_random(const ma_random_job given) {
  MA_PLACE(job)
  u8 warp = ((u8)blockIdx.x * blockDim.x + threadIdx.x) >> 5, warps = (u8)gridDim.x * blockDim.x >> 5;
  u8 each = ((u8)job.n + warps - 1) / warps, next = warp * each, end = next + each < (u8)job.n ? next + each : job.n;
  u4 below = (1u << (threadIdx.x & 31)) - 1;
  counting c;
  c.state = IDLE;
  for (;;) {
    u4 idle = __ballot_sync(~0u, c.state == IDLE), drawing = __ballot_sync(~0u, c.state == DRAWING);
    if (next < end && (__popc(idle) >= FEW_IDLE || !drawing)) {
      if (c.state == IDLE) {
        c.element = next + __popc(idle & below);
        if (c.element < end) begin(job, c);
      }
      next += __popc(idle);
      drawing = __ballot_sync(~0u, c.state == DRAWING);
    }
    u4 tested = __ballot_sync(~0u, c.state == TESTED);
    if (__popc(tested) >= FEW_TESTED || (tested && !drawing)) {
      if (c.state == TESTED) test(job, c);
    } else if (!drawing && next >= end) return;
    if (c.state == DRAWING) attempt(job, c);
  }
}
