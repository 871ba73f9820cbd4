
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

Reading::Reading(const std::filesystem::path &path)
    : handler(&compiler.context(), [this](mlir::Diagnostic &diagnostic) {
        llvm::raw_string_ostream(errors) << diagnostic.getLocation() << ": " << diagnostic << "\n";
        return mlir::success();
      }) {
  auto file = llvm::MemoryBuffer::getFile(path.string());
  if (file)
    read(std::move(*file));
}

Reading::Reading(const std::string &text, const std::string &name)
    : Reading(std::filesystem::path()) {
  read(llvm::MemoryBuffer::getMemBufferCopy(text, name));
}

void Reading::read(std::unique_ptr<llvm::MemoryBuffer> buffer) {
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  module = compiler.read(source);
}
