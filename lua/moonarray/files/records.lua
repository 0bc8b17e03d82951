--- Elements of a .npy file that are no numbers. Texts become Lua strings in nested tables, and elements of structured
--- dtypes become tables of their fields.

local tonumber = require("moonarray.text").tonumber
local sformat, char, floor = require("moonarray.text").format, string.char, math.floor

local NUMBERS = {
  b1 = "bool", i1 = "int8", i2 = "int16", i4 = "int32", i8 = "int64", u1 = "uint8", u2 = "uint16", u4 = "uint32",
  u8 = "uint64", f2 = "float16", f4 = "float32", f8 = "float64", c8 = "complex64", c16 = "complex128",
  V2 = "bfloat16", ["?"] = "bool", b = "int8", B = "uint8",
}
local SIZE = { b1 = 1, ["?"] = 1, b = 1, B = 1, V2 = 2 }
local OTHER = { O = "Python objects", M = "dates", m = "spans of time", V = "raw bytes" }
local DEEPEST = 32

-- ==== The dtype as Python writes it ================================================================================

local ESCAPES = { n = "\n", t = "\t", r = "\r", ["\\"] = "\\", ["'"] = "'", ['"'] = '"' }

local function utf8(code)
  if code < 0x80 then return char(code) end
  if code < 0x800 then return char(0xc0 + floor(code / 64), 0x80 + code % 64) end
  local last = char(0x80 + floor(code / 64) % 64, 0x80 + code % 64)
  if code < 0x10000 then return char(0xe0 + floor(code / 4096)) .. last end
  return char(0xf0 + floor(code / 262144), 0x80 + floor(code / 4096) % 64) .. last
end

