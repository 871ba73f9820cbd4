// Refusals as text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Refusal.h"

#include <algorithm>

namespace tessera::eval {

namespace {
constexpr size_t widest = 100; // characters of the expression around the place

/// The line of the expression that has the place, and the place underlined below it.
std::string underlined(const std::string &expression, Span where) {
  size_t begin = std::min(where.begin, expression.size()),
         end = std::min(std::max(where.end, begin), expression.size());
  size_t lineBegin = expression.rfind('\n', begin ? begin - 1 : 0);
  lineBegin = lineBegin == std::string::npos || begin == 0 ? 0 : lineBegin + 1;
  size_t lineEnd = std::min(expression.find('\n', begin), expression.size());
  size_t from = begin - lineBegin > widest / 2 ? begin - widest / 2 : lineBegin;
  size_t to = std::min(lineEnd, from + widest);
  std::string line = expression.substr(from, to - from);
  std::replace(line.begin(), line.end(), '\t', ' ');
  std::string left = from > lineBegin ? "..." : "", right = to < lineEnd ? "..." : "";
  size_t marked = std::max<size_t>(std::min(end, to), begin + 1) - begin;
  return "  " + left + line + right + "\n  " + std::string(left.size() + begin - from, ' ') + "^" +
         std::string(marked - 1, '~') + "\n";
}
} // namespace

std::string str(const Refusal &refusal, const std::string &expression) {
  std::string out = "error: " + refusal.reason.text + "\n" + underlined(expression, refusal.where);
  if (!refusal.detail.empty())
    out += "  " + refusal.detail + "\n";
  if (!refusal.help.empty())
    out += "help: " + refusal.help + "\n";
  return out;
}

} // namespace tessera::eval
