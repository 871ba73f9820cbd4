# How a portable binary is linked: LLVM and MLIR from their static archives, glibc from the machine it runs on.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# MLIR's CMake targets of Debian all name the shared LLVM, so the archives are given by path. lld reads
# an archive's members only as far as something refers to them, in any order, so that naming more archives than
# needed costs link time and not a byte. What decides the size is what the program itself refers to: it must
# initialise the back ends NVPTX and X86 by name, never "all targets".

# Archives that no Tessera program may pull in: other back ends, bindings and tools.
set(TESSERA_STATIC_BACK_ENDS_LEFT_OUT
    AArch64 AMDGPU ARM AVR BPF Hexagon Lanai LoongArch M68k MSP430 Mips PowerPC RISCV SPIRV Sparc
    SystemZ VE WebAssembly XCore Xtensa BOLT Exegesis)

# tessera_static_archives(OUT): every archive of LLVM and MLIR that a program may need, by path.
function(tessera_static_archives out)
  file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  list(FILTER archives EXCLUDE REGEX "/libMLIRCAPI")
  foreach(left_out ${TESSERA_STATIC_BACK_ENDS_LEFT_OUT})
    list(FILTER archives EXCLUDE REGEX "/libLLVM${left_out}")
  endforeach()
  if(NOT archives)
    message(FATAL_ERROR "no static archives of LLVM and MLIR in ${LLVM_LIBRARY_DIR}: utils/setup.sh installs them")
  endif()
  set(${out} ${archives} PARENT_SCOPE)
endfunction()

# Not position-independent: nothing is relocated when it starts, 0.8 of 3 ms, and 2 MB less.
#
# tessera_link_mlir_static(TARGET): links the program or shared library TARGET so that it needs glibc and nothing else.
function(tessera_link_mlir_static target)
  tessera_static_archives(archives)
  find_library(TESSERA_ZSTD_ARCHIVE libzstd.a REQUIRED)
  find_library(TESSERA_ZLIB_ARCHIVE libz.a REQUIRED)
  target_link_libraries(${target} PRIVATE
    -Wl,--start-group ${archives} -Wl,--end-group
    ${TESSERA_ZSTD_ARCHIVE} ${TESSERA_ZLIB_ARCHIVE} m ${CMAKE_DL_LIBS})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    target_link_options(${target} PRIVATE -no-pie)
  endif()
  target_link_options(${target} PRIVATE
    -static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,--icf=all -Wl,-O2 -Wl,--as-needed
    -Wl,--exclude-libs,ALL)
endfunction()
