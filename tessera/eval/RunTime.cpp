// Leaf arithmetic of `tessera layout`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/RunTime.h"

#include "tessera/base/Result.h"

#include <algorithm>
#include <limits>

namespace tessera::eval {

using namespace layout;

namespace {
constexpr size_t maxName = 40;        // characters of a computed leaf's name
constexpr size_t maxAssumed = 10'000; // kept, and the first broken one

struct Spelling {
  LeafOp op;
  std::string_view sign;
};
constexpr Spelling signs[] = {
    {LeafOp::Add, "+"},         {LeafOp::Sub, "-"},       {LeafOp::Mul, "*"},
    {LeafOp::Div, "/"},         {LeafOp::SignedDiv, "/"}, {LeafOp::CeilDiv, "/"},
    {LeafOp::Mod, "%"},         {LeafOp::Min, " min "},   {LeafOp::Max, " max "},
    {LeafOp::And, "&"},         {LeafOp::Or, "|"},        {LeafOp::Xor, "^"},
    {LeafOp::ShiftRight, ">>"}, {LeafOp::Less, "<"},      {LeafOp::Equal, "=="}};
std::string_view sign(LeafOp op) {
  for (const Spelling &row : signs)
    if (row.op == op)
      return row.sign;
  return "?";
}
} // namespace

uint32_t RunTime::add(Leaf leaf) {
  leaves.push_back(std::move(leaf));
  return uint32_t(leaves.size() - 1);
}

Int RunTime::input(std::optional<int64_t> value, Width width, int64_t div) {
  ++inputs;
  return Int::dynamic(add({value, value ? std::to_string(*value) : cat("?", inputs)}), width, div);
}

std::optional<int64_t> RunTime::valueOf(Int leaf) const {
  return leaf.isStatic() ? std::optional(leaf.value) : leaves[leaf.id].value;
}

std::string RunTime::name(Int leaf) const {
  if (leaf.isStatic())
    return std::to_string(leaf.value);
  return leaves[leaf.id].name.empty() ? "?" : leaves[leaf.id].name;
}

namespace {
/// No value of the leaf is larger, taken as a number without sign.
uint64_t largest(Int leaf) { return leaf.isStatic() ? uint64_t(leaf.value) : leaf.mask; }
bool surelyFits(Int a, Int b) {
  return (unsigned __int128)(largest(a)) * largest(b) <=
         uint64_t(std::numeric_limits<int32_t>::max());
}
} // namespace

void RunTime::noteProduct(Int a, Int b, Width width) {
  if (width != Width::I32 || surelyFits(a, b))
    return;
  std::string text = cat(name(a), " * ", name(b), " fits 32 bits");
  if (products.size() < maxAssumed && products.insert(text).second)
    note(std::move(text), std::nullopt);
}

uint32_t RunTime::emit(LeafOp op, Int a, Int b, Width width) {
  std::optional<int64_t> x = valueOf(a), y = valueOf(b);
  if (x && y) {
    Applied result = applyChecked(op, *x, *y);
    wrapped |= result.overflow || !fits(result.value, width);
    return add({result.value, std::to_string(result.value)});
  }
  if (op == LeafOp::Mul)
    noteProduct(a, b, width);
  std::string_view round = op == LeafOp::CeilDiv ? "ceil" : "";
  std::string spelled = cat(round, "(", name(a), sign(op), name(b), ")");
  return add({std::nullopt, spelled.size() <= maxName ? spelled : ""});
}

const Assumption *RunTime::broken() const {
  auto found = std::find_if(assumed.begin(), assumed.end(),
                            [](const Assumption &a) { return a.holds == false; });
  return found == assumed.end() ? nullptr : &*found;
}

void RunTime::note(std::string text, std::optional<bool> holds) {
  if (assumed.size() < maxAssumed || (holds == false && !broken()))
    assumed.push_back({std::move(text), holds});
}

void RunTime::assume(Pre what, Int a, Int b, Int c) {
  std::optional<int64_t> x = valueOf(a), y = valueOf(b), z = valueOf(c);
  std::optional<bool> holds;
  std::string text;
  const bool known = x && y && (z || what != Pre::StepFits);
  switch (what) {
  case Pre::Divides:
    text = cat(name(b), " divides ", name(a));
    if (known)
      holds = *y != 0 && applyChecked(LeafOp::Mod, *x, *y).value == 0;
    break;
  case Pre::DividesOrSmaller:
    text = cat(name(b), " divides ", name(a), ", or ", name(a), " is smaller");
    if (known)
      holds = *y != 0 && (applyChecked(LeafOp::Mod, *x, *y).value == 0 || *x < *y);
    break;
  case Pre::NonZero:
    text = cat(name(a), " is not 0");
    if (x)
      holds = *x != 0;
    break;
  case Pre::AtMost:
    text = cat(name(a), " is at most ", name(b));
    if (known)
      holds = *x <= *y;
    break;
  case Pre::StepFits:
    text = cat(name(b), " divides ", name(a), ", or ", name(a), " divides ", name(b), ", or ",
               name(c), " steps of ", name(b), " stay below ", name(a));
    if (known)
      holds = *x != 0 && *y != 0 &&
              (applyChecked(LeafOp::Mod, *x, *y).value == 0 ||
               applyChecked(LeafOp::Mod, *y, *x).value == 0 || (__int128(*z) - 1) * *y < *x);
    break;
  }
  if (holds != true ||
      !(a.isStatic() && b.isStatic() && c.isStatic())) // a static truth is not an assumption
    note(std::move(text), holds);
}

void RunTime::assumeSeparate(std::span<const Int> extents, std::span<const Walk> modes) {
  bool known = true;
  std::vector<Int> left;
  std::vector<Walk> right;
  std::string shape, walks;
  auto value = [&](Int leaf) {
    std::optional<int64_t> v = valueOf(leaf);
    known &= v.has_value();
    return Int(v.value_or(1));
  };
  for (Int extent : extents) {
    left.push_back(value(extent));
    shape += cat(shape.empty() ? "" : ",", name(extent));
  }
  for (const Walk &mode : modes) {
    right.push_back({value(mode.extent), value(mode.step)});
    walks += cat(walks.empty() ? "" : ", ", name(mode.extent), ":", name(mode.step));
  }
  note(cat("the modes ", walks, " add up without a carry in (", shape, ")"),
       known ? std::optional(separate(left, right)) : std::nullopt);
}

} // namespace tessera::eval
