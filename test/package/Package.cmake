# Installs the layout components into a fresh prefix, checks what their headers include, builds examples/layout, sim, tile and tile_cpp against
# them and compares what their programs print with their READMEs.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(work ${BUILD}/test/package/work)
set(prefix ${work}/prefix)
file(REMOVE_RECURSE ${work})

include(${SOURCE}/test/package/Run.cmake)

set(config)
if(CONFIG) # none in a build without a type
  set(config --config ${CONFIG})
endif()
foreach(component layout layout-c sim sim-c tile tile-cpp tile-c tile-run)
  run(${CMAKE_COMMAND} --install ${BUILD} ${config} --prefix ${prefix} --component ${component})
endforeach()

# An installed header includes std and installed headers, and compiles alone.
file(GLOB_RECURSE headers RELATIVE ${prefix}/include ${prefix}/include/*.h)
foreach(header ${headers})
  file(STRINGS ${prefix}/include/${header} includes REGEX "^#include \"")
  foreach(line ${includes})
    string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included "${line}")
    if(NOT EXISTS ${prefix}/include/${included})
      message(SEND_ERROR "${header} includes ${included}, which is not installed")
    endif()
  endforeach()
  file(STRINGS ${prefix}/include/${header} foreign REGEX "^#include <[^>]*/")
  if(foreign)
    message(SEND_ERROR "${header} includes more than std: ${foreign}")
  endif()
  file(APPEND ${work}/headers.cpp "#include <${header}>\n")
endforeach()
list(LENGTH headers count)
if(count LESS 15)
  message(FATAL_ERROR "only ${count} headers are installed")
endif()
run(${CXX_COMPILER} -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I${prefix}/include ${work}/headers.cpp)

# Users have other compilers, and more warnings.
find_program(gxx g++)
set(compilers ${CXX_COMPILER})
if(gxx)
  list(APPEND compilers ${gxx})
endif()
set(strict -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Werror)
foreach(compiler ${compilers})
  run(${compiler} -std=c++20 ${strict} -fsyntax-only -I${prefix}/include ${SOURCE}/examples/tile_cpp/softmax.cpp)
  run(${compiler} -std=c++20 ${strict} -Wno-shadow -fsyntax-only -I${prefix}/include ${SOURCE}/examples/tile_cpp/attention.cpp)
endforeach()

example(layout tile tile-c)
example(sim twice twice-c streams-c profile)
example(tile add add-c)
example(tile_cpp vector_add histogram)
# On the simulator too, by the compiler that is installed, where it was built.
if(EXISTS ${prefix}/bin/tessera-tileiras)
  set(path $ENV{PATH})
  set(ENV{PATH} "${prefix}/bin:$ENV{PATH}")
  run(${work}/tile_cpp/histogram sim)
  set(ENV{PATH} "${path}")
  if(NOT output MATCHES "histogram: right")
    message(FATAL_ERROR "histogram on the simulator: ${output}")
  endif()
endif()

# What is not installed is said, not guessed.
file(WRITE ${work}/missing/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(missing LANGUAGES NONE)\n"
  "find_package(Tessera 0.1 REQUIRED COMPONENTS compiler)\n")
execute_process(COMMAND ${CMAKE_COMMAND} -S ${work}/missing -B ${work}/missing/build -DCMAKE_PREFIX_PATH=${prefix}
  RESULT_VARIABLE code ERROR_VARIABLE error OUTPUT_QUIET)
if(code EQUAL 0 OR NOT error MATCHES "not[ \n]+installed:[ \n]+compiler")
  message(FATAL_ERROR "a missing component is found: ${error}")
endif()
message(STATUS "${count} headers, ten programs")
