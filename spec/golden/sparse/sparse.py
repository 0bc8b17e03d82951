"""Golden values of sparse matrices, in the form of array/expressions.py: calls in Lua and what SciPy gives for the
same, as dense arrays. Operands are dense matrices with many zeros, among them empty rows and columns."""
import io
import warnings

import cases
import numpy as np
import scipy
import scipy.sparse as sp
from cases import f, r

warnings.simplefilter("ignore")
section = ""
lines = []
FORMATS = "csr csc coo dia".split()


def case(expression, *results):
    results = [x.toarray() if sp.issparse(x) else x for x in results]
    lines.append(cases.line(section, expression, *results))


class M:
    """A matrix: what Lua writes for it, and its elements."""

    def __init__(self, lua, dense):
        self.lua, self.dense = lua, dense

    def of(self, form):
        return "ma.sparse.%s_matrix(%s)" % (form, self.lua), getattr(sp, form + "_array")(self.dense)


def mask(m, n, k=7):
    return "(ma.arange(%d) * 5 %% %d):lt(3):reshape(%d, %d)" % (m * n, k, m, n), (np.arange(m * n) * 5 % k <
                                                                                 3).reshape(m, n)


def Z(m, n, dtype="float64", k=7):
    text, keep = mask(m, n, k)
    if dtype == "bool":
        return M(text, keep)
    if dtype.startswith("complex"):
        return M("(f(%d, %d) * %s + ma.complex(0, 1) * r(%d, %d) * %s):astype('%s')" % (m, n, text, m, n, text, dtype),
            (f(m, n) * keep + 1j * r(m, n) * keep).astype(dtype))
    if dtype.startswith("float"):
        return M("(f(%d, %d) * %s):astype('%s')" % (m, n, text, dtype), (f(m, n) * keep).astype(dtype))
    return M("(r(%d, %d) * %s):astype('%s')" % (m, n, text, dtype), (r(m, n) * keep).astype(dtype))


dtypes = "bool int8 int32 int64 uint16 float32 float64 complex64 complex128".split()
small = Z(5, 4)
others = [Z(1, 1), Z(7, 3, k=29), Z(3, 9), Z(40, 30, k=31), M("ma.zeros({4, 6})", np.zeros((4, 6))),
    M("ma.eye(6)", np.eye(6)), M("ma.ones({3, 4})", np.ones((3, 4)))]
sums = {"int8": "int64", "int32": "int64", "uint16": "uint64", "bool": "int64"}

section = "format"
for form in FORMATS:
    for dtype in dtypes:
        lua, a = Z(5, 4, dtype).of(form)
        case(lua + ":toarray()", a)
        case(lua + ".T:toarray()", a.T)
        for other in FORMATS:
            case("%s:to%s():toarray()" % (lua, other), a.asformat(other))
    for m in others:
        lua, a = m.of(form)
        case(lua + ":toarray()", a)
        case("%s.nnz" % lua, np.float64(a.nnz))
        case("%s.T:tocsr():toarray()" % lua, a.T)
rows, cols, vals = [3, 1, 3, 2, 3, 1], [1, 4, 1, 2, 4, 4], [1., 2, 3, 4, 5, 6]
entries = "{%s, {%s, %s}}" % tuple("{" + ", ".join(map(str, x)) + "}" for x in (vals, rows, cols))
coo = sp.coo_array((vals, (np.array(rows) - 1, np.array(cols) - 1)), shape=(4, 5))
made = "ma.sparse.coo_matrix(%s, {shape = {4, 5}})" % entries
case(made + ":toarray()", coo)
for form in FORMATS:
    case("%s:to%s():toarray()" % (made, form), coo.asformat(form))
csr = coo.tocsr()
case("%s:tocsr().indptr" % made, (csr.indptr + 1).astype("int32"))
case("%s:tocsr().indices" % made, (csr.indices + 1).astype("int32"))
case("%s:tocsr().data" % made, csr.data)
case("%s:tocsc().indptr" % made, (coo.tocsc().indptr + 1).astype("int32"))
case("%s:tocsc().indices" % made, (coo.tocsc().indices + 1).astype("int32"))
loose = "ma.sparse.csr_matrix({{1, 2, 3, 4, 5}, {4, 1, 1, 3, 2}, {1, 3, 3, 6}}, {shape = {3, 4}})"
other = sp.csr_array((np.array([1., 2, 3, 4, 5]), np.array([3, 0, 0, 2, 1]), np.array([0, 2, 2, 5])), shape=(3, 4))
case(loose + ":toarray()", other)
case(loose + ":sorted_indices().indices", (other.sorted_indices().indices + 1).astype("int32"))
case(loose + ":sorted_indices().data", other.sorted_indices().data)
case(loose + ":tocsc().indices", (other.tocsc().indices + 1).astype("int32"))
case(loose + ":tocoo().row", (other.tocoo().row + 1).astype("int32"))
case(loose + ":todia():toarray()", other)

