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
import itertools
import multiprocessing
import os
import pathlib
import re
import statistics
import sys
import tempfile
import time
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
MANY = 1 << 20


# What is timed: the function of PyTorch if it has one, as a user would write it.


def rms_norm(x, w):
    return F.rms_norm(x, w.shape, w, 1e-6)


def layer_norm(x, w, b):
    return F.layer_norm(x, w.shape, w, b)


def gated(gate, up):
    return F.silu(gate) * up


def cross_entropy(x, label):
    return F.cross_entropy(x, label, reduction="none")


def softmax(x):
    return F.softmax(x, -1)


def rotary(q, k, cos, sin):
    def turned(x):
        left, right = x.chunk(2, -1)
        return (x * cos + torch.cat((-right, left), -1) * sin).to(x.dtype)

    return turned(q), turned(k)


def joined_heads(q, k, v):
    return torch.cat((q, k, v), 2).permute(0, 3, 1, 2, 4).flatten(2)


def group_norm(x, w, b):
    return F.group_norm(x, 32, w, b)


def batch_norm(x, w, b):
    return F.batch_norm(x, None, None, w, b, training=True)


def batch_norm_of_last_axis(x, w, b):
    return batch_norm(x.permute(0, 3, 1, 2), w, b)  # a view in the format channels_last


def instance_norm(x):
    return F.instance_norm(x)


def transposed(x):
    return x.t().contiguous()


def summed(axis):
    return lambda x: x.sum(axis)


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
    """The function of a shape, and its inputs."""
    n = [int(digits) for digits in re.findall(r"\d+", shape)]

    def of(*extents):
        return Input(extents, dtype)

    match kind, re.match(r"[a-zA-Z ]*", shape).group().strip():
        case "RMS norm", "":
            return rms_norm, [of(rows, *n), of(*n)]
        case "layer norm", "":
            return layer_norm, [of(rows, *n), of(*n), of(*n)]
        case "gated MLP", "":
            return gated, [of(rows, *n), of(rows, *n)]
        case "cross entropy", "":
            return cross_entropy, [of(rows, *n), Input((rows,), torch.int64, below=n[0])]
        case "attention softmax", "":
            return softmax, [of(*n)]
        case "rotary", "cat":
            one = of(n[0], n[1], 1, n[3], n[4])
            return joined_heads, [of(*n), one, one]
        case "rotary", "":
            b, heads, s, d, keys = n
            angles = Input((s, d), torch.float32)
            return rotary, [of(b, heads, s, d), of(b, keys, s, d), angles, angles]
        case "group norm", "":
            return group_norm, [of(*n), of(n[1]), of(n[1])]
        case "batch norm", "NCHW":
            return batch_norm, [of(*n), of(n[1]), of(n[1])]
        case "batch norm", "NHWC":
            return batch_norm_of_last_axis, [of(*n), of(n[3]), of(n[3])]
        case "batch norm", "each image":
            return instance_norm, [of(*n)]
        case "transpose", "":
            return transposed, [of(*n)]
        case "skinny", "":
            return summed(axis=n[-1]), [of(*n[:-1])]
        case "skinny", "entropy of":
            return entropy, [of(*n)]
        case "small layer norm", "":
            return layer_norm, [of(*n), of(n[-1]), of(n[-1])]
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
    torch.set_grad_enabled(False)
    torch._inductor.config.compile_threads = 1
    torch._dynamo.config.recompile_limit = MANY
    torch._dynamo.config.accumulated_recompile_limit = MANY


def compiled(function):
    torch._dynamo.reset()
    return torch.compile(function, dynamic=False, fullgraph=True)


def launches_as(run):
    """Where a kernel of Inductor would be chosen and launched, `run` is called instead."""
    return mock.patch.object(CachingAutotuner, "run", run)


def launched(call):
    """The number of kernels of Inductor that a call launches."""
    count, launch = 0, CachingAutotuner.run

    def counted(*args, **named):
        nonlocal count
        count += 1
        return launch(*args, **named)

    with launches_as(counted):
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


def free(device):
    if device == "cuda":
        torch.cuda.empty_cache()


def compile_one(row, device):
    with told(f"{row.name}, compiled first"), launches_as(lambda *_, **__: None):
        function, inputs = row.function(device)
        compiled(function)(*inputs)
    inputs = None
    free(device)


