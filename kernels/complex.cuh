/* complex.cuh: what <cupy/complex.cuh> gives a raw kernel beside kernels/user.cuh: its numbers under CuPy's other name. */
namespace thrust {
  using ::complex; using ::abs; using ::arg; using ::norm; using ::conj; using ::polar; using ::exp; using ::log; using ::log10; using ::pow; using ::sqrt;
  using ::sin; using ::cos; using ::sinh; using ::cosh; using ::tanh; using ::asin; using ::acos; using ::atan;
}
