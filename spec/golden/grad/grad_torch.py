"""Golden values of ma.grad as grad.py has them, of other programs, and what PyTorch gives for these. PyTorch is none of
requirements.txt, since it is large: with a Python that has it and NumPy,
PYTHONPATH=spec/golden/shared python3 spec/golden/grad/grad_torch.py > file, then make golden GOLDEN=grad_torch=file."""
import cases
import torch
import torch.nn.functional as F
from cases import P, W, r

torch.set_default_dtype(torch.float64)
section = ""
lines = []
L = torch.linalg


def values(given):
    return [torch.tensor(eval(text.replace(":", ".")), requires_grad=True) for text in given]


def program(lua, fn, *given):
    """A program of one result by all of its arguments, which are written in Lua and in Python alike."""
    arrays = values(given)
    found = torch.autograd.grad(fn(*arrays), arrays)
    numbers = ", ".join(str(k + 1) for k in range(len(arrays)))
    lines.append(cases.line(section, "unpack((ma.grad(%s, {argnums = {%s}})(%s)))" % (lua, numbers, ", ".join(given)),
        *(g.numpy() for g in found)))


def second(lua, fn, *given):
    """The derivative of a weighted sum of derivatives."""
    arrays = values(given)
    g = torch.autograd.grad(fn(*arrays), arrays[0], create_graph=True)[0]
    weights = torch.cos(torch.arange(g.numel(), dtype=torch.float64)).reshape(g.shape)
    found = torch.autograd.grad((g * weights).sum(), arrays[0])[0]
    lines.append(cases.line(section, "(ma.grad(function(...) local g = ma.grad(%s)(...) return (g * ma.cos(ma.arange("
        "g.size)):reshape(g.shape)):sum() end)(%s))" % (lua, ", ".join(given)), found.numpy()))


def heat(u, pad):
    for _ in range(5):
        v = pad(u)
        u = u + 0.2 * (v[:-2] - 2 * u + v[2:])
    return u


def replicated(u):
    return torch.cat([u[:1], u, u[-1:]])


def around(u):
    return torch.cat([u[-1:], u, u[:1]])


section = "elements"
program("function(x, y) return (ma.tanh(x) * ma.special.expit(y) + ma.log1p(ma.exp(x * y))):sum() end",
    lambda x, y: (torch.tanh(x) * torch.sigmoid(y) + F.softplus(x * y)).sum(), "P(3, 4)", "W(3, 1)")
program("function(x, y) return (x ^ y + ma.arctan2(x, y) * ma.hypot(x, y)):sum() end",
    lambda x, y: (x ** y + torch.atan2(x, y) * torch.hypot(x, y)).sum(), "P(3, 4)", "W(3, 4)")
program("function(x, y) return (ma.special.gammaln(x) * ma.special.erfc(y) + ma.special.erfinv(x * y)):sum() end",
    lambda x, y: (torch.lgamma(x) * torch.erfc(y) + torch.erfinv(x * y)).sum(), "P(3, 4)", "W(3, 4)")
program("function(x) return (ma.i0(x) * ma.special.i1(x) + ma.special.ndtri(x) * ma.special.log_ndtr(x)):sum() end",
    lambda x: (torch.special.i0(x) * torch.special.i1(x) + torch.special.ndtri(x) * torch.special.log_ndtr(x)).sum(),
    "P(3, 4) * 0.8 + 0.1")
program("function(x, y) return (ma.special.xlogy(x, y) + ma.sinc(x) / (1 + ma.special.entr(y))):sum() end",
    lambda x, y: (torch.xlogy(x, y) + torch.sinc(x) / (1 + torch.special.entr(y))).sum(), "P(3, 4)", "W(3, 4)")
program("function(x, y) return (x % y * ma.abs(x - 0.5) + ma.where(x:gt(y), x ^ 2, ma.clip(y, 0.3, 0.6))):sum() end",
    lambda x, y: (torch.remainder(x, y) * torch.abs(x - 0.5) + torch.where(x > y, x ** 2, torch.clamp(y, 0.3, 0.6))
        ).sum(), "P(3, 4)", "W(3, 4) + 0.05")
