# The corpus of expressions, the checks of its lines, and what the fuzzers make of bytes, shared by
# tests, fuzzers and the benchmark against other simplifiers. It needs only the simplifier and the
# layers below.

file(GLOB sources CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/tests/corpus/*.cpp" "${PROJECT_SOURCE_DIR}/tests/fuzz/*.cpp")
list(FILTER sources EXCLUDE REGEX "/fuzz_[^/]*$")
add_library(tests_corpus STATIC EXCLUDE_FROM_ALL ${sources})
target_include_directories(tests_corpus PUBLIC "${PROJECT_SOURCE_DIR}")
target_link_libraries(tests_corpus PUBLIC selvage_simplifier)
use_pch(tests_corpus selvage_pch)
