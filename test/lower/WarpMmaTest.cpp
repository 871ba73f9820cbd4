// Every warp-level MMA row through the whole pipeline: IR, PTX, ptxas, and the product on a GPU if
// there is one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers come from test/atom/Product: it deals A, B and C to the threads by the row's
// fragments, which are tested against CUTLASS' tables, and checks the result against a plain
// product. Here the kernel that loads, multiplies and stores is compiled from `cute.mma_atom_call`.
#include "tessera/sim/Machine.h"
#include "test/atom/Device.h"
#include "test/atom/Product.h"
#include "test/driver/Reading.h"
#include "test/lower/Spelling.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <map>

namespace tessera::lower::test {

using atom::MmaFamily;
using atom::MmaRow;
using atom::Operand;
using atom::test::Product;

static std::string typeOf(const MmaRow &row) {
  std::string out =
      cat("!cute_nvgpu.", mnemonic(row.family), "<", row.m.first, "x", row.n.first, "x", row.k);
  if (row.scale.isScaled())
    out += cat(", vec_size = ", row.scale.vec);
  out += cat(", elem_type = (", spelling(row.a.element), ", ", spelling(row.b.element), ", ",
             spelling(row.c.element), ")");
  if (row.scale.isScaled())
    out += cat(", sf_type = ", spelling(row.scale.element));
  if (row.a.majors != atom::Major::K || row.b.majors != atom::Major::K)
    out += cat(", ab_major = (", name(row.a.majors), ", ", name(row.b.majors), ")");
  if (row.sparsity.isSparse())
    out += cat(row.family == MmaFamily::Sm80SparseMma ? ", md_format = "
                                                      : ", sparse_metadata_format = ",
               name(row.sparsity.metadata));
  if (row.overflow != atom::Overflow::Wrapped)
    out += cat(", int_overflow = <", name(row.overflow), ">");
  if (row.bitOp != atom::BitOp::None)
    out += cat(", binary_op = <", name(row.bitOp), ">");
  return out + " >";
}

/// A kernel of a product, with the interface of Product::kernel: words in, words out.
class KernelText {
public:
  explicit KernelText(const Product &product) : product(product), row(product.row) {}

  std::string str(const std::string &name) {
    const Operand &d = row.d.registers.type == atom::RegisterType::None ? row.c : row.d;
    std::string a = fragment("a", row.a), b = fragment("b", row.b), c = fragment("c", d);
    std::string metadata;
    std::string made = cat("\"cute.make_atom\"() : () -> ", typeOf(row));
    // Run-time fields, as Product::input has them: metadata first. Atoms take scale factors first.
    std::string fields, fieldTypes;
    auto field = [&](const char *name) {
      metadata += cat("%", name, " = cute.ptr.load(%src) {offset = ", wordsIn++,
                      " : i64} : (!words) -> i32\n");
    };
    if (row.sparsity.isSparse())
      field("e");
    if (row.scale.isScaled()) {
      field("sfa");
      field("sfb");
      fields = "%sfa, %sfb";
      fieldTypes = "i32, i32";
    }
    if (row.sparsity.isSparse()) {
      fields += fields.empty() ? "%e" : ", %e";
      fieldTypes += fieldTypes.empty() ? "i32" : ", i32";
    }
    if (!fields.empty())
      made = cat("\"cute.make_atom\"(", fields, ") : (", fieldTypes, ") -> ", typeOf(row));
    std::string drain;
    int64_t wordsOut = int64_t(product.wordsPerResult());
    for (int64_t w = 0; w < wordsOut; ++w)
      drain +=
          cat("%d", w, " = cute.ptr.load(%pc) {offset = ", w,
              " : i64} : (!cute.ptr<i32, rmem, align<16>>) -> i32\n", "cute.ptr.store(%dst, %d", w,
              ") {offset = ", w, " : i64} : (!words, i32) -> ()\n");
    std::string selector =
        row.sparsity.selectors ? cat("selector = ", product.choice.selector, " : i32") : "";
    return cat("!words = !cute.ptr<i32, gmem, align<4>>\n"
               "gpu.module @m {\ncuda.kernel @",
               name,
               "(%in: !words, %out: !words) attributes {cute.kernel} {\n"
               "%thread = nvvm.read.ptx.sreg.tid.x : i32\n",
               pointer("src", "in", wordsIn), pointer("dst", "out", wordsOut), a, b, c, metadata,
               "%atom = ", made, "\n\"cute.mma_atom_call\"(%atom, %fc, %fa, %fb, %fc) <{", selector,
               "}> : (", typeOf(row), ", ", types["c"], ", ", types["a"], ", ", types["b"], ", ",
               types["c"], ") -> ()\n", drain, "return\n}\n}\n");
  }

private:
  /// `%to`: `from` advanced by this thread's words.
  static std::string pointer(std::string_view to, std::string_view from, int64_t words) {
    return cat("%", to, "_each = arith.constant ", words, " : i32\n%", to,
               "_at = arith.muli %thread, %", to, "_each : i32\n%", to,
               "_offset = cute.make_int_tuple(%", to, "_at) : (i32) -> !cute.int_tuple<\"?\">\n%",
               to, " = cute.add_offset(%", from, ", %", to,
               "_offset) : (!words, !cute.int_tuple<\"?\">) -> !words\n");
  }

