# How everything here is compiled and linked. None of it is exported to users of the installed package.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

add_compile_options(-Wall -Wextra -Wswitch-enum -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Two warnings of g++ 12 are false positives: -Wrestrict for string concatenation, and
  # -Wmaybe-uninitialized for the contents of std::optional and std::variant.
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized)
endif()

# __FILE__ is a path in the repository, as csrc/ir/graph.cpp, wherever the tree lies.
add_compile_options("-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")

if(SELVAGE_SANITIZE)
  add_compile_options(
    "-fsanitize=${SELVAGE_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options("-fsanitize=${SELVAGE_SANITIZE}")
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()

# gold comes with binutils and links the debug tests several times faster than bfd.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=gold SELVAGE_HAVE_GOLD)
if(SELVAGE_HAVE_GOLD)
  add_link_options(-fuse-ld=gold)
endif()

# compile_together(TARGET COUNT OPTION): compiles COUNT sources of TARGET at a time if the cache
# variable OPTION is on. A full build then takes a third of the work, most of which is headers and
# templates. Names in the sources of one folder must differ, internal ones too. A single changed
# source compiles faster without it, as in the preset `debug`.
function(compile_together target count option)
  if(NOT ${option})
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${count})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Each source is then an included file, and its lambdas may hold types internal to this file.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()

# compile_quickly(TARGET): with less optimisation, for code in which a program spends no time. It saves a
# quarter of the compile time of this code.
function(compile_quickly target)
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-O1>")
endfunction()

# use_pch(TARGET OWNER): TARGET compiles with the headers that OWNER has precompiled.
# Headers must stand alone without it: the target check_headers compiles each by itself.
function(use_pch target owner)
  if(SELVAGE_PCH)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()
