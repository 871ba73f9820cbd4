# Builds for AArch64 Linux on another machine, with Debian's C and C++ libraries for cross-compilers, and tests under qemu-user.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# For CMAKE_TOOLCHAIN_FILE, as the preset `aarch64` has it; utils/aarch64.sh installs what it needs.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_MODULE_LINKER_FLAGS_INIT -fuse-ld=lld) # this machine's linker may know no other processor
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;/usr/aarch64-linux-gnu)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}) # for FindGTest.cmake
