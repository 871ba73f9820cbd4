// What a kernel may be called with and made of: every kind of type, as a parameter and inside.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The specification: parameters of an entry are tiles of rank 0, numbers or pointers. All else is
// refused with a sentence, as the dialect itself, like NVIDIA's, lets entries have any parameters.
#include "Programs.h"

#include "tessera/cuda_tile/CudaTile.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::tile_lower::test;
using namespace mlir; // not above: both have a Builder

namespace {

/// Whether a type is of one of the kinds, by their numbers.
template <class... Kinds> struct KindsOf {
  static constexpr size_t count = sizeof...(Kinds);
  static std::optional<size_t> indexOf(Type type) {
    size_t i = 0;
    std::optional<size_t> found;
    ((isa<Kinds>(type) ? void(found = i++) : void(++i)), ...);
    return found;
  }
};
using BuiltinKinds = KindsOf<
#define GET_TYPEDEF_LIST
#include "mlir/IR/BuiltinTypes.cpp.inc"
    >;
using TileKinds = KindsOf<
#define GET_TYPEDEF_LIST
#include "tessera/cuda_tile/Types.cpp.inc"
    >;

/// Types of the first table are of MLIR, of the second of `cuda_tile`, and some of other dialects.
const char *const others[] = {
    "complex<f32>",
    "f8E5M2",
    "f8E4M3",
    "f8E4M3FN",
    "f8E5M2FNUZ",
    "f8E4M3FNUZ",
    "f8E4M3B11FNUZ",
    "f8E3M4",
    "f4E2M1FN",
    "f6E2M3FN",
    "f6E3M2FN",
    "f8E8M0FNU",
    "bf16",
    "f16",
    "tf32",
    "f32",
    "f64",
    "f80",
    "f128",
    "(i32) -> f32",
    "index",
    "i1",
    "i32",
    "si8",
    "ui64",
    "i4",
    "memref<4xf32>",
    "memref<*xf32>",
    "none",
    "tensor<4xi8>",
    "tensor<?xf32>",
    "tensor<*xf32>",
    "tuple<>",
    "tuple<i32, f32>",
    "vector<4xf32>",
    "!foreign.type",
    "!llvm.ptr",
    "!llvm.array<4 x i8>",
    "!gpu.async.token",
    "!cute.layout<\"4:1\">",
    "!cuda_tile.ptr<f32>",
    "!cuda_tile.token",
    "!cuda_tile.f8E5M3FNU",
    "!cuda_tile.tile<4xi32>",
    "!cuda_tile.tile<1xf32>",
    "!cuda_tile.tile<2x4xptr<f32>>",
    "!cuda_tile.tensor_view<?x64xf32, strides=[?,1]>",
    "!cuda_tile.partition_view<tile=(4x16), tensor_view<?x64xf32, strides=[?,1]>>",
    "!cuda_tile.strided_view<tile=(4x16), traversal_strides=[2,8], tensor_view<?x64xf32, "
    "strides=[?,1]>>",
    "!cuda_tile.gather_scatter_view<tile=(4x16), tensor_view<?x64xf32, strides=[?,1]>, "
    "sparse_dim=0>"};
/// Elements of tiles of rank 0; f4E2M1FN has none, as its tiles have an even number of elements.
const char *const elements[] = {
    "i1",        "i4",      "i8",      "i16",       "i32",      "i64",           "f16",
    "bf16",      "f32",     "tf32",    "f64",       "f8E4M3FN", "f8E5M2",        "f8E8M0FNU",
    "f8E5M3FNU", "ptr<i1>", "ptr<i8>", "ptr<bf16>", "ptr<f64>", "ptr<f4E2M1FN>", "ptr<f8E5M3FNU>"};

class Entries : public testing::Test {
protected:
  Entries() { compiler.context().allowUnregisteredDialects(); }
  std::string said(const std::string &body, const std::string &parameters = "") {
    Compiled done = compile(compiler,
                            "cuda_tile.module @m {\n  entry @k(" + parameters + ") {\n" + body +
                                "    return\n  }\n}\n",
                            "sm_90a", level);
    EXPECT_EQ(done.ptx.empty(), !done.error.empty());
    return done.error;
  }
  driver::Compiler compiler;
  int level = 1;
};

TEST_F(Entries, TheTablesHaveEveryKind) {
  std::set<size_t> builtin, own;
  for (const char *text : others) {
    Type type = parseType(text, &compiler.context());
    ASSERT_TRUE(type) << text;
    if (auto kind = BuiltinKinds::indexOf(type))
      builtin.insert(*kind);
    if (auto kind = TileKinds::indexOf(type))
      own.insert(*kind);
  }
  EXPECT_EQ(builtin.size() + 1, BuiltinKinds::count); // a graph's type has no text
  EXPECT_EQ(own.size(), TileKinds::count);
}

TEST_F(Entries, TakeScalarTiles) {
  for (level = 0; level < 2; ++level)
    for (std::string element : elements)
      EXPECT_EQ(said("", "%a: tile<" + element + ">"), "") << element << " at level " << level;
}

TEST_F(Entries, RefuseAllOtherParameters) {
  for (level = 0; level < 2; ++level)
    for (std::string type : others) {
      std::string sentence = said("", "%n: tile<i32>, %a: " + type);
      bool isSaid = llvm::StringRef(sentence).contains("only scalar tiles") ||
                    llvm::StringRef(sentence).contains("must have scalar types"); // of tiles
      EXPECT_TRUE(isSaid) << type << ": " << sentence;
    }
}

// A loop that does not end may give anything, which another one carries.
TEST_F(Entries, RefuseValuesThatAreNoTiles) {
  for (level = 0; level < 2; ++level)
    for (std::string type : others) {
      std::string sentence = said(
          cat("    %r = \"cuda_tile.loop\"() ({\n      \"cuda_tile.continue\"() : () -> ()\n    "
              "}) : () -> (",
              type, ")\n    %s = \"cuda_tile.loop\"(%r) ({\n    ^bb0(%c: ", type,
              "):\n      \"cuda_tile.break\"(%c) : (", type, ") -> ()\n    }) : (", type, ") -> (",
              type, ")\n"));
      bool isOfTiles = type.starts_with("!cuda_tile.") && !type.starts_with("!cuda_tile.ptr") &&
                       !type.starts_with("!cuda_tile.f8");
      bool isView = type.find("_view<") != type.npos; // which the verifier does not let loops give
      EXPECT_EQ(sentence.empty(), isOfTiles && !isView) << type << ": " << sentence;
    }
}

// Rows are found by the name after the dialect's, so each name is tried with another dialect's.
TEST_F(Entries, RefuseOpsOfOtherDialects) {
  std::vector<std::string> ops = {"%c = arith.constant 1 : i32"};
  for (RegisteredOperationName name :
       compiler.context().getRegisteredOperationsByDialect("cuda_tile"))
    for (const char *form : {"() : () -> ()", "(%a) : (!cuda_tile.tile<i32>) -> ()",
                             "(%a, %a) : (!cuda_tile.tile<i32>, !cuda_tile.tile<i32>) -> "
                             "!cuda_tile.tile<i32>"})
      ops.push_back((form[1] == '%' && form[3] == ',' ? "%b = \"foreign." : "\"foreign.") +
                    name.stripDialect().str() + "\"" + form);
  EXPECT_GT(ops.size(), 300u);
  for (level = 0; level < 2; ++level)
    for (const std::string &op : ops) {
      std::string sentence = said("    " + op + "\n", "%a: tile<i32>");
      EXPECT_NE(sentence.find("of another dialect"), sentence.npos) << op << ": " << sentence;
    }
}

} // namespace

