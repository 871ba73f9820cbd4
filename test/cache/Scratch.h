// A test fixture with a folder of its own, which goes with it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cache/Store.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tessera::cache::test {

class Scratch : public testing::Test {
protected:
  Scratch() {
    char name[] = "/tmp/tessera-cache-test.XXXXXX";
    root = ::mkdtemp(name);
  }
  ~Scratch() override {
    std::error_code error;
    std::filesystem::permissions(root, std::filesystem::perms::owner_all, error);
    std::filesystem::remove_all(root, error);
  }

  /// A store whose folder does not exist yet.
  Store store(uint64_t limit = 1 << 20) const { return Store(root + "/a/store", limit); }
  /// How many files the store's folder has.
  size_t files() const {
    std::error_code error;
    std::filesystem::directory_iterator it(root + "/a/store", error), end;
    return error ? 0 : size_t(std::distance(it, end));
  }

  std::string root;
};

inline Key keyOf(std::string_view name) { return KeyOf("test", "build").add("name", name).key(); }

inline std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}
inline void writeFile(const std::string &path, std::string_view content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

template <class T> std::string refusal(const Result<T> &result) {
  return result ? "(accepted)" : result.reason().text;
}

} // namespace tessera::cache::test
