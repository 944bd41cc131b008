# Defines LibTCC::LibTCC, the Tiny C Compiler as a library. This file is installed beside the
# package's config.

find_path(LibTCC_INCLUDE_DIR libtcc.h)
find_library(LibTCC_LIBRARY tcc)
mark_as_advanced(LibTCC_INCLUDE_DIR LibTCC_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTCC DEFAULT_MSG LibTCC_LIBRARY LibTCC_INCLUDE_DIR)

if(LibTCC_FOUND AND NOT TARGET LibTCC::LibTCC)
  add_library(LibTCC::LibTCC UNKNOWN IMPORTED)
  set_target_properties(LibTCC::LibTCC PROPERTIES
    IMPORTED_LOCATION "${LibTCC_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LibTCC_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS}")
endif()
