-- Several Lua states in one process: tickets that hand arrays over, states closed in any order, a module that is loaded
-- again. spec/unit/states.c does the same on several threads.

local helper = require "spec.helper"
local ffi = require "ffi"
local ma, core = helper.ma, helper.core

ffi.cdef [[
typedef struct lua_State lua_State;
lua_State *luaL_newstate(void);
void luaL_openlibs(lua_State *L);
int luaL_loadstring(lua_State *L, const char *text);
int lua_pcall(lua_State *L, int nargs, int nresults, int errfunc);
const char *lua_tolstring(lua_State *L, int index, size_t *size);
void lua_settop(lua_State *L, int index);
void lua_close(lua_State *L);
]]

local C = ffi.C
local has_api = pcall(function() return C.luaL_newstate end)

--- Another Lua state of this process.
local State = {}
State.__index = State

local function new_state()
  local state = setmetatable({ L = C.luaL_newstate() }, State)
  C.luaL_openlibs(state.L)
  state:run(("package.path, package.cpath = %q, %q"):format(package.path, package.cpath))
  return state
end

--- Runs a chunk there and returns its result as a string.
function State:run(chunk)
  local failed = C.luaL_loadstring(self.L, chunk) ~= 0 or C.lua_pcall(self.L, 0, 1, 0) ~= 0
  local text = C.lua_tolstring(self.L, -1, nil)
  text = text ~= nil and ffi.string(text) or nil
  C.lua_settop(self.L, 0)
  if failed then error("in the other state: " .. tostring(text), 2) end
  return text
end
jit.off(State.run)

function State:close() C.lua_close(self.L) end

--- An `it` that is pending where this process does not give out Lua's C functions.
local function with_states(name, fn)
  if has_api then it(name, fn) else pending(name .. ": this luajit does not export Lua's C functions") end
end

