
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/driver/Corpus.h"

#include <algorithm>

using namespace tessera::driver::test;

std::vector<std::filesystem::path> tessera::driver::test::corpusFiles() {
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(corpus()))
    if (entry.path().filename().string().starts_with("input") &&
        entry.path().extension() == ".mlir")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string tessera::driver::test::textOf(const std::filesystem::path &file) {
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

Reading::Reading(const std::filesystem::path &path)
    : handler(&compiler.context(), [this](mlir::Diagnostic &diagnostic) {
        llvm::raw_string_ostream(errors) << diagnostic.getLocation() << ": " << diagnostic << "\n";
        return mlir::success();
      }) {
  auto file = llvm::MemoryBuffer::getFile(path.string());
  if (file)
    read(std::move(*file));
}

Reading::Reading(const std::string &text, const std::string &name, bool edited)
    : Reading(std::filesystem::path()) {
  read(llvm::MemoryBuffer::getMemBufferCopy(text, name), edited);
}

void Reading::read(std::unique_ptr<llvm::MemoryBuffer> buffer, bool edited) {
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  module = compiler.read(source, {nullptr, edited});
}
