# The fuzzers, which need clang for libFuzzer: tests/fuzz/fuzz_NAME.cpp becomes bin/fuzz_NAME. The
# preset `fuzz` builds them with sanitizers; tests run the same checks on bytes of a fixed seed.

file(GLOB entries CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/fuzz/fuzz_*.cpp")
foreach(entry IN LISTS entries)
  get_filename_component(name "${entry}" NAME_WE)
  add_executable(${name} "${entry}")
  target_link_libraries(${name} PRIVATE tests_corpus)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
endforeach()
