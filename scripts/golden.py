"""Runs the scripts of spec/golden/CHAPTER and packs what each prints as a member of spec/golden/CHAPTER.npz.
usage: golden.py [NAME | NAME=FILE]..., from the repository's root

NAME is a script without its folder; NAME=FILE packs a file in place of what a script prints. Without names all scripts
run but the audits (audit_MODULE), which take minutes, and grad_torch, which needs PyTorch. A member is an array of
bytes. It is left as it is where nothing but the version of NumPy differs, or the last digits of what LAPACK gives,
which vary with the machine. The same members make the same bytes. spec/golden/manifest.txt has a line a member:
chapter, name, number of bytes, CRC-32.
Ends with "N members written".
"""
import glob
import io
import math
import os
import subprocess
import sys
import zipfile
import zlib

import numpy as np

HOME = "spec/golden"
MADE_ON_A_GPU = {"intrinsics": "kernel"}          # by kernel/intrinsics.lua
BY_NAME_ALONE = ("audit_", "grad_torch")
TOLERANT = ("interpolate", "linalg", "sparse_linalg")


def chapters():
    """The chapter of each member: scripts lie in its folder, but for what scripts share."""
    found = dict(MADE_ON_A_GPU)
    for path in sorted(glob.glob(HOME + "/*/*.py")):
        folder, file = path.split(os.sep)[-2:]
        if folder != "shared":
            found[file[:-3]] = folder
    return found


def printed_by(path):
    environment = dict(os.environ, PYTHONPATH=os.path.join(HOME, "shared"), PYTHONDONTWRITEBYTECODE="1")
    run = subprocess.run([sys.executable, "-W", "ignore", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=environment)
    if run.returncode != 0:
        sys.exit("golden: %s failed; nothing is written\n%s" % (path, run.stderr.decode()))
    return run.stdout


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
    new, old = new.decode().splitlines(), old.decode().splitlines()
    return len(new) == len(old) and all(same_line(a, b, name in TOLERANT) for a, b in zip(new, old))


def packed(members):
    """The bytes of an archive, which depend on nothing but the members and zlib."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(members):
            array = io.BytesIO()
            np.lib.format.write_array(array, np.frombuffer(members[name], np.uint8), version=(1, 0))
            info = zipfile.ZipInfo(name + ".npy")          # of 1980, as its default is
            info.compress_type, info.create_system = zipfile.ZIP_DEFLATED, 3
            archive.writestr(info, array.getvalue(), compresslevel=9)
    return out.getvalue()


def unpacked(path):
    if not os.path.exists(path):
        return {}
    with np.load(path) as archive:
        return {name: archive[name].tobytes() for name in archive.files}


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)
    print("golden: wrote", path)


def main():
    chapter_of = chapters()
    made = {}
    for given in sys.argv[1:] or [n for n in chapter_of if n not in MADE_ON_A_GPU and not n.startswith(BY_NAME_ALONE)]:
        name, _, file = given.partition("=")
        if name not in chapter_of or (name in MADE_ON_A_GPU and not file):
            sys.exit("golden: no script '%s'; there are %s" % (name, ", ".join(sorted(chapter_of))))
        if file:
            with open(file, "rb") as opened:
                made[name] = opened.read()
        else:
            made[name] = printed_by("%s/%s/%s.py" % (HOME, chapter_of[name], name))
    written, lines = 0, ["# made by scripts/golden.py: chapter, name, bytes, CRC-32"]
    for chapter in sorted(set(chapter_of.values())):
        path = "%s/%s.npz" % (HOME, chapter)
        old = unpacked(path)
        new = {}
        for name in sorted(n for n in chapter_of if chapter_of[n] == chapter and (n in made or n in old)):
            keep = name in old and (name not in made or unchanged(name, made[name], old[name]))
            new[name] = old[name] if keep else made[name]
            written += not keep
            lines.append("%s %s %d %08x" % (chapter, name, len(new[name]), zlib.crc32(new[name])))
        if new != old:
            write(path, packed(new))
    manifest = ("\n".join(lines) + "\n").encode()
    path = HOME + "/manifest.txt"
    if not os.path.exists(path) or open(path, "rb").read() != manifest:
        write(path, manifest)
    print("%d members written" % written)


if __name__ == "__main__":
    main()