section = "product"
for form in FORMATS:
    for dtype in dtypes:
        lua, a = Z(5, 4, dtype).of(form)
        for other in ("bool", "int32", "float32", "float64", "complex64"):
            x = r(4) > 0 if other == "bool" else r(4).astype(other)
            text = "r(4):gt(0)" if other == "bool" else "r(4):astype('%s')" % other
            case("%s:matmul(%s)" % (lua, text), a @ x)
    for m in others:
        lua, a = m.of(form)
        n = a.shape[1]
        if n == 1:
            continue  # SciPy gives a scalar of some formats
        case("%s:matmul(f(%d))" % (lua, n), a @ f(n))
        for width in (1, 2, 8, 13, 32, 45) if n < 9 or form == "csr" else (5, ):
            case("%s:matmul(f(%d, %d))" % (lua, n, width), a @ f(n, width))
        case("%s.T:matmul(f(%d, 3))" % (lua, a.shape[0]), a.T @ f(a.shape[0], 3))
        case("%s:rmatmul(f(%d))" % (lua, a.shape[0]), f(a.shape[0]) @ a)
        case("%s:rmatmul(f(2, %d))" % (lua, a.shape[0]), f(2, a.shape[0]) @ a)
    for other in FORMATS:
        for dtype in ("int32", "float64", "complex128"):
            x, a = Z(5, 4, dtype).of(form)
            y, b = Z(4, 6, "float32" if dtype == "float64" else dtype).of(other)
            case("%s:matmul(%s):toarray()" % (x, y), a @ b)
    x, a = Z(33, 40, k=31).of(form)
    y, b = Z(40, 50, k=23).of("csr")
    case("%s:matmul(%s):sum(2)" % (x, y), (a @ b).sum(1))

section = "arithmetic"
for form in FORMATS:
    for dtype in ("int32", "float32", "float64", "complex128"):
        x, a = Z(5, 4, dtype).of(form)
        case("(%s * 2):toarray()" % x, a * 2)
        case("(-%s):toarray()" % x, -a)
        case("(%s / 2):toarray()" % x, a.toarray() / 2)
        case("(%s ^ 2):toarray()" % x, a.toarray()**2)
        case("%s + f(5, 4)" % x, a.toarray() + f(5, 4))
        case("%s - f(5, 4)" % x, a.toarray() - f(5, 4))
        case("(%s * f(5, 4)):toarray()" % x, a.toarray() * f(5, 4))
        case("(%s * f(4)):toarray()" % x, a.toarray() * f(4))
        case("(%s * f(5, 1)):toarray()" % x, a.toarray() * f(5, 1))
        for other in FORMATS[:3]:
            y, b = Z(5, 4, "float64", k=5).of(other)
            case("(%s + %s):toarray()" % (x, y), a + b)
            case("(%s - %s):toarray()" % (x, y), a - b)
            case("(%s * %s):toarray()" % (x, y), a.multiply(b))
    x, a = small.of(form)
    case("(%s + %s):toarray()" % (x, made.replace("{4, 5}", "{5, 4}").replace("_matrix(%s" % entries,
        "_matrix({{1, 2, 3}, {{1, 1, 5}, {4, 4, 2}}}")), a + sp.coo_array(([1., 2, 3], ([0, 0, 4], [3, 3, 1])), (5, 4)))
    if form != "dia":
        case("(%s - %s).nnz" % (x, x), np.float64((a - a).nnz))
    for name in "sin tan arcsin arctan sinh tanh arcsinh sqrt rint sign expm1 log1p deg2rad floor ceil trunc".split():
        case("%s:%s():toarray()" % (x, name), getattr(np, name)(small.dense))
    case("abs(%s):toarray()".replace("abs(%s)", "%s:abs()") % x, abs(small.dense))
z, a = Z(5, 4, "complex128").of("csr")
case(z + ":conj():toarray()", a.conj())
case(z + ".real:toarray()", a.real)
case(z + ".imag:toarray()", a.imag)
case(z + ".H:toarray()", a.conj().T)

section = "compare"
names = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "gt": np.greater, "le": np.less_equal,
    "ge": np.greater_equal}
for form in FORMATS:
    x, a = small.of(form)
    y, b = Z(5, 4, k=5).of("csr")
    for name, fn in names.items():
        case("%s:%s(%s):toarray()" % (x, name, y), fn(a.toarray(), b.toarray()))
        for value in (0, 0.5, -0.25):
            case("%s:%s(%r):toarray()" % (x, name, value), fn(a.toarray(), value))
        case("%s:%s(f(5, 4))" % (x, name), fn(a.toarray(), f(5, 4)))
    for name in ("maximum", "minimum"):
        case("%s:%s(%s):toarray()" % (x, name, y), getattr(a, name)(b))
        for value in (0, 0.5, -0.25):
            case("%s:%s(%r):toarray()" % (x, name, value), getattr(np, name)(a.toarray(), value))

