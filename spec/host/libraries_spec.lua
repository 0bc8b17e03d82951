-- What is opened at run time: what each function says where its library is missing, and what show_config tells. The
-- CPU's are hidden behind empty files of their names, which the linker finds first.

local helper = require "spec.helper"
local LUA = os.getenv("LUAJIT") or "luajit"
local ma = helper.ma

local names = { "libopenblas.so.0", "libopenblas.so", "libmkl_rt.so.2", "libmkl_rt.so", "libblis.so.4", "libblas.so.3",
  "libblas.so", "liblapack.so.3",
  "liblapack.so", "libfftw3.so.3", "libfftw3.so", "libfftw3f.so.3", "libfftw3f.so" }

local products = { "ma.matmul(a, a)", "ma.dot(v, v)", "ma.vdot(v, v)", "ma.inner(a, a)", "ma.tensordot(a, a, 1)",
  "ma.einsum('ij,jk->ik', a, a)",
  "linalg.multi_dot { a, a, a }", "linalg.matrix_power(a, 3)" }
local factorisations = { "svd(a)", "svdvals(a)", "qr(a)", "cholesky(a)", "eigh(a)", "eigvalsh(a)", "eig(a)",
  "eigvals(a)", "solve(a, v)", "lu(a)",
  "lu_factor(a)", "lu_solve({ a, ma.range(1, 40) }, v)", "solve_triangular(a, v)",
  "inv(a)", "pinv(a)", "det(a)", "slogdet(a)", "lstsq(a, v)", "norm(a, 2)", "norm(a, 'nuc')",
  "cond(a)", "matrix_rank(a)", "tensorsolve(a, v)", "tensorinv(a, 1)" }
local transforms = { "fft(v)", "ifft(v)", "rfft(v)", "irfft(v)", "hfft(v)", "ihfft(v)", "fft2(a)", "ifft2(a)",
  "rfft2(a)", "irfft2(a)", "fftn(a)", "ifftn(a)",
  "rfftn(a)", "irfftn(a)" }
local without = { "ma.outer(v, v)", "ma.kron(a, a)", "ma.cross(v:take{1, 2, 3}, v:take{1, 2, 3})",
  "ma.trace(a)", "ma.vecdot(v, v)",
  "linalg.norm(v)", "linalg.vector_norm(v)",
  "ma.dot(ma.ones(3, 'int64'), ma.ones(3, 'int64'))", "ma.fft.fftfreq(4)", "a + a", "ma.sort(v)" }

-- Matrices of up to 32 rows are solved without LAPACK.
local body = [[
local ma = require "moonarray"
local linalg, a, v = ma.linalg, ma.eye(40), ma.ones(40)
local function try(text) return pcall(assert(loadstring("local ma, linalg, a, v = ... return " .. text)), ma, linalg, a, v) end
local function refused(text, why)
  local ok, message = try(text)
  if ok or not tostring(message):find(why, 1, true) then print(text, ok, message) end
end
]]

