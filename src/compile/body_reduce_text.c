/* body_reduce_text.c: the three texts of a ReductionKernel as C++ functions that both devices compile. Each text is
** in a function of its own, so that it sees only the user's names and a compiler's message shows the user's line. */
#include "compile/body.h"

#include <string.h>

#define MOST_PARTIAL 64

const char *ma_body_type(ma_dtype dtype) {
  return dtype == MA_BOOL         ? "bool_"
         : dtype == MA_COMPLEX64  ? "complex<float>"
         : dtype == MA_COMPLEX128 ? "complex<double>"
                                  : ma_dtypes[dtype].name;
}

static bool is_plain(int dtype) {
  return dtype != MA_NDTYPE && dtype != MA_FLOAT16 && dtype != MA_BFLOAT16 && ma_dtypes[dtype].kind != MA_KIND_COMPLEX;
}

int ma_body_partial(const ma_body *body) {
  return body->reduce_dtype == MA_NDTYPE ? MOST_PARTIAL : ma_dtypes[body->reduce_dtype].itemsize;
}

#define INLINE "static __device__ __forceinline__ "

/* Prints a text of the user with its own line numbers, and then returns to the library's. */
static void put_user(ma_ctext *text, const ma_body *body, const char *part, const char *lines) {
  ma_ctext_add(text, "\n#line 1 \"%s: %s\"\n", body->name, part);
  ma_ctext_put(text, lines);
  ma_ctext_put(text, "\n#line 1 \"moonarray\"\n");
}

static void print_types(ma_ctext *text, const ma_body *body) {
  ma_body_print_undefined(text, body);
  ma_options_print(text, body->options);
  for (int k = 0; k < body->ntype; k++)
    ma_ctext_add(text, "typedef %s %s;\n", ma_body_type((ma_dtype)body->type[k].dtype), body->type[k].name);
  if (*body->preamble) put_user(text, body, "preamble", body->preamble);
  if (body->reduce_dtype == MA_NDTYPE) {
    ma_ctext_put(text, "typedef");
    put_user(text, body, "reduce_type", body->reduce_type);
    ma_ctext_put(text, "ma_reduce_type;\n");
  } else {
    ma_ctext_add(text, "typedef %s ma_reduce_type;\n", ma_body_type((ma_dtype)body->reduce_dtype));
  }
}

/* A type with constructors cannot be in shared memory or move between threads, so its bytes are used there. */
static void print_value(ma_ctext *text, const ma_body *body) {
  if (is_plain(body->reduce_dtype)) {
    ma_ctext_put(text, "typedef ma_reduce_type value;\n" INLINE "value ma_hold(ma_reduce_type x) { return x; }\n" INLINE
                       "ma_reduce_type ma_unhold(value v) { return v; }\n");
    return;
  }
  ma_ctext_add(text, "static_assert(sizeof(ma_reduce_type) <= %d, \"a reduce_type has at most %d bytes\");\n",
               MOST_PARTIAL, MOST_PARTIAL);
  ma_ctext_put(
    text, "static_assert(__is_trivially_copyable(ma_reduce_type), \"a reduce_type moves between threads as bytes\");\n"
          "struct value { alignas(ma_reduce_type) unsigned char bytes[sizeof(ma_reduce_type)]; };\n" INLINE
          "value ma_hold(const ma_reduce_type &x) { value v; *(ma_reduce_type *)v.bytes = x; return v; }\n" INLINE
          "ma_reduce_type ma_unhold(const value &v) { return *(const ma_reduce_type *)v.bytes; }\n");
}

static void print_extra(ma_ctext *text, const ma_body *body) {
  for (int k = 0; k < body->nparam; k++) {
    const ma_param *p = &body->param[k];
    if (p->role != MA_PARAM_RAW) continue;
    ma_ctext_add(text, "typedef raw<%s", ma_body_type((ma_dtype)p->dtype));
    if (p->contiguous) ma_ctext_add(text, "> ma_raw_%d;\n", p->place);
    else ma_ctext_add(text, ", %d> ma_raw_%d;\n", p->ndim, p->place);
  }
  ma_ctext_put(text, "struct ma_extra {");
  for (int k = 0; k < body->nparam; k++) {
    const ma_param *p = &body->param[k];
    if (p->role == MA_PARAM_SCALAR) ma_ctext_add(text, " %s s%d;", ma_body_type((ma_dtype)p->dtype), p->place);
    else if (p->role == MA_PARAM_RAW) ma_ctext_add(text, " ma_raw_%d w%d;", p->place, p->place);
  }
  ma_ctext_put(text, " ptrdiff_t n, kept; };\n");
}

