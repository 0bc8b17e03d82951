"""Runs the scripts of spec/golden and writes those of their files that have changed. usage: golden.py [NAME...], from
the repository's root

Without names all run but the audits (audit_MODULE), which take minutes. They run on a copy. A file is left as it is
where nothing but the version of NumPy differs, or the last digits of what LAPACK gives, which vary with the machine.
Ends with "N files written".
"""
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

HOME = "spec/golden"
PRINTS = ("expressions", "index", "names", "png", "print", "special")         # write to the standard output
TOLERANT = ("linalg.txt", "sparse_linalg.txt")
SHARED = ("audit.py", "audit_formulas.py", "cases.py", "special_functions.py", "values.py")
ARGUMENTS = {"npy": ["make"]}


def scripts():
    names = sorted(f[:-3] for f in os.listdir(HOME) if f.endswith(".py") and f not in SHARED)
    wanted = sys.argv[1:] or [name for name in names if not name.startswith("audit_")]
    for name in wanted:
        if name not in names:
            sys.exit("golden: no script %s/%s.py; there are %s" % (HOME, name, ", ".join(names)))
    return wanted


def number(word):
    try:
        return float(word)
    except ValueError:
        return None


def same_line(a, b, tolerant):
    if a == b or (a.startswith("# made by ") and b.startswith("# made by ")):
        return True
    if not tolerant:
        return False
    a, b = a.split(), b.split()
    if len(a) != len(b):
        return False
    # what differs is near, beside the largest number of the line
    numbers = [abs(n) for n in map(number, b) if n is not None and math.isfinite(n)]
    limit = 1e-9 * max(numbers, default=0)
    for x, y in zip(a, b):
        if x != y and (number(x) is None or number(y) is None or not abs(number(x) - number(y)) <= limit):
            return False
    return True


def unchanged(name, new, old):
    if new == old:
        return True
    if not name.endswith(".txt") or b"# made by " not in old[:10]:
        return False
    new, old = new.decode().splitlines(), old.decode().splitlines()
    return len(new) == len(old) and all(same_line(a, b, name in TOLERANT) for a, b in zip(new, old))


def main():
    written = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "spec", "golden")
        shutil.copytree(HOME, copy)
        shutil.copytree("spec/ops", os.path.join(folder, "spec", "ops"))
        for name in scripts():
            command = [sys.executable, "-W", "ignore", os.path.join(copy, name + ".py")] + ARGUMENTS.get(name, [])
            run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if run.returncode != 0:
                sys.exit("golden: %s.py failed; nothing of it is written\n%s" % (name, run.stderr.decode()))
            if name in PRINTS or name.startswith("audit_"):
                with open(os.path.join(copy, name + ".txt"), "wb") as file:
                    file.write(run.stdout)
        for file in sorted(os.listdir(copy)):
            if re.search(r"\.(txt|npy|npz)$", file):
                with open(os.path.join(copy, file), "rb") as opened:
                    new = opened.read()
                path = os.path.join(HOME, file)
                old = b""
                if os.path.exists(path):
                    with open(path, "rb") as opened:
                        old = opened.read()
                if not unchanged(file, new, old):
                    with open(path, "wb") as opened:
                        opened.write(new)
                    written += 1
                    print("golden: wrote", path)
    print("%d files written" % written)


main()
