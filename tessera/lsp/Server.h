// Server: MLIR's language server for our dialects, with notes on layouts in its hovers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/lsp/Readings.h"

#include "llvm/ADT/StringRef.h"

#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace llvm::json {
class Value;
}

namespace tessera::lsp {

/// What the server could not stand in a document: where, from 1 and in bytes, and a sentence.
struct Refusal {
  size_t line, column;
  std::string text;
};
using Refuser = std::function<std::optional<Refusal>(const std::string &text)>;

/// What passes between an editor and a language server, message by message (JSON-RPC, Language
/// Server Protocol 3.17), seen from both sides. It keeps the texts of open files and adds to the
/// answers to textDocument/hover, definition and references. Safe from two threads, one a side.
class Conversation {
public:
  /// `reader` knows the types of values in documents that MLIR's server cannot read, as CuTe DSL
  /// wrote them for another LLVM, and where they are defined and used; it may be empty.
  /// Then `later` gets diagnostics for the editor that have to wait for it, from any thread.
  /// `refuser` knows documents that would end the server, beside those that go too deep.
  explicit Conversation(Reader reader = {}, std::function<void(const std::string &)> later = {},
                        Refuser refuser = {})
      : later(std::move(later)), refuser(std::move(refuser)), readings(std::move(reader)) {}

  /// Where the messages go that a message of the editor becomes, in their order.
  struct Passed {
    std::vector<std::string> toServer, toEditor;
  };
  /// A message of the editor, on its way to the server. What the server could not stand does not
  /// get there: a message that is not JSON, or too deep, is answered with an error, a file that
  /// goes deeper than parsers follow, or that the refuser refuses, is empty for the server and has
  /// an error for the editor, and bytecode is not converted.
  Passed fromEditor(llvm::StringRef message);
  /// Before the end of a session: what was to come later comes now.
  void settle();
  /// What the editor gets for a message of the server; empty if that comes later.
  std::string toEditor(llvm::StringRef message);

private:
  struct Place {
    std::string document;
    size_t line, character; // character: in units of UTF-16
    enum What {
      Hover,
      Definition,
      Uses,
      DefinitionAndUses
    } what = Hover; // that is asked there
  };
  /// The line at a place, and its column in bytes.
  std::optional<std::pair<std::string, size_t>> textAt(const Place &) const;

  /// Diagnostics of a document are MLIR's; none of one that is read as another version wrote it.
  void sendWithoutForeign(llvm::StringRef message, llvm::json::Value &parsed);
  /// The newest text's name at a place, with its type; none where nothing is known of it.
  std::optional<std::string> valueAt(const Place &, const std::string &line, size_t column);
  /// What is asked of a value there, as the protocol's locations.
  llvm::json::Value locationsAt(const Place &, const std::string &line, size_t column);

  std::optional<Refusal> refused(const std::string &text) const;

  std::function<void(const std::string &)> later;
  Refuser refuser;
  Readings readings;
  std::mutex mutex;
  std::map<std::string, std::string> documents;
  std::set<std::string> hidden;       // documents that the server has as empty ones
  std::map<std::string, Place> asked; // what has no answer yet, by the text of its id
};

/// Messages longer than this are not read, nor headers with longer lines or more of them.
inline constexpr size_t mostMessageBytes = size_t(256) << 20, mostHeaderBytes = 1024,
                        mostHeaderLines = 64;
/// How deep a message of JSON may go; those of the protocol stay below 20.
inline constexpr size_t mostJsonDepth = 512;

/// A message of a stream, after its header (Language Server Protocol 3.17, base protocol).
struct Incoming {
  enum What {
    Message,
    End,    // of the stream, between messages
    Damaged // there is no telling where the next message begins
  } what;
  std::string text; // the message, or what is wrong
};
Incoming readMessage(FILE *);

/// Serves on stdin and stdout until the editor ends; after a damaged header, with exit code 1 and
/// the reason on stderr. `server` is run in a process of its own, with the arguments; `reader` and
/// `refuser` in this one; `leave` ends this one, whose threads do not, after a last text on stderr.
int serve(const std::function<int()> &server, const Reader &reader, const Refuser &refuser,
          const std::function<void(int code, std::string_view last)> &leave);

} // namespace tessera::lsp
