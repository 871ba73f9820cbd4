// Every row of the spellings: what it reads, and what is said without it or where it is malformed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Spellings.h"
#include "tessera/import/Version.h"

#include "tessera/cute/Cute.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/import/spellings/Spelling.h"

#include "Session.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tessera::import::test {

namespace {
struct Reading {
  std::string text; ///< empty if it was refused
  std::vector<std::string> errors;
};

/// Reads a text in a context of its own, with what is added to the dialects, and prints it.
Reading readWith(const std::string &text, llvm::function_ref<void(DialectRegistry &)> add) {
  DialectRegistry registry;
  registry.insert<cute::CuteDialect, cute_nvgpu::CuteNvgpuDialect, func::FuncDialect>();
  add(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  Reading reading;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream(reading.errors.emplace_back())
        << diagnostic.getLocation() << ": " << diagnostic.str();
  });
  if (OwningOpRef<ModuleOp> module =
          parseSourceString<ModuleOp>(text, ParserConfig(&context), "test.mlir"))
    llvm::raw_string_ostream(reading.text) << *module;
  return reading;
}

Reading read(const std::string &text, bool withSpellings) {
  return readWith(text, [&](DialectRegistry &registry) {
    if (withSpellings)
      registerSpellings(registry);
  });
}

/// A function with values of every kind, and this body in line 2.
std::string inFunction(const std::string &body) {
  return R"mlir(func.func @f(%i: i32, %w: i64, %n: index, %s: !cute.shape<"(?,?)">, %d: !cute.stride<"(?,?)">, %o: !cute.int_tuple<"0">, %z: !cute.int_tuple<"(0,0)">, %c: !cute.coord<"(0,?)">, %s84: !cute.shape<"(8,4)">, %d18: !cute.stride<"(1,8)">, %l: !cute.layout<"(8,4):(1,8)">, %b: !cute.layout<"(8,4):(1@0,1@1)">, %x: !cute.swizzle<"S<2,4,3>">, %p: !cute.ptr<f32, gmem>, %t: !cute.memref<f32, gmem, "(8,4):(1,8)">, %a: !cute_nvgpu.atom.universal_copy<f16, 128 b>, %m: !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >) {
)mlir" + body +
         "\nreturn\n}\n";
}
/// The same with a type, or an attribute, in line 1.
std::string inSignature(const std::string &type) {
  return type[0] == '#' ? "func.func private @f() attributes {a = " + type + "}\n"
                        : "func.func private @f(" + type + ")\n";
}
std::string program(const std::string &text) {
  return text[0] == '!' || text[0] == '#' ? inSignature(text) : inFunction(text);
}
std::string lineOf(const std::string &text) {
  return text[0] == '!' || text[0] == '#' ? "loc(\"test.mlir\":1:" : "loc(\"test.mlir\":2:";
}

struct Pair {
  const char *other, *ours;
};
#define TILED_COPY                                                                                 \
  R"mlir(!cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f16, 128 b>, layout_copy_tv = <"((8,16),8):((128,1),16)">, tiler_mn = <"[16:1;64:1]">>)mlir"
#define TILED_MMA                                                                                  \
  R"mlir(!cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, atom_layout_MNK = <"(2,2,1):(1,2,0)">>)mlir"
#define LAYOUT84 R"mlir(!cute.layout<"(8,4):(1,8)">)mlir"
#define TENSOR84 R"mlir(!cute.memref<f32, gmem, "(8,4):(1,8)">)mlir"

