// Store: content by key in files of one folder, safe against damage, bounded, shared by processes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each content is one file, named by its key: a header with the key, the length and a checksum of
// all, then the content. A file appears under its name only when it is complete (written beside it,
// then renamed), so that readers and writers need no lock; of two writers the last one wins.
// The time of a file is when it was used last.
//
// Its contents are executed, so the store trusts only what the user alone could have put there: a
// folder that files::onlyOurs accepts, with regular files that the user owns and nobody else may
// write.
#pragma once

#include "tessera/base/Status.h"
#include "tessera/cache/Key.h"
#include "tessera/files/Descriptor.h"

#include <optional>

namespace tessera::cache {

class Store {
public:
  /// Files take up to `limit` bytes together. The folder is made when something is put into it.
  Store(std::string folder, uint64_t limit) : folder(std::move(folder)), limit(limit) {}

  /// Whether the folder, or the place where it would be made, can be trusted; otherwise why not and
  /// what to do. A store whose folder cannot be trusted finds and keeps nothing.
  Status trusted() const;

  /// The content stored under the key, which is marked as used. Nothing if there is none. A file
  /// that is damaged, or that others could have written, is removed and counts as none.
  std::optional<std::string> find(const Key &) const;

  /// Keeps content under the key, then removes the least recently used until all fits the limit.
  /// Fails, and leaves the store as it was, where the folder cannot be made, written to or trusted,
  /// the disk is full, or the content alone is too large.
  Status put(const Key &, std::string_view content) const;

  /// The file of a key, whether or not it exists.
  std::string pathOf(const Key &) const;

private:
  /// The folder, if it is there and can be trusted.
  Result<files::Descriptor> open() const;
  Status makeFolder() const;
  void trim(const files::Descriptor &at) const;

  std::string folder;
  uint64_t limit;
};

} // namespace tessera::cache
