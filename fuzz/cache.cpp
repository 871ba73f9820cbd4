// Fuzzes files of the cache: whatever bytes lie under a key, they are what was put there or
// nothing; and records: any text is what pack() makes of its parts, or none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cache/Record.h"
#include "tessera/cache/Store.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <unistd.h>

using namespace tessera;
using namespace tessera::cache;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace {

constexpr std::string_view content = "the content that was put";

/// A store with one file, which is what a first input is.
struct Place {
  std::string root, path, whole;
  Key key = KeyOf("fuzz", "build").add("name", "a").key();
  std::optional<Store> store;

  Place() {
    char name[] = "/tmp/tessera-fuzz-cache.XXXXXX";
    root = ::mkdtemp(name);
    store.emplace(root + "/store", 1 << 20);
    if (!store->put(key, content))
      std::abort();
    path = store->pathOf(key);
    char buffer[4096];
    int from = ::open(path.c_str(), O_RDONLY);
    whole.assign(buffer, size_t(::read(from, buffer, sizeof(buffer))));
    ::close(from);
  }
  ~Place() { std::filesystem::remove_all(root); }
};
Place &place() {
  static Place only;
  return only;
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
                                          unsigned int seed) {
  if (seed % 2)
    return LLVMFuzzerMutate(data, size, most);
  // The whole file with a changed field, or cut, or with another content.
  std::mt19937 random(seed);
  std::string file = place().whole;
  switch (random() % 4) {
  case 0: file.resize(random() % file.size()); break;
  case 1: file += std::string(random() % 40, char(random())); break;
  case 2: file[random() % file.size()] = char(random()); break;
  default: {
    size_t at = random() % (file.size() - 8);
    uint64_t value = random() % 3 ? random() % 64 : ~uint64_t(random() % 64);
    std::memcpy(file.data() + at, &value, 8);
  }
  }
  if (file.empty() || file.size() > most)
    return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, file.data(), file.size());
  return file.size();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  int to = ::open(place().path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  bool written = to >= 0 && ::write(to, data, size) == ssize_t(size);
  ::close(to);
  if (!written)
    std::abort();
  std::optional<std::string> found = place().store->find(place().key);
  if (found && (bytes != place().whole || *found != content)) {
    std::fprintf(stderr, "another file is found as '%s'\n", found->c_str());
    __builtin_trap();
  }
  if (std::optional<std::vector<std::string>> parts = unpack(bytes))
    if (pack({parts->begin(), parts->end()}) != bytes) {
      std::fprintf(stderr, "a record is read that pack() does not make\n");
      __builtin_trap();
    }
  return 0;
}