program("function(x, y) return (ma.maximum(x, y) * ma.minimum(x, y * 2)):sum() end",
    lambda x, y: (torch.maximum(x, y) * torch.minimum(x, y * 2)).sum(), "r(3, 4) / 2", "r(4, 3):reshape(3, 4) / 2")

section = "reductions"
program("function(x) return (ma.special.log_softmax(x, 2) * ma.special.softmax(x, 1)):sum() end",
    lambda x: (torch.log_softmax(x, 1) * torch.softmax(x, 0)).sum(), "3 * P(4, 5)")
program("function(x) return (x:var(1, {ddof = 1}) * ma.logsumexp(x, 1) + x:std(1)):sum() end",
    lambda x: (x.var(0) * torch.logsumexp(x, 0) + x.std(0, correction=0)).sum(), "P(4, 5)")
program("function(x) return x:prod() + (x:prod(2) ^ 2):sum() end", lambda x: x.prod() + (x.prod(1) ** 2).sum(),
    "r(2, 6) / 2")
program("function(x) return (x:cumprod(2) * ma.arange(1, 7)):sum() end",
    lambda x: (torch.cumprod(x, 1) * torch.arange(1, 7)).sum(), "r(2, 6) / 2")
program("function(x) return (x:max(2) * x:min(2)):sum() end", lambda x: (x.amax(1) * x.amin(1)).sum(), "r(4, 12) / 4")
program("function(x) return (ma.linalg.norm(x, 3, 2) * ma.linalg.norm(x, nil, 2)):sum() + ma.linalg.norm(x, 1) end",
    lambda x: (L.vector_norm(x, 3, 1) * L.vector_norm(x, 2, 1)).sum() + L.matrix_norm(x, 1), "P(4, 5)")
program("function(x) return (ma.sort(x, 2, {descending = true})['..., 1:2'] * x:cumsum(2)['..., 2:3']):sum() end",
    lambda x: (torch.sort(x, 1, descending=True)[0][:, :2] * torch.cumsum(x, 1)[:, 1:3]).sum(), "P(4, 5)")

section = "places"
program("function(x) return (ma.roll(x, 1, 1) * x['::-1'] * ma.flip(x, 2)):sum() end",
    lambda x: (torch.roll(x, 1, 0) * x.flip(0) * x.flip(1)).sum(), "P(4, 5)")
program("function(x) local i = ma.index{2, 2, 1} return (x:take(i, 2) ^ 3):sum() + x[{i, i}]:prod() end",
    lambda x: (x[:, [1, 1, 0]] ** 3).sum() + x[[1, 1, 0], [1, 1, 0]].prod(), "P(4, 5)")
program("function(x, y) local z = x * 1 z:iadd_at(ma.index{1, 1, 3}, y) return (z ^ 2):sum() end",
    lambda x, y: (x.index_add(0, torch.tensor([0, 0, 2]), y) ** 2).sum(), "P(4, 5)", "W(3, 5)")
program("function(x) return (x:take_along_axis(ma.argsort(x, 2), 2) * ma.arange(5)):sum() end",
    lambda x: (torch.gather(x, 1, torch.argsort(x, 1)) * torch.arange(5)).sum(), "P(4, 5)")
program("function(x) return (ma.lib.stride_tricks.sliding_window_view(x, 3):max(2) ^ 2):sum() end",
    lambda x: (x.unfold(0, 3, 1).amax(1) ** 2).sum(), "P(1, 9):reshape(9)")
program("function(x) local s = ma.stencil(function(u) return u(0) + 0.2 * (u(-1) - 2 * u(0) + u(1)) end, "
    "{boundary = 'wrap'}) return (s:run(x, {steps = 5}) ^ 2 * ma.arange(9)):sum() end",
    lambda x: (heat(x, around) ** 2 * torch.arange(9)).sum(), "P(1, 9):reshape(9)")
