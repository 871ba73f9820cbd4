// Values of random kernels: constants, arrays, what is there already; and the kernel around them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomKernel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace tessera::tile_lower::test {

using namespace tile_eval;

std::string typeOf(const std::string &element, const Shape &shape) {
  std::string out = "tile<";
  for (int64_t extent : shape)
    out += std::to_string(extent) + "x";
  return out + element + ">";
}
std::string listOf(const std::vector<int64_t> &numbers, const char *separator) {
  std::string out;
  for (int64_t n : numbers)
    out += (out.empty() ? "" : separator) + std::to_string(n);
  return out;
}

//===--- Chance

Shape KernelMaker::split(int64_t count, size_t rank) {
  Shape out(rank, 1);
  if (rank == 0)
    return out;
  for (; count > 1; count /= 2)
    out[below(rank)] *= 2;
  return out;
}
Shape KernelMaker::randomShape(int64_t most, size_t leastRank) {
  int bits = int(std::log2(double(most)));
  // Few elements are as likely as many: threads then hold copies.
  int64_t count = int64_t(1) << below(size_t(bits) + 1);
  size_t rank = leastRank + below(chance(20) ? 6 - leastRank : 3);
  if (rank == 0)
    return {};
  return split(count, rank);
}
std::vector<int64_t> KernelMaker::permutation(size_t rank) {
  std::vector<int64_t> out(rank);
  std::iota(out.begin(), out.end(), 0);
  for (size_t i = rank; i > 1; --i)
    std::swap(out[i - 1], out[below(i)]);
  return out;
}
std::string KernelMaker::anyElement() {
  switch (below(10)) {
  case 0: return "i1";
  case 1: return word({"f8E4M3FN", "f8E5M2", "tf32", "f8E8M0FNU"});
  case 2:
  case 3: return word({"f16", "bf16", "f64"});
  case 4:
  case 5: return "f32";
  case 6: return word({"i8", "i16"});
  case 7: return "i64";
  default: return "i32";
  }
}

//===--- Codes

/// A code of a type: small integers up to `most`, or any number, half of them at edges.
static uint64_t randomCode(std::mt19937_64 &random, TypeKind kind, double most) {
  unsigned bits = bitsOf(kind);
  if (std::isfinite(most)) {
    int64_t integer = int64_t(random() % uint64_t(2 * most + 1)) - int64_t(most);
    if (kind == TypeKind::F8E8M0FNU)
      return 126 + random() % 3;
    if (kind == TypeKind::F8E5M3FNU)
      return encode(kind, double(integer < 0 ? -integer : integer));
    return isFloat(kind) ? encode(kind, double(integer)) : uint64_t(integer) & lowBits(bits);
  }
  uint64_t any = random();
  if (!isFloat(kind))
    return (any & 1 ? random() : random() >> random() % 64) & lowBits(bits);
  uint64_t sign = any & 1 ? signBitOf(kind) : 0, code = random() & lowBits(bits);
  if (bits > 8)
    switch (any >> 1 & 15) {
    case 0: code = sign; break;
    case 1: code = infinityOf(kind, any & 1); break;
    case 2: code = nanOf(kind) | sign; break;
    case 3: code = sign | random() % 64; break;                                  // subnormal
    case 4: code = (infinityOf(kind, any & 1) - 1 - random() % 3) | sign; break; // large
    case 5:
    case 6:
    case 7: code = encode(kind, double(int64_t(random() % 2001) - 1000) / 128); break;
    case 8: code = encode(kind, double(int64_t(random() % 21) - 10)); break;
    default: break;
    }
  if (kind == TypeKind::TF32)
    code &= ~uint64_t(0x1fff);
  return code;
}

std::string KernelMaker::scalarConstant(const std::string &element, uint64_t code) {
  TypeKind kind = kindNamed(element);
  if (!isFloat(kind))
    return element == "i1" ? (code ? "true" : "false")
                           : std::to_string(signedOf(code, bitsOf(kind)));
  if (kind == TypeKind::TF32) // 19 bits
    code >>= 13;
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llX", int((bitsOf(kind) + 3) / 4),
                static_cast<unsigned long long>(code));
  return text;
}

//===--- Values

