--- ma.bundle: bundles, files of kernels that were compiled before a program needs them (docs/bundles.md).

local sformat = require("moonarray.text").format

return function(_, core)
  local def, fail = core.def, core.fail

  --- The bytes and the name of a Data object of LÖVE; nil for anything else.
  local function bytes_of(data)
    if type(data) ~= "userdata" or core.is_array(data) then return nil end
    local function method(name)
      local found, call = pcall(function() return data[name] end)
      return found and core.is_callable(call) and call(data) or nil
    end
    local bytes = method "getString"
    return bytes, bytes and method "getFilename" or "a Data"
  end

  --> bundle.load: return select(2, pcall(ma.bundle.load, "none.mab")):match("the bundle.*")
  def("bundle.load(bundle: string|userdata)",
    "Adds a bundle, whose kernels then need not be compiled: a file, or a Data of LÖVE. In a game of LÖVE a name is "
    .. "sought among the game's files first, also in a .love file. File and folder must belong to the user or to root, "
    .. "and others must not be able to write them; what lies in an archive is trusted as the archive's program is.",
    function(bundle)
    if type(bundle) == "string" then
      local path, bytes = require("moonarray.love.bundles").locate(bundle)
      if bytes then return core.bundle_load_bytes(bytes, path) end
      return core.bundle_load(path or bundle)
    end
    local bytes, name = bytes_of(bundle)
    if not bytes then
      fail("bundle.load", sformat("bundle is %s; wanted the name of a file or a Data of LÖVE", core.describe(bundle)))
    end
    core.bundle_load_bytes(bytes, name)
  end)

  --> = bundle_report | ma.bundle.report() | What bundle.report found.
  --> . bundles: table[] | those in use, the first one asked first: {name, images, used}
  --> . refused: string[] | why others that were found are not used
  --> bundle.report: #ma.bundle.report().bundles
  def("bundle.report() -> bundle_report",
    "The bundles of the process, how many images each has, and how many of them were loaded.", function()
    local bundles, refused = core.bundle_report()
    return { bundles = bundles, refused = refused }
  end)

  -- ==== Records ======================================================================================================

  local NAME = "bundle.build"
  local OBJECTS = "kernels of CPUs"        -- one family, since all objects have much in common

  --- A record that is read piece by piece (src/bundle/record.c). `buffer` has what follows byte `start` of the file,
  --- `at` is a place in it.
  local reader = {}
  reader.__index = reader

  local PIECE = 65536
  local MOST_DIGITS = 16                   -- of a length, with its colon

  local function open_record(path)
    local handle, reason = io.open(path, "rb")
    if not handle then fail(NAME, sformat("%s", reason)) end
    local size
    size, reason = handle:seek("end")      -- a pipe cannot be read twice
    if not size then
      handle:close()
      fail(NAME, sformat("%s: %s", path, reason))
    end
    handle:seek("set")
    return setmetatable({ path = path, handle = handle, size = size, buffer = "", start = 0, at = 1 }, reader)
  end

  --- Calls `build(record)`. Whatever comes of it, the record is closed, and a bundle that is not whole is given up.
  local function using(record, build)
    local ok, result = pcall(build, record)
    record.handle:close()
    if record.writer then core.bundle_abandon(record.writer) end
    if not ok then error(result, 0) end
    return result
  end

  --- Where it is in the file, counted from 0.
  function reader:tell() return self.start + self.at - 1 end

  function reader:seek(place)
    self.handle:seek("set", place)
    self.buffer, self.start, self.at = "", place, 1
  end

  function reader:damaged(place)
    fail(NAME, sformat("%s is damaged at byte %d; wanted what MOONARRAY_BUNDLE=record:FILE writes", self.path,
      (place or self:tell()) + 1))
  end

  --- Has n bytes behind `at` in the buffer, if there are so many.
  function reader:need(n)
    local rest = #self.buffer - self.at + 1
    if rest >= n then return end
    local piece, reason = self.handle:read(math.max(n - rest, PIECE))
    if reason then fail(NAME, sformat("%s: %s", self.path, reason)) end
    self.start = self:tell()
    self.buffer, self.at = self.buffer:sub(self.at) .. (piece or ""), 1
  end

  --- The next n bytes, or those that are left.
  function reader:bytes(n)
    self:need(n)
    local bytes = self.buffer:sub(self.at, self.at + n - 1)
    self.at = self.at + #bytes
    return bytes
  end

  --- The next string: its length, a colon, its bytes and the end of a line.
  function reader:take()
    local place = self:tell()
    self:need(MOST_DIGITS)
    local digits = self.buffer:match("^%d+:", self.at)
    if not digits or #digits > MOST_DIGITS then self:damaged() end
    self.at = self.at + #digits
    local n = tonumber(digits:sub(1, -2))
    local bytes = n <= self.size and self:bytes(n) or ""
    if #bytes < n or self:bytes(1) ~= "\n" then self:damaged(place) end
    return bytes
  end

  function reader:number()
    local place = self:tell()
    local digits = self:take()
    return digits:match "^%d+$" and tonumber(digits) or self:damaged(place)
  end

  function reader:list()
    local list = {}
    for k = 1, self:number() do list[k] = self:take() end
    return list
  end

  --- The next kernel; nil at the end.
  function reader:kernel()
    self:need(1)
    if self.at > #self.buffer then return nil end
    local place = self:tell()
    if self:bytes(7) ~= "kernel\n" then self:damaged(place) end
    local kernel = { family = self:take(), arch = self:number(), place = self:take(), text = self:take(),
      key = self:take() }
    local prelude = self:take()
    if kernel.key == "" then kernel.key = kernel.text end
    self:need(4)
    if self.buffer:find("^1:%-\n", self.at) then
      self:take()
    else
      kernel.source = { prelude == "1", self:list(), self:list() }
    end
    return kernel
  end

  --- The kernels of a record, each once: {key, arch, place, number}. The texts stay in the file.
  local function rows_of(record)
    local rows, seen, place = {}, {}, 0
    for kernel in function() return record:kernel() end do
      local key = core.bundle_key(kernel.key)
      local id = key .. kernel.arch
      if not seen[id] then
        rows[#rows + 1] = { key = key, arch = kernel.arch, place = place, number = #rows + 1 }
      end
      seen[id], place = true, record:tell()
    end
    return rows
  end

  -- ==== Building =====================================================================================================

  --- The kinds of CPUs that get kernels, as lists of {architecture, name, compiler}: those named, or those like this
  --- machine.
  local function cpus_of(names, compilers)
    local known, of_all = core.bundle_targets()
    local list, by_name, every = {}, {}, {}
    for k, kind in ipairs(known) do
      by_name[kind[1]], every[k] = kind, kind[1]
      if names == nil and kind[3] then list[#list + 1] = kind[1] end
    end
    for what, value in pairs { cpu = names or list, compilers = compilers or list } do
      if type(value) ~= "table" then
        fail(NAME, sformat("%s is %s; wanted a table", what, core.describe(value)))
      end
    end
    local function kind_of(what, name)
      return by_name[name] or fail(NAME, sformat("%s %s; wanted one of %s", what, core.describe(name),
        table.concat(every, ", ")))
    end
    for name, command in pairs(compilers or {}) do
      kind_of("compilers has", name)
      if type(command) ~= "string" then
        fail(NAME, sformat("compilers[%q] is %s; wanted a command", name, core.describe(command)))
      end
    end
    local cpus = { of_all = of_all }
    for k, name in ipairs(names or list) do
      cpus[k] = { kind_of(sformat("cpu[%d] is", k), name)[2], name, compilers and compilers[name] }
    end
    return cpus
  end

  --- The images of a row: {row, arch, ptx, compiler, kind}. A text that only some cards ask for has those of their
  --- major version; later cards than those that are known ask for the text of 8.6, so that has PTX.
  local function images_of(row, targets, ptx, cpus, nvrtc_for)
    local list, arch = {}, row.arch
    local function add(target, is_ptx)
      list[#list + 1] = { row = row, arch = target, ptx = is_ptx, compiler = nvrtc_for(target, is_ptx) }
    end
    if arch == cpus.of_all then
      for k, cpu in ipairs(cpus) do
        list[k] = { row = row, arch = cpu[1], ptx = false, kind = cpu[2], compiler = cpu[3] }
      end
      return list
    end
    for _, target in ipairs(targets) do
      if arch == 0 or math.floor(arch / 10) == math.floor(target / 10) then add(target, false) end
    end
    if ptx and (arch == 0 or arch == 75) then add(ptx, true) end
    if ptx and arch == 86 then add(80, true) end
    return list
  end

  --- The images of all rows in the order of a bundle's index, each once. PTX comes before a cubin for the same cards.
  local function plan_of(rows, ...)
    local all, plan = {}, {}
    for _, row in ipairs(rows) do
      for _, image in ipairs(images_of(row, ...)) do all[#all + 1] = image end
    end
    local function before(a, b)
      local key_a, key_b = a.row.key, b.row.key
      if key_a ~= key_b then return key_a < key_b end
      if a.arch ~= b.arch then return a.arch < b.arch end
      return a.ptx and not b.ptx
    end
    table.sort(all, before)
    for k, image in ipairs(all) do
      if k == 1 or before(all[k - 1], image) then plan[#plan + 1] = image end
    end
    return plan
  end

  local MOST_REASON = 2000                 -- characters of the reason why a kernel is missing

  --- The bytes of an image and its compiler's version; nil and why there are none.
  local function compile(image, kernel)
    if image.compiler == false then
      return nil, sformat("no NVRTC that was named compiles for compute capability %d.%d", math.floor(image.arch / 10),
        image.arch % 10)
    end
    local ok, bytes, maker = pcall(core.bundle_compile, kernel.text, kernel.family, image.arch, image.ptx,
      kernel.source, image.compiler)
    if ok then return bytes, maker end
    return nil, tostring(bytes)
  end

  --- The functions of mathematics that a kernel calls, `known` from another image of it. They are noted of the cubins
  --- of the library alone: the user's own kernels are always taken, and PTX where no NVRTC is.
  local function functions_of(image, kernel, known)
    if kernel.source or image.kind or image.ptx then return 0 end
    return known or core.bundle_calls(kernel.text, kernel.family, image.arch, image.compiler)
  end

  --- Compiles the images of a plan and writes each as it comes. Returns how many there are, the size of the file, and
  --- why others are missing, in the order of the record.
  local function write_images(record, path, plan)
    local nimage, failed, room, kernel, row, called = 0, {}, 0, nil, nil, nil
    for _, image in ipairs(plan) do room = room + (image.compiler == false and 0 or 1) end
    local writer = core.bundle_begin(path, room)
    record.writer = writer
    for _, image in ipairs(plan) do
      if row ~= image.row then
        row, called = image.row, nil
        record:seek(row.place)
        kernel = record:kernel() or record:damaged()
      end
      local bytes, maker = compile(image, kernel)
      if bytes then
        local functions = functions_of(image, kernel, called)
        if not image.ptx then called = functions end
        core.bundle_put(writer, { family = image.kind and OBJECTS or kernel.family, key = kernel.key, image = bytes,
          ptx = image.ptx and 1 or 0, arch = image.arch, maker = maker, functions = functions })
        nimage = nimage + 1
      else
        failed[#failed + 1] = { row.number, #failed, sformat("%s for %s, asked for at %s: %s", kernel.family,
          image.kind or image.arch, kernel.place == "" and "an unknown line" or kernel.place,
          maker:sub(1, MOST_REASON)) }
      end
    end
    table.sort(failed, function(a, b)
      if a[1] ~= b[1] then return a[1] < b[1] end
      return a[2] < b[2]
    end)
    for k, reason in ipairs(failed) do failed[k] = reason[3] end
    return nimage, core.bundle_end(writer), failed
  end

  --- A function that gives the oldest of the NVRTCs named that compiles for a compute capability, false where none
  --- does; nil where the one that is found compiles all.
  local function chooser_of(paths)
    if paths == nil then return function() end end
    if type(paths) ~= "table" or #paths == 0 then
      fail(NAME, sformat("nvrtc is %s; wanted a list of files of NVRTC, or of folders that have one",
        core.describe(paths)))
    end
    for k, path in ipairs(paths) do
      if type(path) ~= "string" then
        fail(NAME, sformat("nvrtc[%d] is %s; wanted the file of an NVRTC, or a folder that has one", k,
          core.describe(path)))
      end
    end
    local chosen = { [true] = {}, [false] = {} }
    return function(arch, ptx)
      local found, least = chosen[ptx][arch], math.huge
      if found ~= nil then return found end
      found = false
      for _, path in ipairs(paths) do
        local version, knows = core.bundle_knows(arch, ptx, path)
        if knows and version < least then found, least = path, version end
      end
      chosen[ptx][arch] = found
      return found
    end
  end

  local function check_architecture(what, value)
    if type(value) ~= "number" or value % 1 ~= 0 or value < 50 or value > 999 then
      fail(NAME, sformat("%s is %s; wanted a compute capability, 90 for 9.0", what, core.describe(value)))
    end
  end

  local function targets_of(targets)
    if targets == nil then return { 75, 80, 90, 100, 120 } end
    if type(targets) ~= "table" then
      fail(NAME, sformat("targets is %s; wanted a list of compute capabilities, such as {75, 90}",
        core.describe(targets)))
    end
    for k, target in ipairs(targets) do check_architecture(sformat("targets[%d]", k), target) end
    return targets
  end

  --> = bundle_built | - | What bundle.build wrote.
  --> . kernels: integer | in the record
  --> . images: integer | in the bundle
  --> . bytes: integer | the size of the file
  --> . failed: string[] | kernels that a target did not get, with the compiler's reason
  --> bundle.build: local name = os.tmpname()
  -->   local built = ma.bundle.build(name, name .. ".mab")
  -->   os.remove(name)
  -->   os.remove(name .. ".mab")
  -->   return built.images
  def("bundle.build(record: string, path: string; targets?: integer[], ptx?: integer|false, cpu?: string[], "
    .. "compilers?: table, nvrtc?: string[]) -> bundle_built",
    "Compiles the kernels of a record, which MOONARRAY_BUNDLE=record:FILE wrote, and writes a bundle. It needs NVRTC, "
    .. "but neither a GPU nor a driver. `targets` are compute capabilities, {75, 80, 90, 100, 120} if it is left out; "
    .. "`ptx`, 75 if it is left out, is the one from which on newer cards finish a kernel themselves; false: none do. "
    .. "`cpu` are the kinds of CPUs that get the user's kernels, such as {'x86-64-v3', 'aarch64'}; those like this "
    .. "machine if it is left out. `compilers` has the commands of compilers for them, by kind. `nvrtc` names several "
    .. "NVRTCs, files or folders of CUDA toolkits: the oldest that knows a target compiles for it.",
    function(record, path, targets, ptx, cpu, compilers, nvrtc)
    for what, value in pairs { record = record, path = path } do
      if type(value) ~= "string" then
        fail(NAME, sformat("%s is %s; wanted the name of a file", what, core.describe(value)))
      end
    end
    targets = targets_of(targets)
    if ptx == nil then ptx = 75 end
    if ptx then check_architecture("ptx", ptx) end
    local cpus = cpus_of(cpu, compilers)
    local nvrtc_for = chooser_of(nvrtc)
    return using(open_record(record), function(file)
      local rows = rows_of(file)
      local nimage, nbytes, failed = write_images(file, path, plan_of(rows, targets, ptx, cpus, nvrtc_for))
      return { kernels = #rows, images = nimage, bytes = nbytes, failed = failed }
    end)
  end)
end
