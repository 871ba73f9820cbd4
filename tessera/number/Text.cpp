// Writes and reads numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/number/Text.h"

#include "tessera/number/Code.h"

#include <charconv>
#include <cmath>

namespace tessera::number {

namespace {

Result<uint64_t> parseInteger(Format format, std::string_view text) {
  auto [min, max] = integerRange(format);
  if (format == Format::b1 && (text == "true" || text == "false"))
    return uint64_t(text == "true");
  bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative || text.starts_with('+') ? 1 : 0);
  bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  if (hexadecimal)
    digits.remove_prefix(2);
  uint64_t magnitude = 0;
  const char *stop = digits.data() + digits.size();
  auto [end, error] = std::from_chars(digits.data(), stop, magnitude, hexadecimal ? 16 : 10);
  uint64_t limit = negative ? ~uint64_t(min) + 1 : max; // of the magnitude
  if (digits.empty() || error != std::errc() || end != stop || magnitude > limit)
    return fail(Error::IntegerText, min, max, text);
  uint64_t code = negative ? ~magnitude + 1 : magnitude;
  return code & (~uint64_t(0) >> (64 - storedBits(format)));
}

Result<uint64_t> parseFloat(Format format, std::string_view text) {
  std::string_view digits = text.substr(text.starts_with('+') ? 1 : 0);
  bool signTwice = digits.size() < text.size() && digits.starts_with('-');
  double value = 0, largest = largestFinite(format);
  const char *stop = digits.data() + digits.size();
  auto [end, error] = std::from_chars(digits.data(), stop, value);
  bool outside = error == std::errc::result_out_of_range;
  if (!outside && (digits.empty() || error != std::errc() || end != stop || signTwice))
    return fail(Error::FloatText, ourName(format), text);
  uint64_t code = encode(format, value, hostRules(format));
  double kept = decode(format, code);
  // Rounding is what a format is for; becoming another kind of number is not.
  bool saturated = hostRules(format).saturates && std::fabs(value) > largest;
  bool sameKind = std::isnan(kept) == std::isnan(value) && std::isinf(kept) == std::isinf(value) &&
                  std::signbit(kept) == std::signbit(value) && (value != 0 || kept == 0);
  if (outside || saturated || !sameKind)
    return fail(Error::FloatRange, ourName(format), decimal(largest), text);
  return code;
}

} // namespace

std::string decimal(double value) {
  char buffer[32];
  bool integer = std::fabs(value) < 1e15 && value == std::trunc(value); // 100000 rather than 1e+05
  auto [end, error] = integer ? std::to_chars(buffer, buffer + sizeof(buffer), int64_t(value))
                              : std::to_chars(buffer, buffer + sizeof(buffer), value);
  return cat(integer && value == 0 && std::signbit(value) ? "-" : "",
             std::string_view(buffer, size_t(end - buffer)));
}

std::string print(Format format, uint64_t code) {
  switch (kindOf(format)) {
  case Kind::None:
  case Kind::Float: {
    double value = decode(format, code);
    return std::isnan(value) ? "nan" : decimal(value);
  }
  case Kind::Signed: return cat(toInteger(format, code));
  case Kind::Unsigned:
  case Kind::Bits: return cat(code);
  }
  return "";
}

Result<uint64_t> parse(Format format, std::string_view text) {
  return kindOf(format) == Kind::Float ? parseFloat(format, text) : parseInteger(format, text);
}

} // namespace tessera::number
