"""Golden PNG images of every kind.

A record: name  dtype  shape  elements in hexadecimal, the high byte first  the file in hexadecimal
"""
import struct
import zlib

import numpy as np

rng = np.random.default_rng(8)
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
SAMPLES = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def row_bytes(row, bits):
    """Samples of a row as bytes, the first in the highest bits."""
    text = "".join(format(int(v), f"0{bits}b") for v in row.ravel())
    text += "0" * (-len(text) % 8)
    return bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8))


def predicted(kind, left, up, corner):
    if kind == 4:
        a, b, c = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
        return left if a <= b and a <= c else up if b <= c else corner
    return [0, left, up, (left + up) // 2][kind]


def filtered(rows, pixel):
    out, above = b"", bytes(len(rows[0]))
    for k, row in enumerate(rows):
        kind = (k + 1) % 5
        out += bytes([kind])
        for i, value in enumerate(row):
            left = row[i - pixel] if i >= pixel else 0
            corner = above[i - pixel] if i >= pixel else 0
            out += bytes([(value - predicted(kind, left, above[i], corner)) % 256])
        above = row
    return out


def encode(image, bits, color, interlaced, chunks):
    pixel = max(1, SAMPLES[color] * bits // 8)
    data = b""
    for x, y, dx, dy in ADAM7 if interlaced else [(0, 0, 1, 1)]:
        part = image[y::dy, x::dx]
        if part.size:
            data += filtered([row_bytes(row, bits) for row in part], pixel)
    height, width = image.shape[:2]
    header = struct.pack(">IIBBBBB", width, height, bits, color, 0, 0, int(interlaced))
    packed = zlib.compress(data)
    half = len(packed) // 2
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"tEXt", b"Title\0kinds") + chunks
            + chunk(b"IDAT", packed[:half]) + chunk(b"IDAT", packed[half:]) + chunk(b"IEND", b""))


def record(name, want, file):
    dtype = want.dtype.newbyteorder(">")
    print(name, want.dtype, "x".join(map(str, want.shape)), want.astype(dtype).tobytes().hex(), file.hex())


for color, depths in [(0, (1, 2, 4, 8, 16)), (2, (8, 16)), (3, (1, 2, 4, 8)), (4, (8, 16)), (6, (8, 16))]:
    for bits in depths:
        for interlaced in (False, True):
            for clear in (False, True) if color in (0, 2, 3) else (False,):
                shape = (7, 11, SAMPLES[color])
                image = rng.integers(0, 2**bits, shape)
                chunks = b""
                wide = np.uint16 if bits == 16 else np.uint8
                want = (image * (255 // (2**bits - 1)) if bits < 8 and color != 3 else image).astype(wide)
                if color == 3:
                    palette = rng.integers(0, 256, (2**bits, 4))
                    palette[1:, 3][2**bits // 2:] = 255
                    chunks = chunk(b"PLTE", palette[:, :3].astype(np.uint8).tobytes())
                    if clear:
                        chunks += chunk(b"tRNS", palette[:2**bits // 2 + 1, 3].astype(np.uint8).tobytes())
                    want = palette[image[..., 0]][..., :4 if clear else 3].astype(np.uint8)
                elif clear:
                    chunks = chunk(b"tRNS", image[3, 4].astype(">u2").tobytes())
                    same = (image == image[3, 4]).all(axis=2, keepdims=True)
                    want = np.concatenate([want, np.where(same, 0, np.iinfo(wide).max).astype(wide)], axis=2)
                if want.shape[2] == 1:
                    want = want[..., 0]
                name = f"color{color}_{bits}" + ("_interlaced" if interlaced else "") + ("_clear" if clear else "")
                record(name, want, encode(image, bits, color, interlaced, chunks))
