--- ma.help "sum": the signature and the docstring of a function, from the tables that the functions were made from.

local sformat, concat = string.format, table.concat

return function(ma, core)
  local function names()
    local list = {}
    for name in pairs(core.functions) do list[#list + 1] = name end
    table.sort(list)
    return list
  end

  --- The text for one name; nil if there is none.
  local function text_of(name)
    local entry = core.functions[name]
    if entry then return sformat("moonarray.%s\n  %s", entry.signature, entry.doc) end
  end

  --- All names that contain a text, in columns of a terminal's width.
  local function list_of(part)
    local found, lines, line = {}, {}, " "
    for _, name in ipairs(names()) do
      if name:find(part, 1, true) then found[#found + 1] = name end
    end
    for _, name in ipairs(found) do
      if #line + #name > 98 then lines[#lines + 1], line = line, " " end
      line = line .. " " .. name
    end
    lines[#lines + 1] = line
    return #found, concat(lines, "\n")
  end

  core.def("help(name?)", "Prints what a function does, or every function whose name contains the text.", function(name)
    if type(name) == "function" or type(name) == "userdata" then
      for key, value in pairs(ma) do
        if value == name then name = key break end
      end
    end
    name = tostring(name or ""):gsub("^moonarray%.", ""):gsub("^ma%.", "")
    local text = text_of(name)
    if text then return print(text) end
    local count, list = list_of(name)
    if count == 0 then core.fail("help", sformat("no function has '%s' in its name; ma.help() lists all", name)) end
    print(sformat("%d functions:\n%s", count, list))
  end)
end
