"""What the scripts of expressions share: the inputs that spec/expressions.lua makes too, and the printing of a case."""
import numpy as np


def r(*shape):
    return (np.arange(int(np.prod(shape)), dtype=np.int64) * 7 % 11 - 3).reshape(shape)


def f(*shape):
    return r(*shape) / 8


def g(*shape):
    x = f(*shape)
    x[x == 0.5] = np.nan
    return x


def c(*shape):
    return r(*shape) + 1j * r(*shape)[..., ::-1]


def P(n, m):
    return ((np.arange(n * m) + 1) * 7919 % 10007 / 10007).reshape(n, m)


def cf(*shape):
    return c(*shape) / 8


def W(n, m):
    return ((np.arange(n * m) + 3)**2 * 7919 % 10007 / 10007).reshape(n, m)


def X(n):
    return np.cumsum(r(n) % 3 + 1) / 4


def Q(n):
    return np.arange(-1, 13) / 11 * X(n)[-1]


def strided(*shape):
    return r(*(2 * n for n in shape))[(slice(None, None, 2),) * len(shape)]


def lua(value):
    """A value of Python as Lua writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "{" + ", ".join(map(lua, value)) + "}"
    if isinstance(value, str):
        return '"' + value + '"'
    if isinstance(value, complex):
        return "ma.complex(%r, %r)" % (value.real, value.imag)
    return repr(value)


def number(x):
    return "%.17g" % x if np.isfinite(x) else "nan" if np.isnan(x) else "inf" if x > 0 else "-inf"


def element(x):
    if x.dtype.kind == "c":
        return number(x.real) + " " + number(x.imag)
    return number(x) if x.dtype.kind == "f" else str(int(x))


def line(section, expression, *results):
    fields = [section, expression]
    for a in results:
        a = np.asarray(a)
        fields += [str(a.dtype), ",".join(map(str, a.shape)), " ".join(element(x) for x in a.ravel())]
    return "\t".join(fields)


def case(section, expression, *results):
    print(line(section, expression, *results))
