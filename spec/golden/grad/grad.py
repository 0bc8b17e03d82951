"""Golden values of ma.grad, in the form of array/expressions.py: derivatives of whole programs in Lua, and what JAX
gives for the same. P(n, m) and W(n, m) are numbers between 0 and 1 without patterns."""
import cases
import jax
import jax.numpy as jnp
from cases import P, W, r

jax.config.update("jax_enable_x64", True)
section = ""
lines = []


def values(given):
    return [jnp.asarray(eval(text.replace(":", "."))) for text in given]


def program(lua, fn, *given):
    """A program of one result by all of its arguments, which are written in Lua and in Python alike."""
    arrays = values(given)
    found = jax.grad(fn, tuple(range(len(arrays))))(*arrays)
    numbers = ", ".join(str(k + 1) for k in range(len(arrays)))
    lines.append(cases.line(section, "unpack((ma.grad(%s, {argnums = {%s}})(%s)))" % (lua, numbers, ", ".join(given)),
        *found))


def steps(u):
    for _ in range(5):
        u = u.at[1:-1].add(0.2 * (u[2:] - 2 * u[1:-1] + u[:-2]))
    return u


def second(lua, fn, *given):
    """The derivative of a weighted sum of derivatives."""
    def slope(x, *more):
        g = jax.grad(fn)(x, *more)
        return (g * jnp.cos(jnp.arange(g.size).reshape(g.shape))).sum()
    arrays = values(given)
    lines.append(cases.line(section, "(ma.grad(function(...) local g = ma.grad(%s)(...) return (g * ma.cos(ma.arange("
        "g.size)):reshape(g.shape)):sum() end)(%s))" % (lua, ", ".join(given)), jax.grad(slope)(*arrays)))


section = "elements"
program("function(x, y) return (ma.sin(x) * y + ma.exp(x * y) / (1 + y ^ 2)):sum() end",
    lambda x, y: (jnp.sin(x) * y + jnp.exp(x * y) / (1 + y ** 2)).sum(), "P(3, 4)", "W(3, 4)")
program("function(x, y) return (x ^ y + ma.hypot(x, y) * ma.arctan2(x, y)):sum() end",
    lambda x, y: (x ** y + jnp.hypot(x, y) * jnp.arctan2(x, y)).sum(), "P(3, 4)", "W(1, 4)")
program("function(x) return (ma.log1p(x) * ma.expm1(x) - ma.logaddexp(x, 2 * x) + ma.sinc(x)):mean() end",
    lambda x: (jnp.log1p(x) * jnp.expm1(x) - jnp.logaddexp(x, 2 * x) + jnp.sinc(x)).mean(), "P(2, 5)")
program("function(x, y) return (ma.special.gammaln(x) * ma.special.erf(y) + ma.special.digamma(x + y)):sum() end",
    lambda x, y: (jax.scipy.special.gammaln(x) * jax.scipy.special.erf(y) + jax.scipy.special.digamma(x + y)).sum(),
    "P(2, 5)", "W(2, 1)")
program("function(x) return (ma.where(x:gt(0.5), ma.sqrt(x), x ^ 3) + ma.clip(x, 0.2, 0.7) ^ 2):sum() end",
    lambda x: (jnp.where(x > 0.5, jnp.sqrt(x), x ** 3) + jnp.clip(x, 0.2, 0.7) ** 2).sum(), "P(3, 5)")
program("function(x, y) return (ma.maximum(x, y) * ma.minimum(x, 0.4) + x % (y + 1)):sum() end",
    lambda x, y: (jnp.maximum(x, y) * jnp.minimum(x, 0.4) + x % (y + 1)).sum(), "P(3, 5)", "W(3, 5)")
program("function(x) return (ma.abs(x) * ma.tanh(x) + ma.arcsinh(x) * ma.cosh(x)):sum() end",
    lambda x: (jnp.abs(x) * jnp.tanh(x) + jnp.arcsinh(x) * jnp.cosh(x)).sum(), "P(3, 5) - 0.5")

section = "reductions"
program("function(x) local y = ma.exp(x - x:max(2, {keepdims = true})) "
    "return ma.log((y / y:sum(2, {keepdims = true}))['..., 2']):sum() end",
    lambda x: jnp.log(jax.nn.softmax(x, axis=1)[:, 1]).sum(), "3 * P(4, 5)")
