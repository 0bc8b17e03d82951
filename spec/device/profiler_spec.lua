-- Measuring: benchmark, ranges for profilers, MOONARRAY_DEBUG=2, and the progress line.

local helper = require "spec.helper"
local ma, core = helper.ma, helper.core

local LUA = os.getenv("LUAJIT") or "luajit"

local take = require("spec.file").take

--- Runs a chunk in a process of its own: success, stdout, stderr.
local function child(chunk, environment)
  local script, err = os.tmpname(), os.tmpname()
  local file = assert(io.open(script, "w"))
  file:write(chunk)
  file:close()
  local pipe = assert(io.popen(("%s '%s' '%s' 2>'%s'; echo $?"):format(environment or "", LUA, script, err)))
  local out = pipe:read("*a")
  pipe:close()
  os.remove(script)
  local printed, code = out:match("^(.-)(%d+)\n$")
  return code == "0", printed, take(err)
end

describe("the clock", function()
  it("goes forwards, in seconds", function()
    local begun = ma.time()
    local last = begun
    for _ = 1, 1000 do
      local now = ma.time()
      assert(now >= last and now - begun < 60)
      last = now
    end
    assert(last > begun)
    assert.matches("moonarray.time: ", helper.fails(ma.time, 1))
  end)

  it("goes on while the program sleeps, which takes no time of the processor", function()
    local begun, busy = ma.time(), os.clock()
    ma.sleep(0.2)
    local slept = ma.time() - begun
    assert(slept >= 0.2 and slept < 20, slept)
    assert(os.clock() - busy < 0.15)
    ma.sleep(0)
  end)

  it("sleeps until Ctrl-C", function()
    local script, out = os.tmpname(), os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write('local ma = require "moonarray" print(1) io.stdout:flush() ma.sleep(100) print(2)')
    file:close()
    local begun = ma.time()
    os.execute(("%s '%s' >'%s' 2>&1 & while [ ! -s '%s' ]; do sleep 0.02; done; sleep 0.05; kill -INT $!; wait")
      :format(LUA, script, out, out))
    os.remove(script)
    local text = take(out)
    assert(text:find("interrupted") and not text:find("2\n", 1, true), text)
    assert(ma.time() - begun < 50)
  end)

  it("refuses what is no time", function()
    for _, seconds in ipairs { -1, 0 / 0, math.huge, 1e300, "1", {}, true } do
      assert.matches("moonarray.sleep: seconds is .*; wanted a number from 0 to 1e9", helper.fails(ma.sleep, seconds))
    end
    assert.matches("moonarray.sleep: ", helper.fails(ma.sleep))
  end)
end)

