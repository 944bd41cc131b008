"""Plants faults in copies of sources, compiles them and links the tests with them."""

import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess

_HERE = pathlib.Path(__file__).parent
_DECLARATION = 'extern "C" bool selvage_fault(int) noexcept;\n'
TEST_BINARIES = ("tests_core", "tests_ir", "tests_kernel", "tests_tools")
_PROGRAMS = TEST_BINARIES + ("schedule_inspect", "selvage_compile")


def without_overlaps(faults):
    """Those of a file that are nested or apart; of two that cross, the first."""
    kept = []
    for f in faults:
        if not any(
            f.start < k.start < f.end < k.end or k.start < f.start < k.end < f.end for k in kept
        ):
            kept.append(f)
    return kept


def plant(text, faults):
    """The text with all faults, and for each of its lines the fault that it belongs to, or None.

    What is mutated stands on lines of its own, so that the compiler's errors tell whose they are.
    """
    pieces = [(_DECLARATION, None)]

    def write(start, end, inside, owner):
        at = start
        while inside:
            fault = inside[0]
            nested = [f for f in inside[1:] if f.end <= fault.end]
            inside = [f for f in inside[1:] if f.start >= fault.end]
            pieces.append((text[at : fault.start], owner))
            switch = f"selvage_fault({fault.number})"
            if fault.kind == "dropped statement":
                pieces.append((f"\n{{ if (!{switch}) {{", fault))
                write(fault.start, fault.end, nested, fault)
                pieces.append(("}}\n", fault))
            else:
                mutated, wrap = fault.mutated, "bool" if fault.as_bool else ""
                pieces.append((f"\n({switch} ? {wrap}({mutated}) :", fault))
                pieces.append((f"\n{wrap}(", fault))
                write(fault.start, fault.end, nested, fault)
                pieces.append(("))\n", fault))
            at = fault.end
        pieces.append((text[at:end], owner))

    write(0, len(text), sorted(faults, key=lambda f: (f.start, -f.end, f.number)), None)
    owners = [None, None]  # lines are counted from 1
    for piece, owner in pieces:
        for k, _ in enumerate(piece.split("\n")):
            if k > 0:
                owners.append(owner)
            elif owner is not None:
                owners[-1] = owner
    return "".join(p for p, _ in pieces), owners


def accused(errors, path, owners):
    """The faults whose lines of the planted file the compiler's errors name."""
    found = set()
    for line in errors.splitlines():
        place = re.match(rf"{re.escape(str(path))}:(\d+):\d+:\s+(.*)", line)
        if place and re.match(r"(fatal )?error|required", place.group(2)):
            found.add(owners[min(int(place.group(1)), len(owners) - 1)])
    return found - {None}


def _sources_of(file):
    """The file itself, or the sources that are compiled together in it."""
    if "/Unity/" not in file:
        return [file]
    return re.findall(r'#include "([^"]+)"', pathlib.Path(file).read_text())


