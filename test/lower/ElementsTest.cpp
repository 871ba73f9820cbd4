// Every type that a tensor may name as its element, in every op that reaches into memory: the right
// bits come out, or the op is refused by its name and place.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected: memory as a row of bits, in which element i has the bits [i * width, (i + 1) * width).
// The widths are written down here.
#include "tessera/driver/Compiler.h"
#include "tessera/number/Code.h"
#include "test/lower/OneBlock.h"

#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <random>

namespace tessera::lower::test {
namespace {

/// A type as MLIR writes it, and the bits of an element in memory; 0: it has no size.
struct Element {
  const char *type;
  int bits;
  /// Whether all kinds of accesses must work.
  bool supported;
};
constexpr Element elements[] = {
    {"i1", 1, true},
    {"i2", 2, true},
    {"i3", 3, false},
    {"i4", 4, true},
    {"i6", 6, false},
    {"i7", 7, false},
    {"i8", 8, true},
    {"i16", 16, true},
    {"i24", 24, false},
    {"i32", 32, true},
    {"i48", 48, false},
    {"i64", 64, true},
    {"i128", 128, true},
    {"i256", 256, false},
    {"si4", 4, true},
    {"ui4", 4, true},
    {"si8", 8, true},
    {"ui8", 8, true},
    {"si32", 32, true},
    {"ui32", 32, true},
    {"ui64", 64, true},
    {"f4E2M1FN", 4, true},
    {"f6E2M3FN", 6, false},
    {"f6E3M2FN", 6, false},
    {"f8E5M2", 8, true},
    {"f8E4M3", 8, true},
    {"f8E4M3FN", 8, true},
    {"f8E5M2FNUZ", 8, true},
    {"f8E4M3FNUZ", 8, true},
    {"f8E4M3B11FNUZ", 8, true},
    {"f8E3M4", 8, true},
    {"f8E8M0FNU", 8, true},
    {"f16", 16, true},
    {"bf16", 16, true},
    {"tf32", 32, true},
    {"f32", 32, true},
    {"f64", 64, true},
    {"f80", 80, false},
    {"f128", 128, false},
    {"index", 0, false},
    {"none", 0, false},
    {"complex<f32>", 0, false},
    {"tuple<>", 0, false},
    {"tuple<i32>", 0, false},
    {"tuple<i32, f16>", 0, false},
    {"vector<4xf32>", 0, false},
    {"vector<[4]xf32>", 0, false},
    {"tensor<4xi32>", 0, false},
    {"memref<4xi32>", 0, false},
    {"(i32) -> i32", 0, false},
    {"!llvm.ptr", 0, false},
    {"!llvm.void", 0, false},
    {"!llvm.struct<(i32, i32)>", 0, false},
    {"!llvm.array<4 x i32>", 0, false},
    {"!cute.int_tuple<\"(?,4)\">", 0, false},
    {"!cute.layout<\"4:1\">", 0, false},
    {"!cute.ptr<f32, gmem>", 0, false},
    {"!cute.i32<divby 4>", 0, false},
    {"!cute.memref<f32, gmem, \"4:1\">", 0, false},
    {"!cute_nvgpu.tma_descriptor_tiled", 0, false},
    {"!cute_nvgpu.smem_desc", 0, false},
    {"!gpu.async.token", 0, false},
    {"!cuda.stream", 0, false},
};

/// One way to reach into memory: lines of a kernel with T for the type and $ before those made of
/// it, and the elements that come out: element `to[i]` of the output is element `from[i]` of the
/// input.
struct Access {
  const char *name, *op, *code;
  std::vector<int> to, from;
};
const Access accesses[] = {
    {"scalar",
     "cute.memref",
     R"mlir(
      %a = cute.make_view(%in, %l8) : (P, !l8) -> $M8
      %b = cute.make_view(%out, %l8) : (P, !l8) -> $M8
      %c3 = cute.make_coord() : () -> !cute.coord<"3">
      %c5 = cute.make_coord() : () -> !cute.coord<"5">
      %v = cute.memref.load(%a, %c3) : ($M8, !cute.coord<"3">) -> T
      cute.memref.store(%b, %c5, %v) : ($M8, !cute.coord<"5">, T) -> ())mlir",
     {5},
     {3}},
    {"scalar at run time",
     "cute.memref",
     R"mlir(
      %a = cute.make_view(%in, %l8) : (P, !l8) -> $M8
      %b = cute.make_view(%out, %l8) : (P, !l8) -> $M8
      %c1 = arith.constant 1 : i32
      %m = arith.addi %n, %c1 : i32
      %cn = cute.make_coord(%n) : (i32) -> !cute.coord<"?">
      %cm = cute.make_coord(%m) : (i32) -> !cute.coord<"?">
      %v = cute.memref.load(%a, %cn) : ($M8, !cute.coord<"?">) -> T
      cute.memref.store(%b, %cm, %v) : ($M8, !cute.coord<"?">, T) -> ())mlir",
     {4},
     {3}},
    {"vector",
     "cute.memref",
     R"mlir(
      %a = cute.make_view(%in, %l8) : (P, !l8) -> $M8
      %b = cute.make_view(%out, %l8) : (P, !l8) -> $M8
      %v = cute.memref.load_vec %a : $M8
      cute.memref.store_vec %v, %b : $M8)mlir",
     {0, 1, 2, 3, 4, 5, 6, 7},
     {0, 1, 2, 3, 4, 5, 6, 7}},
    {"strided vector",
     "cute.memref",
     R"mlir(
      %s = cute.static : !cute.layout<"(2,4):(8,2)">
      %a = cute.make_view(%in, %s) : (P, !cute.layout<"(2,4):(8,2)">) -> $MS
      %b = cute.make_view(%out, %l8) : (P, !l8) -> $M8
      %v = cute.memref.load_vec %a : $MS
      cute.memref.store_vec %v, %b : $M8)mlir",
     {0, 1, 2, 3, 4, 5, 6, 7},
     {0, 8, 2, 10, 4, 12, 6, 14}},
    {"one of a vector",
     "cute.memref",
     R"mlir(
      %a = cute.make_view(%in, %l8) : (P, !l8) -> $M8
      %b = cute.make_view(%out, %l1) : (P, !l1) -> $M1
      %v = cute.memref.load_vec %a : $M8
      %x = vector.extract %v[6] : T from vector<8xT>
      %w = vector.from_elements %x : vector<1xT>
      cute.memref.store_vec %w, %b : $M1)mlir",
     {0},
     {6}},
    {"registers",
     "cute.memref",
     R"mlir(
      %a = cute.make_view(%in, %l8) : (P, !l8) -> $M8
      %b = cute.make_view(%out, %l8) : (P, !l8) -> $M8
      %r = cute.memref.alloca() : $R8
      %q = cute.memref.alloca() : $R8
      %v = cute.memref.load_vec %a : $M8
      cute.memref.store_vec %v, %r : $R8
      cute.memref.store_vec %v, %q : $R8
      %cn = cute.make_coord(%n) : (i32) -> !cute.coord<"?">
      %c6 = cute.make_coord() : () -> !cute.coord<"6">
      %x = cute.memref.load(%r, %cn) : ($R8, !cute.coord<"?">) -> T
      cute.memref.store(%q, %c6, %x) : ($R8, !cute.coord<"6">, T) -> ()
      %w = cute.memref.load_vec %q : $R8
      cute.memref.store_vec %w, %b : $M8)mlir",
     {0, 1, 2, 3, 4, 5, 6, 7},
     {0, 1, 2, 3, 4, 5, 3, 7}},
    {"copy",
     "cute.copy",
     R"mlir(
      %a = cute.make_view(%in, %l81) : (P, !l81) -> $M81
      %b = cute.make_view(%out, %l81) : (P, !l81) -> $M81
      %atom = cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<T>
      cute.copy(%atom, %a, %b) : (!cute_nvgpu.atom.universal_copy<T>, $M81, $M81))mlir",
     {0, 1, 2, 3, 4, 5, 6, 7},
     {0, 1, 2, 3, 4, 5, 6, 7}},
    {"strided copy",
     "cute.copy",
     R"mlir(
      %s = cute.static : !cute.layout<"(1,4):(0,3)">
      %t = cute.static : !cute.layout<"(1,4):(0,1)">
      %a = cute.make_view(%in, %s) : (P, !cute.layout<"(1,4):(0,3)">) -> $MA
      %b = cute.make_view(%out, %t) : (P, !cute.layout<"(1,4):(0,1)">) -> $MB
      %atom = cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<T>
      cute.copy(%atom, %a, %b) : (!cute_nvgpu.atom.universal_copy<T>, $MA, $MB))mlir",
     {0, 1, 2, 3},
     {0, 3, 6, 9}},
    {"address",
     "cute.",
     R"mlir(
      %i8 = cute.static : !cute.int_tuple<"8">
      %p = cute.add_offset(%in, %i8) : (P, !cute.int_tuple<"8">) -> $P1
      %v = cute.ptr.load(%p) : ($P1) -> T
      cute.ptr.store(%out, %v) : (P, T) -> ())mlir",
     {0},
     {8}},
};

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

