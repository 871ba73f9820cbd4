# How rooms and their tests are built.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

add_compile_options(-Wall -Wextra -Werror=return-type -Wno-unused-parameter
                    -Wno-deprecated-declarations)
if(TESSERA_WERROR)
  add_compile_options(-Werror)
endif()

# Lines for a debugger, where someone edits. What is built once to be tested does without: they are an eighth of the time.
if(TESSERA_BUILD STREQUAL "dev" AND NOT TESSERA_TOGETHER GREATER 1)
  add_compile_options(-g1)
endif()

# Tests are built once and run once, and optimising a file of theirs takes longer than all else that is done with it: 27 s, not 6, for
# the largest (test/cute_cxx/WholeTest.cpp). The rooms that they test are optimised. Precompiled headers are for one such option: tests have
# their own.
set(TESSERA_TEST_OPTIONS)
if(TESSERA_BUILD STREQUAL "dev" AND TESSERA_TOGETHER GREATER 1)
  set(TESSERA_TEST_OPTIONS -O0)
endif()

# tessera_together(TARGET SOURCES APART): compiles TESSERA_TOGETHER files as one. APART are files, and folders, that are compiled
# alone; "." is all of them.
function(tessera_together target sources apart)
  if(TESSERA_TOGETHER GREATER 1 AND NOT apart STREQUAL ".")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${TESSERA_TOGETHER})
    foreach(source ${sources})
      cmake_path(GET source PARENT_PATH folder)
      if(apart AND (source IN_LIST apart OR folder IN_LIST apart))
        set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      endif()
    endforeach()
  endif()
endfunction()

# tessera_room(NAME [SHARED] [WITHOUT_EXCEPTIONS] SOURCES... [DEPENDS rooms...] [PCH header] [APART files and folders...]): a static library
# tessera_NAME from tessera/NAME. A room without LLVM includes nothing but std and the rooms it depends on. A shared one holds the
# rooms it depends on. APART are the files that cannot be compiled together with others of the room (TESSERA_TOGETHER), as they
# have private names that others have, too, or use namespaces that others do not; "." is the whole room.
function(tessera_room name)
  cmake_parse_arguments(ROOM "SHARED;WITHOUT_EXCEPTIONS" "PCH" "SOURCES;DEPENDS;GENERATED;APART" ${ARGN})
  set(kind STATIC)
  set(scope PUBLIC)
  if(ROOM_SHARED)
    set(kind SHARED)
    set(scope PRIVATE)
  endif()
  add_library(tessera_${name} ${kind} ${ROOM_SOURCES})
  foreach(dependency ${ROOM_DEPENDS})
    target_link_libraries(tessera_${name} ${scope} tessera_${dependency})
  endforeach()
  tessera_together(tessera_${name} "${ROOM_SOURCES}" "${ROOM_APART}")
  if(ROOM_PCH)
    target_precompile_headers(tessera_${name} PRIVATE ${ROOM_PCH})
  elseif(TESSERA_PCH AND NOT ROOM_WITHOUT_EXCEPTIONS)
    target_precompile_headers(tessera_${name} REUSE_FROM tessera_pch_std)
  endif()
  if(ROOM_WITHOUT_EXCEPTIONS)
    target_compile_options(tessera_${name} PRIVATE -fno-exceptions)
  endif()
endfunction()

# A room that sees LLVM and MLIR. Their headers are system headers; libraries come with the programs.
# Files share the precompiled headers of tessera/pch/<layer>, one per layer.
function(tessera_mlir_room name)
  cmake_parse_arguments(ROOM "" "LAYER" "SOURCES;DEPENDS;GENERATED;APART" ${ARGN})
  tessera_room(${name} WITHOUT_EXCEPTIONS SOURCES ${ROOM_SOURCES} DEPENDS ${ROOM_DEPENDS} APART ${ROOM_APART})
  if(ROOM_GENERATED)
    add_dependencies(tessera_${name} ${ROOM_GENERATED})
  endif()
  if(ROOM_LAYER)
    set(layer ${ROOM_LAYER})
    if(NOT TARGET tessera_pch_${layer}) # nvvm, see tessera/pch
      set(layer dialects)
    endif()
    target_precompile_headers(tessera_${name} REUSE_FROM tessera_pch_${layer})
  endif()
