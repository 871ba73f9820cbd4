// Server: MLIR's language server for our dialects, with notes on layouts in its hovers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace tessera::lsp {

/// What passes between an editor and a language server, message by message (JSON-RPC, Language
/// Server Protocol 3.17), seen from both sides. It keeps the texts of open files and adds to the
/// answers to textDocument/hover. Safe from two threads, one a side.
class Conversation {
public:
  /// A message of the editor, on its way to the server.
  void fromEditor(llvm::StringRef message);
  /// What the editor gets for a message of the server.
  std::string toEditor(llvm::StringRef message);

private:
  struct Place {
    std::string document;
    size_t line, character; // character: in units of UTF-16
  };
  /// The line at a place, and its column in bytes.
  std::optional<std::pair<std::string, size_t>> textAt(const Place &) const;

  std::mutex mutex;
  std::map<std::string, std::string> documents;
  std::map<std::string, Place> asked; // hovers without an answer, by the text of their id
};

/// Serves on stdin and stdout until the editor ends; `server` is run in a process of its own, with
/// the arguments.
int serve(const std::function<int()> &server);

} // namespace tessera::lsp
