// Looking functions up.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Function.h"

#include "tessera/base/Nearest.h"
#include "tessera/eval/Errors.h"

#include <algorithm>

namespace tessera::eval {

using namespace layout;

size_t Parameters::least() const {
  return size_t(std::count_if(list.begin(), list.begin() + count, [](const Parameter &p) {
    return p.need != Parameter::Need::Optional;
  }));
}
size_t Parameters::most() const {
  return count && list[count - 1].need == Parameter::Need::Repeated ? size_t(-1) : count;
}

std::string Parameters::countText() const {
  std::string number = most() == size_t(-1) ? cat(least(), " or more")
                       : least() == most()  ? cat(least())
                                            : cat(least(), " to ", most());
  return cat(number, most() == 1 ? " argument" : " arguments");
}

std::vector<int64_t> Arguments::numbers(size_t i) const {
  std::vector<int64_t> out;
  for (const Tree &item : std::get<List>(values[i]).items)
    out.push_back(item.leaf().value.value);
  return out;
}
std::vector<int32_t> Arguments::modes(size_t i) const {
  std::vector<int64_t> wide = numbers(i);
  return {wide.begin(), wide.end()};
}

Result<Value> argument(const Arguments &in, size_t i, Kind kind, Arith &arith) {
  Result<Value> made = converted(in[i], kind, arith);
  if (!made && made.reason().text.empty())
    return fail(Error::ArgumentKind, "the function", name(kind), i + 1, described(in[i]));
  return made;
}

std::array<std::span<const Function>, functionTables> allFunctions() {
  return {tupleFunctions(), coordinateFunctions(), layoutFunctions(), algebraFunctions(),
          partitionFunctions()};
}

const Function *findFunction(std::string_view name) {
  for (std::span<const Function> table : allFunctions())
    for (const Function &row : table)
      if (row.name == name)
        return &row;
  return nullptr;
}

std::string_view nearestFunction(std::string_view name) {
  std::vector<std::string_view> names;
  for (std::span<const Function> table : allFunctions())
    for (const Function &row : table) {
      if (row.name.starts_with(name) &&
          row.name.substr(name.size()).starts_with('_')) // the beginning of a longer name
        return row.name;
      names.push_back(row.name);
    }
  return nearestOf(name, names);
}

std::string signature(const Function &function) {
  constexpr std::string_view names[] = {
      "tuple",        "coord",    "strides", "number",         "shape", "profile",
      "plain layout", "layout",   "tile",    "swizzle",        "<n>",   "<b,e>",
      "<modes>",      "old->new", "[list]",  "layout or tile", "value"};
  static_assert(std::size(names) == size_t(Kind::Any) + 1);
  std::string out;
  for (const Parameter &p : function.parameters.all()) {
    out += cat(out.empty() ? "" : ", ", names[size_t(p.kind)]);
    out += p.need == Parameter::Need::Optional   ? "?"
           : p.need == Parameter::Need::Repeated ? "..."
                                                 : "";
  }
  return cat(function.name, "(", out, ")");
}

} // namespace tessera::eval
