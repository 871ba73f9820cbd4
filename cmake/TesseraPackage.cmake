# What an installation offers: components that find_package(Tessera COMPONENTS ...) finds.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# A component is a set of rooms with their headers, which may include std and each other only (test/package
# checks that). It can be installed alone: cmake --install BUILD --component layout.
include(CMakePackageConfigHelpers)

set(TESSERA_PACKAGE_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/Tessera)

# tessera_install(COMPONENT targets...): installs what has been built of the targets, and their export, if all have been: after
# `make demo`, which builds the program `tessera` alone, `cmake --install` works, and find_package says which components are missing.
function(tessera_install component)
  install(TARGETS ${ARGN} EXPORT Tessera-${component}-targets COMPONENT ${component} OPTIONAL)
  install(EXPORT Tessera-${component}-targets NAMESPACE Tessera:: DESTINATION ${TESSERA_PACKAGE_FOLDER}
          COMPONENT ${component})
  foreach(target ${ARGN})
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL INTERFACE_LIBRARY)
      list(APPEND built $<TARGET_FILE:${target}>)
    endif()
  endforeach()
  install(CODE "
    foreach(file ${built})
      if(NOT EXISTS \${file})
        message(STATUS \"Left out: component ${component}, as \${file} has not been built\")
        file(GLOB exports \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${TESSERA_PACKAGE_FOLDER}/Tessera-${component}-targets*.cmake)
        file(REMOVE \${exports})
        break()
      endif()
    endforeach()" COMPONENT ${component})
endfunction()

# tessera_package(COMPONENT [GENERATED] ROOMS rooms... [HEADERS folders...]): installs the libraries of the rooms as
# Tessera::ROOM (or the room's own EXPORT_NAME), the headers of the rooms (or of these folders instead), with GENERATED
# those that TableGen made of them too, and the files of the package.
function(tessera_package component)
  cmake_parse_arguments(PACKAGE "GENERATED" "" "ROOMS;HEADERS" ${ARGN})
  foreach(room ${PACKAGE_ROOMS})
    get_target_property(exported tessera_${room} EXPORT_NAME)
    if(NOT exported)
      set_target_properties(tessera_${room} PROPERTIES EXPORT_NAME ${room})
    endif()
    target_compile_features(tessera_${room} INTERFACE cxx_std_20)
    target_include_directories(tessera_${room} INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    list(APPEND targets tessera_${room})
    if(IS_DIRECTORY ${CMAKE_SOURCE_DIR}/tessera/${room})
      list(APPEND folders tessera/${room})
    endif()
  endforeach()
  if(PACKAGE_HEADERS)
    set(folders ${PACKAGE_HEADERS})
  endif()
  tessera_install(${component} ${targets})
  foreach(folder ${folders})
    install(DIRECTORY ${CMAKE_SOURCE_DIR}/${folder}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder}
            COMPONENT ${component} FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.inc" PATTERN "*.td")
    if(PACKAGE_GENERATED)
      install(DIRECTORY ${CMAKE_BINARY_DIR}/${folder}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder}
              COMPONENT ${component} FILES_MATCHING PATTERN "*.h.inc" PATTERN "CMakeFiles" EXCLUDE)
    endif()
  endforeach()

  set(config ${CMAKE_BINARY_DIR}/package)
  configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/TesseraConfig.cmake.in ${config}/TesseraConfig.cmake
                                INSTALL_DESTINATION ${TESSERA_PACKAGE_FOLDER} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
  # Before 1.0 a new minor version may change any interface.
  write_basic_package_version_file(${config}/TesseraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${config}/TesseraConfig.cmake ${config}/TesseraConfigVersion.cmake
          DESTINATION ${TESSERA_PACKAGE_FOLDER} COMPONENT ${component})
endfunction()