program("function(x) return (ma.logsumexp(x, 1) ^ 2):sum() end",
    lambda x: (jax.scipy.special.logsumexp(x, axis=0) ** 2).sum(), "P(4, 5)")
program("function(x) return (x:std(2) * x:mean(2, {keepdims = true}):ravel() + x:var(2, {ddof = 1})):sum() end",
    lambda x: (x.std(1) * x.mean(1) + x.var(1, ddof=1)).sum(), "P(4, 5)")
program("function(x) return (x:prod(-1) * x:cumsum(-1)['..., 2'] + x:cumprod(1)['3']):sum() end",
    lambda x: (x.prod(-1) * x.cumsum(-1)[:, 1] + x.cumprod(0)[2]).sum(), "P(4, 4)")
program("function(x) return (x:sum({1, 3}) ^ 2):sum() + x:min(2):max() end",
    lambda x: (x.sum((0, 2)) ** 2).sum() + x.min(1).max(), "P(4, 6):reshape(2, 3, 4)")
program("function(x) return (ma.sort(x, 1) * ma.arange(5)):sum() + ma.median(x, 2):sum() end",
    lambda x: (jnp.sort(x, 0) * jnp.arange(5)).sum() + jnp.median(x, 1).sum(), "P(4, 5)")
program("function(x) return x:prod() + (x:cumprod() ^ 2):sum() end",
    lambda x: x.prod() + (x.cumprod() ** 2).sum(), "P(1, 5):reshape(5) + 0.5")
program("function(x) return (x:sum(1, {where = x:gt(0.4)}) ^ 2):sum() + x:mean(2, {where = x:lt(0.9)}):sum() end",
    lambda x: (x.sum(0, where=x > 0.4) ** 2).sum() + x.mean(1, where=x < 0.9).sum(), "P(4, 5)")

section = "places"
program("function(x) local y = ma.zeros({6, 6}) y['2:-2, 2:-2'] = x y['1'] = y['3'] + y['4'] y['2:, 1'] = y['1:5, 3'] "
    "return (y * y.T):sum() end",
    lambda x: (lambda y: (y * y.T).sum())((lambda y: y.at[1:, 0].set(y[:5, 2]))((lambda y: y.at[0].set(y[2] + y[3]))(
        jnp.zeros((6, 6)).at[1:-1, 1:-1].set(x)))), "P(4, 4)")
program("function(x) local i = ma.index{4, 1, 4, 2} return (x:take(i, 1) ^ 2 * ma.arange(5)):sum() end",
    lambda x: (x[jnp.array([3, 0, 3, 1])] ** 2 * jnp.arange(5)).sum(), "P(4, 5)")
program("function(x) return (ma.roll(x, 2, 2) * ma.pad(x, 1)['1:4, 2:6'] * x['::-1']):sum() end",
    lambda x: (jnp.roll(x, 2, 1) * jnp.pad(x, 1)[0:4, 1:6] * x[::-1]).sum(), "P(4, 5)")
program("function(x, y) return (ma.concatenate({x, y, x * y}, 2) ^ 2 * ma.stack({x['..., 1'], y['..., 2']}, 2):sum(2)"
    ":reshape(4, 1)):sum() end",
    lambda x, y: (jnp.concatenate([x, y, x * y], 1) ** 2 * jnp.stack([x[:, 0], y[:, 1]], 1).sum(1).reshape(4, 1)).sum(),
    "P(4, 5)", "W(4, 5)")
program("function(x) local y = x * 1 y:iadd_at(ma.index{2, 2, 4}, x['1:3']) return (y ^ 2):sum() end",
    lambda x: (x.at[jnp.array([1, 1, 3])].add(x[:3]) ** 2).sum(), "P(1, 5):reshape(5)")
program("function(x) return (ma.lib.stride_tricks.sliding_window_view(x, 3) ^ 2 * ma.arange(3)):sum() end",
    lambda x: (jnp.stack([x[i:i + 3] for i in range(4)]) ** 2 * jnp.arange(3)).sum(), "P(1, 6):reshape(6)")
