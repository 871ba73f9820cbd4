// Compares rounded arithmetic and conversions of the interpreter of tile programs with PTX's
// instructions, bit by bit, on a GPU or on the simulator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   tessera-tile-numbers [--device sim|cuda] [--count N] [--seed N] [--only WORD]
//
// A row is an op with its types, and the PTX that a compiler would choose for it. Unary ops of at
// most 16 bits get all bit patterns, other ones N operands, half of them special. Any NaN is the
// same: its sign and payload are the machine's. A NaN as an integer is left out: 0 here, as the
// nearest integer of LLVM's saturating conversions, and 2^63 of some of PTX's; so is a NaN as tf32,
// of which cvt.rna leaves the upper bits, infinity for some. Exit code 1 where results differ.
#include "Kernel.h"

#include "tessera/run/CudaDevice.h"
#include "tessera/run/SimDevice.h"

#include <cstdio>
#include <cstring>
#include <random>

using namespace tessera;
using namespace tessera::tile_eval;
using test::Attributes;
using test::One;
using test::Types;

namespace {

struct Row {
  Op op;
  Attributes attributes;
  Types operands;
  std::string result;
  /// Instructions from a, b, c to d, registers of the sizes of their types (.b16 for f8); h0 to h3
  /// are others of 16 bits, w0 to w3 of 32.
  std::string ptx;
};

/// The suffix of PTX for each rounding, by its number in the dialect.
constexpr const char *suffixes[] = {".rn", ".rz", ".rm", ".rp"};

std::vector<Row> rows() {
  std::vector<Row> out;
  auto add = [&](Op op, Attributes attributes, Types operands, std::string result,
                 std::string ptx) {
    out.push_back({op, std::move(attributes), std::move(operands), std::move(result), ptx});
  };
  struct Sum {
    Op op;
    const char *name;
    size_t operands;
  };
  for (auto [op, name, operands] : {Sum{Op::AddF, "add", 2},
                                    {Op::SubF, "sub", 2},
                                    {Op::MulF, "mul", 2},
                                    {Op::DivF, "div", 2},
                                    {Op::Fma, "fma", 3},
                                    {Op::Sqrt, "sqrt", 1}}) {
    std::string list = operands == 3 ? "a, b, c" : operands == 2 ? "a, b" : "a";
    auto types = [&](const char *type) { return Types(operands, type); };
    for (uint64_t mode = 0; mode < 4; ++mode) {
      for (bool flushes : {false, true})
        add(op, {flushes ? std::optional<uint64_t>(1) : std::nullopt, mode}, types("f32"), "f32",
            cat(name, suffixes[mode], flushes ? ".ftz" : "", ".f32 d, ", list, ";"));
      add(op, {std::nullopt, mode}, types("f64"), "f64",
          cat(name, suffixes[mode], ".f64 d, ", list, ";"));
    }
    bool isNative = op != Op::DivF && op != Op::Sqrt;
    for (const char *type : {"f16", "bf16"}) {
      if (isNative)
        add(op, {std::nullopt, 0}, types(type), type, cat(name, ".rn.", type, " d, ", list, ";"));
      // In f32, then rounded again, as the dialect says: all of divf, directed roundings of others.
      std::string wide = operands == 3 ? "w0, w1, w2" : operands == 2 ? "w0, w1" : "w0";
      for (uint64_t mode = isNative ? 1 : 0; mode < (type[0] == 'b' ? 2 : 4); ++mode) {
        std::string text;
        for (size_t i = 0; i < operands; ++i)
          text += cat("cvt.f32.", type, " w", i, ", ", std::string(1, char('a' + i)), "; ");
        add(op, {std::nullopt, mode}, types(type), type,
            cat(text, name, suffixes[mode], ".f32 w3, ", wide, "; cvt", suffixes[mode], ".", type,
                ".f32 d, w3;"));
      }
    }
  }
  for (auto [op, name] : {std::pair{Op::MaxF, "max"}, {Op::MinF, "min"}}) {
    for (const char *type : {"f16", "bf16", "f32", "f64"})
      add(op, {std::nullopt, std::nullopt}, {type, type}, type, cat(name, ".", type, " d, a, b;"));
    for (const char *type : {"f16", "bf16", "f32"})
      add(op, {1, std::nullopt}, {type, type}, type, cat(name, ".NaN.", type, " d, a, b;"));
    add(op, {std::nullopt, 1}, {"f32", "f32"}, "f32", cat(name, ".ftz.f32 d, a, b;"));
  }
  for (auto [op, mode] : {std::pair{Op::Ceil, ".rpi"}, {Op::Floor, ".rmi"}})
    for (const char *type : {"f32", "f64"})
      add(op, {}, {type}, type, cat("cvt", mode, ".", type, ".", type, " d, a;"));

  // Conversions between types of floating-point numbers.
  for (auto [from, to] : {std::pair{"f16", "f32"}, {"bf16", "f32"}, {"f16", "f64"}, {"f32", "f64"}})
    add(Op::FToF, {0}, {from}, to, cat("cvt.", to, ".", from, " d, a;"));
  for (uint64_t mode = 0; mode < 4; ++mode) {
    for (auto [from, to] : {std::pair{"f32", "f16"}, {"f64", "f32"}, {"f64", "f16"}})
      add(Op::FToF, {mode}, {from}, to, cat("cvt", suffixes[mode], ".", to, ".", from, " d, a;"));
    if (mode < 2)
      for (const char *to : {"bf16", "tf32"})
        add(Op::FToF, {mode}, {"f32"}, to, cat("cvt", suffixes[mode], ".", to, ".f32 d, a;"));
  }
  add(Op::FToF, {7}, {"f32"}, "tf32", "cvt.rna.tf32.f32 d, a;");
  for (auto [type, name] : {std::pair{"f8E4M3FN", "e4m3x2"}, {"f8E5M2", "e5m2x2"}}) {
    add(Op::FToF, {0}, {"f32"}, type, cat("cvt.rn.satfinite.", name, ".f32 d, a, a;"));
    add(Op::FToF, {0}, {"f16"}, type,
        cat("mov.b32 w0, {a, a}; cvt.rn.satfinite.", name, ".f16x2 d, w0;"));
    add(Op::FToF, {0}, {type}, "f16", cat("cvt.rn.f16x2.", name, " w0, a; mov.b32 {d, h0}, w0;"));
    add(Op::FToF, {0}, {type}, "f32",
        cat("cvt.rn.f16x2.", name, " w0, a; mov.b32 {h1, h0}, w0; cvt.f32.f16 d, h1;"));
  }

  // Integers.
  for (const char *real : {"f16", "f32", "f64"})
    for (auto [type, bits] : {std::pair{"i8", 8}, {"i16", 16}, {"i32", 32}, {"i64", 64}})
      for (uint64_t isSigned : {0, 1}) {
        std::string integer = cat(isSigned ? "s" : "u", bits);
        add(Op::FToI, {1, isSigned, 6}, {real}, type,
            cat("cvt.rzi.", integer, ".", real, " d, a;"));
        add(Op::IToF, {isSigned, 0}, {type}, real, cat("cvt.rn.", real, ".", integer, " d, a;"));
      }
  return out;
}

//===--- Operands

TypeKind kindOf(const std::string &text) {
  for (const tile_bytecode::TypeRow &row : tile_bytecode::typeRows)
    if (row.text == text)
      return row.kind;
  return TypeKind::Token;
}
unsigned bytesOf(const std::string &type) { return rowOf(kindOf(type)).memoryBits / 8u; }

/// Codes of numbers, half of them at edges of the type.
class Operands {
public:
  explicit Operands(uint64_t seed) : random(seed) {}