  /// Registers of an operand as an rmem tensor, filled word by word.
  std::string fragment(const std::string &which, const Operand &operand) {
    int64_t words = operand.registers.at(product.choice.n) * bits(operand.registers.type) / 32;
    int64_t count = words * 32 / operand.storedBits();
    // Numbers that the instruction takes in bytes are bytes here.
    std::string element = operand.storedBits() > atom::bits(operand.element)
                              ? cat("i", operand.storedBits())
                              : spelling(operand.element);
    types[which] = cat("!cute.memref<", element, ", rmem, align<16>, \"(", count, "):(1)\">");
    std::string out =
        cat("%f", which, " = cute.memref.alloca() : ", types[which], "\n%i", which,
            " = \"cute.get_iter\"(%f", which, ") : (", types[which], ") -> !cute.ptr<", element,
            ", rmem, align<16>>\n%p", which, " = \"cute.recast_iter\"(%i", which, ") : (!cute.ptr<",
            element, ", rmem, align<16>>) -> !cute.ptr<i32, rmem, align<16>>\n");
    for (int64_t w = 0; w < words; ++w)
      out += cat("%", which, w, " = cute.ptr.load(%src) {offset = ", wordsIn++,
                 " : i64} : (!words) -> i32\n", "cute.ptr.store(%p", which, ", %", which, w,
                 ") {offset = ", w, " : i64} : (!cute.ptr<i32, rmem, align<16>>, i32) -> ()\n");
    return out;
  }