const Pair values[] = {
    {"!cute.shape<3>", R"mlir(!cute.shape<"(?,?,?)">)mlir"},
    {"!cute.stride<2>", R"mlir(!cute.stride<"(?,?)">)mlir"},
    {"!cute.coord<2>", R"mlir(!cute.coord<"(?,?)">)mlir"},
    {"!cute.int_tuple<1>", R"mlir(!cute.int_tuple<"?">)mlir"},
    {"!cute.layout<2>", R"mlir(!cute.layout<"(?,?):(?,?)">)mlir"},
    {"!cute.layout<1>", R"mlir(!cute.layout<"?:?">)mlir"},
    {"!cute.tile<2>", R"mlir(!cute.tile<"[?:1;?:1]">)mlir"},
    {"!cute.tile<1>", R"mlir(!cute.tile<"[?:1]">)mlir"},
    {"#cute.layout<2>", R"mlir(#cute.layout<"(?,?):(?,?)">)mlir"},
    {"#cute.shape<3>", R"mlir(#cute.shape<"(?,?,?)">)mlir"},
    {"!cute.layout<<8:1>>", R"mlir(!cute.layout<"8:1">)mlir"},
    {"!cute.layout<<8:1, 4:8>>", LAYOUT84},
    {"!cute.layout<<((2, 4), 4):((1, 16), 8)>>", R"mlir(!cute.layout<"((2,4),4):((1,16),8)">)mlir"},
    {"!cute.layout<<(2, 2):(1, 8), ?:2>>", R"mlir(!cute.layout<"((2,2),?):((1,8),2)">)mlir"},
    {"!cute.ptr<f16, 0>", "!cute.ptr<f16, generic>"},
    {"!cute.ptr<f16, 1>", "!cute.ptr<f16, gmem>"},
    {"!cute.ptr<f16, 3, align<128>>", "!cute.ptr<f16, smem, align<128>>"},
    {"!cute.ptr<f16, 5>", "!cute.ptr<f16, rmem>"},
    {"!cute.ptr<f16, 6>", "!cute.ptr<f16, tmem>"},
    {"!cute.ptr<f16, 7>", "!cute.ptr<f16, dsmem>"},
    {R"mlir(!cute.memref<f16, 1, "8:1">)mlir", R"mlir(!cute.memref<f16, gmem, "8:1">)mlir"},
};