std::string kernel(const Element &element, const std::string &code) {
  const std::string type = element.type;
  auto tensor = [&](const char *space, const std::string &layout) {
    return "!cute.memref<" + type + ", " + space + ", align<16>, \"" + layout + "\">";
  };
  std::string body = code;
  const std::pair<const char *, std::string> names[] = {
      {"$M81", tensor("gmem", "(8,1):(1,0)")},
      {"$MS", tensor("gmem", "(2,4):(8,2)")},
      {"$MA", tensor("gmem", "(1,4):(0,3)")},
      {"$MB", tensor("gmem", "(1,4):(0,1)")},
      {"$M8", tensor("gmem", "8:1")},
      {"$M1", tensor("gmem", "1:0")},
      {"$R8", tensor("rmem", "8:1")},
      {"$P1", "!cute.ptr<" + type + ", gmem, align<" +
                  std::to_string(std::gcd(16, std::max(1, element.bits))) + ">>"},
  };
  for (const auto &[name, text] : names)
    body = replaced(body, name, text);
  std::string pointer = "!cute.ptr<" + type + ", gmem, align<16>>";
  body = replaced(body, "(P,", "(" + pointer + ",");
  body = replaced(body, "T)", type + ")");
  body = replaced(body, "-> T", "-> " + type);
  body = replaced(body, "<T>", "<" + type + ">");
  body = replaced(body, ": T ", ": " + type + " ");
  body = replaced(body, "xT>", "x" + type + ">");
  return "!l8 = !cute.layout<\"8:1\">\n!l1 = !cute.layout<\"1:0\">\n!l81 = "
         "!cute.layout<\"(8,1):(1,0)\">\n"
         "gpu.module @m {\ncuda.kernel @k(%in: " +
         pointer + ", %out: " + pointer +
         ", %n: i32) attributes {cute.kernel} {\n%l8 = cute.static : !l8\n%l1 = cute.static : "
         "!l1\n%l81 = cute.static : !l81\n" +
         body + "\nreturn\n}\n}\n";
}

