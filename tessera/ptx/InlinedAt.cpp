// Calls in .loc, their functions in .debug_str.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx/InlinedAt.h"

#include "tessera/base/Result.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>
#include <set>

using llvm::StringRef;

namespace tessera::ptx {

namespace {
/// Between a file and the number of a call; LLVM takes it for a part of the name.
constexpr std::string_view mark = "|inlined:";

/// What a .file or .loc says: its number, and the words after it.
bool readNumber(StringRef &words, unsigned &value) {
  words = words.ltrim();
  return !words.consumeInteger(10, value);
}
} // namespace

int InlinedCalls::add(InlinedCall call) {
  auto known = std::find(calls.begin(), calls.end(), call);
  if (known != calls.end())
    return int(known - calls.begin());
  calls.push_back(std::move(call));
  return int(calls.size()) - 1;
}

std::string InlinedCalls::fileName(std::string_view file, int call) {
  return call < 0 ? std::string(file) : cat(file, mark, call);
}

namespace {

/// A text that is being rewritten.
class Writer {
public:
  Writer(const std::vector<InlinedCall> &calls, StringRef ptx) : calls(calls), ptx(ptx) {
    forEachLine([&](StringRef line) {
      StringRef words = line.ltrim();
      unsigned number;
      if (!words.consume_front(".file") || !readNumber(words, number))
        return;
      StringRef quoted = words.ltrim();
      StringRef name = quoted.drop_front().take_until([](char c) { return c == '"'; });
      auto [file, call] = name.split(mark);
      int index = -1;
      call.getAsInteger(10, index);
      files[number] = {fileOf(file), index};
    });
  }

  std::string written() {
    out.reserve(ptx.size());
    forEachLine([&](StringRef line) {
      StringRef words = line;
      if (words.consume_front("\t.file\t"))
        return; // all together at the end
      unsigned file, row, column;
      if (words.consume_front("\t.loc\t") && readNumber(words, file) && readNumber(words, row) &&
          readNumber(words, column)) {
        const auto &[own, call] = files[file];
        say({own, row, column}, call);
        return;
      }
      out.append(line).push_back('\n');
    });
    for (size_t i = 0; i < names.size(); ++i)
      out += cat("\t.file\t", i + 1, " \"", names[i], "\"\n");
    if (!functions.empty())
      out += "\t.section\t.debug_str\n\t{\n";
    for (const auto &[name, label] : functions) {
      out += cat(label, ":\n\t.b8 ");
      for (char c : name)
        out += cat(unsigned(static_cast<unsigned char>(c)), ",");
      out += "0\n";
    }
    if (!functions.empty())
      out += "\t}\n";
    return std::move(out);
  }

private:
  struct Place {
    unsigned file, line, column;
    friend auto operator<=>(const Place &, const Place &) = default;
    std::string str() const { return cat(file, " ", line, " ", column); }
  };

  template <class F> void forEachLine(F f) {
    for (StringRef rest = ptx; !rest.empty();) {
      StringRef line = rest.take_until([](char c) { return c == '\n'; });
      rest = rest.drop_front(std::min(line.size() + 1, rest.size()));
      f(line);
    }
  }

  unsigned fileOf(StringRef name) {
    auto known = std::find(names.begin(), names.end(), name);
    if (known == names.end())
      known = names.insert(names.end(), name.str());
    return unsigned(known - names.begin()) + 1;
  }
  const std::string &labelOf(const std::string &function) {
    auto [entry, isNew] = functions.try_emplace(function);
    if (isNew)
      entry->second = cat("$L__inlined", functions.size() - 1);
    return entry->second;
  }

  /// Writes a .loc. The place of a call has to come before the places that it leads to.
  void say(Place place, int index) {
    std::string line = cat("\t.loc\t", place.str());
    if (index >= 0) {
      const InlinedCall &call = calls[size_t(index)];
      Place from{fileOf(call.file), call.line, call.column};
      if (!said.contains({from, call.caller}))
        say(from, call.caller);
      line += cat(", function_name ", labelOf(call.function), ", inlined_at ", from.str());
    }
    said.insert({place, index});
    out += line + "\n";
  }

  const std::vector<InlinedCall> &calls;
  StringRef ptx;
  std::string out;
  std::vector<std::string> names;
  std::map<unsigned, std::pair<unsigned, int>> files; // of LLVM, to ours and the call
  std::map<std::string, std::string> functions;       // to their labels
  std::set<std::pair<Place, int>> said;
};

} // namespace

std::string InlinedCalls::written(std::string_view ptx) const {
  return Writer(calls, ptx).written();
}

} // namespace tessera::ptx
