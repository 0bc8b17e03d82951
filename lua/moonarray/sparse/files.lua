--- save_npz and load_npz: sparse matrices in SciPy's files, whose positions count from 0.

local sformat, schar, srep = require("moonarray.text").format, string.char, string.rep

return function(ma, core, sp)
  local def, fail, describe = core.def, core.fail, core.describe

  --- The bytes of a .npy file with a text of no axes, as NumPy writes bytes.
  local function text_npy(text)
    local header = sformat("{'descr': '|S%d', 'fortran_order': False, 'shape': (), }", #text)
    header = header .. srep(" ", 64 - (10 + #header + 1) % 64) .. "\n"
    return "\147NUMPY\1\0" .. schar(#header % 256, math.floor(#header / 256)) .. header .. text
  end

  local POSITIONS = { csr = { "indices", "indptr" }, csc = { "indices", "indptr" }, bsr = { "indices", "indptr" },
    coo = { "row", "col" }, dia = {} }

  --> sparse.save_npz sparse.load_npz: local name = os.tmpname() .. ".npz"
  -->   ma.sparse.save_npz(name, ma.sparse.eye(3):tocsr())
  -->   local again = ma.sparse.load_npz(name)
  -->   os.remove(name)
  -->   return again.indices
  def("sparse.save_npz(file: string|file*, matrix: sparse_matrix|data, compressed?: boolean)",
    "Writes a sparse matrix as SciPy's save_npz does, with positions from 0. `file` is a path, which gets .npz at " ..
      "its end where that is missing, or an open file. compressed (true): deflated.",
    function(file, matrix, compressed)
      local s = sp.state("sparse.save_npz", matrix, "matrix")
      local names, arrays = { "shape", "data" }, { ma.array({ s.rows, s.columns }, "int64"), s.data }
      for _, name in ipairs(POSITIONS[s.format]) do
        names[#names + 1], arrays[#arrays + 1] = name, s[name] - 1
      end
      if s.format == "dia" then names[3], arrays[3] = "offsets", s.offsets end
      local write = compressed == false and core.savez or core.savez_compressed
      write(file, names, arrays, { "format.npy", text_npy(s.format) })
    end)

  def("sparse.load_npz(file: string|file*; device?: string) -> sparse_matrix",
    "The sparse matrix in a file of save_npz, or of SciPy's. Positions that are out of range are an error; waits.",
    function(file, device)
      local name = "sparse.load_npz"
      local members = ma.load(file, { device = device })
      if type(members) ~= "table" or type(members.format) ~= "string" or not core.is_array(members.data) or
        not core.is_array(members.shape) or members.shape.size ~= 2 then
        fail(name, "the file has no format, shape and data; wanted one of save_npz")
      end
      local format = members.format
      local names = POSITIONS[format]
      if not names then
        fail(name, sformat("the format '%s'; wanted csr, csc, coo, dia or bsr", format:sub(1, 20)))
      end
      local shape = members.shape:totable()
      shape = { tonumber(shape[1]), tonumber(shape[2]) }
      local list = {}
      for k, member in ipairs(format == "dia" and { "offsets" } or names) do
        local a = members[member]
        if not core.is_array(a) or not a.dtype:find("int") then
          fail(name, sformat("%s is %s; wanted positions", member, describe(a)))
        end
        list[k] = format == "dia" and a or a + 1
      end
      local make = ma.sparse[format .. "_matrix"]
      if format == "coo" then return make({ members.data, list }, { shape = shape }) end
      return make({ members.data, list[1], list[2] }, { shape = shape })
    end)
end
