// Finds lines of the source by .file and .loc.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx_text/CodePlace.h"

#include "tessera/ptx_text/Lexer.h"

#include <array>
#include <charconv>
#include <map>

namespace tessera::ptx_text {

namespace {
using Place = std::array<int, 3>; // file, line, column

/// Takes tokens from the start of a program. Programs have been read before they run; what cannot
/// be read ends the text.
class Words {
public:
  explicit Words(std::string_view program) : lexer(program) { take(); }
  const Token &peek() const { return token; }
  void take() {
    Result<Token> next = lexer.next();
    token = next ? *next : Token{};
  }
  int number() {
    int value = 0;
    std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
    take();
    return value;
  }
  Place place() {
    Place out;
    for (int &one : out)
      one = number();
    return out;
  }

private:
  Lexer lexer;
  Token token;
};
} // namespace

std::string CodePlace::str() const {
  return source.empty() ? cat("line ", line) : cat(source, ", PTX line ", line);
}

CodePlace placeOf(std::string_view program, int wanted) {
  CodePlace out{wanted, std::string(lineOf(program, wanted)), ""};
  std::map<int, std::string> files; // which may be named after the line
  Place at{};
  std::map<Place, Place> callers; // of places in functions that were inlined
  for (Words words(program); words.peek().kind != Token::End;) {
    Token token = words.peek();
    words.take();
    if (token.is(".file")) {
      int index = words.number();
      if (words.peek().kind == Token::String)
        files[index] = words.peek().text;
    } else if (token.line > wanted) {
      continue;
    } else if (token.is(".loc")) { // which ends with its line
      at = words.place();
      callers.erase(at);
      while (words.peek().kind != Token::End && words.peek().line == token.line) {
        bool called = words.peek().is("inlined_at");
        words.take();
        if (called)
          callers[at] = words.place();
      }
    } else if (token.is(".entry") || token.is(".func")) {
      at = {};
    }
  }
  auto text = [&](const Place &place) {
    return cat(files[place[0]], ":", place[1], ":", place[2]);
  };
  if (!at[1])
    return out;
  out.source = text(at);
  std::string calls;
  // Each call once: a place that is called by itself has lost the others.
  for (auto call = callers.find(at); call != callers.end();) {
    Place caller = call->second;
    calls += cat(calls.empty() ? "" : ", ", text(caller));
    callers.erase(call);
    call = callers.find(caller);
  }
  if (!calls.empty())
    out.source += cat(" (from ", calls, ")");
  return out;
}

} // namespace tessera::ptx_text
