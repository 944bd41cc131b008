# The C++ examples: a library that tests and benchmarks run, and a program that shows them.
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/examples/cpp/*.cpp")
list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
add_library(example_programs STATIC ${sources})
target_include_directories(example_programs INTERFACE "${PROJECT_SOURCE_DIR}")
target_link_libraries(example_programs PUBLIC selvage)
use_pch(example_programs selvage_pch)

add_executable(examples "${PROJECT_SOURCE_DIR}/examples/cpp/main.cpp")
target_link_libraries(examples PRIVATE example_programs)
use_pch(examples selvage_pch)