const Pair documents[] = {
    {R"mlir(%0 = cute.make_shape [%n, %i] : (index, i32) -> !cute.shape<"(?,?)">)mlir",
     R"mlir(%0 = cute.make_shape(%n, %i) : (index, i32) -> !cute.shape<"(?,?)">)mlir"},
    {R"mlir(%0 = cute.make_stride [%i, %w] : !cute.stride<"(?,?{i64})">)mlir",
     R"mlir(%0 = cute.make_stride(%i, %w) : (i32, i64) -> !cute.stride<"(?,?{i64})">)mlir"},
    {R"mlir(%0 = cute.make_coord(%i, %i) : !cute.coord<"(?,?)">)mlir",
     R"mlir(%0 = cute.make_coord(%i, %i) : (i32, i32) -> !cute.coord<"(?,?)">)mlir"},
    {R"mlir(%0 = cute.make_tile %i, %i : !cute.tile<"[?:1;?:1]">)mlir",
     R"mlir(%0 = cute.make_tile(%i, %i) : (i32, i32) -> !cute.tile<"[?:1;?:1]">)mlir"},
    {R"mlir(%0 = cute.make_int_tuple %i, %w : !cute.int_tuple<"(?,(3,?{i64}))">)mlir",
     R"mlir(%0 = cute.make_int_tuple(%i, %w) : (i32, i64) -> !cute.int_tuple<"(?,(3,?{i64}))">)mlir"},
    {R"mlir(%0 = cute.make_tuple [%i] : !cute.layout<"(8,4):(1,?)">)mlir",
     R"mlir(%0 = cute.make_tuple(%i) : (i32) -> !cute.layout<"(8,4):(1,?)">)mlir"},
    {R"mlir(%0 = cute.make_shape : !cute.shape<"(4,8)">)mlir",
     R"mlir(%0 = cute.make_shape() : () -> !cute.shape<"(4,8)">)mlir"},
    {R"mlir(%0 = cute.make_layout(shape = (%i, 8), stride = (1, %i)) : !cute.layout<"(?,8):(1,?)">)mlir",
     R"mlir(%0 = cute.make_tuple(%i, %i) : (i32, i32) -> !cute.layout<"(?,8):(1,?)">)mlir"},
    {R"mlir(%0 = cute.make_layout shape = <8 : i32, 4 : i32>, stride = <1 : i32, 8 : i32> : )mlir" LAYOUT84,
     "%0 = cute.static : " LAYOUT84},
    {R"mlir(%0 = cute.make_composed_layout(outer = %l, swizzle = swizzle<2, 4, 3>, offset = (0, 0)) : !cute.composed_layout<"S<2,4,3> o 0 o (8,4):(1,8)">)mlir",
     R"mlir(%x0 = cute.static : !cute.swizzle<"S<2,4,3>">
%o0 = cute.static : !cute.int_tuple<"0">
%0 = cute.make_composed_layout(%x0, %o0, %l) : (!cute.swizzle<"S<2,4,3>">, <"0">, <"(8,4):(1,8)">) -> <"S<2,4,3> o 0 o (8,4):(1,8)">)mlir"},
    {R"mlir(%0 = cute.make_composed_layout outer = %l, swizzle = swizzle<2, 4, 3>, offset = 16 : )mlir" LAYOUT84,
     R"mlir(%x0 = cute.static : !cute.swizzle<"S<2,4,3>">
%o0 = cute.static : !cute.int_tuple<"16">
%0 = cute.make_composed_layout(%x0, %o0, %l) : (!cute.swizzle<"S<2,4,3>">, <"16">, <"(8,4):(1,8)">) -> <"S<2,4,3> o 16 o (8,4):(1,8)">)mlir"},
    {R"mlir(%0 = cute.make_swizzle 2, 4, 3 : !cute.swizzle<"S<2,4,3>">)mlir",
     R"mlir(%0 = cute.make_swizzle : !cute.swizzle<"S<2,4,3>">)mlir"},
    {"%0 = cute.get_iter %p, %i, %i, %i : !cute.ptr<f32, gmem>, i32, i32, i32",
     R"mlir(%0 = cute.make_desc_iter(%p, %i, %i, %i) : (!cute.ptr<f32, gmem>, i32, i32, i32) -> !cute.desc_iter<!cute.ptr<f32, gmem>, "?:?">)mlir"},
    {R"mlir(%0 = cute.get_iter(%p, %i, %i, %i) : (!cute.ptr<f32, gmem>, i32, i32, i32) -> !cute.desc_iter<!cute.ptr<f32, gmem>, "?:?">)mlir",
     R"mlir(%0 = cute.make_desc_iter(%p, %i, %i, %i) : (!cute.ptr<f32, gmem>, i32, i32, i32) -> !cute.desc_iter<!cute.ptr<f32, gmem>, "?:?">)mlir"},
    {"%0 = cute.tensor(%t) : (" TENSOR84 ") -> " TENSOR84,
     "%0 = cute.make_tensor(%t) : (" TENSOR84 ") -> " TENSOR84},
    {R"mlir(%0 = cute.make_layout_raw %s, %d : !cute.shape<"(?,?)">, !cute.stride<"(?,?)"> -> !cute.layout<"(?,?):(?,?)">)mlir",
     R"mlir(%0 = cute.make_layout_raw(%s, %d) : (!cute.shape<"(?,?)">, !cute.stride<"(?,?)">) -> !cute.layout<"(?,?):(?,?)">)mlir"},
    {"%0 = cute.get_shape(%l) : (" LAYOUT84 R"mlir() -> !cute.shape<"(8,4)">)mlir",
     "%0 = cute.get_shape(%l) : " LAYOUT84 R"mlir( -> !cute.shape<"(8,4)">)mlir"},
    {R"mlir(%0 = cute.to_int_tuple(%s) : !cute.shape<"(?,?)"> to !cute.int_tuple<"(?,?)">)mlir",
     R"mlir(%0 = cute.to_int_tuple(%s) : !cute.shape<"(?,?)"> -> !cute.int_tuple<"(?,?)">)mlir"},
    {R"mlir(%0 = cute.memref.load_vec(%t) : )mlir" TENSOR84,
     R"mlir(%0 = cute.memref.load_vec %t : )mlir" TENSOR84},
};

