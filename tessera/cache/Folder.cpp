// The cache's folder from the environment.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cache/Folder.h"

#include <cstdlib>

namespace tessera::cache {

std::string folderFrom(const Environment &get) {
  if (const char *own = get("TESSERA_CACHE_DIR"))
    return own;
  if (const char *base = get("XDG_CACHE_HOME"); base && *base == '/')
    return std::string(base) + "/tessera";
  if (const char *home = get("HOME"); home && *home)
    return std::string(home) + "/.cache/tessera";
  return "";
}

std::string defaultFolder() {
  return folderFrom([](const char *name) -> const char * { return std::getenv(name); });
}

} // namespace tessera::cache
