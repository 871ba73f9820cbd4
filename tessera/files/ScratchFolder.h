// ScratchFolder: a folder of this process alone, for files that other programs read and write.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/files/Cleanup.h"
#include "tessera/files/Descriptor.h"
#include "tessera/files/Errors.h"

#include <memory>

namespace tessera::files {

/// Under $TMPDIR, else /tmp; nobody can foresee its name, and only the user may enter it (0700).
/// It is there as long as the object, not as long as the process: less stays where the process is
/// killed. What ends by a signal removes it too (Cleanup.h).
class ScratchFolder {
public:
  static Result<ScratchFolder> make();
  ScratchFolder(ScratchFolder &&) noexcept = default;
  ~ScratchFolder();

  const std::string &path() const { return own; }
  /// The open folder. Files are reached through it, so that nobody who may rename in $TMPDIR can
  /// put another folder in its place.
  const Descriptor &folder() const { return opened; }

  /// Writes a file of the folder, which only the user may read (0600).
  Status write(const std::string &name, std::string_view content) const;
  /// The content of a regular file of the folder.
  Result<std::string> read(const std::string &name) const;

private:
  ScratchFolder() = default;

  std::string own, name;
  Descriptor parent, opened;
  std::unique_ptr<PathEntry> entry;
};

} // namespace tessera::files
