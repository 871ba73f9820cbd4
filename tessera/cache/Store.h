// Store: content by key in files of one folder, safe against damage, bounded, shared by processes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each content is one file, named by its key: a header with the key, the length and a checksum of
// all, then the content. A file appears under its name only when it is complete (written beside it,
// then renamed), so that readers and writers need no lock; of two writers the last one wins.
// The time of a file is when it was used last.
#pragma once

#include "tessera/base/Result.h"
#include "tessera/cache/Key.h"

#include <optional>

namespace tessera::cache {

struct Done {};
using Status = Result<Done>;

class Store {
public:
  /// Files take up to `limit` bytes together. The folder is made when something is put into it.
  Store(std::string folder, uint64_t limit) : folder(std::move(folder)), limit(limit) {}

  /// What was put under the key, and marks it as used. Nothing if there is none. A damaged file is
  /// removed and counts as none.
  std::optional<std::string> find(const Key &) const;

  /// Keeps content under the key, then removes the least recently used until all fits the limit.
  /// Fails, and leaves the store as it was, where the folder cannot be made or written to, the disk
  /// is full, or the content alone is too large.
  Status put(const Key &, std::string_view content) const;

  /// The file of a key, whether or not it exists.
  std::string pathOf(const Key &) const;

private:
  Status makeFolder() const;
  void trim() const;

  std::string folder;
  uint64_t limit;
};

} // namespace tessera::cache
