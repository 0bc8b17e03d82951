/*
** states.c: several Lua states on several threads share the library: they compute, hand arrays to each other by
** tickets, and are closed with everything alive. Then two states of one thread whose positions are wrong, states opened
** and closed one after another, which must leave nothing, and children forked while threads work. For make tsan above
** all; MOONARRAY_DEVICE=cuda runs it on a GPU. usage: states [threads [states a thread [rounds a state]]]
*/
#include "luajit.h"

#include <signal.h>
#include <sys/wait.h>

/* ==== Scripts ==== */

/* What a state does: every kind of operation, on arrays small and large, in views and by positions; a fault; text and
** bytes. */
static const char worker[] =
  "local ma = require 'moonarray'\n"
  "local core = require 'moonarray.core'\n"
  "local function fails(f, ...) assert(not pcall(f, ...)) end\n"
  "local kernel = ma.ElementwiseKernel('float64 x, float64 y', 'float64 z', 'z = x * y + 1', 'states_unit')\n"
  "local fused = ma.fuse(function(a, b) return ma.sqrt(a * a + b) end)\n"
  "kept = {}\n"
  "for r = 1, rounds do\n"
  "  local n = 1000 + 37 * id + r\n"
  "  local x = ma.arange(n) * id + r\n"
  "  assert(x:sum():item() == id * n * (n - 1) / 2 + r * n)\n"
  "  local big = ma.ones({ 300, 400 }, 'float32') * id\n"
  "  assert(big:sum():item() == 120000 * id)\n"
  "  local t = big:transpose()\n"
  "  assert((t + t)(400, 300) == 2 * id)\n"
  "  assert(ma.cumsum(big:reshape(-1))(120000) == 120000 * id)\n"
  "  local mask = x:gt(id * n / 2)\n"
  "  assert(x[mask].size > 0)\n"
  "  x[ma.index { 1, 3, 5 }] = 7\n"
  "  assert(x(3) == 7 and x:max():item() == id * (n - 1) + r)\n"
  "  fails(function() return x[ma.array({ n + 1 }, 'int64')]:sum():item() end)\n" /* a GPU finds it later: item waits */
  "  fails(function() return x + ma.zeros({ 3, 3 }) end)\n"
  "  assert(fused(ma.full({ 50 }, 3), 16)(1) == 5)\n"
  "  assert(kernel(ma.full({ 5 }, 3), ma.full({ 5 }, 2))(5) == 7)\n"
  "  assert(ma.loads(big['1:3, 1:3']:dumps())(2, 2) == id)\n"
  "  assert(#tostring(x) > 10)\n"
  "  local start = ma.Event():record()\n"
  "  assert(ma.get_elapsed_time(start, ma.Event():record()) >= 0)\n"
  "  local a = ma.full({ n }, r)\n"
  "  local ticket = a['::2']:export()\n"
  "  if put(ticket .. ' ' .. r) == 0 then assert(ma.revoke(ticket)) end\n"
  "  local text = take()\n"
  "  if text then\n"
  "    local other, value = text:match('^(%S+) (%d+)$')\n"
  "    local b = ma.import(other)\n"
  "    assert(b(1) == tonumber(value) and (b - b(1)):any() == false)\n"
  "    fails(ma.import, other)\n"
  "    assert(not ma.revoke(other))\n"
  "    b:iadd(1)\n"
  "    kept[r % 8 + 1] = b\n"
  "  end\n"
  "  fails(ma.import, 'moonarray-' .. n)\n"
  "  assert(ma.revoke(ma.export(ma.zeros(3))))\n"
  "end\n";

/* Everything that a state can have alive when it is closed. */
static const char opener[] = "local ma = require 'moonarray'\n"
                             "local core = require 'moonarray.core'\n"
                             "assert(core.live_buffers() == 0, core.live_buffers() .. ' buffers are left')\n"
                             "assert(core.live_events() == 0 and core.open_tickets() == 0)\n"
                             "a = ma.ones({ 100, 100 })\n"
                             "view, event = a['1:50, :'], ma.Event():record()\n"
                             "stream, pool = ma.Stream.null, ma.get_default_memory_pool()\n"
                             "kernel = ma.ElementwiseKernel('T x', 'T y', 'y = x + x', 'states_open')\n"
                             "twice, foreign = kernel(a), ma.frombuffer(('x'):rep(64), nil, 'uint8')\n"
                             "fused = ma.fuse(function(x) return x * 2 + 1 end)\n"
                             "out, bar = fused(a), ma.progress(10)\n"
                             "for i, row in a:rows() do held = row if i == 3 then break end end\n"
                             "co = coroutine.create(function() inner = ma.zeros(10); coroutine.yield() end)\n"
                             "coroutine.resume(co)\n"
                             "if number % 3 == 0 then error('ends early') end\n"
                             "if number % 3 == 1 then for name in pairs(package.loaded) do if name:find('^moonarray') "
                             "then package.loaded[name] = nil end end\n"
                             "  assert(require 'moonarray' == ma and (a + 1)(1, 1) == 2) end\n";

