// Spells lines out as litmus tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Notation.h"

#include <algorithm>
#include <map>
#include <sstream>

namespace tessera::litmus::test {

namespace {

std::vector<std::string> split(const std::string &text, char by) {
  std::vector<std::string> out;
  std::stringstream in(text);
  for (std::string one; std::getline(in, one, by);)
    if (one.find_first_not_of(' ') != one.npos)
      out.push_back(one);
  return out;
}

struct Spelled {
  std::string text;
  std::map<std::string, uint32_t> asked; // by the name of Program::names
};

Spelled spell(const Line &line) {
  Spelled out;
  std::vector<std::string> locations, threads = split(line.code, '|'),
                                      places = split(line.places, ' ');
  std::string bodies;
  for (size_t t = 0; t < threads.size(); ++t) {
    std::string place = places.empty() ? cat(t) : places.at(t);
    for (auto [letter, word] : {std::pair('c', " cluster "), {'g', " gpu "}})
      if (size_t at = place.find(letter); at != place.npos)
        place.replace(at, 1, word);
    bodies += cat("block ", place, " {\n");
    size_t registers = 0;
    for (const std::string &one : split(threads[t], ';')) {
      std::vector<std::string> words = split(one, ' ');
      const std::string &head = words[0];
      const char kind = head[0];
      std::string how = head.substr(1);
      if (kind == 'F' || kind == 'B') {
        bodies += kind == 'F' ? cat("  fence", how, ";\n")
                              : cat("  barrier.sync", how, " ", words.at(1), ";\n");
        continue;
      }
      auto know = [&](const std::string &location) {
        if (std::find(locations.begin(), locations.end(), location) == locations.end())
          locations.push_back(location);
      };
      know(words.at(1));
      if (how.empty())
        how = kind == 'w' || kind == 'r' ? ".weak" : ".relaxed.sys";
      std::string op;
      if (kind == 'A' || kind == 'D') { // the operation is the last word
        op = how.substr(how.rfind('.'));
        how = how.substr(0, how.rfind('.'));
      }
      const std::string place = cat(".global", op, ".u32 "), at = cat("[", words[1], "]"),
                        reg = cat("r", registers);
      if (kind == 'w' || kind == 'W')
        bodies += cat("  st", how, place, at, ", ", words.at(2), ";\n");
      else if (kind == 'D')
        bodies += cat("  red", how, place, at, ", ", words.at(2), ";\n");
      else if (kind == 'C') {
        know(words.at(2));
        bodies += cat("  ld", how, place, reg, ", ", at, ";\n  st", how, place, "[", words[2],
                      "], ", reg, ";\n");
        ++registers;
      } else {
        const bool isAtom = kind == 'A';
        bodies += isAtom ? cat("  atom", how, place, reg, ", ", at, ", ", words.at(2), ";\n")
                         : cat("  ld", how, place, reg, ", ", at, ";\n");
        out.asked[cat(t, ":", reg)] = uint32_t(std::stoul(words.at(isAtom ? 3 : 2)));
        ++registers;
      }
    }
    bodies += "}\n";
  }
  for (const std::string &location : locations)
    out.text += cat(location, " = 0\n");
  out.text += bodies;
  std::vector<std::string> last = split(line.last, ' ');
  for (size_t i = 0; i + 1 < last.size(); i += 2)
    out.asked[last[i]] = uint32_t(std::stoul(last[i + 1]));
  return out;
}

} // namespace

std::string textOf(const Line &line) { return spell(line).text; }

std::unique_ptr<Program> testOf(const Line &line) {
  Result<std::unique_ptr<Program>> read = parse(textOf(line));
  EXPECT_TRUE(read) << line.name << ": " << read.reason().text << "\n" << textOf(line);
  return read ? std::move(*read) : std::make_unique<Program>();
}

bool isAsked(const Line &line, const Program &test, const Outcome &outcome) {
  std::vector<std::string> names = test.names();
  for (const auto &[name, value] : spell(line).asked) {
    auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end() || outcome[size_t(found - names.begin())] != value)
      return false;
  }
  return true;
}

} // namespace tessera::litmus::test