program("function(x) local s = ma.stencil(function(u) return u(0) + 0.2 * (u(-1) - 2 * u(0) + u(1)) end, "
    "{boundary = 'nearest'}) return (s:run(x, {steps = 5}) ^ 3):sum() end",
    lambda x: (heat(x, replicated) ** 3).sum(), "P(1, 9):reshape(9)")

section = "products"
program("function(a, b) return (ma.matmul(a, b) ^ 2):sum() end", lambda a, b: ((a @ b) ** 2).sum(),
    "P(6, 4):reshape(2, 3, 4)", "W(4, 5)")
program("function(a, b) return ma.sin(ma.einsum('ij,jk,ki->i', a, b, a)):sum() end",
    lambda a, b: torch.sin(torch.einsum("ij,jk,ki->i", a, b, a)).sum(), "P(4, 4)", "W(4, 4)")
program("function(x, k) return (ma.convolve(x, k) ^ 2):sum() + ma.correlate(x, k):prod() end",
    lambda x, k: (F.conv1d(x[None, None], k.flip(0)[None, None], padding=2) ** 2).sum()
        + F.conv1d(x[None, None], k[None, None]).prod(), "P(1, 6):reshape(6)", "W(1, 3):reshape(3)")
program("function(x, k) return (ma.signal.convolve2d(x, k, 'valid') ^ 2):sum() end",
    lambda x, k: (F.conv2d(x[None, None], k.flip(0, 1)[None, None]) ** 2).sum(), "P(5, 6)", "W(3, 2)")
program("function(x, k) return (ma.signal.fftconvolve(x, k) ^ 3):sum() end",
    lambda x, k: (F.conv2d(x[None, None], k.flip(0, 1)[None, None], padding=(2, 1)) ** 3).sum(), "P(5, 6)", "W(3, 2)")
program("function(x) return (ma.abs(ma.fft.rfft(x)) * ma.abs(ma.fft.fft2(ma.outer(x, x))):sum()):sum() end",
    lambda x: (torch.fft.rfft(x).abs() * torch.fft.fft2(torch.outer(x, x)).abs().sum()).sum(), "P(1, 6):reshape(6)")
program("function(x, w, b, v) local h = ma.maximum(ma.matmul(x, w) + b - 0.8, 0) "
    "return -ma.special.log_softmax(ma.matmul(h, v), 2)['..., 1']:mean() end",
    lambda x, w, b, v: -torch.log_softmax(F.relu(x @ w + b - 0.8) @ v, 1)[:, 0].mean(), "P(5, 3)", "W(3, 4)", "P(1, 4)",
    "W(4, 3)")
program("function(d, x) local a = ma.sparse.csr_matrix({d, ma.index{1, 3, 2, 3}, ma.index{1, 3, 4, 5}}, {3, 3}) "
    "return (a:dot(x) ^ 2):sum() end",
    lambda d, x: (torch.stack([d[0] * x[0] + d[1] * x[2], d[2] * x[1], d[3] * x[2]]) ** 2).sum(),
    "P(1, 4):reshape(4)", "W(3, 2)")

section = "factors"
program("function(a) local w, v = ma.linalg.eigh(a + a.T) return (w * ma.arange(4)):sum() + (v ^ 4):sum() end",
    lambda a: (lambda w, v: (w * torch.arange(4)).sum() + (v ** 4).sum())(*L.eigh(a + a.T)), "P(4, 4)")
program("function(a, b) local h = a + ma.complex(0, 1) * b h = h + ma.conj(h.T) local w, v = ma.linalg.eigh(h) "
    "return (ma.exp(w) * (ma.abs(v) ^ 4):sum(1)):sum() end",
    lambda a, b: (lambda w, v: (torch.exp(w) * (v.abs() ** 4).sum(0)).sum())(
        *L.eigh(torch.complex(a, b) + torch.complex(a, b).mH)), "P(3, 3)", "W(3, 3)")
program("function(a) local u, s, vh = ma.linalg.svd(a, false) return (s ^ 3):sum() + ((u ^ 2 * s):sum(1) "
    "* (vh ^ 4):sum(2)):sum() end",
    lambda a: (lambda u, s, vh: (s ** 3).sum() + ((u ** 2 * s).sum(0) * (vh ** 4).sum(1)).sum())(
        *L.svd(a, full_matrices=False)), "P(5, 3)")
