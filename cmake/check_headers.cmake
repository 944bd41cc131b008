# The target check_headers compiles every header of csrc/ alone: by itself, twice, without the
# precompiled headers. scripts/check builds it.

file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/csrc"
  "${PROJECT_SOURCE_DIR}/csrc/*.h")
set(sources "")
foreach(header IN LISTS headers)
  set(source "${PROJECT_BINARY_DIR}/check_headers/${header}.cpp")
  file(CONFIGURE OUTPUT "${source}"
    CONTENT "#include <selvage/${header}>\n#include <selvage/${header}>\n")
  list(APPEND sources "${source}")
endforeach()
add_library(check_headers OBJECT EXCLUDE_FROM_ALL ${sources})
target_link_libraries(check_headers PRIVATE selvage_pictures selvage_confirm selvage_debugger)
target_compile_options(check_headers PRIVATE -O0 -g0)

# Every build with tests also compiles all headers in one source, so that no two of them clash.
set(text "")
foreach(header IN LISTS headers)
  string(APPEND text "#include <selvage/${header}>\n")
endforeach()
file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/all_headers.cpp" CONTENT "${text}")
if(SELVAGE_TESTS)
  add_library(all_headers OBJECT "${PROJECT_BINARY_DIR}/all_headers.cpp")
  target_link_libraries(all_headers PRIVATE selvage_confirm selvage_debugger)
  target_compile_options(all_headers PRIVATE -O0 -g0)
endif()
