# The assembly of SOURCE as a string of C++ in OUTPUT, made to stand in any object beside other code: all symbols are local, and
# labels and names are its own, but those that LLVM's code calls.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
execute_process(COMMAND ${COMPILER} -std=c11 -O2 -fPIC -fno-asynchronous-unwind-tables -fno-stack-protector -fcf-protection=none -g0
  -S -o - ${SOURCE} OUTPUT_VARIABLE assembly RESULT_VARIABLE code ERROR_VARIABLE error)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${SOURCE} does not compile: ${error}")
endif()
string(REGEX REPLACE "[ \t]*#[^\n]*" "" assembly "${assembly}")
string(REGEX REPLACE "\t\\.(globl|hidden|file|ident|addrsig|addrsig_sym|section\t\"?\\.note\\.GNU-stack)[^\n]*\n" "" assembly "${assembly}")
string(REPLACE ".L" ".Ltessera_aot_" assembly "${assembly}")
string(REGEX MATCHALL "\t\\.type\t[A-Za-z_][A-Za-z_0-9]*[,.]" types "${assembly}")
foreach(type ${types})
  string(REGEX REPLACE "^\t\\.type\t(.*)[,.]$" "\\1" name "${type}")
  if(NOT name MATCHES "^(tessera_|__trunc)")
    string(REGEX REPLACE "([-+\n\t ,(*$])${name}([^A-Za-z0-9_])" "\\1tessera_aot_${name}\\2" assembly "${assembly}")
  endif()
endforeach()
if(assembly MATCHES "\t\\.(ascii|asciz|string)\t[^\n]*tessera_aot_[^\n]*")
  message(FATAL_ERROR "${SOURCE}: a text has the name of a function or variable as a word, which was renamed in it: ${CMAKE_MATCH_0}")
endif()
file(WRITE ${OUTPUT} "R\"assembly(${assembly})assembly\"\n")
