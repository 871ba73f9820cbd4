// Tokens: changes of a text by its structure: words, numbers, lines, and groups in brackets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What libFuzzer does to bytes rarely leaves a text that a parser follows for long. Half of the
// inputs are changed here instead: a token, a line or a group is left out, doubled, moved, put in
// the place of another one, or becomes a number at a limit.
#pragma once

#include <cctype>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace tessera::fuzz {

class TokenChange {
public:
  TokenChange(std::string text, unsigned seed) : text(std::move(text)), random(seed) {}

  std::string make() {
    for (size_t n = random() % 3; n < 3; ++n)
      one();
    return std::move(text);
  }

private:
  struct Piece {
    size_t begin, end;
    size_t size() const { return end - begin; }
  };

  size_t below(size_t n) { return n ? random() % n : 0; }
  static bool inWord(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '%';
  }
  static char closing(char open) {
    switch (open) {
    case '(': return ')';
    case '[': return ']';
    case '{': return '}';
    case '<': return '>';
    default: return '\0';
    }
  }

  std::vector<Piece> tokens() const {
    std::vector<Piece> out;
    for (size_t at = 0; at < text.size();) {
      size_t end = at + 1;
      if (inWord(text[at]))
        while (end < text.size() && inWord(text[end]))
          ++end;
      if (!std::isspace(static_cast<unsigned char>(text[at])))
        out.push_back({at, end});
      at = end;
    }
    return out;
  }
  std::vector<Piece> lines() const {
    std::vector<Piece> out;
    for (size_t at = 0; at < text.size();) {
      size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
      out.push_back({at, end});
      at = end;
    }
    return out;
  }
  /// Brackets with what is between them.
  std::vector<Piece> groups() const {
    std::vector<Piece> out;
    std::vector<size_t> open;
    for (size_t at = 0; at < text.size(); ++at)
      if (closing(text[at]))
        open.push_back(at);
      else if (!open.empty() && text[at] == closing(text[open.back()])) {
        out.push_back({open.back(), at + 1});
        open.pop_back();
      }
    return out;
  }

  void one() {
    size_t which = below(4);
    std::vector<Piece> pieces = which == 0 ? lines() : which == 1 ? groups() : tokens();
    if (pieces.empty())
      return;
    Piece piece = pieces[below(pieces.size())], other = pieces[below(pieces.size())];
    std::string of = text.substr(other.begin, other.size());
    switch (below(6)) {
    case 0: text.erase(piece.begin, piece.size()); break;
    case 1: text.insert(piece.end, text.substr(piece.begin, piece.size())); break;
    case 2: text.insert(piece.begin, of); break;
    case 3: text.replace(piece.begin, piece.size(), number()); break;
    case 4: // inside itself: nesting
      if (piece.size() > 1)
        text.insert(piece.begin + 1, text.substr(piece.begin, piece.size()));
      break;
    default: text.replace(piece.begin, piece.size(), of);
    }
  }
  std::string number() {
    static constexpr std::string_view limits[] = {"0",
                                                  "1",
                                                  "-1",
                                                  "2",
                                                  "31",
                                                  "32",
                                                  "255",
                                                  "256",
                                                  "65535",
                                                  "65536",
                                                  "2147483647",
                                                  "2147483648",
                                                  "4294967295",
                                                  "4294967296",
                                                  "-2147483648",
                                                  "9223372036854775807",
                                                  "9223372036854775808",
                                                  "18446744073709551615",
                                                  "18446744073709551616",
                                                  "1e400",
                                                  "0x7fffffffffffffff",
                                                  "nan"};
    return std::string(limits[below(std::size(limits))]);
  }

  std::string text;
  std::mt19937 random;
};

/// For LLVMFuzzerCustomMutator of a target whose inputs are texts.
inline size_t mutateText(uint8_t *data, size_t size, size_t most, unsigned seed) {
  if (seed % 2)
    return LLVMFuzzerMutate(data, size, most);
  std::string changed =
      TokenChange(std::string(reinterpret_cast<const char *>(data), size), seed / 2).make();
  if (changed.empty() || changed.size() > most)
    return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}

/// In a file of a target: its inputs are texts.
#define TESSERA_FUZZ_TEXT()                                                                        \
  extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,               \
                                            unsigned int seed) {                                   \
    return tessera::fuzz::mutateText(data, size, most, seed);                                      \
  }

} // namespace tessera::fuzz
