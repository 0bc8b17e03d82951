/* fold_body.c: reductions that the user wrote, in the walks of kernels/reduce/reduce.cuh: the text that depends on
** the body, and the parameters that only a body has. */
#include "compile/body.h"
#include "cuda/kernels/fold.h"

#include <string.h>

static const ma_param *raw_param(const ma_body *body, int place) {
  for (int k = 0; k < body->nparam; k++)
    if (body->param[k].role == MA_PARAM_RAW && body->param[k].place == place) return &body->param[k];
  return NULL;
}

void ma_fold_print_body(ma_ctext *text, const ma_program *p) {
  const ma_body *body = ma_body_get(p->body);
  ma_ctext_put(text, ma_embedded("user.cuh"));
  ma_ctext_put(text, "struct scalars {");
  for (int k = 0; k < p->nscalar; k++)
    ma_ctext_add(text, " __align__(16) dt_%s::reg s%d;", ma_cuda_suffix((ma_dtype)p->scalar_dtype[k]), k);
  ma_ctext_put(text, p->nscalar ? " };\n" : " __align__(16) int none; };\n");
  ma_body_print_reduction(text, body);
  ma_ctext_add(text, "#define BODY 1\n%s", *body->identity ? "#define IDENTITY ma_user_identity()\n" : "");
}

/* Prints the parameters behind the first result, which every reduction has: other results, raw arrays, the number of
** elements. */
void ma_fold_print_body_params(ma_ctext *text, const ma_program *p, int nkept) {
  const ma_body *body = ma_body_get(p->body);
  ma_ctext_put(text, "#define FOLD_PARAMS");
  for (int k = 1; k < p->noutput; k++) {
    ma_ctext_add(text, " char *out%d;", k);
    for (int d = 0; d < nkept; d++) ma_ctext_add(text, " i8 y%d_%d;", k, d);
  }
  const ma_param *raw;
  for (int k = 0; (raw = raw_param(body, k)); k++) {
    ma_ctext_add(text, " char *w%d; i8 wn%d;", k, k);
    if (!raw->contiguous) ma_ctext_add(text, " i8 we%d[%d], ws%d[%d];", k, raw->ndim, k, raw->ndim);
  }
  ma_ctext_put(text, " i8 total;\n");
}

static void print_extra(ma_ctext *text, const ma_program *p, const ma_body *body) {
  ma_ctext_put(text, "static __device__ __forceinline__ ma_extra ma_extra_of(const params &p) {\n  ma_extra u;\n  u.n "
                     "= (ptrdiff_t)p.total;\n  u.kept = (ptrdiff_t)p.kept;\n");
  for (int k = 0; k < p->nscalar; k++)
    ma_ctext_add(text, "  u.s%d = us_%s::from(p.s.s%d);\n", k, ma_cuda_suffix((ma_dtype)p->scalar_dtype[k]), k);
  const ma_param *raw;
  for (int k = 0; (raw = raw_param(body, k)); k++) {
    ma_ctext_add(text, "  u.w%d.p = (decltype(u.w%d.p))p.w%d;\n  u.w%d.count = (ptrdiff_t)p.wn%d;\n", k, k, k, k, k);
    if (!raw->contiguous) ma_ctext_add(text, "  u.w%d.extents = p.we%d;\n  u.w%d.steps = p.ws%d;\n", k, k, k, k);
  }
  ma_ctext_put(text, "  return u;\n}\n");
}

void ma_fold_print_finish(ma_ctext *text, const ma_program *p, int nkept) {
  const ma_body *body = ma_body_get(p->body);
  print_extra(text, p, body);
  ma_ctext_put(text, "static __device__ __forceinline__ void finish(const params &p, u8 n, const value &a) {\n  u8 "
                     "x;\n  char *q0 = p.out;\n");
  for (int k = 1; k < p->noutput; k++) ma_ctext_add(text, "  char *q%d = p.out%d;\n", k, k);
  for (int d = nkept - 1; d >= 0; d--) {
    if (d) ma_ctext_add(text, "  n = split(n, p.ke%d, x);", d);
    else ma_ctext_put(text, "  x = n;");
    ma_ctext_add(text, " q0 += (i8)x * p.ko%d;", d);
    for (int k = 1; k < p->noutput; k++) ma_ctext_add(text, " q%d += (i8)x * p.y%d_%d;", k, k, d);
    ma_ctext_put(text, "\n");
  }
  ma_ctext_put(text, "  ma_user_finish(ma_extra_of(p), ma_unhold(a)");
  for (int k = 0; k < p->noutput; k++)
    ma_ctext_add(text, ", *(%s *)q%d", ma_body_type(ma_program_dtype(p, p->output[k])), k);
  ma_ctext_put(text, ");\n}\n");
}

void ma_fold_pack_body(ma_fold_params *to, const ma_reduction *r) {
  const ma_body *body = ma_body_get(r->program->body);
  const ma_param *param;
  for (int k = 1; k < r->program->noutput; k++) {
    ma_fold_put(to, &r->data[k], 8);
    ma_fold_put(to, r->space.stride[k], (size_t)r->nkept * 8);
  }
  for (int k = 0; (param = raw_param(body, k)); k++) {
    const ma_raw *raw = &r->raw[k];
    ma_fold_put(to, &raw->data, 8);
    ma_fold_put(to, &raw->size, 8);
    if (param->contiguous) continue;
    ma_fold_put(to, raw->shape, (size_t)param->ndim * 8);
    ma_fold_put(to, raw->stride, (size_t)param->ndim * 8);
  }
  ma_fold_put(to, &r->total, 8);
}
