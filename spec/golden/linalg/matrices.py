"""Golden values of matrices of a known form, and of equations by Cholesky's factors, in the form of expressions: calls
in Lua and what SciPy gives for the same."""
import warnings

import cases
import numpy as np
import scipy.linalg as L
from cases import c, f, g, r, strided

warnings.simplefilter("ignore")
section = ""
lines = []


def case(expression, *results):
    lines.append(cases.line(section, "ma.linalg." + expression, *results))


def dtypes(x):
    """By expression: a vector or a matrix in the dtypes that matter."""
    for dtype in "int8 int64 float32 float64 complex64 complex128".split():
        yield ":astype('%s')" % dtype, x.astype(dtype)


section = "diagonals"
for text, x in dtypes(r(4)):
    for other, y in ("r(3)", r(3)), ("f(5)", f(5)), ("r(1)", r(1)), ("c(4)", c(4)):
        case("toeplitz(r(4)%s, %s)" % (text, other), L.toeplitz(x, y))
        case("hankel(r(4)%s, %s)" % (text, other), L.hankel(x, y))
    case("toeplitz(r(4)%s)" % text, L.toeplitz(x))
    case("hankel(r(4)%s)" % text, L.hankel(x))
    case("circulant(r(4)%s)" % text, L.circulant(x))
    for mode in "full", "same", "valid":
        for n in 1, 2, 4, 7:
            case("convolution_matrix(r(4)%s, %d, '%s')" % (text, n, mode), L.convolution_matrix(x, n, mode))
for text, x in ("r(1)", r(1)), ("r(0)", r(0)), ("g(6)", g(6)), ("strided(5)", strided(5)), ("f(6)['::-1']", f(6)[::-1]):
    case("toeplitz(%s)" % text, L.toeplitz(x))
    case("hankel(%s)" % text, L.hankel(x))
    case("circulant(%s)" % text, L.circulant(x))
    if len(x):
        case("convolution_matrix(%s, 3)" % text, L.convolution_matrix(x, 3))
case("toeplitz(r(3), r(0))", L.toeplitz(r(3), r(0)))
case("toeplitz(c(4))", L.toeplitz(c(4)))
for n in 1, 3, 5:
    case("convolution_matrix(r(1), %d, 'same')" % n, L.convolution_matrix(r(1), n, "same"))
    case("convolution_matrix(r(2, 4), %d)" % n, L.convolution_matrix(r(2, 4), n))
case("toeplitz(f(2, 3), f(2, 4))", L.toeplitz(f(2, 3), f(2, 4)))
case("circulant(f(2, 3))", L.circulant(f(2, 3)))

section = "known"
for text, x in dtypes(r(5)):
    case("companion(r(5)%s)" % text, L.companion(x))
    case("fiedler(r(5)%s)" % text, L.fiedler(x))
    case("leslie(r(5)%s, f(4))" % text, L.leslie(x, f(4)))
    case("leslie(r(5)%s, r(4))" % text, L.leslie(x, r(4)))
    if x.dtype.kind != "i":
        case("fiedler_companion(r(5)%s)" % text, L.fiedler_companion(x))
for n in 2, 3, 4, 6, 7, 9:
    case("companion(f(%d))" % n, L.companion(f(n)))
    case("fiedler_companion(f(%d))" % n, L.fiedler_companion(f(n)))
    case("leslie(f(%d), g(%d))" % (n, n - 1), L.leslie(f(n), g(n - 1)))
for text, x in ("f(1)", f(1)), ("g(6)", g(6)), ("strided(4)", strided(4)):
    case("fiedler(%s)" % text, L.fiedler(x))
case("fiedler(f(0))", L.fiedler(f(0)))
case("fiedler_companion(f(1))", L.fiedler_companion(f(1)))
for name, call in ("companion", L.companion), ("fiedler", L.fiedler), ("fiedler_companion", L.fiedler_companion):
    case("%s(f(2, 5))" % name, call(f(2, 5)))
case("leslie(f(2, 4), f(2, 3))", L.leslie(f(2, 4), f(2, 3)))
for n in 0, 1, 2, 5, 8:
    case("hilbert(%d)" % n, L.hilbert(n))
    case("dft(%d)" % n, L.dft(n))
    if n:
        case("dft(%d, 'sqrtn')" % n, L.dft(n, "sqrtn"))
        case("dft(%d, 'n')" % n, L.dft(n, "n"))
        case("helmert(%d)" % n, L.helmert(n))
        case("helmert(%d, true)" % n, L.helmert(n, True))
for n in 1, 2, 8, 32:
    case("hadamard(%d)" % n, L.hadamard(n))
    case("hadamard(%d, 'int8')" % n, L.hadamard(n, np.int8))
case("hadamard(4, 'complex64')", L.hadamard(4, np.complex64))

