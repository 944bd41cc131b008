"""The six kernels, as one would write them in Triton: one program to a row, or to a tile."""
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def softmax(y, x, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    row = tl.load(x + at)
    power = tl.exp(row - tl.max(row, axis=0))
    tl.store(y + at, power / tl.sum(power, axis=0))


@triton.jit
def rms_norm(y, x, w, N: tl.constexpr):
    item = tl.arange(0, N)
    at = tl.program_id(0) * N + item
    row = tl.load(x + at).to(tl.float32)
    scale = tl.rsqrt(tl.sum(row * row, axis=0) / N + 1e-6)
    weight = tl.load(w + item).to(tl.float32)
    tl.store(y + at, (row * scale * weight).to(tl.float16))


@triton.jit
def layer_norm(y, x, w, b, N: tl.constexpr):
    item = tl.arange(0, N)
    at = tl.program_id(0) * N + item
    row = tl.load(x + at).to(tl.float32)
    centred = row - tl.sum(row, axis=0) / N
    scale = tl.rsqrt(tl.sum(centred * centred, axis=0) / N + 1e-5)
    weight = tl.load(w + item).to(tl.float32)
    bias = tl.load(b + item).to(tl.float32)
    tl.store(y + at, (centred * scale * weight + bias).to(tl.float16))


@triton.jit
def cross_entropy(loss, x, label, N: tl.constexpr):
    row = tl.program_id(0)
    begin = x + row * N
    items = tl.load(begin + tl.arange(0, N))
    most = tl.max(items, axis=0)
    total = tl.sum(tl.exp(items - most), axis=0)
    wanted = tl.load(begin + tl.load(label + row))
    tl.store(loss + row, tl.log(total) + most - wanted)


@triton.jit
def bias_gelu(y, x, bias, H: tl.constexpr, N: tl.constexpr):
    item = tl.program_id(1) * N + tl.arange(0, N)
    at = tl.program_id(0) * H + item
    v = tl.load(x + at).to(tl.float32) + tl.load(bias + item).to(tl.float32)
    inner = 0.7978845608028654 * (v + 0.044715 * v * v * v)
    tl.store(y + at, (0.5 * v * (1.0 + libdevice.tanh(inner))).to(tl.float16))


@triton.jit
def transpose(y, x, ROWS: tl.constexpr, COLUMNS: tl.constexpr, SIDE: tl.constexpr):
    row = tl.program_id(1) * SIDE + tl.arange(0, SIDE)
    column = tl.program_id(0) * SIDE + tl.arange(0, SIDE)
    tile = tl.load(x + row[:, None] * COLUMNS + column[None, :])
    tl.store(y + column[:, None] * ROWS + row[None, :], tl.trans(tile))


# Of each kernel: the types of its pointers, the sizes that are compiled in, the warps of a program.
FLOAT, HALF, LONG = "*fp32", "*fp16", "*i64"
KERNELS = {
    "softmax": (softmax, {"y": FLOAT, "x": FLOAT}, {"N": 1024}, 4),
    "rms_norm": (rms_norm, {"y": HALF, "x": HALF, "w": HALF}, {"N": 4096}, 8),
    "layer_norm": (layer_norm, {"y": HALF, "x": HALF, "w": HALF, "b": HALF}, {"N": 4096}, 8),
    "cross_entropy": (cross_entropy, {"loss": FLOAT, "x": FLOAT, "label": LONG}, {"N": 32768}, 32),
    "bias_gelu": (bias_gelu, {"y": HALF, "x": HALF, "bias": HALF}, {"H": 4096, "N": 2048}, 8),
    "transpose": (transpose, {"y": HALF, "x": HALF}, {"ROWS": 4096, "COLUMNS": 4096, "SIDE": 64}, 8),
}
