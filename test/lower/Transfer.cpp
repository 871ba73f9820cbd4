// Numbers of reductions, pieces of kernels, and their run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lower/Transfer.h"

#include "tessera/cuda/Cuda.h"
#include "tessera/ptx/Ptx.h"
#include "test/atom/Numbers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

#include <cstdio>

using namespace mlir;

namespace tessera::lower::test {

using atom::Element;
using atom::ReducedType;
using atom::Reduction;

namespace {
struct TypeRow {
  int bits;
  const char *bitwise,
      *element; // the dialect's spelling where the instruction takes bits, or numbers
  Element floating;
};
/// In the order of ReducedType.
constexpr TypeRow types[] = {
    {0, "", "", Element::none},          {32, "ui32", "ui32", Element::none},
    {32, "i32", "i32", Element::none},   {64, "ui64", "ui64", Element::none},
    {64, "i64", "i64", Element::none},   {16, "f16", "f16", Element::f16},
    {16, "bf16", "bf16", Element::bf16}, {32, "f32", "f32", Element::f32},
    {64, "f64", "f64", Element::f64},    {32, "i32", "i32", Element::none},
    {64, "i64", "i64", Element::none},
};
const TypeRow &rowOf(ReducedType type) { return types[size_t(type)]; }

/// A whole number from its code; only those that `random` and `apply` give.
int numberOf(Element element, uint64_t code) {
  for (int number = -64; number <= 64; ++number)
    if (atom::test::encode(element, number) == code)
      return number;
  ADD_FAILURE() << "no whole number has the code " << code;
  return 0;
}
} // namespace

int Reduced::bits() const { return rowOf(type).bits; }
std::string Reduced::element() const { return rowOf(type).element; }
std::string Reduced::kind() const {
  std::string text(name(reduction));
  for (char &c : text)
    c = char(std::toupper(c));
  return text;
}

std::vector<uint64_t> Reduced::random(size_t count, std::mt19937 &generator) const {
  std::vector<uint64_t> codes(count);
  std::uniform_int_distribution<int> small(-20, 20);
  std::uniform_int_distribution<uint64_t> any;
  for (uint64_t &code : codes)
    code = rowOf(type).floating != Element::none
               ? atom::test::encode(rowOf(type).floating, small(generator))
               : any(generator) >> (64 - bits());
  return codes;
}

uint64_t Reduced::apply(uint64_t old, uint64_t operand) const {
  if (Element element = rowOf(type).floating; element != Element::none) {
    int a = numberOf(element, old), b = numberOf(element, operand);
    int result = reduction == Reduction::Add   ? a + b
                 : reduction == Reduction::Min ? std::min(a, b)
                                               : std::max(a, b);
    return atom::test::encode(element, result);
  }
  uint64_t mask = ~uint64_t(0) >> (64 - bits());
  bool isSigned = type == ReducedType::S32 || type == ReducedType::S64;
  uint64_t flip =
      isSigned ? uint64_t(1) << (bits() - 1) : 0; // orders signed numbers as unsigned ones
  switch (reduction) {
  case Reduction::Add: return (old + operand) & mask;
  case Reduction::Min: return (old ^ flip) < (operand ^ flip) ? old : operand;
  case Reduction::Max: return (old ^ flip) > (operand ^ flip) ? old : operand;
  case Reduction::Inc: return old >= operand ? 0 : old + 1;
  case Reduction::Dec: return old == 0 || old > operand ? operand : old - 1;
  case Reduction::And: return old & operand;
  case Reduction::Or: return old | operand;
  case Reduction::Xor: return old ^ operand;
  case Reduction::None: break;
  }
  return old;
}
std::vector<uint64_t> Reduced::apply(const std::vector<uint64_t> &old,
                                     const std::vector<uint64_t> &operands) const {
  std::vector<uint64_t> out(old.size());
  for (size_t i = 0; i < old.size(); ++i)
    out[i] = apply(old[i], operands[i]);
  return out;
}

void fenceProxyAsync(Writer &k) {
  NVVM::FenceProxyOp::create(k.b, k.loc,
                             NVVM::ProxyKindAttr::get(k.b.getContext(), NVVM::ProxyKind::async),
                             NVVM::SharedSpaceAttr());
}
void waitForBulkGroups(Writer &k) {
  NVVM::CpAsyncBulkCommitGroupOp::create(k.b, k.loc);
  NVVM::CpAsyncBulkWaitGroupOp::create(k.b, k.loc, k.b.getI32IntegerAttr(0), UnitAttr());
}
void inlinePtx(Writer &k, StringRef text, StringRef constraints, ValueRange operands) {
  LLVM::InlineAsmOp::create(
      k.b, k.loc, TypeRange(), operands, text, constraints, /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
}
void copyWords(Writer &k, Value from, Value to, int words, Num tid, int threads) {
  dsl::For(tid, dsl::i32(words), dsl::i32(threads), [&](Num i) {
    Type i32 = k.type("i32");
    Value word = cute::PtrLoadOp::create(k.b, k.loc, i32, k.offset(from, i), 0, IntegerAttr());
    cute::PtrStoreOp::create(k.b, k.loc, k.offset(to, i), word, 0, IntegerAttr());
  });
}
Value run(Writer &k, Value pointer, const std::string &element, const std::string &space,
          int64_t elements) {
  return k.make_tensor(
      k.recast_iter(pointer, cat("!cute.ptr<", element, ", ", space, ", align<16>>")),
      k.layout(cat(elements, ":1")));
}

Words wordsOf(const std::vector<uint64_t> &codes, int bits) {
  return atom::test::pack(codes, bits);
}
Words joined(Words a, const Words &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

namespace {
/// PTX of a case; empty after a failure of the running test.
std::string compile(const Transfer &c, driver::test::Reading &reading, const std::string &arch) {
  Writer k(&reading.compiler.context());
  SmallVector<Type> arguments(2, k.type("!cute.ptr<i32, gmem, align<256>>"));
  for (const std::string &map : c.maps)
    arguments.push_back(k.type("!cute_nvgpu." + map));
  k.kernel("k", arguments, c.threads, [&](ValueRange values) { c.body(k, values); });
  if (c.cluster > 1)
    k.module->walk([&](cuda::KernelOp op) {
      op->setAttr("nvvm.cluster_dim", k.b.getDenseI32ArrayAttr({c.cluster, 1, 1}));
    });
  EXPECT_TRUE(succeeded(verify(*k.module))) << reading.errors;
  driver::CompileOptions options{.arch = arch};
  bool lowered = reading.compiler.lower(*k.module, options);
  EXPECT_TRUE(lowered) << reading.errors;
  if (!lowered)
    return "";
  auto codes = reading.compiler.translate(*k.module, options);
  EXPECT_TRUE(codes.ok()) << reading.errors;
  return codes.ok() ? codes->front().ptx : "";
}
} // namespace

void runAll(const std::vector<Transfer> &cases, const char *what) {
  atom::test::Device *device = atom::test::Device::first();
  atom::Target target = *atom::Target::parse("sm_90a");
  if (device && !(device->target() == target))
    device = nullptr;
  std::string ptxas = ptx::findPtxas();
  driver::test::Reading reading{std::filesystem::path()};
  size_t assembled = 0, ran = 0;
  for (const Transfer &c : cases) {
    SCOPED_TRACE(c.name);
    std::string text = compile(c, reading, target.str());
    if (text.empty())
      continue;
    if (c.cluster > 1)
      EXPECT_NE(text.find(cat(".reqnctapercluster ", c.cluster)), std::string::npos) << text;
    for (const std::string &instruction : c.instructions)
      EXPECT_NE(text.find(instruction), std::string::npos) << instruction << "\n" << text;
    for (const atom::test::MapArgument &argument : c.launch.maps)
      EXPECT_TRUE(atom::encode(argument.map)) << "the tensor map breaks a limit";
    if (!ptxas.empty()) {
      auto cubin = ptx::assemble(ptxas, text, target.str());
      EXPECT_TRUE(cubin.ok()) << cubin.reason().text << text;
      assembled += cubin.ok();
    }
    if (!device)
      continue;
    auto module = device->load(text);
    EXPECT_TRUE(module.ok()) << module.reason().text;
    if (!module.ok())
      continue;
    auto output = device->run(*module, "k", c.threads, c.input,
                              std::max(c.outputWords, c.expected.size()), c.launch);
    ASSERT_TRUE(output.ok()) << output.reason().text; // the context is gone
    output->resize(c.expected.size());
    EXPECT_EQ(*output, c.expected);
    ++ran;
  }
  std::printf("  %zu %s compiled, %zu assembled, %zu run%s\n", cases.size(), what, assembled, ran,
              device ? "" : " (no Hopper GPU here)");
}

} // namespace tessera::lower::test