class Planting:
    """A folder with planted copies, their objects, the archives and the programs."""

    def __init__(self, root, folder, jobs):
        self.root, self.folder, self.jobs = root, folder, jobs
        self.release = root / "build/apart"
        for name in ("csrc", "objects", "lib", "bin", "pch", "tmp"):
            shutil.rmtree(folder / name, ignore_errors=True)
            (folder / name).mkdir(parents=True)
        self._commands = {}
        for entry in json.loads(self._ninja("compdb")):
            if entry["output"].endswith((".o", ".gch")):
                self._commands[entry["output"]] = entry
        self._of_source = {}
        for output, entry in self._commands.items():
            if "check_headers" in output:
                continue
            for path in _sources_of(entry["file"]):
                if path.startswith(f"{root}/"):
                    self._of_source[path[len(str(root)) + 1 :]] = output

    def build(self, sources, faults):
        """Compiles and links; returns the faults that did not compile."""
        self._precompile()
        by_path = {}
        for f in faults:
            by_path.setdefault(f.path, []).append(f)
        refused = []
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            done = pool.map(lambda p: self._compile_planted(p, sources[p], by_path[p]), by_path)
            for gone in done:
                refused += gone
        self._archive(by_path)
        self._link()
        return refused

    def _ninja(self, *words):
        command = ["ninja", "-C", self.release, "-t", *words]
        return subprocess.run(command, check=True, text=True, capture_output=True).stdout

    def _run(self, command):
        return subprocess.run(
            command, shell=True, cwd=self.release, text=True, capture_output=True
        )

    def _must(self, command):
        done = self._run(command)
        if done.returncode != 0:
            raise RuntimeError(f"{command}\n{done.stdout}{done.stderr}")

    # As the release build does, quicker to compile, and with the assertions of the standard
    # library, as the debug build has them: what lies outside of a container is noticed.
    def _planted_command(self, output, target):
        command = self._commands[output]["command"]
        command = re.sub(r" -O[23]\b", " -O1 -w -D_GLIBCXX_ASSERTIONS", command, count=1)
        command = re.sub(r" -O3\b", "", command)
        command = re.sub(r" -MD -MT \S+ -MF \S+", "", command)
        command = command.replace(
            f"{self.release}/CMakeFiles/selvage_pch.dir/", f"{self.folder}/pch/"
        )
        command = command.replace(
            f"-fmacro-prefix-map={self.root}/=",
            f"-fmacro-prefix-map={self.root}/= -fmacro-prefix-map={self.folder}/=",
        )
        return re.sub(r" -o \S+ -c \S+$", "", command) + f" -o {target}"

    def _precompile(self):
        for output in self._commands:
            if output.startswith("CMakeFiles/selvage_pch.dir") and output.endswith(".gch"):
                header = pathlib.Path(self.release, output).with_suffix("")
                shutil.copy(header, self.folder / "pch")
                copy = self.folder / "pch" / header.name
                self._must(f"{self._planted_command(output, f'{copy}.gch')} -c {copy}")

    def _compile_planted(self, path, source, faults):
        planted, target = self.folder / path, self._object(path)
        planted.parent.mkdir(parents=True, exist_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        every, faults = faults, without_overlaps(faults)
        refused = [f for f in every if f not in faults]
        command = self._planted_command(self._of_source[path], target)
        while True:
            text, owners = plant(source.text, faults)
            planted.write_text(text)
            done = self._run(f"{command} -c {planted}")
            if done.returncode == 0:
                return refused
            if not faults:
                raise RuntimeError(f"{path} does not compile without faults\n{done.stderr}")
            gone = accused(done.stderr, planted, owners) or set(faults)
            refused += gone
            faults = [f for f in faults if f not in gone]

    def _object(self, path):
        return self.folder / "objects" / (path.removeprefix("csrc/") + ".o")

    def _archive(self, paths):
        switch = self.folder / "objects/switch.o"
        self._must(f"c++ -std=c++20 -O2 -c {_HERE}/switch.cpp -o {switch}")
        folders = {}
        for path in paths:
            folders.setdefault(path.split("/")[1], []).append(self._object(path))
        folders.setdefault("base", []).append(switch)
        for archive in (self.release / "lib").glob("libselvage_*.a"):
            copy = self.folder / "lib" / archive.name
            shutil.copy(archive, copy)
            objects = folders.pop(archive.stem.removeprefix("libselvage_"), [])
            if len({o.name for o in objects}) != len(objects):
                raise RuntimeError(f"{archive}: two objects share a name")
            if objects:
                self._must(f"ar r {copy} {' '.join(map(str, objects))}")
        assert not folders, f"there is no archive of {list(folders)}"

    def _link(self):
        record = self.folder / "objects/record.o"
        self._must(f"c++ -std=c++20 -O1 -c {_HERE}/record.cpp -o {record}")
        replaced = self._tests_that_start_the_command()

        def link(program):
            command = self._ninja("commands", program).strip().splitlines()[-1]
            command = command.replace(" lib/libselvage_", f" {self.folder}/lib/libselvage_")
            for old, new in replaced.items():
                command = command.replace(f" {old} ", f" {new} ")
            extra = f" {record}" if program in TEST_BINARIES else ""
            self._must(
                command.replace(f" -o bin/{program}", f"{extra} -o {self.folder}/bin/{program}")
            )

        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(link, _PROGRAMS))

    # They hold the path of schedule_inspect: the one with the faults is to be started.
    def _tests_that_start_the_command(self):
        replaced = {}
        for path in sorted((self.root / "tests").glob("**/*.cpp")):
            if "SELVAGE_INSPECT_PATH" in path.read_text():
                output = self._of_source[str(path.relative_to(self.root))]
                if output in replaced:
                    continue
                target = self.folder / "objects" / (path.name + ".o")
                command = self._commands[output]["command"].replace(
                    f"{self.release}/bin/schedule_inspect", f"{self.folder}/bin/schedule_inspect"
                )
                self._must(command.replace(f" -o {output}", f" -o {target}"))
                replaced[output] = target
        return replaced