--- Reads lists, tuples, texts and whole numbers in Python's notation. Raises {text} for anything else.
local function parse(text)
  local at = 1
  local function fail(what) error({ sformat("a dtype that is damaged: %s", what) }, 0) end
  local value

  local function quoted(quote)
    local parts = {}
    while true do
      local plain, stop, after = text:match("^([^\\'\"]*)(.)()", at)
      if not stop then fail "a text does not end" end
      parts[#parts + 1], at = plain, after
      if stop == "\\" then
        local c = text:sub(at, at)
        local digits = c == "x" and text:match("^%x%x", at + 1) or c == "u" and text:match("^%x%x%x%x", at + 1)
        parts[#parts + 1] = digits and utf8(tonumber(digits, 16)) or ESCAPES[c] or fail "a text's escape"
        at = at + 1 + (digits and #digits or 0)
      elseif stop == quote then return table.concat(parts)
      else parts[#parts + 1] = stop end
    end
  end

  local function list(close, depth)
    local items = {}
    while true do
      at = text:match("^%s*()", at)
      if text:sub(at, at) == close then break end
      items[#items + 1] = value(depth + 1)
      local comma = text:match("^%s*,()", at)
      at = comma or text:match("^%s*()", at)
      if not comma and text:sub(at, at) ~= close then fail "a list" end
    end
    at = at + 1
    return items
  end

  function value(depth)
    if depth > DEEPEST then fail "it goes too deep" end
    at = text:match("^%s*()", at)
    local c = text:sub(at, at)
    if c == "[" or c == "(" then
      at = at + 1
      return list(c == "[" and "]" or ")", depth)
    elseif c == "'" or c == '"' then
      at = at + 1
      return quoted(c)
    end
    local digits, after = text:match("^(%d+)L?()", at)
    if not digits or #digits > 15 then fail "a value" end
    at = after
    return tonumber(digits)
  end

  return value(0)
end

-- ==== What it means ================================================================================================

local MOST_AXES = 16

--- The product of the extents. Raises {text} if it is too large.
local function count_of(shape)
  local n = 1
  if #shape > MOST_AXES then error({ "a dtype of too many axes" }, 0) end
  for _, extent in ipairs(shape) do n = n * extent end
  if n > 2 ^ 50 then error({ "a dtype of too many bytes" }, 0) end
  return n
end

local compile

local function compile_plain(text)
  local order, name = text:match("^([<>|=]?)(.*)$")
  local number = NUMBERS[name]
  if number then
    return { kind = "number", dtype = number, size = SIZE[name] or tonumber(name:sub(2)), swap = order == ">" }
  end
  local kind, size = name:match("^(%a)(%d*)")
  size = tonumber(size) or 0
  if (kind == "S" or kind == "a" or kind == "U") and size < 2 ^ 30 and name:find "^%a%d+$" then
    local wide = kind == "U"
    if size == 0 then error({ sformat("the dtype '%s', whose texts have no bytes", text) }, 0) end
    return { kind = wide and "wide" or "bytes", size = wide and 4 * size or size, swap = order == ">" }
  end
  if kind == "V" and name:find "^V%d+$" then return { kind = "void", size = size, text = text } end
  error({ sformat("the dtype '%s'%s, which has no counterpart here", text,
    OTHER[kind] and " (" .. OTHER[kind] .. ")" or "") }, 0)
end

local function compile_record(list)
  local record = { kind = "record", size = 0 }
  for _, item in ipairs(list) do
    if type(item) ~= "table" or #item < 2 or #item > 3 then error({ "a dtype that is damaged: a field" }, 0) end
    local name, shape = item[1], item[3] or {}
    if type(name) == "table" then name = name[2] end          -- the name follows a title
    if type(shape) == "number" then shape = { shape } end
    local of = compile(item[2])
    if type(name) ~= "string" or type(shape) ~= "table" then error({ "a dtype that is damaged: a field" }, 0) end
    for _, extent in ipairs(shape) do
      if type(extent) ~= "number" then error({ "a dtype that is damaged: a field's shape" }, 0) end
    end
    local size = of.size * count_of(shape)
    if of.kind == "void" and name ~= "" then compile_plain("O") end
    if name ~= "" then
      record[#record + 1] = { name = name, of = of, shape = shape, at = record.size, size = size }
    end
    record.size = record.size + size
    if record.size > 2 ^ 50 then error({ "a dtype of too many bytes" }, 0) end
  end
  return record
end

function compile(value)
  if type(value) == "string" then return compile_plain(value) end
  if type(value) ~= "table" then error({ "a dtype that is damaged: a value" }, 0) end
  return compile_record(value)
end

-- ==== The elements =================================================================================================

--- The items as nested tables. An item's number in the list is 1 plus the sum of the steps along all axes.
local function nest(items, shape, strides, axis, at)
  if axis > #shape then return items[at] end
  local list = {}
  for k = 1, shape[axis] do list[k] = nest(items, shape, strides, axis + 1, at + (k - 1) * strides[axis]) end
  return list
end

--- The shape and the steps of an array of `outer` whose elements are arrays of `inner`. The first axis of `outer` has
--- the smallest step if `fortran`; `inner` is in C order.
local function steps(outer, inner, fortran)
  local shape, strides, step = {}, {}, 1
  for d = #inner, 1, -1 do shape[#outer + d], strides[#outer + d], step = inner[d], step, step * inner[d] end
  for k = 1, #outer do
    local d = fortran and k or #outer + 1 - k
    shape[d], strides[d], step = outer[d], step, step * outer[d]
  end
  return shape, strides
end

local function decode_wide(bytes, from, to, swap)
  local parts = {}
  for at = from, to, 4 do
    local a, b, c, d = bytes:byte(at, at + 3)
    if swap then a, b, c, d = d, c, b, a end
    local code = ((d * 256 + c) * 256 + b) * 256 + a
    if code > 0x10ffff then error({ sformat("texts that are damaged: the character %d", code) }, 0) end
    parts[#parts + 1] = utf8(code)
  end
  return (table.concat(parts):gsub("%z+$", ""))
end

return function(ma, core)
  local function texts(raw, of, outer, inner, fortran)
    local bytes, items, size = raw:tobytes(), {}, of.size
    for k = 1, #bytes / size do
      local from, to = (k - 1) * size + 1, k * size
      items[k] = of.kind == "wide" and decode_wide(bytes, from, to, of.swap)
        or bytes:sub(from, to):gsub("%z+$", "")
    end
    if #items == 0 then return {} end
    local shape, strides = steps(outer, inner, fortran)
    return nest(items, shape, strides, 1, 1)
  end

  local function numbers(raw, of, outer, inner, fortran, device)
    local shape, order, n = {}, {}, #outer
    for d = 1, n do shape[d], order[d] = outer[fortran and n + 1 - d or d], fortran and n + 1 - d or d end
    for d = 1, #inner do shape[n + d], order[n + d] = inner[d], n + d end
    raw = raw:copy()                                           -- aligns the address
    local a = of.dtype == "bool" and raw:ne(0) or raw:reshape(raw.size):view(of.dtype)
    if of.swap then a = a:byteswap() end
    a = a:reshape(shape):to(device)
    return fortran and n > 1 and ma.transpose(a, order) or a
  end

  local function extract(raw, of, outer, inner, fortran, device)
    if of.kind == "number" then return numbers(raw, of, outer, inner, fortran, device) end
    if of.kind ~= "record" then return texts(raw, of, outer, inner, fortran) end
    local result = {}
    local rows = raw:reshape(raw.size / of.size, of.size)
    for _, field in ipairs(of) do
      local part = ma.zeros(0, { dtype = "uint8", device = "cpu" })
      if field.size > 0 then part = core.contiguous(rows[{ {}, { field.at + 1, field.at + field.size } }]) end
      local shape = {}
      for _, extent in ipairs(inner) do shape[#shape + 1] = extent end
      for _, extent in ipairs(field.shape) do shape[#shape + 1] = extent end
      if #outer + #shape > MOST_AXES then
        error({ sformat("the field '%.60s' of more than %d axes", field.name, MOST_AXES) }, 0)
      end
      result[field.name] = extract(part:reshape(part.size), field.of, outer, shape, fortran, device)
    end
    return result
  end

  --- The fields of a structured dtype, which lie in the given order, as an array of structs.
  local function structs_of(struct, of, fields, shape, device)
    if of.kind ~= "record" then error({ "texts; wanted structs, as dtype says" }, 0) end
    local state, found = core.held(struct), {}
    for _, field in ipairs(of) do found[field.name] = field end
    local result = ma.zeros(shape, struct, { device = device })
    for _, field in ipairs(state.fields) do
      local given, has = found[field.name], fields[field.name]
      local fits = given and #field.shape == #given.shape and given.of.dtype == field.dtype
      for d, extent in ipairs(field.shape) do fits = fits and given.shape[d] == extent end
      if not fits then
        error({ sformat(given and "a field '%s' of another dtype or shape; wanted %s" or "no field '%s'; wanted %s",
          field.name, core.structs.text(state)) }, 0)
      end
      result:field(field.name)[{}] = has
    end
    return result
  end

  return function(descr, raw, shape, fortran, device, struct)
    local ok, result = pcall(function()
      local of = compile(parse(descr))
      if of.size == 0 or of.kind == "void" then
        error({ sformat("the dtype %.60s, which has no counterpart here", descr) }, 0)
      end
      if not raw then return of.size end
      local made = extract(raw, of, shape, {}, fortran, device)
      return struct and structs_of(struct, of, made, shape, device) or made
    end)
    if ok then return result end
    if type(result) ~= "table" then error(result, 0) end
    return nil, result[1]
  end
end
