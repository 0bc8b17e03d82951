/* backend.c: the table by which everything else reaches this folder. */
#include "backends.h"
#include "cuda/cuda.h"
#include "memory/graph.h"

/* What is for other backends is 0. */
#define ALL(slot) slot
#define DEVICE(slot) slot
#define HOST(slot) 0
const ma_backend ma_cuda_backend = {
  .name = "cuda", .is_host = false,
/* clang-format off */
#define SLOTS(group) .group = {
#define SLOT(group, who, result, slot, parameters) .slot = who(ma_cuda_##group##_##slot),
#define SLOT_DATA(group, who, type, slot) .slot = who(ma_cuda_##group##_##slot),
#define SLOT_FLAG(group, who, flag) .flag = who(true),
#define END_SLOTS(group) },
#include "backend/slots.def"
  /* clang-format on */
};
