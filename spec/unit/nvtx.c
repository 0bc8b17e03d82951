/*
** nvtx.c: src/base/nvtx.c declares by itself what NVIDIA's header says of marks and of the tables that a profiler is
** given. Where that header is installed, the compiler holds the two against each other.
*/
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define FOUND 1
#elif __has_include("/usr/local/cuda/include/nvtx3/nvToolsExt.h")
#include "/usr/local/cuda/include/nvtx3/nvToolsExt.h"
#define FOUND 1
#endif

/* The unit is linked with the core, which has these too. */
#define ma_nvtx_mark unit_mark
#define ma_nvtx_push unit_push
#define ma_nvtx_pop unit_pop
#define ma_nvtx_start unit_start
#define ma_nvtx_end unit_end
#define ma_nvtx_listens unit_listens
#include "base/nvtx.c"

#include <stdio.h>

#ifdef FOUND
#define SAME(ours, theirs)                                                                          \
  _Static_assert(offsetof(attributes, ours) == offsetof(nvtxEventAttributes_t, theirs) &&           \
                   sizeof(((attributes *)0)->ours) == sizeof(((nvtxEventAttributes_t *)0)->theirs), \
                 #ours " lies elsewhere");
SAME(version, version)
SAME(size, size)
SAME(category, category)
SAME(color_type, colorType)
SAME(color, color)
SAME(payload_type, payloadType)
SAME(reserved, reserved0)
SAME(payload, payload)
SAME(message_type, messageType)
SAME(message, message)
_Static_assert(sizeof(attributes) == sizeof(nvtxEventAttributes_t), "the struct has another size");
_Static_assert((int)COLOR_ARGB == NVTX_COLOR_ARGB && (int)MESSAGE_ASCII == NVTX_MESSAGE_TYPE_ASCII, "kinds");
_Static_assert((int)VERSION_HEADER == NVTX_VERSION, "the version of the header");
_Static_assert((int)CORE_MARK_EX == NVTX_CBID_CORE_MarkEx && (int)CORE_PUSH_EX == NVTX_CBID_CORE_RangePushEx &&
                 (int)CORE_POP == NVTX_CBID_CORE_RangePop && (int)CORE_START_EX == NVTX_CBID_CORE_RangeStartEx &&
                 (int)CORE_END == NVTX_CBID_CORE_RangeEnd && sizeof(nvtxRangeId_t) == sizeof(uint64_t),
               "slots");
_Static_assert((int)NMODULE == NVTX_CB_MODULE_SIZE && NVTX_ETID_CALLBACKS == 1 && NVTX_ETID_VERSIONINFO == 3, "tables");
_Static_assert(sizeof callbacks == sizeof(NvtxExportTableCallbacks) &&
                 sizeof about == sizeof(NvtxExportTableVersionInfo),
               "tables");
#endif

/* What a profiler does with the tables: every module has places for as many functions as it says. */
static int check_tables(void) {
  static const unsigned wanted[NMODULE] = {
#ifdef FOUND
    [NVTX_CB_MODULE_CORE] = NVTX_CBID_CORE_SIZE,     [NVTX_CB_MODULE_CUDA] = NVTX_CBID_CUDA_SIZE,
    [NVTX_CB_MODULE_OPENCL] = NVTX_CBID_OPENCL_SIZE, [NVTX_CB_MODULE_CUDART] = NVTX_CBID_CUDART_SIZE,
    [NVTX_CB_MODULE_CORE2] = NVTX_CBID_CORE2_SIZE,   [NVTX_CB_MODULE_SYNC] = NVTX_CBID_SYNC_SIZE,
#endif
  };
  int bad = 0;
  inject("/nowhere/no_library.so"); /* fails, and leaves everything as it was */
  bad += mark_ex || push_ex || pop;
  for (int m = 0; m <= NMODULE; m++) {
    function **table = NULL;
    unsigned size = 0;
    int found = get_module(m, &table, &size);
    bad += found != (m > 0 && m < NMODULE);
#ifdef FOUND
    if (found) bad += size != wanted[m];
#else
    (void)wanted;
#endif
    if (found) bad += size > MOST_SLOTS;
  }
  bad += export_table(1) != &callbacks || export_table(3) != &about || export_table(2) != NULL;
  return bad;
}

int main(void) {
  int bad = check_tables();
#ifdef FOUND
  printf("nvtx.c agrees with NVTX %d\n", NVTX_VERSION);
#else
  printf("no NVTX header; the tables alone are looked at\n");
#endif
  if (bad) fprintf(stderr, "%d differences\n", bad);
  return bad != 0;
}