const Pair dsl[] = {
    {"%0 = cute.make_layout(%s84, %d18) : " LAYOUT84,
     R"mlir(%0 = cute.make_layout(%s84, %d18) : (!cute.shape<"(8,4)">, !cute.stride<"(1,8)">) -> )mlir" LAYOUT84},
    {"%0 = cute.make_layout(%s84) : " LAYOUT84,
     R"mlir(%0 = cute.make_layout(%s84) : (!cute.shape<"(8,4)">) -> )mlir" LAYOUT84},
    {R"mlir(%0 = cute.make_composed_layout(%x, %o, %l) : !cute.composed_layout<"S<2,4,3> o 0 o (8,4):(1,8)">)mlir",
     R"mlir(%0 = cute.make_composed_layout(%x, %o, %l) : (!cute.swizzle<"S<2,4,3>">, <"0">, <"(8,4):(1,8)">) -> <"S<2,4,3> o 0 o (8,4):(1,8)">)mlir"},
    {R"mlir(%0 = cute.make_identity_layout(%s84) : !cute.layout<"(8,4):(1@0,1@1)">)mlir",
     R"mlir(%0 = cute.make_identity_layout(%s84) : !cute.shape<"(8,4)"> -> !cute.layout<"(8,4):(1@0,1@1)">)mlir"},
    {R"mlir(%0 = cute.make_identity_tensor(%s84) : !cute.coord_tensor<"(0,0)", "(8,4):(1@0,1@1)">)mlir",
     R"mlir(%0 = cute.make_identity_tensor(%s84) : (!cute.shape<"(8,4)">) -> !cute.coord_tensor<"(0,0)", "(8,4):(1@0,1@1)">)mlir"},
    {"%0 = cute.make_view(%p, %l) : " TENSOR84,
     "%0 = cute.make_view(%p, %l) : (!cute.ptr<f32, gmem>, " LAYOUT84 ") -> " TENSOR84},
    {R"mlir(%0 = cute.make_view(%z, %b) : !cute.coord_tensor<"(0,0)", "(8,4):(1@0,1@1)">)mlir",
     R"mlir(%0 = cute.make_view(%z, %b) : (!cute.int_tuple<"(0,0)">, !cute.layout<"(8,4):(1@0,1@1)">) -> !cute.coord_tensor<"(0,0)", "(8,4):(1@0,1@1)">)mlir"},
    {"%0 = cute.make_tiled_copy(%a) : " TILED_COPY,
     "%0 = cute.make_tiled_copy(%a) : !cute_nvgpu.atom.universal_copy<f16, 128 b> -> " TILED_COPY},
    {"%0 = cute.make_tiled_mma(%m) : " TILED_MMA,
     "%0 = cute.make_tiled_mma(%m) : !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) > "
     "-> " TILED_MMA},
    {"%0 = cute.get(%l) <{mode = [1]}> : " LAYOUT84 R"mlir( -> !cute.layout<"4:8">)mlir",
     "%0 = cute.get<[1]> (%l) : " LAYOUT84 R"mlir( -> !cute.layout<"4:8">)mlir"},
    {"%0 = cute.get<{mode = [1]}> (%l) : " LAYOUT84,
     "%0 = cute.get<[1]> (%l) : " LAYOUT84 R"mlir( -> !cute.layout<"4:8">)mlir"},
    {"%0 = cute.group_modes(%l) <0, 2> : (" LAYOUT84
     R"mlir() -> !cute.layout<"((8,4)):((1,8))">)mlir",
     "%0 = cute.group_modes<0, 2> (%l) : (" LAYOUT84
     R"mlir() -> !cute.layout<"((8,4)):((1,8))">)mlir"},
    {"%0 = cute.get_iter(%t) : " TENSOR84,
     "%0 = cute.get_iter(%t) : (" TENSOR84 ") -> !cute.ptr<f32, gmem>"},
    {R"mlir(cute.print("text", ) :)mlir", R"mlir(cute.print("text"))mlir"},
    {R"mlir(cute.print("{}", %i, ) : i32)mlir", R"mlir(cute.print("{}", %i) : i32)mlir"},
    {R"mlir(cute.print("text") :)mlir", R"mlir(cute.print("text"))mlir"},
};

std::vector<Pair> allPairs() {
  std::vector<Pair> all(std::begin(values), std::end(values));
  all.insert(all.end(), std::begin(documents), std::end(documents));
  all.insert(all.end(), std::begin(dsl), std::end(dsl));
  return all;
}
} // namespace

TEST(Spellings, AreReadAsOurOwnText) {
  for (auto [other, ours] : allPairs()) {
    SCOPED_TRACE(other);
    Reading spelled = read(program(other), /*withSpellings=*/true);
    Reading own = read(program(ours), /*withSpellings=*/true);
    EXPECT_EQ(spelled.errors, std::vector<std::string>());
    EXPECT_NE(own.text, "");
    EXPECT_EQ(spelled.text, own.text);
  }
}

