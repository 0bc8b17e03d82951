--- .npy files of sharded arrays: each rank writes and reads its part of one file, which lies behind the parts of the
--- ranks before it. All ranks need the same file system. The first rank opens a new file beside the path, under a name
--- that it tells the others, and gives it its place when every rank has written.

local sformat, floor, max = require("moonarray.text").format, math.floor, math.max

local BLOCK = 2 ^ 25          -- bytes that are written and read at once
local LONGEST = 4096          -- bytes of a path

return function(ma, core, shared, sh)
  local def, fail = core.def, core.fail
  local common = require "moonarray.common" (core)

  -- ==== Headers ======================================================================================================

  local function header(descr, shape)
    local extents = {}
    for d = 1, #shape do extents[d] = sformat("%d,", shape[d]) end
    local text = sformat("{'descr': %s, 'fortran_order': False, 'shape': (%s), }", descr, table.concat(extents, " "))
    text = text .. (" "):rep(63 - (#text + 10) % 64) .. "\n"
    return "\147NUMPY\1\0" .. string.char(#text % 256, floor(#text / 256)) .. text
  end

  local function descr_of(dtype)
    return ma.empty({ 0 }, { dtype = dtype, device = "cpu" }):dumps():match "'descr': ('[^']*')"
  end

  --- Reads a header: the text of the dtype, whether the order is Fortran's, the shape, and where the data begins.
  local function read_header(file)
    local magic = file:read(8) or ""
    local major = magic:byte(7)
    if magic:sub(1, 6) ~= "\147NUMPY" or not major or major < 1 or major > 3 then
      return nil, "the file is no .npy file"
    end
    local wide, n = major == 1 and 2 or 4, 0
    for k = 1, wide do n = n + (file:read(1) or "\0"):byte() * 256 ^ (k - 1) end
    local text = n < 2 ^ 20 and file:read(n) or ""
    local descr, order = text:match "'descr': *('[^']*')", text:match "'fortran_order': *(%a+)"
    local extents, shape = text:match "'shape': *%(([%d, ]*)%)", {}
    if not descr or not order or not extents then
      return nil, "the header has no dtype, order or shape; wanted numbers without fields"
    end
    for extent in extents:gmatch "%d+" do shape[#shape + 1] = tonumber(extent) end
    return { descr = descr, fortran = order == "True", shape = shape, start = 8 + wide + n }
  end

  -- ==== All ranks together ===========================================================================================

  --- The reason in an error of the core or of this file, "PATH: what is wrong".
  local function reason_of(why)
    return (tostring(why):gsub("^%?: ", ""):gsub("^.-moonarray%.[%w_.]+: ", "")
      :gsub("^cannot open '(.-)': ", "%1: "))
  end

  --- Runs fn on the ranks that have something to do; an error of one is an error of all.
  local function together(name, group, limit, fn)
    local ok, why = true, nil
    if fn then ok, why = pcall(fn) end
    local list = sh.share(name, group, ok and "" or reason_of(why), limit)
    for k, other in ipairs(list) do
      if other ~= "" then fail(name, sformat("rank %d: %s", group.ranks[k], other)) end
    end
  end

  local function opened(path)
    local file, why = io.open(path, "rb")
    if not file then error("?: " .. why, 0) end
    return file
  end

  local function row_bytes(shape, itemsize)
    local n = itemsize
    for d = 2, #shape do n = n * shape[d] end
    return n
  end

  --> distributed.save distributed.load: local D = ma.distributed
  -->   D.init()
  -->   local name = os.tmpname() .. ".npy"
  -->   D.save(name, D.distribute(ma.arange(6):reshape(2, 3)))
  -->   local x = D.load(name, {axis = 2})
  -->   os.remove(name)
  -->   return x, x:all_gather()
  def("distributed.save(path: string, x: sharded_array; timeout?: number)",
    "Writes a sharded array as one .npy file, which NumPy and ma.load read: "
    .. "each rank writes its part. All ranks need the same file system. An old file is replaced when every rank has "
    .. "written.", function(path, x, timeout)
      local name = "distributed.save"
      common.type(name, "path", path, "string")
      sh.check(name, x)
      timeout = shared.limit(name, timeout)
      x = x:reshard(1)
      local group, part = x.group, x.part
      local head = header(descr_of(x.dtype), x.shape)
      local output, there
      local function write_part()
        local n = part.shape[1]
        local row = row_bytes(x.shape, part.itemsize)
        if n == 0 or row == 0 then return end
        local rows = max(1, floor(BLOCK / row))
        for first = 1, n, rows do
          local block = part[{ { first, math.min(n, first + rows - 1) } }]
          core.output_part(there, #head + (x.first + first - 2) * row, block:tobytes())
        end
      end
      local ok, why = pcall(function()
        together(name, group, timeout, group.rank == 0 and function()
          output, there = core.output_open(path)
          if #there > LONGEST then error(sformat("?: a path of %d bytes; at most %d are taken", #there, LONGEST), 0) end
          core.output_part(there, 0, head)
        end)
        there = sh.share(name, group, there or "", timeout, LONGEST)[1]
        together(name, group, timeout, write_part)
        together(name, group, timeout, output and function() core.output_close(output) end)
      end)
      if output then core.output_abandon(output) end
      if not ok then error(why, 0) end
    end)

  def("distributed.load(path: string; axis?: integer|integer[], halo?: integer, group?: distributed_group, "
    .. "device?: string, timeout?: number) -> sharded_array", "Reads a .npy file as a sharded array, "
    .. "divided along `axis` as equally as can be: each rank reads its part. All ranks need the same file system.",
    function(path, axis, halo, group, device, timeout)
      local name = "distributed.load"
      common.type(name, "path", path, "string")
      group, timeout = shared.group(name, group), shared.limit(name, timeout)
      halo = common.whole(name, "halo", halo or 0, 0)
      local head, part, sizes, shape
      together(name, group, timeout, function()
        local file = opened(path)
        local found, why = read_header(file)
        if not found then error("?: " .. why, 0) end
        head = found
        shape = head.shape
        if #shape == 0 then error("?: the file has a number; wanted an array with axes", 0) end
        if head.fortran then                   -- the reverse of the axes is in C order
          shape = {}
          for d = 1, #head.shape do shape[d] = head.shape[#head.shape + 1 - d] end
        end
        sizes = sh.divide(shape[1], group.size)
        local first, last = sh.range(sizes, group.rank)
        local extents = { last - first + 1 }
        for d = 2, #shape do extents[d] = shape[d] end
        local sample = ma.loads(header(head.descr, { 0 }))
        local row = row_bytes(shape, sample.itemsize)
        part = ma.empty(extents, { dtype = sample.dtype, device = device })
        if extents[1] == 0 or row == 0 then return file:close() end
        local rows = max(1, floor(BLOCK / row))
        file:seek("set", head.start + (first - 1) * row)
        for lo = 1, extents[1], rows do
          local n = math.min(extents[1] - lo + 1, rows)
          local bytes = file:read(n * row) or ""
          if #bytes < n * row then error("?: the file ends before its elements do", 0) end
          local block = { n }
          for d = 2, #shape do block[d] = shape[d] end
          part[{ { lo, lo + n - 1 } }] = ma.loads(header(head.descr, block) .. bytes)
        end
        file:close()
      end)
      axis = common.axis(name, axis or 1, #shape)
      local at = 1
      if head.fortran then part, at = part.T:copy(), #shape end
      return sh.new(part, at, sizes, group, halo):reshard(axis)
    end)
end
