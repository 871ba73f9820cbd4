# An installation of what has not been built: it works, says what it left out, and find_package names what is missing.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DSOURCE=... -DBUILD=... -DCXX_COMPILER=... -DC_COMPILER=... -DGENERATOR=... -P Partial.cmake
set(scratch ${BUILD}/package-partial)
file(REMOVE_RECURSE ${scratch})

# Runs a command; `said` is all that it printed.
macro(run expected)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT code STREQUAL "${expected}")
    message(FATAL_ERROR "expects exit code ${expected} of ${ARGN}, but got ${code}:\n${said}")
  endif()
endmacro()
macro(expect part)
  string(REGEX REPLACE "[ \n]+" " " flat "${said}") # CMake wraps messages
  if(NOT flat MATCHES "${part}")
    message(FATAL_ERROR "expects '${part}', but got:\n${said}")
  endif()
endmacro()

set(compilers -G ${GENERATOR} -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER})
run(0 ${CMAKE_COMMAND} -S ${SOURCE} -B ${scratch}/build ${compilers} -DTESSERA_COMPILER=OFF -DBUILD_TESTING=OFF)
run(0 ${CMAKE_COMMAND} --build ${scratch}/build --target tessera_number)
run(0 ${CMAKE_COMMAND} --install ${scratch}/build --prefix ${scratch}/prefix)
expect("Left out: component layout,")
expect("Left out: component sim,")
file(GLOB exports ${scratch}/prefix/lib/cmake/Tessera/Tessera-*-targets*.cmake)
if(exports)
  message(FATAL_ERROR "expects no export, but got ${exports}")
endif()

file(WRITE ${scratch}/user/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(user CXX)\nfind_package(Tessera REQUIRED COMPONENTS layout sim)\n")
run(1 ${CMAKE_COMMAND} -S ${scratch}/user -B ${scratch}/user/build ${compilers} -DCMAKE_PREFIX_PATH=${scratch}/prefix)
expect("these components are not installed: layout;sim")
