#!/usr/bin/env python3
"""Times on a GPU what PyTorch makes of the shapes of models, eagerly and by torch.compile, in the
way in which benchmarks/gpu_shapes.cpp times ours.

    SELVAGE_SHAPES=shapes build/release/bin/selvage_benchmarks \\
        --benchmark_filter=gpu_shapes/2048_rows
    python3 benchmarks/beside_torch/shapes.py shapes.2048 beside.tsv

The input has a line a shape, by tabs: kind, shape, type, rows and bytes, as
tests/support/model_shapes.cpp has them, then any others. The output has the same lines, each with
torch_eager_us, torch_compile_us, torch_kernels (those of Triton that the compiled call launches),
and torch_copy_us (a copy of half the bytes). What fails is left empty and told on stderr.

First, many processes compile all functions into a cache of Inductor, and run no kernel. Then this
one compiles them again, out of the cache, and times them one after the other: an autotuner that
compares kernels therefore does so while nothing else runs.
"""
import argparse
import contextlib
import dataclasses
import multiprocessing
import os
import pathlib
import re
import statistics
import sys
import tempfile
import time
import timeit
from unittest import mock

import torch
import torch._dynamo
import torch._inductor.config
import torch.nn.functional as F
from torch._inductor.runtime.triton_heuristics import CachingAutotuner

COLUMNS = ["torch_eager_us", "torch_compile_us", "torch_kernels", "torch_copy_us"]
TYPES = {"float": torch.float32, "bfloat16": torch.bfloat16}
WARM_UPS, RUNS = 3, 15
SCRATCH_BYTES = 512 << 20
BYTES_AT_ONCE = 60e9  # of inputs and outputs, in all processes that compile
ITEMS_AT_ONCE = 1 << 28


def rotary(q, k, cos, sin):
    def turned(x):
        left, right = x.chunk(2, -1)
        return (x * cos + torch.cat((-right, left), -1) * sin).to(x.dtype)

    return turned(q), turned(k)


def joined_heads(q, k, v):
    return torch.cat((q, k, v), 2).permute(0, 3, 1, 2, 4).flatten(2)


def batch_norm(x, w, b):
    return F.batch_norm(x, None, None, w, b, training=True)


def batch_norm_of_last_axis(x, w, b):
    return batch_norm(x.permute(0, 3, 1, 2), w, b)  # a view in the format channels_last


def entropy(x):
    p = F.log_softmax(x, 1, dtype=torch.float32)
    return -(p.exp() * p).sum(1)


@dataclasses.dataclass(frozen=True)
class Input:
    extents: tuple
    dtype: torch.dtype
    below: int = 0  # not 0: integers from 0 to below that; otherwise normally distributed

    def random(self, device):
        x = torch.empty(self.extents, dtype=self.dtype, device=device)
        for part in x.view(-1).split(ITEMS_AT_ONCE):
            if self.below:
                part.random_(self.below)
            else:
                part.normal_()
        return x


def function_of(kind, shape, dtype, rows):
    """What a user would write for a shape, by a function of PyTorch where there is one; and its
    inputs."""
    n = [int(digits) for digits in re.findall(r"\d+", shape)]

    def of(*extents):
        return Input(extents, dtype)

    match kind, re.match(r"[a-zA-Z ]*", shape).group().strip():
        case "RMS norm", "":
            return lambda x, w: F.rms_norm(x, w.shape, w, 1e-6), [of(rows, *n), of(*n)]
        case "layer norm", "":
            return lambda x, w, b: F.layer_norm(x, w.shape, w, b), [of(rows, *n), of(*n), of(*n)]
        case "small layer norm", "":
            return lambda x, w, b: F.layer_norm(x, w.shape, w, b), [of(*n), of(n[-1]), of(n[-1])]
        case "gated MLP", "":
            return lambda gate, up: F.silu(gate) * up, [of(rows, *n), of(rows, *n)]
        case "cross entropy", "":
            label = Input((rows,), torch.int64, below=n[0])
            return lambda x, y: F.cross_entropy(x, y, reduction="none"), [of(rows, *n), label]
        case "attention softmax", "":
            return lambda x: F.softmax(x, -1), [of(*n)]
        case "rotary", "":
            b, heads, s, d, keys = n
            angles = Input((s, d), torch.float32)
            return rotary, [of(b, heads, s, d), of(b, keys, s, d), angles, angles]
        case "rotary", "cat":
            one = of(n[0], n[1], 1, n[3], n[4])
            return joined_heads, [of(*n), one, one]
        case "group norm", "":
            return lambda x, w, b: F.group_norm(x, 32, w, b), [of(*n), of(n[1]), of(n[1])]
        case "batch norm", "NCHW":
            return batch_norm, [of(*n), of(n[1]), of(n[1])]
        case "batch norm", "NHWC":
            return batch_norm_of_last_axis, [of(*n), of(n[3]), of(n[3])]
        case "batch norm", "each image":
            return lambda x: F.instance_norm(x), [of(*n)]
        case "transpose", "":
            return lambda x: x.t().contiguous(), [of(*n)]
        case "skinny", "":
            *extents, axis = n
            return lambda x: x.sum(axis), [of(*extents)]
        case "skinny", "entropy of":
            return entropy, [of(*n)]
    raise ValueError("no function is known")


@dataclasses.dataclass
class Row:
    cells: list

    @property
    def name(self):
        return " ".join(self.cells[:4])

    @property
    def bytes(self):
        return int(float(self.cells[4]))

    def function(self, device):
        kind, shape, dtype, rows = self.cells[:4]
        function, inputs = function_of(kind, shape, TYPES[dtype], int(rows))
        return function, [x.random(device) for x in inputs]


