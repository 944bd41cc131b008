# Functions shared by the scripts; sourced, never run. They work in the root of the repository.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${JOBS:-$(nproc)}

say() { printf '\n== %s\n' "$*"; }

# configure PRESET: configures once, and again when the presets change or the tree has moved. The
# build itself notices later changes of the CMake files, and new sources.
configure() {
  local build=build/$1
  local home=
  [[ -f $build/CMakeCache.txt ]] &&
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$build/CMakeCache.txt")
  if [[ -n $home && $home != "$PWD" ]]; then
    cmake --preset "$1" --fresh
  elif [[ ! -f $build/build.ninja || CMakePresets.json -nt $build/build.ninja ]]; then
    cmake --preset "$1"
  fi
}

# build PRESET [TARGET...]
build() {
  local preset=$1 what="build $*" start=$SECONDS
  shift
  say "$what"
  configure "$preset"
  cmake --build "build/$preset" -j "$jobs" ${1:+--target "$@"}
  say "$what: $((SECONDS - start)) s"
}

# run_tests PRESET COUNTS: runs every test of a preset; COUNTS: see tests/support/counts.h. Prints
# the output of tests that fail only; figures, and the reasons why tests are skipped, come last.
run_tests() {
  local start=$SECONDS status=0
  say "test $1, SELVAGE_COUNTS=$2"
  SELVAGE_COUNTS=$2 ctest --test-dir "build/$1" --output-on-failure \
    --no-tests=error -j "$jobs" || status=$?
  grep -hE '^\[(FIGURE|SKIP)' "build/$1/Testing/Temporary/LastTest.log" | sort -u || true
  say "test $1: $((SECONDS - start)) s"
  return $status
}
