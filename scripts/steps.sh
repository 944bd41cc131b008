# Steps shared by the scripts; sourced, never run. Each works from the root of the repository.
cd "$(dirname "${BASH_SOURCE[0]}")/.."
jobs=${JOBS:-$(nproc)}

say() { printf '\n== %s\n' "$*"; }

# configure PRESET: once, and again when the presets change or the tree has moved. Later changes
# of the CMake files, and new sources, are noticed by the build itself.
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

# run_tests PRESET COUNTS: every test of a preset; random programs as tests/support/counts.h says.
# Of tests that pass only the figures are printed, so that what fails is all that is left to read.
# Figures, and the reasons of what is skipped, are repeated at the end.
run_tests() {
  local start=$SECONDS status=0
  say "test $1, SELVAGE_COUNTS=$2"
  SELVAGE_COUNTS=$2 ctest --test-dir "build/$1" --output-on-failure \
    --no-tests=error -j "$jobs" || status=$?
  grep -hE '^\[(FIGURE|SKIP)' "build/$1/Testing/Temporary/LastTest.log" | sort -u || true
  say "test $1: $((SECONDS - start)) s"
  return $status
}