program("function(x) local u = x for _ = 1, 5 do local v = u * 1 "
    "v['2:-2'] = u['2:-2'] + 0.2 * (u['3:'] - 2 * u['2:-2'] + u[':-3']) u = v end return (u ^ 2):sum() end",
    lambda x: (steps(x) ** 2).sum(), "P(1, 9):reshape(9)")

section = "products"
program("function(a, b) return (ma.matmul(a, b) ^ 2):sum() end", lambda a, b: (jnp.matmul(a, b) ** 2).sum(),
    "P(6, 4):reshape(2, 3, 4)", "W(4, 5)")
program("function(a, b) return (ma.einsum('ij,kj,k->i', a, b, a['..., 1']) ^ 2):sum() end",
    lambda a, b: (jnp.einsum("ij,kj,k->i", a, b, a[:, 0]) ** 2).sum(), "P(3, 4)", "W(3, 4)")
program("function(a) return ma.einsum('ii->i', a):prod() + ma.einsum('...i,...i->...', a, a.T):max() end",
    lambda a: jnp.einsum("ii->i", a).prod() + jnp.einsum("...i,...i->...", a, a.T).max(), "P(4, 4)")
program("function(a, b) return (ma.tensordot(a, b, 1) * ma.outer(a['1'], b['..., 1'])['1:3, 1:5'] ):sum() "
    "+ ma.kron(a, b):std() end",
    lambda a, b: (jnp.tensordot(a, b, 1) * jnp.outer(a[0], b[:, 0])[:3, :5]).sum() + jnp.kron(a, b).std(),
    "P(3, 5)", "W(5, 5)")
program("function(a, b) return (ma.linalg.solve(a, b) ^ 2):sum() end",
    lambda a, b: (jnp.linalg.solve(a, b) ** 2).sum(), "P(4, 4) + 2 * r(4, 4)", "W(4, 2)")
program("function(a) return ma.linalg.det(a) * ma.linalg.inv(a):sum() end",
    lambda a: jnp.linalg.det(a) * jnp.linalg.inv(a).sum(), "P(3, 3)")
program("function(a) local l = ma.linalg.cholesky(ma.matmul(a, a.T) + ma.eye(4)) return ma.log(l:diagonal()):sum() "
    "+ select(2, ma.linalg.slogdet(a)) + l:sum() end",
    lambda a: (lambda l: jnp.log(jnp.diagonal(l)).sum() + jnp.linalg.slogdet(a)[1] + l.sum())(
        jnp.linalg.cholesky(a @ a.T + jnp.eye(4))), "P(4, 4)")
program("function(w, v, x) return (ma.matmul(ma.tanh(ma.matmul(x, w)), v) ^ 2):mean() + ma.linalg.norm(w) end",
    lambda w, v, x: ((jnp.tanh(x @ w) @ v) ** 2).mean() + jnp.linalg.norm(w), "P(3, 4)", "W(4, 2)", "P(5, 3)")

section = "second"
second("function(x) return (x ^ 3 * ma.sin(x)):sum() + x:prod() end", lambda x: (x ** 3 * jnp.sin(x)).sum() + x.prod(),
    "P(1, 5):reshape(5)")
second("function(x) return ma.logsumexp(x) * x:std() end", lambda x: jax.scipy.special.logsumexp(x) * x.std(),
    "P(1, 5):reshape(5)")
second("function(a) return (ma.linalg.inv(a) ^ 2):sum() + ma.linalg.det(a) end",
    lambda a: (jnp.linalg.inv(a) ** 2).sum() + jnp.linalg.det(a), "P(3, 3)")
second("function(x) local y = ma.zeros(6) y['2:'] = x y['1:5']:imul(x) return (y['::-1'] * y ^ 2):sum() end",
    lambda x: (lambda y: (y[::-1] * y ** 2).sum())(
        (lambda y: y.at[:5].multiply(x))(jnp.zeros(6).at[1:].set(x))), "P(1, 5):reshape(5)")
second("function(x) local d = x:expand_dims(1) - x:expand_dims(2) local q = (d ^ 2):sum(3) + ma.eye(5) "
    "return (1 / ma.sqrt(q)):sum() end",
    lambda x: (1 / jnp.sqrt(((x[None] - x[:, None]) ** 2).sum(2) + jnp.eye(5))).sum(), "P(5, 3)")

print("# made by grad.py with JAX %s" % jax.__version__)
print("\n".join(lines))