TEST(Spellings, NeedTheRegistration) {
  for (auto [other, ours] : allPairs()) {
    SCOPED_TRACE(other);
    Reading refused = read(program(other), /*withSpellings=*/false);
    EXPECT_EQ(refused.text, "");
    ASSERT_FALSE(refused.errors.empty());
    const std::string &error = refused.errors.front();
    EXPECT_EQ(error.find(lineOf(other)), 0u) << error;
    // cute's Diag::OtherSpelling.
    EXPECT_NE(error.find("if this is how CuTe DSL or the documents spell it, call "
                         "tessera::import::registerSpellings for this context"),
              std::string::npos)
        << error;
  }
}

/// Spellings that know no text, as those of somebody else know not all.
struct UnknowingSpellings : cute::Spellings {
  using Spellings::Spellings;
  OptionalParseResult value(AsmParser &, cute::ValueForm, std::string &) const override {
    return std::nullopt;
  }
  OptionalParseResult addressSpace(AsmParser &, cute::AddressSpace &) const override {
    return std::nullopt;
  }
  OptionalParseResult departure(OpAsmParser &, OperationState &, cute::Departure,
                                cute::ParsedOp &) const override {
    return std::nullopt;
  }
  TypeParser typeNamed(StringRef) const override { return nullptr; }
  std::optional<Dialect::ParseOpHook> opNamed(StringRef) const override { return std::nullopt; }
  void omittedResults(OperationName, SmallVectorImpl<Type> &) const override {}
};

TEST(Spellings, MayNotKnowATextThatIsNotOurs) {
  const std::pair<const char *, const char *> rows[] = {
      {R"mlir(%0 = cute.size <{mode = [0]}> (%l) : (!cute.layout<"(8,4):(1,8)">) -> !cute.int_tuple<"8">)mlir",
       "17: custom op 'cute.size' expects attributes without names"},
      {R"mlir(%0 = cute.size(%l) <[0]> : (!cute.layout<"(8,4):(1,8)">) -> !cute.int_tuple<"8">)mlir",
       "20: custom op 'cute.size' expects the attributes before the operands"},
      {R"mlir(%0 = cute.size(%l) : !cute.layout<"(8,4):(1,8)"> -> !cute.int_tuple<"32">)mlir",
       "22: custom op 'cute.size' expects the types as they are printed"},
      {R"mlir(cute.print("text") : i32)mlir",
       "20: custom op 'cute.print' expects no `:` without operands"},
      {"%0 = cute.memref.load_vec %t, row_major : " TENSOR84,
       "29: custom op 'cute.memref.load_vec' expects ':'"},
      {"%0 = cute.memref.load_vec %i : i32",
       "30: custom op 'cute.memref.load_vec' expects a !cute.memref"},
  };
  for (auto [text, error] : rows) {
    Reading refused = readWith(program(text), [](DialectRegistry &registry) {
      registry.addExtension(+[](MLIRContext *, cute::CuteDialect *dialect) {
        dialect->addInterfaces<UnknowingSpellings>();
      });
    });
    EXPECT_EQ(refused.text, "");
    ASSERT_FALSE(refused.errors.empty()) << text;
    std::string expected = std::string("loc(\"test.mlir\":2:") + error;
    expected.insert(expected.find(": custom"), ")");
    EXPECT_EQ(refused.errors.front(), expected);
  }
}

TEST(Spellings, OfAnAddressSpaceIsOne) {
  Reading refused = read(program("!cute.ptr<f16, 1>"), /*withSpellings=*/false);
  ASSERT_FALSE(refused.errors.empty());
  EXPECT_NE(refused.errors.front().find("expects the name of an address space; if this is how"),
            std::string::npos)
      << refused.errors.front();
}

TEST(Spellings, AreNotPrinted) {
  // What is printed is read without them, and printed again as it was.
  for (auto [other, ours] : allPairs()) {
    SCOPED_TRACE(other);
    std::string printed = read(program(other), /*withSpellings=*/true).text;
    Reading again = read(printed, /*withSpellings=*/false);
    EXPECT_EQ(again.errors, std::vector<std::string>());
    EXPECT_EQ(again.text, printed);
  }
}

TEST(Spellings, AreImportedInAContextWithoutThem) {
  // The foreign context has them by itself.
  Session session(/*withSpellings=*/false);
  ASSERT_TRUE(session.read("func.func private @f(!cute.layout<<8:1, 4:8>>, !cute.ptr<f16, 3>)\n"));
  EXPECT_NE(session.text().find(R"mlir(!cute.layout<"(8,4):(1,8)">, !cute.ptr<f16, smem>)mlir"),
            std::string::npos)
      << session.text();
}

