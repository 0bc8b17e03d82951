/*
** degree.c: an order of elimination by least approximate degree, after Amestoy, Davis and Duff (SIAM J. Matrix Anal.
** Appl. 17, 1996). The graph after some eliminations is kept as a quotient graph: an eliminated variable is an element,
** whose list is the variables that it joins; a variable's list is its elements, then the variables that it still
** touches by entries of A. Variables with the same lists are merged into one of their number's weight.
*/
#include "ops/factors/factors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1)

typedef struct quotient {
  int32_t n, done; /* done: variables that are eliminated, with their weights */
  int64_t *start;  /* where each list begins; -1: the node is gone */
  int32_t *list;
  int64_t free, room;
  /* How long a list is, and how many of its entries are elements; a node that is an element has nelement NONE. */
  int32_t *length, *nelement;
  int32_t *weight;              /* of a variable; negative while it is in the new element; 0: merged, or an element */
  int32_t *degree;              /* a bound of a variable's degree; of an element the weight of its variables */
  int32_t *parent;              /* what a merged variable or an absorbed element became part of */
  int32_t *first, *next, *last; /* variables by degree; next and first also hold the variables by hash */
  /* Of an element: mark - stamp is the weight of what it has outside the new element; 0: it is gone. */
  int64_t *mark;
  int64_t stamp;
  int32_t *bucket;
  int32_t least;
  int32_t *number; /* when an element was eliminated, from 0 on */
  int32_t nelements;
  int32_t dense; /* the element of the variables that come last, or NONE */
} quotient;

static void list_insert(quotient *q, int32_t i, int32_t degree) {
  int32_t next = q->first[degree];
  q->next[i] = next;
  q->last[i] = NONE;
  if (next != NONE) q->last[next] = i;
  q->first[degree] = i;
  if (degree < q->least) q->least = degree;
}

static void list_remove(quotient *q, int32_t i) {
  if (q->next[i] != NONE) q->last[q->next[i]] = q->last[i];
  if (q->last[i] != NONE) q->next[q->last[i]] = q->next[i];
  else q->first[q->degree[i]] = q->next[i];
}

/* Moves all lists to the front of the memory. Meanwhile the first entry of each list and the list's start change
** places. */
static void collect(quotient *q) {
  for (int32_t i = 0; i < q->n; i++) {
    if (q->start[i] < 0 || q->length[i] == 0) continue;
    int64_t at = q->start[i];
    q->start[i] = q->list[at];
    q->list[at] = -2 - i;
  }
  int64_t to = 0;
  for (int64_t from = 0; from < q->free;) {
    int32_t i = -2 - q->list[from];
    if (i < 0) {
      from++;
      continue;
    }
    q->list[to] = (int32_t)q->start[i];
    q->start[i] = to;
    memmove(q->list + to + 1, q->list + from + 1, (size_t)(q->length[i] - 1) * sizeof *q->list);
    to += q->length[i];
    from += q->length[i];
  }
  q->free = to;
}

/* Copies to `end` those variables of the list at .. at + n - 1 that are not in the new element yet. Returns their
** weight. */
static int32_t take_variables(quotient *q, int64_t at, int32_t n, int64_t *end) {
  int32_t weight = 0;
  for (int32_t k = 0; k < n; k++) {
    int32_t i = q->list[at + k], w = q->weight[i];
    if (w <= 0) continue;
    weight += w;
    q->weight[i] = -w;
    q->list[(*end)++] = i;
    list_remove(q, i);
  }
  return weight;
}

static void absorb(quotient *q, int32_t element, int32_t into) {
  q->parent[element] = into;
  q->start[element] = -1;
  q->length[element] = 0;
  q->mark[element] = 0;
}

/* Makes the variable `pivot` an element, whose list is all variables that the pivot touches. */
static void make_element(quotient *q, int32_t pivot) {
  int32_t weight = 0, nelement = q->nelement[pivot];
  int64_t from = q->start[pivot], begin, end;
  if (nelement == 0) { /* the element's list takes the place of the variable's */
    begin = end = from;
    weight = take_variables(q, from, q->length[pivot], &end);
  } else {
    int64_t most = q->length[pivot] - nelement;
    for (int32_t k = 0; k < nelement; k++) most += q->length[q->list[from + k]];
    if (q->free + most > q->room) {
      collect(q);
      from = q->start[pivot];
    }
    begin = end = q->free;
    for (int32_t k = 0; k < nelement; k++) {
      int32_t e = q->list[from + k];
      weight += take_variables(q, q->start[e], q->length[e], &end);
      absorb(q, e, pivot);
    }
    weight += take_variables(q, from + nelement, q->length[pivot] - nelement, &end);
    q->free = end;
  }
  q->start[pivot] = begin;
  q->length[pivot] = (int32_t)(end - begin);
  q->degree[pivot] = weight;
  q->nelement[pivot] = NONE;
  q->mark[pivot] = q->stamp; /* any value will do that is not 0 and is below the next stamp */
}

