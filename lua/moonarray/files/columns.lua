--- ma.genfromtxt: columns of text and numbers. Files of numbers alone are read by the core (src/bind/files/loadtxt.c).
--# files

local sformat, concat = require("moonarray.text").format, table.concat

local FOUND = { "bool", "int64", "float64", "complex128" }        -- dtypes that "auto" tries, in this order
local WORDS = { True = true, False = true, ["true"] = true, ["false"] = true }

local function trim(text) return (text:gsub("^%s+", ""):gsub("%s+$", "")) end

--- Text as a Lua pattern that matches just this text.
local function escape(text) return (text:gsub("%W", "%%%0")) end

-- ==== Fields =======================================================================================================

--- Reads records of fields out of a text. next() gives the fields of a line that has any, as texts without white space
--- at their ends; nil after the last. `line` is the number of the record's first line.
local function field_reader(text, delimiter, quote, comments, fail)
  local reader = { line = 0 }
  local at, after = 1, 1                      -- the position of the next character, and the number of the next line
  local stops = delimiter and "[\r\n" .. escape(delimiter) .. "]" or "[%s]"
  local space = delimiter and delimiter ~= "\t" and "[ \t]*" or delimiter and "[ ]*" or "[ \t\v\f]*"

  --- Whether a comment begins at a place.
  local function is_comment(place)
    for _, mark in ipairs(comments) do
      if text:sub(place, place + #mark - 1) == mark then return true end
    end
    return false
  end

  --- Moves to the next line. What lies before it is a comment.
  local function end_line()
    at = text:match("^[^\n]*\n?()", at)
    after = after + 1
  end

  local function quoted()
    local parts, from = {}, at + 1
    while true do
      local stop = text:find(quote, from, true)
      if not stop then fail(sformat("line %d: a quote that does not end", reader.line)) end
      parts[#parts + 1] = text:sub(from, stop - 1)
      from = stop + 1
      if text:sub(from, from) ~= quote then break end
      parts[#parts + 1], from = quote, from + 1
    end
    at = text:match("^" .. space .. "()", from)
    local field = concat(parts)
    after = after + select(2, field:gsub("\n", "\n"))
    if at <= #text and not text:find("^" .. stops, at) and not is_comment(at) then
      fail(sformat("line %d: text behind a quote", reader.line))
    end
    return field
  end

  local function plain()
    local stop = text:find(stops, at) or #text + 1
    for _, mark in ipairs(comments) do
      local cut = text:sub(at, stop - 1):find(mark, 1, true)
      if cut then stop = at + cut - 1 end
    end
    local field = trim(text:sub(at, stop - 1))
    at = stop
    return field
  end

  --- The fields of the line at `at`; none for an empty one.
  local function record()
    local fields, n = {}, 0
    reader.line = after
    at = text:match("^" .. space .. "()", at)
    if at > #text or text:find("^[\r\n]", at) or is_comment(at) then
      end_line()
      return fields
    end
    while true do
      at = text:match("^" .. space .. "()", at)
      n = n + 1
      if quote and text:sub(at, at) == quote then fields[n] = quoted() else fields[n] = plain() end
      if not delimiter then at = text:match("^" .. space .. "()", at) end
      if at > #text or text:find("^[\r\n]", at) or is_comment(at) then
        end_line()
        return fields
      end
      if delimiter then at = at + 1 end
    end
  end

  function reader.next()
    while at <= #text do
      local fields = record()
      if #fields > 0 then return fields end
    end
  end

  function reader.skip(n)
    while n > 0 and at <= #text do
      end_line()
      n = n - 1
    end
  end

  --- The fields of the first line that has any, with or without a comment mark in front.
  function reader.names()
    while at <= #text do
      at = text:match("^%s*()", at)
      for _, mark in ipairs(comments) do
        if is_comment(at) then at = at + #mark break end
      end
      local fields = record()
      if #fields > 0 then return fields end
    end
    fail "the file has no line of names"
  end

  if text:sub(1, 3) == "\239\187\191" then at = 4 end
  return reader
end

-- ==== Options ======================================================================================================

return function(ma, core)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)
  local NAME = "genfromtxt"
  local function stop(text) fail(NAME, text) end

  local function texts_of(what, value, fallback)
    if value == nil then return fallback end
    if type(value) == "string" then return value ~= "" and { value } or {} end
    for _, text in ipairs(common.type(NAME, what, value, "table")) do
      if type(text) ~= "string" or text == "" then stop(what .. " has something that is no text") end
    end
    return value
  end

  local function one_character(what, value)
    if value == nil or value == " " then return nil end
    if type(value) == "string" and #value > 1 then value = value:match("^ *([^ ]) *$") end
    if type(value) ~= "string" or #value ~= 1 or value == "\n" then
      stop(sformat("%s is %s; wanted one character", what, core.describe(value)))
    end
    return value
  end

  --- An option's value for a column: from a table by name or position; another value counts for every column.
  local function pick(option, name, position)
    if type(option) ~= "table" then return option end
    local value = name and rawget(option, name)
    if value == nil then value = rawget(option, position) end
    return value
  end

  --- Places of the columns to read, and their names or nil.
  local function choose(usecols, fields, names)
    local places, chosen, seen = {}, names and {}, {}
    if usecols == nil then
      for k = 1, fields do places[k] = k end
    else
      for k, column in ipairs(common.list(NAME, "usecols", usecols)) do
        if type(column) == "string" and names then
          for j, name in ipairs(names) do
            if name == column then places[k] = j end
          end
          if not places[k] then stop(sformat("usecols has '%s'; the names are %s", column, concat(names, ", "))) end
        else
          common.whole(NAME, "usecols", column)
          places[k] = column < 0 and fields + 1 + column or column
          if places[k] < 1 or places[k] > fields then
            stop(sformat("usecols has %d; the file has columns 1 to %d", column, fields))
          end
        end
      end
      if #places == 0 then stop "usecols is empty; wanted positions of columns" end
    end
    for k, place in ipairs(places) do
      if not names then break end
      local name = names[place]
      if not name then stop(sformat("%d names for %d columns; one for each is wanted", #names, fields)) end
      if seen[name] then stop(sformat("the name '%s' stands twice", name)) end
      seen[name], chosen[k] = true, name
    end
    return places, chosen
  end

  -- ==== Columns ====================================================================================================

  --- The texts of each column, by position, and the number of columns in the file.
  local function read_columns(reader, options, names)
    local columns, places, chosen, fields, rows = {}, nil, nil, nil, 0
    while not options.max_rows or rows < options.max_rows do
      local record = reader.next()
      if not record then break end
      if not fields then
        fields = #record
        places, chosen = choose(options.usecols, fields, names)
        for k = 1, #places do columns[k] = {} end
      elseif #record ~= fields then
        stop(sformat("line %d has %d columns; the lines before it have %d", reader.line, #record, fields))
      end
      rows = rows + 1
      for k = 1, #places do columns[k][rows] = record[places[k]] end
    end
    if not fields then
      places, chosen = choose(options.usecols, names and #names or 0, names)
      for k = 1, #places do columns[k] = {} end
    end
    return columns, chosen
  end

  --- The results of a function called with each text: an array if all of them are numbers or booleans, else a table.
  local function convert(texts, fn, device)
    local values, kind = {}, nil
    for k, text in ipairs(texts) do
      local value = fn(text)
      if value == nil then stop(sformat("a converter gives nil for '%.40s'; wanted a value", text)) end
      kind = (kind == nil or kind == type(value)) and type(value) or "mixed"
      values[k] = value
    end
    if kind == "number" or kind == "boolean" then return ma.array(values, { device = device }) end
    return values
  end

  --- The texts with `false` in place of what is missing.
  local function with_gaps(texts, missing)
    local is_missing = { [""] = true }
    for _, text in ipairs(texts_of("missing_values", missing, {})) do is_missing[text] = true end
    local gaps = {}
    for k, text in ipairs(texts) do gaps[k] = not is_missing[text] and text end
    return gaps
  end

  local function as_texts(gaps, fill)
    fill = fill == nil and "" or fill
    for k, text in ipairs(gaps) do
      if text == false then gaps[k] = fill end
    end
    return gaps
  end

  --- The column in the first dtype that fits, or as texts.
  local function find_dtype(gaps, fill, device)
    local words, present = true, false
    for _, text in ipairs(gaps) do
      if text then words, present = words and WORDS[text], true end
    end
    if type(fill) == "string" then return as_texts(gaps, fill) end
    for k, dtype in ipairs(FOUND) do
      if (k > 1 or words) and (k > 2 or present) then
        local a = core.parse_texts(gaps, dtype, fill, false, device)
        if a then return a end
      end
    end
    return as_texts(gaps, fill)
  end

  local function make_column(texts, options, name, position)
    local converter = pick(options.converters, name, position)
    if converter ~= nil then
      return convert(texts, common.callable(NAME, "a converter", converter), options.device)
    end
    local dtype, missing = pick(options.dtype, name, position), options.missing_values
    if type(missing) == "table" then
      local own = name and rawget(missing, name)
      if own ~= nil or #missing == 0 then missing = own end
    end
    local fill = pick(options.filling_values, name, position)
    local gaps = with_gaps(texts, missing)
    if dtype == nil or dtype == "auto" then return find_dtype(gaps, fill, options.device) end
    if dtype == "text" then return as_texts(gaps, fill) end
    return core.parse_texts(gaps, dtype, fill, true, options.device)
  end

  --- Columns of one dtype as (rows, columns), without axes of extent 1, as loadtxt gives them.
  local function one_array(columns)
    local rows = columns[1].size
    if #columns == 1 then return rows == 1 and columns[1]:reshape {} or columns[1] end
    local a = ma.stack(columns, 2)
    return rows == 1 and a:reshape(#columns) or a
  end

  local function read_table(options)
    local delimiter = one_character("delimiter", options.delimiter)
    local quote = options.quotechar
    if quote == nil then quote = delimiter and '"' elseif quote == "" then quote = nil end
    local reader = field_reader(common.read(NAME, "file", options.file), delimiter, one_character("quotechar", quote),
      texts_of("comments", options.comments, { "#" }), stop)
    reader.skip(common.whole(NAME, "skip_header", options.skip_header or 0, 0))
    if options.max_rows then common.whole(NAME, "max_rows", options.max_rows, 0) end
    local names = options.names
    if names == true then
      names = reader.names()
      for k, name in ipairs(names) do names[k] = name == "" and "f" .. k or name end
    end
    local columns, chosen = read_columns(reader, options, names or nil)
    for k, texts in ipairs(columns) do columns[k] = make_column(texts, options, chosen and chosen[k], k) end
    if options.unpack then return common.unpack(NAME, columns) end
    if not chosen then
      local same = core.is_array(columns[1]) and type(options.dtype) == "string" and options.dtype ~= "auto"
      return same and options.converters == nil and one_array(columns) or columns
    end
    local by_name = {}
    for k, name in ipairs(chosen) do by_name[name] = columns[k] end
    return by_name, chosen
  end

  local function is_plain(options)
    local dtype, fill = options.dtype, options.filling_values
    if options.converters ~= nil or options.missing_values ~= nil or options.quotechar ~= nil
      or dtype == "auto" or dtype == "text" or type(dtype) == "table" then return false end
    for _, column in ipairs(type(options.usecols) == "table" and options.usecols or {}) do
      if type(column) == "string" then return false end
    end
    return type(fill) ~= "table" and type(fill) ~= "string"
  end

  --> genfromtxt: local name = os.tmpname()
  -->   local file = io.open(name, "w")
  -->   file:write("1,2\n3,\n")
  -->   file:close()
  -->   local a = ma.genfromtxt(name, {delimiter = ","})
  -->   os.remove(name)
  -->   return a
  def("genfromtxt(file: string|file*, dtype?: dtype, comments?: string, delimiter?: string, skip_header?: integer, "
    .. "usecols?: integer|integer[], names?: string|string[], filling_values?: any, unpack?: boolean, "
    .. "max_rows?: integer; missing_values?: string|string[], converters?: table, quotechar?: string, "
      .. "device?: string) -> array",
    "Rows of a text file whose fields may be missing, texts or in quotes. With a dtype (float64 unless it is given) "
    .. "the rows are an array; a field that is empty or no number becomes filling_values (NaN). dtype = \"auto\" gives "
    .. "a table of columns: arrays of bool, int64, float64 or complex128, and tables of texts; dtype may be \"text\", "
    .. "or a table with the dtype of each column. With names = true the first line names the columns: returns {name = "
    .. "column} and the list of names. dtype, filling_values, missing_values and converters may be tables by name or "
    .. "position.", function(file, dtype, comments, delimiter, skip_header, usecols, names, filling_values, unpack,
      max_rows, missing_values, converters, quotechar, device)
      local options = { file = file, dtype = dtype, comments = comments, delimiter = delimiter,
        skip_header = skip_header, usecols = usecols, names = names, filling_values = filling_values, unpack = unpack,
        max_rows = max_rows, missing_values = missing_values, converters = converters, quotechar = quotechar,
        device = device }
      if is_plain(options) then
        return core.genfromtxt(file, dtype, comments, delimiter, skip_header, usecols, names, filling_values, unpack,
          max_rows, delimiter ~= nil and delimiter ~= " ", device)
      end
      if dtype == nil then
        -- other options alone do not change what a call without them gives
        options.dtype = ma.zeros(0).dtype
      end
      return read_table(options)
    end)
end
