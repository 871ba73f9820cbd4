// Random statements, branches and loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomKernel.h"

#include <algorithm>

namespace tessera::tile_lower::test {

using namespace tile_eval;

void KernelMaker::statement(int depth) {
  size_t kind = below(depth > 0 ? 33 : 28);
  switch (kind) {
  case 0:
  case 1:
  case 2:
  case 3: return integerOp();
  case 4:
  case 5:
  case 6: return realOp();
  case 7: return function();
  case 8:
  case 9: return comparison();
  case 10:
  case 11:
  case 12: return conversion();
  case 13:
  case 14:
  case 15:
  case 16: return shapeOp();
  case 17:
  case 18:
  case 19: return combine();
  case 20:
  case 21: return multiply();
  case 22: return chance(50) ? multiplyScaled() : multiply();
  case 23: return chance(50) ? assumption() : message();
  case 24: return update();
  case 25: return roundTrip();
  case 26: {
    load(anyElement(), randomShape(options.mostElements), std::numeric_limits<double>::infinity());
    return;
  }
  case 27: {
    loadGlobal();
    return;
  }
  case 28:
  case 29: return branch(depth - 1);
  case 30: return forLoop(depth - 1);
  case 31: return endlessLoop(depth - 1);
  default: return productLoop();
  }
}
/// Statements whose values end with the block that they are in.
void KernelMaker::block(int depth, int count) {
  for (int i = 0; i < count; ++i)
    statement(depth);
}

std::string KernelMaker::namesOf(const std::vector<Val> &values) {
  std::string out;
  for (const Val &v : values)
    out += (out.empty() ? "" : ", ") + v.name;
  return out;
}
std::string KernelMaker::typesOf(const std::vector<Val> &values) {
  std::string out;
  for (const Val &v : values)
    out += (out.empty() ? "" : ", ") + typeOf(v);
  return out;
}
/// An op with several results; their names.
std::vector<std::string> KernelMaker::fewResults(const std::string &text,
                                                 const std::vector<Val> &types) {
  std::vector<std::string> names;
  std::string base = fresh();
  std::string head = types.empty()       ? ""
                     : types.size() == 1 ? base + " = "
                                         : cat(base, ":", types.size(), " = ");
  line(head + text);
  for (size_t i = 0; i < types.size(); ++i) {
    Val v = types[i];
    v.name = types.size() == 1 ? base : cat(base, "#", i);
    names.push_back(v.name);
    pool.push_back(v);
  }
  return names;
}

/// Values for a loop to carry. What they become is only known as numbers.
std::vector<Val> KernelMaker::carried() {
  std::vector<Val> out;
  for (size_t i = 0, n = 1 + below(3); i < n; ++i) {
    std::string element = anyElement();
    out.push_back(value(element, chance(50) && !pool.empty() ? pick(pool).shape
                                                             : randomShape(options.mostElements)));
  }
  return out;
}
std::vector<Val> KernelMaker::valuesFor(const std::vector<Val> &like) {
  std::vector<Val> out;
  for (const Val &l : like)
    out.push_back(value(l.element, l.shape));
  return out;
}
static std::vector<Val> asResults(std::vector<Val> values) {
  for (Val &v : values)
    v = {"", v.element, v.shape, Trust::Numbers};
  return values;
}

void KernelMaker::branch(int depth) {
  std::string truth = condition();
  std::vector<Val> like = chance(75) ? asResults(carried()) : std::vector<Val>();
  std::string text, outer = std::exchange(body, "");
  size_t known = pool.size();
  indent += 2;
  bool hasElse = !like.empty() || chance(50);
  for (int side = 0; side < (hasElse ? 2 : 1); ++side) {
    block(depth, int(1 + below(3)));
    if (like.empty() && chance(60)) // an effect
      update();
    std::vector<Val> results = valuesFor(like);
    if (!results.empty())
      line(cat("yield ", namesOf(results), " : ", typesOf(results)));
    else if (repeats == 0 && chance(10)) // some tile blocks leave here
      line("return");
    else if (chance(50))
      line("yield");
    text += side ? " else {\n" : "{\n";
    text += std::exchange(body, "") + std::string(indent - 2, ' ') + "}";
    pool.resize(known);
  }
  indent -= 2;
  body = outer;
  fewResults(cat("if ", truth, like.empty() ? " " : cat(" -> (", typesOf(like), ") "), text), like);
}

void KernelMaker::forLoop(int depth) {
  LoopNumber loop{fresh(), word({"i32", "i32", "i64", "i16", "i8"}), int64_t(below(3)), 0,
                  1 + int64_t(below(2))};
  loop.high = loop.low + int64_t(below(5));
  std::string low = number(loop.low, loop.element), high = number(loop.high, loop.element),
              step = number(loop.step, loop.element);
  std::vector<Val> init = carried(), arguments = asResults(init), results = asResults(init);
  std::string outer = std::exchange(body, ""), list;
  size_t known = pool.size();
  pool.push_back({loop.name, loop.element, {}});
  for (size_t i = 0; i < arguments.size(); ++i) {
    arguments[i].name = fresh();
    list += cat(i ? ", " : "", arguments[i].name, " = ", init[i].name);
    pool.push_back(arguments[i]);
  }
  loops.push_back(loop);
  ++repeats;
  indent += 2;
  block(depth, int(1 + below(4)));
  if (chance(50) && loop.low < loop.high) // an access that moves with the loop
    loadView(word({"f32", "i32", "f16", "i8", "bf16"}), randomShape(options.mostElements, 1),
             chance(50) ? 3 : std::numeric_limits<double>::infinity(), &loop);
  if (chance(25)) {
    std::vector<Val> early = valuesFor(arguments);
    std::string truth = condition();
    line(cat("if ", truth, " {\n", std::string(indent + 2, ' '), "continue ", namesOf(early), " : ",
             typesOf(early), "\n", std::string(indent, ' '), "}"));
  }
  std::vector<Val> last = valuesFor(arguments);
  line(cat("continue ", namesOf(last), " : ", typesOf(last)));
  indent -= 2;
  loops.pop_back();
  --repeats;
  pool.resize(known);
  std::string text =
      cat("for ", chance(25) ? "unsigned " : "", loop.name, " in (", low, " to ", high, ", step ",
          step, ") : ", typeOf(loop.element, {}), " iter_values(", list, ") -> (", typesOf(results),
          ") {\n", body, std::string(indent, ' '), "}");
  body = outer;
  fewResults(text, results);
}

void KernelMaker::endlessLoop(int depth) {
  std::string index = word({"i32", "i64"}), type = typeOf(index, {});
  std::string zero = number(0, index), bound = number(int64_t(below(4)), index),
              one = number(1, index);
  std::vector<Val> init = carried(), arguments = asResults(init), results = asResults(carried());
  if (chance(20))
    results.clear();
  std::string outer = std::exchange(body, ""), counter = fresh(), list = cat(counter, " = ", zero);
  size_t known = pool.size();
  pool.push_back({counter, index, {}});
  for (size_t i = 0; i < arguments.size(); ++i) {
    arguments[i].name = fresh();
    list += cat(", ", arguments[i].name, " = ", init[i].name);
    pool.push_back(arguments[i]);
  }
  indent += 2;
  ++repeats;
  auto leave = [&] {
    std::vector<Val> values = valuesFor(results);
    line(values.empty() ? "break" : cat("break ", namesOf(values), " : ", typesOf(values)));
  };
  block(0, int(below(3)));
  std::string isOver = fresh();
  line(cat(isOver, " = cmpi greater_than_or_equal ", counter, ", ", bound, ", signed : ", type,
           " -> tile<i1>"));
  auto goOn = [&] {
    std::string after = fresh();
    line(cat(after, " = addi ", counter, ", ", one, " : ", type));
    std::vector<Val> values = valuesFor(arguments);
    line(cat("continue ", after, ", ", namesOf(values), " : ", type, ", ", typesOf(values)));
  };
  size_t inside = pool.size();
  if (chance(60)) {
    line(cat("if ", isOver, " {"));
    indent += 2;
    block(depth, int(below(2)));
    leave();
    indent -= 2;
    line("}");
    pool.resize(inside);
    block(depth, int(1 + below(2)));
    goOn();
  } else { // both ways in branches
    std::string open = fresh();
    line(
        cat(open, " = cmpi less_than ", counter, ", ", bound, ", signed : ", type, " -> tile<i1>"));
    line(cat("if ", open, " {"));
    indent += 2;
    block(depth, int(1 + below(2)));
    goOn();
    indent -= 2;
    line("}");
    pool.resize(inside);
    leave();
  }
  indent -= 2;
  --repeats;
  pool.resize(known);
  std::string text = cat("loop iter_values(", list, ") : ", type, ", ", typesOf(arguments),
                         results.empty() ? "" : cat(" -> ", typesOf(results)), " {\n", body,
                         std::string(indent, ' '), "}");
  body = outer;
  fewResults(text, results);
}

/// Products of tiles that are loaded in a loop, as matrices are multiplied.
void KernelMaker::productLoop() {
  struct Types {
    const char *memory, *in, *acc;
  };
  static const std::vector<Types> all = {
      {"f16", "f16", "f32"},  {"f16", "f16", "f16"},           {"bf16", "bf16", "f32"},
      {"f32", "tf32", "f32"}, {"f32", "f32", "f32"},           {"f64", "f64", "f64"},
      {"i8", "i8", "i32"},    {"f8E4M3FN", "f8E4M3FN", "f32"}, {"f8E5M2", "f8E5M2", "f16"},
      {"i8", "f16", "f32"}};
  Types types = pick(all);
  auto extent = [&] { return int64_t(1) << (chance(70) ? 4 + below(3) : below(7)); };
  int64_t m = extent(), n = extent(), k = extent();
  while (m * n * k > 1 << 15)
    (m > n ? m : n > k ? n : k) /= 2;
  LoopNumber loop{fresh(), "i32", 0, 1 + int64_t(below(5)), 1};
  std::string low = number(0, "i32"), high = number(loop.high, "i32"), step = number(1, "i32");
  Val init = small(types.acc, {m, n}, 3), acc = init;
  acc.name = fresh();
  acc.trust = Trust::Numbers;
  std::string outer = std::exchange(body, "");
  size_t known = pool.size();
  loops.push_back(loop);
  ++repeats;
  indent += 2;
  auto operand = [&](int64_t a, int64_t b) {
    bool turns = chance(30);
    Val x =
        loadView(types.memory, turns ? Shape{b, a} : Shape{a, b}, 3, chance(85) ? &loop : nullptr);
    auto turn = [&] {
      Val to = x;
      to.shape = {a, b};
      x = emit(to, cat("permute ", x.name, " [1, 0] : ", typeOf(x), " -> ", typeOf(to)));
    };
    bool first = chance(50);
    if (turns && first)
      turn();
    if (std::string(types.memory) != types.in) {
      Val to = x;
      to.element = types.in;
      x = emit(to,
               cat(types.memory[0] == 'i' ? cat("itof ", x.name, " signed") : cat("ftof ", x.name),
                   " : ", typeOf(x), " -> ", typeOf(to)));
    }
    if (turns && !first)
      turn();
    return x;
  };
  Val lhs = operand(m, k), rhs = operand(k, n), result{"", types.acc, {m, n}, Trust::Numbers};
  bool isInteger = types.acc[0] == 'i';
  Val sum = emit(result, cat(isInteger ? "mmai " : "mmaf ", lhs.name, ", ", rhs.name, ", ",
                             acc.name, isInteger ? " signed signed" : "", " : ", typeOf(lhs), ", ",
                             typeOf(rhs), ", ", typeOf(acc)));
  line(cat("continue ", sum.name, " : ", typeOf(sum)));
  indent -= 2;
  loops.pop_back();
  --repeats;
  pool.resize(known);
  std::string text = cat("for ", loop.name, " in (", low, " to ", high, ", step ", step,
                         ") : tile<i32> iter_values(", acc.name, " = ", init.name, ") -> (",
                         typeOf(acc), ") {\n", body, std::string(indent, ' '), "}");
  body = outer;
  fewResults(text, {result});
}

} // namespace tessera::tile_lower::test
