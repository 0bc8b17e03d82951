--- save_npz and load_npz: sparse matrices in SciPy's files, whose positions count from 0.

local sformat = string.format

return function(ma, core, sp)
  local def, fail, describe = core.def, core.fail, core.describe

  local function zero_based(a) return a - 1 end

  def("sparse.save_npz(file, matrix, compressed?)",
    "Writes a sparse matrix as SciPy's save_npz does, with positions from 0. compressed (true): deflated.",
    function(file, matrix, compressed)
      local name = "sparse.save_npz"
      local s = sp.state(name, matrix)
      if type(file) ~= "string" then fail(name, sformat("file is %s; wanted a path", describe(file))) end
      if not file:find("%.npz$") then file = file .. ".npz" end
      local members = { shape = ma.array({ s.rows, s.columns }, "int64"), data = s.data,
        format = ma.frombuffer(s.format, { #s.format }, "uint8") }
      if s.format == "coo" then
        members.row, members.col = zero_based(s.row), zero_based(s.col)
      elseif s.format == "dia" then
        members.offsets = s.offsets
      else
        members.indices, members.indptr = zero_based(s.indices), zero_based(s.indptr)
      end
      sp.write_npz(name, file, members, compressed ~= false)
    end)
end
