"""Runs the tests: once to record which of them reach which fault, then those for each fault."""

import collections
import concurrent.futures
import os
import re
import resource
import signal
import subprocess
import time

from planting import TEST_BINARIES

_MEMORY = 8 << 30  # bytes that a program with a fault may ask for
_QUICK = (0.2, 2.0)  # seconds: tests that take less than the first are tried first, and so on
_BATCHES = (0.4, 1.5, 4.0, 10.0)  # seconds of tests at one start: few at first, that are nearest

Test = collections.namedtuple("Test", "name binary seconds path reached")
Outcome = collections.namedtuple("Outcome", "fault noticed_by seconds tests")


class Trial:
    def __init__(self, root, folder, jobs, counts, tests):
        self.root, self.folder, self.jobs, self.counts = root, folder, jobs, counts
        self.filter = tests
        self.tests, self.before_all = [], {b: set() for b in TEST_BINARIES}

    def record(self):
        """Every test once, without a fault; those that fail even so are left out."""
        shards = [(b, k) for b in reversed(TEST_BINARIES) for k in range(2 * self.jobs)]
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(lambda s: self._record_shard(*s), shards))
        failing = []
        for binary, shard in shards:
            for line in self._file(binary, shard, "tests").read_text().splitlines():
                name, milliseconds, path, result, reached = line.split("\t")
                numbers = {int(n) for n in reached.split()}
                if name == "":
                    self.before_all[binary] |= numbers
                elif result == "failed":
                    failing.append(name)
                else:
                    seconds = int(milliseconds) / 1000
                    self.tests.append(Test(name, binary, seconds, path, numbers))
        return failing

    def _file(self, binary, shard, what):
        return self.folder / "tmp" / f"{binary}.{shard}.{what}"

    def _record_shard(self, binary, shard):
        tests = self._file(binary, shard, "tests")
        self._run(
            binary,
            [f"--gtest_filter={self.filter}"],
            3600,
            SELVAGE_FAULT_REACHED=str(self._file(binary, shard, "reached")),
            SELVAGE_FAULT_TESTS=str(tests),
            GTEST_TOTAL_SHARDS=str(2 * self.jobs),
            GTEST_SHARD_INDEX=str(shard),
        )
        if not tests.exists():
            raise RuntimeError(f"{binary} does not start")

    def _run(self, binary, flags, seconds, **more):
        """Exit status (None if it took too long) and output."""
        scratch = self.folder / "tmp"
        places = {name: str(scratch) for name in ("TMPDIR", "HOME", "XDG_CACHE_HOME")}
        env = {**os.environ, **places, "SELVAGE_COUNTS": self.counts, **more}

        def limit():
            cpu = int(seconds) + 1
            resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        program = subprocess.Popen(
            [self.folder / "bin" / binary, *flags],
            cwd=self.root,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
            preexec_fn=limit,
        )
        try:
            output, _ = program.communicate(timeout=60 + 8 * seconds)
            took_too_long = -program.returncode in (signal.SIGXCPU, signal.SIGKILL)
            return None if took_too_long else program.returncode, output
        except subprocess.TimeoutExpired:
            os.killpg(program.pid, signal.SIGKILL)
            return None, program.communicate()[0]

    def try_all(self, faults, say):
        outcomes = []
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            for outcome in pool.map(self._try, faults):
                outcomes.append(outcome)
                say(outcome)
        return outcomes

    def _try(self, fault):
        start, tests = time.monotonic(), self._who_reach(fault)
        for batch in self._batches(tests):
            for binary in TEST_BINARIES:
                names = [t for t in batch if t.binary == binary]
                noticed_by = self._notices(fault, binary, names) if names else None
                if noticed_by:
                    return Outcome(fault, noticed_by, time.monotonic() - start, len(tests))
        return Outcome(fault, None, time.monotonic() - start, len(tests))

    # The quick ones first, and of them the nearest. What is computed once is seen by the first test
    # alone to come by, and hangs on it for all others: where a single test reaches a fault, all of
    # its binary come after it.
    def _who_reach(self, fault):
        found = []
        for binary in TEST_BINARIES:
            own = [t for t in self.tests if t.binary == binary]
            reach = [t for t in own if fault.number in t.reached]
            is_once = len(reach) == 1 or fault.number in self.before_all[binary]
            found += reach + [t for t in own if is_once and t not in reach]
        return sorted(found, key=lambda t: (self._slowness(t), self._distance(fault, t), t.name))

    @staticmethod
    def _distance(fault, test):
        _, folder, name = fault.path.split("/", 2)
        if fault.number not in test.reached:
            return 3
        if f"tests/{folder}/" not in test.path:
            return 2
        return 0 if name.removesuffix(".cpp") in test.path else 1

    @staticmethod
    def _slowness(test):
        return sum(test.seconds >= limit for limit in _QUICK)

    @staticmethod
    def _batches(tests):
        batch, seconds, limits = [], 0.0, list(_BATCHES)
        for test in tests:
            if batch and seconds + test.seconds > limits[0]:
                yield batch
                batch, seconds, limits = [], 0.0, limits[1:] or limits
            batch.append(test)
            seconds += test.seconds + 0.002
        if batch:
            yield batch

    def _notices(self, fault, binary, tests):
        flags = self.folder / "tmp" / f"{fault.number}.{binary}.flags"
        flags.write_text("--gtest_filter=" + ":".join(t.name for t in tests) + "\n")
        status, output = self._run(
            binary,
            [f"--gtest_flagfile={flags}", "--gtest_fail_fast"],
            20 + 6 * sum(t.seconds for t in tests),
            SELVAGE_FAULT=str(fault.number),
        )
        flags.unlink()
        if status == 0:
            return None
        failed = re.findall(r"^\[  FAILED  \] ([^ ,\n]+)", output, re.MULTILINE)
        if failed and status is not None:
            return failed[0]
        begun = re.findall(r"^\[ RUN      \] (\S+)", output, re.MULTILINE)
        last = begun[-1] if begun else f"{binary}, before its first test"
        return f"{last} ({'it does not end' if status is None else 'it dies'})"
