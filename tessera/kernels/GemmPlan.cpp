// Configurations that there are, and their shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/GemmPlan.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/GemmEpilogue.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

//===--- shared memory ------------------------------------------------------------------------------------------------===//

SmemTile kernels::smemTile(int rows, int columns, bool rowMajor) {
  std::string r = std::to_string(rows), k = std::to_string(columns);
  if (rowMajor)
    return {text("(8," + Twine(rows / 8) + "),(" + k + ",1)"), text("(" + k + "," + Twine(8 * columns) + "),(1,0)"),
            int64_t(rows) * columns};
  // 64 elements of M or N in a row, eight rows an atom, K before M.
  return {text("(64," + Twine(rows / 64) + "),(8," + Twine(columns / 8) + ")"),
          text("(1," + Twine(64 * columns) + "),(64,512)"), int64_t(rows) * columns};
}
std::string SmemTile::staged(int stages, int64_t apart) const {
  return text("(" + shape + ",(1," + Twine(stages) + ")):(" + stride + ",(0," + Twine(apart) + "))");
}

void Scope::begin() {
  tid = k.sreg("tid.x");
  warp = k.warp_uniform(tid / 32);
  group = warp / 4;
  lane = tid % 32;
  rank = c.cluster > 1 ? k.sreg("cluster.ctarank") : k.i32(0);
  smem = k.dyn_smem(1024);
}
Value Scope::pointer(int64_t bytes, const std::string &element) {
  return k.recast_iter(k.offset(smem, bytes), text("!cute.ptr<" + Twine(element) + ", smem, align<1024>, " + swizzle + ">"));
}
Value Scope::barriers(int64_t bytes) { return k.recast_iter(k.offset(smem, bytes), "!cute.ptr<i64, smem, align<8>>"); }
Num Scope::leads() { return warp % 4 == 0; }

//===--- parameters ---------------------------------------------------------------------------------------------------===//

std::string kernels::matrixType(const std::string &element, int bits, bool rowMajor) {
  std::string pitch = text("?{i64 div=" + Twine(128 / bits) + "}");
  std::string strides = rowMajor ? "(" + pitch + ",1)" : "(1," + pitch + ")";
  return "!cute.memref<" + element + ", gmem, align<16>, \"(?,?):" + strides + "\">";
}

std::vector<ExtraRow> kernels::extrasOf(const GemmConfig &c) {
  auto vector = [](const std::string &element, const char *extent) {
    return "!cute.memref<" + element + ", gmem, \"(" + extent + "):(1)\">";
  };
  struct Row {
    bool there;
    ExtraRow row;
  };
  std::vector<ExtraRow> there;
  for (const auto &[is, row] : {Row{c.c, {Extra::C, matrixType(c.d, 16, true)}},
                                Row{c.bias != "none", {Extra::Bias, vector(c.bias, "?")}},
                                Row{c.scales, {Extra::ScaleA, vector("f32", "1")}},
                                Row{c.scales, {Extra::ScaleB, vector("f32", "1")}},
                                Row{c.alpha, {Extra::Alpha, "f32"}},
                                Row{c.c, {Extra::Beta, "f32"}}})
    if (is)
      there.push_back(row);
  return there;
}

//===--- configurations -----------------------------------------------------------------------------------------------===//

int GemmConfig::elementBits() const {
  return llvm::StringSwitch<int>(ab).Cases({"f16", "bf16"}, 16).Cases({"f8E4M3FN", "f8E5M2"}, 8).Default(0);
}
int64_t GemmConfig::smemBytes() const { return Plan(*this).end(); }
std::string GemmConfig::name() const {
  std::string name = text("m" + Twine(tileM) + "n" + Twine(tileN) + "k" + Twine(tileK()) + "_s" + Twine(stages) + "_c" +
                          Twine(cluster) + "_" + ab);
  for (auto [there, part] : {std::pair(scales, "scales"), {alpha, "alpha"}, {c, "c"}, {bias != "none", "bias"},
                             {activation != "none", activation.c_str()}})
    if (there)
      name += text("_" + Twine(part));
  return name;
}

std::optional<Reason> kernels::refused(const GemmConfig &c) {
  auto among = [](const auto &value, const auto &...of) { return ((value == of) || ...); };
  constexpr int maxSmemBytes = 232448; // of a block of SM90
  if (!c.elementBits())
    return fail(Error::GemmElement, c.ab);
  if (!among(c.d, "f16", "bf16"))
    return fail(Error::GemmResult, c.d);
  if (!among(c.major, "kk", "km", "mk", "mm"))
    return fail(Error::GemmMajor, c.major);
  if (c.elementBits() == 8 && c.major != "kk")
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
  if (c.group < 1)
    return fail(Error::GemmGroup, c.group);
  if (c.sms < c.cluster)
    return fail(Error::GemmGrid, c.cluster, c.sms);
  return std::nullopt;
}
