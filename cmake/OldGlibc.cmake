# Programs and libraries that run with glibc TESSERA_GLIBC or later, though the machine that builds them has a newer one.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The linker sees libraries that utils/glibc.py makes from this machine's: they have the symbols that version had, and no others. So a
# symbol that it lacked ends a link, unless glibc/Functions.c has it. libstdc++ and libgcc are linked statically, as those of the time
# have less than ours needs.
if(NOT CMAKE_SYSTEM_NAME STREQUAL Linux OR NOT CMAKE_SYSTEM_PROCESSOR STREQUAL x86_64)
  message(FATAL_ERROR "TESSERA_GLIBC is for x86-64 Linux, and this build is for ${CMAKE_SYSTEM_NAME} on ${CMAKE_SYSTEM_PROCESSOR}")
endif()
find_program(PYTHON3 python3 REQUIRED)
set(tessera_glibc ${CMAKE_BINARY_DIR}/glibc)
execute_process(COMMAND ${PYTHON3} ${CMAKE_SOURCE_DIR}/utils/glibc.py stubs ${TESSERA_GLIBC} ${tessera_glibc}
                COMMAND_ERROR_IS_FATAL ANY)
foreach(part Functions Start)
  set(source ${CMAKE_SOURCE_DIR}/cmake/glibc/${part}.c)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -O2 -fPIC -fvisibility=hidden -ffunction-sections -Wall -Wextra -Wno-deprecated-declarations
                          -c ${source} -o ${tessera_glibc}/${part}.o
                  COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
endforeach()
set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/utils/glibc.py)
file(REMOVE ${tessera_glibc}/libfunctions.a)
execute_process(COMMAND ${CMAKE_AR} rcs libfunctions.a Functions.o WORKING_DIRECTORY ${tessera_glibc} COMMAND_ERROR_IS_FATAL ANY)

set(tessera_given_away "$<NOT:$<BOOL:$<TARGET_PROPERTY:TESSERA_FOR_THIS_MACHINE>>>")
foreach(option -L${tessera_glibc} ${tessera_glibc}/libfunctions.a LINKER:--wrap=__libc_start_main -static-libgcc
               LINKER:--push-state,--as-needed -lpthread -ldl -lm LINKER:--pop-state)
  add_link_options("$<${tessera_given_away}:${option}>")
endforeach()
add_link_options("$<$<AND:${tessera_given_away},$<LINK_LANGUAGE:CXX>>:-static-libstdc++>"
                 "$<$<AND:${tessera_given_away},$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>>:${tessera_glibc}/Start.o>")
