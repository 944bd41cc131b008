#!/usr/bin/env python3
"""Compiles the kernels of kernels.py for sm_90a, which needs Triton but no GPU, and writes what
tests/codegen/test_beside_triton.cpp counts: FOLDER/NAME.cubin, and FOLDER/versions.txt.

    python3 -m venv build/triton && build/triton/bin/pip install triton==3.9.0
    build/triton/bin/python benchmarks/beside_triton/compile.py build/triton/cubins
    SELVAGE_TRITON_CUBINS=build/triton/cubins build/release/bin/selvage_benchmarks \\
        --benchmark_filter=beside_triton

Pointers are multiples of 16 bytes, and a*b + c may be contracted, both as Triton has it by default.
"""
import pathlib
import subprocess
import sys

import triton
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from kernels import KERNELS


def compiled(function, pointers, sizes, warps):
    signature = pointers | {name: "constexpr" for name in sizes}
    aligned = {(k,): [["tt.divisibility", 16]] for k in range(len(pointers))}
    source = ASTSource(fn=function, signature=signature, constexprs=sizes, attrs=aligned)
    return triton.compile(source, target=GPUTarget("cuda", 90, 32), options={"num_warps": warps})


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: compile.py FOLDER")
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, kernel in KERNELS.items():
        (folder / f"{name}.cubin").write_bytes(compiled(*kernel).asm["cubin"])
    ptxas = subprocess.run([knobs.nvidia.ptxas.path, "--version"], capture_output=True, text=True)
    release = ptxas.stdout.split("release ")[1].split(",")[0]
    (folder / "versions.txt").write_text(f"Triton {triton.__version__}, ptxas {release}\n")


if __name__ == "__main__":
    main()
