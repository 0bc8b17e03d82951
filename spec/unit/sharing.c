/*
** sharing.c: several Lua states on several threads use streams, events, graphs, pools, host functions and copies at
** once, over arrays that they share: by tickets within the library, and by DLPack's capsules from state to state. Every
** value must be what one thread alone would get. For make tsan above all; on the pretended driver and on a GPU it runs
** the CUDA backend in the same way. usage: sharing [threads [rounds]]
*/
#include "luajit.h"

/* Each turn is one of several things, by the turn's number and the thread's, so that different ones meet. */
static const char script[] =
  "local ma = require 'moonarray'\n"
  "local core = require 'moonarray.core'\n"
  "local streams = {}\n"
  "for k = 1, 3 do streams[k] = ma.Stream { non_blocking = k > 1, priority = -(k % 2) } end\n"
  "local own = ma.cuda.MemoryPool()\n"
  "local things = {}\n"

  /* work on one stream, used on another, by itself and after an event */
  "things[1] = function(r)\n"
  "  local a = streams[1]:with(function() return ma.full(5000, r) * 2 end)\n"
  "  local b = streams[2]:with(function() a:iadd(1) return a + 1 end)\n"
  "  local event = streams[3]:with(function() b:imul(2) return ma.Event({ disable_timing = true }):record() end)\n"
  "  streams[1]:wait_event(event)\n"
  "  assert(streams[1]:with(function() return b:sum() end):item() == 5000 * 2 * (2 * r + 2))\n"
  "end\n"

  /* a graph, which others record at the same time, replayed and freed */
  "things[2] = function(r)\n"
  "  local x, total = ma.full(300, id), ma.zeros(300)\n"
  "  local graph = ma.cuda.graph(function() total:iadd(x * 2 + 1) return total end)\n"
  "  for k = 1, 4 do graph:launch(streams[1 + k % 3]) end\n"
  "  assert(total:sum():item() == 300 * 5 * (2 * id + 1))\n"
  "  if r % 2 == 0 then graph:free() end\n"
  "end\n"

  /* pools: one of one's own, one that everybody's arrays come from for a while, statistics, and blocks given back */
  "things[3] = function(r)\n"
  "  local made = ma.cuda.using_allocator(own, function() return ma.ones(20000 + r) end)\n"
  "  if id == 1 then ma.cuda.set_allocator(own) elseif id == 2 then ma.cuda.set_allocator(nil) end\n"
  "  local other = ma.ones(7 + r) + 1\n"
  "  local pool = ma.cuda.get_default_memory_pool()\n"
  "  assert(pool:total_bytes() >= 0 and own:used_bytes() > 0)\n"
  "  if r % 5 == 0 then pool:free_all_blocks() own:free_all_blocks() end\n"
  "  local host = ma.cuda.zeros_pinned(100)\n"
  "  assert(made:sum():item() + other:sum():item() + host:sum():item() == 20000 + r + 2 * (7 + r))\n"
  "end\n"

  /* host functions and copies that do not wait */
  "things[4] = function(r)\n"
  "  local called, x = 0, ma.full(1000, r)\n"
  "  streams[2]:launch_host_func(function(by) called = called + by end, 1)\n"
  "  local copy = streams[2]:with(function() return (x + 1):get_async() end)\n"
  "  x:fill(0)\n"
  "  assert(copy:get():sum():item() == 1000 * (r + 1))\n"
  "  streams[2]:synchronize()\n"
  "  ma.cuda.poll()\n"
  "  assert(called == 1)\n"
  "end\n"

  /* a ticket for two, one of which is kept here; what is there may be read by all at once */
  "things[5] = function(r)\n"
  "  local a = streams[1 + r % 3]:with(function() return ma.arange(3000) + r end)\n"
  "  local ticket = ma.export(a, 2)\n"
  "  if put('ticket ' .. ticket .. ' ' .. r) == 0 then assert(ma.revoke(ticket)) else\n"
  "    local again = ma.import(ticket)\n"
  "    assert((again - r)(3000) == 2999)\n"
  "  end\n"
  "end\n"

  /* a capsule, whose deleter another thread calls */
  "things[6] = function(r)\n"
  "  local a = ma.full(2000, r)\n"
  "  local capsule = a:dlpack({ version = r % 2 })\n"
  "  local text = ('capsule %.0f %d %d'):format(capsule:ptr(), r, r % 2)\n"
  "  if put(text) == 1 then capsule:release() end\n"
  "end\n"

  /* hooks, scopes, and errors in them */
  "things[7] = function(r)\n"
  "  local seen = 0\n"
  "  local hook = ma.cuda.MemoryHook { malloc_postprocess = function(event) seen = seen + event.mem_size end }\n"
  "  local left = hook:with(function()\n"
  "    return ma.scope(function()\n"
  "      local a = ma.ones(4000) + r\n"
  "      return (a * 2):sum():item()\n"
  "    end)\n"
  "  end)\n"
  "  assert(left == 8000 * (1 + r) and seen >= 32000, seen)\n"
  "  assert(not pcall(ma.scope, function() local _ = ma.ones(10) error('out of here') end))\n"
  "end\n"

  "local function from_another()\n"
  "  local text = take()\n"
  "  if not text then return end\n"
  "  local kind, what, value, version = text:match('^(%a+) (%S+) (%d+) ?(%d*)$')\n"
  "  local b = kind == 'ticket' and ma.import(what) or ma.from_dlpack(tonumber(what), { versioned = version == '1' })\n"
  "  local first = streams[2]:with(function() return b + 0 end)\n"
  "  assert(first(1) == tonumber(value), text)\n"
  "end\n"

  "for r = 1, rounds do\n"
  "  things[1 + (r + id) % #things](r)\n"
  "  from_another()\n"
  "  if r % 16 == 0 then collectgarbage() end\n"
  "end\n"
  "ma.device():synchronize()\n"
  "kept = { streams, own, ma.cuda.graph(function() return ma.ones(3) end) }\n"; /* left to lua_close */

