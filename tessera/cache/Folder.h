// Folder: where the cache is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>

namespace tessera::cache {

/// The value of an environment variable, null if it is not set.
using Environment = std::function<const char *(const char *name)>;

/// $TESSERA_CACHE_DIR, else $XDG_CACHE_HOME/tessera, else $HOME/.cache/tessera. Empty, which means
/// that nothing is kept, if $TESSERA_CACHE_DIR is set to nothing or none of them is set. As XDG's
/// specification says, relative paths in $XDG_CACHE_HOME do not count.
std::string folderFrom(const Environment &);
/// With the process's environment.
std::string defaultFolder();

} // namespace tessera::cache