def start_worker():
    torch.set_num_threads(1)
    set_up()


def compile_all(rows, workers, device, until):
    """Compiles rows, the largest first, as many at once as workers and memory allow, and returns
    how many were done in time."""
    waiting = sorted(rows, key=lambda row: -row.bytes)
    running = {}
    with multiprocessing.get_context("spawn").Pool(workers, start_worker) as pool:
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


class Stopwatch:
    def __init__(self, device):
        self.device = device
        if device == "cuda":
            self.scratch = torch.empty(SCRATCH_BYTES // 4, device=device)

    def median_us(self, call):
        for _ in range(WARM_UPS):
            call()
        times = self.times_us_on_cpu(call) if self.device == "cpu" else self.times_us(call)
        return statistics.median(times)

    # The GPU is not waited for in between: while it writes the scratch memory, which also empties
    # its L2 of all else, this process is ahead of it and launches the call.
    def times_us(self, call):
        marks = []
        for run in range(RUNS):
            self.scratch.fill_(run)
            start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            start.record()
            call()
            end.record()
            marks.append((start, end))
        torch.cuda.synchronize()
        return [1e3 * start.elapsed_time(end) for start, end in marks]

    def times_us_on_cpu(self, call):
        marks = [time.perf_counter()]
        for _ in range(RUNS):
            call()
            marks.append(time.perf_counter())
        return [1e6 * (end - start) for start, end in itertools.pairwise(marks)]


def measure(row, stopwatch, cells):
    with told(row.name):
        function, inputs = row.function(stopwatch.device)
        with told(f"{row.name}, eager"):
            cells["torch_eager_us"] = f"{stopwatch.median_us(lambda: function(*inputs)):.2f}"
        with told(f"{row.name}, compiled"):
            fused = compiled(function)
            cells["torch_compile_us"] = f"{stopwatch.median_us(lambda: fused(*inputs)):.2f}"
            cells["torch_kernels"] = str(launched(lambda: fused(*inputs)))


def measure_copy(row, stopwatch, cells, known):
    size = row.bytes // 2
    with told(f"{row.name}, copy"):
        if size not in known:
            source, target = torch.empty(2, size, dtype=torch.uint8, device=stopwatch.device)
            source.random_()
            known[size] = f"{stopwatch.median_us(lambda: target.copy_(source)):.2f}"
        cells["torch_copy_us"] = known[size]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("input", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--workers", type=int, default=14, help="processes that compile")
    parser.add_argument("--seconds", type=float, default=240,
                        help="after which no row is timed; the first half at most compiles")
    parser.add_argument("--only", default="", metavar="REGEX",
                        help="only rows whose kind, shape, type and rows match")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"],
                        help="cpu: rehearses, its times mean nothing")
    return parser.parse_args()


def main():
    begin = time.monotonic()
    args = arguments()
    header, *lines = args.input.read_text().splitlines()
    rows = [Row(line.split("\t")) for line in lines]
    rows = [row for row in rows if re.search(args.only, row.name)]
    timed, copies = 0, {}
    with tempfile.TemporaryDirectory() as cache, args.output.open("w") as output:
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = cache
        os.environ["TRITON_CACHE_DIR"] = os.path.join(cache, "triton")
        done = compile_all(rows, args.workers, args.device, begin + args.seconds / 2)
        print(f"{done} of {len(rows)} compiled after {time.monotonic() - begin:.0f} s",
              file=sys.stderr, flush=True)
        set_up()
        stopwatch = Stopwatch(args.device)
        print("\t".join([header, *COLUMNS]), file=output, flush=True)
        for row in rows:
            cells = dict.fromkeys(COLUMNS, "")
            if time.monotonic() - begin < args.seconds:
                measure(row, stopwatch, cells)
                free(args.device)
                measure_copy(row, stopwatch, cells, copies)
                free(args.device)
                timed += 1
            print("\t".join([*row.cells, *cells.values()]), file=output, flush=True)
    hits = torch._dynamo.utils.counters["inductor"]["fxgraph_cache_hit"]
    print(f"{timed} timed after {time.monotonic() - begin:.0f} s, {hits} out of the cache",
          file=sys.stderr)


if __name__ == "__main__":
    main()