section = "reduce"
for form in FORMATS:
    for dtype in dtypes:
        x, a = Z(5, 4, dtype).of(form)
        dense = a.toarray()
        case(x + ":sum()", np.sum(dense))
        case(x + ":mean()", np.mean(dense))
        for axis in (0, 1):
            case("%s:sum(%d)" % (x, axis + 1), np.sum(dense, axis))
            case("%s:mean(%d)" % (x, axis + 1), np.mean(dense, axis))
    for m in [small, *others[1:4], others[6], M("f(3, 4) - 9", f(3, 4) - 9)]:
        x, a = m.of(form)
        for name in ("max", "min", "argmax", "argmin"):
            fn, shift = getattr(np, name), int(name[0] == "a")
            case("%s:%s()" % (x, name), fn(m.dense) + shift)
            for axis in (0, 1):
                case("%s:%s(%d)" % (x, name, axis + 1), fn(m.dense, axis) + shift)
        case("%s:count_nonzero()" % x, np.float64(np.count_nonzero(m.dense)))
        for axis in (0, 1):
            case("%s:count_nonzero(%d):astype('int64')" % (x, axis + 1), np.count_nonzero(m.dense, axis))
        for k in (0, 1, -1, -2):
            case("%s:diagonal(%d)" % (x, k), np.diagonal(m.dense, k))
        case("%s:trace()" % x, np.trace(m.dense))
nans = M("ma.where(f(5, 4):eq(0.5), ma.nan, %s)" % small.lua, np.where(f(5, 4) == 0.5, np.nan, small.dense))
for name in ("max", "min", "nanmax", "nanmin"):
    for form in ("csr", "csc", "coo"):
        x, _ = nans.of(form)
        case("%s:%s()" % (x, name), getattr(np, name)(nans.dense))
        case("%s:%s(1)" % (x, name), getattr(np, name)(nans.dense, 0))
        case("%s:%s(2)" % (x, name), getattr(np, name)(nans.dense, 1))

section = "index"
big = Z(9, 8, k=11)
reads = {"3": [2], "-1": [-1], '"2:5, :"': (slice(1, 5), slice(None)), '":, 3:7"': (slice(None), slice(2, 7)),
    '"::-1, ::2"': (slice(None, None, -1), slice(None, None, 2)), '"2:8:3, 8:2:-2"': (slice(1, 8, 3),
        slice(7, 0, -2)), "{ {}, {2, 2} }": (slice(None), slice(1, 2)), "{ {4, 1, -1}, {} }": ([3, 2, 1, 0], ),
    "ma.index {3, 1, 3, 9}": ([2, 0, 2, 8], ), "{ {}, ma.index {8, 1, 8} }": (slice(None), [7, 0, 7]),
    "{ {2, 4}, ma.index {-1, 1} }": (slice(1, 4), [-1, 0]), "{ 5, {3, 8} }": ([4], slice(2, 8)),
    "{ {3, 8}, 5 }": (slice(2, 8), [4]), "{ma.array {true, false, true, false, false, false, true, false, false}, {}}":
    ([0, 2, 6], )}
for form in FORMATS:
    x, a = big.of(form)
    for text, index in reads.items():
        case("%s[%s]:toarray()" % (x, text), big.dense[index if isinstance(index, tuple) else (index, )])
    for i, j in ((1, 1), (3, 5), (9, 8), (2, 7), (6, 6)):
        case("%s(%d, %d)" % (x, i, j), big.dense[i - 1, j - 1])
    case("%s[{ma.index {1, 3, 9, 3}, ma.index {1, 5, 8, 5}}]" % x, big.dense[[0, 2, 8, 2], [0, 4, 7, 4]])
    case("%s[f(9, 8):gt(0.25)]" % x, big.dense[f(9, 8) > 0.25])
    case("%s:getrow(4):toarray()" % x, big.dense[3:4])
    case("%s:getcol(4):toarray()" % x, big.dense[:, 3:4])
    case("%s:reshape(12, 6):toarray()" % x, big.dense.reshape(12, 6))
    case("%s:reshape({-1, 24}):toarray()" % x, big.dense.reshape(-1, 24))
    writes = [("[{2, 3}] = 7", (1, 2), 7), ("[{1, 1}] = 0", (0, 0), 0), ("[4] = 2", (3, ), 2),
        ('["2:4, 3:5"] = f(3, 3)', (slice(1, 4), slice(2, 5)), f(3, 3)), ("[{ {}, 2 }] = 1.5", (slice(None), 1), 1.5),
        ("[{ma.index {1, 9, 5}, ma.index {2, 8, 2}}] = {1, 2, 3}", ([0, 8, 4], [1, 7, 1]), [1, 2, 3]),
        ("[{ma.index {1, 1}, ma.index {2, 2}}] = {1, 2}", ([0, 0], [1, 1]), [1, 2]),
        ("[f(9, 8):lt(0)] = 0", f(9, 8) < 0, 0),
        ("[{ma.index {9, 2}, {2, 4}}] = ma.sparse.csr_matrix(%s)" % Z(2, 3).lua, (np.array([[8], [1]]), [1, 2, 3]),
            Z(2, 3).dense), ('[":, :"] = 0', slice(None), 0)]
    for text, index, value in writes:
        dense = big.dense.copy()
        dense[index] = value
        case("(function() local a = %s; a%s; return a:toarray() end)()" % (x, text), dense)
    for k in (0, 2, -3):
        for value, text in ((5, "5"), ([1, 2, 3], "{1, 2, 3}")):
            lil = sp.lil_array(big.dense)
            lil.setdiag(value, k)
            case("%s:setdiag(%s, %d):toarray()" % (x, text, k), lil)