  uint64_t code(const std::string &type) {
    TypeKind kind = kindOf(type);
    unsigned bits = bitsOf(kind);
    uint64_t any = random();
    if (!isFloat(kind))
      return (random() & 1 ? any : any >> random() % 64) & lowBits(bits);
    uint64_t sign = any & 1 ? signBitOf(kind) : 0, top = infinityOf(kind, false),
             one = encode(kind, 1.0), least = encode(kind, 2.0) - one; // one unit of the exponent
    switch (random() % 16) {
    case 0: return sign;
    case 1: return sign | top;
    case 2: return sign | nanOf(kind);
    case 3: return sign | (random() % least);       // subnormal
    case 4: return sign | (least + random() % 3);   // barely normal
    case 5: return sign | (top - 1 - random() % 3); // next to the largest
    case 6: return sign | (one + random() % 3);
    case 7: return sign | (one + random() % 12 * least); // powers of two
    case 8:
    case 9: return any & lowBits(bits);
    default: return sign | ((one - 6 * least + random() % (12 * least)) & (top - 1));
    }
  }
  std::mt19937_64 random;
};

//===--- The device

/// A kernel that does a row for each of n threads.
std::string kernelText(const Row &row, const std::string &target) {
  auto size = [](const std::string &type) { return std::max(bytesOf(type), 2u) * 8; };
  std::string text = cat(".version 8.1\n.target ", target,
                         "\n.address_size 64\n.visible .entry k(.param .u64 pa, .param .u64 pb, "
                         ".param .u64 pc, .param .u64 pd, .param .u32 n) {\n.reg .b64 at, base;\n"
                         ".reg .b32 i, m;\n.reg .pred p;\n.reg .b16 h<4>;\n.reg .b32 w<4>;\n");
  for (size_t k = 0; k < row.operands.size(); ++k)
    text += cat(".reg .b", size(row.operands[k]), " ", std::string(1, char('a' + k)), ";\n");
  text += cat(".reg .b", size(row.result),
              " d;\nmov.u32 i, %ctaid.x;\nmov.u32 m, %ntid.x;\nmul.lo.u32 i, i, m;\nmov.u32 m, "
              "%tid.x;\nadd.u32 i, i, m;\nld.param.u32 m, [n];\nsetp.ge.u32 p, i, m;\n@p ret;\n");
  auto access = [&](const std::string &type, char name, bool stores) {
    unsigned bytes = bytesOf(type);
    std::string letter = bytes == 1 ? "u" : "b", r(1, name);
    text += cat("ld.param.u64 base, [p", r, "];\nmad.wide.u32 at, i, ", bytes, ", base;\n",
                stores ? "st" : "ld", ".global.", letter, bytes * 8, " ",
                stores ? cat("[at], ", r) : cat(r, ", [at]"), ";\n");
  };
  for (size_t k = 0; k < row.operands.size(); ++k)
    access(row.operands[k], char('a' + k), false);
  text += row.ptx + "\n";
  access(row.result, 'd', true);
  return text + "ret;\n}\n";
}

std::vector<std::byte> packed(const Codes &codes, unsigned bytes) {
  std::vector<std::byte> out(codes.size() * bytes);
  for (size_t i = 0; i < codes.size(); ++i)
    std::memcpy(&out[i * bytes], &codes[i], bytes);
  return out;
}

Result<Codes> onDevice(run::Device &device, const Row &row, const std::vector<Codes> &operands,
                       const std::string &target) {
  std::string text = kernelText(row, target);
  TESSERA_TRY(run::Module module, device.loadModule(std::as_bytes(std::span(text))));
  TESSERA_TRY(run::Kernel kernel, device.kernel(module.id, "k"));
  uint32_t count = uint32_t(operands[0].size());
  std::vector<run::DeviceBuffer> buffers;
  uint64_t addresses[4] = {};
  for (size_t k = 0; k < operands.size(); ++k) {
    std::vector<std::byte> bytes = packed(operands[k], bytesOf(row.operands[k]));
    TESSERA_TRY(run::DeviceBuffer buffer, run::DeviceBuffer::make(device, bytes.size()));
    TESSERA_CHECK(device.copyToDevice(buffer.address(), bytes));
    addresses[k] = buffer.address();
    buffers.push_back(std::move(buffer));
  }
  unsigned bytes = bytesOf(row.result);
  std::vector<std::byte> result(size_t(count) * bytes);
  TESSERA_TRY(run::DeviceBuffer to, run::DeviceBuffer::make(device, result.size()));
  addresses[3] = to.address();
  void *arguments[] = {&addresses[0], &addresses[1], &addresses[2], &addresses[3], &count};
  TESSERA_CHECK(
      device.launch(kernel.id, {.grid = {(count + 255) / 256}, .block = {256}}, arguments));
  TESSERA_CHECK(device.copyToHost(result, to.address()));
  TESSERA_CHECK(device.unloadModule(module.id));
  Codes out(count);
  for (size_t i = 0; i < count; ++i)
    std::memcpy(&out[i], &result[i * bytes], bytes);
  return out;
}

/// The same by the interpreter, in tiles that fit.
Result<Codes> interpreted(const Row &row, const std::vector<Codes> &operands) {
  constexpr size_t most = 1 << 16;
  Codes out;
  for (size_t from = 0; from < operands[0].size(); from += most) {
    size_t count = std::min(most, operands[0].size() - from);
    std::vector<std::vector<test::Tile>> tiles;
    for (size_t k = 0; k < operands.size(); ++k)
      tiles.push_back({{cat(count, "x", row.operands[k]),
                        Codes(operands[k].begin() + ptrdiff_t(from),
                              operands[k].begin() + ptrdiff_t(from + count))}});
    One one;
    TESSERA_TRY(std::vector<Codes> results,
                one.run(row.op, {cat(count, "x", row.result)}, row.attributes, tiles));
    out.insert(out.end(), results[0].begin(), results[0].end());
  }
  return out;
}

//===--- The comparison

struct Given {
  std::string device = "sim", only;
  size_t count = 1 << 12;
  uint64_t seed = 1;
};

/// How many results differ; nothing where the device does not have the row.
std::optional<size_t> compare(run::Device &device, const Row &row, const Given &given,
                              const std::string &title) {
  Operands numbers(given.seed);
  std::vector<Codes> operands(row.operands.size());
  bool all = operands.size() == 1 && bitsOf(kindOf(row.operands[0])) <= 16;
  size_t count = all ? size_t(1) << bitsOf(kindOf(row.operands[0])) : given.count;
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < operands.size(); ++k)
      operands[k].push_back(all ? i : numbers.code(row.operands[k]));
  Result<Codes> expected = interpreted(row, operands);
  Result<Codes> got =
      onDevice(device, row, operands, device.info().computeMajor >= 10 ? "sm_90" : "sm_90a");
  if (!expected || !got) {
    std::printf("not run   %s: %s\n", title.c_str(),
                (expected ? got : expected).reason().text.substr(0, 200).c_str());
    return {};
  }
  size_t wrong = 0;
  TypeKind kind = kindOf(row.result);
  for (size_t i = 0; i < count; ++i) {
    uint64_t x = (*expected)[i], y = (*got)[i];
    bool isSame = x == y || (isFloat(kind) && isNan(kind, x) && isNan(kind, y));
    bool leavesNan = row.op == Op::FToI || kind == TypeKind::TF32;
    if (isSame || (leavesNan && isNan(kindOf(row.operands[0]), operands[0][i])))
      continue;
    if (wrong++ < 3) {
      std::printf("differs   %s:", title.c_str());
      for (const Codes &codes : operands)
        std::printf(" %llx", (unsigned long long)(codes[i]));
      std::printf(" -> %llx, on the device %llx\n", (unsigned long long)(x),
                  (unsigned long long)(y));
    }
  }
  return wrong;
}

} // namespace

