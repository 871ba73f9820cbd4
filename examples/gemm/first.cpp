// D = A B^T on Hopper in one page: TMA brings tiles, one warpgroup multiplies them, threads write
// what they have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints CuTe IR: build/dev/bin/example-gemm > gemm.mlir. A is M x K and B N x K, f16, D is M x N,
// f32; rows are contiguous, M is a multiple of 64, N of 128. tessera/kernels/Gemm.cpp is the same
// grown up: persistent, with a producer warp, clusters, epilogues and any size.
#include "tessera/driver/Compiler.h"
#include "tessera/dsl/Builder.h"

#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera::dsl;
using mlir::Value;
using mlir::ValueRange;

constexpr int tileM = 64, tileN = 128, tileK = 64, threads = 128;
// A swizzled row of shared memory is 128 bytes: 64 numbers. Eight rows make the block that is
// swizzled.
constexpr char layoutA[] = "((8,8),(64,1)):((64,512),(1,0))",
               layoutB[] = "((8,16),(64,1)):((64,512),(1,0))";
constexpr char swizzled[] = "!cute.ptr<f16, smem, align<1024>, S<3,4,3>>";
constexpr int bytesA = tileM * tileK * 2, bytesB = tileN * tileK * 2, barrierAt = bytesA + bytesB;

/// What a block does: its tile of D, along K.
static void kernel(Builder &k, ValueRange arguments) {
  TmaTensor A{arguments[0], arguments[1]}, B{arguments[2], arguments[3]};
  Value D = arguments[4];
  Num m = k.sreg("ctaid.x"), n = k.sreg("ctaid.y"), thread = k.sreg("tid.x");

  Value smem = k.dyn_smem(1024);
  Value sA = k.make_tensor(k.recast_iter(smem, swizzled), k.layout(layoutA));
  Value sB = k.make_tensor(k.recast_iter(k.offset(smem, bytesA), swizzled), k.layout(layoutB));
  Value arrived = k.recast_iter(k.offset(smem, barrierAt), "!cute.ptr<i64, smem, align<8>>");
  k.If(thread == 0, [&] {
    k.mbarrier_init(arrived, k.i32(1));
    k.mbarrier_init_fence();
  });
  k.sync_threads();

  // The block's rows of A and of B, all tiles of K.
  Value gA = k.local_tile(A.coords, "[64:1;64:1]", k.coord("(?,_)", m.v));
  Value gB = k.local_tile(B.coords, "[128:1;64:1]", k.coord("(?,_)", n.v));
  TmaParts a = k.tma_partition(A.atom, k.group_modes(sA, 0, 2), k.group_modes(gA, 0, 2));
  TmaParts b = k.tma_partition(B.atom, k.group_modes(sB, 0, 2), k.group_modes(gB, 0, 2));

  Value mma = k.make_tiled_mma(k.make_atom(
      "sm90.mma<64x128x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>",
      k.i1(false).v));
  Value fragA = k.make_fragment_A(mma, k.partition_A(mma, sA, thread));
  Value fragB = k.make_fragment_B(mma, k.partition_B(mma, sB, thread));
  Value sums = k.make_fragment_C(mma, "(64,128)");

  k.For(k.i32(0), k.size(gA, 2), k.i32(1), {}, [&](Num i, ValueRange) {
    k.If(k.warp_uniform(thread / 32) == 0, [&] {
      k.If(k.elect(), [&] { k.mbarrier_expect_tx(arrived, k.i32(bytesA + bytesB)); });
      k.tma_load(A.atom, k.slice(a.gmem, k.coord("(_,?)", i.v)), a.smem, arrived);
      k.tma_load(B.atom, k.slice(b.gmem, k.coord("(_,?)", i.v)), b.smem, arrived);
    });
    k.mbarrier_wait(arrived, i & 1);
    k.warpgroup_arrive();
    for (int block = 0; block < tileK / 16; ++block) {
      Value at = k.coord("(_,_," + llvm::Twine(block) + ")");
      Num adds = block ? k.i1(true) : i > 0; // the first product of all overwrites
      k.gemm(k.accumulate(mma, adds), sums, k.slice(fragA, at), k.slice(fragB, at), sums);
    }
    k.warpgroup_commit();
    k.warpgroup_wait(0);
    k.sync_threads(); // before the tiles are overwritten
    return Nums{};
  });

  Value gD = k.local_tile(D, "[64:1;128:1]", k.coord("(?,?)", {m.v, n.v}));
  Value mine = k.partition_C(mma, gD, thread);
  k.store_vec(k.load_vec(sums), mine);
}

int main() {
  tessera::driver::Compiler compiler;
  Builder k(&compiler.context());

  mlir::Type half = k.type("!cute.memref<f16, gmem, align<16>, \"(?,?):(?{i64 div=8},1)\">");
  mlir::Type single = k.type("!cute.memref<f32, gmem, align<16>, \"(?,?):(?{i64 div=4},1)\">");
  mlir::SmallVector<mlir::Type> types;
  k.host("gemm", {half, half, single}, [&](ValueRange tensors, Value stream) {
    Value D = tensors[2];
    TmaTensor A = k.make_tma_load(
        tensors[0], k.composed_layout(llvm::Twine("S<3,4,3> o 0 o ") + layoutA), "[64:1;64:1]");
    TmaTensor B = k.make_tma_load(
        tensors[1], k.composed_layout(llvm::Twine("S<3,4,3> o 0 o ") + layoutB), "[128:1;64:1]");
    k.check((k.size(D, 0) % tileM == 0) & (k.size(D, 1) % tileN == 0),
            "expects M to be a multiple of 64 and N of 128");
    Nums passed{A.atom, A.coords, B.atom, B.coords, D};
    types = mlir::SmallVector<mlir::Type>(ValueRange(passed).getTypes());
    k.launch("gemm_kernel",
             {k.size(D, 0) / tileM, k.size(D, 1) / tileN, k.i32(1), threads, barrierAt + 8}, stream,
             passed);
  });
  k.kernel("gemm_kernel", types, threads, [&](ValueRange arguments) { kernel(k, arguments); });

  if (failed(mlir::verify(*k.module)))
    return 1;
  llvm::outs() << *k.module << "\n";
}
