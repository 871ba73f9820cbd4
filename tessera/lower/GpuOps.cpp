// GpuOps: the gpu dialect's thread indices, shuffles and barriers as NVVM ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/GpuOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tessera::lower {

namespace {
constexpr int32_t warpLanes = 32;
constexpr StringLiteral dimensions[] = {"x", "y", "z"};

class GpuOps {
public:
  explicit GpuOps(Operation *op) : b(op), loc(op->getLoc()), op(op) {}

  /// Whether the op was one of these, and is gone.
  bool lower() {
    Value result = valueOf();
    if (result) {
      b.replaceOp(op, result);
      return true;
    }
    if (auto barrier = dyn_cast<gpu::BarrierOp>(op)) {
      NVVM::BarrierOp::create(b, loc, TypeRange(), Value(), Value(), NVVM::BarrierReductionAttr(),
                              Value());
      b.eraseOp(op);
      return true;
    }
    auto shuffle = dyn_cast<gpu::ShuffleOp>(op);
    return shuffle && lowerShuffle(shuffle);
  }

private:
  Value constant(int32_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  Value special(const Twine &name) {
    OperationState state(loc, ("nvvm.read.ptx.sreg." + name).str());
    state.addTypes(b.getI32Type());
    return b.create(state)->getResult(0);
  }
  Value special(StringRef stem, gpu::Dimension dimension) {
    return special(stem + "." + dimensions[size_t(dimension)]);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value asIndex(Value x) { return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), x); }
  Value overDimensions(StringRef stem, Value (GpuOps::*join)(Value, Value)) {
    Value all = special(stem + ".z");
    for (StringRef dimension : {"y", "x"})
      all = (this->*join)(special(stem + "." + dimension), all);
    return all;
  }
  /// The thread's number in its block, x fastest, as threads are put into warps (PTX ISA 5.1,
  /// %laneid and %warpid, and CUDA's programming guide, Thread Hierarchy).
  Value linearThread() {
    Value linear = special("tid.z");
    for (StringRef dimension : {"y", "x"})
      linear = add(special("tid." + dimension), mul(special("ntid." + dimension), linear));
    return linear;
  }

  /// The index that the op is; null if it is none.
  Value valueOf() {
    constexpr std::pair<StringLiteral, StringLiteral> registers[] = {
        {"gpu.thread_id", "tid"},
        {"gpu.block_id", "ctaid"},
        {"gpu.block_dim", "ntid"},
        {"gpu.grid_dim", "nctaid"},
        {"gpu.cluster_id", "clusterid"},
        {"gpu.cluster_dim", "nclusterid"},
        {"gpu.cluster_block_id", "cluster.ctaid"},
        {"gpu.cluster_dim_blocks", "cluster.nctaid"}};
    auto which = op->getAttrOfType<gpu::DimensionAttr>("dimension");
    StringRef name = op->getName().getStringRef();
    if (which)
      for (auto [of, stem] : registers)
        if (name == of)
          return asIndex(special(stem, which.getValue()));
    if (which && isa<gpu::GlobalIdOp>(op)) {
      auto index = [&](StringRef stem) { return asIndex(special(stem, which.getValue())); };
      return add(index("tid"), mul(index("ctaid"), index("ntid")));
    }
    if (isa<gpu::LaneIdOp>(op))
      return asIndex(special("laneid"));
    if (isa<gpu::SubgroupSizeOp>(op))
      return asIndex(constant(warpLanes));
    if (isa<gpu::SubgroupIdOp>(op))
      return asIndex(arith::DivUIOp::create(b, loc, linearThread(), constant(warpLanes)));
    if (isa<gpu::NumSubgroupsOp>(op)) {
      Value threads = overDimensions("ntid", &GpuOps::mul);
      return asIndex(arith::DivUIOp::create(b, loc, add(threads, constant(warpLanes - 1)),
                                            constant(warpLanes)));
    }
    return {};
  }

  /// One word of 32 bits of every lane, and whether the lane that it is from is one of the width.
  std::pair<Value, Value> shuffled(gpu::ShuffleOp op, NVVM::ShflKind kind, Value word,
                                   Value clamp) {
    auto pair = LLVM::LLVMStructType::getLiteral(b.getContext(), {b.getI32Type(), b.getI1Type()});
    Value both = NVVM::ShflOp::create(b, loc, pair, constant(-1), word, op.getOffset(), clamp, kind,
                                      b.getUnitAttr());
    return {LLVM::ExtractValueOp::create(b, loc, both, 0),
            LLVM::ExtractValueOp::create(b, loc, both, 1)};
  }

  bool lowerShuffle(gpu::ShuffleOp op) {
    Type type = op.getValue().getType();
    unsigned bits = type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 0;
    if (bits != 16 && bits != 32 && bits != 64)
      return false;
    NVVM::ShflKind kind;
    switch (op.getMode()) {
    case gpu::ShuffleMode::XOR: kind = NVVM::ShflKind::bfly; break;
    case gpu::ShuffleMode::DOWN: kind = NVVM::ShflKind::down; break;
    case gpu::ShuffleMode::UP: kind = NVVM::ShflKind::up; break;
    case gpu::ShuffleMode::IDX: kind = NVVM::ShflKind::idx; break;
    }
    // PTX ISA, shfl.sync: bits 8 to 12 of c are the bits of a lane's number that say which segment
    // it is in; the low ones bound the lane within it: from below for up, else from above.
    constexpr int32_t segmentShift = 8;
    Value outside = arith::SubIOp::create(b, loc, constant(warpLanes), op.getWidth());
    Value clamp = arith::ShLIOp::create(b, loc, outside, constant(segmentShift));
    if (op.getMode() != gpu::ShuffleMode::UP)
      clamp = arith::OrIOp::create(b, loc, clamp, constant(warpLanes - 1));
    auto integer = [&](unsigned size) { return b.getIntegerType(size); };
    Value value = op.getValue();
    if (!type.isInteger())
      value = arith::BitcastOp::create(b, loc, integer(bits), value);
    Value out, valid;
    if (bits == 64) {
      Value shift = arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(32));
      Value high = arith::ShRUIOp::create(b, loc, value, shift);
      Value words[2];
      for (auto [word, part] : {std::pair(&words[0], value), std::pair(&words[1], high)}) {
        Value narrow = arith::TruncIOp::create(b, loc, integer(32), part), moved;
        std::tie(moved, valid) = shuffled(op, kind, narrow, clamp);
        *word = arith::ExtUIOp::create(b, loc, integer(64), moved);
      }
      out = arith::OrIOp::create(b, loc, words[0], arith::ShLIOp::create(b, loc, words[1], shift));
    } else {
      if (bits < 32)
        value = arith::ExtUIOp::create(b, loc, integer(32), value);
      std::tie(out, valid) = shuffled(op, kind, value, clamp);
      if (bits < 32)
        out = arith::TruncIOp::create(b, loc, integer(bits), out);
    }
    if (!type.isInteger())
      out = arith::BitcastOp::create(b, loc, type, out);
    b.replaceOp(op, {out, valid});
    return true;
  }

  IRRewriter b;
  Location loc;
  Operation *op;
};
} // namespace

void lowerGpuOps(gpu::GPUModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (op->getDialect() && isa<gpu::GPUDialect>(op->getDialect()) && op != module)
      ops.push_back(op);
  });
  for (Operation *op : ops)
    GpuOps(op).lower();
}

} // namespace tessera::lower
