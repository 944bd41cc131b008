file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/benchmarks/*.cpp")
if(sources)
  add_executable(selvage_benchmarks ${sources})
  target_include_directories(selvage_benchmarks PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(selvage_benchmarks PRIVATE
    SELVAGE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(selvage_benchmarks PRIVATE selvage benchmark::benchmark_main)
  use_pch(selvage_benchmarks selvage_pch)
endif()
