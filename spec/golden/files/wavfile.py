"""Golden WAV files.

A record: name  dtype  rate  shape  elements in hexadecimal  the file in hexadecimal
Names that begin with scipy are files as scipy.io.wavfile writes them; the others are only read.
"""
import io
import struct
import warnings
import wave

import numpy as np
from scipy.io import wavfile

rng = np.random.default_rng(12)
GUID = bytes.fromhex("000000001000800000aa00389b71")
warnings.simplefilter("error")


def record(name, rate, data, file):
    data = np.ascontiguousarray(data)
    shape = ",".join(map(str, data.shape))
    print(name, data.dtype.name, rate, shape, data.tobytes().hex() or "-", file.hex(), sep="\t")


def samples(dtype, shape):
    if np.issubdtype(dtype, np.floating):
        return rng.uniform(-1, 1, shape).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max, shape, dtype, endpoint=True)


def chunk(name, body, big=False):
    return name + struct.pack(">I" if big else "<I", len(body)) + body + b"\0" * (len(body) % 2)


def riff(*chunks, kind=b"RIFF"):
    body = b"WAVE" + b"".join(chunks)
    return kind + struct.pack(">I" if kind == b"RIFX" else "<I", len(body)) + body


def form(kind, channels, rate, size, bits, big=False):
    block = channels * size
    return struct.pack((">" if big else "<") + "HHIIHH", kind, channels, rate, rate * block, block, bits)


for dtype in ("uint8", "int16", "int32", "int64", "float32", "float64"):
    for shape in ((6,), (4, 2)):
        out = io.BytesIO()
        data = samples(np.dtype(dtype), shape)
        wavfile.write(out, 44100, data)
        record("scipy", 44100, data, out.getvalue())

# 24 bits, as Python's wave writes them; they are read as the upper bits of int32
for channels in (1, 2):
    data = samples(np.dtype("int32"), (6, channels)) & ~255
    raw = data.astype("<i4").view(np.uint8).reshape(-1, 4)[:, 1:].tobytes()
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(3)
        file.setframerate(96000)
        file.writeframes(raw)
    file = out.getvalue()
    read = wavfile.read(io.BytesIO(file))
    assert read[0] == 96000 and (read[1] == data.reshape(read[1].shape)).all()
    record("wave24", 96000, read[1], file)

# WAVE_FORMAT_EXTENSIBLE, with other chunks before and behind, one of an odd length
for kind, dtype, bits in ((1, "int16", 16), (1, "int16", 12), (3, "float32", 32)):
    data = samples(np.dtype(dtype), (3, 4))
    head = form(0xfffe, 4, 8000, data.itemsize, 8 * data.itemsize)
    head += struct.pack("<HHIH", 22, bits, 0x33, kind) + GUID
    file = riff(chunk(b"LIST", b"INFOodd"), chunk(b"fmt ", head), chunk(b"fact", struct.pack("<I", 3)),
                chunk(b"data", data.tobytes()), chunk(b"LIST", b"later"))
    warnings.simplefilter("ignore")
    read = wavfile.read(io.BytesIO(file))
    warnings.simplefilter("error")
    assert (read[1] == data).all()
    record("extensible", 8000, data, file)

# the highest byte first
for dtype in ("int16", "float32"):
    data = samples(np.dtype(dtype), (3, 2))
    head = form(3 if dtype == "float32" else 1, 2, 22050, data.itemsize, 8 * data.itemsize, big=True)
    file = riff(chunk(b"fmt ", head, True), chunk(b"data", data.byteswap().tobytes(), True), kind=b"RIFX")
    assert (wavfile.read(io.BytesIO(file))[1] == data).all()
    record("rifx", 22050, data, file)

# sizes of 64 bits, and a stream whose length was not known
data = samples(np.dtype("int16"), (5,))
head = chunk(b"fmt ", form(1, 1, 48000, 2, 16))
body = b"data" + struct.pack("<I", 2**32 - 1) + data.tobytes()
sizes = chunk(b"ds64", struct.pack("<QQQI", 4 + 36 + len(head) + len(body), data.nbytes, data.size, 0))
file = b"RF64" + struct.pack("<I", 2**32 - 1) + b"WAVE" + sizes + head + body
assert (wavfile.read(io.BytesIO(file))[1] == data).all()
record("rf64", 48000, data, file + chunk(b"LIST", b"more"))
record("stream", 48000, data, b"RIFF" + struct.pack("<I", 2**32 - 1) + b"WAVE" + head + body)