static int nround = 60;

static void *work(void *number) {
  lua_State *L = new_state((double)(intptr_t)number, nround);
  const char *error = run(L, script, 0);
  if (error) note_failure("a worker", error);
  api.lua_close(L);
  return NULL;
}

/* What nobody took is taken here. */
static const char rest[] = "local ma = require 'moonarray'\n"
                           "ma.cuda.set_allocator(nil)\n"
                           "for text in take do\n"
                           "  local kind, what, _, version = text:match('^(%a+) (%S+) (%d+) ?(%d*)$')\n"
                           "  if kind == 'ticket' then ma.revoke(what) else ma.from_dlpack(tonumber(what), { versioned "
                           "= version == '1' }):free() end\n"
                           "end\n"
                           "ma.device():synchronize()\n";

static const char counter[] =
  "local core = require 'moonarray.core'\n"
  "collectgarbage() collectgarbage()\n"
  "return core.live_buffers() + core.live_events() + core.live_streams() + core.open_tickets() + core.captures()\n";

int main(int argc, char **argv) {
  pthread_t thread[64];
  int nthread = argc > 1 ? atoi(argv[1]) : 4;
  if (argc > 2) nround = atoi(argv[2]);
  if (nthread < 1 || nthread > 64) nthread = 4;
  if (!open_luajit()) {
    printf("skipped: no libluajit-5.1.so.2 to open\n");
    return 0;
  }
  setenv("MOONARRAY_DEVICE", "cpu", 0);
  setenv("MOONARRAY_NUM_THREADS", "2", 0);
  for (int k = 0; k < nthread; k++)
    if (pthread_create(&thread[k], NULL, work, (void *)(intptr_t)(k + 1)) != 0) fail("pthread_create", "failed");
  for (int k = 0; k < nthread; k++) pthread_join(thread[k], NULL);
  stop_if_failed();
  lua_State *L = new_state(0, 0);
  const char *error = run(L, rest, 0);
  if (error) fail("what is left", error);
  error = run(L, counter, 1);
  if (error || api.lua_tonumber(L, -1) != 0)
    fail("after the threads", error ? error : "buffers, streams, events, captures or tickets are left");
  api.lua_close(L);
  printf("%d threads of %d rounds agree\n", nthread, nround);
  return 0;
}
