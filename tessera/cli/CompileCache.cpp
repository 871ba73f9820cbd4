// Results of whole files by their text and options.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/CompileCache.h"

#include "tessera/base/Printable.h"
#include "tessera/cache/Folder.h"
#include "tessera/cache/Record.h"

#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <mutex>

using namespace tessera;
using namespace tessera::cli;

/// CLI11 reads a negative number as one close to 2^64, and one that is too large as the largest.
static std::string problemOfSize(const std::string &text) {
  uint64_t number = 0;
  auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? "" : cat("expects a size such as 500MB, but got '", text, "'");
}

void tessera::cli::addCacheOptions(CLI::App &command, CacheOptions &options) {
  options.folder = cache::defaultFolder();
  command.add_flag("--no-cache", options.off, "compile without the cache, and keep nothing");
  command.add_option("--cache-dir", options.folder,
                     "folder of the cache; default: $TESSERA_CACHE_DIR, $XDG_CACHE_HOME/tessera or "
                     "~/.cache/tessera");
  command
      .add_option("--cache-size", options.bytes,
                  "limit for the size of the cache, such as 500MB; default: 1 GiB")
      ->check(CLI::Validator(problemOfSize, "SIZE"))
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/true));
}

CompileCache::CompileCache(const CacheOptions &options, llvm::MemoryBufferRef input)
    : input(input) {
  if (options.off || options.folder.empty())
    return;
  cache::Store store(options.folder, options.bytes);
  if (Status trust = store.trusted(); !trust) {
    static std::once_flag once;
    std::call_once(once, [&] {
      llvm::WithColor::warning(llvm::errs())
          << "compiling without the cache: " << printable(trust.reason().text) << "\n";
    });
    said = cat("off, ", trust.reason().text);
    return;
  }
  opened.emplace(std::move(store));
}

cache::KeyOf CompileCache::keyOf(std::string_view kind) const {
  cache::KeyOf key(kind);
  key.add("input", input.getBuffer());
  return key;
}

/// Diagnostics begin with the name; a failing assertion of a kernel prints it, as bytes that no
/// search would find.
bool CompileCache::namesInput(const std::vector<std::string_view> &parts) const {
  return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
    return part.find(std::string_view(input.getBufferIdentifier())) != part.npos ||
           part.find("__assertfail") != part.npos;
  });
}

std::optional<std::vector<std::string>> CompileCache::find(const cache::KeyOf &key) {
  if (!opened)
    return std::nullopt;
  said = "miss";
  std::optional<std::string> record = opened->find(key.key());
  auto parts = record ? cache::unpack(*record) : std::nullopt;
  if (!parts || parts->empty())
    return std::nullopt;
  std::string name = std::move(parts->front());
  parts->erase(parts->begin());
  if (!name.empty() && name != std::string_view(input.getBufferIdentifier()))
    return std::nullopt;
  said = "hit, " + opened->pathOf(key.key());
  return parts;
}

void CompileCache::put(const cache::KeyOf &key, std::vector<std::string_view> parts) {
  if (!opened)
    return;
  parts.insert(parts.begin(),
               namesInput(parts) ? std::string_view(input.getBufferIdentifier()) : "");
  Status status = opened->put(key.key(), cache::pack(parts));
  said = status ? "miss, kept as " + opened->pathOf(key.key())
                : "miss, and nothing was kept: " + status.reason().text;
}

std::optional<std::string> CompileCache::target() const {
  return opened ? opened->find(keyOf("target of the file").key()) : std::nullopt;
}

void CompileCache::putTarget(const std::string &target) {
  if (opened) // what cannot be kept is found again
    (void)opened->put(keyOf("target of the file").key(), target);
}
