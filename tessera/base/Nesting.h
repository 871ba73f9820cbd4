// Nesting: the nesting depth of brackets in a text, counted before a parser follows them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsers, verifiers and printers are recursive. A text nested deeper than their stack would end
// the process without a message, so code that reads a file counts first; it costs one look at each
// character.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace tessera {

/// Where a text goes deeper than it may; line and column from 1, in bytes.
struct TooDeep {
  size_t line = 1, column = 1;
};

namespace detail {

/// Which bytes are in `set`.
constexpr std::array<bool, 256> tableOf(std::string_view set) {
  std::array<bool, 256> table{};
  for (char c : set)
    table[static_cast<unsigned char>(c)] = true;
  return table;
}

/// Brackets of MLIR's text: (), [], {} and <>, regions, types and attributes alike, outside of
/// strings and comments. An alias (`!a = ...`, `#a = ...`) is as deep as what it stands for, so a
/// chain of them counts too.
class MlirNesting {
public:
  MlirNesting(std::string_view text, size_t most) : text(text), most(most) {}

  std::optional<TooDeep> run() {
    for (at = 0; at < text.size(); ++at)
      if (counts[static_cast<unsigned char>(text[at])] && !take(text[at])) {
        TooDeep where;
        where.line += size_t(std::count(text.begin(), text.begin() + ptrdiff_t(at), '\n'));
        where.column += at - (text.substr(0, at).rfind('\n') + 1);
        return where;
      }
    return std::nullopt;
  }

private:
  /// The characters that `take` does something about.
  static constexpr std::array<bool, 256> counts = tableOf("\"/\n([{<)]}>!#");
  static constexpr std::array<bool, 256> words =
      tableOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$.-");
  char next() const { return at + 1 < text.size() ? text[at + 1] : '\0'; }
  char before() const { return at ? text[at - 1] : '\0'; }

  /// One character, or the string, comment or name that begins with it; whether it is not too deep.
  bool take(char c) {
    switch (c) {
    case '"': return skipString();
    case '/':
      if (next() == '/')
        at = std::min(text.find('\n', at), text.size()) - 1;
      return true;
    case '\n':
      if (open_.empty())
        current = nullptr; // the definition of an alias ends
      return true;
    case '(':
    case '[':
    case '{': return open(c);
    case '<': return next() == '=' || open(c); // of a set of integers
    case ')': return close('(');
    case ']': return close('[');
    case '}': return close('{');
    case '>':
      return before() == '-' || before() == '=' || open_.empty() || open_.back() != '<' ||
             close('<');
    case '!':
    case '#': return name();
    default: return true;
    }
  }
  bool skipString() {
    for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
      at += text[at] == '\\';
    at -= at < text.size() && text[at] == '\n';
    return true;
  }
  bool open(char c) {
    open_.push_back(c);
    return reach(open_.size());
  }
  /// What was left open inside, as the < of a comparison, ends too.
  bool close(char opening) {
    while (!open_.empty() && open_.back() != opening && opening != '<')
      open_.pop_back();
    if (!open_.empty())
      open_.pop_back();
    return true;
  }
  /// An alias: its definition begins a line, and everywhere else it stands for what it is.
  bool name() {
    size_t end = at + 1;
    while (end < text.size() && words[static_cast<unsigned char>(text[end])])
      ++end;
    std::string_view word = text.substr(at, end - at);
    size_t after = text.find_first_not_of(" \t", end);
    bool defines = word.size() > 1 && open_.empty() && (at == 0 || before() == '\n') &&
                   after != text.npos && text[after] == '=' &&
                   (after + 1 == text.size() || text[after + 1] != '=');
    at = end - 1;
    if (defines) {
      current = &aliases[word];
      *current = 0;
      return true;
    }
    auto known = aliases.find(word);
    return known == aliases.end() || reach(open_.size() + known->second + 1);
  }
  bool reach(size_t depth) {
    if (current)
      *current = std::max(*current, depth);
    return depth <= most;
  }

  std::string_view text;
  size_t most, at = 0;
  std::vector<char> open_;
  std::map<std::string_view, size_t> aliases; // how deep each is
  size_t *current = nullptr;                  // the alias that is being defined
};

} // namespace detail

/// How deep texts of MLIR may go. Files that people and compilers write stay below 40; twice this
/// much fits the stack of a thread in a build with sanitizers.
inline constexpr size_t mostMlirNesting = 256;

/// The place where a text of MLIR exceeds `most`; nothing if it does not.
inline std::optional<TooDeep> findTooDeep(std::string_view mlir, size_t most = mostMlirNesting) {
  return detail::MlirNesting(mlir, most).run();
}

/// Whether a text of JSON goes deeper than `most`.
inline bool isJsonTooDeep(std::string_view json, size_t most) {
  size_t depth = 0;
  for (size_t at = 0; at < json.size(); ++at)
    switch (json[at]) {
    case '"':
      for (++at; at < json.size() && json[at] != '"'; ++at)
        at += json[at] == '\\';
      break;
    case '[':
    case '{':
      if (++depth > most)
        return true;
      break;
    case ']':
    case '}': depth -= depth > 0; break;
    default: break;
    }
  return false;
}

} // namespace tessera
