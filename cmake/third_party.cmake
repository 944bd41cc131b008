# Libraries that are not ours; scripts/setup installs their Debian packages.
# What the installed package needs again is listed in cmake/selvage-config.cmake.in.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED CONFIG)
find_package(nlohmann_json REQUIRED CONFIG)
find_package(yaml-cpp REQUIRED CONFIG)
find_package(Boost 1.74 REQUIRED CONFIG)

# Checksums of the disk cache: a header alone.
find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
mark_as_advanced(XXHASH_INCLUDE_DIR)

list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")

# The archives that SciPy's .npz files are.
find_package(LibZip MODULE REQUIRED)

# The C compiler of the virtual device. Without it the runtime is built with SELVAGE_HAVE_LIBTCC=0.
find_package(LibTCC)
if(LibTCC_FOUND)
  set(selvage_have_libtcc 1)
else()
  set(selvage_have_libtcc 0)
endif()

# The prover behind --prove and the tests of rules. Without it csrc/confirm answers Unknown.
find_package(Z3 MODULE)
if(Z3_FOUND)
  set(selvage_have_z3 1)
else()
  set(selvage_have_z3 0)
endif()

if(SELVAGE_TOOLS)
  find_package(CLI11 REQUIRED CONFIG)
  # Edits the commands of --debug in a terminal. Without it they are plain lines.
  find_path(LIBEDIT_INCLUDE_DIR histedit.h)
  find_library(LIBEDIT_LIBRARY edit)
  mark_as_advanced(LIBEDIT_INCLUDE_DIR LIBEDIT_LIBRARY)
endif()
if(SELVAGE_TESTS)
  find_package(GTest REQUIRED CONFIG)
  find_package(benchmark REQUIRED CONFIG)
endif()
