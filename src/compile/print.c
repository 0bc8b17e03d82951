/* print.c: prints a program as CUDA C++, or as C++ for a CPU: a function for each operation and dtype, from the bodies
** in kernels/ops.def, and a function `program` that calls them in order. Scalars are parameters and never part of the
** text. */
#include "compile/print.h"
#include "compile/body.h"

#include <string.h>

static const char *const suffixes[MA_NDTYPE] = {
#define DTYPE(ID, name, suffix, itemsize, kind, npy, reg) #suffix,
#include "base/dtype.def"
#undef DTYPE
};

/* C types of registers. */
static const char *const registers[MA_NDTYPE] = {
#define DTYPE(ID, name, suffix, itemsize, kind, npy, reg) #reg,
#include "base/dtype.def"
#undef DTYPE
};

const char *ma_dtype_suffix(ma_dtype dtype) { return suffixes[dtype]; }

/* ==== Special functions ========================================================================================== */

static const struct {
  const char *file;
  uint32_t needs;
} families[] = {
#define FAMILY(name, needs) { #name ".h", needs },
#define NEEDS(name) (1u << MA_SPECIAL_##name)
#include "kernels/special/families.def"
};

_Static_assert(MA_NSPECIAL <= 32, "a set of families is 32 bits");

void ma_note_special(ma_ctext *text, ma_opcode op) {
  if (ma_ops[op].flags & MA_OPF_SPECIAL) text->special |= 1u << ma_ops[op].family;
}

void ma_put_special(ma_ctext *text, uint32_t set) {
  if (set == 0) return;
  for (int k = MA_NSPECIAL - 1; k >= 0; k--) /* a family stands behind those that it needs */
    if (set >> k & 1) set |= families[k].needs;
  ma_ctext_put(text, ma_embedded("base.h"));
  if (set & NEEDS(draw)) {
    ma_ctext_put(text, ma_embedded("random.h"));
    ma_ctext_put(text, ma_embedded("element.h"));
  }
  for (int k = 0; k < MA_NSPECIAL; k++)
    if (set >> k & 1) ma_ctext_put(text, ma_embedded(families[k].file));
}

/* ==== Programs ==================================================================================================== */

static bool is_half(int dtype) { return dtype == MA_FLOAT16 || dtype == MA_BFLOAT16; }

/* A copy is not printed, nor is a cast between dtypes with the same values in registers. */
static bool is_move(const ma_instr *i) { return i->op == MA_COPY || (i->op == MA_CAST && i->dtype == i->result); }

static bool same_function(const ma_instr *a, const ma_instr *b) {
  return a->op == b->op && a->dtype == b->dtype && a->result == b->result;
}

static void print_function(ma_ctext *text, const ma_instr *i) {
  static const char operands[] = "xyzw";
  const ma_op_info *op = &ma_ops[i->op];
  ma_dtype loop = (ma_dtype)i->dtype;
  ma_note_special(text, (ma_opcode)i->op);
  ma_ctext_add(text, "static __device__ __forceinline__ %s op_%s_%s(", registers[i->result], op->name, suffixes[loop]);
  for (int k = 0; k < op->nin; k++) {
    ma_dtype in = ma_sig_dtype((ma_sig)op->in[k], loop);
    const char *type = k == 0 && ma_op_draws(i->op) ? "ma_place &" : registers[in];
    ma_ctext_add(text, "%s%s %c", k ? ", " : "", type, operands[k]);
  }
  ma_ctext_add(text, ") { typedef %s T; return %s%s%s; }\n", registers[loop],
               is_half(i->result) ? i->result == MA_FLOAT16 ? "ma_round_f16(" : "ma_round_bf16(" : "",
               op->body[ma_dtypes[loop].kind], is_half(i->result) ? ")" : "");
}

void ma_print_operation(ma_ctext *text, ma_opcode op, ma_dtype loop) {
  print_function(text, &(ma_instr){ .op = (uint16_t)op,
                                    .dtype = (uint8_t)loop,
                                    .result = (uint8_t)ma_sig_dtype((ma_sig)ma_ops[op].out, loop) });
}

static bool has_function(const ma_program *program, int n, const ma_instr *instr) {
  for (int k = 0; k < n; k++)
    if (same_function(&program->code[k], instr)) return true;
  return false;
}

/* The functions of the last of n programs that those before it do not have. */
static void print_functions(ma_ctext *text, int n, const ma_program *const *program) {
  const ma_program *last = program[n - 1];
  for (int k = 0; k < last->ncode; k++) {
    const ma_instr *instr = &last->code[k];
    bool printed = is_move(instr) || instr->op == MA_CAST || has_function(last, k, instr);
    for (int j = 0; j < n - 1 && !printed; j++) printed = has_function(program[j], program[j]->ncode, instr);
    if (!printed) print_function(text, instr);
  }
}

