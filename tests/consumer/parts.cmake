# Building schedule_inspect alone makes all that installing BUILD copies from it: every library and
# program that the install script names is the output of some command on the way there.

file(READ "${BUILD}/cmake_install.cmake" script)
string(REGEX MATCHALL "\"${BUILD}/(bin|lib)/[^\"]*\"" parts "${script}")
execute_process(COMMAND ninja -C "${BUILD}" -t commands bin/schedule_inspect
  OUTPUT_VARIABLE commands COMMAND_ERROR_IS_FATAL ANY)
list(LENGTH parts count)
if(count LESS 3)
  message(FATAL_ERROR "the install script of ${BUILD} names ${count} parts")
endif()
foreach(part IN LISTS parts)
  string(REGEX REPLACE "^\"${BUILD}/|\"$" "" part "${part}")
  string(FIND "${commands}" " ${part} " at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${part} is installed, and not built with schedule_inspect")
  endif()
endforeach()
