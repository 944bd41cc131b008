# schedule_inspect, and the helper process of the compile cache, which programs look for beside
# themselves; so building schedule_inspect builds both.
add_executable(selvage_compile "${PROJECT_SOURCE_DIR}/tools/selvage_compile/main.cpp")
target_link_libraries(selvage_compile PRIVATE selvage_runtime)
use_pch(selvage_compile selvage_pch)

# All of schedule_inspect but main, so that tests call it without starting a process.
file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/schedule_inspect/*.cpp")
if(sources)
  set(main "${PROJECT_SOURCE_DIR}/tools/schedule_inspect/main.cpp")
  list(REMOVE_ITEM sources "${main}")
  add_library(schedule_inspect_command STATIC ${sources})
  target_include_directories(schedule_inspect_command PUBLIC "${PROJECT_SOURCE_DIR}")
  target_compile_definitions(schedule_inspect_command PRIVATE
    SELVAGE_VERSION="${PROJECT_VERSION}")
  target_link_libraries(schedule_inspect_command
    PUBLIC selvage_debugger selvage_pictures selvage_confirm selvage
    PRIVATE CLI11::CLI11 nlohmann_json::nlohmann_json)
  if(LIBEDIT_INCLUDE_DIR AND LIBEDIT_LIBRARY)
    target_compile_definitions(schedule_inspect_command PRIVATE SELVAGE_HAVE_LIBEDIT=1)
    target_include_directories(schedule_inspect_command SYSTEM PRIVATE "${LIBEDIT_INCLUDE_DIR}")
    target_link_libraries(schedule_inspect_command PRIVATE "${LIBEDIT_LIBRARY}")
  else()
    target_compile_definitions(schedule_inspect_command PRIVATE SELVAGE_HAVE_LIBEDIT=0)
  endif()
  compile_together(schedule_inspect_command 16 SELVAGE_UNITY)
  compile_quickly(schedule_inspect_command)
  use_pch(schedule_inspect_command selvage_pch)
  add_executable(schedule_inspect "${main}")
  target_link_libraries(schedule_inspect PRIVATE schedule_inspect_command)
  use_pch(schedule_inspect selvage_pch)
  add_dependencies(schedule_inspect selvage_compile)
endif()