bool bitOf(std::span<const uint8_t> bytes, int at) { return bytes[at / 8] >> (at % 8) & 1; }
void setBit(std::span<uint8_t> bytes, int at, bool bit) {
  bytes[at / 8] = uint8_t((bytes[at / 8] & ~(1 << (at % 8))) | int(bit) << (at % 8));
}

/// Whether a refusal names what was refused and where.
bool namesPlace(const std::string &errors) {
  return errors.find("kernel.mlir\":") != std::string::npos ||
         errors.find("kernel.mlir:") != std::string::npos;
}

constexpr size_t bufferBytes = 16 * 16 * 2; // 16 elements of 256 bits

TEST(Elements, EveryTypeInEveryAccess) {
  std::mt19937 random(5);
  std::vector<uint8_t> in(bufferBytes);
  for (uint8_t &byte : in)
    byte = uint8_t(random());
  size_t right = 0, refused = 0;
  for (const Element &element : elements)
    for (const Access &access : accesses) {
      SCOPED_TRACE(std::string(element.type) + ", " + access.name);
      std::string text = kernel(element, access.code);
      std::vector<uint8_t> before(bufferBytes, 0xa5);
      Outcome outcome = runBlock(text, in, before, {.n = 3});
      // Predicates live in registers; a single one elsewhere is refused by the verifier.
      bool isLonePredicate =
          element.bits == 1 && std::string_view(access.name).starts_with("scalar");
      if (!outcome.ran) {
        ++refused;
        EXPECT_TRUE(namesPlace(outcome.errors)) << text << outcome.errors;
        // A copy takes whole bytes.
        bool isBelowByte = element.bits < 8 && std::string_view(access.name) == "strided copy";
        EXPECT_TRUE(!element.supported || isLonePredicate || isBelowByte) << text << outcome.errors;
        continue;
      }
      ++right;
      EXPECT_GT(element.bits, 0) << "a type without a size was accepted";
      std::vector<uint8_t> expected = before;
      for (size_t i = 0; i < access.to.size(); ++i)
        for (int bit = 0; bit < element.bits; ++bit)
          setBit(expected, access.to[i] * element.bits + bit,
                 bitOf(in, access.from[i] * element.bits + bit));
      // What an access of less than a byte leaves of the byte is its own, but a predicate at a
      // pointer takes a byte.
      if (element.bits == 1 && std::string_view(access.name) == "address")
        expected[0] &= 1;
      EXPECT_EQ(outcome.out, expected) << text;
    }
  std::printf("%zu accesses right, %zu refused\n", right, refused);
  EXPECT_GT(right, 200u);
}