/* Sets the marks of all elements near the new one, which tell how much of each lies outside of it. */
static void mark_outside(quotient *q, int32_t pivot) {
  const int32_t *variable = q->list + q->start[pivot];
  for (int32_t k = 0; k < q->length[pivot]; k++) {
    int32_t i = variable[k], w = -q->weight[i];
    const int32_t *element = q->list + q->start[i];
    for (int32_t j = 0; j < q->nelement[i]; j++) {
      int32_t e = element[j];
      if (q->mark[e] >= q->stamp) q->mark[e] -= w;
      else if (q->mark[e] != 0) q->mark[e] = q->stamp + q->degree[e] - w;
    }
  }
}

/* Shortens the list of variable i to what still counts, with the new element in front. Returns the degree outside of
** the new element. */
static int64_t update_variable(quotient *q, int32_t i, int32_t pivot, uint32_t *hash) {
  int32_t *list = q->list + q->start[i], n = q->nelement[i], length = q->length[i], to = 0;
  int64_t degree = 0;
  uint32_t sum = (uint32_t)pivot;
  for (int32_t k = 0; k < n; k++) {
    int32_t e = list[k];
    if (q->mark[e] == 0) continue;
    int64_t outside = q->mark[e] - q->stamp;
    if (outside == 0) { /* all of this element is in the new one, so it is absorbed */
      absorb(q, e, pivot);
      continue;
    }
    degree += outside;
    list[to++] = e;
    sum += (uint32_t)e;
  }
  int32_t elements = to;
  for (int32_t k = n; k < length; k++) {
    int32_t j = list[k];
    if (q->weight[j] <= 0) continue; /* this variable is gone, or in the new element */
    degree += q->weight[j];
    list[to++] = j;
    sum += (uint32_t)j;
  }
  /* There is room for the new element: it takes the place of an absorbed element, or of the pivot. */
  if (elements < to) list[to] = list[elements];
  if (elements > 0) list[elements] = list[0];
  list[0] = pivot;
  q->nelement[i] = elements + 1;
  q->length[i] = to + 1;
  *hash = sum % (uint32_t)q->n;
  return degree;
}

static void merge_variable(quotient *q, int32_t i, int32_t into) {
  q->parent[i] = into;
  q->weight[i] = 0;
  q->start[i] = -1;
  q->length[i] = 0;
}

static bool same_lists(const quotient *q, int32_t i, int32_t j, int64_t stamp) {
  if (q->length[i] != q->length[j] || q->nelement[i] != q->nelement[j]) return false;
  const int32_t *list = q->list + q->start[j];
  for (int32_t k = 1; k < q->length[j]; k++)
    if (q->mark[list[k]] != stamp) return false;
  return true;
}

/* Merges the variables of the new element that have the same lists; they have the same hash. */
static void merge_equals(quotient *q, int32_t pivot, const uint32_t *hash) {
  const int32_t *variable = q->list + q->start[pivot];
  for (int32_t k = 0; k < q->length[pivot]; k++) {
    int32_t i = variable[k];
    if (q->weight[i] >= 0) continue;
    int32_t at = q->bucket[hash[i]];
    if (at == NONE) continue;
    q->bucket[hash[i]] = NONE;
    for (; at != NONE && q->next[at] != NONE; at = q->next[at]) {
      /* Marks of variables are not in use here. Those of elements are restored below. */
      const int32_t *list = q->list + q->start[at];
      int64_t stamp = ++q->stamp;
      for (int32_t j = 1; j < q->length[at]; j++) q->mark[list[j]] = stamp;
      for (int32_t before = at, other = q->next[at]; other != NONE; other = q->next[other]) {
        if (!same_lists(q, at, other, stamp)) {
          before = other;
          continue;
        }
        q->weight[at] += q->weight[other];
        merge_variable(q, other, at);
        q->next[before] = q->next[other];
      }
    }
  }
}

static void eliminate(quotient *q, int32_t pivot, uint32_t *hash) {
  int32_t weight = q->weight[pivot];
  q->done += weight;
  q->weight[pivot] = -weight;
  make_element(q, pivot);
  q->number[pivot] = q->nelements++;
  q->stamp += q->n + 1;
  mark_outside(q, pivot);
  int32_t *variable = q->list + q->start[pivot], n = q->length[pivot];
  for (int32_t k = 0; k < n; k++) {
    int32_t i = variable[k], w = -q->weight[i];
    int64_t degree = update_variable(q, i, pivot, &hash[i]);
    if (degree == 0) { /* it touches nothing else, so it is eliminated together with the pivot */
      merge_variable(q, i, pivot);
      q->degree[pivot] -= w;
      weight += w;
      q->done += w;
      continue;
    }
    if (degree < q->degree[i]) q->degree[i] = (int32_t)degree;
    q->next[i] = q->bucket[hash[i]];
    q->bucket[hash[i]] = i;
  }
  q->stamp += q->n + 1;
  merge_equals(q, pivot, hash);
  q->stamp += q->n + 1;
  int32_t to = 0;
  for (int32_t k = 0; k < n; k++) {
    int32_t i = variable[k], w = -q->weight[i];
    if (w <= 0) continue;
    q->weight[i] = w;
    int64_t degree = (int64_t)q->degree[i] + q->degree[pivot] - w, left = q->n - q->done - w;
    q->degree[i] = (int32_t)(degree < left ? degree : left);
    list_insert(q, i, q->degree[i]);
    variable[to++] = i;
  }
  q->weight[pivot] = 0;
  q->length[pivot] = to;
  if (to == 0) {
    q->start[pivot] = -1;
    q->mark[pivot] = 0;
  }
}

