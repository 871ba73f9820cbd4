// A test fixture with a folder of its own, which goes with it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tessera::files::test {

class Folder : public testing::Test {
protected:
  Folder() {
    char name[] = "/tmp/tessera-files-test.XXXXXX";
    root = ::mkdtemp(name);
  }
  ~Folder() override { std::filesystem::remove_all(root); }

  std::string at(std::string_view name) const { return cat(root, "/", name); }
  std::string content(std::string_view name) const {
    std::ifstream file(at(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  void fill(std::string_view name, std::string_view content) const {
    std::ofstream(at(name), std::ios::binary) << content;
  }
  /// How many files and folders are in it.
  size_t count() const {
    return size_t(std::distance(std::filesystem::directory_iterator(root), {}));
  }

  std::string root;
};

template <class T> std::string refusal(const Result<T> &result) {
  return result ? "(accepted)" : result.reason().text;
}
template <class T> std::string_view idOf(const Result<T> &result) {
  return result ? "" : result.reason().id;
}

} // namespace tessera::files::test
