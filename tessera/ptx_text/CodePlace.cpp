// Finds lines of the source by .file and .loc.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx_text/CodePlace.h"

#include "tessera/base/Result.h"

#include <array>
#include <charconv>
#include <map>

namespace tessera::ptx_text {

namespace {
/// The next word of a line, without its comma.
std::string_view word(std::string_view &line) {
  size_t first = line.find_first_not_of(" \t");
  line.remove_prefix(std::min(first, line.size()));
  size_t end = std::min(line.find_first_of(" \t,;\r"), line.size());
  std::string_view out = line.substr(0, end);
  line.remove_prefix(std::min(line.find_first_not_of(",;\r", end), line.size()));
  return out;
}
int number(std::string_view text) {
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}
std::string_view trimmed(std::string_view text) {
  size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}
} // namespace

std::string CodePlace::str() const {
  return source.empty() ? cat("line ", line) : cat(source, ", PTX line ", line);
}

CodePlace placeOf(std::string_view program, int wanted) {
  CodePlace out{wanted, "", ""};
  std::map<int, std::string> files;
  using Place = std::array<int, 3>; // file, line, column
  Place at{};
  std::map<Place, Place> callers; // of places in functions that were inlined
  auto readPlace = [](std::string_view &words) {
    Place place;
    for (int &one : place)
      one = number(word(words));
    return place;
  };
  int line = 0;
  while (!program.empty()) {
    size_t end = std::min(program.find('\n'), program.size());
    std::string_view text = program.substr(0, end), rest = text;
    program.remove_prefix(std::min(end + 1, program.size()));
    ++line;
    std::string_view first = word(rest);
    if (line == wanted)
      out.text = trimmed(text);
    if (first == ".file") {
      int index = number(word(rest));
      std::string_view quoted = trimmed(rest);
      files[index] = quoted.size() > 1 ? quoted.substr(1, quoted.find('"', 1) - 1) : quoted;
    }
    if (line > wanted)
      continue;
    if (first == ".loc") {
      at = readPlace(rest);
      callers.erase(at);
      while (!rest.empty())
        if (word(rest) == "inlined_at")
          callers[at] = readPlace(rest);
    }
    if (text.find(".entry ") != text.npos || text.find(".func ") != text.npos)
      at = {};
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
