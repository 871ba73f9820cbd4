# The program needs the C library only, and the object has one name for a linker.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
execute_process(COMMAND ${READELF} -d ${PROGRAM} OUTPUT_VARIABLE dynamic RESULT_VARIABLE code)
string(REGEX MATCHALL "NEEDED[^\n]*\\[[^]]*\\]" needed "${dynamic}")
list(FILTER needed EXCLUDE REGEX "\\[(libc|libm|libdl|libgcc_s|ld-linux-x86-64)\\.so\\.[0-9]+\\]")
if(SANITIZED) # which brings more of the C library
  list(FILTER needed EXCLUDE REGEX "\\[(libresolv|libpthread|librt)\\.so\\.[0-9]+\\]")
endif()
execute_process(COMMAND ${NM} -g --defined-only ${OBJECT} OUTPUT_VARIABLE defined)
string(REGEX REPLACE "[^\n]* T " "" defined "${defined}")
string(STRIP "${defined}" defined)
string(REPLACE "\n" " " defined "${defined}")
if(NOT code EQUAL 0 OR needed OR NOT dynamic MATCHES "libc\\.so" OR NOT defined STREQUAL "__tvm_ffi_twice twice twice_message")
  message(FATAL_ERROR "needed: ${needed}; defined: ${defined}")
endif()
