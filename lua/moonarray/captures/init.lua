--- What a function takes from outside: its upvalues, the fields of tables that it reads, and globals, also those of the
--- Lua functions that it calls. ma.fuse and ma.stencil look at all of them in each call, and record the function again
--- when one is another value than before.
---
--- Where LuaJIT's jit.util and jit.vmdef are, the bytecode shows which fields and globals a function reads. Nothing is
--- known of the order in which it runs, so every value that a register may ever hold counts: too much is watched rather
--- than too little. Without them all fields of the tables in upvalues are watched, and no globals.

local closure = require "moonarray.jit.closure"
local instruction = require "moonarray.instruction"
local vector = require "moonarray.vector"
local _, util = pcall(require, "jit.util")

local decode = instruction.decode
local getupvalue = type(debug) == "table" and debug.getupvalue
local getfenv, getmetatable = rawget(_G, "getfenv"), type(debug) == "table" and debug.getmetatable or getmetatable

local MOST_WATCHED = 1024              -- fields and upvalues; a function that reads more is recorded in each call

-- The fields of these are not watched, since no program changes them.
local constant = {}
for name in ("bit coroutine debug ffi io jit math os package string table"):gmatch "%S+" do
  local found, library = pcall(require, name)
  if found and type(library) == "table" then constant[library] = true end
end