/* The element of which variable or element i is a part when it is eliminated. */
static int32_t element_of(int32_t *parent, const int32_t *number, int32_t i) {
  int32_t e = i;
  while (number[e] == NONE) e = parent[e];
  while (number[i] == NONE) {
    int32_t up = parent[i];
    parent[i] = e;
    i = up;
  }
  return e;
}

/* Numbers elements so that each comes right behind those that it absorbed, and variables with their elements. */
static void write_order(quotient *q, int32_t *order) {
  int32_t n = q->n, *child = q->first, *sibling = q->next, *member = q->bucket, *other = q->last, *stack = q->degree;
  for (int32_t i = 0; i < n; i++) child[i] = member[i] = NONE;
  for (int32_t i = n - 1; i >= 0; i--) {
    if (q->number[i] == NONE) {
      int32_t e = element_of(q->parent, q->number, i);
      other[i] = member[e];
      member[e] = i;
    } else if (q->parent[i] != NONE) {
      sibling[i] = child[q->parent[i]];
      child[q->parent[i]] = i;
    }
  }
  int32_t at = 0;
  for (int32_t k = 0; k <= n; k++) {
    int32_t root = k < n ? k : q->dense, top = 0;
    if (root == NONE || (k < n && k == q->dense) || q->number[root] == NONE || q->parent[root] != NONE) continue;
    stack[top++] = root;
    while (top > 0) {
      int32_t e = stack[top - 1], c = child[e];
      if (c != NONE) {
        child[e] = sibling[c];
        stack[top++] = c;
        continue;
      }
      top--;
      order[at++] = e;
      for (int32_t i = member[e]; i != NONE; i = other[i]) order[at++] = i;
    }
  }
}

/* The degree from which on a variable comes last. Variables with very many neighbours would make every other list long,
** so they are one element at the end. */
static int32_t dense_degree(int32_t n) {
  double d = 10 * sqrt((double)n);
  return d < 16 ? 16 : d > n ? n : (int32_t)d;
}

static void prepare(quotient *q) {
  int32_t n = q->n, dense = dense_degree(n);
  q->dense = NONE;
  for (int32_t i = 0; i < n; i++) {
    q->length[i] = (int32_t)(q->start[i + 1] - q->start[i]);
    q->degree[i] = q->length[i];
    q->weight[i] = 1;
    q->parent[i] = q->first[i] = q->next[i] = q->last[i] = q->bucket[i] = q->number[i] = NONE;
    q->mark[i] = 1;
  }
  q->stamp = 1;
  for (int32_t i = 0; i < n; i++) {
    if (q->degree[i] <= dense) {
      list_insert(q, i, q->degree[i]);
      continue;
    }
    q->done++;
    if (q->dense != NONE) {
      merge_variable(q, i, q->dense);
      continue;
    }
    q->dense = i;
    q->number[i] = n; /* an element without variables: any number shows that it is one */
    q->weight[i] = 0;
    q->start[i] = -1;
    q->length[i] = 0;
    q->nelement[i] = NONE;
  }
}

ma_status ma_order_least_degree(int32_t n, int64_t *start, int32_t *list, int64_t room, int32_t *order) {
  if (n == 0) return MA_OK;
  size_t each = (size_t)n;
  int32_t *memory = calloc(each * 11, sizeof *memory);
  int64_t *marks = calloc(each, sizeof *marks);
  quotient q = { .n = n, .start = start, .list = list, .free = start[n], .room = room, .mark = marks, .least = 0 };
  if (!memory || !marks) {
    free(memory);
    free(marks);
    return ma_fail(MA_ERR_MEMORY, "out of memory: the order of %d columns", n);
  }
  int32_t **part[] = { &q.length, &q.nelement, &q.weight, &q.degree, &q.parent, &q.first,
                       &q.next,   &q.last,     &q.bucket, &q.number, NULL };
  for (int k = 0; part[k]; k++) *part[k] = memory + each * (size_t)k;
  prepare(&q);
  while (q.done < n) {
    while (q.first[q.least] == NONE) q.least++;
    int32_t pivot = q.first[q.least];
    q.first[q.least] = q.next[pivot];
    if (q.next[pivot] != NONE) q.last[q.next[pivot]] = NONE;
    eliminate(&q, pivot, (uint32_t *)memory + each * 10);
  }
  write_order(&q, order);
  free(memory);
  free(marks);
  return MA_OK;
}