  const Product &product;
  const MmaRow &row;
  int64_t wordsIn = 0;
  std::map<std::string, std::string> types;
};

static bool isWarpLevel(const MmaRow &row) {
  return row.family == MmaFamily::Sm80Mma || row.family == MmaFamily::Sm80SparseMma ||
         row.family == MmaFamily::Sm89Mma;
}

/// PTX of a row for a target; empty after a failure of the running test.
static std::string compile(const Product &product, const std::string &arch) {
  std::string text = KernelText(product).str("k");
  driver::test::Reading reading(text, product.row.name);
  EXPECT_TRUE(reading.module) << text << reading.errors;
  driver::CompileOptions options{.arch = arch};
  if (!reading.module)
    return "";
  bool lowered = reading.compiler.lower(*reading.module, options);
  EXPECT_TRUE(lowered) << text << reading.errors;
  if (!lowered)
    return "";
  auto codes = reading.compiler.translate(*reading.module, options);
  EXPECT_TRUE(codes.ok()) << reading.errors;
  return codes.ok() ? codes->front().ptx : "";
}

static bool isSm120(const MmaRow &row) {
  return row.family == MmaFamily::Sm120Mma || row.family == MmaFamily::Sm120MmaSp ||
         row.family == MmaFamily::Sm120MmaBs || row.family == MmaFamily::Sm120MmaBsSp;
}

/// What the simulator makes of a kernel; nothing after a failure of the running test.
static std::vector<uint32_t> simulate(const std::string &ptx, const Product &product) {
  sim::Machine machine({.hostThreads = 1});
  std::vector<uint32_t> input = product.input(),
                        output(size_t(product.threads()) * product.wordsPerResult());
  auto buffer = [&](const std::vector<uint32_t> &words) {
    uint64_t address = *machine.memory().allocate(words.size() * 4);
    EXPECT_TRUE(machine.memory().write(address, std::as_bytes(std::span(words))));
    return address;
  };
  uint64_t parameters[] = {buffer(input), buffer(output)};
  Result<sim::Program> program = sim::Program::parse(ptx);
  EXPECT_TRUE(program.ok()) << program.reason().text;
  if (!program)
    return {};
  auto loaded = machine.load(std::make_shared<const sim::Program>(*std::move(program)));
  sim::LaunchConfig config{.block = {uint32_t(product.threads())}};
  sim::Status status = machine.launch(*loaded, "k", config, std::as_bytes(std::span(parameters)));
  EXPECT_TRUE(status) << status.reason().text;
  if (!status)
    return {};
  EXPECT_TRUE(machine.memory().read(std::as_writable_bytes(std::span(output)), parameters[1]));
  return output;
}

/// GeForce Blackwell: no GPU here has it, so the simulator multiplies. The product that it is
/// compared with knows neither.
TEST(WarpMma, EverySm120RowCompilesAndMultiplies) {
  atom::Target target = *atom::Target::parse("sm_120a");
  std::string ptxas = ptx::findPtxas();
  std::mt19937 random(11);
  size_t compiled = 0, assembled = 0;
  std::map<MmaFamily, size_t> run;
  for (const MmaRow &row : atom::mmaRows()) {
    // A type states no kind, so mxf4 comes after mxf4nvf4 with the same factors; PTX 9.1 is not in
    // LLVM 22.
    if (!isSm120(row) || row.kind == atom::MmaKind::Mxf4 || row.ptx > 90)
      continue;
    SCOPED_TRACE(row.name);
    Product product(row, {row.n.first, 0, false}, random);
    std::string ptx = compile(product, target.str());
    if (ptx.empty())
      continue;
    ++compiled;
    EXPECT_NE(ptx.find(row.mnemonic), std::string::npos) << row.mnemonic << "\n" << ptx;
    if (!ptxas.empty()) {
      auto cubin = ptx::assemble(ptxas, ptx, target.str());
      EXPECT_TRUE(cubin.ok()) << cubin.reason().text;
      assembled += cubin.ok();
    }
    std::vector<uint32_t> output = simulate(ptx, product);
    if (output.empty())
      continue;
    product.check(output);
    ++run[row.family];
  }
  std::printf("  %zu kernels compiled for sm_120a, %zu assembled\n", compiled, assembled);
  for (MmaFamily family :
       {MmaFamily::Sm120Mma, MmaFamily::Sm120MmaSp, MmaFamily::Sm120MmaBs, MmaFamily::Sm120MmaBsSp})
    EXPECT_GT(run[family], 0u) << mnemonic(family);
}

TEST(WarpMma, EveryRowCompilesAndMultiplies) {
  atom::test::Device *device = atom::test::Device::first();
  atom::Target target = device ? device->target() : *atom::Target::parse("sm_90a");
  std::string ptxas = ptx::findPtxas();
  std::mt19937 random(7);
  size_t compiled = 0, assembled = 0, run = 0;
  for (const MmaRow &row : atom::mmaRows()) {
    if (!isWarpLevel(row) || !row.needs.metBy(target))
      continue;
    for (int selector = 0; selector < std::max(1, int(row.sparsity.selectors)); ++selector) {
      SCOPED_TRACE(cat(row.name, ", selector ", selector));
      Product product(row, {row.n.first, selector, false}, random);
      std::string ptx = compile(product, target.str());
      if (ptx.empty())
        continue;
      ++compiled;
      EXPECT_NE(ptx.find(row.mnemonic), std::string::npos) << row.mnemonic << "\n" << ptx;
      if (!ptxas.empty()) {
        auto cubin = ptx::assemble(ptxas, ptx, target.str());
        EXPECT_TRUE(cubin.ok()) << cubin.reason().text;
        assembled += cubin.ok();
      }
      if (!device)
        continue;
      auto module = device->load(ptx);
      ASSERT_TRUE(module.ok()) << module.reason().text;
      auto output = device->run(*module, "k", product.threads(), product.input(),
                                size_t(product.threads()) * product.wordsPerResult());
      ASSERT_TRUE(output.ok()) << output.reason().text;
      product.check(*output);
      ++run;
    }
  }
  std::printf("  %zu kernels compiled for %s, %zu assembled, %zu run%s\n", compiled,
              target.str().c_str(), assembled, run, device ? "" : " (no GPU here)");
  EXPECT_GT(compiled, 0u);
}

} // namespace tessera::lower::test
