// Finding where a module of a dump begins.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is printed is
//
//   !memref = !cute.memref<...>      aliases, `#loc` among them if a block argument has one
//   module attributes {...} {
//   } loc(#loc5)
//   #loc3 = loc("a.py":1:0)          aliases of locations
//
// so a module begins with the first line after the end of another that does not define an alias of
// a location: an empty line, a type, `module`, or an alias that the text has already. Where aliases
// are all that follows, the module before has one of them twice, which the parser says best.
#include "tessera/import/Dump.h"

#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace tessera::import {

/// `#loc3` of `#loc3 = ...`; empty if the line defines no alias.
static StringRef aliasDefined(StringRef line) {
  if (!line.starts_with("#") && !line.starts_with("!"))
    return {};
  auto [name, value] = line.split(" = ");
  return value.empty() ? StringRef() : name;
}

std::vector<std::string> modulesOf(StringRef text) {
  enum class At {
    Head,
    Body,
    Tail
  } at = At::Head;
  struct Start {
    size_t offset, line;
  };
  std::vector<Start> starts{{0, 0}};
  StringSet<> aliases, mine;        // of the file, and of the module
  bool twice = false, begun = true; // whether the last module has more than aliases
  size_t lineNumber = 0;
  for (size_t offset = 0; offset < text.size(); ++lineNumber) {
    size_t end = text.find('\n', offset);
    StringRef line = text.slice(offset, end);
    StringRef alias = aliasDefined(line);
    bool opens = line.starts_with("module") || line.starts_with("\"builtin.module\"");
    if (at == At::Tail && (!line.starts_with("#") || mine.contains(alias))) {
      starts.push_back({offset, lineNumber});
      at = At::Head;
      begun = false;
      mine.clear();
    }
    begun |= alias.empty() && !line.trim().empty() && !line.starts_with("//");
    if (at == At::Head && opens)
      at = At::Body;
    else if (at == At::Body && line.starts_with("}"))
      at = At::Tail;
    if (!alias.empty()) {
      twice |= !aliases.insert(alias).second;
      mine.insert(alias);
    }
    offset = end == StringRef::npos ? text.size() : end + 1;
  }
  if (!begun)
    starts.pop_back();
  std::vector<std::string> modules;
  for (size_t i = 0; i < starts.size(); ++i) {
    StringRef module =
        text.slice(starts[i].offset, i + 1 < starts.size() ? starts[i + 1].offset : text.size());
    if (!module.trim().empty())
      modules.push_back(std::string(starts[i].line, '\n') + module.str());
  }
  if (!twice || modules.size() < 2)
    modules.clear();
  return modules;
}

} // namespace tessera::import
