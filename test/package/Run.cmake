# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run(COMMAND...): fails with its output; `output` is what it printed.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${code}\n${out}${err}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

# example(NAME PROGRAMS...): builds examples/NAME, whose README shows what each of its programs prints.
function(example name)
  run(${CMAKE_COMMAND} -S ${SOURCE}/examples/${name} -B ${work}/${name} -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix}
    -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER} "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}"
    "-DCMAKE_C_FLAGS=${CXX_FLAGS}")
  run(${CMAKE_COMMAND} --build ${work}/${name} --target ${ARGN})
  file(READ ${SOURCE}/examples/${name}/README.md readme)
  foreach(program ${ARGN})
    run(${work}/${name}/${program})
    string(FIND "${readme}" "```text\n${output}```" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "${program} prints what examples/${name}/README.md does not show:\n${output}")
    endif()
  endforeach()
endfunction()
