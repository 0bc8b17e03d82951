--- Equations with Hermitian positive definite matrices, by Cholesky's factors: cho_factor, cho_solve, invh, lschol.

local sformat = require("moonarray.text").format

return function(ma, core, views, lower_factor)
  local def, fail = core.def, core.fail
  local square, adjoint, with_right, identity = views.square, views.adjoint,
    views.with_right, views.identity

  --- The factor of matrices whose upper (or lower) triangle is read.
  local function factor(name, a, lower, check)
    if not lower then a = adjoint(a) end
    local c = lower_factor(name, a, check)
    return lower and c or adjoint(c)
  end

  --- x of two triangular systems.
  local function solve(name, c, right, lower, check)
    local y = core.linalg_triangular_solve(name, c, right, lower, lower and "N" or "C", false, check)
    return core.linalg_triangular_solve(name, c, y, lower, lower and "C" or "N", false, check)
  end

  --> linalg.cho_factor: local c, lower = ma.linalg.cho_factor({{4, 2}, {2, 3}})
  -->   return lower
  def("linalg.cho_factor(a: data, lower?: boolean; check?: boolean) -> array, boolean",
    "c, lower: Cholesky's factor of Hermitian positive definite matrices, for cho_solve({c, lower}, b). The upper " ..
      "triangle of a is read, or the lower one; the other one of c is 0.",
    function(a, lower, check)
      a = square("linalg.cho_factor", a)
      lower = lower and true or false
      return factor("linalg.cho_factor", a, lower, check), lower
    end)

  --> linalg.cho_solve: ma.linalg.cho_solve({ma.linalg.cho_factor({{4, 0}, {0, 2}})}, {8, 6})
  def("linalg.cho_solve(c_and_lower: table, b: data; check?: boolean) -> array",
    "x with a x = b for {c, lower} of cho_factor(a, lower).",
    function(factors, b, check)
      local name = "linalg.cho_solve"
      if type(factors) ~= "table" or not core.is_array(factors[1]) then
        fail(name, sformat("c_and_lower is %s; wanted {c, lower}", core.describe(factors)))
      end
      local c, n = square(name, factors[1], "c")
      local lower = factors[2] and factors[2] ~= 0 or false
      return with_right(name, c, b, n, function(right) return solve(name, c, right, lower, check ~= false) end)
    end)

  --> linalg.invh({{2, 0}, {0, 4}})
  def("linalg.invh(a: data; check?: boolean) -> array",
    "The inverse of Hermitian positive definite matrices, by Cholesky's factors. The lower triangle of a is read.",
    function(a, check)
      local name = "linalg.invh"
      local n
      a, n = square(name, a)
      local inverted = core.linalg_triangular_solve(name, factor(name, a, true, check), identity(a, n), true, "N",
        false, check ~= false)
      return ma.matmul(adjoint(inverted), inverted)
    end)

  local function cholesky_solve(name, a, b, check)
    local n
    a, n = square(name, a)
    local c
    return with_right(name, a, b, n, function(right)
      c = c or factor(name, a, true, check)
      return solve(name, c, right, true, check ~= false)
    end)
  end

  --> linalg.lschol({{2, 0}, {0, 4}}, {2, 4})
  def("linalg.lschol(a: data, b: data; check?: boolean) -> array",
    "x with a x = b for a Hermitian positive definite a, by Cholesky's factors. The lower triangle of a is read. " ..
      "(CuPy's takes a sparse matrix.)",
    function(a, b, check) return cholesky_solve("linalg.lschol", a, b, check) end)

  core.cholesky_solve, core.cholesky_factors_solve = cholesky_solve, function(name, c, b, lower, check)
    local n
    c, n = square(name, c, "L")
    return with_right(name, c, b, n, function(right) return solve(name, c, right, lower, check) end)
  end
end
