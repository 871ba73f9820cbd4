// What each kind of value is in the IR, and what is computed without it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Dsl.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::dsl;

namespace {
/// The text of a module in whose only kernel the body is written; empty after a mistake.
std::string written(const std::function<void()> &body,
                    atom::Target target = *atom::Target::parse("sm_90a")) {
  mlir::MLIRContext mlirContext;
  Context context(&mlirContext, target);
  kernel("k", 128, mlir::TypeRange(), [&](Arguments) { body(); });
  for (const Mistake &mistake : context.mistakes())
    ADD_FAILURE() << mistake.str();
  mlir::OwningOpRef<mlir::ModuleOp> module = context.finish();
  std::string text;
  if (module)
    llvm::raw_string_ostream(text) << *module;
  return text;
}
void expectPieces(const std::string &text, std::initializer_list<const char *> pieces) {
  size_t at = 0;
  for (const char *piece : pieces) {
    size_t found = text.find(piece, at);
    EXPECT_NE(found, std::string::npos) << "no '" << piece << "' in order in\n" << text;
    at = found == std::string::npos ? at : found + 1;
  }
}
} // namespace

TEST(Layouts, StaticOnesAreComputedWithoutIr) {
  mlir::MLIRContext mlirContext;
  Context context(&mlirContext);
  // CuTe's own examples (CUTLASS media/docs/cpp/cute/02_layout_algebra.md).
  EXPECT_EQ(layout::str(composition(Layout("(6,2):(8,2)"), Layout("(4,3):(3,1)")).get()),
            "((2,2),3):((24,2),8)");
  EXPECT_EQ(
      layout::str(logical_divide(Layout("(9,(4,8)):(59,(13,1))"), Tile("[3:3;(2,4):(1,8)]")).get()),
      "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))");
  EXPECT_EQ(layout::str(coalesce(Layout("(2,(1,6)):(1,(6,2))")).get()), "12:1");
  EXPECT_EQ(layout::str(make_layout(make_shape(2, make_shape(4, 8))).get()), "(2,(4,8)):(1,(2,8))");
  EXPECT_EQ(layout::str(make_layout(make_shape(4, 8), make_stride(8, 1)).get()), "(4,8):(8,1)");
  EXPECT_EQ(layout::str(make_swizzled({3, 4, 3}, Layout("(8,64):(64,1)")).get()),
            "S<3,4,3> o 0 o (8,64):(64,1)");
  EXPECT_TRUE(context.mistakes().empty());
  EXPECT_TRUE(context.ir().getBody()->empty());
}

TEST(Layouts, ALeafOfRunTimeMakesAnOperation) {
  expectPieces(written([] {
                 Layout l = make_layout(make_shape(4, thread_idx().promised(8)));
                 EXPECT_FALSE(l.isStatic());
                 EXPECT_EQ(layout::str(l.get()), "(4,?{div=8}):(1,4)");
                 EXPECT_EQ(layout::str(get_shape(l).tree()), "(4,?{div=8})");
                 size(l, 1);
               }),
               {"cute.make_int_tuple", "cute.make_layout", "cute.get_shape", "cute.size<[1]>",
                "cute.get_scalars"});
}

TEST(Coordinates, StaticModesUnderscoresAndNumbersMix) {
  expectPieces(written([] {
                 Tensor t = make_rmem_tensor(f32, Layout("(4,(2,8),3):(1,(4,8),64)"));
                 Tensor part = t(_, make_coord(1, thread_idx()), 2);
                 EXPECT_EQ(count(load_vec(part)), 4);
               }),
               {"!cute.coord<\"(_,(1,?),2)\">", "cute.slice", "cute.memref.load_vec"});
}

TEST(Numbers, LiteralsTakeTheTypeOfTheirPartner) {
  expectPieces(written([] {
                 Num wideNumber = wide(thread_idx()) + 7, half = f32(1) * 0.5;
                 Num vector = broadcast(half, 4) + 1;
                 EXPECT_EQ(count(vector), 4);
                 EXPECT_EQ(count(wideNumber), 1);
                 Num flipped = 3 - thread_idx();
                 EXPECT_TRUE(flipped);
               }),
               {"arith.constant 7 : i64", "arith.addi", "5.000000e-01 : f32", "arith.mulf",
                "fastmath<contract>", "vector.broadcast", "arith.constant 3 : i32", "arith.subi"});
}

TEST(Numbers, ConversionsFollowTheFormats) {
  expectPieces(written([] {
                 Num x = f32(2);
                 convert(x, bf16);
                 convert(f16(2), f32);
                 convert(x, i32);
                 convert(thread_idx(), f32);
                 convert(thread_idx(), i64);
                 convert(thread_idx(), i8);
                 EXPECT_EQ(convert(x, f32).ir(), x.ir());
               }),
               {"arith.truncf", "arith.extf", "arith.fptosi", "arith.sitofp", "arith.extsi",
                "arith.trunci"});
}

TEST(Elements, HaveTheNamesAndBitsOfTheIr) {
  EXPECT_EQ(Element::named("f8E4M3FN"), f8E4M3FN);
  EXPECT_EQ(Element::named("ui8"), u8);
  EXPECT_EQ(Element::named("float"), std::nullopt);
  EXPECT_EQ(tf32.bits(), 32);
  EXPECT_EQ(bf16.name(), "bf16");
  EXPECT_TRUE(f8E5M2.isFloat());
  EXPECT_FALSE(u64.isFloat());
}

