# Writes what the build is made of: cmake -DSOURCE=FOLDER -DSCRIPT=spdx.py -DPYTHON=python3 -DARGUMENTS=... -DTO=FILE -P Spdx.cmake
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs in every build; commit and date are those of the sources, so that two builds of one commit write the same bytes.
cmake_minimum_required(VERSION 3.25)
find_program(GIT git)
set(commit 0000000000000000000000000000000000000000)
set(date 1970-01-01T00:00:00Z)
if(GIT AND EXISTS ${SOURCE}/.git)
  set(git ${GIT} -c safe.directory=* -C ${SOURCE})
  execute_process(COMMAND ${git} rev-parse HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(ENV{TZ} UTC)
  execute_process(COMMAND ${git} log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ
                  OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
separate_arguments(ARGUMENTS)
execute_process(COMMAND ${PYTHON} ${SCRIPT} --commit ${commit} --date ${date} ${ARGUMENTS} -o ${TO}
                COMMAND_ERROR_IS_FATAL ANY)
