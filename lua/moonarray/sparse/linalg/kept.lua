--- Factors that a GPU computes and keeps, by cuDSS, which pivots only partially. If a first right side leaves a large
--- residual, the CPU's factors are taken.

local abs, frexp = math.abs, math.frexp

local LARGEST = { float32 = 100, complex64 = 100, float64 = 1000, complex128 = 1000 }     -- exponents of 2
local EPS = { float32 = 2 ^ -23, complex64 = 2 ^ -23, float64 = 2 ^ -52, complex128 = 2 ^ -52 }
local ALLOWED = 1e4                    -- of eps times |A| |x|, for the residual of the first solution
local GOLDEN = (math.sqrt(5) - 1) / 2  -- its multiples are spread evenly

return function(ma, core, host)
  local kept = {}

  --- A in CSR without duplicates, in arrays of its own, and a power of 2 near the largest value, by which the values
  --- are divided, because cuDSS takes a pivot below a fixed number for 0. nil for matrices that the CPU must factor.
  local function scaled(A, dtype)
    A = host.canonical(A)
    if A.nnz == 0 or A.indices.dtype ~= "int32" then return nil end
    local data = A.data:astype(dtype)
    local largest = ma.abs(data):max():item()
    if not (largest > 0 and largest < math.huge) then return nil end
    local _, exponent = frexp(largest)
    if abs(exponent) > LARGEST[dtype] then return nil end
    -- The arrays are checked once more: a user may have written into those of A.
    return ma.sparse.csr_matrix({ (data * 2 ^ -exponent):eval(), A.indices:copy(), A.indptr:copy() },
      { shape = { A.shape[1], A.shape[2] } }), 2 ^ exponent
  end

  --- Whether a solution of the scaled system leaves a small residual.
  local function is_near(name, self)
    local A, n = self.matrix, self.matrix.shape[1]
    local x = 1 + ma.remainder(ma.arange(1, n + 1, { dtype = "float64", device = A.device }) * GOLDEN, 1)
    local b = A:matmul(x:astype(A.dtype))
    x = core.kept_solve(name, self.factors, b:reshape(1, n)):reshape(n)
    local rows = ma.abs(A):sum(2):max()
    local left, right = ma.abs(A:matmul(x) - b):max(), rows * ma.abs(x):max() + ma.abs(b):max()
    return (left / right):item() <= ALLOWED * EPS[A.dtype]
  end

  --- The factors of A in a dtype, on A's device; nil if the CPU is to compute them.
  function kept.factor(name, A, dtype)
    if A.device == "cpu" or A.shape[1] == 0 or not core.kept_there(core.is_array(A) and A or A.data) then
      return nil
    end
    local matrix, scale = scaled(A, dtype)
    if not matrix then return nil end
    local factors = core.kept_factor(name, matrix.indptr, matrix.indices, matrix.data, matrix.shape[1])
    local self = { factors = factors, matrix = matrix, scale = scale }
    return factors and is_near(name, self) and self or nil
  end

  --- The solutions for columns that have the factors' dtype and device.
  function kept.solve(name, self, columns)
    local x = core.kept_solve(name, self.factors, host.packed(columns.T)).T
    return self.scale == 1 and x or x * (1 / self.scale)
  end

  --- The matrix that was given.
  function kept.matrix(self) return self.matrix * self.scale end

  return kept
end
