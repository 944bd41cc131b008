# selvage_benchmarks measures Selvage alone. With SELVAGE_PEERS, compare_simplifiers sets its
# simplifier beside isl and MLIR, which nothing else here links (scripts/setup peers installs them).

# Under sanitizers a time says nothing.
if(SELVAGE_TESTS AND NOT SELVAGE_SANITIZE)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/benchmarks/*.cpp")
  # The benchmarks count what compiled kernels hold as the tests do, and take the same fusions.
  add_executable(selvage_benchmarks EXCLUDE_FROM_ALL ${sources}
    "${PROJECT_SOURCE_DIR}/tests/support/known_fusions.cpp"
    "${PROJECT_SOURCE_DIR}/tests/support/loops_order.cpp"
    "${PROJECT_SOURCE_DIR}/tests/support/model_shapes.cpp"
    "${PROJECT_SOURCE_DIR}/tests/support/ptx_counts.cpp"
    "${PROJECT_SOURCE_DIR}/tests/support/published_cost.cpp"
    "${PROJECT_SOURCE_DIR}/tests/support/published_rows.cpp"
    "${PROJECT_SOURCE_DIR}/tests/support/sass_counts.cpp")
  target_include_directories(selvage_benchmarks PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(selvage_benchmarks PRIVATE
    SELVAGE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(selvage_benchmarks PRIVATE
    tests_corpus example_programs selvage benchmark::benchmark_main)
  use_pch(selvage_benchmarks selvage_pch)
  use_driver_stub(selvage_benchmarks)
endif()

if(SELVAGE_PEERS)
  find_path(ISL_INCLUDE_DIR isl/cpp.h REQUIRED)
  find_library(ISL_LIBRARY isl REQUIRED)
  # MLIR is found by file, as its own package requires tools that are not needed.
  set(llvm /usr/lib/llvm-16)
  find_path(MLIR_INCLUDE_DIR mlir/IR/AffineExpr.h PATHS "${llvm}/include" REQUIRED)
  find_library(MLIR_LIBRARY MLIR PATHS "${llvm}/lib" REQUIRED)
  find_library(LLVM_LIBRARY LLVM-16 PATHS "${llvm}/lib" REQUIRED)

  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/benchmarks/peers/*.cpp")
  add_executable(compare_simplifiers ${sources})
  target_include_directories(compare_simplifiers PRIVATE "${PROJECT_SOURCE_DIR}")
  target_include_directories(compare_simplifiers SYSTEM PRIVATE
    "${ISL_INCLUDE_DIR}" "${MLIR_INCLUDE_DIR}")
  target_link_libraries(compare_simplifiers PRIVATE
    tests_corpus "${ISL_LIBRARY}" "${MLIR_LIBRARY}" "${LLVM_LIBRARY}")
endif()