def set_up():
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    torch._inductor.config.compile_threads = 1
    torch._dynamo.config.recompile_limit = 1 << 20
    torch._dynamo.config.accumulated_recompile_limit = 1 << 20


def compiled(function):
    torch._dynamo.reset()
    return torch.compile(function, dynamic=False, fullgraph=True)


def launched(call):
    """The number of kernels of Inductor that a call launches."""
    count, launch = 0, CachingAutotuner.run

    def counted(*args, **named):
        nonlocal count
        count += 1
        return launch(*args, **named)

    with mock.patch.object(CachingAutotuner, "run", counted):
        call()
    return count


@contextlib.contextmanager
def told(what):
    """Tells of an exception, and goes on."""
    try:
        yield
    except Exception as error:
        reason = (str(error).splitlines() or [""])[0]
        print(f"{what}: {type(error).__name__}: {reason}", file=sys.stderr, flush=True)


def compile_one(row, device):
    """Fills the caches. No kernel of Inductor is launched, nor the fastest one chosen."""
    without_launches = mock.patch.object(CachingAutotuner, "run", lambda *_, **__: None)
    with told(f"{row.name}, compiled first"), without_launches:
        function, inputs = row.function(device)
        compiled(function)(*inputs)
    inputs = None
    torch.cuda.empty_cache()


def compile_all(rows, workers, device, until):
    """As many at once as workers and memory allow; returns how many were done in time."""
    waiting = sorted(rows, key=lambda row: -row.bytes)
    running = {}
    with multiprocessing.get_context("spawn").Pool(workers, set_up) as pool:
        while (waiting or running) and time.monotonic() < until:
            running = {call: row for call, row in running.items() if not call.ready()}
            left = BYTES_AT_ONCE - sum(row.bytes for row in running.values())
            fits = [row for row in waiting if row.bytes <= left or not running]
            if fits and len(running) < workers:
                waiting.remove(fits[0])
                running[pool.apply_async(compile_one, (fits[0], device))] = fits[0]
            else:
                time.sleep(0.01)
    return len(rows) - len(waiting) - len(running)


def median_us(call, scratch):
    # The GPU is not waited for in between: while it writes the scratch memory, which also empties
    # its L2 of all else, this process is ahead of it and launches the call.
    for _ in range(WARM_UPS):
        call()
    if not scratch.is_cuda:
        return 1e6 * statistics.median(timeit.repeat(call, number=1, repeat=RUNS))
    marks = []
    for run in range(RUNS):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        scratch.fill_(run)
        start.record()
        call()
        end.record()
        marks.append((start, end))
    torch.cuda.synchronize()
    return 1e3 * statistics.median(start.elapsed_time(end) for start, end in marks)


def measure(row, scratch, cells):
    with told(row.name):
        function, inputs = row.function(scratch.device)
        with told(f"{row.name}, eager"):
            cells["torch_eager_us"] = f"{median_us(lambda: function(*inputs), scratch):.2f}"
        with told(f"{row.name}, compiled"):
            fused = compiled(function)
            cells["torch_compile_us"] = f"{median_us(lambda: fused(*inputs), scratch):.2f}"
            cells["torch_kernels"] = str(launched(lambda: fused(*inputs)))


def measure_copy(row, scratch, cells, known):
    size = row.bytes // 2
    with told(f"{row.name}, copy"):
        if size not in known:
            source = Input((size,), torch.uint8, below=256).random(scratch.device)
            target = torch.empty_like(source)
            known[size] = f"{median_us(lambda: target.copy_(source), scratch):.2f}"
        cells["torch_copy_us"] = known[size]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("input", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--workers", type=int, default=14, help="processes that compile")
    parser.add_argument("--seconds", type=float, default=240, help="half of them at most compile")
    parser.add_argument("--only", default="", help="a regex for kind, shape, type and rows")
    parser.add_argument("--device", default="cuda", help="cpu: rehearses")
    return parser.parse_args()


def main():
    begin = time.monotonic()
    args = arguments()
    header, *lines = args.input.read_text().splitlines()
    rows = [Row(line.split("\t")) for line in lines]
    rows = [row for row in rows if re.search(args.only, row.name)]
    timed, copies = 0, {}
    caches = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
    with caches as folder, args.output.open("w") as output:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = folder
        os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "triton")
        done = compile_all(rows, args.workers, args.device, begin + args.seconds / 2)
        print(f"{done} of {len(rows)} compiled after {time.monotonic() - begin:.0f} s",
              file=sys.stderr, flush=True)
        set_up()
        scratch = torch.empty(SCRATCH_BYTES // 4, device=args.device)
        print("\t".join([header, *COLUMNS]), file=output, flush=True)
        for row in rows:
            cells = dict.fromkeys(COLUMNS, "")
            if time.monotonic() - begin < args.seconds:
                measure(row, scratch, cells)
                torch.cuda.empty_cache()
                measure_copy(row, scratch, cells, copies)
                torch.cuda.empty_cache()
                timed += 1
            print("\t".join([*row.cells, *cells.values()]), file=output, flush=True)
    hits = torch._dynamo.utils.counters["inductor"]["fxgraph_cache_hit"]
    print(f"{timed} timed after {time.monotonic() - begin:.0f} s, {hits} out of the cache",
          file=sys.stderr)


if __name__ == "__main__":
    main()
