/* nvrtc_raw.c: modules of the user's own through NVRTC, without a GPU: options, headers of the toolkit, name
** expressions, messages. */
#include "ops/ops.h"
#include "cuda/cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

static const char *last_name(const ma_image *image) {
  uint32_t total;
  memcpy(&total, image->bytes + image->size - 4, 4);
  return total ? image->bytes + image->size - 4 - total : "";
}

/* Compiles; `wanted` is part of the first lowered name, or of the message where `ok` is false. */
static void check(const char *what, const ma_module_source *source, bool ok, const char *wanted) {
  static const int archs[] = { 75, 80, 90, 100 };
  for (int i = 0; i < 4; i++) {
    ma_image image;
    ma_status status = ma_cuda_compile_source(source->text, archs[i], source, &image);
    const char *found = status == MA_OK ? last_name(&image) : ma_message();
    if ((status == MA_OK) != ok || (*wanted && !strstr(found, wanted))) {
      printf("%s for sm_%d: %s\n", what, archs[i], *found ? found : "compiled");
      wrong++;
    }
    if (status == MA_OK) ma_image_free(&image);
  }
}

int main(void) {
  static const char *const defines[] = { "-DREAL=float", "-D", "STEP=3" }, *const old[] = { "--std=c++14" },
                           *const bad[] = { "--no-such-option" };
  static const char *const scale[] = { "scale<float, 2>" };
  if (ma_cuda_need_nvrtc() != MA_OK) {
    printf("skipped: for GPUs: %s\n", ma_message());
    return 0;
  }
  check("plain",
        &(ma_module_source){ .name = "a", .text = "extern \"C\" __global__ void a(float *x) { x[threadIdx.x] += 1; }" },
        true, "");
  check("options",
        &(ma_module_source){ .name = "a",
                             .text = "extern \"C\" __global__ void a(REAL *x) { x[threadIdx.x] += STEP; }",
                             .option = defines,
                             .noption = 3 },
        true, "");
  check("a standard",
        &(ma_module_source){
          .name = "a", .text = "static_assert(__cplusplus == 201402L, \"\");", .option = old, .noption = 1 },
        true, "");
  check("a bad option", &(ma_module_source){ .name = "a", .text = "int x;", .option = bad, .noption = 1 }, false,
        "no-such-option");
  check("an error", &(ma_module_source){ .name = "a", .text = "int x;\nint y = ;\n" }, false, "2");
  check("an expression",
        &(ma_module_source){ .name = "a",
                             .text = "template <class T, int N> __global__ void scale(T *x) { x[0] *= N; }",
                             .expression = scale,
                             .nexpression = 1 },
        true, "scale");
  check("the prelude", &(ma_module_source){ .name = "a", .text = "MA_KERNEL a(float *x) { x[threadIdx.x] += 1; }" },
        false, "MA_KERNEL");
  check(
    "textures and surfaces",
    &(ma_module_source){
      .name = "a",
      .text = "extern \"C\" __global__ void a(cudaTextureObject_t t, unsigned long long u, cudaSurfaceObject_t s, "
              "float *y) {\n"
              "  y[0] = tex1D<float>(t, 0.5f) + tex2D<float2>(u, 0.5f, 1.5f).y + tex3D<float4>(t, 1.f, 2.f, 3.f).w;\n"
              "  y[1] = tex1Dfetch<float>(t, 3) + tex1D<uchar4>(t, 1.f).x + tex1D<signed char>(t, 1.f);\n"
              "  surf2Dread(&y[2], s, 4, 0, cudaBoundaryModeClamp);\n"
              "  surf2Dwrite(y[2], s, 8, 1);\n"
              "  surf3Dwrite(surf1Dread<float>(s, 4), s, 4, 5, 6, cudaBoundaryModeZero);\n}" },
    true, "");
  ma_ctext text = { 0 };
  ma_ctext_put(&text, ma_embedded("scalar.h"));
  ma_ctext_put(&text, ma_embedded("prelude.cuh"));
  ma_ctext_put(&text, "extern \"C\" __global__ void a(unsigned long long t, float *y, i8 n) {\n"
                      "  y[0] = float(tex2D<float>(t, float(n * 0.25), float(1.25))) + i1(tex1D<signed char>(t, n));\n"
                      "  const uchar4 v = tex1D<uchar4>(t, float(n));\n"
                      "  y[1] = u1(v.w);\n}");
  check("textures beside the prelude", &(ma_module_source){ .name = "a", .text = text.bytes }, true, "");
  ma_ctext_free(&text);
  check("standard headers",
        &(ma_module_source){
          .name = "a",
          .text = "#include <cstdint>\n#include <stdint.h>\n#include <cmath>\n#include <cstdio>\n#include <cstddef>\n"
                  "extern \"C\" __global__ void a(int64_t *x, uint8_t y, ptrdiff_t n) { x[n] = y; if "
                  "(sinf((float)M_PI) > 1) printf(\"%d\", 1); }" },
        true, "");
  check("complex numbers",
        &(ma_module_source){ .name = "a",
                             .text = "#include <cupy/complex.cuh>\n#include <cstdint>\n"
                                     "extern \"C\" __global__ void a(complex<float> *x, thrust::complex<double> z) { "
                                     "x[threadIdx.x] = x[1] * complex<float>(z) + thrust::exp(x[0]); }" },
        true, "");
  if (*ma_cuda_include()) {
    check("both kinds",
          &(ma_module_source){
            .name = "a",
            .text = "#include <cuda/std/cstdint>\n#include <cuda/std/cmath>\n#include <cuda/std/cstddef>\n#include "
                    "<cstdint>\n#include <cmath>\n"
                    "#include <cooperative_groups.h>\n#include <cstddef>\n#include <cuda_fp16.h>\nextern \"C\" "
                    "__global__ void a(int64_t *x, cuda::std::int64_t y) { x[0] = y; }" },
          true, "");
    check(
      "half",
      &(ma_module_source){ .name = "a",
                           .text = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <cuComplex.h>\n"
                                   "extern \"C\" __global__ void a(half *x) { x[threadIdx.x] = __hadd(x[0], x[1]); }" },
      true, "");
    check("integers",
          &(ma_module_source){ .name = "a",
                               .text = "#include <cuda/std/cstdint>\n#include <cuda/std/complex>\n"
                                       "extern \"C\" __global__ void a(cuda::std::int64_t *x, "
                                       "cuda::std::complex<float> z) { x[threadIdx.x] = 1; }" },
          true, "");
    check("groups",
          &(ma_module_source){ .name = "a",
                               .text = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
                                       "extern \"C\" __global__ void a(int *x) { cg::this_grid().sync(); "
                                       "x[threadIdx.x] = cg::this_thread_block().size(); }" },
          true, "");
  }
  printf(wrong ? "%d wrong\n" : "modules compile\n", wrong);
  return wrong != 0;
}
