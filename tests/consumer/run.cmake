# Installs BUILD, moves the installed tree (so that a path into it would not be found again), then
# configures, builds and runs README's project against it, which knows nothing else of Selvage: the
# CMakeLists.txt beside this file and a program of examples/tutorial.

set(work "${BUILD}/consumer")
file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}")

function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "failed: ${command}")
  endif()
endfunction()

step("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${work}/first")
file(RENAME "${work}/first" "${work}/prefix")

file(GLOB_RECURSE installed "${work}/prefix/${LIBDIR}/cmake/*.cmake")
get_filename_component(source "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
foreach(file IN LISTS installed)
  file(READ "${file}" text)
  string(FIND "${text}" "${source}/" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "${file} names a path in the source tree ${source}")
  endif()
endforeach()

file(COPY "${CMAKE_CURRENT_LIST_DIR}/CMakeLists.txt" "${source}/examples/tutorial/first.cpp"
  DESTINATION "${work}/source")
step("${CMAKE_COMMAND}" -S "${work}/source" -B "${work}/build" -G "${GENERATOR}"
  "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${work}/prefix")
step("${CMAKE_COMMAND}" --build "${work}/build")
step("${work}/build/first")

# Docs and examples lie side by side, as in the repository, and an example runs where it lies.
set(doc "${work}/prefix/${DOCDIR}")
foreach(page README.md doc/tutorial.md doc/pictures/figure2.svg examples/cpp/softmax.cpp)
  if(NOT EXISTS "${doc}/${page}")
    message(FATAL_ERROR "${page} is not installed")
  endif()
endforeach()
step("${work}/prefix/${BINDIR}/schedule_inspect" "${doc}/examples/bias_relu.yaml" --check)
