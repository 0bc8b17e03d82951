-- A kernel's text depends on the architecture alone, and on no other figure of a card: else a bundle that was built for
-- one card would not serve another. Three cards of one architecture, made up by the pretended driver, ask for the same
-- texts.

local file = require "spec.file"
local gpu = require "spec.pretend.gpu"

local luajit = os.getenv("LUAJIT") or "luajit"

-- One of each family of kernels whose launch looks at the card.
local PROGRAM = [[
  local ma = require "moonarray"
  require("moonarray.core").compile_at_once(true)         -- else what is asked for depends on how fast the compiler is
  local x = ma.arange(200000, "float32")
  local m = ma.reshape(x, { 400, 500 })
  local function run(a) ma.asnumpy(a) end
  run(x * 2 + 1)
  run(x:cumsum())
  run(x:astype("float64"):cumsum())
  run(x:sum())
  run(m:sum(1))
  run(m / m:sum(2, { keepdims = true }))
  run(m:var(2))
  run(m[m:gt(7)])
  run(ma.sort(x))
  run(ma.histogram(x, 10))
  run(ma.searchsorted(x, x))
  run(ma.random.random(1000))
  run(ma.stencil(function(u) return u(0, 1) + u(1, 0) end)(m))
  run(m["2:, :"] + m[":-2, :"])
  run(ma.take(x, ma.arange(1, 100)))
  run(ma.ndimage.gaussian_filter(m, 1))
  run(ma.ndimage.label(m:gt(1000)))
  run(ma.matmul(m, m:transpose()))
  run((ma.sparse.csr_matrix(ma.eye(50, { dtype = "float32" })):dot(ma.ones(50, "float32"))))
]]

-- Multiprocessors, threads of each, kibibytes of caches and of shared memory that a block may have.
local CARDS = { { 4, 2048, 227 }, { 144, 1536, 99 }, { 20, 1024, 64 } }

--- What the card asks for: names of texts, which end in their hashes.
local function texts_of(card, folder)
  os.execute(("mkdir -p '%s/%d'"):format(folder, card[1]))
  local ok, text = file.run(("%s PRETEND_UNITS=%d PRETEND_THREADS=%d PRETEND_KIB=%d MOONARRAY_DUMP=%s/%d %s "
    .. "%s/program.lua"):format(gpu.environment, card[1], card[2], card[3], folder, card[1], luajit, folder))
  assert(ok, text)
  return file.output(("ls '%s/%d'"):format(folder, card[1]))
end

describe("the text of a kernel", function()
  if not gpu.is_built() then
    pending("is compared on the pretended GPU, which make pretend builds")
    return
  end

  it("is the same for all cards of an architecture", function()
    file.with_folder(function(folder)
      file.write(folder .. "/program.lua", PROGRAM)
      local first
      for _, card in ipairs(CARDS) do
        local names = texts_of(card, folder)
        first = first or names
        assert.equal(first, names)
      end
      assert(select(2, first:gsub("\n", "")) > 20, first)
    end)
  end)
end)