section = "of matrices"
case("block_diag()", L.block_diag())
case("block_diag(r(2, 3))", L.block_diag(r(2, 3)))
case("block_diag(r(2, 3), f(1, 2), r(3))", L.block_diag(r(2, 3), f(1, 2), r(3)))
case("block_diag(ma.array(5, 'int64'), c(2, 2), r(0))", L.block_diag(np.int64(5), c(2, 2), r(0)))
case("block_diag(r(0, 2), f(2, 2):astype('float32'), r(2, 0))", L.block_diag(r(0, 2), f(2, 2).astype("f4"), r(2, 0)))
case("block_diag(f(2, 3):transpose(), strided(2, 2))", L.block_diag(f(2, 3).T, strided(2, 2)))
for a, x in ("r(2, 3)", r(2, 3)), ("f(4, 3)", f(4, 3)), ("c(1, 3)", c(1, 3)), ("r(0, 3)", r(0, 3)), ("g(2, 3)", g(2,
    3)):
    for b, y in ("r(3, 3)", r(3, 3)), ("f(3, 2):transpose()", f(3, 2).T):
        if x.size or x.dtype == y.dtype:  # SciPy's result without elements has the dtype of a
            case("khatri_rao(%s, %s)" % (a, b), L.khatri_rao(x, y))
        case("kron(%s, %s)" % (a, b), np.kron(x, y))
for k in -2, 0, 1:
    case("tri(3, 4, %d)" % k, np.tri(3, 4, k))
    case("tril(r(3, 4), %d)" % k, np.tril(r(3, 4), k))
    case("triu(r(3, 4), %d)" % k, np.triu(r(3, 4), k))
for text, x in (("f(4, 4)", f(4, 4)), ("ma.zeros({3, 4})", np.zeros((3, 4))), ("ma.tril(r(4, 6), 2)", np.tril(r(4, 6),
    2)),
                ("ma.triu(r(6, 4), -1)", np.triu(r(6, 4), -1)), ("ma.eye(5)", np.eye(5)), ("ma.zeros({0, 3})",
                    np.zeros((0, 3))),
                ("ma.tril(ma.triu(c(5, 5), -2), 1)", np.tril(np.triu(c(5, 5), -2), 1))):
    lines.append(cases.line(section, "bandwidth_of(%s)" % text, np.array(L.bandwidth(x))))

# Hermitian positive definite matrices.
section = "cholesky"


def definite(x):
    n = x.shape[-1]
    return x @ np.conj(np.swapaxes(x, -1, -2)) + n * np.eye(n)


for text, x in ("f(3, 3)", f(3, 3)), ("c(4, 4)", c(4, 4)), ("f(1, 1)", f(1, 1)), ("f(2, 3, 3)", f(2, 3, 3)):
    a = definite(x)
    n = a.shape[-1]
    for lower in False, True:
        word = str(lower).lower()
        factor, other = (L.cho_factor(a, lower), None) if a.ndim == 2 else (None, None)
        if factor:
            triangle = np.tril(factor[0]) if lower else np.triu(factor[0])
            case("cho_factor(definite(%s), %s)" % (text, word), triangle, np.array(lower))
        for right, y in ("f(%d)" % n, f(n)), ("c(%d, 2)" % n, c(n, 2)):
            wanted = np.linalg.solve(a, y)
            case("cho_solve({ma.linalg.cho_factor(definite(%s), %s)}, %s)" % (text, word, right), wanted)
    case("invh(definite(%s))" % text, np.linalg.inv(a))
    case("lschol(definite(%s), f(%d))" % (text, n), np.linalg.solve(a, f(n)))

section = "lapack"


def lapack(expression, *results):
    lines.append(cases.line(section, "ma.lapack." + expression, *results))


for dtype in "float32", "float64", "complex128":
    x = definite(f(4, 4)).astype(dtype)
    given = "definite(f(4, 4)):astype('%s')" % dtype
    for right, y in ("f(4)", f(4)), ("f(4, 3)", f(4, 3)):
        b, right = y.astype(dtype), right + ":astype('%s')" % dtype
        lapack("gesv(%s, %s)" % (given, right), np.linalg.solve(x, b))
        lapack("posv(%s, %s)" % (given, right), np.linalg.solve(x, b))
        for lower in "false", "true":
            lapack("potrs((ma.linalg.cho_factor(%s, %s)), %s, %s)" % (given, lower, right, lower), np.linalg.solve(x,
                b))
lapack("gesv(r(3, 3) + 7 * ma.eye(3), r(3))", np.linalg.solve(r(3, 3) + 7 * np.eye(3), r(3)))
batch = definite(f(2, 3, 3))
lapack("posv(definite(f(2, 3, 3)), f(2, 3))", np.linalg.solve(batch, f(2, 3)[..., None])[..., 0])
lapack("posv(definite(f(2, 3, 3)), f(2, 3, 2))", np.linalg.solve(batch, f(2, 3, 2)))
lapack("gesv(definite(f(2, 3, 3)), f(2, 3))", np.linalg.solve(batch, f(2, 3)[..., None])[..., 0])
for text, x in (("f(5, 3)", f(5, 3)), ("c(5, 3)", c(5, 3)), ("f(3, 5)", f(3, 5)), ("c(2, 4)", c(2, 4)), ("f(3, 3)",
    f(3, 3)),
                ("f(3, 5):transpose()", f(3, 5).T)):
    rows = x.shape[0]
    for right, y in ("f(%d)" % rows, f(rows)), ("f(%d, 2)" % rows, f(rows, 2)):
        lapack("gels(%s, %s)" % (text, right), np.linalg.lstsq(x, y, rcond=None)[0])

print("\n".join(lines))