Val KernelMaker::emit(Val val, const std::string &text) {
  val.name = fresh();
  line(cat(val.name, " = ", text));
  pool.push_back(val);
  return val;
}
Val KernelMaker::constant(const std::string &element, const Shape &shape, double most) {
  TypeKind kind = kindNamed(element);
  int64_t count = product(shape);
  bool isSplat = count > 32 || chance(40);
  std::string text;
  auto list = [&](auto &self, size_t d) -> void {
    if (d == shape.size()) {
      text += scalarConstant(element, randomCode(random, kind, most));
      return;
    }
    text += "[";
    for (int64_t i = 0; i < shape[d]; ++i) {
      text += i ? ", " : "";
      self(self, d + 1);
    }
    text += "]";
  };
  list(list, isSplat ? shape.size() : 0);
  return emit({"", element, shape, Trust::Bits, most},
              cat("constant <", element, ": ", text, "> : ", typeOf(element, shape)));
}
Val KernelMaker::splat(const std::string &element, const Shape &shape, int64_t number) {
  TypeKind kind = kindNamed(element);
  uint64_t code =
      isFloat(kind) ? encode(kind, double(number)) : uint64_t(number) & lowBits(bitsOf(kind));
  return emit({"", element, shape, Trust::Bits, std::fabs(double(number))},
              cat("constant <", element, ": ", scalarConstant(element, code),
                  "> : ", typeOf(element, shape)));
}
Val KernelMaker::reshaped(const Val &from, const Shape &shape) {
  if (from.shape == shape)
    return from;
  Val to = from;
  to.shape = shape;
  return emit(to, cat("reshape ", from.name, " : ", typeOf(from), " -> ", typeOf(to)));
}
Val KernelMaker::broadcast(const Val &from, const Shape &shape) {
  Val to = from;
  to.shape = shape;
  if (from.shape == shape)
    return from;
  return emit(to, cat("broadcast ", from.name, " : ", typeOf(from), " -> ", typeOf(to)));
}

Val KernelMaker::value(const std::string &element, const Shape &shape, Trust trust) {
  std::vector<Val> same, compatible;
  for (const Val &val : pool) {
    if (val.element != element || val.trust > trust)
      continue;
    if (val.shape == shape)
      same.push_back(val);
    else if (product(val.shape) == product(shape))
      compatible.push_back(val);
  }
  if (!same.empty() && chance(70))
    return chance(50) ? same.back() : pick(same);
  if (!compatible.empty() && element != "f4E2M1FN" && chance(60))
    return reshaped(pick(compatible), shape);
  // A row or a column of it, or one number, repeated.
  if (!shape.empty() && product(shape) > 1 && element != "f4E2M1FN" && chance(25)) {
    Shape thin = shape;
    for (int64_t &extent : thin)
      if (chance(60))
        extent = 1;
    return broadcast(value(element, thin, trust), shape);
  }
  if (element == "i4") { // which has no memory
    Val wide = value("i8", shape, trust);
    return emit({"", element, shape},
                cat("trunci ", wide.name, " : ", typeOf(wide), " -> ", typeOf(element, shape)));
  }
  bool hasConstants = element != "f8E5M3FNU";
  if (arrayParameters < 9 && chance(65))
    return load(element, shape, std::numeric_limits<double>::infinity());
  if (hasConstants)
    return constant(element, shape, std::numeric_limits<double>::infinity());
  return load(element, shape, std::numeric_limits<double>::infinity());
}
Val KernelMaker::small(const std::string &element, const Shape &shape, double most) {
  std::vector<Val> found;
  for (const Val &val : pool)
    if (val.element == element && val.shape == shape && val.bound <= most)
      found.push_back(val);
  if (!found.empty() && chance(40))
    return pick(found);
  // What unsigned or narrow types cannot hold is not asked for.
  if (arrayParameters < 12 && chance(80))
    return load(element, shape, most);
  return constant(element, shape, most);
}

