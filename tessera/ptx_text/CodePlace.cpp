// Finds lines of the source by .file and .loc.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx_text/CodePlaces.h"
#include "tessera/ptx_text/Lexer.h"

#include <algorithm>
#include <charconv>
#include <set>

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

std::string SourcePlace::str() const { return cat(file, ":", line, ":", column); }

std::string CodePlace::str() const {
  return source.empty() ? cat("line ", line) : cat(source, ", PTX line ", line);
}

CodePlaces::CodePlaces(std::string_view program) {
  for (size_t at = 0; at < program.size();
       at = std::min(program.find('\n', at), program.size() - 1) + 1)
    lines.push_back(lineOf(program.substr(at), 1));
  std::map<Place, Place> callers; // of places in functions that were inlined
  for (Words words(program); words.peek().kind != Token::End;) {
    Token token = words.peek();
    words.take();
    if (token.is(".file")) {
      int index = words.number();
      if (words.peek().kind == Token::String)
        files[index] = words.peek().text;
    } else if (token.is(".loc")) { // which ends with its line
      Place at = words.place();
      callers.erase(at);
      while (words.peek().kind != Token::End && words.peek().line == token.line) {
        bool called = words.peek().is("inlined_at");
        words.take();
        if (called)
          callers[at] = words.place();
      }
      std::vector<Place> chain;
      // Each call once: a place that is called by itself has lost the others.
      std::set<Place> seen;
      for (auto call = callers.end();; at = call->second) {
        chain.push_back(at);
        call = callers.find(at);
        if (call == callers.end() || !seen.insert(at).second)
          break;
      }
      marks.push_back({token.line, std::move(chain)});
    } else if (token.is(".entry") || token.is(".func")) {
      marks.push_back({token.line, {}});
    }
  }
}

SourcePlace CodePlaces::sourceOf(const Place &place) const {
  auto file = files.find(place[0]);
  return {std::string(file == files.end() ? "" : file->second), place[1], place[2]};
}

CodePlace CodePlaces::of(int line) const {
  CodePlace out{line, "", ""};
  if (line >= 1 && size_t(line) <= lines.size())
    out.text = lines[size_t(line) - 1];
  auto after = std::upper_bound(marks.begin(), marks.end(), line,
                                [](int wanted, const Mark &mark) { return wanted < mark.line; });
  if (after == marks.begin())
    return out;
  const std::vector<Place> &chain = std::prev(after)->chain;
  if (chain.empty() || !chain[0][1])
    return out;
  for (const Place &place : chain)
    out.places.push_back(sourceOf(place));
  out.source = out.places[0].str();
  std::string calls;
  for (size_t i = 1; i < chain.size(); ++i)
    calls += cat(i > 1 ? ", " : "", out.places[i].str());
  if (!calls.empty())
    out.source += cat(" (from ", calls, ")");
  return out;
}

CodePlace placeOf(std::string_view program, int line) { return CodePlaces(program).of(line); }

} // namespace tessera::ptx_text
