// Builder: CuTe IR written in C++, with the names of CuTe C++; result types are inferred op by op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static layouts, tiles and types are given as text ("(8,4):(4,1)"), run-time values as operands.
// Mistakes of the program that builds are reported as diagnostics at the builder's location, and
// end it: a generator has no user input.
#pragma once

#include "tessera/cute/Cute.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

#include <functional>

namespace tessera::dsl {

class Builder;

/// A number of the program that is built: an i32 unless said otherwise, an i1, an f32, or a vector
/// of one of them, on which the operators work element by element.
struct Num {
  Builder *b = nullptr;
  mlir::Value v;

  operator mlir::Value() const { return v; }
};
Num operator+(Num, Num);
Num operator-(Num, Num);
Num operator*(Num, Num);
Num operator/(Num, Num); // of numbers that are not negative
Num operator%(Num, Num); // likewise
Num operator&(Num, Num);
Num operator^(Num, Num);
Num operator<(Num, Num);
Num operator>(Num, Num);
Num operator==(Num, Num);
Num operator+(Num, int64_t);
Num operator-(Num, int64_t);
Num operator*(Num, int64_t);
Num operator/(Num, int64_t);
Num operator%(Num, int64_t);
Num operator&(Num, int64_t);
Num operator^(Num, int64_t);
Num operator<(Num, int64_t);
Num operator>(Num, int64_t);
Num operator==(Num, int64_t);

using Nums = llvm::SmallVector<mlir::Value>;

/// A TMA atom with its tensor map, and the tensor of coordinates that it copies by.
struct TmaTensor {
  mlir::Value atom, coords;
};
/// What a CTA copies: (instruction, rest...) of shared memory and of the tensor.
struct TmaParts {
  mlir::Value smem, gmem;
};

class Builder {
public:
  explicit Builder(mlir::MLIRContext *);

  mlir::OpBuilder b;
  mlir::Location loc;

  //===--- scalars ----------------------------------------------------------------------------===//

  Num i32(int64_t);
  Num i64(int64_t);
  Num i1(bool);
  Num num(mlir::Value v) { return {this, v}; }
  Num select(Num condition, Num yes, Num no);
  Num min(Num, Num);
  Num max(Num, Num);
  Num wide(Num); // as an i64, of a number that is not negative
  /// A special register, under NVVM's name for it: "tid.x", "cluster.ctarank".
  Num sreg(llvm::StringRef name);
  /// A number that all lanes of the warp agree on.
  Num warp_uniform(Num);

  //===--- floating point and vectors ---------------------------------------------------------===//

  Num f32(double);
  Num exp2(Num);                // 2^x by the hardware's approximation, subnormals flushed
  Num log2(Num);                // likewise
  Num fma(Num x, Num y, Num z); // x y + z, rounded once
  Num narrow(Num,
             const llvm::Twine &element); // to a narrower floating-point type, rounded to nearest
  Num broadcast(Num, int64_t count);      // a vector of equal numbers
  Num integers(llvm::ArrayRef<int32_t>);  // a vector of these
  /// A vector's elements, combined pairwise in a tree: sums differ in rounding from those taken one
  /// after the other.
  Num reduce(Num vector, const std::function<Num(Num, Num)> &combine);
  /// What the lane holds whose index differs in the bits of `lanes`.
  Num shfl_xor(Num, int lanes);

  //===--- control flow -----------------------------------------------------------------------===//

  void If(Num condition, const std::function<void()> &then,
          const std::function<void()> &otherwise = {});
  /// `body(i, carried)` returns what the next iteration carries.
  Nums For(Num from, Num to, Num step, mlir::ValueRange carried,
           const std::function<Nums(Num i, mlir::ValueRange carried)> &body);

  //===--- values by type ---------------------------------------------------------------------===//

  mlir::Type type(const llvm::Twine &text);
  mlir::Value layout(const llvm::Twine &text);
  mlir::Value composed_layout(const llvm::Twine &text);
  mlir::Value tile(const llvm::Twine &text);
  /// `_` and static leaves in the text, the rest as operands: coord("(_,?)", {k}).
  mlir::Value coord(const llvm::Twine &text, mlir::ValueRange leaves = {});
  mlir::Value shape(const llvm::Twine &text, mlir::ValueRange leaves = {});
  mlir::Value int_tuple(const llvm::Twine &text, mlir::ValueRange leaves = {});

  //===--- tensors ----------------------------------------------------------------------------===//

  mlir::Value make_identity_layout(mlir::Value shape);
  mlir::Value composition(mlir::Value, mlir::Value);
  mlir::Value make_tensor(mlir::Value iterator, mlir::Value layout);
  mlir::Value make_rmem_tensor(const llvm::Twine &element, const llvm::Twine &layout);
  mlir::Value get_iter(mlir::Value tensor);
  mlir::Value get_layout(mlir::Value tensor);
  mlir::Value get_shape(mlir::Value layout);
  mlir::Value group_modes(mlir::Value, int begin, int end);
  mlir::Value slice(mlir::Value, mlir::Value coord);
  mlir::Value select(mlir::Value layout, llvm::ArrayRef<int32_t> modes);
  mlir::Value local_tile(mlir::Value tensor, const llvm::Twine &tile, mlir::Value coord);
  Num size(mlir::Value, int mode);
  /// A pointer (or other iterator) some elements further, an i32 or i64 known to be a multiple of
  /// `div`.
  mlir::Value offset(mlir::Value iterator, Num elements, int64_t div = 1);
  mlir::Value offset(mlir::Value iterator, int64_t elements);
  mlir::Value recast_iter(mlir::Value pointer, const llvm::Twine &type);
  mlir::Value load(mlir::Value tensor, mlir::Value coord);
  void store(mlir::Value element, mlir::Value tensor, mlir::Value coord);
  mlir::Value load_vec(mlir::Value tensor);
  void store_vec(mlir::Value vector, mlir::Value tensor);