/// Every code of every format below 16 bits as an f32. Expected: LLVM's numbers.
TEST(Elements, NarrowFloatsWiden) {
  driver::Compiler compiler;
  for (const char *type : {"f4E2M1FN", "f6E2M3FN", "f6E3M2FN", "f8E5M2", "f8E4M3", "f8E4M3FN",
                           "f8E5M2FNUZ", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E3M4", "f8E8M0FNU"}) {
    SCOPED_TRACE(type);
    auto format = mlir::cast<mlir::FloatType>(mlir::parseType(type, &compiler.context()));
    const unsigned bits = format.getWidth(), codes = 1u << bits;
    std::string code = cat("i", bits);
    std::string text =
        cat("gpu.module @m {\ncuda.kernel @k(%in: !llvm.ptr, %out: !llvm.ptr, %n: i32) attributes "
            "{cute.kernel} {\n%t = nvvm.read.ptx.sreg.tid.x : i32\n%c = arith.trunci %t : i32 to ",
            code, "\n%x = arith.bitcast %c : ", code, " to ", type, "\n%y = arith.extf %x : ", type,
            " to f32\n%p = llvm.getelementptr %out[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32\n"
            "llvm.store %y, %p : f32, !llvm.ptr\nreturn\n}\n}\n");
    // From sm_89 on two of e4m3 and e5m2 are one instruction.
    for (const char *arch : {"sm_80", "sm_89", "sm_90a"}) {
      SCOPED_TRACE(arch);
      Outcome outcome =
          runBlock(text, {}, std::vector<uint8_t>(codes * 4), {.threads = codes, .arch = arch});
      ASSERT_TRUE(outcome.ran) << text << outcome.errors;
      for (unsigned c = 0; c < codes; ++c) {
        llvm::APFloat number(format.getFloatSemantics(), llvm::APInt(bits, c));
        float got = 0;
        std::memcpy(&got, outcome.out.data() + c * 4, 4);
        if (number.isNaN()) {
          EXPECT_TRUE(std::isnan(got)) << "code " << c << ": " << got;
          continue;
        }
        EXPECT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(number.convertToFloat()))
            << "code " << c << ": " << got << " instead of " << number.convertToFloat();
      }
    }
  }
}

