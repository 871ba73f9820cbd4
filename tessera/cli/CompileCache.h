// CompileCache: results that `compile` and `run` made of a file before.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cache/Key.h"
#include "tessera/cache/Store.h"

#include "llvm/Support/MemoryBufferRef.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tessera::cli {

struct CacheOptions {
  bool off = false;
  std::string folder;                 // empty: nothing is kept
  uint64_t bytes = uint64_t(1) << 30; // the most that all files take
};
/// --no-cache, --cache-dir and --cache-size.
void addCacheOptions(CLI::App &, CacheOptions &);

/// The store as seen by the compilation of one input. It knows nothing of MLIR, so that a hit does
/// not cost the time to load it.
class CompileCache {
public:
  /// The input must live as long as this. If the folder cannot be trusted, nothing is kept, and
  /// stderr says so once in a process.
  CompileCache(const CacheOptions &, llvm::MemoryBufferRef input);

  /// Null if nothing is kept.
  const cache::Store *store() const { return opened ? &*opened : nullptr; }

  /// A key that includes the input, for results made of it.
  cache::KeyOf keyOf(std::string_view kind) const;

  /// The parts stored under a key. Parts that name the input's file are found only under that name.
  std::optional<std::vector<std::string>> find(const cache::KeyOf &);
  void put(const cache::KeyOf &, std::vector<std::string_view> parts);

  /// The target that the file names, empty for none, if it was stored before; else nothing.
  std::optional<std::string> target() const;
  void putTarget(const std::string &);

  /// In words: off, hit or miss, and why nothing was kept although it should be.
  const std::string &verdict() const { return said; }

private:
  bool namesInput(const std::vector<std::string_view> &parts) const;

  llvm::MemoryBufferRef input;
  std::optional<cache::Store> opened;
  std::string said = "off";
};

} // namespace tessera::cli
