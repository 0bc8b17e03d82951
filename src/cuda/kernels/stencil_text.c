/* stencil_text.c: the lists by which kernels/stencil/stencil.cuh reads the fields of a stencil. */
#include "cuda/kernels/stencil.h"

#include <string.h>

#define MOST_ROWS 9     /* of a line: a thread keeps them in registers */
#define MOST_ELEMENTS 8 /* of a line, beside the thread's own */

static int least(int a, int b) { return a < b ? a : b; }
static int most(int a, int b) { return a > b ? a : b; }

int ma_stencil_lines(const ma_stencil_variant *v, int ninput, ma_stencil_line *lines, int *of) {
  int n = 0;
  for (int j = 0; j < ninput; j++) {
    const int16_t *o = v->offset[j];
    int l = 0;
    for (; l < n; l++) {
      const ma_stencil_line *a = &lines[l];
      if (a->field == v->field[j] && a->t == o[0] && most(a->high_m, o[1]) - least(a->low_m, o[1]) < MOST_ROWS &&
          most(a->high_x, o[2]) - least(a->low_x, o[2]) <= MOST_ELEMENTS)
        break;
    }
    if (l == n) lines[n++] = (ma_stencil_line){ v->field[j], o[0], o[1], o[1], o[2], o[2] };
    ma_stencil_line *a = &lines[l];
    a->low_m = least(a->low_m, o[1]);
    a->high_m = most(a->high_m, o[1]);
    a->low_x = least(a->low_x, o[2]);
    a->high_x = most(a->high_x, o[2]);
    of[j] = l;
  }
  return n;
}

static void print_reach(ma_ctext *text, const ma_stencil_variant *v, int ninput) {
  static const char *const axes[] = { "T", "M", "X" };
  for (int d = 0; d < 3; d++) {
    int low = 0, high = 0;
    for (int j = 0; j < ninput && !v->open; j++) {
      low = most(low, -v->offset[j][d]);
      high = most(high, v->offset[j][d]);
    }
    ma_ctext_add(text, "#define ST_EDGE_%s %d\n#define ST_LOW_%s %d\n#define ST_HIGH_%s %d\n", axes[d], v->edge[d],
                 axes[d], low, axes[d], high);
  }
}

static void print_lists(ma_ctext *text, const ma_program *p, const ma_stencil_variant *v) {
  static const char *const walks[] = { "VECTOR", "ELEMENT", "STRIDED", "STILL", "UNIFORM", "NORMAL", "WHOLE" };
  ma_stencil_line lines[MA_MAX_INPUTS];
  int of[MA_MAX_INPUTS], nline = ma_stencil_lines(v, p->ninput, lines, of);
  ma_ctext_put(text, "#define ST_FIELDS(X)");
  for (int f = 0; f < v->nfield; f++) ma_ctext_add(text, " X(%d, %s)", f, ma_cuda_suffix((ma_dtype)v->dtype[f]));
  ma_ctext_put(text, "\n#define ST_LINES(X)");
  for (int l = 0; l < nline; l++) {
    const ma_stencil_line *a = &lines[l];
    ma_ctext_add(text, " X(%d, %d, %s, %s, %d, %d, %d, %d, %d)", l, a->field,
                 ma_cuda_suffix((ma_dtype)v->dtype[a->field]), walks[v->walk[a->field]], a->t, a->low_m,
                 a->high_m - a->low_m + 1, a->low_x, a->high_x - a->low_x + v->width);
  }
  ma_ctext_put(text, "\n#define ST_RESULTS(X)");
  for (int k = 0; k < p->noutput; k++)
    ma_ctext_add(text, " X(%d, %s, %s, %d, %s)", k, ma_cuda_suffix(ma_program_dtype(p, p->output[k])),
                 walks[v->result_walk[k]], k, v->leave ? ma_cuda_suffix((ma_dtype)v->dtype[k]) : "u1");
  ma_ctext_put(text, "\n#define ST_ARGUMENTS");
  for (int j = 0; j < p->ninput; j++)
    ma_ctext_add(text, " , l%d[u + %d][k + %d]", of[j], v->offset[j][1] - lines[of[j]].low_m,
                 v->offset[j][2] - lines[of[j]].low_x);
  ma_ctext_put(text, "\n");
}

/* Prints the casts of the elements that are kept at the edges. */
static void print_casts(ma_ctext *text, const ma_program *p) {
  for (int k = 0; k < p->noutput; k++) {
    const char *suffix = ma_cuda_suffix(ma_program_dtype(p, p->output[k]));
    bool printed = false;
    for (int i = 0; i < k; i++) printed |= ma_program_dtype(p, p->output[i]) == ma_program_dtype(p, p->output[k]);
    if (!printed)
      ma_ctext_add(text,
                   "template <class F, class T> static __device__ __forceinline__ typename T::reg ma_to_%s_from(const "
                   "char *at) {\n  return ma_to_%s(F::load(*(const typename F::mem *)at));\n}\n",
                   suffix, suffix);
  }
}

/* Prints what a body that reaches gets: the fields, and the position in the fields' axes. */
static void print_frame(ma_ctext *text, const ma_stencil_variant *v) {
  ma_ctext_add(text, "#define ST_DEEP %d\n#define ST_REACH %d\n#define ST_REACHED(X)", v->deep, v->nreach);
  for (int k = 0; k < v->nreach; k++) ma_ctext_add(text, " X(%d, %d)", k, v->reach[k]);
  ma_ctext_put(text, "\n");
}

/* Prints what draws need. */
static void print_draws(ma_ctext *text, const ma_stencil_variant *v) {
  bool draws = false;
  for (int f = 0; f < v->nfield; f++) draws |= v->walk[f] >= MA_ST_UNIFORM;
  ma_ctext_add(text, "#define ST_DRAWS %d\n", draws);
  if (!draws) return;
  ma_ctext_put(text, ma_embedded("random.h"));
  ma_ctext_put(text, ma_embedded("element.h"));
}

static void print_stencil(ma_ctext *text, const void *what) {
  const ma_stencil_text *t = what;
  const ma_stencil_variant *v = t->variant;
  ma_ctext_put(text, ma_embedded("edge.h"));
  if (v->nreach) ma_ctext_put(text, ma_embedded("reach.h"));
  ma_print_program(text, t->program);
  if (v->leave) print_casts(text, t->program);
  ma_ctext_add(text, "#define ST_WIDTH %d\n#define ST_STEPS %d\n#define ST_BLOCK %d\n#define ST_ACROSS %d\n", v->width,
               v->steps, MA_THREADS, v->across);
  ma_ctext_add(text, "#define ST_ALONG_T %d\n#define ST_LEAVE %d\n", v->along_t, v->leave);
  ma_ctext_add(text, "#define ST_NARROW %d\n#define ST_OPEN %d\n", v->narrow, v->open);
  print_draws(text, v);
  print_reach(text, v, t->program->ninput);
  print_lists(text, t->program, v);
  print_frame(text, v);
  ma_ctext_put(text, ma_embedded("stencil.cuh"));
}

const ma_cuda_family ma_stencil_family = { "stencil", { "stencil" }, print_stencil, NULL };