endfunction()

# tessera_test_program(TARGETS... [PCH header]): programs of tests, or examples that tests run, compiled as those are, with a precompiled
# header of tessera/pch that is compiled so, too.
function(tessera_test_program)
  cmake_parse_arguments(PROGRAM "" "PCH" "" ${ARGN})
  foreach(target ${PROGRAM_UNPARSED_ARGUMENTS})
    target_compile_options(${target} PRIVATE ${TESSERA_TEST_OPTIONS})
    if(TARGET tessera_pch_${PROGRAM_PCH})
      target_compile_options(${target} PRIVATE -fPIC) # as the carrier of the header is compiled
      target_precompile_headers(${target} REUSE_FROM tessera_pch_${PROGRAM_PCH})
    endif()
  endforeach()
endfunction()

# tessera_gtest(ROOM SOURCES... [APART files...] [PCH header] [OPTIMISED]): a GoogleTest program for a room, run by ctest. APART as for
# a room. PCH is `test` if not given, and `none` is none. OPTIMISED: for tests that compute long themselves.
function(tessera_gtest room)
  cmake_parse_arguments(TESTS "OPTIMISED" "PCH" "APART" ${ARGN})
  if(NOT TESTS_PCH)
    set(TESTS_PCH test)
  endif()
  add_executable(tessera-${room}-test ${TESTS_UNPARSED_ARGUMENTS})
  tessera_together(tessera-${room}-test "${TESTS_UNPARSED_ARGUMENTS}" "${TESTS_APART}")
  target_link_libraries(tessera-${room}-test PRIVATE tessera_${room} GTest::gtest GTest::gtest_main)
  if(NOT TESTS_OPTIMISED)
    tessera_test_program(tessera-${room}-test PCH ${TESTS_PCH})
  elseif(TARGET tessera_pch_std)
    target_compile_options(tessera-${room}-test PRIVATE -fPIC)
    target_precompile_headers(tessera-${room}-test REUSE_FROM tessera_pch_std)
  endif()
  add_test(NAME ${room} COMMAND tessera-${room}-test)
  set_tests_properties(${room} PROPERTIES LABELS unit)
endfunction()

# tessera_mlir_gtest(ROOM LAYER SOURCES... [APART files...] [OPTIMISED]): the same for a room that sees LLVM and MLIR, with the precompiled
# headers of a layer.
function(tessera_mlir_gtest room layer)
  cmake_parse_arguments(MLIR_TESTS "OPTIMISED" "" "" ${ARGN})
  tessera_gtest(${room} ${MLIR_TESTS_UNPARSED_ARGUMENTS} OPTIMISED)
  tessera_link_mlir(tessera-${room}-test)
  target_compile_options(tessera-${room}-test PRIVATE -fno-exceptions -fPIC)
  if(TARGET tessera_pch_mlir_test AND NOT MLIR_TESTS_OPTIMISED)
    target_compile_options(tessera-${room}-test PRIVATE ${TESSERA_TEST_OPTIONS})
    set(layer mlir_test)
  endif()
  target_precompile_headers(tessera-${room}-test REUSE_FROM tessera_pch_${layer})
endfunction()

# tessera_link_mlir(TARGET): the LLVM and MLIR libraries, shared for development, static for a portable binary.
function(tessera_link_mlir target)
  target_include_directories(${target} SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  if(TESSERA_STATIC)
    include(TesseraStatic)
    tessera_link_mlir_static(${target})
  else()
    target_link_libraries(${target} PRIVATE MLIR LLVM)
  endif()
endfunction()

# tessera_exports(TARGET MAP): a shared library that exports what a version script names, and nothing of the libraries inside it.
function(tessera_exports target map)
  if(CMAKE_SYSTEM_NAME STREQUAL Linux)
    target_link_options(${target} PRIVATE LINKER:--exclude-libs,ALL LINKER:--version-script,${map})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
  endif()
endfunction()

# tessera_for_this_machine(TARGETS...): libraries with an interface in C++, or programs, that share libstdc++ with others, so that they
# need what this machine has, also where TESSERA_GLIBC says that others do not.
function(tessera_for_this_machine)
  set_target_properties(${ARGN} PROPERTIES TESSERA_FOR_THIS_MACHINE ON)
endfunction()
