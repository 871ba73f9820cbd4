// The files of $TESSERA_CORPUS, and their text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/files/Corpus.h"

#include <algorithm>
#include <cstdio>

std::vector<std::filesystem::path>
tessera::test::corpusFiles(const std::vector<std::string> &extensions) {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(corpus()))
    if (entry.path().filename().string().starts_with("input") &&
        std::ranges::count(extensions, entry.path().extension().string()))
      files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

std::string tessera::test::textOf(const std::filesystem::path &file) {
  std::string command = (file.extension() == ".xz" ? "xz -dc '" : "cat '") + file.string() + "'";
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    return {};
  std::string text;
  char buffer[1 << 16];
  while (size_t count = fread(buffer, 1, sizeof buffer, pipe))
    text.append(buffer, count);
  return pclose(pipe) == 0 ? text : std::string();
}
