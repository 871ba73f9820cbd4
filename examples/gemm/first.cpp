// D = A B^T on Hopper in one page: TMA brings tiles, one warpgroup multiplies them, threads write
// what they have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints CuTe IR: build/dev/bin/example-gemm > gemm.mlir. A is M x K and B N x K, f16, D is M x N,
// f32; rows are contiguous, M is a multiple of 64, N of 128. tessera/kernels/sm90/Gemm.cpp is the
// same grown up: persistent, with a producer warp, clusters, epilogues and any size.
#include "tessera/driver/Compiler.h"
#include "tessera/dsl/Dsl.h"

#include "llvm/Support/raw_ostream.h"

using namespace tessera::dsl;
namespace layout = tessera::layout;

constexpr int tileM = 64, tileN = 128, tileK = 64, threads = 128;
constexpr layout::Swizzle swizzle{3, 4, 3};

/// A swizzled row of shared memory is 128 bytes: 64 numbers. Eight rows make the block that is
/// swizzled.
static Layout tileOf(int rows) {
  return make_layout(make_shape(make_shape(8, rows / 8), make_shape(64, 1)),
                     make_stride(make_stride(64, 512), make_stride(1, 0)));
}

/// What a block has in shared memory.
struct Plan {
  SharedMemory memory;
  Region a = memory.allocate(tileM * tileK * 2), b = memory.allocate(tileN * tileK * 2),
         barrier = memory.barriers(1);
};

struct Parameters {
  TmaTensor A, B;
  Tensor D;
  auto members() { return std::tie(A, B, D); }
};

/// What a block does: its tile of D, along K.
static void kernelBody(const Parameters &given) {
  const auto &[A, B, D] = given;
  Num m = block_idx(0), n = block_idx(1), thread = thread_idx();

  Plan plan;
  plan.memory.open();
  Tensor sA = make_tensor(plan.memory.pointer(plan.a, f16, swizzle), tileOf(tileM));
  Tensor sB = make_tensor(plan.memory.pointer(plan.b, f16, swizzle), tileOf(tileN));
  Barrier arrived = plan.memory.at(plan.barrier)[0];
  If(thread == 0, [&] {
    arrived.init(1);
    mbarrier_init_fence();
  });
  sync_threads();

  // The block's rows of A and of B, all tiles of K.
  Tensor gA = local_tile(A.coords, make_tile(tileM, tileK), make_coord(m, _));
  Tensor gB = local_tile(B.coords, make_tile(tileN, tileK), make_coord(n, _));
  TmaParts a = tma_partition(A.atom, group_modes(sA, 0, 2), group_modes(gA, 0, 2));
  TmaParts b = tma_partition(B.atom, group_modes(sB, 0, 2), group_modes(gB, 0, 2));

  GroupMma product{.n = tileN, .a = f16, .b = f16, .c = f32};
  TiledMma mma = make_tiled_mma(make_atom(product, i1(false)));
  Tensor fragA = make_fragment_A(mma, partition_A(mma, sA, thread));
  Tensor fragB = make_fragment_B(mma, partition_B(mma, sB, thread));
  Tensor sums = make_fragment_C(mma, make_shape(tileM, tileN));

  For(0, size(gA, 2), 1, [&](Num i) {
    If(warp_uniform(thread / 32) == 0, [&] {
      expect_bytes(arrived, plan.a.bytes + plan.b.bytes);
      tma_load(given.A.atom, a.gmem(_, i), a.smem, arrived);
      tma_load(given.B.atom, b.gmem(_, i), b.smem, arrived);
    });
    arrived.wait(i & 1);
    warpgroup_arrive();
    for (int block = 0; block < tileK / int(product.k()); ++block) {
      Num adds = block ? i1(true) : i > 0; // the first product of all overwrites
      gemm(accumulate(mma, adds), sums, fragA(_, _, block), fragB(_, _, block), sums);
    }
    warpgroup_commit();
    warpgroup_wait(0);
    sync_threads(); // before the tiles are overwritten
  });

  Tensor gD = local_tile(D, make_tile(tileM, tileN), make_coord(m, n));
  Tensor mine = partition_C(mma, gD, thread);
  store_vec(load_vec(sums), mine);
}

int main() {
  tessera::driver::Compiler compiler;
  Context context(&compiler.context());

  // Rows start at multiples of 16 bytes, as TMA wants them.
  mlir::Type half = tensor_type(f16, "(?,?):(?{i64 div=8},1)", AddressSpace::Gmem, 16);
  mlir::Type single = tensor_type(f32, "(?,?):(?{i64 div=4},1)", AddressSpace::Gmem, 16);
  Parameters passed;
  host("gemm", {half, half, single}, [&](Arguments tensors, Stream stream) {
    Tensor D = tensors.tensor(2);
    passed.A = make_tma_load(tensors.tensor(0), make_swizzled(swizzle, tileOf(tileM)),
                             make_tile(tileM, tileK));
    passed.B = make_tma_load(tensors.tensor(1), make_swizzled(swizzle, tileOf(tileN)),
                             make_tile(tileN, tileK));
    passed.D = D;
    check((size(D, 0) % tileM == 0) & (size(D, 1) % tileN == 0),
          "expects M to be a multiple of 64 and N of 128");
    launch("gemm_kernel",
           {.gridX = size(D, 0) / tileM,
            .gridY = size(D, 1) / tileN,
            .threads = threads,
            .smemBytes = Plan().memory.bytes()},
           stream, passed);
  });
  kernel("gemm_kernel", threads, passed, kernelBody);

  mlir::OwningOpRef<mlir::ModuleOp> module = context.finish();
  if (!module)
    return 1;
  llvm::outs() << *module << "\n";
}
