/* sort_job.h: the parameters of sort.cuh's kernels, with the same layout on both sides. Keys move between the
** memories 0 (from), 1 (to) and 2 (scratch); their original places move between index[0] and index[1]. */
typedef struct ma_sort_pass {
  uint32_t active;         /* 0: all keys have the same digit, so nothing moves */
  uint32_t first, last;    /* among the active passes */
  uint32_t source, target; /* memories of the keys */
  uint32_t index_source, index_target;
  uint32_t board;   /* the other board is cleared for the next pass */
  uint32_t special; /* some key is special: see sort.cuh */
} ma_sort_pass;

typedef struct ma_sort_job {
  const void *from;
  void *to, *scratch;
  void *index[2];     /* [1] lies in `positions` */
  int64_t *positions; /* NULL: not wanted */
  uint64_t n, row;    /* elements in all, and in a row */
  uint64_t *count;    /* 256 for each pass: the number of keys with the digit, later with a lower one */
  uint32_t *ticket;   /* one for each pass */
  uint32_t *special;  /* [0] is set if some key is special: see sort.cuh; [1] counts the blocks of sort_count */
  ma_sort_pass *pass;
  void *board[2];          /* 256 words for each tile */
  uint32_t npass, at;      /* at: the current pass */
  uint32_t keep, in_place; /* keep: the sorted keys are wanted */
} ma_sort_job;

/* Rows that blocks sort by themselves. */
typedef struct ma_sort_rows_job {
  const void *from;
  void *to;           /* NULL: not wanted */
  int64_t *positions; /* NULL: not wanted */
  uint64_t rows;
  uint32_t row, per_block, npass; /* elements in a row; rows of a block; passes, including those by row */
} ma_sort_rows_job;