TEST(Spellings, HaveRowsForOpsThatExist) {
  DialectRegistry registry;
  registry.insert<cute::CuteDialect, cute_nvgpu::CuteNvgpuDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto exists = [&](StringRef op) {
    return RegisteredOperationName::lookup(op, &context).has_value();
  };
  for (const Spelling &spelling : spellings()) {
    for (const OpRow &row : spelling.ops)
      EXPECT_TRUE(row.op == anyOp || exists(row.op)) << row.op.str();
    for (const NameRow &row : spelling.names)
      EXPECT_TRUE(exists(row.ours) && !exists(row.name)) << row.name.str();
  }
  for (const Version &version : versions())
    for (const ResultRow &row : version.results)
      EXPECT_TRUE(exists(row.op)) << row.op.str();
}

TEST(Spellings, AreReportedWhereTheyAreMalformed) {
  struct Bad {
    const char *text, *error;
  };
  const Bad texts[] = {
      {"!cute.shape<0>", "1:34): expected string, or a rank of 1 to 16, but got 0"},
      {"!cute.swizzle<3>", "1:36): expected string"},
      {"!cute.layout<<8:1, 4>>", "1:42): expected ':'"},
      {"!cute.layout<<8:1, x:1>>", "1:41): expected integer value"},
      {"!cute.layout<<8:1, 4:8 2>>", "1:44): expected '>'"},
      {"!cute.ptr<f16, 4>",
       "1:37): expects an address space generic, gmem, smem, rmem, tmem or dsmem, but got '4'"},
      {"!cute.ptr<f16, [1]>", "1:37): expected valid keyword"},
      {"%0 = cute.make_shape [%i, : !cute.shape<2>", "2:26): expected SSA operand"},
      {"%0 = cute.make_shape [%i : !cute.shape<2>", "2:25): expected ']'"},
      {"%0 = cute.make_layout(shape = (8, stride = 1) : !cute.layout<1>",
       "2:35): custom op 'cute.make_layout' expected integer value"},
      {"%0 = cute.make_layout(shape (8)) : !cute.layout<1>", "2:28): expected '='"},
      {"%0 = cute.make_layout(shapes = (8)) : !cute.layout<1>", "2:23): expected SSA operand"},
      {"%0 = cute.make_composed_layout(outer = %l, swizzle = S<2, 4, 3>, offset = 0) : " LAYOUT84,
       "2:54): custom op 'cute.make_composed_layout' expected 'swizzle'"},
      {R"mlir(%0 = cute.make_swizzle 2, 4 : !cute.swizzle<"S<2,4,3>">)mlir", "2:28): expected ','"},
      {"%0 = cute.get_iter(%p, %i) : (!cute.ptr<f32, gmem>, i32)",
       "2:19): custom op 'cute.get_iter' requires a single operand"},
      {"%0 = cute.tensors(%t) : (" TENSOR84 ")", "2:6): custom op 'cute.tensors' is unknown"},
      {"%0 = cute.get_layout %t, : " TENSOR84, "2:25): expected SSA operand"},
      {"%0 = cute.get_layout : " TENSOR84, "2:21): expected SSA operand"},
      {"%0 = cute.get(%l) <{mode = [x]}> : " LAYOUT84,
       "2:29): custom op 'cute.get' expected integer value"},
      {"%0 = cute.get(%l) <{mode = [1]> : " LAYOUT84, "2:31): expected '}'"},
      {R"mlir(%0 = cute.make_view(%p, %l) : !cute.shape<"8">)mlir",
       "2:20): custom op 'cute.make_view' cannot tell the operand types from the result type "
       "'!cute.shape<\"8\">'"},
      {R"mlir(cute.print("text", :)mlir", "2:19): expected ')'"},
  };
  for (auto [text, error] : texts) {
    SCOPED_TRACE(text);
    Reading refused = read(program(text), /*withSpellings=*/true);
    EXPECT_EQ(refused.text, "");
    ASSERT_FALSE(refused.errors.empty());
    EXPECT_EQ(refused.errors.front().find(std::string("loc(\"test.mlir\":") + error), 0u)
        << refused.errors.front();
  }
}

} // namespace tessera::import::test
