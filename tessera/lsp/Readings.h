// Readings: types of the values in open documents, read in the background.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tessera::lsp {

/// A value or an alias where a text names it: the line, from 0, its bytes in that line, the number
/// of its type.
struct Name {
  size_t line, begin, end, type;
  std::string text;
  bool isUse = false; // the place uses it and does not define it
};
struct Reading {
  bool read = false; // whether it is what the reader is for, and could be read
  std::vector<Name> names;
  std::vector<std::string> types;
};
/// For an empty text, which comes first, it prepares what all readings need.
using Reader = std::function<Reading(const std::string &text)>;

/// Reads the newest text of each document, one at a time, in a thread of its own. Safe from any
/// thread.
class Readings {
public:
  /// Without a reader nothing is read.
  explicit Readings(Reader reader);
  ~Readings();

  /// The document has this text from now on.
  void put(const std::string &document, std::string text);
  void drop(const std::string &document);

  /// The type of the name that `line`, the newest text of a line, has around a byte; none if there
  /// is no such name or it was not read. Waits for the newest text to be read, but only so long
  /// where an older one was: then it is the type that the nearest such name had there.
  std::optional<std::string> typeAt(const std::string &document, size_t number,
                                    const std::string &line, size_t byte,
                                    std::chrono::milliseconds patience);
  /// All places of the value or alias that `line` names around a byte, as for typeAt: where it is
  /// defined, then its uses as they come in the text. Empty if that is not known.
  std::vector<Name> placesOf(const std::string &document, size_t number, const std::string &line,
                             size_t byte, std::chrono::milliseconds patience);
  /// Calls `then` with whether the newest text could be read, once that is known: at once, or from
  /// the thread that reads.
  void whenRead(const std::string &document, std::function<void(bool)> then);

  /// Before the end: until everyone who waits was told, but only so long; then they are told that
  /// nothing could be read.
  void settle(std::chrono::milliseconds patience);

private:
  struct Document {
    std::optional<std::string> text; // that is to be read
    bool busy = false;               // whether one is being read
    bool any = false;                // whether one has been
    Reading last;
    bool lastRead = false; // whether the newest text could be read; `last` may be of an older one
    std::vector<std::function<void(bool)>> waiting;
    bool current() const { return !text && !busy; }
  };
  void work();
  /// The document once it was read, as for typeAt; null if there is none.
  const Document *waitFor(std::unique_lock<std::mutex> &, const std::string &document,
                          std::chrono::milliseconds patience);

  Reader reader;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Document> documents;
  bool ends = false, tells = false;
  std::thread thread;
};

} // namespace tessera::lsp
