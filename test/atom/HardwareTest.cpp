// Rows on a GPU, if there is one: random products, and matrices through the copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A, B and C are dealt to the threads by a row's fragments, the instruction runs once, and D is
// collected by the fragment of C. A wrong fragment, also a bijective one, gives a wrong product.
#include "Device.h"
#include "Evaluate.h"
#include "Product.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

using namespace tessera;
using namespace tessera::atom;
using namespace tessera::atom::test;

namespace {
constexpr const char *noDevice = "no CUDA driver or no GPU";

std::string header(int version, Target target) {
  return cat(".version ", version / 10, ".", version % 10, "\n.target ", target.str(),
             "\n.address_size 64\n");
}

/// One product for each row that `target` has, and for each selector of a sparse one, by PTX
/// version.
std::map<int, std::vector<Product>> productsFor(Target target) {
  std::mt19937 random(20);
  std::map<int, std::vector<Product>> byVersion;
  for (const MmaRow &row : mmaRows()) {
    if (!row.needs.metBy(target) || row.recipe == Recipe::Fma || row.recipe == Recipe::Umma)
      continue;
    int64_t n = row.n.isFixed() ? row.n.first : 24;
    for (int selector = 0; selector < std::max(1, int(row.sparsity.selectors)); ++selector)
      byVersion[row.ptxFor(target)].emplace_back(row, Choice{n, selector, false}, random);
  }
  return byVersion;
}

std::string moduleOf(int version, Target target, const std::vector<Product> &products) {
  std::string ptx = header(version, target);
  for (size_t i = 0; i < products.size(); ++i)
    ptx += products[i].kernel(cat("k", i));
  return ptx;
}

/// A matrix copy between 512 bytes of shared memory and four registers of each lane. Input: the
/// memory, 32 addresses, the registers. Output: the registers, or the memory.
std::string matrixKernel(const CopyRow &row, Target target) {
  bool loads = row.key.family == CopyFamily::Ldsm;
  constexpr Registers four{RegisterType::B32, 4};
  std::string fill, drain, registers, results;
  for (int i = 0; i < 4; ++i) {
    fill += cat("  ld.global.b32 %r244, [%l10+", i * 4, "];\n  st.shared.b32 [%r241+", i * 4,
                "], %r244;\n");
    drain += cat("  ld.shared.b32 %r244, [%r241+", i * 4, "];\n  st.global.b32 [%l13+", i * 4,
                 "], %r244;\n");
  }
  int offset = 512 + 128;
  registers = eachRegister("ld", four, 1, 0, "%l10", offset);
  offset = 0;
  results = loads ? eachRegister("st", four, 1, 0, "%l13", offset) : drain;
  return cat(header(row.ptxFor(target), target),
             ".visible .entry k(.param .u64 in, .param .u64 out) {\n", registerDeclarations(0),
             "  .shared .align 128 .b8 tile[512];\n  ld.param.u64 %l14, [in];\n"
             "  ld.param.u64 %l13, [out];\n  mov.u32 %r250, %tid.x;\n  mov.u32 %r240, tile;\n"
             "  mad.wide.u32 %l10, %r250, 16, %l14;\n  mad.wide.u32 %l13, %r250, 16, %l13;\n"
             "  mad.lo.u32 %r241, %r250, 16, %r240;\n",
             fill, registers,
             "  mad.wide.u32 %l11, %r250, 4, %l14;\n  ld.global.b32 %r243, [%l11+512];\n"
             "  add.u32 %r243, %r243, %r240;\n  cvt.u64.u32 %l0, %r243;\n  bar.sync 0;\n",
             instruction(row, 0), "  bar.sync 0;\n", results, "  ret;\n}\n");
}

std::vector<const CopyRow *> matrixCopiesFor(Target target) {
  std::vector<const CopyRow *> rows;
  for (const CopyRow &row : copyRows())
    if ((row.key.family == CopyFamily::Ldsm || row.key.family == CopyFamily::Stsm) &&
        row.needs.metBy(target) && row.fixup == Fixup::None && row.key.format == PackedFormat::None)
      rows.push_back(&row);
  return rows;
}
} // namespace