program("function(a) return ma.linalg.norm(a, 'nuc') * ma.linalg.norm(a, 2) / ma.linalg.svdvals(a):min() end",
    lambda a: L.matrix_norm(a, "nuc") * L.matrix_norm(a, 2) / L.svdvals(a).min(), "P(3, 4)")
program("function(a, b) return (ma.linalg.pinv(a) ^ 2):sum() + (ma.linalg.lstsq(a, b) ^ 3):sum() end",
    lambda a, b: (L.pinv(a) ** 2).sum() + (L.lstsq(a, b)[0] ** 3).sum(), "P(5, 3)", "W(5, 2)")
program("function(a) local q, r = ma.linalg.qr(a) return (ma.abs(r) * ma.arange(3)):sum() + (q ^ 4):sum() end",
    lambda a: (lambda q, r: (r.abs() * torch.arange(3)).sum() + (q ** 4).sum())(*L.qr(a)), "P(5, 3)")
program("function(a) return ma.linalg.det(a) ^ 2 + select(2, ma.linalg.slogdet(a)) end",
    lambda a: L.det(a) ** 2 + L.slogdet(a)[1], "P(4, 4)")
program("function(a) return ma.linalg.det(a) end", lambda a: L.det(a), "r(3, 3) * P(1, 3) * 0 + r(3, 1) / 2")
program("function(a) return (ma.linalg.expm(a) ^ 2):sum() + ma.linalg.matrix_power(a, 5):sum() end",
    lambda a: (torch.matrix_exp(a) ** 2).sum() + L.matrix_power(a, 5).sum(), "P(4, 4)")
program("function(a, b) local s = ma.matmul(a, a.T) + ma.eye(4) local l = ma.linalg.cholesky(s) "
    "return (ma.linalg.solve_triangular(l, b, 0, true) ^ 2):sum() + (ma.linalg.solve(s, b) ^ 3):sum() end",
    lambda a, b: (lambda s: (L.solve_triangular(L.cholesky(s), b, upper=False) ** 2).sum()
        + (L.solve(s, b) ** 3).sum())(a @ a.T + torch.eye(4)), "P(4, 4)", "W(4, 2)")
program("function(a, b) local z = ma.linalg.inv(a + ma.complex(0, 1) * b) return (ma.abs(z) ^ 2):sum() end",
    lambda a, b: (L.inv(torch.complex(a, b)).abs() ** 2).sum(), "P(3, 3)", "W(3, 3)")

section = "second"
second("function(x) return (ma.tanh(x) * x ^ 3):sum() * x:std() end",
    lambda x: (torch.tanh(x) * x ** 3).sum() * x.std(correction=0), "P(1, 5):reshape(5)")
second("function(a) return (ma.exp(ma.linalg.eigvalsh(a + a.T) / 4)):sum() end",
    lambda a: torch.exp(L.eigvalsh(a + a.T) / 4).sum(), "P(4, 4)")
second("function(a) return (ma.linalg.pinv(a) ^ 2):sum() + ma.linalg.norm(a, 'nuc') end",
    lambda a: (L.pinv(a) ** 2).sum() + L.matrix_norm(a, "nuc"), "P(4, 2)")
second("function(x) return (x:cumprod() ^ 2):sum() end", lambda x: (torch.cumprod(x, 0) ** 2).sum(),
    "P(1, 5):reshape(5)")
second("function(x) local s = ma.stencil(function(u) return u(0) + u(-1) * u(1) end, {boundary = 'wrap'}) "
    "return (s:run(x, {steps = 2}) ^ 2):sum() end",
    lambda x: (lambda step: (step(step(x)) ** 2).sum())(lambda u: u + around(u)[:-2] * around(u)[2:]),
    "P(1, 5):reshape(5)")

print("# made by grad_torch.py with PyTorch %s" % torch.__version__)
print("\n".join(lines))
