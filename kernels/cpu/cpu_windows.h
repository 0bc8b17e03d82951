/* cpu_windows.h: functions of other C libraries' <math.h> that Windows' lacks, for kernels on a CPU. It follows
** cpu_cuda.h, everywhere: a text is the same on all systems, so that a bundle made on one serves another. */
#ifdef _WIN32
extern "C" { /* <math.h> declares these only in GNU's dialects */
double j0(double);
double j1(double);
double y0(double);
double y1(double);
double jn(int, double);
double yn(int, double);
}
static inline double exp10(double x) { return pow(10.0, x); }
static inline float exp10f(float x) { return (float)pow(10.0, (double)x); }
static inline float j0f(float x) { return (float)j0((double)x); }
static inline float j1f(float x) { return (float)j1((double)x); }
static inline float y0f(float x) { return (float)y0((double)x); }
static inline float y1f(float x) { return (float)y1((double)x); }
static inline float jnf(int n, float x) { return (float)jn(n, (double)x); }
static inline float ynf(int n, float x) { return (float)yn(n, (double)x); }
#endif