  //===--- atoms ------------------------------------------------------------------------------===//

  mlir::Value make_atom(const llvm::Twine &type, mlir::ValueRange fields = {});
  mlir::Value make_tiled_mma(mlir::Value atom, const llvm::Twine &atomLayout = "(1,1,1):(0,0,0)");
  mlir::Value partition_A(mlir::Value mma, mlir::Value tensor, Num thread);
  mlir::Value partition_B(mlir::Value mma, mlir::Value tensor, Num thread);
  mlir::Value partition_C(mlir::Value mma, mlir::Value tensor, Num thread);
  mlir::Value make_fragment_A(mlir::Value mma, mlir::Value partition);
  mlir::Value make_fragment_B(mlir::Value mma, mlir::Value partition);
  /// Registers for the accumulators of an extent "(M,N)".
  mlir::Value make_fragment_C(mlir::Value mma, const llvm::Twine &extent);
  mlir::Value set(mlir::Value atom, mlir::Attribute field, mlir::Value value);
  mlir::Value accumulate(mlir::Value mma, Num whether);
  void gemm(mlir::Value mma, mlir::Value d, mlir::Value a, mlir::Value b, mlir::Value c);
  void copy(mlir::Value atom, mlir::Value src, mlir::Value dst);

  //===--- TMA --------------------------------------------------------------------------------===//

  /// In host code: boxes of `tile` of a tensor, to shared memory of the given layout, as elements
  /// of another type if one is given.
  TmaTensor make_tma_load(mlir::Value tensor, mlir::Value smemLayout, const llvm::Twine &tile,
                          int multicast = 1, mlir::Type as = {});
  TmaTensor make_tma_store(mlir::Value tensor, mlir::Value smemLayout, const llvm::Twine &tile);
  TmaParts tma_partition(mlir::Value atom, mlir::Value smem, mlir::Value gmem,
                         mlir::Value ctaCoord = {}, mlir::Value ctaLayout = {});
  void prefetch_tma_desc(mlir::Value atom);
  void tma_load(mlir::Value atom, mlir::Value gmem, mlir::Value smem, mlir::Value barrier,
                Num mask = {});
  void tma_store(mlir::Value atom, mlir::Value smem, mlir::Value gmem);
  void tma_store_commit();
  void tma_store_wait(int pending); // until the sources of all but the last may be overwritten

  //===--- synchronisation --------------------------------------------------------------------===//

  mlir::Value dyn_smem(int64_t alignment);
  void mbarrier_init(mlir::Value barrier, Num arrivals);
  void mbarrier_init_fence();
  void mbarrier_wait(mlir::Value barrier, Num parity);
  void mbarrier_arrive(mlir::Value barrier);
  /// Of CTA `rank` of the cluster. It says that this thread is done with reading; what it wrote is
  /// released to its own CTA only.
  void mbarrier_arrive_cluster(mlir::Value barrier, Num rank);
  void mbarrier_expect_tx(mlir::Value barrier, Num bytes);
  Num elect();
  void sync_threads();
  /// What was written before is seen by whoever sees what is written after, on the device.
  void fence_device();
  /// Counts an i32 of device memory up, from `last` to 0; gives what it was. It orders nothing
  /// else.
  Num atomic_inc_wrap(mlir::Value pointer, Num last);
  void named_barrier(Num id, int64_t threads);
  void named_barrier_arrive(Num id, int64_t threads);
  void cluster_sync();
  void fence_async_shared();
  void warpgroup_arrive();
  void warpgroup_commit();
  void warpgroup_wait(int pending);
  void setmaxnreg(int registers, bool increase);

  //===--- functions --------------------------------------------------------------------------===//

  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// A kernel of `threads` threads; `body` gets its arguments.
  void kernel(llvm::StringRef name, mlir::TypeRange arguments, int64_t threads,
              const std::function<void(mlir::ValueRange)> &body);
  /// A host function; a stream is appended to its parameters, and it returns an i32.
  void host(llvm::StringRef name, mlir::TypeRange arguments,
            const std::function<void(mlir::ValueRange arguments, mlir::Value stream)> &body);
  /// In host code: the call fails with these words unless the condition holds.
  void check(Num condition, llvm::StringRef otherwise);
  struct Launch {
    Num gridX, gridY, gridZ;
    int64_t threads, smemBytes;
    int64_t clusterX = 1;
  };
  void launch(llvm::StringRef kernel, const Launch &, mlir::Value stream,
              mlir::ValueRange arguments);

private:
  template <class Op>
  mlir::Value algebra(mlir::ValueRange operands, mlir::NamedAttrList attrs = {});
  mlir::Value leaves(const llvm::Twine &type, mlir::ValueRange operands);
  mlir::Value partition(mlir::Value mma, mlir::Value tensor, Num thread, int operand);
  mlir::Value fragment(mlir::Value mma, mlir::Value partition, int operand);
  mlir::Value llvmPointer(mlir::Value pointer, unsigned addressSpace);
  mlir::Value sharedPointer(mlir::Value pointer);
  [[noreturn]] void stop(const llvm::Twine &why);

  mlir::Operation *kernels = nullptr; // the gpu.module
};

} // namespace tessera::dsl
