// Respelled: a file's text in which parts were respelled before it is parsed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <optional>
#include <string>

namespace tessera::import {

/// The main buffer of a source manager.
inline llvm::StringRef textOf(const llvm::SourceMgr &source) {
  return source.getMemoryBuffer(source.getMainFileID())->getBuffer();
}

/// A text with respelled parts, or the file's text unchanged. Both outlive this.
class Respelled {
public:
  Respelled(const llvm::SourceMgr &given, std::optional<std::string> changed)
      : given(given), text(std::move(changed)) {
    if (text)
      other.AddNewSourceBuffer(
          llvm::MemoryBuffer::getMemBuffer(
              *text, given.getMemoryBuffer(given.getMainFileID())->getBufferIdentifier(),
              /*RequiresNullTerminator=*/true),
          {});
  }
  const llvm::SourceMgr &source() const { return text ? other : given; }
  bool isChanged() const { return text.has_value(); }

private:
  const llvm::SourceMgr &given;
  std::optional<std::string> text;
  llvm::SourceMgr other;
};

} // namespace tessera::import