TEST(Hardware, EveryRowMultiplies) {
  Device *device = Device::first();
  if (!device)
    GTEST_SKIP() << noDevice;
  std::map<std::string, std::set<std::string>> rowsRun;
  for (auto &[version, products] : productsFor(device->target())) {
    Result<void *> module = device->load(moduleOf(version, device->target(), products));
    ASSERT_TRUE(module) << "PTX " << version << ": " << module.reason().text;
    for (size_t i = 0; i < products.size(); ++i) {
      const Product &product = products[i];
      Result<Words> output = device->run(*module, cat("k", i), product.threads(), product.input(),
                                         size_t(product.threads()) * product.wordsPerResult());
      ASSERT_TRUE(output) << product.row.name << ": " << output.reason().text;
      product.check(*output);
      rowsRun[std::string(mnemonic(product.row.family))].insert(product.row.name);
    }
  }
  std::printf("  %s as %s\n", device->description().c_str(), device->target().str().c_str());
  for (auto &[family, names] : rowsRun)
    std::printf("  %zu rows of %s run\n", names.size(), family.c_str());
}

TEST(Hardware, MatrixCopiesMoveEveryByte) {
  Device *device = Device::first();
  if (!device)
    GTEST_SKIP() << noDevice;
  std::vector<const CopyRow *> rows = matrixCopiesFor(device->target());
  for (const CopyRow *row : rows) {
    bool loads = row->key.family == CopyFamily::Ldsm;
    layout::CopyAtomLayouts atom = *bitLayouts(*row, 0);
    std::vector<int64_t> memory = values(loads ? atom.src : atom.dst);
    std::vector<int64_t> lanes = values(loads ? atom.dst : atom.src);
    Words input(128 + 32 + 128);
    for (uint32_t i = 0; i < 128; ++i) {
      input[i] = i * 0x04040404u + 0x03020100u;
      input[160 + i] = ~input[i] * 2654435761u;
    }
    for (int lane = 0; lane < 32; ++lane)
      input[size_t(128 + lane)] = uint32_t(memory[size_t(lane * 128)] / 8);
    Result<void *> module = device->load(matrixKernel(*row, device->target()));
    ASSERT_TRUE(module) << row->name << ": " << module.reason().text;
    Result<Words> output = device->run(*module, "k", 32, input, 128);
    ASSERT_TRUE(output) << row->name << ": " << output.reason().text;
    auto bitOf = [](const uint32_t *words, int64_t bit) {
      return words[bit / 32] >> (bit % 32) & 1;
    };
    const uint32_t *memoryWords = loads ? input.data() : output->data();
    const uint32_t *laneWords = loads ? output->data() : &input[160];
    size_t perLane = lanes.size() / 32;
    for (size_t lane = 0; lane < 32; ++lane)
      for (size_t v = 0; v < perLane; ++v)
        ASSERT_EQ(bitOf(laneWords + lane * 4, int64_t(v)),
                  bitOf(memoryWords, lanes[lane * perLane + v]))
            << row->name << ", lane " << lane << ", bit " << v;
  }
  std::printf("  %zu matrix copies run\n", rows.size());
}

// Keeps the kernels above in shape where there is no GPU.
TEST(Hardware, KernelsAssemble) {
  if (!havePtxas())
    GTEST_SKIP() << "no ptxas";
  for (std::string_view name : {"sm_90a", "sm_120a"}) {
    Target target = *Target::parse(name);
    for (auto &[version, products] : productsFor(target))
      if (version <= newestPtx())
        EXPECT_EQ(assembleText(moduleOf(version, target, products), target), "") << name;
    for (const CopyRow *row : matrixCopiesFor(target))
      EXPECT_EQ(assembleText(matrixKernel(*row, target), target), "") << row->name;
  }
}
