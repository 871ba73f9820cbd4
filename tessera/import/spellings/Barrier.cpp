// Finding barriers with locations and attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/spellings/Barrier.h"

#include "tessera/import/Quotes.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tessera::import {

namespace {
constexpr StringLiteral name = "nvvm.barrier";

/// The rest of a line, from left to right.
class Rest {
public:
  explicit Rest(StringRef text) : text(text) {}

  bool take(StringRef mark) {
    StringRef after = text.ltrim(' ');
    if (!after.consume_front(mark))
      return false;
    text = after;
    return true;
  }
  bool startsWith(StringRef mark) const { return text.ltrim(' ').starts_with(mark); }
  /// `%12`, `%arg0`, `%a#1`; empty if none is next.
  StringRef value() {
    StringRef after = text.ltrim(' ');
    if (!after.starts_with("%"))
      return {};
    auto isPart = [](char c) { return isAlnum(c) || StringRef("_$.-#").contains(c); };
    StringRef found = after.take_front(1 + after.drop_front().take_while(isPart).size());
    text = after.drop_front(found.size());
    return found;
  }
  /// `{...}` with braces and strings in it; empty if none is next or it goes on in another line.
  StringRef braces() {
    StringRef after = text.ltrim(' ');
    bool inString = false;
    size_t depth = 0;
    for (size_t i = 0; i < after.size(); ++i) {
      char c = after[i];
      if (inString && c == '\\')
        ++i;
      else if (c == '"')
        inString = !inString;
      else if (!inString && c == '{')
        ++depth;
      else if (!inString && c == '}' && --depth == 0) {
        text = after.drop_front(i + 1);
        return after.take_front(i + 1);
      }
    }
    return {};
  }
  StringRef text;
};

/// The generic form of a barrier whose operands begin `line`, and in `line` what follows it. Empty
/// if LLVM's parser reads it, or nobody can.
std::string generic(StringRef &line) {
  Rest rest(line);
  StringRef operands[2];
  StringRef keywords[] = {"id", "number_of_threads"};
  for (auto [keyword, operand] : zip(keywords, operands)) {
    Rest ahead = rest;
    if (!ahead.take(keyword))
      continue;
    if (!ahead.take("=") || (operand = ahead.value()).empty())
      return {};
    rest = ahead;
  }
  StringRef attributes;
  if (rest.startsWith("{") && (attributes = rest.braces()).empty())
    return {};
  if (attributes.empty() && !rest.startsWith("loc("))
    return {};
  std::string sizes, values, types;
  for (StringRef operand : operands) {
    sizes += operand.empty() ? "0, " : "1, ";
    if (operand.empty())
      continue;
    StringRef comma = values.empty() ? "" : ", ";
    values += (comma + operand).str();
    types += (comma + "i32").str();
  }
  line = rest.text;
  return ("\"" + name + "\"(" + values + ") <{operandSegmentSizes = array<i32: " + sizes + "0>}> " +
          attributes + " : (" + types + ") -> ()")
      .str();
}
} // namespace

std::optional<std::string> withReadableBarriers(StringRef text) {
  std::string changed;
  StringRef copied = text; // what is not in `changed` yet
  Quotes quotes(text);
  for (size_t at = text.find(name); at != StringRef::npos; at = text.find(name, at + 1)) {
    StringRef before = text.take_front(at);
    before = before.substr(before.rfind('\n') + 1);
    StringRef line = text.substr(at).take_until([](char c) { return c == '\n'; });
    line = line.drop_front(name.size());
    const bool isWord = line.starts_with(" ") &&
                        (before.empty() || before.ends_with(" ") || before.ends_with("\t"));
    if (!isWord || quotes.hold(at))
      continue;
    StringRef after = line;
    std::string form = generic(after);
    if (form.empty())
      continue;
    changed += copied.take_front(size_t(text.data() + at - copied.data()));
    changed += form;
    copied = text.substr(size_t(after.data() - text.data()));
  }
  if (copied.data() == text.data())
    return std::nullopt;
  return changed + copied.str();
}

} // namespace tessera::import
