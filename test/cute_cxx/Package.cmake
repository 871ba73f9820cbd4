# Installs the component cute-cpp with what it needs into a fresh prefix, compiles each of its headers alone, with and without RTTI and
# exceptions, and builds and runs an example as a user would.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(work ${BUILD}/test/cute_cxx/work)
set(prefix ${work}/prefix)
file(REMOVE_RECURSE ${work})
include(${SOURCE}/test/package/Run.cmake)

foreach(component layout sim tile tile-cpp cute-cpp)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --component ${component})
endforeach()
file(GLOB headers RELATIVE ${prefix}/include ${prefix}/include/tessera/cute.h ${prefix}/include/tessera/cute_cxx/*.h)
list(LENGTH headers count)
if(count LESS 9)
  message(FATAL_ERROR "only ${count} headers are installed: ${headers}")
endif()
set(strict -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast -Werror) # as users have them
foreach(header ${headers})
  file(WRITE ${work}/header.cpp "#include <${header}>\n")
  foreach(flags "" "-fno-rtti;-fno-exceptions")
    run(${CXX_COMPILER} -std=c++20 ${strict} ${flags} -fsyntax-only -I${prefix}/include ${work}/header.cpp)
  endforeach()
endforeach()
# Users have other compilers too. A body of If or For that names what it is given as the outer variable shadows that itself.
find_program(gxx g++)
set(compilers ${CXX_COMPILER})
if(gxx)
  list(APPEND compilers ${gxx})
endif()
foreach(compiler ${compilers})
  run(${compiler} -std=c++20 ${strict} -fsyntax-only -I${prefix}/include ${SOURCE}/examples/cute_cpp/sgemm.cpp)
  run(${compiler} -std=c++20 ${strict} -Wno-shadow -fsyntax-only -I${prefix}/include ${SOURCE}/examples/cute_cpp/ampere_gemm.cpp)
endforeach()
run(${CMAKE_COMMAND} -S ${SOURCE}/examples/cute_cpp -B ${work}/examples -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
run(${CMAKE_COMMAND} --build ${work}/examples --target rmsnorm)
run(${work}/examples/rmsnorm)