int main(int argc, char **argv) {
  Given given;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string_view option = argv[i];
    if (option == "--device")
      given.device = argv[i + 1];
    else if (option == "--only")
      given.only = argv[i + 1];
    else if (option == "--count")
      given.count = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--seed")
      given.seed = std::strtoull(argv[i + 1], nullptr, 10);
    else
      return std::fprintf(stderr, "unknown option %s\n", argv[i]), 2;
  }
  given.count = std::bit_ceil(std::max<size_t>(given.count, 2)); // tiles have powers of two
  std::unique_ptr<run::Device> device = std::make_unique<run::SimDevice>();
  if (given.device == "cuda") {
    Result<std::unique_ptr<run::Device>> opened = run::openCudaDevice();
    if (!opened)
      return std::fprintf(stderr, "%s\n", opened.reason().text.c_str()), 2;
    device = *std::move(opened);
  }
  size_t compared = 0, differ = 0, notRun = 0;
  for (const Row &row : rows()) {
    std::string title =
        cat(rowOf(row.op).name, " ", row.operands[0], " -> ", row.result, " [", row.ptx, "]");
    if (title.find(given.only) == title.npos)
      continue;
    std::optional<size_t> wrong = compare(*device, row, given, title);
    notRun += !wrong;
    compared += wrong.has_value();
    differ += wrong.value_or(0) != 0;
  }
  std::printf("%zu rows compared on %s, %zu differ, %zu not run\n", compared,
              device->info().name.c_str(), differ, notRun);
  return differ || !compared;
}