static const char counter[] = "local core = require 'moonarray.core'\n"
                              "return core.live_buffers() + core.live_events() + core.open_tickets()\n";

/* ==== The two tests ==== */

static int nstate = 3, nround = 12;

static void *work(void *number) {
  for (int k = 0; k < nstate; k++) {
    lua_State *L = new_state((double)(intptr_t)number, nround);
    const char *error = run(L, worker, 0);
    if (error) note_failure("a worker", error);
    api.lua_close(L);
    if (__atomic_load_n(&failed, __ATOMIC_RELAXED)) break;
  }
  return NULL;
}

static void run_threads(int nthread) {
  pthread_t thread[64];
  for (int k = 0; k < nthread; k++)
    if (pthread_create(&thread[k], NULL, work, (void *)(intptr_t)(k + 1)) != 0) fail("pthread_create", "failed");
  for (int k = 0; k < nthread; k++) pthread_join(thread[k], NULL);
  stop_if_failed();
  lua_State *L = new_state(0, 0);
  const char *error = run(
    L, "local ma = require 'moonarray'\nfor text in take do assert(ma.revoke(text:match('%S+'))) end\n", 0);
  if (error) fail("the tickets that are left", error);
  error = run(L, counter, 1);
  if (error || api.lua_tonumber(L, -1) != 0)
    fail("after the threads", error ? error : "buffers, events or tickets are left");
  api.lua_close(L);
}

/* ==== Wrong positions: each state is told its own ==== */

/* On the CPU the call itself raises, on a GPU the next one of this state that waits. */
static const char picks[] =
  "local ma = require 'moonarray'\n"
  "on_cpu = ma.ones(1).device == 'cpu'\n"
  "x = ma.zeros(10 + id)\n"
  "function pick() local ok = pcall(function() return x[ma.array({ 100 + id }, 'int64')] end); assert(ok == not "
  "on_cpu) end\n"
  "function wait() return ma.ones(3):sum():item() end\n"
  "function told()\n"
  "  if on_cpu then return end\n"
  "  local ok, message = pcall(wait)\n"
  "  assert(not ok and message:find('position ' .. 100 + id .. ' on axis 1', 1, true), message)\n"
  "end\n"
  "pick()\n";

static void expect(lua_State *L, const char *script) {
  const char *error = run(L, script, 0);
  if (error) fail(script, error);
}

static void wrong_positions(void) {
  lua_State *a = new_state(1, 0), *b = new_state(2, 0);
  expect(b, "local ma = require 'moonarray'\nassert(ma.ones(3):sum():item() == 3)");
  expect(a, picks);
  expect(b, "assert(require 'moonarray'.ones(3):sum():item() == 3)");
  expect(a, "told(); wait()");
  expect(a, "pick()");
  expect(b, picks); /* while the other's is untold */
  expect(b, "told(); wait()");
  expect(a, "told(); wait()");
  expect(a, "pick()");
  FILE *caught = tmpfile(); /* one that is closed with a fault tells stderr */
  char text[512] = "";
  int old = dup(2);
  if (!caught || old < 0 || dup2(fileno(caught), 2) < 0) fail("tmpfile", "failed");
  bool on_cpu = run(a, "assert(on_cpu)", 0) == NULL;
  api.lua_close(a);
  dup2(old, 2);
  close(old);
  rewind(caught);
  size_t n = fread(text, 1, sizeof text - 1, caught);
  fclose(caught);
  if (on_cpu ? n != 0 : !strstr(text, "moonarray.index: position 101 on axis 1 was outside of 1..11"))
    fail("a state closed with a fault", text);
  for (int k = 0; k < 300; k++) { /* more than there are records */
    lua_State *L = new_state(3, 0);
    if (run(L, "local ma = require 'moonarray'\n", 0)) fail("a state", "not made");
    if (k % 100 == 0) expect(L, "assert(require 'moonarray'.ones(3):sum():item() == 3)");
    api.lua_close(L);
  }
  expect(b, "wait()");
  api.lua_close(b);
}

