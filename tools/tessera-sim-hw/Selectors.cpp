// Draws selectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Selectors.h"

#include "tessera/sim/Forms.h"

namespace tessera::hw {

Selectors::Selectors(const std::string &spelling, std::string_view operands, size_t variant)
    : draws(variant != 0) {
  sim::Modifiers m = sim::modifiersOf(spelling);
  std::seed_seq seed(spelling.begin(), spelling.end());
  random.seed(seed);
  random.discard(100 * variant);
  char last = m.words[0].back();
  bool combines = m.has("add") || m.has("min") || m.has("max");
  if (last == '2' || last == '4') {
    kind = Packed;
    parts = last - '0';
  } else if (m.words[0] == "vmad") {
    kind = MultiplyAdd;
    mayNegate = !m.has("po");
  } else if (!combines && sim::operandItems(operands).size() == 4)
    kind = Merging;
}

std::string Selectors::drawn(bool isDestination) {
  constexpr std::string_view scalars[] = {".b0", ".b1", ".b2", ".b3", ".h0", ".h1", ""};
  if (kind != Packed) {
    bool whole = isDestination && kind != Merging;
    if (whole)
      return "";
    size_t count =
        isDestination ? 5 : std::size(scalars); // results in .h1 and in the whole are not rows
    return std::string(scalars[random() % count]);
  }
  std::string out = parts == 2 ? ".h" : ".b";
  unsigned mask = isDestination ? 1 + random() % ((1u << parts) - 1) : 0;
  for (int part = parts; part--;)
    if (!isDestination)
      out += char('0' + random() % unsigned(2 * parts));
    else if (mask >> part & 1)
      out += char('0' + part);
  return out;
}

std::string Selectors::next(bool isDestination) {
  bool isLast = kind == MultiplyAdd && operand == 3, isFirst = kind == MultiplyAdd && operand == 1;
  ++operand;
  std::string out = draws || (isDestination && kind == Merging) ? drawn(isDestination) : "";
  // c of vmad is whole. It or the product may be negated, not both.
  if (isLast)
    out = draws && mayNegate && given.find('-') == given.npos && random() % 2 ? "-" : "";
  else if (isFirst && draws && mayNegate && random() % 3 == 0)
    out = "-";
  given += out.empty() ? "" : cat(" ", out);
  return out;
}

} // namespace tessera::hw
