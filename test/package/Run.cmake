# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run(COMMAND...): fails with its output; `output` is what it printed.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${code}\n${out}${err}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()
