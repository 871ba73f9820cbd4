# Installs the components program and aot, and those of tile kernels, into a fresh prefix, builds examples/program and examples/export against it, with
# CMake and with pkg-config, and compares what their programs print with their READMEs.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(work ${BUILD}/test/package/program)
set(prefix ${work}/prefix)
file(REMOVE_RECURSE ${work})
include(${SOURCE}/test/package/Run.cmake)

set(config)
if(CONFIG) # none in a build without a type
  set(config --config ${CONFIG})
endif()
foreach(component program aot layout sim tile tile-cpp)
  run(${CMAKE_COMMAND} --install ${BUILD} ${config} --prefix ${prefix} --component ${component})
endforeach()
set(ENV{TESSERA_CACHE_DIR} ${work}/cache)
example(program call call-c)

# The components by what they are for.
run(${CMAKE_COMMAND} -S ${SOURCE}/test/package/uses -B ${work}/uses -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix} -DKERNEL=${SOURCE}/examples/program/twice.mlir
  -DCMAKE_CXX_COMPILER=${CXX_COMPILER} "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
run(${CMAKE_COMMAND} --build ${work}/uses)
foreach(use_and_number "jit;3 6" "kernels;1 1" "tile;ok 3.5")
  list(GET use_and_number 0 use)
  list(GET use_and_number 1 number)
  run(${work}/uses/${use})
  if(NOT output STREQUAL "${number}\n")
    message(FATAL_ERROR "${use}: expects ${number}, but got ${output}")
  endif()
endforeach()

set(ENV{LD_LIBRARY_PATH} ${BUILD}/lib/cuda) # the simulator in the driver's place
set(ENV{TESSERA_GPU} h100)
example(export linked)

# The program beside the library finds it.
file(GLOB_RECURSE worker ${prefix}/*/tessera-worker)
execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH= ${worker} WORKING_DIRECTORY ${work} RESULT_VARIABLE code ERROR_VARIABLE error)
if(NOT code EQUAL 2 OR NOT error MATCHES "which starts it")
  message(FATAL_ERROR "tessera-worker: ${code} ${error}")
endif()

find_program(PKG_CONFIG pkg-config)
file(GLOB_RECURSE pc ${prefix}/*/tessera.pc)
if(PKG_CONFIG AND pc)
  get_filename_component(folder ${pc} DIRECTORY)
  set(ENV{PKG_CONFIG_PATH} ${folder})
  run(${PKG_CONFIG} --cflags --libs tessera)
  separate_arguments(flags UNIX_COMMAND "${output}")
  string(REGEX MATCH "-fsanitize=[^ ]*" sanitize "${CXX_FLAGS}") # a program brings what its libraries have
  run(${C_COMPILER} ${sanitize} -std=c99 -DKERNEL="${SOURCE}/examples/program/twice.mlir" ${SOURCE}/examples/program/call.c ${flags} -o ${work}/with-pkg-config)
  get_filename_component(lib ${folder} DIRECTORY)
  set(ENV{LD_LIBRARY_PATH} ${lib})
  run(${work}/with-pkg-config)
  if(NOT output STREQUAL "0 2 510\n")
    message(FATAL_ERROR "with pkg-config: ${output}")
  endif()
endif()
message(STATUS "six programs, and pkg-config ${PKG_CONFIG}")
