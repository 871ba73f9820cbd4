# tessera_add_kernel(TARGET FILE [NAME name] [ARCHS archs...] [OPTIONS options...]): the kernels of a file as part of a target.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# `tessera compile --emit object` makes an object with the host functions of FILE and its kernels for each of ARCHS (default: the
# file's own, else sm_90a), and NAME.h, which says how they are called; NAME is the file's by default. OPTIONS are further options
# of `tessera compile`. Nothing of Tessera is linked, and libcuda.so.1 is opened when a kernel first runs.
function(tessera_add_kernel target file)
  cmake_parse_arguments(KERNEL "" "NAME" "ARCHS;OPTIONS" ${ARGN})
  get_filename_component(path ${file} ABSOLUTE)
  if(NOT KERNEL_NAME)
    get_filename_component(KERNEL_NAME ${file} NAME_WE)
    string(MAKE_C_IDENTIFIER ${KERNEL_NAME} KERNEL_NAME)
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/kernels)
  set(made ${folder}/${KERNEL_NAME}.o ${folder}/${KERNEL_NAME}.h)
  set(arch)
  if(KERNEL_ARCHS)
    list(JOIN KERNEL_ARCHS "," archs)
    set(arch --arch ${archs})
  endif()
  set(program Tessera::compiler)
  if(NOT TARGET Tessera::compiler)
    set(program tessera) # inside of Tessera's own build
  endif()
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${made} VERBATIM DEPENDS ${path} ${program}
    COMMAND ${program} compile ${path} --emit object ${arch} --name ${KERNEL_NAME} --header ${folder}/${KERNEL_NAME}.h
            -o ${folder}/${KERNEL_NAME}.o ${KERNEL_OPTIONS})
  set_source_files_properties(${folder}/${KERNEL_NAME}.o PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  target_sources(${target} PRIVATE ${made})
  target_include_directories(${target} PRIVATE ${folder})
  target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
endfunction()
