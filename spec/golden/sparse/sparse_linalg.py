"""Golden values of ma.sparse.linalg, in the form of array/expressions.py: calls in Lua and what SciPy gives for the
same."""
import warnings

import cases
import numpy as np
import scipy
import scipy.sparse as sp
import scipy.sparse.linalg as L
from cases import cf, f, r

warnings.simplefilter("ignore")
section = ""
lines = []


def case(expression, *results):
    lines.append(cases.line(section, expression, *results))


def sparse(x):
    """As in spec/expressions.lua: small numbers, many of them 0."""
    return np.where(x > 3, x, 0)


def some(n):
    """As in spec/expressions.lua: a matrix of n rows that is not singular."""
    return sparse(r(n, n)) / 8 + 3 * np.eye(n)


def many(n):
    x = some(n)
    return x + x.T + np.diag(np.arange(n) / 4)


b9 = "f(9)"
matrices = {"some(9)": some(9), "some(9).T": some(9).T, "some(9) + ma.complex(0, 1) * many(9)": some(9) + 1j * many(9),
            "many(9)": many(9)}
section = "solve"
for lua, x in matrices.items():
    a = "ma.sparse.csr_matrix(%s)" % lua
    c = sp.csc_matrix(x)
    case("L.spsolve(%s, f(9))" % a, L.spsolve(c, f(9)))
    case("L.spsolve(%s, f(9, 2))" % a, L.spsolve(c, f(9, 2)))
    case("L.spsolve(%s, cf(9))" % a, L.spsolve(c.astype(complex), cf(9)))
    case("L.spsolve(%s, ma.sparse.csc_matrix(f(9, 2))):toarray()" % a, L.spsolve(c, sp.csc_matrix(f(9, 2))).toarray())
    case("L.inv(%s):toarray()" % a, L.inv(c).toarray())
    for trans in "NTH":
        case("L.splu(%s):solve(f(9), '%s')" % (a, trans), L.splu(c).solve(f(9).astype(c.dtype), trans))
    for lower in (True, False):
        part = sp.csr_matrix(np.tril(x) if lower else np.triu(x))
        flag = str(lower).lower()
        case("L.spsolve_triangular(%s, f(9), %s)" % (a, flag), L.spsolve_triangular(part, f(9), lower))
        unit = part.toarray()
        np.fill_diagonal(unit, 1)
        case("L.spsolve_triangular(%s, f(9), %s, {unit_diagonal = true})" % (a, flag), np.linalg.solve(unit, f(9)))

section = "norm"
for lua, x in matrices.items():
    a = "ma.sparse.csc_matrix(%s)" % lua
    c = sp.csc_matrix(x)
    for ord in ("fro", 1, -1, np.inf, -np.inf, 2):
        name = "'fro'" if ord == "fro" else str(ord).replace("inf", "ma.inf")
        case("L.norm(%s, %s)" % (a, name), np.linalg.norm(x, ord))
    for axis in (1, 2):
        for ord in (None, 0, 1, 2, 3, np.inf):
            name = "nil" if ord is None else str(ord).replace("inf", "ma.inf")
            case("L.norm(%s, %s, %d)" % (a, name, axis), np.linalg.norm(x, ord, axis - 1))
    case("L.matrix_power(%s, 3):toarray()" % a, np.linalg.matrix_power(x, 3))
    case("L.matrix_power(%s, 0):toarray()" % a, np.linalg.matrix_power(x, 0))
case("L.norm(ma.sparse.csr_matrix(sparse(r(4, 6))), 1)", np.linalg.norm(sparse(r(4, 6)), 1) * 1.0)

