"""Golden values of cosine, sine, Hermitian and Hankel transforms, in the form of array/expressions.py: calls in Lua
and what SciPy gives for the same."""
import warnings

import cases
import numpy as np
import scipy.fft as F
import scipy.fftpack as P
from cases import c, f, g, r, strided

warnings.simplefilter("ignore")
section = ""
lines = []


def case(expression, *results):
    lines.append(cases.line(section, expression, *results))


def lua(value):
    return "nil" if value is None else str(value).lower() if isinstance(value, bool) else (
        "{%s}" % ", ".join(map(str, value)) if isinstance(value, tuple) else repr(value))


def call(name, text, x, type, **options):
    """Axes count from 1 in Lua."""
    given = dict(options)
    if "axis" in given and given["axis"] >= 0:
        given["axis"] += 1
    if "axes" in given:
        given["axes"] = tuple(a + 1 if a >= 0 else a for a in given["axes"])
    words = ", ".join("%s = %s" % (k, lua(v)) for k, v in given.items())
    case("ma.fft.%s(%s, %d%s)" % (name, text, type, ", {%s}" % words if words else ""),
         getattr(F, name)(x, type, **options))


section = "cosine"
names = "dct", "idct", "dst", "idst"
for type in 1, 2, 3, 4:
    for name in names:
        for n in 1, 2, 3, 4, 5, 8, 9:
            if n > 1 or type > 1 or "s" in name:
                call(name, "f(%d)" % n, f(n), type)
        for n in 6, 7:
            for norm in "backward", "ortho", "forward":
                call(name, "f(%d)" % n, f(n), type, norm=norm)
                for orthogonalize in False, True:
                    call(name, "f(%d)" % n, f(n), type, norm=norm, orthogonalize=orthogonalize)
        for dtype in "int32", "float32", "complex64", "complex128", "bool":
            call(name, "r(5):astype('%s')" % dtype, r(5).astype(dtype), type)
        call(name, "f(3, 4)", f(3, 4), type, axis=0)
        call(name, "strided(3, 4)", strided(3, 4), type)
        call(name, "f(3, 4):transpose()", f(3, 4).T, type, n=6)
        call(name, "f(3, 7)", f(3, 7), type, n=4, norm="ortho")
        call(name, "g(2, 6)", g(2, 6), type)
        call(name, "f(0, 4)", f(0, 4), type)
        call(name, "c(4)", c(4), type)
        call(name + "n", "f(3, 4)", f(3, 4), type)
        call(name + "n", "f(2, 3, 4)", f(2, 3, 4), type, axes=(2, 0), norm="ortho")
        call(name + "n", "f(2, 3, 4)", f(2, 3, 4), type, s=(5, 3), axes=(0, 1), norm="forward")
        call(name + "n", "f(2, 3, 4):astype('float32')", f(2, 3, 4).astype("f4"), type, s=(3, 5))

section = "hermitian"
for name in "hfft2", "ihfft2", "hfftn", "ihfftn":
    inverse = name[0] == "i"
    make, text = (f, "f") if inverse else (c, "c")
    for shape in (3, 4), (2, 3, 5):
        x, given = make(*shape), "%s(%s)" % (text, ", ".join(map(str, shape)))
        for norm in "backward", "ortho", "forward":
            case("ma.fft.%s(%s, {norm = '%s'})" % (name, given, norm), getattr(F, name)(x, norm=norm))
        case("ma.fft.%s(%s, {5, 6})" % (name, given), getattr(F, name)(x, (5, 6), (-2, -1) if "2" in name else None))
        case("ma.fft.%s(%s, {4, 3}, {2, 1})" % (name, given), getattr(F, name)(x, (4, 3), (1, 0)))
        single = x.astype("f4" if inverse else "c8")
        case("ma.fft.%s(%s:astype('%s'))" % (name, given, single.dtype), getattr(F, name)(single))

section = "hankel"
for n in 1, 2, 5, 8, 16:
    for dln, mu, offset, bias in ((0.1, 0.5, 0, 0), (0.2, 0, 0.3, 0), (0.05, 2.5, -0.2, 0.25), (0.3, 1, 0.1, -0.5),
                                  (0.1, -0.75, 0, 0.1), (0.1, 0, 0, 2), (0.1, 0, 0, 1), (0.1, 0, 0, -1), (0.1, 0.5, 0,
                                      1.5),
                                  (0.1, 1, 0, 4)):
        for name in "fht", "ifht":
            x = f(n) + 1
            case("ma.fft.%s(f(%d) + 1, %r, %r, %r, %r)" % (name, n, dln, mu, offset, bias),
                 getattr(F, name)(x, dln, mu, offset, bias))
case("ma.fft.fht(f(3, 6), 0.1, 0.5)", F.fht(f(3, 6), 0.1, 0.5))
case("ma.fft.fht(r(6), 0.1, 0.5, 0, 0.5)", F.fht(r(6), 0.1, 0.5, 0, 0.5))
for dln, mu, initial, bias in (0.1, 0.5, 0, 0), (0.2, 0, 0.3, 0.4), (0.05, 2.5, -1, 0.25), (0.7, -0.25, 2, 0), (1.5,
    30, 0, 0):
    case("ma.array(ma.fft.fhtoffset(%r, %r, %r, %r))" % (dln, mu, initial, bias),
         np.array(F.fhtoffset(dln, mu, initial, bias)))

section = "lengths"
smooth = sorted(2**a * 3**b * 5**c5 * 7**d for a in range(40) for b in range(25) for c5 in range(18) for d in range(15)
                if 2**a * 3**b * 5**c5 * 7**d < 2**40)
for target in list(range(1, 40)) + [97, 121, 1000, 1021, 1025, 9409, 65537, 999983, 2**31 - 1, 2**31 + 1, 10**12 - 11]:
    case("ma.array({ma.fft.next_fast_len(%d), ma.fft.prev_fast_len(%d)}, 'int64')" % (target, target),
         np.array([next(s for s in smooth if s >= target), max(s for s in smooth if s <= target)]))

section = "fftpack"
for n in 1, 2, 5, 8:
    case("ma.fftpack.rfft(f(%d))" % n, P.rfft(f(n)))
    case("ma.fftpack.irfft(f(%d))" % n, P.irfft(f(n)))
    for name in "rfft", "irfft":
        case("ma.fftpack.%s(f(6, 3), %d, 1)" % (name, n), getattr(P, name)(f(6, 3), n, 0))
        case("ma.fftpack.%s(f(2, 6):astype('float32'), %d)" % (name, n), getattr(P, name)(f(2, 6).astype("f4"), n))
case("ma.fftpack.fft(f(2, 6), 4, 1)", P.fft(f(2, 6), 4, 0))
case("ma.fftpack.ifft(c(2, 6))", P.ifft(c(2, 6)))
case("ma.fftpack.fft2(c(3, 4), {4, 2})", P.fft2(c(3, 4), (4, 2)))
case("ma.fftpack.ifft2(c(3, 4))", P.ifft2(c(3, 4)))
case("ma.fftpack.fftn(f(2, 3, 4), nil, {1, 3})", P.fftn(f(2, 3, 4), axes=(0, 2)))
case("ma.fftpack.ifftn(f(2, 3, 4))", P.ifftn(f(2, 3, 4)))

print("\n".join(lines))