describe("a ticket", function()
  it("shares the memory", function()
    local a = ma.arange(12, "float32"):reshape(3, 4)
    local ticket = ma.export(a)
    assert.equal("string", type(ticket))
    assert.equal(1, core.open_tickets())
    local b = ma.import(ticket)
    assert.equal(0, core.open_tickets())
    assert.same({ 3, 4 }, b.shape)
    assert.equal("float32", b.dtype)
    assert.equal(a.device, b.device)
    b:iadd(1)
    assert.equal(1, a(1, 1))
    assert.equal(12, a(3, 4))
  end)

  it("keeps views and what may be written as they are", function()
    local a = ma.arange(12):reshape(3, 4)
    local view = ma.import(a["::2, 4:1:-1"]:export())
    helper.identical(a["::2, 4:1:-1"], view)
    assert.same(a["::2, 4:1:-1"].strides, view.strides)
    local wide = ma.import(ma.export(ma.broadcast_to(ma.ones(3), { 5, 3 })))
    assert.is_true(wide.readonly)
    assert.matches("read%-only", helper.fails(wide.fill, wide, 1))
    local empty, scalar = ma.import(ma.export(ma.zeros({ 0, 3 }))), ma.import(ma.export(ma.array(5)))
    assert.same({ 0, 3 }, empty.shape)
    assert.equal(5, scalar:item())
  end)

  it("holds the memory until it is imported", function()
    local a = ma.full(100, 7)
    local ticket = a:export()
    a:free()
    collectgarbage()
    assert.equal(700, ma.import(ticket):sum():item())
  end)

  it("is good once, or as often as was said", function()
    local a = ma.ones(3)
    local once, twice = ma.export(a), ma.export(a, { imports = 2 })
    assert.not_equal(once, twice)
    ma.import(once)
    assert.matches("moonarray.import: a ticket that was imported or revoked before", helper.fails(ma.import, once))
    ma.import(twice)
    ma.import(twice)
    assert.matches("was imported or revoked before", helper.fails(ma.import, twice))
  end)

  it("is given up by revoke", function()
    local live = core.live_buffers()
    local ticket = ma.export(ma.ones(1000))
    helper.live()
    assert.equal(live + 1, core.live_buffers())
    assert.is_true(ma.revoke(ticket))
    assert.equal(live, core.live_buffers())
    assert.is_false(ma.revoke(ticket))
    assert.matches("was imported or revoked before", helper.fails(ma.import, ticket))
  end)

  it("is checked before it is followed", function()
    local good = ma.export(ma.ones(3))
    local process, slot, secret = good:match("^moonarray%-(%d+)%-(%d+)%-(%x+)$")
    assert(process, good)
    local function bad(text) return helper.fails(ma.import, text) end
    for _, text in ipairs { "", "moonarray", "moonarray-", good .. " ", " " .. good, good .. "0",
      good:sub(1, -2) .. "g", good .. "\0", "moonarray-1",
      "moonarray-1-1", "moonarray---", ("x"):rep(1000), "moonarray-" .. process .. "-" .. ("9"):rep(40) .. "-"
      .. secret } do
      assert.matches("wanted one that moonarray.export returned", bad(text))
    end
    local flipped = (secret:sub(1, 1) == "0" and "1" or "0") .. secret:sub(2)
    assert.matches("was imported or revoked before", bad(("moonarray-%s-%s-%s"):format(process, slot, flipped)))
    assert.matches("was imported or revoked before", bad(("moonarray-%s-%d-%s"):format(process, slot + 1, secret)))
    assert.matches("was imported or revoked before", bad(("moonarray-%s-%s-%s"):format(process, "9999999999", secret)))
    assert.matches("a ticket of process " .. process + 1 .. " in process " .. process,
      bad(("moonarray-%d-%s-%s"):format(process + 1, slot, secret)))
    assert.matches("ticket is the number 3; wanted the string", bad(3))
    assert.matches("moonarray.revoke: ticket is the string 'x'", helper.fails(ma.revoke, "x"))
    assert.equal(3, ma.import(good):sum():item())
  end)

  it("is refused for what cannot be handed over", function()
    local a = ma.ones(3)
    assert.matches("wanted how often the ticket may be imported", helper.fails(ma.export, a, 0))
    assert.matches("imports", helper.fails(ma.export, a, "x"))
    if helper.device == "cpu" then
      local foreign = ma.frombuffer("12345678", nil, "uint8")
      assert.matches("memory that this Lua state keeps", helper.fails(ma.export, foreign))
      assert.matches("memory that this Lua state keeps", helper.fails(ma.export, foreign["2:3"]))
      assert.equal(49, ma.import(ma.export(foreign:copy()))(1))
    end
    a:free()
    assert.matches("freed", helper.fails(ma.export, a))
    assert.equal(0, core.open_tickets())
  end)

  it("is one of a bounded number", function()
    local a, tickets = ma.ones(3), {}
    for k = 1, 1024 do tickets[k] = ma.export(a) end
    assert.matches("moonarray.export: 1024 tickets wait to be imported, which is the most", helper.fails(ma.export, a))
    for k = 1, 1024 do assert.is_true(ma.revoke(tickets[k])) end
    assert.equal(0, core.open_tickets())
  end)
end)