static void print_register(ma_ctext *text, int reg) {
  if (reg < MA_REG_SCALAR) ma_ctext_add(text, "v%d", reg);
  else if (reg < MA_REG_CODE) ma_ctext_add(text, "s.s%d", reg - MA_REG_SCALAR);
  else ma_ctext_add(text, "r%d", reg - MA_REG_CODE);
}

static void print_instruction(ma_ctext *text, int k, const ma_instr *i) {
  ma_ctext_add(text, "  const %s r%d = ", registers[i->result], k);
  if (is_move(i)) print_register(text, i->arg[0]);
  else {
    if (i->op == MA_CAST) ma_ctext_add(text, "ma_to_%s(", suffixes[i->result]);
    else ma_ctext_add(text, "op_%s_%s(", ma_ops[i->op].name, suffixes[i->dtype]);
    for (int a = 0; a < ma_ops[i->op].nin; a++) {
      if (a) ma_ctext_put(text, ", ");
      print_register(text, i->arg[a]);
    }
    ma_ctext_put(text, ")");
  }
  ma_ctext_put(text, ";\n");
}

void ma_print_scalars(ma_ctext *text, const ma_program *program) {
  ma_ctext_put(text, "struct scalars {");
  for (int k = 0; k < program->nscalar; k++)
    ma_ctext_add(text, " __align__(16) %s s%d;", registers[program->scalar_dtype[k]], k);
  ma_ctext_put(text, program->nscalar ? " };\n" : " __align__(16) int none; };\n");
}

/* A text in place of instructions: it sets y0 ..., of the dtypes of the body's outputs. */
static void print_text(ma_ctext *text, const ma_program *program) {
  const ma_body *body = ma_body_get(program->body);
  for (int k = 0; k < program->noutput; k++) ma_ctext_add(text, "  %s y%d;\n", registers[body->param[k].dtype], k);
  ma_ctext_add(text, "  %s\n", body->operation);
  for (int k = 0; k < program->noutput; k++) {
    int made = body->param[k].dtype, wanted = program->code[k].result;
    if (made == wanted) ma_ctext_add(text, "  o%d = y%d;\n", k, k);
    else ma_ctext_add(text, "  o%d = ma_to_%s(y%d);\n", k, suffixes[wanted], k);
  }
}

static void print_program(ma_ctext *text, const ma_program *program, const char *name) {
  ma_ctext_add(text, "static __device__ __forceinline__ void %s(const scalars &s", name);
  uint32_t places = ma_program_places(program);
  for (int k = 0; k < program->ninput; k++)
    ma_ctext_add(text, ", %s v%d", places >> k & 1 ? "ma_place &" : registers[program->input_dtype[k]], k);
  if (program->body && ma_body_get(program->body)->reaches) ma_ctext_put(text, ", const ma_reach &reach");
  for (int k = 0; k < program->noutput; k++)
    ma_ctext_add(text, ", %s &o%d", registers[ma_program_dtype(program, program->output[k])], k);
  ma_ctext_put(text, ") {\n");
  for (int k = 0; k < program->ncode; k++) print_instruction(text, k, &program->code[k]);
  if (program->body) print_text(text, program);
  for (int k = 0; k < program->noutput && !program->body; k++) {
    ma_ctext_add(text, "  o%d = ", k);
    print_register(text, program->output[k]);
    ma_ctext_put(text, ";\n");
  }
  ma_ctext_put(text, "}\n");
}

void ma_print_programs(ma_ctext *text, int n, const ma_program *const *program, const char (*name)[8]) {
  for (int k = 0; k < n; k++) print_functions(text, k + 1, program);
  ma_print_scalars(text, program[0]);
  for (int k = 0; k < n; k++) print_program(text, program[k], name[k]);
}

void ma_print_program(ma_ctext *text, const ma_program *program) {
  if (program->body) ma_ctext_put(text, ma_body_get(program->body)->preamble);
  ma_print_programs(text, 1, &program, &(const char[8]){ "program" });
}

size_t ma_pack_scalars(const ma_program *program, const ma_value *scalar, void *bytes) {
  char *to = bytes;
  for (int k = 0; k < program->nscalar; k++, to += 16) {
    float f;
    ma_c64 c;
    memset(to, 0, 16);
    switch (program->scalar_dtype[k]) {
    case MA_FLOAT16:
    case MA_BFLOAT16:
    case MA_FLOAT32:
      f = (float)scalar[k].c.re;
      memcpy(to, &f, sizeof f);
      break;
    case MA_FLOAT64: memcpy(to, &scalar[k].c.re, sizeof(double)); break;
    case MA_COMPLEX64:
      c = (ma_c64){ (float)scalar[k].c.re, (float)scalar[k].c.im };
      memcpy(to, &c, sizeof c);
      break;
    case MA_COMPLEX128: memcpy(to, &scalar[k].c, sizeof(ma_c128)); break;
    default: memcpy(to, &scalar[k].u, sizeof(uint64_t)); /* integers are little-endian, so the low bytes come first */
    }
  }
  if (program->nscalar == 0) {
    memset(to, 0, 16);
    to += 16;
  }
  return (size_t)(to - (char *)bytes);
}
