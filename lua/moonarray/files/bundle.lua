--- ma.bundle: bundles, files of kernels that were compiled before a program needs them (docs/bundles.md).

local sformat = require("moonarray.text").format

return function(_, core)
  local def, fail = core.def, core.fail

  --- The bytes of a Data object of LÖVE; nil for anything else.
  local function bytes_of(data)
    if type(data) ~= "userdata" or core.is_array(data) then return nil end
    local found, get = pcall(function() return data.getString end)
    return found and core.is_callable(get) and get(data) or nil
  end

  --> bundle.load: return select(2, pcall(ma.bundle.load, "none.mab")):match("the bundle.*")
  def("bundle.load(bundle: string|userdata)",
    "Adds a bundle, whose kernels then need not be compiled: a file, or a Data of LÖVE, as for a file in a .love "
    .. "archive. File and folder must belong to the user or to root, and others must not be able to write them.",
    function(bundle)
    if type(bundle) == "string" then return core.bundle_load(bundle) end
    local bytes = bytes_of(bundle)
    if not bytes then
      fail("bundle.load", sformat("bundle is %s; wanted the name of a file or a Data of LÖVE", core.describe(bundle)))
    end
    core.bundle_load_bytes(bytes, "a Data")
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

  local function fail_record(path, at)
    fail(NAME, sformat("%s is damaged at byte %d; wanted what MOONARRAY_BUNDLE=record:FILE writes", path, at))
  end

  --- The strings of a record that begins at a position, each as its length, a colon, its bytes and the end of a line:
  --- what takes the next one, what takes one that is a number, and the position.
  local function strings_of(path, text, at)
    local function take()
      local length, start = text:match("^(%d+):()", at)
      local bytes = length and text:sub(start, start + length - 1)
      if not bytes or #bytes < tonumber(length) then fail_record(path, at) end
      at = start + length + 1
      return bytes
    end
    local function number()
      local start = at
      local digits = take()
      return digits:match "^%d+$" and tonumber(digits) or fail_record(path, start)
    end
    return take, number, function() return at end
  end

  local function list_of(take, n)
    local list = {}
    for k = 1, n do list[k] = take() end
    return list
  end

  --- One kernel of a record (src/bundle/record.c).
  local function kernel_of(take, number, is_own)
    local kernel = { family = take(), arch = number(), place = take(), text = take(), key = take() }
    local prelude = take()
    if kernel.key == "" then kernel.key = kernel.text end
    if is_own() then
      take()
    else
      local options = list_of(take, number())
      kernel.source = { prelude == "1", options, list_of(take, number()) }
    end
    return kernel
  end

  --- The kernels of a record, each once.
  local function read_record(path)
    local handle, reason = io.open(path, "rb")
    if not handle then fail(NAME, sformat("%s", reason)) end
    local text
    text, reason = handle:read("*a")
    handle:close()
    if not text then fail(NAME, sformat("%s: %s", path, reason)) end
    local list, seen, at = {}, {}, 1
    while at <= #text do
      if text:sub(at, at + 6) ~= "kernel\n" then fail_record(path, at) end
      local take, number, place = strings_of(path, text, at + 7)
      local kernel = kernel_of(take, number, function() return text:find("^1:%-\n", place()) end)
      at = place()
      local id = kernel.arch .. " " .. kernel.key
      if not seen[id] then list[#list + 1] = kernel end
      seen[id] = true
    end
    return list
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

  --- The images of a kernel: {architecture, whether PTX, compiler, name}. A text that only some cards ask for has those
  --- of their major version; later cards than those that are known ask for the text of 8.6, so that has PTX.
  local function images_of(kernel, targets, ptx, cpus)
    local list = {}
    if kernel.arch == cpus.of_all then
      for k, cpu in ipairs(cpus) do list[k] = { cpu[1], false, cpu[3], cpu[2] } end
      return list
    end
    for _, target in ipairs(targets) do
      if kernel.arch == 0 or math.floor(kernel.arch / 10) == math.floor(target / 10) then
        list[#list + 1] = { target, false }
      end
    end
    if ptx and (kernel.arch == 0 or kernel.arch == 75) then list[#list + 1] = { ptx, true } end
    if ptx and kernel.arch == 86 then list[#list + 1] = { 80, true } end
    return list
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
    .. "compilers?: table) -> bundle_built",
    "Compiles the kernels of a record, which MOONARRAY_BUNDLE=record:FILE wrote, and writes a bundle. It needs NVRTC, "
    .. "but neither a GPU nor a driver. `targets` are compute capabilities, {75, 80, 90, 100, 120} if it is left out; "
    .. "`ptx`, 75 if it is left out, is the one from which on newer cards finish a kernel themselves; false: none do. "
    .. "`cpu` are the kinds of CPUs that get the user's kernels, such as {'x86-64-v3', 'aarch64'}; those like this "
    .. "machine if it is left out. `compilers` has the commands of compilers for them, by kind.",
    function(record, path, targets, ptx, cpu, compilers)
    for what, value in pairs { record = record, path = path } do
      if type(value) ~= "string" then
        fail(NAME, sformat("%s is %s; wanted the name of a file", what, core.describe(value)))
      end
    end
    targets = targets_of(targets)
    if ptx == nil then ptx = 75 end
    if ptx then check_architecture("ptx", ptx) end
    local cpus = cpus_of(cpu, compilers)
    local kernels, images, failed = read_record(record), {}, {}
    for _, kernel in ipairs(kernels) do
      for _, image in ipairs(images_of(kernel, targets, ptx, cpus)) do
        local arch, is_ptx, command, name = image[1], image[2], image[3], image[4]
        local ok, bytes, maker = pcall(core.bundle_compile, kernel.text, kernel.family, arch, is_ptx, kernel.source,
          command)
        if ok then
          images[#images + 1] = { family = name and OBJECTS or kernel.family, key = kernel.key, image = bytes,
            ptx = is_ptx and 1 or 0, arch = arch, maker = maker }
        else
          failed[#failed + 1] = sformat("%s for %s, asked for at %s: %s", kernel.family, name or arch,
            kernel.place == "" and "an unknown line" or kernel.place, tostring(bytes))
        end
      end
    end
    return { kernels = #kernels, images = #images, bytes = core.bundle_write(path, images), failed = failed }
  end)
end