describe("another Lua state", function()
  with_states("imports and writes the same memory", function()
    local other, a = new_state(), ma.zeros({ 2, 3 })
    other:run(("a = require('moonarray').import(%q)"):format(a:export()))
    other:run("a:iadd(5); a['1, 1'] = 7; a.device:len()")
    ma.synchronize()
    assert.equal(7, a(1, 1))
    assert.equal(5, a(2, 3))
    a:iadd(1)
    assert.equal("8", other:run("return string.format('%d', a(1, 1))"))
    other:close()
    assert.equal(8, a(1, 1))
  end)

  with_states("may be gone before its array is fetched", function()
    local other = new_state()
    local ticket = other:run("local ma = require 'moonarray'; return ma.export(ma.arange(10) * 2)")
    other:close()
    assert.equal(1, core.open_tickets())
    assert.equal(90, ma.import(ticket):sum():item())
  end)

  with_states("has a current device, dtype and stream of its own", function()
    local other = new_state()
    other:run("ma = require 'moonarray'; ma.device('cpu'):use(); ma.set_default_dtype('float32')")
    assert.equal("float64", ma.get_default_dtype())
    assert.equal(helper.device, ma.zeros(1).device)
    assert.equal("cpu float32", other:run("local z = ma.zeros(1); return z.device .. ' ' .. z.dtype"))
    other:close()
  end)

  with_states("is closed with everything alive, after an error too", function()
    for round = 1, 3 do
      local other = new_state()
      other:run([[
        ma = require 'moonarray'
        a = ma.ones({ 50, 60 })
        view, event = a['1:5'], ma.Event():record()
        foreign = ma.frombuffer(('x'):rep(100), nil, 'uint8')
        for i, row in a:rows() do held = row; if i == 3 then break end end
        fused = ma.fuse(function(x) return x * 2 + 1 end)
        y = fused(a)
        co = coroutine.wrap(function() inner = ma.zeros(10); coroutine.yield(inner) end)
        co()
      ]])
      if round == 2 then assert.is_false(pcall(other.run, other, "local z = ma.ones(3) + 'x'")) end
      if round == 3 then
        assert.is_false(pcall(other.run, other, "ma.scope(function() local z = ma.ones(3); error('out') end)"))
      end
      other:close()
    end
  end)

  with_states("goes on with its own coroutines and jobs", function()
    local here, job
    local other = new_state()
    other:run([[
      ma, said = require 'moonarray', ''
      job = ma.job(function()
        for k = 1, 3 do said = said .. k coroutine.yield() end
        return ma.await(ma.ones(4):sum())
      end)
      coroutine.wrap(function() local sum = ma.await(job) said = said .. ' ' .. sum end)()
    ]])
    job = ma.job(function() here = "ran" end)
    while ma.update() > 0 do end
    assert.equal("ran", here)
    assert.is_true(job.done)
    assert.equal("", other:run("return said"))                 -- an update of this state is none of that one
    other:run("while ma.update() > 0 do end")
    assert.equal("123 4", other:run("return said"))
    other:run("coroutine.wrap(function() ma.await(ma.job(coroutine.yield)) end)() x = ma.ones(3) x:ready()")
    other:close()                                              -- with what still waits
  end)

  with_states("works in finalisers that run after its own", function()
    local live = helper.live()
    local other = new_state()
    other:run([[
      local older = newproxy(true)                               -- before the library, so that it is finalised after it
      getmetatable(older).__gc = function()
        local ma = package.loaded.moonarray
        for k = 1, 200 do kept = { kept, ma.zeros(3) + k } end
        ma.zeros(3):free()
        assert(kept[2](1) == 200 and not pcall(function() return a + 1 end))
        ok = true
      end
      anchor = older
      a = require('moonarray').ones(3)
    ]])
    other:close()
    assert.equal(live, helper.live())
  end)

  with_states("loads the module again", function()
    local other = new_state()
    local sizes = {}
    for k = 1, 12 do
      sizes[k] = tonumber(other:run([[
        for name in pairs(package.loaded) do if name:find('^moonarray') then package.loaded[name] = nil end end
        local ma = require 'moonarray'
        before = before or ma
        assert(ma == before and (ma.ones(3) + 1)(1) == 2 and tostring(ma.array { 1, 2 }):find('1. 2.', 1, true))
        assert(kept == nil or (kept + 1)(3) == 2)
        kept = ma.ones(3)
        collectgarbage() collectgarbage()
        return string.format('%d', collectgarbage('count'))
      ]]))
    end
    -- LuaJIT has its table of strings twice while the table grows.
    local first, last = math.min(sizes[4], sizes[5]), math.min(sizes[11], sizes[12])
    assert(last - first < 40, ("Lua's memory grows from %d to %d KB"):format(first, last))
    other:close()
  end)
end)
