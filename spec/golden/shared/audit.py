"""What the audits share (audit_MODULE.py): random calls of a module's functions with the results that they should have.

An audit draws its calls from one seed: `audit_MODULE.py [CALLS [SEED]]` prints them. Without arguments it
prints the data that is committed, and `make audit AUDIT=MODULE CALLS=100000 SEED=7` makes and holds a larger one. SciPy
gives the results; where it is wrong or lacks the function, mpmath does, or what the docs say.

A line is one call, as a Lua expression that audit.lua evaluates: call("stats.entropy", p(ARGUMENTS), p(RESULTS),
{how}). NumPy arrays become arrays, a("float64", "2x3", BYTES), or n("float64", "2x3", {1, 0.5, ...}) of short numbers;
numbers, strings, lists and dictionaries become Lua's. Positions and axes are
written as Lua counts them, from 1. `how` may hold
  tol    how far an element may be off, relative to its size; by default TOLERANCES of the result's dtype
  scale  in place of an element's size: a number, an array like the result, or "norm" for the result's greatest element
  loose  true: the result's dtype is not compared
  error  the call is an error whose text holds this
"""
import math
import random
import sys

import numpy as np

import values

LAYOUTS = "cccfsro"      # as they are, as Fortran has them, every second element, reversed, behind an offset


class Layout:
    """An array and how it lies in memory: a letter of LAYOUTS, or l for a Lua table."""

    def __init__(self, array, layout):
        self.array, self.layout = np.asarray(array), layout


def text(x):
    """A Lua expression for a value of Python's."""
    if isinstance(x, Layout):
        return array_text(x.array, x.layout)
    if isinstance(x, np.ndarray):
        return array_text(x, "c")
    if isinstance(x, np.generic):
        x = x.item()
    if x is None:
        return "nil"
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, str):
        return '"%s"' % x.replace("\\", "\\\\").replace('"', '\\"')
    if isinstance(x, complex):
        return "z(%s, %s)" % (text(x.real), text(x.imag))
    if isinstance(x, (int, float)):
        if x != x:
            return "nan"
        return "%sinf" % ("-" if x < 0 else "") if math.isinf(x) else repr(x)
    if isinstance(x, dict):
        return "{ %s }" % ", ".join("%s = %s" % (k, text(v)) for k, v in x.items())
    if isinstance(x, (list, tuple)):
        return "{ %s }" % ", ".join(map(text, x)) if len(x) else "{}"
    raise TypeError("no Lua for %r" % (x,))


def short_numbers(array):
    """The elements as a list, where that is shorter than their bytes and says the same, else None."""
    if array.dtype.kind == "c" or array.size == 0 or array.dtype.itemsize == 1 and array.dtype.kind != "b":
        return None
    numbers = array.reshape(-1)
    if array.dtype.kind == "b":
        return ", ".join("true" if x else "false" for x in numbers) if array.size < 3 else None
    if np.any((numbers == 0) & np.signbit(numbers.astype(np.float64))):
        return None
    whole = array.dtype.kind in "iu"
    list = ",".join("%d" % x if whole else text(float(x)) for x in numbers)
    return list if len(list) < 2 * array.nbytes and not (whole and np.any(abs(numbers) > 2 ** 53)) else None


def array_text(array, layout):
    name = values.name_of(array.dtype)
    shape = "x".join(map(str, array.shape))
    numbers = short_numbers(array)
    if numbers is not None:
        return 'n("%s", "%s", {%s}%s)' % (name, shape, numbers, "" if layout == "c" else ', "%s"' % layout)
    return 'a("%s", "%s", "%s"%s)' % (name, shape, values.hexes(array), "" if layout == "c" else ', "%s"' % layout)


class Audit:
    """Random choices from the seed, and the lines written so far."""

    def __init__(self, calls, seed=1):
        given = sys.argv[1:]
        self.calls = int(given[0]) if given else calls
        self.seed = int(given[1]) if len(given) > 1 else seed
        self.random = random.Random(self.seed)
        self.numpy = np.random.default_rng(self.random.randrange(2 ** 32))

    def begin(self, part):
        """Random numbers of a part's own, so that it can be written alone."""
        self.random = random.Random("%d %s" % (self.seed, part))

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, part):
        return self.random.random() < part

    def whole(self, low, high):
        """A whole number from low to high, both included."""
        return self.random.randint(low, high)

    def shape(self, least=1, most=3, longest=5, empty=0.06):
        """Extents; now and then one is 0, and often one is 1. The longest are of few axes."""
        ndim = self.whole(least, most)
        highest = max(2, longest + {0: 0, 1: 3, 2: -1}.get(ndim, -2))
        extents = [self.whole(1, highest) for _ in range(ndim)]
        if extents and self.chance(empty):
            extents[self.random.randrange(ndim)] = 0
        return tuple(extents)

    def elements(self, shape, dtype="float64", special=0.08, most=8, positive=False):
        """Whole numbers and fractions of them; of floats now and then also NaN, infinite and huge ones."""
        dtype = np.dtype(dtype)
        if dtype.kind == "b":
            return self.numpy.random(shape) < 0.6
        low = 0 if dtype.kind == "u" or positive else -most
        x = self.numpy.integers(low, most + 1, shape).astype(np.float64)
        if dtype.kind in "fc" and self.chance(0.8):
            x = x / self.pick(1, 2, 4, 5)
        if dtype.kind == "c":
            x = x + 1j * self.numpy.integers(-most, most + 1, shape)
        if dtype.kind in "fc" and x.size and self.chance(special):
            flat = x.reshape(-1)
            for _ in range(self.whole(1, 2)):
                flat[self.random.randrange(x.size)] = self.pick(math.nan, math.nan, math.inf, -math.inf, -0.0)
        return x.astype(dtype)

    def attempt(self, name, function, arguments, **how):
        """Writes a call with what the function gives; an error of SciPy's is no call."""
        try:
            results = function()
        except Exception:
            return False
        if not isinstance(results, tuple):
            results = (results,)
        self.write(name, arguments, [np.asarray(x) if isinstance(x, (np.generic, np.ndarray)) else x for x in results],
                   **how)
        return True

    def layout(self, array):
        """The array in a random layout."""
        return Layout(array, self.random.choice(LAYOUTS))

    def write(self, name, args, results, **how):
        args, results = list(args), list(results)
        while args and args[-1] is None:
            args.pop()
        print('call("%s", p(%s), p(%s)%s)' % (name, ", ".join(map(text, args)), ", ".join(map(text, results)),
                                              ", " + text(how) if how else ""))
