--- What a sparse matrix prints: a line that says what it is, and its first and last entries.

local tostring = require("moonarray.text").tostring
local sformat, concat = require("moonarray.text").format, table.concat
local MOST = 12                        -- entries that are shown

return function(_, core, sp)
  local state_of = sp.state

  local function entry(value)
    if type(value) == "number" then return sformat("%.8g", value) end
    return tostring(value)
  end

  --- Lines of the entries first .. last of a COO matrix.
  local function lines(s, first, last, list)
    if first > last then return end
    local function part(a) return a[{ { first, last } }]:totable() end
    local row, col, data = part(s.row), part(s.col), part(s.data)
    for k = 1, #row do
      list[#list + 1] = sformat("  (%s, %s)  %s", tostring(tonumber(row[k])), tostring(tonumber(col[k])),
        entry(data[k]))
    end
  end

  function sp.Matrix.__tostring(a)
    local s = state_of("sparse.Matrix", a)
    local list = { sformat("sparse %s (%d, %d) of %d entries, %s, %s", s.format, s.rows, s.columns, sp.nnz(s),
      s.data.dtype, s.data.device) }
    local coo = sp.to.coo(s, "sparse.Matrix")
    local n = coo.data.size
    if n <= MOST then
      lines(coo, 1, n, list)
    else
      lines(coo, 1, MOST / 2, list)
      list[#list + 1] = "  ..."
      lines(coo, n - MOST / 2 + 1, n, list)
    end
    return concat(list, "\n")
  end

  function sp.Matrix.__concat(a, b)
    if type(a) == "string" then return a .. tostring(b) end
    if type(b) == "string" or type(b) == "number" then return tostring(a) .. b end
    if type(a) == "number" then return tostring(a) .. tostring(b) end
    core.fail("sparse.Matrix", ".. of a sparse matrix; wanted ma.sparse.hstack or ma.sparse.vstack")
  end
end
