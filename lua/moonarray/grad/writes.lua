--- How writes to arrays are recorded: what was written gets what flows to the elements, and earlier ones get nothing.

return function(core, tape, kit)
  local ma, plainly, note, place = core.library, core.plainly, tape.note, core.place
  local is_array, arguments, any_known = core.is_array, core.arguments, tape.any_known
  local rules, refuse = kit.rules, kit.refuse

  -- ==== Writes =======================================================================================================

  --- Writes to an array: any array whose buffer has a number comes here, since a record may read it.
  local function write(name, rule) rules[name] = rule end

  local function assign(name)
    write(name, function(_, call, x, value)
      tape.check_write(name, x)
      local r = plainly(call, x, value)
      if any_known(x, value) then
        if type(value) == "table" and any_known(value) then refuse(name, "a table of arrays") end
        tape.note_write(name, x, value)
      end
      return r
    end)
  end
  assign("assign")
  assign("fill")

  --- The index as one that gives a view: positions become ranges of one element.
  local function as_ranges(key)
    if type(key) == "number" then return { { key, key } } end
    if type(key) ~= "table" or is_array(key) then return key end
    local ranges = {}
    for k, item in ipairs(key) do ranges[k] = type(item) == "number" and { item, item } or item end
    return ranges
  end

  --- The key of an index with its arrays, which a later write must not change, in a table of its own.
  local function key_of(key)
    if type(key) ~= "table" or is_array(key) then return key, { key } end
    local own = {}
    for k, item in pairs(key) do own[k] = item end
    return own, own
  end

  --- Puts an array that is computed and recorded in place of the elements of another.
  local function replace(name, x, r)
    core.unrecorded(function() x:assign(r) end)
    tape.note_write(name, x, r)
    return x
  end
  kit.replace = replace

  --- Writes to picked elements: the array as a whole gets a value that has them. A position may be there twice: `won`
  --- says which of the values it has.
  local function write_picked(x, key, value)
    local saved, shape, won
    key, saved = key_of(key)
    local r = core.unrecorded(function()
      local copy, owner = x:copy(), ma.zeros(x.shape, { dtype = "int64", device = x.device })
      if not is_array(value) then
        copy[key] = value
        return copy
      end
      local picked = x[key]
      local numbers = ma.range(1, picked.size, { dtype = "int64", device = x.device }):reshape(picked.shape)
      owner[key] = numbers
      shape, won = value.shape, owner[key]
      copy[key] = ma.broadcast_to(value:to(x.device), picked.shape):flatten()[won]:reshape(picked.shape)
      won = ma.equal(won, numbers)
      return copy
    end)
    local kept = { won }
    for _, part in pairs(saved) do if is_array(part) then kept[#kept + 1] = part end end
    note("index", { x, value, n = 2 }, r, function(g, k)
      if k == 2 then return tape.narrow(ma.where(won, g[key], 0), shape) end
      local c = g:copy()
      c[key] = 0
      return c
    end, kept)
    replace("index", x, r)
  end

  write("index=", function(_, call, x, key, value)
    tape.check_write("index", x)
    if not any_known(x, value) then return plainly(call, x, key, value) end
    local id = place(x, true)
    local view = core.unrecorded(function() return x[as_ranges(key)] end)
    if not is_array(view) or place(view) ~= id then return write_picked(x, key, value) end
    plainly(call, x, key, value)
    tape.note_write("index", view, value)
  end)

  write("copyto", function(signature, call, ...)
    local given = arguments(signature, ...)
    local x, value = given.dst, given.src
    tape.check_write("copyto", x)
    if not any_known(x, value) then return plainly(call, ...) end
    local r = core.asarray(value)
    if given.where ~= nil then r = ma.where(given.where, r, x) end
    return replace("copyto", x, r)
  end)

  --- a:iadd(b) is a[...] = a + b.
  for name, of in pairs { iadd = "add", isub = "subtract", imul = "multiply", idiv = "divide", ipow = "power" } do
    write(name, function(_, call, x, value, options, ...)
      tape.check_write(name, x)
      if not any_known(x, value) then return plainly(call, x, value, options, ...) end
      if options ~= nil then refuse(name, "where in a function that is differentiated") end
      local linear, id = of == "add" or of == "subtract", place(x)
      if not linear and id and place(value) == id then value = value:copy() end
      local r = ma[of](linear and x or x:copy(), value)
      return replace(name, x, r)
    end)
  end

  write("iadd_at", function(signature, call, ...)
    local given = arguments(signature, ...)
    local x, value = given.a, given.b
    local indices, parts = key_of(given.indices)
    local saved = {}
    for _, part in pairs(parts) do if is_array(part) then saved[#saved + 1] = part end end
    tape.check_write("iadd_at", x)
    if not any_known(x, value) then return plainly(call, ...) end
    local picked = core.unrecorded(function() return x[indices] end)
    if not is_array(value) then
      return plainly(call, ...)                        -- adds a constant
    end
    -- what is added flows from the array that it is added to, whose own derivative stays
    local sum = core.unrecorded(function() return x:copy():iadd_at(indices, value) end)
    local vshape, pshape = value.shape, is_array(picked) and picked.shape or {}
    note("iadd_at", { x, value }, sum, function(g, k)
      if k == 1 then return g end
      local c = g[indices]
      if not is_array(c) then c = ma.full({}, c, { dtype = g.dtype, device = g.device }) end
      return tape.narrow(c:reshape(pshape), vshape)
    end, saved)
    return replace("iadd_at", x, sum)
  end)

  rules["add.at"] = rules.iadd_at

  --- What the library frees early may be read backward, and goes with its last array.
  for _, name in ipairs { "free", ":free" } do
    write(name, function(_, call, x, ...)
      local outer = core.outer_call()
      if outer and outer ~= "free" then return end
      return plainly(call, x, ...)
    end)
  end

  for _, name in ipairs { "put", "put_along_axis", "fill_diagonal", ":sort", ":partition" } do
    write(name, function(_, call, x, ...)
      if is_array(x) then tape.check_write(name:gsub(":", ""), x) end
      if any_known(x, ...) then refuse(name:gsub(":", ""), "a write in a function that is differentiated") end
      return plainly(call, x, ...)
    end)
  end
end