TEST(Loops, HandOnValuesThatGoTogether) {
  struct State {
    Num sum;
    std::array<Num, 2> pair;
    auto members() { return std::tie(sum, pair); }
  };
  expectPieces(written([] {
                 State start{f32(0), {i32(1), i32(2)}};
                 State end = For(0, 10, 1, start, [](Num i, State &now) {
                   now.sum = now.sum + convert(i, f32);
                   std::swap(now.pair[0], now.pair[1]);
                 });
                 EXPECT_NE(end.sum.ir(), start.sum.ir());
                 If(end.pair[0] == 1, [] { sync_threads(); }, [] { cluster_sync(); });
               }),
               {"scf.for", "iter_args", "-> (f32, i32, i32)", "scf.yield", "scf.if", "nvvm.barrier",
                "else", "nvvm.cluster.arrive"});
}

TEST(Atoms, AreTypesWithoutText) {
  expectPieces(
      written([] {
        GroupMma product{.n = 128, .a = f16, .b = f16, .c = f32, .bMajor = atom::Major::MN};
        TiledMma mma = make_tiled_mma(make_atom(product, i1(false)));
        Tensor sums = make_fragment_C(mma, make_shape(64, 128));
        EXPECT_TRUE(sums.ir());
        make_stmatrix(bf16, 4);
        make_ldmatrix(f16, 2);
        make_universal_copy(f32, 128);
      }),
      {"sm90.mma<64x128x16, ab_major = (k, mn), elem_type = (f16, f16, f32), frag_kind = ss>",
       "cute.mma.make_fragment", "atom.stsm<bf16, mode = <\"(8,8)\">, num_matrices = 4, n>",
       "atom.ldsm<val_type = f16", "atom.universal_copy<f32, 128 b>"});
}

/// A product whose A is in tensor memory: a row of f16 is 2 x 65536 elements from the next, as two
/// are in a word of 32 bits, and 16 elements of K are 8 columns (CUTLASS tmem_frg).
TEST(Atoms, OfTensorMemory) {
  expectPieces(
      written(
          [] {
            TensorMma product{.m = 128,
                              .n = 64,
                              .a = f16,
                              .b = f16,
                              .c = f32,
                              .bMajor = atom::Major::MN,
                              .aFrom = atom::Residency::Tmem};
            make_tiled_mma(make_atom(product, i1(false)));
            SharedMemory memory;
            Region slot = memory.allocate(4, 8);
            memory.open();
            dsl::TensorMemory columns(32, memory.pointer(slot, i32, {}, 8));
            columns.take();
            sync_threads();
            make_fragment_A(columns.pointer(f16), product, 4);
            make_tmem_store(f32, 32);
            columns.giveBack();
          },
          *atom::Target::parse("sm_100a")),
      {"sm100.mma<128x64x16, num_cta = 1, ab_major = (k, mn), elem_type = (f16, f16, f32), "
       "frag_kind = ts",
       "((128,16),1,4):((131072,1),0,16)", "atom.tmem_store<f32, 32 DP, 32 bit, x32>"});
}

/// 8 x 16 threads with a vector of 8 each, row-major: the tiler of CuTe's make_tiled_copy is 8 x
/// 128.
TEST(Atoms, ATiledCopySharesATile) {
  expectPieces(written([] {
                 TiledCopy copy8 = make_tiled_copy(make_universal_copy(f32, 128),
                                                   Layout("(8,16):(16,1)"), Layout("(1,8):(0,1)"));
                 Tensor tile = make_rmem_tensor(f32, Layout("(8,128):(128,1)"));
                 Tensor mine = partition_S(copy8, tile, thread_idx());
                 EXPECT_EQ(count(load_vec(mine)), 8);
               }),
               {"tiler_mn = <\"[8:1;128:1]\">", "cute.tiled.copy.partition_S"});
}

TEST(SharedMemory, GivesAlignedPiecesInOrder) {
  SharedMemory memory;
  Region a = memory.allocate(100), b = memory.allocate(2048), full = memory.barriers(3),
         flags = memory.allocate(4, 4);
  EXPECT_EQ(a.start, 0);
  EXPECT_EQ(b.start, 1024);
  EXPECT_EQ(full.start, 3072);
  EXPECT_EQ(full.bytes, 24);
  EXPECT_EQ(flags.start, 3096);
  EXPECT_EQ(memory.bytes(), 3100);
}

TEST(Locations, AreTheAuthors) {
  mlir::MLIRContext mlirContext;
  Context context(&mlirContext);
  mlir::Operation *op = nullptr;
  unsigned line = 0;
  kernel("k", 32, mlir::TypeRange(),
         [&](Arguments) { op = (thread_idx() + 5).ir().getDefiningOp(), line = __LINE__; });
  auto location = mlir::dyn_cast<mlir::FileLineColLoc>(op->getLoc());
  ASSERT_TRUE(location);
  EXPECT_TRUE(location.getFilename().getValue().ends_with("ValuesTest.cpp"));
  EXPECT_EQ(location.getLine(), line);
}
