// Configurations that there are, and their shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/GemmPlan.h"

#include "tessera/kernels/Activation.h"
#include "tessera/kernels/Errors.h"
#include "tessera/number/Format.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

//===--- shared memory ------------------------------------------------------------------------===//

SmemTile kernels::operandTile(int rows, int tileK, int bits, bool kMajor) {
  return kMajor ? SmemTile(rows, tileK, bits) : SmemTile(tileK, rows, bits).transposed();
}

void Scope::begin() {
  Frame::begin();
  rank = c.cluster > 1 ? k.sreg("cluster.ctarank") : k.i32(0);
}

//===--- parameters ---------------------------------------------------------------------------===//

/// The type of a matrix in memory, of elements of so many bits.
std::string kernels::matrixType(StringRef element, int bits, bool rowMajor) {
  std::string pitch = text("?{i64 div=" + Twine(128 / bits) + "}");
  std::string strides = rowMajor ? "(" + pitch + ",1)" : "(1," + pitch + ")";
  return text("!cute.memref<" + Twine(element) + ", gmem, align<16>, \"(?,?):" + strides + "\">");
}

std::vector<ExtraRow> kernels::extrasOf(const GemmConfig &c) {
  auto vector = [](const std::string &element, const char *extent, int alignment = 0) {
    std::string aligned = alignment ? text("align<" + Twine(alignment) + ">, ") : "";
    return "!cute.memref<" + element + ", gmem, " + aligned + "\"(" + extent + "):(1)\">";
  };
  const char *sums = findElement(c.a)->integer ? "i32" : "f32";
  struct Row {
    bool there;
    ExtraRow row;
  };
  std::vector<ExtraRow> there;
  for (const auto &[is, row] : {Row{c.c, {Extra::C, matrixType(c.d, Plan(c).bitsOfD(), true)}},
                                Row{c.bias != "none", {Extra::Bias, vector(c.bias, "?")}},
                                Row{c.scales, {Extra::ScaleA, vector("f32", "1")}},
                                Row{c.scales, {Extra::ScaleB, vector("f32", "1")}},
                                Row{c.alpha, {Extra::Alpha, "f32"}}, Row{c.c, {Extra::Beta, "f32"}},
                                Row{c.splitK > 1, {Extra::Workspace, vector(sums, "?", 16)}},
                                Row{c.splitK > 1, {Extra::Counters, vector("i32", "?")}}})
    if (is)
      there.push_back(row);
  return there;
}

//===--- configurations -----------------------------------------------------------------------===//

static Element element(number::Format format, int kind) {
  // tf32 is f32 in memory, which the tensor core cuts.
  using enum number::Format;
  return {number::ourName(format),
          number::storedBits(format),
          std::string(number::mlirName(format == tf32 ? f32 : format)),
          std::string(number::mlirName(format)),
          kind,
          number::kindOf(format) != number::Kind::Float};
}
const Element *kernels::findElement(StringRef name) {
  using enum number::Format;
  static const Element elements[] = {element(f16, 0),  element(bf16, 1), element(tf32, 2),
                                     element(e4m3, 3), element(e5m2, 3), element(s8, 4),
                                     element(u8, 4)};
  const Element *found = llvm::find_if(elements, [&](const Element &e) { return e.name == name; });
  return found == std::end(elements) ? nullptr : found;
}

int GemmConfig::tileK() const { return rowBytes * 8 / findElement(a)->bits; }
int64_t GemmConfig::smemBytes() const { return Plan(*this).end(); }
std::string GemmConfig::name() const {
  std::string name =
      text("m" + Twine(tileM) + "n" + Twine(tileN) + "k" + Twine(tileK()) + "_s" + Twine(stages) +
           "_c" + Twine(cluster) + "_" + a + (a == b ? "" : "_" + b));
  for (auto [there, part] : {std::pair(scales, "scales"),
                             {alpha, "alpha"},
                             {c, "c"},
                             {bias != "none", "bias"},
                             {activation != "none", activation.c_str()}})
    if (there)
      name += text("_" + Twine(part));
  if (splitK > 1)
    name += text("_split" + Twine(splitK));
  return name;
}

static bool among(const auto &value, const auto &...of) { return ((value == of) || ...); }

std::optional<Reason> kernels::refusedTypes(const GemmConfig &c) {
  const Element *a = findElement(c.a), *b = findElement(c.b);
  if (!a || !b)
    return fail(Error::GemmElement, a ? c.b : c.a);
  if (a->kind != b->kind)
    return fail(Error::GemmPair, c.a, c.b);
  if (a->integer ? c.d != "i32" : !among(c.d, "f16", "bf16", "f32"))
    return fail(a->integer ? Error::GemmIntegerResult : Error::GemmResult, c.d);
  bool asItIs = !c.scales && !c.alpha && !c.c && c.bias == "none" && c.activation == "none";
  if (a->integer && !asItIs)
    return fail(Error::GemmInteger);
  return std::nullopt;
}

std::optional<Reason> kernels::refused(const GemmConfig &c) {
  if (auto why = refusedTypes(c))
    return why;
  if (!among(c.major, "kk", "km", "mk", "mm"))
    return fail(Error::GemmMajor, c.major);
  if (findElement(c.a)->bits != 16 && c.major != "kk")
    return fail(Error::GemmMajorBits, c.major);
  if (!among(c.bias, "none", "f32", c.d))
    return fail(Error::GemmBias, c.d, c.bias);
  if (!findActivation(c.activation))
    return fail(Error::GemmActivation, c.activation);
  if (!among(c.tileN, 64, 128, 192, 256))
    return fail(Error::GemmTile, c.tileN);
  if (c.stages < 2)
    return fail(Error::GemmStages, c.stages);
  if (c.smemBytes() > maxSmemBytes)
    return fail(Error::GemmShared, c.stages, c.tileN, c.smemBytes(), maxSmemBytes);
  if (!among(c.cluster, 1, 2, 4, 8))
    return fail(Error::GemmCluster, c.cluster);
  if (c.splitK < 1)
    return fail(Error::GemmSplit, c.splitK);
  if (c.group < 1)
    return fail(Error::GemmGroup, c.group);
  if (c.sms < c.cluster)
    return fail(Error::GemmGrid, c.cluster, c.sms);
  return std::nullopt;
}
