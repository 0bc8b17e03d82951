/*
** reduce_cpu.h: the walk of a user's reduction on the CPU, along the tree of reduce.h. The text before it
** (src/cpu/kernel/body_reduce.c) has the instance of reduce.h; RESULTS and WALKED, the numbers of results and of
** operands after them; ma_extra_of(job); and
**   ma_row(extra, q, step, n, part, first)   n elements at the addresses q: stored to part[0 .. n-1], or combined with
**     them
**   ma_write(extra, a, q)                    writes the results of `a` to q
*/
struct ma_place {
  const char *q[WALKED];
  int64_t at[JOB_NDIM], step[WALKED];
};

/* Moves to the first element of a span. */
static void ma_place_at(ma_place &place, const ma_reduce_job &job, int64_t result, int64_t r) {
  for (int k = 0; k < WALKED; k++) {
    place.q[k] = job.data[RESULTS + k];
    place.step[k] = job.stride[RESULTS + k][job.ndim - 1];
  }
  for (int64_t d = job.ndim - 1; d >= 0; d--) {
    int64_t &n = d >= job.nkept ? r : result, x = n % job.shape[d];
    n /= job.shape[d];
    place.at[d] = x;
    for (int k = 0; k < WALKED; k++) place.q[k] += x * job.stride[RESULTS + k][d];
  }
}

/* Advances by n elements, which stay within the innermost axis. */
static void ma_place_advance(ma_place &place, const ma_reduce_job &job, int64_t n) {
  int64_t d = job.ndim - 1;
  for (int k = 0; k < WALKED; k++) place.q[k] += n * place.step[k];
  place.at[d] += n;
  while (place.at[d] == job.shape[d] && d > job.nkept) {
    place.at[d] = 0;
    for (int k = 0; k < WALKED; k++)
      place.q[k] += job.stride[RESULTS + k][d - 1] - job.shape[d] * job.stride[RESULTS + k][d];
    place.at[--d]++;
  }
}

static void ma_merge_all(value *part, int64_t n) {
  for (int64_t d = 1; d < n; d *= 2)
    for (int64_t k = 0; k + d < n; k += 2 * d) part[k] = red_merge(part[k], part[k + d]);
}

static value ma_chunk(const ma_extra &extra, const ma_reduce_job &job, ma_place &place, int n) {
  value part[RED_LEAVES];
  for (int base = 0; base < n; base += RED_LEAVES) {
    int have = n - base < RED_LEAVES ? n - base : RED_LEAVES;
    for (int done = 0; done < have;) {
      int64_t left = job.shape[job.ndim - 1] - place.at[job.ndim - 1], run = have - done < left ? have - done : left;
      ma_row(extra, place.q, place.step, (int)run, part + done, base == 0);
      ma_place_advance(place, job, run);
      done += (int)run;
    }
  }
  ma_merge_all(part, n < RED_LEAVES ? n : RED_LEAVES);
  return part[0];
}

static value ma_span(const ma_extra &extra, const ma_reduce_job &job, int64_t result, int64_t s) {
  const int64_t first = s * job.span, end = first + job.span < job.count ? first + job.span : job.count;
  ma_place place;
  ma_place_at(place, job, result, first);
  value total;
  for (int64_t r = first; r < end; r += RED_CHUNK) {
    value a = ma_chunk(extra, job, place, (int)(end - r < RED_CHUNK ? end - r : RED_CHUNK));
    total = r == first ? a : red_merge(total, a);
  }
  return total;
}

static void ma_put(const ma_extra &extra, const ma_reduce_job &job, int64_t result, const value &a) {
  char *q[RESULTS];
  for (int k = 0; k < RESULTS; k++) q[k] = job.data[k];
  for (int64_t d = job.nkept - 1; d >= 0; d--) {
    for (int k = 0; k < RESULTS; k++) q[k] += result % job.shape[d] * job.stride[k][d];
    result /= job.shape[d];
  }
  ma_write(extra, a, q);
}

#define MA_EXPORT extern "C" __attribute__((visibility("default")))
MA_EXPORT size_t ma_reduce_partial() { return sizeof(value); }

/* Reduces spans first .. last-1, counted over all results. A result with one span is finished. False: the user's
** text threw. */
MA_EXPORT bool ma_reduce_spans(const ma_reduce_job *job, int64_t first, int64_t last) try {
  const ma_extra extra = ma_extra_of(*job);
  for (int64_t u = first; u < last; u++) {
#ifdef IDENTITY
    if (job->count == 0) {
      ma_put(extra, *job, u, IDENTITY);
      continue;
    }
#endif
    value a = ma_span(extra, *job, u / job->nspan, u % job->nspan);
    if (job->nspan == 1) ma_put(extra, *job, u, a);
    else ((value *)job->partial)[u] = a;
  }
  return true;
} catch (...) { return false; }

/* Merges the spans of results first .. last-1. */
MA_EXPORT bool ma_reduce_merge(const ma_reduce_job *job, int64_t first, int64_t last) try {
  const ma_extra extra = ma_extra_of(*job);
  for (int64_t k = first; k < last; k++) {
    value *part = (value *)job->partial + k * job->nspan;
    ma_merge_all(part, job->nspan);
    ma_put(extra, *job, k, part[0]);
  }
  return true;
} catch (...) { return false; }