return function(ma, core)
  constant[ma], constant[core] = true, true

  --- Whether a value is cdata whose fields may change: a struct, a pointer or an array of the FFI.
  local function is_open(value)
    return type(value) == "cdata" and not core.is_value(value) and not tostring(value):find "^ctype<"
  end

  --- Whether a value is a device function or a kernel in Lua.
  local function of_jit(value)
    local language = type(value) == "table" and rawget(ma, "jit") and core.jit.language
    return language and (language.devices[value] or language.classes[getmetatable(value)]) or false
  end

  -- One look: `list` has a holder, a key and a value by turns; the list itself stands for nil.
  local Look = {}
  Look.__index = Look

  -- What `named` has are the names, by numbers of triples. Of those in `unsure`, only their tables are surely used.

  --- What a value is called in the text: the key, behind the name of the table that has it.
  function Look:call(holder, key, value, name)
    if not name then
      local of = self.names[holder]
      name = of and (type(key) == "string" and of .. "." .. key or ("%s[%s]"):format(of, tostring(key)))
        or tostring(key)
    end
    if type(value) == "table" and not self.names[value] then self.names[value] = name end
    return name
  end

  --- Adds a triple. A function as a holder has its upvalues by their numbers; `name`: the upvalue's.
  function Look:watch(holder, key, value, name)
    if constant[value] then return end
    name = self:call(holder, key, value, name)
    if is_open(value) then self.again = true end
    local keys = self.keys[holder]
    if not keys then
      keys = {}
      self.keys[holder] = keys
    end
    if not self.perhaps then
      self.opened[holder] = true
      if keys[key] then self.unsure[keys[key]] = nil end
    end
    if keys[key] then return end
    local list = self.list
    local n = #list
    if n >= 3 * MOST_WATCHED then
      self.again, self.full = true, true
      return
    end
    if value == nil then value = list end
    list[n + 1], list[n + 2], list[n + 3] = holder, key, value
    self.named[n / 3 + 1], self.unsure[n / 3 + 1], keys[key] = name, self.perhaps, n / 3 + 1
  end

  --- A value that the function may use in any way.
  function Look:value(value)
    local kind = type(value)
    if kind == "function" then
      self:of_function(value)
    elseif of_jit(value) then
      self:kernel(value)
    elseif vector.parts(value) then                      -- operators see all of it
      local parts = vector.parts(value)
      self.names[parts] = self.names[value]
      for k = 1, #parts do self:watch(parts, k, parts[k]) end
    elseif kind == "userdata" and type(debug) == "table" and debug.getfenv then
      local env = debug.getfenv(value)                   -- that of a fused function has the function at 0
      local fn = type(env) == "table" and rawget(env, 0)
      if type(fn) == "function" then self:of_function(fn) end
    end
  end

  --- The field of a table; a metatable's table gives what the table lacks. Returns the value.
  function Look:field(holder, key)
    if vector.parts(holder) then return nil end
    for _ = 1, 100 do
      local value = rawget(holder, key)
      self:watch(holder, key, value)
      if value ~= nil then
        self:value(value)
        return value
      end
      local meta = getmetatable(holder)
      local index = type(meta) == "table" and rawget(meta, "__index")
      if not index then return nil end
      if type(index) ~= "table" then
        self.again = true
        local done, found = pcall(function() return holder[key] end)
        if done then self:value(found) end               -- a function is looked into
        return nil
      end
      if constant[index] then return rawget(index, key) end
      holder = index
    end
  end

  --- All fields of a table, which is read at keys that are not known.
  function Look:fields(holder)
    if self.whole[holder] or constant[holder] or vector.parts(holder) or of_jit(holder) then return end
    self.whole[holder] = true
    for key, value in next, holder do
      if self.full then return end
      self:watch(holder, key, value)
      self:value(value)
      if type(value) == "table" then self:fields(value) end
    end
    self:watch(holder, #holder + 1, nil)
    local meta = getmetatable(holder)
    local index = type(meta) == "table" and rawget(meta, "__index")
    if type(index) == "table" then
      self:fields(index)
      for key in next, index do self:field(holder, key) end
    elseif index then
      self.again = true
    end
  end

  --- What a kernel in Lua takes, and not what the library keeps in it.
  function Look:kernel(kernel)
    if self.whole[kernel] then return end
    self.whole[kernel], self.seen[kernel] = true, true
    local function all(holder, key)
      local value = self:field(holder, key)
      if type(value) == "table" then self:fields(value) end
    end
    for key in next, rawget(kernel, "constants") or {} do all(kernel.constants, key) end
    if rawget(kernel, "made_of") then
      self:of_function(kernel.made_of)
    elseif rawget(kernel, "tree") then                   -- a text reads globals
      for _, used in ipairs(closure.outer_names { tree = kernel.tree }) do all(_G, used.name) end
    end
    for _, part in ipairs { rawget(kernel, "reduce") or false, rawget(kernel, "post") or false } do
      if part then self:kernel(part) end
    end
  end

  --- The bytecode of a function or of a prototype within it. `outer`: the upvalues by their names.
  function Look:read(code, env, outer)
    local registers, changed = {}, true                  -- for each register a set of tables that it may hold
    local function put(register, value)
      if type(value) ~= "table" or constant[value] or of_jit(value) then return end
      local set = registers[register]
      if not set then
        set = {}
        registers[register] = set
      end
      if not set[value] then set[value], changed = true, true end
    end
    --- The tables that a register may hold, as a list: the set may grow while it is gone through.
    local function held_in(register)
      local list = {}
      for held in next, registers[register] or {} do list[#list + 1] = held end
      return list
    end
    --- The register's tables are used in a way that is not known, and so may each table be that it never holds then.
    local function whole(register)
      local before = self.perhaps
      self.perhaps = true
      for _, held in ipairs(held_in(register)) do self:fields(held) end
      self.perhaps = before
    end
    local last = util.funcinfo(code).bytecodes - 1
    while changed do
      changed = false
      for pc = 1, last do
        local i = decode(code, pc)
        local op, a, b, d = i.op, i.a, i.b, i.d
        if op == "MOV" then
          for _, held in ipairs(held_in(d)) do put(a, held) end
        elseif op == "GGET" then
          put(a, self:field(env, util.funck(code, -d - 1)))
        elseif op == "UGET" then
          put(a, outer[util.funcuvname(code, d)])
        elseif op == "TGETS" then
          for _, held in ipairs(held_in(b)) do put(a, self:field(held, util.funck(code, -d - 1))) end
        elseif op == "TGETB" then
          for _, held in ipairs(held_in(b)) do put(a, self:field(held, d)) end
        elseif op == "TGETV" or op == "TGETR" then
          whole(b)
          for _, held in ipairs(held_in(b)) do
            for _, value in next, held do put(a, value) end
          end
        elseif op == "CALL" or op == "CALLM" or op == "CALLT" or op == "CALLMT" then
          for register in next, registers do             -- tables among the arguments
            if register > a then whole(register) end
          end
        elseif op == "ISNEXT" or op == "ITERC" or op == "ITERN" then
          for register = a - 3, a do whole(register) end
        elseif op == "RET1" or op == "RET" or op == "RETM" then
          whole(a)
        elseif op == "LEN" then
          whole(d)
        elseif op == "TSETV" or op == "TSETS" or op == "TSETB" or op == "USETV" then
          whole(op == "USETV" and d or a)
        end
      end
    end
    for k = -1, -(util.funcinfo(code).gcconsts or 0), -1 do
      local child = util.funck(code, k)
      if type(child) == "proto" then self:read(child, env, outer) end
    end
  end

  --- Adds the names of the upvalues that a function or a prototype within it assigns to.
  local function assigned(code, list)
    for pc = 1, util.funcinfo(code).bytecodes - 1 do
      local i = decode(code, pc)
      if i.op:find "^USET" then list[util.funcuvname(code, i.a)] = true end
    end
    for k = -1, -(util.funcinfo(code).gcconsts or 0), -1 do
      local child = util.funck(code, k)
      if type(child) == "proto" then assigned(child, list) end
    end
    return list
  end

  function Look:of_function(fn)
    if self.seen[fn] then return end
    self.seen[fn] = true
    if not getupvalue or debug.getinfo(fn, "S").what == "C" then return end
    -- What it assigns to itself, such as a count of its runs, is no reason to run it again.
    local own, outer = instruction.available and assigned(fn, {}) or {}, {}
    for k = 1, 255 do
      local name, value = getupvalue(fn, k)
      if not name then break end
      outer[name] = value
      if not own[name] then self:watch(fn, k, value, name) else self:call(fn, k, value, name) end
      self:value(value)
      if not instruction.available and type(value) == "table" then self:fields(value) end
    end
    local env = getfenv and getfenv(fn)
    if instruction.available and type(env) == "table" then self:read(fn, env, outer) end
  end

  local function begin()
    local jit = rawget(ma, "jit")                        -- if it is loaded
    if jit then constant[jit] = true end
    return setmetatable({ list = {}, named = {}, names = {}, unsure = {}, opened = {}, keys = {},
      whole = {}, seen = {}, again = false, full = false }, Look)
  end

  --- The list of what Lua code may take from outside through a value, and whether that is too much.
  core.reached = function(value)
    local look = begin()
    look:value(value)
    if type(value) == "table" then look:fields(value) end
    return look.list, look.again
  end

  --- Returns a list of (holder, key, value), in which the list itself stands for nil, or nil if the function takes
  --- nothing from outside; whether it has to be recorded in each call; a set of the functions and kernels that it may
  --- call; and whether there are more than were looked at.
  core.taken = function(fn)
    local look = begin()
    look:of_function(fn)
    return look.list[1] ~= nil and look.list or nil, look.again, look.seen, look.full
  end

  --- What a recording of a function took from outside, as core.taken has it, with the names at the
  --- holders' places. What it only perhaps reads is left out, and so is what was nil. False: nobody can look.
  core.outside_of = function(fn)
    if not getupvalue then return false end
    local look, list, names = begin(), {}, {}
    look:of_function(fn)
    for k, name in ipairs(look.named) do
      local value, n = look.list[3 * k], #list
      if value ~= look.list and not look.unsure[k] then
        list[n + 1], list[n + 2], list[n + 3], names[n + 1] = look.list[3 * k - 2], look.list[3 * k - 1], value, name
      end
    end
    list.names = names
    return list[1] ~= nil and list or nil
  end

  -- ==== Arrays that are read at positions ==========================================================================

  local wholes = setmetatable({}, { __mode = "kv" })     -- by parts of them

  --- Notes that a part of an array is what lies at a fixed position, so that it is taken from outside as the array is.
  function core.note_part(part, whole) wholes[part] = wholes[whole] or whole end

  --- The array of such a part, or nil.
  function core.whole_of(part) return wholes[part] end

  -- ==== The list that a program sees ===============================================================================

  --- Whether a value has a name in the list: not a table whose fields have, and nothing of the library or of Lua's own.
  local function is_listed(look, value)
    local kind = type(value)
    if kind == "table" then return of_jit(value) or not look.opened[value] and look.whole[value] == true end
    return kind ~= "nil" and (kind ~= "function" or core.is_users(value))
  end

  --- Calls f(name, value) for what a function takes from outside. A name stands for one variable alone: another one of
  --- that name has the line of its function behind it.
  local function each(fn, f)
    local look, used = begin(), {}
    look:of_function(fn)
    for k, name in ipairs(look.named) do
      local holder, value = look.list[3 * k - 2], look.list[3 * k]
      if value ~= look.list and not look.unsure[k] and is_listed(look, value) then
        if used[name] and used[name] ~= value and type(holder) == "function" then
          name = ("%s:%d"):format(name, debug.getinfo(holder, "S").linedefined)
        end
        if used[name] == nil then
          used[name] = value
          f(name, value)
        end
      end
    end
  end

  --- What a function takes from outside, by name.
  function core.captures_of(fn)
    local list = {}
    if type(fn) == "function" then each(fn, function(name, value) list[name] = value end) end
    return list
  end

  --- Whether a list of names allows a name, as a function of it, and the function that raises an error of another name.
  --- The name of a table stands for its fields.
  function core.allowed_captures(what, allowed)
    local names = {}
    if type(allowed) ~= "table" or core.is_array(allowed) then
      core.fail(what, ("captures is %s; wanted a list of names"):format(core.describe(allowed)))
    end
    for k, name in pairs(allowed) do
      if type(k) ~= "number" or type(name) ~= "string" then
        core.fail(what, ("captures has %s; wanted a list of names"):format(core.describe(name)))
      end
      names[name] = true
    end
    return function(name)
      local part = name:match "^[^:]+"
      while part and not names[part] do part = part:match "^(.+)[.%[][^.%[]*$" end
      return part ~= nil
    end, function(chunk, line, name)
      core.fail(what, ("the function at %s:%d takes '%s' from outside; captures allows %s"):format(chunk, line, name,
        #allowed > 0 and table.concat(allowed, ", ") or "nothing"))
    end
  end

  --- Raises an error if a function takes what a list of names does not allow; nil allows everything.
  function core.allow_captures(what, fn, allowed)
    if allowed == nil then return end
    local is_allowed, refuse = core.allowed_captures(what, allowed)
    if type(fn) ~= "function" then return end
    each(fn, function(name)
      if is_allowed(name) then return end
      local of = debug.getinfo(fn, "S")
      refuse(of.short_src, of.linedefined, name)
    end)
  end
end
