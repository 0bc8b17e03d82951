/* splice.c: the builder of programs: what is equal is found once, what has no room is refused, and registers get their
** new numbers. */
#include "program/splice.h"

#include <stdio.h>

static int passed, failed;

#define CHECK(condition)                                     \
  do {                                                       \
    if (condition) passed++;                                 \
    else {                                                   \
      failed++;                                              \
      printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
    }                                                        \
  } while (0)

/* A bound program with room for as much as a program can have. */
typedef struct roomy {
  ma_bound bound;
  ma_reading reading[MA_MAX_INPUTS];
  int64_t step[MA_MAX_INPUTS * 2];
  ma_value scalar[MA_MAX_SCALARS];
  ma_instr code[MA_MAX_CODE];
} roomy;

static ma_buffer memory[2];

static ma_bound *clear(roomy *r) {
  r->bound = (ma_bound){ .ndim = 2, .reading = r->reading, .step = r->step, .scalar = r->scalar, .code = r->code };
  return &r->bound;
}

static int add_input(ma_bound *to, int buffer, int64_t offset, int64_t inner, bool grow) {
  return ma_bound_input(to, &memory[buffer], offset, MA_FLOAT32, (int64_t[]){ 64, inner }, grow);
}

static ma_instr binary(ma_opcode op, int x, int y) {
  ma_instr instr = ma_instr_of(op, MA_FLOAT32);
  instr.arg[0] = (uint8_t)x;
  instr.arg[1] = (uint8_t)y;
  return instr;
}

static ma_value number(double x) { return (ma_value){ .c = { x, 0 } }; }

static void test_inputs(void) {
  roomy r;
  ma_bound *b = clear(&r);
  CHECK(add_input(b, 0, 0, 4, true) == 0 && add_input(b, 0, 8, 4, true) == 1 && add_input(b, 0, 0, 8, true) == 2 &&
        add_input(b, 1, 0, 4, true) == 3);
  CHECK(ma_bound_input(b, &memory[0], 0, MA_INT32, (int64_t[]){ 64, 4 }, true) == 4);
  CHECK(add_input(b, 0, 0, 8, true) == 2 && b->ninput == 5);
  CHECK(add_input(b, 1, 8, 4, false) == -1 && b->ninput == 5);
  for (int k = 5; k < MA_MAX_INPUTS; k++) CHECK(add_input(b, 1, 100 + k, 4, true) == k);
  CHECK(add_input(b, 1, 99, 4, true) == -1 && b->ninput == MA_MAX_INPUTS && add_input(b, 1, 0, 4, true) == 3);
}

static void test_scalars(void) {
  roomy r;
  ma_bound *b = clear(&r);
  /* equal ones have places of their own */
  for (int k = 0; k < MA_MAX_SCALARS; k++)
    CHECK(ma_bound_scalar(b, MA_FLOAT32, number(k / 2), true) == MA_REG_SCALAR + k);
  CHECK(ma_bound_scalar(b, MA_FLOAT32, number(1), true) == MA_REG_SCALAR + 2); /* until there are none */
  CHECK(ma_bound_scalar(b, MA_FLOAT64, number(1), true) == -1);
  CHECK(ma_bound_scalar(b, MA_FLOAT32, number(-0.0), true) == -1);
  CHECK(ma_bound_scalar(b, MA_FLOAT32, number(9), true) == -1 && b->nscalar == MA_MAX_SCALARS);
}

static void test_code(void) {
  ma_program p;
  ma_program_clear(&p);
  int x = ma_program_input(&p, MA_FLOAT32), last = x;
  for (int k = 0; k < MA_MAX_CODE; k++)
    CHECK((last = ma_program_add(&p, binary(MA_OP_add, x, last))) == MA_REG_CODE + k);
  CHECK(ma_program_add(&p, binary(MA_OP_add, x, last)) == -1 && p.ncode == MA_MAX_CODE &&
        ma_program_check(&p) == MA_OK);
  CHECK(ma_program_add(&p, binary(MA_OP_add, x, x)) == MA_REG_CODE && ma_program_cast(&p, last, MA_FLOAT64) == -1);
  CHECK(ma_program_cast(&p, last, MA_FLOAT32) == last);
}

/* x * y + x * 2 behind what is there: its registers move, and what both have is there once. */
static void test_splice(void) {
  roomy from, to, same;
  ma_bound *f = clear(&from), *t = clear(&to), *s = clear(&same);
  uint8_t reg[MA_MAX_REGS];
  int x = add_input(f, 0, 0, 4, true), y = add_input(f, 1, 0, 4, true),
      two = ma_bound_scalar(f, MA_FLOAT32, number(2), true);
  int product = ma_bound_instr(f, binary(MA_OP_multiply, x, y)),
      twice = ma_bound_instr(f, binary(MA_OP_multiply, x, two));
  int sum = ma_bound_instr(f, binary(MA_OP_add, product, twice));
  CHECK(ma_splice(s, f, reg, true) && reg[x] == x && reg[two] == two && reg[sum] == sum && s->ncode == 3);

  int there_y = add_input(t, 1, 0, 4, true), there_x = add_input(t, 0, 0, 4, true);
  ma_bound_scalar(t, MA_FLOAT32, number(5), true);
  int there_product = ma_bound_instr(t, binary(MA_OP_multiply, there_x, there_y));
  CHECK(!ma_splice(t, f, reg, false) && t->ninput == 2 && t->nscalar == 1 && t->ncode == 1);
  CHECK(ma_splice(t, f, reg, true) && t->ninput == 2 && t->nscalar == 2 && t->ncode == 3);
  CHECK(reg[x] == there_x && reg[y] == there_y && reg[product] == there_product && reg[two] == MA_REG_SCALAR + 1);
  ma_instr added = binary(MA_OP_add, there_product, reg[twice]), doubled = binary(MA_OP_multiply, there_x, reg[two]);
  CHECK(!memcmp(&t->code[reg[sum] - MA_REG_CODE], &added, sizeof added) &&
        !memcmp(&t->code[reg[twice] - MA_REG_CODE], &doubled, sizeof doubled));

  int found = reg[sum];
  memset(reg, 0, sizeof reg);
  CHECK(ma_splice(t, f, reg, false) && reg[sum] == found && t->ncode == 3 && t->nscalar == 2); /* all of it is there */
}

int main(void) {
  test_inputs();
  test_scalars();
  test_code();
  test_splice();
  printf("%d passed, %d failed\n", passed, failed);
  return failed > 0;
}