/// Globals may have any names, also those of kernels' functions and of other kernels' arrays, which
/// PTX could not have.
TEST(Names, OfGlobals) {
  driver::Compiler compiler;
  for (std::string name : {"g", "\"my-g\"", "\"a b\"", "\"1$x\"", "vprintf", "tile_constant"}) {
    std::string text = "cuda_tile.module @m {\n  global @" + name + R"( <i32: [5, 6]> : tile<2xi32>
  entry @k(%p: tile<ptr<i32>>, %n: tile<i32>) {
    %g = get_global @)" +
                       name + R"( : tile<ptr<i32>>
    %v, %t = load_ptr_tko weak %g : tile<ptr<i32>> -> tile<i32>, token
    %u = print_tko "%d\0A", %v token = %t : tile<i32> -> token
    %w = store_ptr_tko weak %g, %n token = %u : tile<ptr<i32>>, tile<i32> -> token
    %x, %y = load_ptr_tko weak %g token = %w : tile<ptr<i32>> -> tile<i32>, token
    %z = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
)";
    EXPECT_EQ(difference(compiler, text, {newArray(tile_eval::TypeKind::I32, 1)},
                         {.numbers = {{tile_eval::TypeKind::I32, 7}}}),
              "")
        << name;
  }
}

/// A kernel named as an array of the compiler might be.
TEST(Names, OfKernels) {
  driver::Compiler compiler;
  for (const char *name : {"tile_shared", "tile_constant", "_k", "$k"}) {
    std::string text = std::string(R"(cuda_tile.module @m {
  entry @a(%p: tile<ptr<i32>>) {
    %v = constant <i32: [1, 2, 3, 4]> : tile<4xi32>
    %s = reduce %v dim=0 identities=[0 : i32] : tile<4xi32> -> tile<i32> (%x: tile<i32>, %y: tile<i32>) {
      %z = addi %x, %y : tile<i32>
      yield %z : tile<i32>
    }
    %t = store_ptr_tko weak %p, %s : tile<ptr<i32>>, tile<i32> -> token
    return
  }
  entry @")") + name + "\"() {\n    return\n  }\n}\n";
    for (int level : {0, 1}) {
      Compiled code = compile(compiler, text, "sm_90a", level);
      EXPECT_EQ(code.error, "") << name;
      EXPECT_NE(code.ptx.find(std::string(".visible .entry ") + name + "("), code.ptx.npos) << name;
    }
  }
}

