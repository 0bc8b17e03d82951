/* sort_job.h: what the kernels of sort.cuh are given, in the same layout on both sides. Keys go between the memories 0
** (from), 1 (to) and 2 (scratch); what goes with them, their first places, between index[0] and index[1]. */
typedef struct ma_sort_pass {
  uint32_t active;         /* 0: all keys have the same digit, nothing moves */
  uint32_t first, last;    /* of those that are active */
  uint32_t source, target; /* memories of keys */
  uint32_t index_source, index_target;
  uint32_t board;   /* the other one is cleared for the next pass */
  uint32_t special; /* a key is one that order.h does not tell from another */
} ma_sort_pass;

typedef struct ma_sort_job {
  const void *from;
  void *to, *scratch;
  void *index[2];     /* [1] lies in `positions` */
  int64_t *positions; /* NULL: not wanted */
  uint64_t n, row;    /* elements in all, and of a row */
  uint64_t *count;    /* 256 a pass: how many keys have the digit, then how many have a lower one */
  uint32_t *ticket;   /* one a pass */
  uint32_t *special;  /* set where a key is one that order.h does not tell from another */
  ma_sort_pass *pass;
  void *board[2];          /* 256 words a tile */
  uint32_t npass, at;      /* at: the pass that is run */
  uint32_t keep, in_place; /* keep: the sorted keys are wanted */
} ma_sort_job;

/* Rows that blocks sort on their own. */
typedef struct ma_sort_rows_job {
  const void *from;
  void *to;           /* NULL: not wanted */
  int64_t *positions; /* NULL: not wanted */
  uint64_t rows;
  uint32_t row, per_block, npass; /* elements of a row; rows of a block; passes, those by row included */
} ma_sort_rows_job;
