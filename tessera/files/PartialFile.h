// PartialFile: a file that is written beside its place and appears there when it is whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/files/Cleanup.h"
#include "tessera/files/Descriptor.h"

#include <memory>
#include <string>
#include <string_view>

namespace tessera::files {

/// The suffix of such names.
constexpr std::string_view partialSuffix = ".part";

class PartialFile {
public:
  /// A new file in the open folder `at`, which has to stay open as long, under a name that nobody
  /// can foresee. `mode` is subject to the umask. Null where it cannot be made: errno says why.
  static std::unique_ptr<PartialFile> make(int at, mode_t mode);
  /// Removes the file unless it was put into its place.
  ~PartialFile();

  const Descriptor &file() const { return opened; }

  /// Closes the file and renames it, over one that is there; `name` is in the same folder. False
  /// where that fails: errno says why.
  bool putAs(const std::string &name);

private:
  PartialFile(int at, std::string name) : at(at), name(std::move(name)) {}

  int at;
  std::string name;
  Descriptor opened;
  std::unique_ptr<PathEntry> entry;
};

} // namespace tessera::files
