--- Running sums and products of sharded arrays. Each rank scans its part; the ranks gather the ends of their scans, and
--- each puts what all ranks before it have in front of its own. Floats are scanned in a wider dtype, and rounded once.

return function(ma, core, _, sh)
  local common = require "moonarray.common" (core)
  local D = ma.distributed

  local WIDER = { float16 = "float64", bfloat16 = "float64", float32 = "float64", complex64 = "complex128" }

  --- What all ranks before this one have together, in their order; nil: there is nothing.
  local function before(x, scan, combine)
    local n, axis = scan.shape[x.axis], x.axis
    local sizes = {}
    for r, size in ipairs(x.sizes) do sizes[r] = size > 0 and 1 or 0 end
    local last = sh.slice(scan, axis, math.max(1, n), n):moveaxis(axis, 1)
    local list = D.all_gather(last, { sizes = sizes, group = x.group })
    local all, at = nil, 0
    for r = 1, x.group.rank do
      if sizes[r] == 1 then
        at = at + 1
        local one = list[{ { at, at } }]
        all = all and combine(all, one) or one
      end
    end
    return all and all:moveaxis(1, axis)
  end

  --- The elements in C order as one axis.
  local function flat(x)
    x = x:reshard(1)
    local row, sizes = 1, {}
    for d = 2, x.ndim do row = row * x.shape[d] end
    for r, n in ipairs(x.sizes) do sizes[r] = n * row end
    return sh.new(x.part:reshape(x.part.size), 1, sizes, x.group, 0)
  end

  local SCANS = {
    --> distributed.Array.cumsum distributed.Array.cumprod: local D = ma.distributed
    -->   D.init()
    -->   return D.distribute(ma.array {1, 2, 3, 4}):cumsum():all_gather()
    { "cumsum", "Running sum along an axis, or over all elements in C order.", function(a, b) return a + b end },
    { "cumprod", "Running product along an axis, or over all elements in C order.", function(a, b) return a * b end },
  }
  for _, row in ipairs(SCANS) do
    local method, doc, combine = row[1], row[2], row[3]
    local name, fn = "distributed.Array." .. method, ma[method]
    sh.method(method .. "(x: sharded_array, axis?: integer|integer[], dtype?: dtype) -> sharded_array",
      doc, function(x, axis, dtype)
      if axis == nil and x.ndim > 1 then x, axis = flat(x), 1 end
      axis = common.axis(name, axis == nil and 1 or axis, x.ndim)
      if axis ~= x.axis or x.group.size == 1 then return sh.like(x, fn(x.part, axis, { dtype = dtype })) end
      local result = fn(ma.empty(0, { dtype = x.dtype, device = "cpu" }), { dtype = dtype }).dtype
      local scan = fn(x.part, axis, { dtype = WIDER[result] or result })
      local all = before(x, scan, combine)
      if all and scan.size > 0 then scan = combine(all, scan) end
      return sh.like(x, scan.dtype == result and scan or scan:astype(result))
    end)
  end
end
