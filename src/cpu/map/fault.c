/*
** fault.c: positions that were found outside of arrays on the CPU, until the call that asked for the work raises them.
*/
#include "base/owner.h"
#include "cpu/cpu.h"
#include "kernels/cpu/cpu_cuda.h"

#include <stdio.h>
#include <string.h>

static _Thread_local ma_fault record; /* work runs in the thread that asks for it, so the record is that thread's */
static _Thread_local uint32_t record_owner;
static _Thread_local const char *function = "index";

ma_fault *ma_cpu_thread_fault(void) { return &record; }

void ma_cpu_set_fault(const ma_fault *fault) {
  if (!record.set) record = *fault;
}

/* Begins a call. Each call looks at its record before it returns. So a record that another owner left belongs to a call
** that failed for another reason. */
void ma_cpu_fault_set_function(ma_stream *stream, uint32_t owner, const char *name) {
  if (record_owner != owner) memset(&record, 0, sizeof record);
  record_owner = owner;
  function = name;
}

void ma_cpu_name_function(const char *name) { function = name; }

const char *ma_cpu_function(void) { return function; }

/* ==== Kernels that note positions themselves ====================================================================== */

/* A place for each Lua state. Places never move, so that a graph may keep their addresses. */
static struct place {
  struct ma_cpu_block block; /* first: a kernel calls block.fault with its address */
  int claimed, ready;        /* atomic: somebody found a position; the fault says which */
  ma_fault fault;
} places[MA_OWNERS];

static void note(struct ma_cpu_block *block, const char *name, int line, int axis, long long position,
                 long long extent) {
  struct place *p = (struct place *)block;
  if (__atomic_exchange_n(&p->claimed, 1, __ATOMIC_ACQUIRE)) return;
  p->fault = (ma_fault){ .set = true, .position = position, .extent = extent, .axis = axis, .line = line };
  snprintf(p->fault.function, sizeof p->fault.function, "%s", name);
  __atomic_store_n(&p->ready, 1, __ATOMIC_RELEASE);
}

static void take_noted(uint32_t owner, ma_fault *fault) {
  struct place *p = &places[MA_OWNER_SLOT(owner)];
  if (!__atomic_exchange_n(&p->ready, 0, __ATOMIC_ACQUIRE)) return;
  *fault = p->fault;
  __atomic_store_n(&p->claimed, 0, __ATOMIC_RELEASE);
}

/* Gives out a record. What is still in it belongs to a call that failed for another reason. */
void *ma_cpu_fault_record(const ma_stream *stream, int32_t *number) {
  ma_fault old;
  struct place *p = &places[MA_OWNER_SLOT(record_owner)];
  take_noted(record_owner, &old);
  *number = 0;
  __atomic_store_n(&p->block.fault, note, __ATOMIC_RELAXED);
  return &p->block;
}

ma_status ma_cpu_fault_take(ma_stream *stream, uint32_t owner, ma_fault *fault) {
  fault->set = false;
  if (record_owner != owner) return MA_OK;
  if (!record.set) take_noted(owner, &record);
  if (!record.set) return MA_OK;
  *fault = record;
  memset(&record, 0, sizeof record);
  return MA_OK;
}