/* Defines the names that a text may use besides its arguments; `but` is an argument. */
static void print_names(ma_ctext *text, const ma_body *body, const char *but) {
  for (int k = 0; k < body->nparam; k++) {
    const ma_param *p = &body->param[k];
    if (!strcmp(p->name, but)) continue;
    if (p->role == MA_PARAM_SCALAR)
      ma_ctext_add(text, "  const %s %s = ma_u.s%d;\n", ma_body_type((ma_dtype)p->dtype), p->name, p->place);
    else if (p->role == MA_PARAM_RAW)
      ma_ctext_add(text, "  const ma_raw_%d %s = ma_u.w%d;\n", p->place, p->name, p->place);
  }
  ma_ctext_put(text, "  const ptrdiff_t n = ma_u.n;\n  const ma_indexer _in_ind = {ma_u.n}, _out_ind = {ma_u.kept};\n");
}

static void print_map(ma_ctext *text, const ma_body *body) {
  ma_ctext_put(text, INLINE "ma_reduce_type ma_user_map(const ma_extra &ma_u");
  for (int k = 0; k < body->nparam; k++)
    if (body->param[k].role == MA_PARAM_INPUT)
      ma_ctext_add(text, ", const %s %s", ma_body_type((ma_dtype)body->param[k].dtype), body->param[k].name);
  ma_ctext_add(text, "%s) {\n", body->uses_index ? ", const ptrdiff_t i" : "");
  print_names(text, body, "");
  ma_ctext_put(text, "  return static_cast<ma_reduce_type>(");
  put_user(text, body, "map", body->map);
  ma_ctext_put(text, "  );\n}\n");
}

static void print_finish(ma_ctext *text, const ma_body *body) {
  ma_ctext_put(text, INLINE "void ma_user_finish(const ma_extra &ma_u, ma_reduce_type a");
  for (int k = 0; k < body->nparam; k++)
    if (body->param[k].role == MA_PARAM_OUTPUT)
      ma_ctext_add(text, ", %s &%s", ma_body_type((ma_dtype)body->param[k].dtype), body->param[k].name);
  ma_ctext_put(text, ") {\n");
  print_names(text, body, "a");
  put_user(text, body, "post_map", body->post_map);
  ma_ctext_put(text, "  ;\n}\n");
}

void ma_body_print_functions(ma_ctext *text, const ma_body *body) {
  print_types(text, body);
  print_value(text, body);
  print_extra(text, body);
  print_map(text, body);
  ma_ctext_put(
    text, INLINE
    "ma_reduce_type ma_user_reduce(ma_reduce_type a, ma_reduce_type b) {\n  return static_cast<ma_reduce_type>(");
  put_user(text, body, "reduce", body->reduce);
  ma_ctext_put(text, "  );\n}\n" INLINE "value ma_user_merge(const value &a, const value &b) { return "
                     "ma_hold(ma_user_reduce(ma_unhold(a), ma_unhold(b))); }\n");
  if (*body->identity) {
    ma_ctext_put(text, INLINE "value ma_user_identity() {\n  return ma_hold(static_cast<ma_reduce_type>(");
    put_user(text, body, "identity", body->identity);
    ma_ctext_put(text, "  ));\n}\n");
  }
  print_finish(text, body);
}

void ma_body_print_reduction(ma_ctext *text, const ma_body *body) {
  ma_body_print_functions(text, body);
  ma_ctext_put(
    text, "#define RED(name) red_##name\n#define RED_MONOID RED_user\n#define RED_CLASS RED_INT\n#define RED_V value\n"
          "#define RED_W value\n#define RED_USER ma_user_merge\n#define RED_MASKED 0\n#define MASKED 0\n");
  ma_ctext_put(text, ma_embedded("reduce.h"));
}
