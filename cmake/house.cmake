# One static library per folder of csrc/, each linking what lies strictly below it in house.txt.
# A folder without sources is an interface library until its first .cpp appears.

# What a folder uses beyond the house. Headers never include these (scripts/check_includes), so
# users of the installed package do not need them; fmt alone may appear in headers.
set(selvage_ir_uses Boost::headers)
set(selvage_frontend_uses yaml-cpp LibZip::LibZip)
set(selvage_report_uses nlohmann_json::nlohmann_json)
set(selvage_debugger_uses nlohmann_json::nlohmann_json)
if(LibTCC_FOUND)
  list(APPEND selvage_runtime_uses LibTCC::LibTCC)
endif()
if(Z3_FOUND)
  set(selvage_confirm_uses Z3::Z3)
endif()
# Libraries of which only headers are used, and only while building.
set(header_only nlohmann_json::nlohmann_json Boost::headers)
# Folders for schedule_inspect and the tests alone. They are no part of selvage::selvage and not
# installed, so that no user of the package needs Z3.
set(not_installed confirm debugger)

# Folders that read files and write texts, pages and pictures, once for each run of a command.
set(compiled_quickly codegen confirm debugger driver frontend pictures report threads)

# In a unity build the names of forms in this file would hide those in others.
set_source_files_properties("${PROJECT_SOURCE_DIR}/csrc/frontend/file_form.cpp" PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON)

# The precompiled standard headers of the libraries and tools.
if(SELVAGE_PCH)
  file(WRITE "${PROJECT_BINARY_DIR}/pch/std.cpp.new" "")
  file(COPY_FILE "${PROJECT_BINARY_DIR}/pch/std.cpp.new" "${PROJECT_BINARY_DIR}/pch/std.cpp"
    ONLY_IF_DIFFERENT)
  add_library(selvage_pch OBJECT "${PROJECT_BINARY_DIR}/pch/std.cpp")
  target_link_libraries(selvage_pch PRIVATE fmt::fmt Threads::Threads)
  target_precompile_headers(selvage_pch PRIVATE "${CMAKE_CURRENT_LIST_DIR}/pch.h")
endif()

function(add_house_library folder below)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/csrc/${folder}/*.cpp")
  set(library selvage_${folder})
  if(sources)
    set(scope PUBLIC)
    add_library(${library} STATIC ${sources})
    compile_together(${library} 16 SELVAGE_UNITY)
    use_pch(${library} selvage_pch)
    foreach(use IN LISTS ${library}_uses)
      if(use IN_LIST header_only)
        target_link_libraries(${library} PRIVATE "$<BUILD_INTERFACE:${use}>")
      else()
        target_link_libraries(${library} PRIVATE ${use})
      endif()
    endforeach()
    if(folder STREQUAL "runtime")
      target_compile_definitions(${library} PRIVATE
        SELVAGE_HAVE_LIBTCC=${selvage_have_libtcc}
        SELVAGE_COMPILE_HELPER_INSTALLED="${CMAKE_INSTALL_FULL_LIBEXECDIR}/selvage/selvage_compile")
      target_link_libraries(${library} PRIVATE ${CMAKE_DL_LIBS})
      target_include_directories(${library} SYSTEM PRIVATE "$<BUILD_INTERFACE:${XXHASH_INCLUDE_DIR}>")
    endif()
    if(folder IN_LIST compiled_quickly)
      compile_quickly(${library})
    endif()
    if(folder STREQUAL "simplifier")
      # Most time is spent here; the inlining of -O3 saves a tenth, but elsewhere makes g++ 12 warn.
      target_compile_options(${library} PRIVATE "$<$<CONFIG:Release>:-O3>")
    endif()
    if(folder STREQUAL "confirm")
      target_compile_definitions(${library} PRIVATE SELVAGE_HAVE_Z3=${selvage_have_z3})
    endif()
  else()
    set(scope INTERFACE)
    add_library(${library} INTERFACE)
  endif()
  target_compile_features(${library} ${scope} cxx_std_20)
  target_include_directories(${library} ${scope}
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  target_link_libraries(${library} ${scope} fmt::fmt Threads::Threads)
  foreach(lower IN LISTS below)
    target_link_libraries(${library} ${scope} selvage_${lower})
  endforeach()
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${folder})
endfunction()

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/house.txt")
file(STRINGS "${CMAKE_CURRENT_LIST_DIR}/house.txt" layers REGEX "^[a-z]")
set(selvage_folders "")  # lowest first
foreach(layer IN LISTS layers)
  string(REGEX MATCHALL "[a-z_]+" folders "${layer}")
  # A static library stands before those it needs on the link line: nearest layer first.
  set(below ${selvage_folders})
  list(REVERSE below)
  foreach(folder IN LISTS folders)
    add_house_library(${folder} "${below}")
  endforeach()
  list(APPEND selvage_folders ${folders})
endforeach()

# selvage::selvage is the whole house without what is not installed and without the pictures, which
# are linked as selvage::pictures.
list(REMOVE_ITEM selvage_folders ${not_installed})
set(selvage_core ${selvage_folders})
list(REMOVE_ITEM selvage_core pictures)
add_library(selvage INTERFACE)
add_library(selvage::selvage ALIAS selvage)
foreach(folder IN LISTS selvage_core)
  target_link_libraries(selvage INTERFACE selvage_${folder})
endforeach()
