/* graph.h: what a stream of the pretended driver records, and graphs of it (graph.c). */
#include "cuda/cuda.h"

typedef void launcher(const unsigned *grid, const unsigned *block, void **parameters);
typedef struct work {
  struct work *next;
  launcher *function;                    /* NULL: a copy, or `n` values of `bytes` where there is no `from` */
  void (*call)(void *), (*drop)(void *); /* of another library, for `data` */
  void *data;
  unsigned grid[3], block[3];
  CUdeviceptr to, from;
  size_t n;
  unsigned value, bytes;
  void *parameters[64]; /* copies */
} work;
struct CUgraph_st {
  work *first, **last;
};

CUgraph pretend_graph(void);
CUresult pretend_queue(CUgraph graph, work w);
CUresult pretend_queue_launch(CUgraph graph, launcher *function, const unsigned *grid, const unsigned *block,
                              void **parameters);
void pretend_run_now(launcher *function, const unsigned *grid, const unsigned *block, void **parameters);
void pretend_fill(const work *w);
void pretend_run(CUgraph graph);
