/* rows_call.c: prints the calls of the programs of a stage, and where what they read comes from. */
#include "cuda/rows/rows.h"

int ma_rows_first_reader(const ma_row_program *program, int array) {
  for (int t = 0; t < program->nstage; t++)
    for (int k = 0; k < program->stage[t].body.program.ninput; k++) {
      const ma_row_source *from = &program->stage[t].body.from[k];
      if (from->kind == MA_FROM_INPUT && from->index == array) return t;
    }
  return -1;
}

bool ma_rows_is_still(const ma_row_program *program, int array) {
  return program->space.stride[program->nfold + program->writes + array][program->nkept] == 0;
}

uint32_t ma_rows_places(const ma_row_program *program) {
  uint32_t found = 0;
  for (int t = 0; t < program->nstage + program->ends; t++)
    for (int part = 0; part < 2; part++) {
      const ma_row_part *p = part ? &program->stage[t].body : &program->stage[t].head;
      uint32_t own = ma_program_places(&p->program);
      for (int k = 0; k < p->program.ninput; k++)
        if (own >> k & 1) found |= UINT32_C(1) << p->from[k].index;
    }
  return found;
}

/* How a text tells the rows of a thread apart: a body has row j, a head row k of those that the thread finishes. */
static const char *row_of(const ma_rows_variant *v, bool body) {
  return v->way != MA_ROWS_LANES ? "" : body ? "[j / PACKS]" : "[k]";
}

/* Prints the place of an element, or that of the row, which input k of stage t's head reads. */
static void print_place_of(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t, int k,
                           int array, bool body) {
  int size = ma_dtypes[program->array[array]].itemsize, operand = program->nfold + program->writes + array;
  const char *row = row_of(v, body);
  if (!body)
    ma_ctext_add(text, "ma_drawn_place<%d, 1>(g%d_%d, (i8)%s%s.at[%d], 0)", size, t, k, *row ? "z" : "r", row, operand);
  else if (ma_rows_is_still(program, array))
    ma_ctext_add(text, "ma_drawn_place<%d, 1>(e%d%s, e%d%s.at, 0)", size, array, row, array, row);
  else if (v->wide >> array & 1)
    ma_ctext_add(text, "ma_drawn_place<%d, %d>(c%d[j], c%d[j].at, i)", size, 16 / size, array, array);
  else ma_ctext_add(text, "ma_drawn_place<%d, 1>(c%d[j], c%d[j].at + i * p.step[%d], 0)", size, array, array, operand);
}

static void print_source(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t, int k,
                         const ma_row_source *from, const char *suffix, bool body) {
  int s = t;
  const char *row = row_of(v, body);
  if (from->kind == MA_FROM_INPUT && v->places >> from->index & 1) {
    print_place_of(text, program, v, t, k, from->index, body);
    return;
  }
  switch (from->kind) {
  case MA_FROM_INPUT:
    if (body && ma_rows_is_still(program, from->index)) ma_ctext_add(text, "e%d%s", from->index, row);
    else if (body) ma_ctext_add(text, "dt_%s::load(c%d[j].v[i])", suffix, from->index);
    else
      ma_ctext_add(text, "dt_%s::load(*(const dt_%s::mem *)%s%s.at[%d])", suffix, suffix, *row ? "z" : "r", row,
                   program->nfold + program->writes + from->index);
    break;
  case MA_FROM_FOLD: ma_ctext_add(text, "%c%d%s", *row && body ? 'v' : 'w', from->index, row); break;
  case MA_FROM_HEAD: ma_ctext_add(text, "h%d_%d%s", t, from->index, row); break;
  default:
    while (s > 0 && program->stage[s].held[from->index] == MA_NOWHERE) s--;
    ma_ctext_add(text, "o%d_%d[j][i]", s, program->stage[s].held[from->index]);
  }
}

void ma_rows_print_call(ma_ctext *text, const ma_row_program *program, const ma_rows_variant *v, int t, bool body) {
  const ma_row_part *p = body ? &program->stage[t].body : &program->stage[t].head;
  ma_ctext_add(text, "%s%d(p.s", body ? "body" : "head", t);
  for (int k = 0; k < p->program.ninput; k++) {
    ma_ctext_put(text, ", ");
    print_source(text, program, v, t, k, &p->from[k], ma_rows_suffix(&p->program, k), body);
  }
  const char *output = body ? ", o%d_%d[j][i]" : *row_of(v, body) ? ", y%d_%d[k]" : ", h%d_%d";
  for (int k = 0; k < p->program.noutput; k++) ma_ctext_add(text, output, t, k);
  ma_ctext_put(text, ");\n");
}

void ma_rows_print_places_of_head(ma_ctext *text, const ma_program *head, int t) {
  for (uint32_t places = ma_program_places(head), k = 0; places >> k; k++)
    if (places >> k & 1) ma_ctext_add(text, "  ma_place g%d_%d;\n", t, k);
  ma_ctext_put(text, "  ");
}
