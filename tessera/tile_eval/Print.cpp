// Formats of printf, applied to tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_eval/Print.h"

#include "tessera/base/Result.h"

#include <cstdio>

namespace tessera::tile_eval {

namespace {

bool isOneOf(char c, std::string_view all) { return all.find(c) != all.npos; }

/// "%-8.3": flags, width and precision, and the letter of a conversion.
struct Conversion {
  std::string flags;
  char letter = 0;
};

/// The conversion after a percent sign, which is taken from the format.
std::optional<Conversion> takeConversion(std::string_view &format) {
  Conversion out{"%"};
  auto take = [&](std::string_view all, size_t most) {
    for (size_t n = 0; n < most && !format.empty() && isOneOf(format[0], all); ++n) {
      out.flags += format[0];
      format.remove_prefix(1);
    }
  };
  // A width of three digits is enough, and bounds what an element takes.
  take("-+ #0", 5);
  take("0123456789", 3);
  if (!format.empty() && format[0] == '.') {
    take(".", 1);
    take("0123456789", 3);
  }
  while (!format.empty() && isOneOf(format[0], "hljzt"))
    format.remove_prefix(1);
  if (format.empty())
    return {};
  out.letter = format[0];
  format.remove_prefix(1);
  return out;
}

std::optional<std::string> elementText(const Conversion &conversion, TypeKind kind, uint64_t code) {
  char text[2048];
  bool isReal = isFloat(kind);
  if (isReal && isOneOf(conversion.letter, "fFeEgGaA")) {
    std::string format = conversion.flags + conversion.letter;
    std::snprintf(text, sizeof text, format.c_str(), decode(kind, code));
    return text;
  }
  if (isReal || !isOneOf(conversion.letter, "diuxXocp"))
    return {};
  bool isSigned = isOneOf(conversion.letter, "di") && kind != TypeKind::Pointer;
  unsigned bits = kind == TypeKind::Pointer ? 64 : bitsOf(kind);
  // A boolean is 0 or 1.
  long long value = isSigned && bits > 1 ? (long long)(signedOf(code, bits)) : (long long)(code);
  if (conversion.letter == 'c')
    return std::string(1, char(value));
  std::string format = conversion.flags;
  if (conversion.letter == 'p')
    format += "#llx";
  else
    format += cat("ll", conversion.letter);
  std::snprintf(text, sizeof text, format.c_str(), value);
  return text;
}

/// A tile as [[v, v], [v, v]]; `at` is the next element.
std::optional<std::string> tileText(const Conversion &conversion, const Printed &tile, size_t dim,
                                    size_t &at) {
  if (dim == tile.shape.size())
    return elementText(conversion, tile.element, tile.codes[at++]);
  std::string out = "[";
  for (int64_t i = 0; i < tile.shape[dim]; ++i) {
    std::optional<std::string> one = tileText(conversion, tile, dim + 1, at);
    if (!one)
      return {};
    out += i ? ", " : "";
    out += *one;
  }
  return out + "]";
}

} // namespace

std::optional<std::string> formatted(std::string_view format, std::span<const Printed> arguments) {
  std::string out;
  size_t next = 0;
  while (!format.empty()) {
    char c = format[0];
    format.remove_prefix(1);
    if (c != '%') {
      out += c;
      continue;
    }
    if (!format.empty() && format[0] == '%') {
      format.remove_prefix(1);
      out += '%';
      continue;
    }
    std::optional<Conversion> conversion = takeConversion(format);
    if (!conversion || next == arguments.size())
      return {};
    size_t at = 0;
    std::optional<std::string> text = tileText(*conversion, arguments[next++], 0, at);
    if (!text)
      return {};
    out += *text;
  }
  if (next != arguments.size())
    return {};
  return out;
}

} // namespace tessera::tile_eval
