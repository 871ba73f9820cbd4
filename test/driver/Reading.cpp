
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/driver/Reading.h"

using namespace tessera::driver::test;

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
