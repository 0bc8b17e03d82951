"""What the audits share (audit_MODULE.py): random calls of a module's functions with the results that they should have.

An audit draws its calls from one seed. `usage: audit_MODULE.py [CALLS [SEED]] > audit_MODULE.txt`; without arguments it
writes the data that is committed, and `make audit AUDIT=MODULE CALLS=100000 SEED=7` makes and holds a larger one. SciPy
gives the results; where it is wrong or lacks the function, mpmath does, or what the docs say.

A line is one call, as a Lua expression that spec/audit.lua evaluates: call("stats.entropy", p(ARGUMENTS), p(RESULTS),
{how}). NumPy arrays become arrays, numbers, strings, lists and dictionaries become Lua's. Positions and axes are
written as Lua counts them, from 1. `how` may hold
  tol    how far an element may be off, relative to its size; by default TOLERANCES of the result's dtype
  scale  in place of an element's size: an array like the result, or "norm" for the greatest element of the result
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
        return "%sinf" % ("-" if x < 0 else "") if math.isinf(x) else "%.17g" % x
    if isinstance(x, dict):
        return "{ %s }" % ", ".join("%s = %s" % (k, text(v)) for k, v in x.items())
    if isinstance(x, (list, tuple)):
        return "{ %s }" % ", ".join(map(text, x)) if len(x) else "{}"
    raise TypeError("no Lua for %r" % (x,))


def array_text(array, layout):
    name = values.name_of(array.dtype)
    shape = "x".join(map(str, array.shape))
    return 'a("%s", "%s", "%s"%s)' % (name, shape, values.hexes(array), "" if layout == "c" else ', "%s"' % layout)


class Audit:
    """Random choices from the seed, and the lines written so far."""

    def __init__(self, calls, seed=1):
        given = sys.argv[1:]
        self.calls = int(given[0]) if given else calls
        self.random = random.Random(int(given[1]) if len(given) > 1 else seed)
        self.numpy = np.random.default_rng(self.random.randrange(2 ** 32))

    def pick(self, *choices):
        return self.random.choice(choices)

    def layout(self, array):
        """The array in a random layout."""
        return Layout(array, self.random.choice(LAYOUTS))

    def write(self, name, args, results, **how):
        args, results = list(args), list(results)
        while args and args[-1] is None:
            args.pop()
        print('call("%s", p(%s), p(%s)%s)' % (name, ", ".join(map(text, args)), ", ".join(map(text, results)),
                                              ", " + text(how) if how else ""))
