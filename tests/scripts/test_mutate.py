#!/usr/bin/env python3
"""Plants every fault of a small file, compiles them in together, and switches them on one by one:
each changes what the program prints, or is named here as one that cannot."""

import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts/mutation"))

from faults import Finder  # noqa: E402
from planting import accused, plant, without_overlaps  # noqa: E402
from source import Source  # noqa: E402

PROGRAM = """\
#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

constexpr int kLimit = 3;  // not in a function: no fault is planted here

template <int N>
struct Box {
  int size = N + 1;
};

const std::vector<int> kItems = {0, 1, 2, 3, 4, 6, 9};

constexpr int twice(int x) { return x + x; }

// A comment with a < b && c in it.
int count_below(const std::vector<int>& all, int limit) {
  static_assert(kLimit < 4);
  int n = 0;
  for (int x : all) {
    if (x < limit && x != 2) ++n;
    if (x > 8) continue;
    n += x > 5 ? 10 : 20;
  }
  return std::max(n, Box<4>{}.size) - twice(kLimit);
}

bool is_odd(int x) {
  const auto rest = [](int y) { return y % 2; };
  return !(rest(x) == 0);
}

}  // namespace

int main() {
  std::printf("%d %d %d\\n", count_below(kItems, kLimit), is_odd(3), is_odd(4));
}
"""

WANTED = """\
small.cpp:21: 0  ->  1
small.cpp:23: x < limit  ->  (limit) < (x)
small.cpp:23: x < limit  ->  x <= limit
small.cpp:23: x < limit && x != 2  ->  (x < limit) || (x != 2)
small.cpp:23: x < limit && x != 2  ->  false
small.cpp:23: x < limit && x != 2  ->  true
small.cpp:23: x < limit && x != 2  ->  x != 2
small.cpp:23: x < limit && x != 2  ->  x < limit
small.cpp:23: x != 2  ->  x == 2
small.cpp:23: 2  ->  1
small.cpp:23: 2  ->  3
small.cpp:23: ++n  ->  --n
small.cpp:23: ++n;  ->  
small.cpp:24: x > 8  ->  (8) > (x)
small.cpp:24: x > 8  ->  false
small.cpp:24: x > 8  ->  true
small.cpp:24: x > 8  ->  x >= 8
small.cpp:24: 8  ->  7
small.cpp:24: 8  ->  9
small.cpp:24: continue;  ->  
small.cpp:25: n += x > 5 ? 10 : 20  ->  n -= x > 5 ? 10 : 20
small.cpp:25: n += x > 5 ? 10 : 20;  ->  
small.cpp:25: x > 5  ->  (5) > (x)
small.cpp:25: x > 5  ->  x >= 5
small.cpp:25: x > 5 ? 10 : 20  ->  !(x > 5) ? 10 : 20
small.cpp:25: 5  ->  4
small.cpp:25: 5  ->  6
small.cpp:25: 10  ->  11
small.cpp:25: 10  ->  9
small.cpp:25: 20  ->  19
small.cpp:25: 20  ->  21
"""

# What the program does not tell apart: nothing lies between the two, or is asked about.
SAME = [
    "small.cpp:23: 2  ->  1",
    "small.cpp:24: x > 8  ->  x >= 8",
    "small.cpp:24: 8  ->  7",
    "small.cpp:25: x > 5  ->  x >= 5",
    "small.cpp:25: 5  ->  4",
]

REFUSED = [
    "small.cpp:38: count_below(kItems, kLimit)  ->  count_below(kLimit, kItems)",
]


def compiled(folder, faults):
    """The program with all faults that compile, and these."""
    planted, program = folder / "planted.cpp", folder / "program"
    compiler = os.environ.get("CXX", "c++")
    command = [compiler, "-std=c++20", "-w", "-o", program, planted]
    while True:
        text, owners = plant(PROGRAM, faults)
        planted.write_text(text)
        done = subprocess.run(
            [*command, ROOT / "scripts/mutation/switch.cpp"], text=True, capture_output=True
        )
        if done.returncode == 0:
            break
        gone = accused(done.stderr, planted, owners)
        assert gone, done.stderr
        faults = [f for f in faults if f not in gone]
    run = lambda n: subprocess.run(  # noqa: E731
        [program], env={**os.environ, "SELVAGE_FAULT": str(n)}, text=True, capture_output=True
    )
    return run, faults


def main():
    source = Source("small.cpp", PROGRAM)
    faults = Finder(source).all()
    text = "".join(f"{f}\n" for f in faults if f.line <= 25)
    if text != WANTED:
        print(f"--- expected\n{WANTED}--- got\n{text}")
        return 1
    # Of the last function a call alone: the rest of it is what it prints.
    faults = [f for f in faults if f.line < 38 or f.original.startswith("count")]
    listed = [str(f) for f in faults]
    assert without_overlaps(faults) == faults
    for number, fault in enumerate(faults, 1):
        fault.number = number
    with tempfile.TemporaryDirectory() as folder:
        run, faults = compiled(pathlib.Path(folder), faults)
        wanted, wrong = run(0).stdout, 0
        refused = [f for f in listed if f not in map(str, faults)]
        same = [str(f) for f in faults if run(f.number).stdout == wanted]
        for what, expected, got in [
            ("it prints", "106 1 0\n", wanted),
            ("change nothing", SAME, same),
            ("do not compile", REFUSED, refused),
        ]:
            if got != expected:
                print(f"{what}: {got}\n    expected: {expected}")
                wrong += 1
        print(f"{len(faults)} faults, {wrong} wrong")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
