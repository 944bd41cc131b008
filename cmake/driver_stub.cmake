# A stand-in for CUDA's driver library, for the tests and the benchmarks. It records its calls, and
# fails where a test tells it to. Like the real library it is opened by its path, never linked, so
# that its symbols clash with none.

file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/driver_stub/*.cpp")
add_library(driver_stub MODULE EXCLUDE_FROM_ALL ${sources})
target_include_directories(driver_stub PRIVATE "${PROJECT_SOURCE_DIR}")
target_link_libraries(driver_stub PRIVATE fmt::fmt)
set_target_properties(driver_stub PROPERTIES
  LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

# use_driver_stub(TARGET): defines SELVAGE_DRIVER_STUB_PATH, the stub's path, in TARGET.
function(use_driver_stub target)
  add_dependencies(${target} driver_stub)
  target_compile_definitions(${target} PRIVATE
    SELVAGE_DRIVER_STUB_PATH="$<TARGET_FILE:driver_stub>")
endfunction()