section = "expm"
for lua, x in matrices.items():
    a, c = "ma.sparse.csr_matrix(%s)" % lua, sp.csr_matrix(x)
    case("L.expm_multiply(%s * 0.1, f(9))" % a, L.expm_multiply(c * 0.1, f(9)))
    case("L.expm_multiply(%s * -1.5, f(9, 2))" % a, L.expm_multiply(c * -1.5, f(9, 2)))
    case("L.expm_multiply(%s, f(9), 0, 0.5, 3)" % a, L.expm_multiply(c, f(9), start=0, stop=0.5, num=3))
    case("L.expm_multiply(%s, f(9), 0.25, 1, 3, false)" % a,
        L.expm_multiply(c, f(9), start=0.25, stop=1, num=3, endpoint=False))

section = "eigen"
x, a = many(40), "ma.sparse.csr_matrix(many(40))"
c = sp.csr_matrix(x)
h = x + 1j * (some(40) - some(40).T)
for lua, y in ((a, x), ("ma.sparse.csr_matrix(many(40) + ma.complex(0, 1) * (some(40) - some(40).T))", h)):
    for which in ("LM", "LA", "SA") if y is h else ("LM", "LA", "SA", "BE"):
        case("(L.eigsh(%s, 3, {which = '%s'}))" % (lua, which), np.sort(L.eigsh(sp.csr_matrix(y), 3, which=which,
            return_eigenvectors=False, v0=np.ones(40))))
    case("(L.eigsh(%s, 3, {sigma = 1.1}))" % lua, np.sort(L.eigsh(sp.csc_matrix(y), 3, sigma=1.1,
        return_eigenvectors=False, v0=np.ones(40))))
    case("L.svds(%s['1:25, :'], 4, {return_singular_vectors = false})" % lua,
        np.sort(np.linalg.svd(y[:25], compute_uv=False))[-4:])

section = "least"
for damp in (0, 0.5):
    for m, n in ((12, 5), (5, 12), (9, 9)):
        x = r(m, n) / 8 + np.eye(m, n)
        a = "ma.sparse.csr_matrix(f(%d, %d) + ma.eye(%d, %d))" % (m, n, m, n)
        for name in ("lsqr", "lsmr"):
            steps = "iter_lim" if name == "lsqr" else "maxiter"
            result = np.linalg.lstsq(np.vstack([x, damp * np.eye(n)]), np.concatenate([f(m), np.zeros(n)]))[0]
            case("(L.%s(%s, f(%d), {damp = %g, atol = 1e-14, btol = 1e-14, conlim = 0, %s = 200}))" % (
                name, a, m, damp, steps), result)

# istop, the number of steps and the norms.
section = "ends"
for m, n in ((40, 25), (25, 40), (40, 40)):
    c = sp.csr_matrix(many(40)[:m, :n])
    a = "ma.sparse.csr_matrix(many(40)['1:%d, 1:%d'])" % (m, n)
    # A square one loses digits with each step.
    for damp in (0, 0.5) if m != n else ():
        for tol in (1e-2, 1e-3):
            for name, count in (("lsqr", 9), ("lsmr", 8)):
                case("ma.array({unpack({L.%s(%s, f(%d), {damp = %g, atol = %g, btol = %g})}, 2, %d)})" % (
                    name, a, m, damp, tol, tol, count), np.array(getattr(L, name)(c, f(m), damp=damp, atol=tol,
                        btol=tol)[1:count], dtype=float))
    for name, steps in (("lsqr", "iter_lim"), ("lsmr", "maxiter")):
        case("ma.array({unpack({L.%s(%s, f(%d), {%s = 3})}, 2, 8)})" % (name, a, m, steps),
             np.array(getattr(L, name)(c, f(m), **{steps: 3})[1:8], dtype=float))
    case("ma.array({unpack({L.lsqr(%s, f(%d), {conlim = 2})}, 2, 9)})" % (a, m),
         np.array(L.lsqr(c, f(m), conlim=2)[1:9], dtype=float))

print("# made by sparse_linalg.py with NumPy %s and SciPy %s" % (np.__version__, scipy.__version__))
print("\n".join(lines))