static long resident_kilobytes(void) {
  long size = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%ld %ld", &size, &resident) != 2) resident = 0;
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

static void open_and_close(int count) {
  long settled = 0;
  for (int k = 0; k < count; k++) {
    lua_State *L = new_state(k, 0);
    const char *error = run(L, opener, 0);
    if (error && !strstr(error, "ends early")) fail("an opened state", error);
    api.lua_close(L);
    if (k == count / 3) settled = resident_kilobytes();
  }
  long grown = resident_kilobytes() - settled;
  printf("%d states opened and closed, %ld KB more than after a third of them\n", count, grown);
  /* A sanitizer's own books grow. */
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
  if (settled && grown > 4096) fail("states that were closed", "memory grows");
#endif
  lua_State *L = new_state(0, 0);
  const char *error = run(L, counter, 1);
  if (error || api.lua_tonumber(L, -1) != 0)
    fail("after closing", error ? error : "buffers, events or tickets are left");
  api.lua_close(L);
}

/* ==== Forks ==== */

/* The sanitizers do not follow a fork of several threads: a child may wait for a lock of their allocator forever. */
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

static const char child[] =
  "local ma = require 'moonarray'\n"
  "if os.getenv('MOONARRAY_DEVICE') ~= 'cpu' then\n" /* the driver does not follow a fork */
  "  local ok, message = pcall(function() return ma.ones(3):sum():item() end)\n"
  "  assert(not ok and message:find('forked', 1, true), message)\n"
  "  ma.device('cpu'):use()\n"
  "end\n"
  "for r = 1, 3 do\n"
  "  local x = ma.ones({ 700, 900 }) * r\n"
  "  assert(x:sum():item() == 630000 * r and (x + x:gt(0)).T(900, 700) == r + 1)\n"
  "end\n"
  "local kernel = ma.ElementwiseKernel('float64 x, float64 y', 'float64 z', 'z = x * y + 1', 'states_unit')\n"
  "assert(kernel(ma.full({ 5 }, 3), ma.full({ 5 }, 2))(5) == 7)\n"
  "local ok, message = pcall(ma.import, foreign)\n"
  "assert(not ok and message:find('a ticket of process', 1, true), message)\n";

static bool stop;

static const char steady[] = "local ma = require 'moonarray'\n"
                             "local x = ma.ones({ 300, 400 })\n"
                             "assert((x * 2):sum():item() == 240000 and (x + x:gt(0)).T(400, 300) == 2)\n";

static int nready;

/* One state, opened before the first fork: a child inherits the lock that the C library's loader holds while it opens a
** module. */
static void *work_on(void *number) {
  lua_State *L = new_state((int)(intptr_t)number, 0);
  for (bool first = true; !__atomic_load_n(&stop, __ATOMIC_RELAXED) && !__atomic_load_n(&failed, __ATOMIC_RELAXED);
       first = false) {
    const char *error = run(L, steady, 0);
    if (error) note_failure("a worker beside forks", error);
    if (first) __atomic_add_fetch(&nready, 1, __ATOMIC_RELAXED);
  }
  api.lua_close(L);
  return NULL;
}

/* The child of a program whose other threads are at work: nothing that it needs stays locked. */
static void fork_children(int count) {
  pthread_t thread[2];
  int status = 0;
  for (int k = 0; k < 2; k++)
    if (pthread_create(&thread[k], NULL, work_on, (void *)(intptr_t)(k + 1)) != 0) fail("pthread_create", "failed");
  while (__atomic_load_n(&nready, __ATOMIC_RELAXED) < 2) usleep(1000);
  for (int k = 0; k < count && !__atomic_load_n(&failed, __ATOMIC_RELAXED); k++) {
    usleep(1000 * (unsigned)(k % 7));
    pid_t pid = fork();
    if (pid == 0) {
      alarm(100); /* a child that hangs ends by this signal */
      lua_State *L = new_state(k, 0);
      api.lua_pushstring(L, "moonarray-1-0-0123456789abcdef");
      api.lua_setfield(L, LUA_GLOBALSINDEX, "foreign");
      const char *error = run(L, child, 0);
      if (error) fprintf(stderr, "in a child: %s\n", error);
      api.lua_close(L);
      _exit(error != NULL);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid) note_failure("fork", "failed");
    else if (WIFSIGNALED(status)) note_failure("a child", WTERMSIG(status) == SIGALRM ? "hangs" : "ended by a signal");
    else if (WEXITSTATUS(status)) note_failure("a child", "failed");
  }
  __atomic_store_n(&stop, true, __ATOMIC_RELAXED);
  for (int k = 0; k < 2; k++) pthread_join(thread[k], NULL);
  stop_if_failed();
  printf("%d children forked from a program at work\n", count);
}
#else
static void fork_children(int count) {}
#endif

int main(int argc, char **argv) {
  int nthread = argc > 1 ? atoi(argv[1]) : 4;
  if (argc > 2) nstate = atoi(argv[2]);
  if (argc > 3) nround = atoi(argv[3]);
  if (!open_luajit()) {
    printf("skipped: no libluajit-5.1.so.2 to open\n");
    return 0;
  }
  setenv("MOONARRAY_DEVICE", "cpu", 0);
  setenv("MOONARRAY_NUM_THREADS", "3", 0); /* so that there are some on a machine of one core */
  run_threads(nthread < 1 ? 1 : nthread > 64 ? 64 : nthread);
  wrong_positions();
  open_and_close(50);
  fork_children(30);
  printf("%d threads of %d states each agree\n", nthread, nstate);
  return 0;
}
