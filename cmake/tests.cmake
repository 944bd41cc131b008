# A few binaries, each holding the tests of several folders: fewer links than one per folder.
# Each is registered as shards (GoogleTest's own), so that ctest -j spreads it over the cores.

set(test_shards 4)

# These are compiled apart from the sources beside them, as some of their names clash.
foreach(source IN ITEMS
    codegen/test_values frontend/test_document frontend/test_document_hostile
    index/test_symbolic_sides
    kernel/test_verify_parts legality/test_vector_random oracle/random_graph
    report/tile_changes report/value_changes threads/test_builder_refusals tools/test_pages)
  set_source_files_properties("${PROJECT_SOURCE_DIR}/tests/${source}.cpp" PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON)
endforeach()

# Test support: helpers and the brute-force oracle, linked by every test binary, as is the corpus.
# Tests themselves are files test_*.cpp; those of tests/oracle/ run in tests_ir.
file(GLOB_RECURSE support CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/tests/support/*.cpp" "${PROJECT_SOURCE_DIR}/tests/oracle/*.cpp")
list(FILTER support EXCLUDE REGEX "/test_[^/]*$")
# Compiled into every test binary: it acts before main, and a linker would drop it from a library.
set(no_disk_cache "${PROJECT_SOURCE_DIR}/tests/support/no_disk_cache.cpp")
list(REMOVE_ITEM support "${no_disk_cache}")

if(SELVAGE_PCH AND NOT SELVAGE_TESTS_FROM)
  file(WRITE "${PROJECT_BINARY_DIR}/pch/tests.cpp.new" "")
  file(COPY_FILE "${PROJECT_BINARY_DIR}/pch/tests.cpp.new" "${PROJECT_BINARY_DIR}/pch/tests.cpp"
    ONLY_IF_DIFFERENT)
  add_library(tests_pch OBJECT "${PROJECT_BINARY_DIR}/pch/tests.cpp")
  target_link_libraries(tests_pch PRIVATE fmt::fmt GTest::gmock)
  target_precompile_headers(tests_pch PRIVATE "${CMAKE_CURRENT_LIST_DIR}/pch_tests.h")
endif()

# Tests are compiled more often than they are run: to optimise them little saves a third of the
# compile time. Their support has oracles that run for long.
set(test_options "$<$<CONFIG:Release>:-Og>")
set(support_options "$<$<CONFIG:Release>:-O1>")
if(TARGET tests_pch)
  target_compile_options(tests_pch PRIVATE "${test_options}")
endif()

# What all test code sees: the house, the repository root (<tests/support/counts.h>), GoogleTest.
# What differs between builds is asked of <tests/support/this_build.h> instead.
add_library(tests_common INTERFACE)
target_include_directories(tests_common INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_definitions(tests_common INTERFACE
  SELVAGE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
  SELVAGE_HAVE_LIBTCC=${selvage_have_libtcc})
target_link_libraries(tests_common INTERFACE
  tests_corpus selvage_debugger selvage_pictures selvage_confirm selvage GTest::gmock nlohmann_json::nlohmann_json)

# SELVAGE_TESTS_FROM names a build tree that is up to date: the tests' object files are taken from it
# and linked with the libraries of this build. Compiling tests is most of a build, and what the
# sanitizers of the preset `sanitized` are to watch is the libraries and the commands. (Of an inline
# function that both have the linker keeps one, which may be the test's: commands, which tests run as
# well, have none of these. The preset `debug` watches all.)
if(SELVAGE_TESTS_FROM)
  add_library(tests_support STATIC IMPORTED)
  set_target_properties(tests_support PROPERTIES
    IMPORTED_LOCATION "${SELVAGE_TESTS_FROM}/lib/libtests_support.a")
  target_link_libraries(tests_support INTERFACE tests_common)
elseif(support)
  add_library(tests_support STATIC ${support})
  target_compile_options(tests_support PRIVATE "${support_options}")
  compile_together(tests_support 10 SELVAGE_UNITY_TESTS)
  target_link_libraries(tests_support PUBLIC tests_common)
  use_pch(tests_support tests_pch)
else()
  add_library(tests_support INTERFACE)
  target_link_libraries(tests_support INTERFACE tests_common)
endif()

# Up to GCC 13 the sanitizer takes some blocks of thread-local storage for those of an old glibc, and
# the leak check then reads wherever they point: "Tracer caught signal 11", once in a hundred runs.
set(sanitizer_options
  "UBSAN_OPTIONS=print_stacktrace=1;ASAN_OPTIONS=intercept_tls_get_addr=0")

function(add_test_binary name)
  set(sources "")
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE found CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp")
    list(APPEND sources ${found})
    # Sources of one folder are compiled ten at a time.
    set(number 0)
    foreach(source IN LISTS found)
      math(EXPR group "${number} / 10")
      math(EXPR number "${number} + 1")
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${folder}_${group}")
    endforeach()
  endforeach()
  if(support)
    list(REMOVE_ITEM sources ${support})
  endif()
  if(NOT sources)
    return()
  endif()
  if(SELVAGE_TESTS_FROM)
    set(list "${SELVAGE_TESTS_FROM}/${name}.objects")
    if(NOT EXISTS "${list}")
      message(FATAL_ERROR "SELVAGE_TESTS_FROM: there is no ${list}; build that tree first")
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list}")
    file(READ "${list}" objects)
    add_executable(${name} ${objects})
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  else()
    add_executable(${name} ${sources} "${no_disk_cache}")
    target_compile_options(${name} PRIVATE "${test_options}")
    compile_together(${name} 10 SELVAGE_UNITY_TESTS)
    set_target_properties(${name} PROPERTIES UNITY_BUILD_MODE GROUP)
    use_pch(${name} tests_pch)
    file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/${name}.objects"
      CONTENT "$<TARGET_OBJECTS:${name}>")
  endif()
  target_link_libraries(${name} PRIVATE tests_support GTest::gmock_main)
  if(TARGET schedule_inspect)
    add_dependencies(${name} schedule_inspect selvage_compile)
  endif()
  math(EXPR last "${test_shards} - 1")
  foreach(shard RANGE ${last})
    math(EXPR number "${shard} + 1")
    set(entry "${name}.${number}of${test_shards}")
    add_test(NAME ${entry} COMMAND ${name} --gtest_brief=1
      WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
    set_tests_properties(${entry} PROPERTIES
      LABELS ${name}
      TIMEOUT 3600
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${test_shards};GTEST_SHARD_INDEX=${shard};${sanitizer_options}")
  endforeach()
endfunction()

set(tests_core base expr simplifier)
set(tests_ir ir index oracle legality)
set(tests_kernel kernel lower scheduler threads codegen emulate runtime driver values)
set(tests_tools frontend report pictures confirm debugger tools examples)
set(claimed consumer corpus driver_stub fuzz nvrtc_stub scripts support)
foreach(binary tests_core tests_ir tests_kernel tests_tools)
  add_test_binary(${binary} ${${binary}})
  list(APPEND claimed ${${binary}})
endforeach()
target_link_libraries(tests_tools PRIVATE example_programs schedule_inspect_command)
add_dependencies(tests_tools examples)
use_driver_stub(tests_kernel)
use_nvrtc_stubs(tests_kernel "${PROJECT_SOURCE_DIR}/tests/runtime/test_old_nvrtc.cpp")

# No test may be left out by accident: every folder of tests/ belongs to a binary.
file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/tests"
  "${PROJECT_SOURCE_DIR}/tests/*.cpp")
foreach(source IN LISTS sources)
  string(REGEX REPLACE "/.*" "" folder "${source}")
  if(NOT folder IN_LIST claimed)
    message(FATAL_ERROR "tests/${source}: no test binary holds tests/${folder}; name it in cmake/tests.cmake")
  endif()
endforeach()

add_test(NAME examples_run COMMAND examples)
set_tests_properties(examples_run PROPERTIES
  ENVIRONMENT "SELVAGE_CACHE_DIR=;${sanitizer_options}")

# Asked for an unknown example, the program lists those that there are.
add_test(NAME examples_are_listed COMMAND examples nosuch)
set_tests_properties(examples_are_listed PROPERTIES PASS_REGULAR_EXPRESSION
  "no example is called nosuch; there are bias_gelu, softmax, .*, concatenate")

add_test(NAME includes_go_down COMMAND "${PROJECT_SOURCE_DIR}/scripts/check_includes")
add_test(NAME check_includes_refuses COMMAND
  "${PROJECT_SOURCE_DIR}/tests/scripts/test_check_includes.sh")
add_test(NAME layers_are_those_of_the_page COMMAND "${PROJECT_SOURCE_DIR}/scripts/check_layers")
set_tests_properties(includes_go_down check_includes_refuses layers_are_those_of_the_page
  PROPERTIES LABELS house)

find_program(PYTHON3 python3)
if(PYTHON3)
  add_test(NAME mutate_plants_faults COMMAND "${PYTHON3}"
    "${PROJECT_SOURCE_DIR}/tests/scripts/test_mutate.py")
  set_tests_properties(mutate_plants_faults PROPERTIES
    LABELS house
    ENVIRONMENT "CXX=${CMAKE_CXX_COMPILER}")
endif()

# Builds a user's project against an installed copy; in builds without sanitizers only, as sanitized
# libraries require the same flags of their users.
if(NOT SELVAGE_SANITIZE)
  add_test(NAME install_and_find_package COMMAND "${CMAKE_COMMAND}"
    "-DBUILD=${PROJECT_BINARY_DIR}" "-DCOMPILER=${CMAKE_CXX_COMPILER}"
    "-DGENERATOR=${CMAKE_GENERATOR}" "-DLIBDIR=${CMAKE_INSTALL_LIBDIR}"
    "-DBINDIR=${CMAKE_INSTALL_BINDIR}" "-DDOCDIR=${CMAKE_INSTALL_DOCDIR}"
    -P "${PROJECT_SOURCE_DIR}/tests/consumer/run.cmake")
  set_tests_properties(install_and_find_package PROPERTIES LABELS install TIMEOUT 300)
endif()
if(TARGET schedule_inspect AND CMAKE_GENERATOR STREQUAL "Ninja")
  add_test(NAME install_after_the_demo COMMAND "${CMAKE_COMMAND}" "-DBUILD=${PROJECT_BINARY_DIR}"
    -P "${PROJECT_SOURCE_DIR}/tests/consumer/parts.cmake")
  set_tests_properties(install_after_the_demo PROPERTIES LABELS install)
endif()
