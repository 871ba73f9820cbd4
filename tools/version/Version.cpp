// The one file that is compiled again for a new commit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/version/Version.h"

#include "tools/version/Commit.inc"

#include <algorithm>
#include <cstdio>

std::string tessera::versionText(std::string_view program) {
  return std::string(program) + " " TESSERA_VERSION "\ncommit  " TESSERA_COMMIT
                                "\nLLVM    " TESSERA_LLVM "\nbuild   " TESSERA_BUILD
#ifdef NDEBUG
                                "\n";
#else
                                ", assertions on\n";
#endif
}

bool tessera::saidVersion(int argc, char **argv, std::string_view program) {
  if (std::find(argv + 1, argv + argc, std::string_view("--version")) == argv + argc)
    return false;
  std::fputs(versionText(program).c_str(), stdout);
  return true;
}
