"""Golden values of graphs, in the form of array/expressions.py: calls in Lua and what SciPy gives for the same, with
positions from 1 on and 0 for none."""

import cases
import numpy as np
import scipy
from cases import f, r
from scipy.sparse import csgraph, csr_matrix

section = "csgraph"
lines = []


def case(expression, *results):
    lines.append(cases.line(section, expression, *results))


def positions(x):
    return np.where(x < 0, 0, x + 1).astype("int32")


def sparse(x):
    """As in spec/expressions.lua: small numbers, many of them 0."""
    return np.where(x > 3, x, 0)


graphs = {
    "sparse(r(5, 5))": sparse(r(5, 5)),
    "sparse(r(12, 12))": sparse(r(12, 12)),
    "sparse(r(7, 7)).T": np.ascontiguousarray(sparse(r(7, 7)).T),
    "ma.zeros({3, 3})": np.zeros((3, 3)),
    "ma.ones({1, 1})": np.ones((1, 1)),
    "sparse(f(9, 9) * 8)": sparse(f(9, 9) * 8),
}
for lua, x in graphs.items():
    for connection in ("weak", "strong"):
        n, labels = csgraph.connected_components(x, connection=connection)
        call = "graph_parts(%s, '%s')" % (lua, connection)
        case(call, np.int64(n), labels.astype("int32") + 1)
    for directed in (True, False):
        flag = str(directed).lower()
        order, before = csgraph.breadth_first_order(x, 0, directed)
        case("G.breadth_first_order(%s, 1, %s)" % (lua, flag), positions(order), positions(before))
        order, before = csgraph.depth_first_order(x, 0, directed)
        case("G.depth_first_order(%s, 1, %s)" % (lua, flag), positions(order), positions(before))
        for method in ("D", "BF", "J", "FW"):
            case("G.shortest_path(%s, '%s', %s)" % (lua, method, flag), csgraph.shortest_path(x, method, directed))
            case("G.shortest_path(%s, '%s', %s, {unweighted = true})" % (lua, method, flag),
                csgraph.shortest_path(x, method, directed, unweighted=True))
    case("G.minimum_spanning_tree(%s):toarray():sum()" % lua, csgraph.minimum_spanning_tree(csr_matrix(x)).sum() * 1.0)
    case("ma.array(G.structural_rank(%s), 'int64')" % lua, np.int64(csgraph.structural_rank(csr_matrix(x))))
    for normed in (False, True):
        for out in (False, True):
            flags = "%s, true, %s" % (str(normed).lower(), str(out).lower())
            y = x.astype(float)
            values = csgraph.laplacian(y, normed=normed, return_diag=True, use_out_degree=out)
            case("G.laplacian((%s):astype('float64'), %s)" % (lua, flags), *values)
            case("G.laplacian(ma.sparse.csr_matrix((%s):astype('float64')), %s):toarray()" % (lua, "%s, false, %s" % (
                str(normed).lower(), str(out).lower())), values[0])
    case("G.laplacian((%s):astype('float64'), {symmetrized = true})" % lua,
        csgraph.laplacian(x.astype(float), symmetrized=True))

print("# made by csgraph.py with SciPy %s" % scipy.__version__)
print("\n".join(lines))
