"""Writes the tables that tests compare access modes and windows with: numpy_edges.txt, how NumPy's
pad goes on before and behind an axis; scipy_windows.txt, images through SciPy's filters; and
scipy_photo.txt, the photograph of scripts/photo through them.

    python3 tests/values/make_numpy_tables.py      needs NumPy and SciPy; made with 2.4 and 1.17
"""

import pathlib
import subprocess
import tempfile
import zlib

import numpy
from scipy import ndimage

HERE = pathlib.Path(__file__).parent
PAD = {"clamped": "edge", "circular": "wrap", "mirror": "symmetric", "reflect": "reflect"}
FILTER = {"clamped": "nearest", "circular": "grid-wrap", "mirror": "reflect", "reflect": "mirror",
          "fill": "constant"}
FILL = 7


def edges():
    # MODE N: the element read at -10 * N, ..., 11 * N - 1
    for mode, name in PAD.items():
        for n in range(1, 8):
            row = numpy.pad(numpy.arange(n), 10 * n, mode=name)
            yield f"{mode} {n}: " + " ".join(map(str, row))


def image(h, w):
    i, j = numpy.mgrid[0:h, 0:w]
    return (7 * i + 13 * j + 5 * i * j + i * i) % 256


def windows():
    # FILTER MODE H W: the items of the result, row by row
    weights = (numpy.arange(15).reshape(3, 5) * 11) % 17 - 8
    for h, w in ((14, 17), (3, 2), (1, 5)):
        x = image(h, w).astype(numpy.int64)
        for mode, name in FILTER.items():
            more = {"mode": name, "cval": FILL}
            for what, y in (
                ("correlate", ndimage.correlate(x, weights, **more)),
                ("convolve", ndimage.convolve(x, weights, **more)),
                ("sobel0", ndimage.sobel(x, axis=0, **more)),
                ("sobel1", ndimage.sobel(x, axis=1, **more)),
                ("greatest", ndimage.maximum_filter(x, size=(5, 3), **more)),
                ("sum", ndimage.correlate(x, numpy.ones((5, 5), numpy.int64), **more)),
                *((f"median{n}", ndimage.median_filter(x, size=n, **more)) for n in sizes(h, mode)),
                ("bilateral", numpy.rint(1000 * bilateral(x, more)).astype(numpy.int64)),
            ):
                yield f"{what} {mode} {h} {w}: " + " ".join(map(str, y.ravel()))


def sizes(h, mode):
    # The largest windows take long to emulate.
    return (3, 5, 7, 13) if h < 14 or mode == "mirror" else (3, 5, 7)


def bilateral(x, more, likeness=5000.0):
    # Neighbours of 5 x 5, weighted by how near they are and how much alike.
    p, q = numpy.mgrid[-2:3, -2:3]
    near = numpy.exp(-(p * p + q * q) / 8.0).ravel()

    def average(v):
        weight = near * numpy.exp(-((v - v[12]) ** 2) / likeness)
        return (weight * v).sum() / weight.sum()

    return ndimage.generic_filter(x.astype(float), average, size=5, **more)


def photograph(h, w):
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/photo.npy"
        subprocess.run([HERE.parents[1] / "scripts/photo", "make", path, str(h), str(w)], check=True)
        return numpy.load(path).astype(numpy.int64)


def photographs():
    # EXAMPLE MODE H W: of results without errors the CRC-32 of all items as int64, of the bilateral
    # filter 64 items
    weights = (numpy.arange(35).reshape(5, 7) * 11) % 17 - 8
    for h, w in ((512, 512), (509, 383)):
        x = photograph(h, w)
        for mode, name in FILTER.items():
            more = {"mode": name, "cval": FILL}
            total = ndimage.correlate(x, numpy.ones((5, 5), numpy.int64), **more)
            mean = (total.astype(numpy.float32) / numpy.float32(25)).astype(numpy.float16)
            gx, gy = ndimage.sobel(x, axis=1, **more), ndimage.sobel(x, axis=0, **more)
            items = (numpy.arange(64) * 4093) % (h * w)
            for what, y in (
                ("blur", mean.astype(float) * 1024),
                ("sobel", gx * gx + gy * gy),
                ("convolution", ndimage.convolve(x, weights, **more)),
                *((f"median{n}", ndimage.median_filter(x, size=n, **more)) for n in range(3, 14, 2)),
            ):
                assert (y == numpy.rint(y)).all()
                yield f"{what} {mode} {h} {w}: {zlib.crc32(y.astype('<i8').tobytes())}"
            y = numpy.rint(1000 * bilateral(x, more, 1000.0)).astype(numpy.int64)
            yield f"bilateral {mode} {h} {w}: " + " ".join(map(str, y.ravel()[items]))


for name, lines in (
    ("numpy_edges", edges()),
    ("scipy_windows", windows()),
    ("scipy_photo", photographs()),
):
    (HERE / f"{name}.txt").write_text("\n".join(lines) + "\n")