describe("libraries", function()
  it("that are missing are named by each function that needs them, with how to get them", function()
    if ma.zeros(1).device ~= "cpu" then return pending("there is a GPU") end
    local folder = os.tmpname()
    os.remove(folder)
    assert.are.equal(0, os.execute("mkdir " .. folder))
    for _, name in ipairs(names) do assert(io.open(folder .. "/" .. name, "w")):close() end
    local lines = { body }
    local function add(list, prefix, why)
      for _, call in ipairs(list) do lines[#lines + 1] = ("refused(%q, %q)"):format(prefix .. call, why) end
    end
    add(products, "", "a BLAS library (OpenBLAS, MKL, BLIS or libblas) was not found; apt install libopenblas0")
    add(factorisations, "linalg.",
      "a LAPACK library (OpenBLAS, MKL or liblapack) was not found; apt install libopenblas0")
    add(transforms, "ma.fft.", "was not found; apt install libfftw3")
    for _, call in ipairs(without) do
      lines[#lines + 1] = ("print(select(2, assert(try(%q))) and '' or %q)"):format(call, call)
    end
    lines[#lines + 1] =
      "print(ma.show_config(true):find('BLAS +a BLAS library .- was not found') and '' or ma.show_config(true))"
    local path = folder .. "/try.lua"
    local file = assert(io.open(path, "w"))
    file:write(table.concat(lines, "\n"))
    file:close()
    local pipe = assert(io.popen(("LD_LIBRARY_PATH=%s MOONARRAY_DEVICE=cpu '%s' %s 2>&1"):format(folder, LUA, path)))
    local said = pipe:read("*a")
    pipe:close()
    os.execute("rm -rf " .. folder)
    assert.are.equal("", (said:gsub("%s", "")), said)
  end)

  it("that are there are shown with version and file", function()
    local text = ma.show_config(true)
    for _, title in ipairs { "BLAS", "LAPACK", "FFTW, float64", "FFTW, float32" } do
      local line = text:match("\n  " .. title .. " +([^\n]+)")
      assert.is_truthy(line and (line:match("^[^/]*/.+$") or line:find("was not found;", 1, true)),
        title .. ": " .. tostring(line))
    end
    if ma.cuda.is_available() then
      for _, title in ipairs { "NVRTC", "cuBLAS", "cuSOLVER", "cuFFT", "cuRAND", "cuDSS" } do
        local line = text:match("\n  " .. title .. " +([^\n]+)")
        local found = line and (line:match("^%d+%.%d+.*: .+$") or line:find("not found", 1, true)
          or line:find("cannot be opened", 1, true) or line:find("is turned off by MOONARRAY_", 1, true))
        assert.is_truthy(found, title .. ": " .. tostring(line))
      end
    end
  end)

  --- What a program prints with MOONARRAY_BLAS set.
  local function with_blas(library, program)
    local pipe = assert(io.popen(("MOONARRAY_BLAS='%s' MOONARRAY_DEVICE=cpu '%s' -e '%s' 2>&1"):format(library, LUA,
      program)))
    local said = pipe:read("*a")
    pipe:close()
    return said
  end

  it("of BLAS and LAPACK are the one that MOONARRAY_BLAS names, or an error", function()
    local solve = 'local ma = require "moonarray" print(ma.linalg.solve(ma.eye(40) * 4, ma.ones(40)):sum():item())'
    local said = with_blas("/no/such/file.so", solve)
    assert.is_truthy(said:find("/no/such/file.so does not open", 1, true), said)
    said = with_blas("libm.so.6", solve)
    assert.is_truthy(said:find("libm.so.6 has no spotrf_; a LAPACK library", 1, true), said)
    local found = ma.show_config(true):match("\n  LAPACK +[^\n]*: (/[^\n]+)")
    if not found then return pending("no LAPACK") end
    assert.are.equal("10\n", with_blas(found, solve))
  end)

  local algebra = [[
    local ma = require "moonarray"
    local linalg, a = ma.linalg, ma.random.default_rng(3):standard_normal({ 6, 50, 40 })
    local s = ma.matmul(a:swapaxes(2, 3), a)
    local function near(x, y) assert(ma.allclose(x, y, { rtol = 1e-9, atol = 1e-9 })) end
    local one = ma.eye(40)
    local b = a[":, 1:40, :"] + one * 10
    local u, d, vh = linalg.svd(a, false)
    near(ma.matmul(u * ma.expand_dims(d, 2), vh), a)
    local l = linalg.cholesky(s)
    near(ma.matmul(l, l:swapaxes(2, 3)), s)
    local q, r = linalg.qr(a)
    near(ma.matmul(q, r), a)
    near(ma.matmul(b, linalg.inv(b)), one)
    local lu, piv = linalg.lu_factor(b)
    near(ma.matmul(b, linalg.lu_solve({ lu, piv }, s)), s)
    local w, v = linalg.eigh(s)
    near(ma.matmul(s, v), v * ma.expand_dims(w, 2))
    w, v = linalg.eig(b)
    near(ma.matmul(b:astype("complex128"), v), v * ma.expand_dims(w, 2))
    assert(not pcall(linalg.inv, ma.zeros { 3, 3 }) and not pcall(linalg.cholesky, -one))
    print(ma.show_config(true):find("openblas64", 1, true) and "well")
]]

  local guest = helper.is_guest()
  local wide = not guest and
    io.popen("ls /usr/lib/*/openblas64-pthread/libopenblas64.so.0 2>/dev/null"):read("*l") or nil
  -- Under qemu the folder of the libraries is in LD_LIBRARY_PATH.
  if guest and pcall(require("ffi").load, "libopenblas64.so.0") then wide = "libopenblas64.so.0" end

  it("of BLAS and LAPACK may have 64-bit integers", function()
    if not wide then return pending("no libopenblas64") end
    assert.are.equal("well\n", with_blas(wide, algebra))
  end)

  -- The packages of NumPy bring such a one. Where there is none, each of its names jumps to libopenblas64's.
  it("of BLAS and LAPACK may have 64-bit integers and names of their own", function()
    local python = not guest and helper.python "numpy"
    local place = "import glob, os, numpy; print(*glob.glob(os.path.dirname(numpy.__file__) + " ..
      "'.libs/libscipy_openblas64_*'))"
    local library = python and io.popen(('%s -c "%s" 2>/dev/null'):format(python, place)):read("*l")
    if library and library ~= "" then assert.are.equal("well\n", with_blas(library, algebra)) return end
    if not wide then return pending("no libopenblas64") end
    if guest then return pending("the jumps are those of x86") end
    local shown, source, path = {}, { "#include <dlfcn.h>" }, os.tmpname()
    for name in io.popen("cc -E -P -w -D'SYMBOL(l,n,e,...)=name l e;' -D'OPTIONAL(...)=' -D'LIBRARY(...)=' " ..
      "-D'FILES(...)=' -x c src/cpu/library/symbols.def"):read("*a")
      :gmatch("name %a*[sl]a%a* (%w+_);") do shown[#shown + 1] = name end
    assert(#shown > 40)
    source[2] = ("void *moonarray_real[%d];"):format(#shown)
    for k, name in ipairs(shown) do
      source[#source + 1] = ('__asm__(".text\\n.globl scipy_%s64_\\n' ..
        'scipy_%s64_: jmp *moonarray_real+%d(%%rip)");'):format(name, name, 8 * (k - 1))
    end
    source[#source + 1] = ('__attribute__((constructor)) static void find(void) { void *at = dlopen("%s", RTLD_NOW ' ..
      '| RTLD_LOCAL);'):format(wide)
    for k, name in ipairs(shown) do
      source[#source + 1] = ('  moonarray_real[%d] = dlsym(at, "%s");'):format(k - 1, name)
    end
    source[#source + 1] = "}"
    library = path .. "_openblas64.so"
    local compiler = io.popen(("cc -x c -shared -fPIC -fvisibility=hidden -Wl,-Bsymbolic -o '%s' -"):format(library),
      "w")
    compiler:write(table.concat(source, "\n"))
    compiler:close()
    local said = with_blas(library, algebra)
    os.remove(library)
    os.remove(path)
    assert.are.equal("well\n", said)
  end)
end)
