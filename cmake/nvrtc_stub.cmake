# Stand-ins for NVRTC libraries that are too old, for the tests. Each is libnvrtc.so.13 in a folder
# of its own, and is opened by path or by LD_LIBRARY_PATH, never linked.

function(add_nvrtc_stub name)
  add_library(${name} MODULE EXCLUDE_FROM_ALL
    "${PROJECT_SOURCE_DIR}/tests/nvrtc_stub/nvrtc_stub.cpp")
  target_compile_definitions(${name} PRIVATE ${ARGN})
  set_target_properties(${name} PROPERTIES
    OUTPUT_NAME nvrtc
    SUFFIX ".so.13"
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib/${name}")
endfunction()

add_nvrtc_stub(nvrtc_stub)
add_nvrtc_stub(nvrtc_stub_without_binaries NVRTC_STUB_BEFORE_11_1)
add_nvrtc_stub(nvrtc_stub_broken NVRTC_STUB_BROKEN)

# use_nvrtc_stubs(TARGET FILE): defines SELVAGE_NVRTC_STUBS, their folders, in FILE of TARGET.
function(use_nvrtc_stubs target file)
  add_dependencies(${target} nvrtc_stub nvrtc_stub_without_binaries nvrtc_stub_broken)
  set_source_files_properties("${file}" PROPERTIES
    COMPILE_DEFINITIONS "SELVAGE_NVRTC_STUBS=\"${PROJECT_BINARY_DIR}/lib\"")
endfunction()