std::string KernelMaker::number(int64_t wanted, const std::string &element) {
  std::string type = typeOf(element, {});
  auto constantOf = [&](int64_t n) {
    std::string name = fresh();
    line(cat(name, " = constant <", element, ": ", n, "> : ", type));
    return name;
  };
  switch (below(4)) {
  case 0: { // an argument
    if (numberParameters.size() > 8)
      break;
    std::string name = cat("%n", numberParameters.size());
    numberParameters.push_back(cat(name, ": ", type));
    out.setup.numbers.push_back(
        {kindNamed(element), uint64_t(wanted) & lowBits(bitsOf(kindNamed(element)))});
    if (chance(30)) {
      std::string known = fresh();
      int64_t power = wanted ? wanted & -wanted : 16;
      line(cat(known, " = assume div_by<", power, ">, ", name, " : ", type));
      return known;
    }
    if (chance(30)) {
      std::string known = fresh();
      line(cat(known, " = assume bounded<0, ?>, ", name, " : ", type));
      return known;
    }
    return name;
  }
  case 1: { // a product or a sum
    std::string name = fresh(), a, b;
    int64_t half = wanted / 2;
    if (wanted % 2 == 0) {
      a = constantOf(half), b = constantOf(2);
      line(cat(name, " = muli ", a, ", ", b, " overflow<no_signed_wrap> : ", type));
    } else {
      a = constantOf(wanted - 1), b = constantOf(1);
      line(cat(name, " = addi ", a, ", ", b, " : ", type));
    }
    return name;
  }
  default: break;
  }
  return constantOf(wanted);
}
std::string KernelMaker::condition() {
  std::string name = fresh();
  if (!loops.empty() && chance(60)) {
    const LoopNumber &loop = loops.back();
    std::string bound = number(loop.low + loop.step, loop.element);
    line(cat(name, " = cmpi ", word({"equal", "less_than", "greater_than", "not_equal"}), " ",
             loop.name, ", ", bound, ", signed : ", typeOf(loop.element, {}), " -> tile<i1>"));
    return name;
  }
  if (chance(50)) {
    std::string bound = number(int64_t(below(3)), "i32");
    line(cat(name, " = cmpi ", word({"equal", "less_than", "greater_than", "not_equal"}),
             " %block, ", bound, ", signed : tile<i32> -> tile<i1>"));
    return name;
  }
  return value("i1", {}, Trust::Numbers).name;
}

std::string KernelMaker::array(const std::string &element, size_t count, double most, bool isOutput,
                               Match least) {
  std::string name = cat("%a", pointerParameters.size());
  pointerParameters.push_back(cat(name, ": tile<ptr<", element, ">>"));
  ++arrayParameters;
  Array made = newArray(kindNamed(element), count);
  for (size_t i = 0; i < made.size(); ++i) {
    uint64_t code = randomCode(random, made.kind, most);
    if (made.kind == TypeKind::I1 && !isOutput)
      code *= 1 + random() % 255; // any byte but 0 is true
    if (made.kind == TypeKind::F4E2M1FN)
      code = random() & 0xff;
    made.setCode(i, code);
  }
  out.arrays.push_back(std::move(made));
  out.least.push_back(least);
  if (!chance(60))
    return name;
  std::string known = fresh();
  line(cat(known, " = assume div_by<", word({"4", "8", "16"}), ">, ", name, " : tile<ptr<", element,
           ">>"));
  return known;
}

//===--- The kernel

RandomKernel KernelMaker::make() {
  out.setup.grid = {chance(30) ? 2u : 1u, chance(15) ? 2u : 1u, chance(10) ? 3u : 1u};
  for (uint32_t extent : out.setup.grid)
    blocks *= extent;
  line("%x, %y, %z = get_tile_block_id : tile<i32>");
  line("%gx, %gy, %gz = get_num_tile_blocks : tile<i32>");
  line("%zy = muli %z, %gy : tile<i32>");
  line("%yz = addi %zy, %y : tile<i32>");
  line("%xyz = muli %yz, %gx : tile<i32>");
  line("%block = addi %xyz, %x : tile<i32>");
  pool.push_back({"%block", "i32", {}});
  block(2, options.statements);
  if (chance(8)) // some tile blocks leave here
    line(cat("if ", condition(), " {\n      return\n    }"));
  std::vector<Val> results = pool;
  for (int stores = 0; stores < 5 && !results.empty(); ++stores) {
    // The last ones have most ops in them.
    size_t at = results.size() - 1 -
                below(std::min<size_t>(results.size(), stores < 3 ? 4 : results.size()));
    store(results[at]);
    results.erase(results.begin() + ptrdiff_t(at));
  }
  line("return");
  std::string list;
  for (const auto *names : {&pointerParameters, &numberParameters})
    for (const std::string &one : *names)
      list += (list.empty() ? "" : ", ") + one;
  // Programs without the hint have as many threads as their tiles need.
  const char *const hints[] = {"", " optimization_hints=<default = {num_worker_warps_per_cta = 4}>",
                               " optimization_hints=<default = {num_worker_warps_per_cta = 8}>"};
  out.text = cat("cuda_tile.module @m {\n", globals, "  entry @k(", list, ")",
                 hints[std::discrete_distribution<>({2, 1, 1})(random)], " {\n", body, "  }\n}\n");
  return std::move(out);
}

RandomKernel randomKernel(uint64_t seed, const RandomOptions &options) {
  return KernelMaker(seed, options).make();
}

} // namespace tessera::tile_lower::test
