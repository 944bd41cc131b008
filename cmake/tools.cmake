# schedule_inspect, and the helper process of the compile cache, which is found beside the programs
# that use it: whoever builds the one gets all that is installed.
add_executable(selvage_compile "${PROJECT_SOURCE_DIR}/tools/selvage_compile/main.cpp")
target_link_libraries(selvage_compile PRIVATE selvage_runtime)
use_pch(selvage_compile selvage_pch)

file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/schedule_inspect/*.cpp")
if(sources)
  add_executable(schedule_inspect ${sources})
  target_include_directories(schedule_inspect PRIVATE "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(schedule_inspect PRIVATE SELVAGE_VERSION="${PROJECT_VERSION}")
  target_link_libraries(schedule_inspect PRIVATE
    selvage_confirm selvage CLI11::CLI11 nlohmann_json::nlohmann_json)
  use_pch(schedule_inspect selvage_pch)
  add_dependencies(schedule_inspect selvage_compile)
endif()