describe("profiler.benchmark", function()
  it("calls fn with its arguments, first to warm up", function()
    local calls, got = 0, nil
    local result = ma.profiler.benchmark(function(...)
      calls = calls + 1
      got = { n = select("#", ...), ... }
    end, { 1, nil, "x", n = 3 }, 20, 5)
    assert.equal(25, calls)
    assert.same({ 1, nil, "x", n = 3 }, got)
    assert.equal(20, #result.cpu_times)
  end)

  it("takes the time on the CPU and on the device", function()
    local a = ma.ones({ 300, 400 })
    local result = ma.profiler.benchmark(function(x) return (x * 2):sum() end, { a },
      { n_repeat = 12, n_warmup = 2, name = "double" })
    assert.equal("double", result.name)
    local devices = helper.device == "cpu" and 0 or 1
    assert.equal(devices, #result.gpu_times)
    assert.equal(devices, #result.devices)
    for k = 1, 12 do
      assert(result.cpu_times[k] > 0 and result.cpu_times[k] < 10)
      for d = 1, devices do assert(result.gpu_times[d][k] > 0 and result.gpu_times[d][k] < 10) end
    end
    assert.matches("^double              :    CPU: +[%d.]+ us   %+/%- +[%d.]+ %(min: +[%d.]+ / max: +[%d.]+%) us",
      tostring(result))
    assert.equal(devices == 1, tostring(result):find("GPU-0: ", 1, true) ~= nil)
  end)

  it("takes the time of what operators left for later with the call that made it", function()
    local was = ma.set_fusion(true)
    local a, evaluated = ma.ones({ 300, 400 }), {}
    local function ran() return (select(2, core.deferrals())) end
    local function call(x)
      evaluated[#evaluated + 1] = ran()
      return x * 2 + 1
    end
    ma.profiler.benchmark(call, { a }, 2, 1)
    evaluated[4] = ran()
    ma.profiler.time_range("sum", call, a)
    evaluated[6] = ran()
    ma.profiler.profile(call, a)
    evaluated[8] = ran()
    local waits, before, within = a * 3, ran(), nil
    -- what waited before the first call is not timed with it
    ma.profiler.benchmark(function() within = ran() end, { waits }, 1, 0)
    ma.set_fusion(was)
    assert.equal(1, within - before)
    for _, k in ipairs { 2, 3, 4, 6, 8 } do assert.equal(1, evaluated[k] - evaluated[k - 1]) end
  end)

  it("prints what the times say", function()
    local result = ma.profiler.benchmark(function() end, {}, 3, 0, { name = "times" })
    result.cpu_times = { 1e-6, 2e-6, 6e-6 }
    result.devices, result.gpu_times = { 0, 2 }, { { 5e-6, 5e-6, 5e-6 }, { 1e-3 } }
    assert.equal("times               :    CPU:     3.000 us   +/-  2.160 (min:     1.000 / max:     6.000) us"
      .. "     GPU-0:     5.000 us   +/-  0.000 (min:     5.000 / max:     5.000) us     GPU-2:  1000.000 us",
        tostring(result))
  end)

  it("stops after max_duration", function()
    local begun = ma.time()
    local result = ma.profiler.benchmark(function() local t = ma.time() while ma.time() - t < 0.01 do end end, {},
      { n_repeat = 100000, n_warmup = 0, max_duration = 0.05 })
    assert(#result.cpu_times <= 6, #result.cpu_times)
    assert(ma.time() - begun < 60)
  end)

  it("takes ufuncs, and names a function by its place", function()
    assert.equal(2, #ma.profiler.benchmark(ma.sin, { ma.ones(3) }, 2, 0).cpu_times)
    assert.matches("^profiler_spec.lua:%d+$", ma.profiler.benchmark(function() end, {}, 1, 0).name)
  end)

  it("says what is wrong, and passes fn's errors on", function()
    local benchmark = ma.profiler.benchmark
    assert.matches("moonarray.profiler.benchmark: fn is the number 3; wanted a function", helper.fails(benchmark, 3))
    assert.matches("n_repeat is 0; wanted a whole number from 1 on", helper.fails(benchmark, print, {}, 0))
    assert.matches("max_duration is nan; wanted seconds", helper.fails(benchmark, print, {}, { max_duration = 0 / 0 }))
    assert.matches("name is the number 3; wanted a string", helper.fails(benchmark, print, {}, { name = 3 }))
    assert.matches("n_warmup is %-1", helper.fails(benchmark, print, {}, 1, -1))
    assert.matches("devices is the number 0; wanted a table", helper.fails(benchmark, print, {}, 1, 1, { devices = 0 }))
    assert.matches("args is the number 1; wanted a table", helper.fails(benchmark, print, 1))
    local ok, message = pcall(benchmark, function() error("mine", 0) end, {}, 2)
    assert(not ok and message == "mine")
  end)
end)

describe("ranges", function()
  it("do nothing where no profiler listens, and return what fn returns", function()
    assert.same({ 1, nil, 3, n = 3 }, (function(...) return { n = select("#", ...), ... } end)(
      ma.profiler.time_range("name", function(...) return ... end, 1, nil, 3)))
    assert.equal(7, ma.profiler.profile(function(x) return x + 3 end, 4))
    assert.equal("number", type(ma.cuda.nvtx.RangePush("x")))
    assert.equal("number", type(ma.cuda.nvtx.RangePop()))
    ma.cuda.nvtx.RangeEnd(ma.cuda.nvtx.RangeStart("x"))
    ma.cuda.nvtx.Mark("here")
    ma.cuda.nvtx.MarkC("here", 0xffff0000)
  end)

  it("end on an error, which is passed on", function()
    for _, call in ipairs { function(fn) ma.profiler.time_range("x", fn) end, ma.profiler.profile } do
      local ok, message = pcall(call, function() error({ "mine" }) end)
      assert(not ok and message[1] == "mine")
    end
  end)

  it("say what is wrong", function()
    assert.matches("moonarray.profiler.time_range: fn is nil", helper.fails(ma.profiler.time_range, "x"))
    assert.matches("moonarray.profiler.time_range: name is a table", helper.fails(ma.profiler.time_range, {}, print))
    assert.matches("moonarray.profiler.profile: fn is the number 1", helper.fails(ma.profiler.profile, 1))
    assert.matches("message is a table", helper.fails(ma.cuda.nvtx.Mark, ma.ones(1).shape))
    assert.matches("range is the string 'x'; wanted what RangeStart returned",
      helper.fails(ma.cuda.nvtx.RangeEnd, "x"))
    assert.matches("range is the number 0.5", helper.fails(ma.cuda.nvtx.RangeEnd, 0.5))
  end)

  -- A profiler in small: a library that NVTX_INJECTION64_PATH names and that writes what it is told.
  local listener = [[
    #include <stdio.h>
    #include <stdint.h>
    #include <stddef.h>
    typedef void (*function)(void);
    typedef struct { uint16_t version, size; uint32_t category; int32_t color_type; uint32_t color; int32_t payload_type, reserved;
      uint64_t payload; int32_t message_type; const char *message; } attributes;
    typedef struct { size_t size; int (*get)(int, function ***, unsigned *); } callbacks;
    static int depth;
    static uint64_t start(const attributes *a) {
      static int n;
      fprintf(stderr, "start %s %x\n", a->message, a->color);
      return n++ ? (uint64_t)-1 : 7;
    }
    static void end(uint64_t range) { fprintf(stderr, "end %llx\n", (unsigned long long)range); }
    static void mark(const attributes *a) { fprintf(stderr, "mark %s %d %x %d %d\n", a->message, a->color_type, a->color, a->version, a->size); }
    static int push(const attributes *a) { fprintf(stderr, "push %s %x\n", a->message, a->color); return depth++; }
    static int pop(void) { fprintf(stderr, "pop\n"); return --depth; }
    int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t)) {
      const callbacks *c = get_table(1);
      function **table; unsigned size;
      if (!c || c->size < sizeof *c || !c->get(1, &table, &size) || size < 12) return 0;
      *table[1] = (function)mark; *table[8] = (function)push; *table[11] = (function)pop;
      *table[4] = (function)start; *table[7] = (function)end;
      return c->get(5, &table, &size) && size == 16;
    }
  ]]

  it("are told to a profiler", function()
    local source, library = os.tmpname(), os.tmpname()
    local file = assert(io.open(source, "w"))
    file:write(listener)
    file:close()
    local built = os.execute(("${CC:-cc} -x c -shared -fPIC -o '%s' '%s' 2>/dev/null"):format(library, source))
    os.remove(source)
    if built ~= 0 and built ~= true then
      os.remove(library)
      return pending("no C compiler to build a listener with")
    end
    local ok, out, err = child([[
      local ma = require "moonarray"
      local nvtx = ma.cuda.nvtx
      nvtx.Mark("one")
      nvtx.MarkC("two", 0xff112233)
      local one, two = nvtx.RangeStart("one", 5), nvtx.RangeStart("two")
      print(one, two)
      nvtx.RangeEnd(one)
      nvtx.RangeEnd(two)
      print(nvtx.RangePush("outer", 1), nvtx.RangePushC("inner", 0x80000001), nvtx.RangePop(), nvtx.RangePop())
      ma.profiler.time_range("timed", function() end)
      pcall(ma.profiler.time_range, "failed", function() error("x") end)
    ]], "NVTX_INJECTION64_PATH=" .. library .. " MOONARRAY_DEVICE=cpu")
    os.remove(library)
    assert(ok, err)
    assert.equal("7\t18446744073709551615ULL\n0\t1\t1\t0\n", out)
    assert.equal("mark one 0 0 3 48\nmark two 1 ff112233 3 48\nstart one ffff0000\nstart two 0\n"
      .. "end 7\nend ffffffffffffffff\n"
      .. "push outer ff0000ff\npush inner 80000001\npop\npop\n"
      .. "push timed ff00ff00\npop\npush failed ff0000ff\npop\n", err)
  end)

  it("are quiet where the profiler's library cannot be loaded", function()
    local ok, out, err = child([[print(require("moonarray").cuda.nvtx.RangePush("x"))]],
      "NVTX_INJECTION64_PATH=/nowhere/x.so MOONARRAY_DEVICE=cpu")
    assert(ok and out == "-1\n" and err == "", out .. err)
  end)
end)

describe("MOONARRAY_DEBUG=2", function()
  it("prints operations and copies with time and GB/s", function()
    local ok, out, err = child([[
      local ma = require "moonarray"
      local x = ma.ones({ 1000, 500 }, "float32")
      local y = (x * 2):eval():sum()
      local z = ma.cumsum(x, 1)
      local p = x[x:gt(0)]
      x[ma.index { 1, 2 }] = 3
      local w = x:get()
      print(y:item())
    ]], "MOONARRAY_DEBUG=2")
    assert(ok, err)
    assert.equal("1000000\n", out)
    for _, name in ipairs { "multiply", "sum" } do
      local time, speed = err:match("moonarray: " .. name .. " +%S.- +([%d.]+) ms +([%d.]+) GB/s")
      assert(time and tonumber(time) >= 0 and tonumber(speed) > 0, err)
    end
    if helper.device == "cpu" then
      for _, name in ipairs { "cumsum", "select", "scatter" } do
        assert(err:find("moonarray: " .. name .. " .- cpu +[%d.]+ ms"), name .. "\n" .. err)
      end
    else
      assert(err:find("moonarray: copy to host +cuda:0 +[%d.]+ ms +[%d.]+ GB/s"), err)
    end
  end)
end)

describe("ma.progress", function()
  --- Something that is written to as a terminal of so many columns.
  local function terminal(columns)
    local stream = { columns = columns, text = {} }
    function stream:write(...) self.text[#self.text + 1] = table.concat({ ... }) end
    function stream:flush() self.flushed = true end
    return stream
  end

  local pause = ma.sleep

  it("counts from 1 to n", function()
    local seen = {}
    for i in ma.progress(4) do seen[#seen + 1] = i end
    assert.same({ 1, 2, 3, 4 }, seen)
    for _ in ma.progress(0) do error("no pass was wanted") end
  end)

  it("shows share, count, time left and rate, at most ten times a second, and takes its line away", function()
    local stream = terminal(80)
    local begun = ma.time()
    for _ in ma.progress(40, "load", { stream = stream, width = 10 }) do pause(0.01) end
    local text, most = stream.text, (ma.time() - begun) / 0.1 + 1
    assert(#text >= 2 and #text <= most, ("%d writes; at most %g"):format(#text, most))
    for k = 1, #text - 1 do
      local bar = text[k]:match("^\rload +%d+%% %[(#* *)%] %d+/40 %d:%d%d<%d:%d%d [%d.]+/s\27%[K$")
      assert(bar and #bar == 10, text[k])
    end
    assert.equal("\r\27[K", text[#text])
    assert.is_true(stream.flushed)
  end)

  it("is stepped and closed by hand", function()
    local stream = terminal(60)
    local bar = ma.progress(1000, { stream = stream })
    assert.equal("<progress 0/1000>", tostring(bar))
    pause(0.11)
    local begun = ma.time()
    assert.equal(bar, bar:step())
    assert.equal(1, #stream.text)
    bar:step(99)
    if ma.time() - begun < 0.1 then assert.equal(1, #stream.text) end
    stream.text = { stream.text[1] }
    assert.equal(100, bar.done)
    pause(0.11)
    bar:step(100)
    assert.matches("^\r 20%% %[", stream.text[2])
    bar:close()
    assert.equal("\r\27[K", stream.text[3])
    bar:step()
    bar:close()
    assert.equal(3, #stream.text)
  end)

  it("fits the terminal", function()
    for columns = 5, 100, 7 do
      local stream = terminal(columns)
      local bar = ma.progress(10, "a title that is long", { stream = stream })
      pause(0.11)
      bar:step()
      local shown = stream.text[1]:match("^\r(.*)\27%[K$")
      assert(#shown < columns, shown)
      bar:close()
    end
  end)

  it("is silent where there is no terminal", function()
    local path = os.tmpname()
    local file = assert(io.open(path, "w"))
    local bar = ma.progress(3, { stream = file })
    pause(0.11)
    bar:step()
    bar:close()
    file:close()
    assert.equal("", take(path))
    local ok, _, err = child([[
      local ma = require "moonarray"
      for i in ma.progress(30) do local t = os.clock() while os.clock() - t < 0.01 do end end
    ]], "MOONARRAY_DEVICE=cpu")
    assert(ok and err == "", err)
  end)

  it("shows itself on a terminal", function()
    local script = os.tmpname()
    local file = assert(io.open(script, "w"))
    file:write([[
      local ma = require "moonarray"
      for i in ma.progress(30) do local t = os.clock() while os.clock() - t < 0.01 do end end
    ]])
    file:close()
    local pipe = assert(io.popen(("script -qec \"'%s' '%s'\" /dev/null 2>&1 </dev/null"):format(LUA, script)))
    local text = pipe:read("*a")
    pipe:close()
    os.remove(script)
    if text:find("not found", 1, true) then return pending("no script(1) to make a terminal") end
    assert(text:find("%% %[#+ *%] %d+/30 %d:%d%d<%d:%d%d") and text:find("\r\27%[K"), text)
  end)

  it("says what is wrong", function()
    assert.matches("moonarray.progress: n is the string 'x'; wanted a whole number", helper.fails(ma.progress, "x"))
    assert.matches("n is %-1; wanted a whole number from 0 on", helper.fails(ma.progress, -1))
    local three = ma.progress(3)
    assert.matches("moonarray.progress.step: nil in place of .*write %a+:step", helper.fails(three.step))
    assert.matches("moonarray.progress.close: a table in place of the ", helper.fails(three.close, {}))
    assert.matches("moonarray.progress: the pass before is ", helper.fails(three, nil, ma.zeros(2)))
    assert.matches("title is the number 3", helper.fails(ma.progress, 3, 3))
    assert.matches("stream is the number 3; wanted an open file", helper.fails(ma.progress, 3, { stream = 3 }))
    local bar = ma.progress(3)
    assert.matches("moonarray.progress.step: k is the string 'x'; wanted a whole number",
      helper.fails(bar.step, bar, "x"))
  end)
end)