section = "build"
S = "ma.sparse."
for form in FORMATS:
    o = ", {format = '%s'}" % form
    case("%seye(4%s):toarray()" % (S, o), sp.eye(4))
    case("%seye(3, 5, 1%s):toarray()" % (S, o), sp.eye(3, 5, 1))
    case("%seye(5, 3, {k = -2, dtype = 'int32', format = '%s'}):toarray()" % (S, form), sp.eye(5, 3, -2, "int32"))
    case("%sidentity(3, {dtype = 'complex64', format = '%s'}):toarray()" % (S, form), sp.identity(3, "complex64"))
    case("%sdiags({{1, 2, 3}, {4, 5}}, {0, -1}%s):toarray()" % (S, o), sp.diags([[1., 2, 3], [4., 5]], [0, -1]))
    case("%sdiags({1, 2, 3}, 1%s):toarray()" % (S, o), sp.diags([1., 2, 3], 1))
    case("%sdiags({{1}, {-2}, {1}}, {-1, 0, 1}, {4, 4}%s):toarray()" % (S, o),
         sp.diags([1., -2, 1], [-1, 0, 1], (4, 4)))
    case("%sdiags({{1, 2}, {3}}, {2, -1}, {3, 4}, '%s'):toarray()" % (S, form), sp.diags([[1., 2], [3.]], [2, -1],
        (3, 4)))
    case("%sspdiags({{1, 2, 3, 4}, {5, 6, 7, 8}}, {0, -2}, 5, 4, '%s'):toarray()" % (S, form),
        sp.spdiags(np.array([[1., 2, 3, 4], [5, 6, 7, 8]]), [0, -2], 5, 4))
    x, a = Z(3, 4).of(form)
    y, b = Z(2, 3, "float32").of("csc")
    case("%skron(%s, %s):toarray()" % (S, x, y), np.kron(a.toarray(), b.toarray()))
    s, c = Z(3, 3).of(form)
    t, d = Z(2, 2).of("csr")
    case("%skronsum(%s, %s):toarray()" % (S, s, t), sp.kronsum(c, d))
    case("%shstack({%s, %s}):toarray()" % (S, x, s), sp.hstack([a, c]))
    case("%svstack({%s, %s[{ {}, {1, 3} }]}):toarray()" % (S, s, x), sp.vstack([c, a.tocsr()[:, :3]]))
    case("%sbmat({{%s, %s}, {false, {{1, 2, 3}}}}):toarray()" % (S, x, s), sp.bmat([[a, c], [None, [[1, 2, 3]]]]))
    case("%sblock_diag({%s, {{1, 2}}, %s}):toarray()" % (S, x, t), sp.block_diag([a, [[1, 2]], d]))
    for k in (0, 1, -1):
        case("%stril(%s, %d):toarray()" % (S, x, k), sp.tril(a, k))
        case("%striu(%s, %d):toarray()" % (S, x, k), sp.triu(a, k))
    i, j, v = sp.find(a.tocsr())
    order = np.lexsort((j, i))
    case("%sfind(%s)" % (S, x), (i + 1)[order], (j + 1)[order], v[order])

section = "file"
for form in (*FORMATS, "bsr"):
    packed = io.BytesIO()
    sp.save_npz(packed, getattr(sp, form + "_matrix")(Z(4, 6, "int32").dense), compressed=form == "csc")
    case("load('%s'):toarray()" % packed.getvalue().hex(), Z(4, 6, "int32").dense)

print("# made by sparse.py with NumPy %s and SciPy %s" % (np.__version__, scipy.__version__))
print("\n".join(lines))
