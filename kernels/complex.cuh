/* complex.cuh: what <cupy/complex.cuh> adds to kernels/user.cuh in a raw kernel: CuPy's other name for complex
** numbers. */
namespace thrust {
using ::abs;
using ::acos;
using ::arg;
using ::asin;
using ::atan;
using ::complex;
using ::conj;
using ::cos;
using ::cosh;
using ::exp;
using ::log;
using ::log10;
using ::norm;
using ::polar;
using ::pow;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tanh;
}  // namespace thrust
