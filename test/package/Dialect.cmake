# Installs the dialects and what writes kernels in them into a fresh prefix, builds examples/out-of-tree-atom and a kernel of docs/dsl.md against
# them, and looks at what their programs print.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(work ${BUILD}/test/package/dialect)
set(prefix ${work}/prefix)
set(example ${SOURCE}/examples/out-of-tree-atom)
file(REMOVE_RECURSE ${work})
include(${SOURCE}/test/package/Run.cmake)
set(config)
if(CONFIG) # none in a build without a type
  set(config --config ${CONFIG})
endif()
foreach(component layout sim tile dialect dsl)
  run(${CMAKE_COMMAND} --install ${BUILD} ${config} --prefix ${prefix} --component ${component})
endforeach()

# An installed header includes installed headers, besides those of LLVM and MLIR.
file(GLOB_RECURSE headers RELATIVE ${prefix}/include ${prefix}/include/*.h ${prefix}/include/*.td)
foreach(header ${headers})
  file(STRINGS ${prefix}/include/${header} includes REGEX "^ *#?include \"tessera")
  foreach(line ${includes})
    string(REGEX REPLACE "^ *#?include \"([^\"]*)\".*" "\\1" included "${line}")
    if(NOT EXISTS ${prefix}/include/${included})
      message(SEND_ERROR "${header} includes ${included}, which is not installed")
    endif()
  endforeach()
endforeach()

run(${CMAKE_COMMAND} -S ${example} -B ${work}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix} -DMLIR_DIR=${MLIR_DIR}
  -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER} "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}"
  "-DCMAKE_C_FLAGS=${CXX_FLAGS}" -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
run(${CMAKE_COMMAND} --build ${work}/build)

# Four loads and four stores for each of two calls, the first value last.
set(spin ${work}/build/spin-opt)
run(${spin} ${example}/rotate.mlir --cute-desugar --cute-expand-ops)
string(REGEX MATCHALL "cute\\.ptr\\.(load|store)\\([^)]*\\)( {offset = [0-9])?" calls "${output}")
set(found)
foreach(call ${calls})
  string(REGEX REPLACE "cute\\.ptr\\.(.)[a-z]*\\([^)]*\\)" "\\1" short "${call}")
  string(REPLACE " {offset = " "" short "${short}")
  string(APPEND found "${short} ")
endforeach()
if(NOT found STREQUAL "l1 s l2 s1 l3 s2 l s3 l1 s l2 s1 l3 s2 l s3 ")
  message(FATAL_ERROR "the atom's calls are ${found}:\n${output}")
endif()
run(${spin} ${example}/rotate.mlir --tessera-lower=arch=sm_90a)
if(output MATCHES "cute\\.|spin\\." OR NOT output MATCHES "llvm.store")
  message(FATAL_ERROR "the kernel is not lowered:\n${output}")
endif()

# What the README shows of refusals and of the C API.
file(READ ${example}/README.md readme)
execute_process(COMMAND ${spin} ${example}/refused.mlir RESULT_VARIABLE code ERROR_VARIABLE error OUTPUT_QUIET)
string(REGEX MATCH "error: [^\n]*" line "${error}")
string(FIND "${readme}" "```text\n${line}\n```" at)
if(code EQUAL 0 OR at EQUAL -1)
  message(FATAL_ERROR "the README does not show what refused.mlir ends in: ${error}")
endif()
run(${work}/build/dialects)
string(FIND "${readme}" "```text\n${output}```" at)
if(at EQUAL -1)
  message(FATAL_ERROR "dialects prints what the README does not show:\n${output}")
endif()

# A kernel from C++, whose IR the installed passes take.
run(${CMAKE_COMMAND} -S ${SOURCE}/test/package/dsl -B ${work}/dsl -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix} -DMLIR_DIR=${MLIR_DIR}
  -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER} "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}" -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER})
run(${CMAKE_COMMAND} --build ${work}/dsl)
run(${work}/dsl/scale)
file(WRITE ${work}/scale.mlir "${output}")
run(${spin} ${work}/scale.mlir --tessera-lower=arch=sm_80)
if(NOT output MATCHES "llvm.fmul" OR NOT output MATCHES "scale")
  message(FATAL_ERROR "the kernel of test/package/dsl is not lowered:\n${output}")
endif()
list(LENGTH headers count)
message(STATUS "${count} headers and .td files, three programs")
