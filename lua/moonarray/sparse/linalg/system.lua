--- What the iterative solvers share: the system in the form that they take, and the loop that runs steps, reads the
--- residual at times, and calls the user's function.

local tostring = require("moonarray.text").tostring
local sformat, sqrt = require("moonarray.text").format, math.sqrt

local BETWEEN_READS = 16       -- steps on a GPU between two reads of the residual, unless self.between says another

return function(ma, core, operator)
  local fail, is_array = core.fail, core.is_array
  local common = require "moonarray.common" (core)
  local as_operator = operator.as_operator
  local system = {}

  local FLOATS = { float32 = true, float64 = true, complex64 = true, complex128 = true }

  --- The dtype in which a system is solved: float64 for integers, float32 for half precision, else the operands' dtype.
  function system.dtype_of(...)
    local dtype = ma.result_type(...)
    if FLOATS[dtype] then return dtype end
    return (dtype == "float16" or dtype == "bfloat16") and "float32" or "float64"
  end

  local REAL = { complex64 = "float32", complex128 = "float64" }
  function system.real_of(dtype) return REAL[dtype] or dtype end

  --- The 2-norm as an array of no axes.
  function system.norm(x)
    local square = ma.vdot(x, x)
    return ma.sqrt(ma.iscomplexobj(square) and square.real or square)
  end

  -- Updates of vectors in one pass, with `out` in place. Operators would defer the update: their program would still
  -- read the vectors, so the next write to a vector would need new memory.
  system.plus = ma.fuse(function(x, a, y) return x + a * y end, "plus")
  system.minus = ma.fuse(function(x, a, y) return x - a * y end, "minus")
  system.descend = ma.fuse(function(x, r, a, p, q) return x + a * p, r - a * q end, "descend")

  -- ==== Scalars of a step ==========================================================================================

  -- On the CPU a value can be read at once. There the scalars are numbers (ma.complex in a complex system), which cost
  -- nothing beside a vector. On a GPU they are arrays of no axes, so that a step waits for nothing.

  local function real(x)
    if type(x) == "number" then return x end
    if is_array(x) then return ma.iscomplexobj(x) and x.real or x end
    return x.re
  end
  system.real = real

  --- A scalar with a value, of self.dtype or `dtype`.
  function system.scalar(self, value, dtype)
    if self.on_host then return value end
    return core.asarray(value, { dtype = dtype or self.dtype, device = self.device })
  end

  --- The scalar for the next step. Where steps are recorded, the new value is written into the array of the old one.
  function system.keep(old, new)
    return is_array(old) and old:assign(new) or new
  end

  --- The sum of conj(x) y over two vectors.
  function system.inner(self, x, y)
    local sum = (self.is_complex and ma.vdot or ma.matmul)(x, y)
    return self.on_host and sum:item() or sum
  end

  function system.root(x) return is_array(x) and ma.sqrt(x) or sqrt(x) end

  --- The 2-norm.
  function system.length(self, x) return system.root(real(system.inner(self, x, x))) end

  function system.magnitude(x)
    if is_array(x) then return ma.absolute(x) end
    return type(x) == "number" and math.abs(x) or sqrt(x.re * x.re + x.im * x.im)
  end

  --- a / b, or a where b is 0. So a step that runs although the residual is 0 changes nothing.
  function system.ratio(a, b)
    if is_array(b) then return a / (b + b:eq(0)) end
    return system.magnitude(b) == 0 and a or a / b
  end

  --- Real scalars as numbers, which waits for them.
  function system.numbers(self, ...)
    if self.on_host then return ... end
    return ma.item(...)
  end

  local function not_negative(name, what, value)
    value = common.number(name, what, value)
    if value < 0 or value ~= value then fail(name, sformat("%s is %s; wanted 0 or more", what, tostring(value))) end
    return value
  end
  system.not_negative = not_negative

  local function vector(name, what, value, n, device)
    local x = is_array(value) and value or core.asarray(value, { device = device })
    if x.size ~= n or (x.ndim ~= 1 and not (x.ndim == 2 and x.shape[2] == 1)) then
      fail(name, sformat("%s is %s; wanted a vector of %d elements", what, core.describe(x), n))
    end
    return x
  end
  system.vector = vector

  --- The operator in the system's dtype, so that products convert nothing, and in a format with fast products.
  local function fitted(A, dtype)
    local matrix = A.recordable and A.matrix
    if not matrix then return A end
    if not is_array(matrix) and matrix.format == "coo" then matrix = matrix:tocsr() end
    if matrix.dtype ~= dtype and ma.result_type(matrix.dtype, dtype) == dtype then matrix = matrix:astype(dtype) end
    return rawequal(matrix, A.matrix) and A or as_operator("sparse.linalg", matrix)
  end

  system.fitted = fitted

  --- A function of x and `out` that returns A x, or with key "rmatvec" A^H x. The result may lie in `out` or elsewhere.
  --- The results of the user's functions are checked; those of matrices need no check.
  local function product(self, A, key)
    if A.recordable then return A.functions[key] end
    return function(x) return A[key](A, x):astype(self.dtype) end
  end
  system.product = product

  --- Makes a system A x = b: the operator, and b and the first x as vectors of the solution's dtype. x is a copy.
  function system.make(name, A, b, x0, M, square)
    local self = {}
    self.A = as_operator(name, A)
    self.m, self.n = self.A.shape[1], self.A.shape[2]
    if square ~= false and self.m ~= self.n then
      fail(name, sformat("A is %d x %d; wanted a square matrix", self.m, self.n))
    end
    b = vector(name, "b", b, self.m)
    self.shape = b.shape
    self.device = b.device
    if M ~= nil then
      self.M = as_operator(name, M, "M")
      if self.M.shape[1] ~= self.n or self.M.shape[2] ~= self.n then
        fail(name, sformat("M is %d x %d; wanted %d x %d", self.M.shape[1], self.M.shape[2], self.n, self.n))
      end
    end
    local dtype = self.A.dtype or self.A:matvec(ma.zeros(self.n, { dtype = "float64", device = self.device })).dtype
    if x0 ~= nil then
      x0 = vector(name, "x0", x0, self.n, self.device)
      dtype = ma.result_type(dtype, x0.dtype)
    end
    self.dtype = system.dtype_of(dtype, b.dtype)
    self.b = b:reshape(self.m):astype(self.dtype)
    if x0 ~= nil then
      self.x = x0:reshape(self.n):astype(self.dtype):copy()
    else
      self.x = ma.zeros(self.n, { dtype = self.dtype, device = self.device })
    end
    self.has_start = x0 ~= nil
    self.on_host = self.device == "cpu"
    self.is_complex = system.real_of(self.dtype) ~= self.dtype
    self.A = fitted(self.A, self.dtype)
    self.M = self.M and fitted(self.M, self.dtype)
    self.recordable = self.A.recordable and (not self.M or self.M.recordable)
    self.times = product(self, self.A, "matvec")
    self.solve = self.M and product(self, self.M, "matvec")
    return self
  end

  --- Writes a vector that a product gave into `to`, unless it lies there already.
  function system.put(to, vector_)
    return rawequal(to, vector_) and to or to:assign(vector_)
  end

  function system.residual(self)
    if not self.has_start then return self.b:copy() end
    local r = system.put(ma.empty_like(self.b), self.times(self.x))
    return ma.subtract(self.b, r, r)
  end

  --- The bound for the residual: max(atol, rtol * |b|), or atol if b is not finite, for which there is no solution.
  function system.bound(name, self, rtol, atol)
    rtol, atol = not_negative(name, "rtol", rtol or 1e-5), not_negative(name, "atol", atol or 0)
    local norm = self.n > 0 and system.norm(self.b):item() or 0
    self.bound = norm < math.huge and math.max(atol, rtol * norm) or atol
    return self.bound, norm
  end

  --- The factor of a step, or 0 once the residual r is small enough: on a GPU steps go on until the residual is read
  --- the next time, and must not divide by mere rounding. `size` is |r|, if the method has it.
  function system.while_going(self, r, size, factor)
    if self.on_host then return factor end
    return ma.where((size or system.norm(r)):gt(self.bound), factor, 0)
  end

  function system.result(self, x)
    return #self.shape == 2 and (x or self.x):reshape(self.n, 1) or x or self.x
  end

  function system.iterations(name, maxiter, default)
    return maxiter == nil and default or common.whole(name, "maxiter", maxiter, 0)
  end

  --- Calls step() again and again, as a recorded graph where that is possible, until read() returns an `info`, which
  --- stops the loop. On a GPU read() is called only after several steps. Returns `info`, or the number of steps.
  function system.iterate(self, step, read, most, after)
    local between = self.on_host and 1 or self.between or BETWEEN_READS
    local info = read()
    if info then return info end
    local launch, steps = step, 0
    while steps < most do
      if steps == 1 and self.recordable and not self.on_host and most > 2 and not after then
        -- The function runs once before it is recorded.
        local done, graph = pcall(ma.cuda.graph, function()
          steps = 2
          step()
        end)
        if not done and steps == 1 then error(graph, 0) end
        if done then launch = graph else self.recordable = false end
        if not done then steps = 2 end
      else
        launch()
        steps = steps + 1
      end
      if after then after(steps) end
      if steps % between == 0 or steps == most then
        info = read(steps)
        if info then break end
      end
    end
    if launch ~= step then launch:free() end
    return info or steps
  end

  return system
end