/// Threads of a block: 128, or 256 for a tile of 16384; for a reduction as many as have 32 elements
/// each, of several warps only if there are loads of next iterations to hold.
TEST(Threads, AsTheTilesAndTheHintSay) {
  driver::Compiler compiler;
  const std::string sum =
      "    %s = reduce %t dim=0 identities=[0 : i32] : tile<{N}xi32> -> tile<i32> (%x: tile<i32>, "
      "%y: "
      "tile<i32>) {\n      %z = addi %x, %y : tile<i32>\n      yield %z : tile<i32>\n    }\n";
  auto threads = [&](int64_t count, bool isSummed, bool isLooping = false,
                     const std::string &hint = "") {
    std::string text = R"(cuda_tile.module @m {
  entry @k(%p: tile<ptr<i32>>, %n: tile<i32>){Hint} {
    %i = iota : tile<{N}xi32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %t = {Loop}
{Sum}    %last = extract %t[%zero] : tile<{N}xi32> -> tile<1xi32>
    %value = {Value}
    %u = store_ptr_tko weak %p, %value : tile<ptr<i32>>, tile<i32> -> token
    return
  }
}
)";
    const std::string loop =
        R"(for %j in (%zero to %n, step %one) : tile<i32> iter_values(%a = %i) -> (tile<{N}xi32>) {
      %b = addi %a, %i : tile<{N}xi32>
      continue %b : tile<{N}xi32>
    })";
    Compiled compiled = compile(
        compiler,
        filledIn(filledIn(text, {{"Hint", hint},
                                 {"Loop", isLooping ? loop : "addi %i, %i : tile<{N}xi32>"},
                                 {"Sum", isSummed ? sum : ""},
                                 {"Value", isSummed ? "addi %s, %n : tile<i32>"
                                                    : "reshape %last : tile<1xi32> -> tile<i32>"}}),
                 {{"N", str(count)}}),
        "sm_90a", 1);
    EXPECT_EQ(compiled.error, "");
    return compiled.threads();
  };
  for (int64_t count : {1, 128, 1024, 8192})
    EXPECT_EQ(threads(count, false), 128u) << count;
  EXPECT_EQ(threads(16384, false), 256u);
  for (bool isLooping : {false, true}) {
    for (int64_t count : {1, 32, 512, 1024})
      EXPECT_EQ(threads(count, true, isLooping), 32u) << count;
    EXPECT_EQ(threads(2048, true, isLooping), 64u);
    EXPECT_EQ(threads(4096, true, isLooping), 128u);
    EXPECT_EQ(threads(8192, true, isLooping), 256u);
    EXPECT_EQ(threads(32768, true, isLooping), 256u);
  }
  for (int64_t warps : {4, 8})
    EXPECT_EQ(
        threads(512, true, false,
                cat(" optimization_hints=<default = {num_worker_warps_per_cta = ", warps, "}>")),
        warps * 32)
        << warps;
}

/// A block of one warp, because of the sum, stores bytes whose addresses are multiples of nothing:
/// its 32 threads are fewer than the 64 bytes that a store should have in a row.
TEST(Threads, OfOneWarpStoreBytes) {
  const char *text = R"(cuda_tile.module @m {
  entry @k(%from: tile<ptr<i8>>, %to: tile<ptr<i8>>, %n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %a = make_tensor_view %from, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
    %b = make_tensor_view %to, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi8, strides=[1]>
    %pa = make_partition_view %a : partition_view<tile=(256), padding_value = zero, tensor_view<?xi8, strides=[1]>>
    %pb = make_partition_view %b : partition_view<tile=(256), padding_value = zero, tensor_view<?xi8, strides=[1]>>
    %x, %t = load_view_tko weak %pa[%zero] : partition_view<tile=(256), padding_value = zero, tensor_view<?xi8, strides=[1]>>, tile<i32> -> tile<256xi8>, token
    %s = reduce %x dim=0 identities=[0 : i8] : tile<256xi8> -> tile<i8> (%u: tile<i8>, %v: tile<i8>) {
      %w = addi %u, %v : tile<i8>
      yield %w : tile<i8>
    }
    %r = reshape %s : tile<i8> -> tile<1xi8>
    %q = broadcast %r : tile<1xi8> -> tile<256xi8>
    %y = addi %x, %q : tile<256xi8>
    %st = store_view_tko weak %y, %pb[%zero] : tile<256xi8>, partition_view<tile=(256), padding_value = zero, tensor_view<?xi8, strides=[1]>>, tile<i32> -> token
    return
  }
}
)";
  driver::Compiler compiler;
  for (uint64_t count : {1, 100, 255, 256}) {
    Array from = newArray(tile_eval::TypeKind::I8, count);
    for (size_t i = 0; i < count; ++i)
      from.setCode(i, i * 37 % 251);
    EXPECT_EQ(
        difference(
            compiler, text, {from, newArray(tile_eval::TypeKind::I8, count)},
            {.arch = "sm_90a", .numbers = {{tile_eval::TypeKind::I32, count}}, .sanitizes = true},
            Match::Equal),
        "")
        << count;
  }
}