/// f32, f16 and bf16 to the formats that cvt makes, alone and in a vector of three, in arithmetic
/// and by the instruction of sm_89. Expected: the table of formats; of NaN what the PTX ISA says
/// (cvt).
TEST(Elements, FloatsNarrow) {
  struct Narrow {
    const char *type;
    number::Format format;
    unsigned bits, nan;
  };
  std::mt19937 random(5);
  for (auto [type, format, bits, nan] : {Narrow{"f4E2M1FN", number::Format::e2m1, 4, 0x7},
                                         {"f6E2M3FN", number::Format::e2m3, 6, 0x1f},
                                         {"f6E3M2FN", number::Format::e3m2, 6, 0x1f},
                                         {"f8E4M3FN", number::Format::e4m3, 8, 0x7f},
                                         {"f8E5M2", number::Format::e5m2, 8, 0x7f}}) {
    // Every number, what is half way to the next one, and their neighbours; then any bits.
    std::vector<float> in = {0.0f, -0.0f, INFINITY, -INFINITY, NAN,
                             -NAN, 1e30f, -1e30f,   1e-30f,    0x1p-149f};
    for (unsigned code = 0; code + 1 < 1u << (bits - 1); ++code) {
      const double a = number::decode(format, code), b = number::decode(format, code + 1);
      if (!std::isfinite(a) || !std::isfinite(b))
        continue;
      const auto half = float((a + b) / 2);
      for (float x : {float(a), half, std::nextafter(half, 0.0f), std::nextafter(half, 1e9f)})
        in.insert(in.end(), {x, -x});
    }
    while (in.size() < 1024)
      in.push_back(std::bit_cast<float>(uint32_t(random())));
    in.resize(1024);
    for (const char *source : {"f32", "f16", "bf16"})
      for (const char *arch : {"sm_80", "sm_89"}) {
        SCOPED_TRACE(cat(source, " to ", type, ", ", arch));
        const bool isWide = std::string_view(source) == "f32";
        const std::string x = isWide ? "%w" : "%x", code = cat("i", bits);
        const std::string text = cat(
            R"mlir(gpu.module @m {
    cuda.kernel @k(%in: !llvm.ptr, %out: !llvm.ptr, %n: i32) attributes {cute.kernel} {
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %p = llvm.getelementptr %in[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %q = llvm.getelementptr %out[%t] : (!llvm.ptr, i32) -> !llvm.ptr, i32
      %w = llvm.load %p : !llvm.ptr -> f32
)mlir",
            isWide ? "" : cat("%x = arith.truncf %w : f32 to ", source, "\n"), "%y = arith.truncf ",
            x, " : ", source, " to ", type, "\n%c = arith.bitcast %y : ", type, " to ", code,
            "\n%lone = arith.extui %c : ", code, " to i32\n%zero = arith.constant 0.0 : ", source,
            "\n%v = vector.from_elements %zero, %zero, ", x, " : vector<3x", source,
            ">\n%vy = arith.truncf %v : vector<3x", source, "> to vector<3x", type,
            ">\n%vc = arith.bitcast %vy : vector<3x", type, "> to vector<3x", code,
            ">\n%e = vector.extract %vc[2] : ", code, " from vector<3x", code,
            ">\n%third = arith.extui %e : ", code, " to i32\n", R"mlir(
      %eight = arith.constant 8 : i32
      %high = arith.shli %third, %eight : i32
      %both = arith.ori %lone, %high : i32
      llvm.store %both, %q : i32, !llvm.ptr
      return
    } })mlir");
        std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(in.data()), in.size() * 4);
        Outcome outcome = runBlock(text, bytes, std::vector<uint8_t>(in.size() * 4),
                                   {.threads = uint32_t(in.size()), .arch = arch});
        ASSERT_TRUE(outcome.ran) << text << outcome.errors;
        for (size_t i = 0; i < in.size(); ++i) {
          double number = in[i];
          if (!isWide) {
            const auto between =
                std::string_view(source) == "f16" ? number::Format::f16 : number::Format::bf16;
            number = number::decode(between, number::encode(between, number, {}));
          }
          auto expected = std::isnan(number)
                              ? nan
                              : uint32_t(number::encode(format, number, {.saturates = true}));
          uint32_t got = 0;
          std::memcpy(&got, outcome.out.data() + i * 4, 4);
          EXPECT_EQ(got & 0xff, expected) << number;
          EXPECT_EQ(got >> 8, expected) << number;
        }
      }
  }
}

/// f32 to tf32 and back. Expected: the table of formats.
TEST(Elements, Tf32IsRoundedToNearestEven) {
  const std::string text = R"mlir(gpu.module @m {
    cuda.kernel @k(%in: !llvm.ptr, %out: !llvm.ptr, %n: i32) attributes {cute.kernel} {
      %t = nvvm.read.ptx.sreg.tid.x : i32
      %p = llvm.getelementptr %in[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %q = llvm.getelementptr %out[%t] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %x = llvm.load %p : !llvm.ptr -> f32
      %y = arith.truncf %x : f32 to tf32
      %z = arith.extf %y : tf32 to f32
      llvm.store %z, %q : f32, !llvm.ptr
      return
    } })mlir";
  std::mt19937 random(4);
  std::vector<uint32_t> in(512);
  for (uint32_t &bits : in)
    bits = random();
  uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                        0x7f800001, 0x3f801000, 0x3f803000, 0x3f800fff, 0x7f7fffff,
                        1,          0x1000,     0x1001};
  std::copy(std::begin(special), std::end(special), in.begin());
  std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t *>(in.data()), in.size() * 4);
  Outcome outcome =
      runBlock(text, bytes, std::vector<uint8_t>(in.size() * 4), {.threads = uint32_t(in.size())});
  ASSERT_TRUE(outcome.ran) << outcome.errors;
  for (size_t i = 0; i < in.size(); ++i) {
    uint32_t got = 0;
    std::memcpy(&got, outcome.out.data() + i * 4, 4);
    float number = std::bit_cast<float>(in[i]);
    auto expected = uint32_t(number::encode(number::Format::tf32, double(number), {}));
    if (std::isnan(number))
      EXPECT_TRUE(std::isnan(std::bit_cast<float>(got))) << std::hex << in[i];
    else
      EXPECT_EQ(got, expected) << std::hex << in[i];
  }
}

} // namespace
} // namespace tessera::lower::test
