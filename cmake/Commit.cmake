# Writes the commit that is being built to a header, only where it changed: cmake -DSOURCE=FOLDER -DHEADER=FILE -P Commit.cmake
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Twelve digits of the commit, with -dirty where files that git knows differ from it; "unknown" outside a repository.
# Runs in every build. The header stays as it is, with its time, while the commit does, so that nothing is compiled again.
cmake_minimum_required(VERSION 3.25)
find_program(GIT git)
set(commit unknown)
# .git of the folder itself: the sources may lie unpacked inside another repository.
if(GIT AND EXISTS ${SOURCE}/.git)
  # A container often builds what belongs to another user.
  execute_process(COMMAND ${GIT} -c safe.directory=* -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE described RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(status EQUAL 0)
    set(commit ${described})
  endif()
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define TESSERA_COMMIT \"@commit@\"\n" @ONLY)
