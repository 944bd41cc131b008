# After cmake --install: <selvage/selvage.h>, the libraries, schedule_inspect, find_package(selvage),
# and README, docs and examples as they lie in the repository, so that their links hold.

include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/selvage")

set(libraries ${selvage_folders})
list(TRANSFORM libraries PREPEND selvage_)
install(TARGETS selvage ${libraries} EXPORT selvage-targets)
install(EXPORT selvage-targets NAMESPACE selvage:: DESTINATION "${package_dir}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/csrc/"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/selvage"
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def"
  PATTERN "${not_installed}" EXCLUDE)
if(TARGET schedule_inspect)
  install(TARGETS schedule_inspect)
endif()
if(TARGET selvage_compile)
  install(TARGETS selvage_compile DESTINATION "${CMAKE_INSTALL_LIBEXECDIR}/selvage")
endif()
install(FILES "${PROJECT_SOURCE_DIR}/README.md" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/doc" "${PROJECT_SOURCE_DIR}/examples"
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")

configure_package_config_file(
  "${CMAKE_CURRENT_LIST_DIR}/selvage-config.cmake.in" "${PROJECT_BINARY_DIR}/selvage-config.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/selvage-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/selvage-config.cmake"
  "${PROJECT_BINARY_DIR}/selvage-config-version.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/FindLibTCC.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/FindLibZip.cmake"
  DESTINATION "${package_dir}")
