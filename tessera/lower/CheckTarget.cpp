// CheckTarget: the SM gate. What a kernel asks of its target is looked up before anything is
// lowered.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/InlinePtx.h"
#include "tessera/lower/Passes.h"

#include "tessera/atom/Features.h"
#include "tessera/cuda/Cuda.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {
#define GEN_PASS_DEF_CHECKTARGET
#include "tessera/lower/Passes.h.inc"

namespace {

/// Ops and PTX instructions by the beginning of their names; the longest beginning counts.
struct Use {
  StringLiteral prefix, feature;
};
constexpr Use uses[] = {
    {"cute_nvgpu.arch.copy.SM100.tmem", "tcgen05"},
    {"cute_nvgpu.arch.map_dsmem_ptr", "cluster"},
    {"cute_nvgpu.arch.mma.SM100", "tcgen05"},
    {"cute_nvgpu.arch.sm100", "tcgen05"},
    {"cute_nvgpu.copy_tma_desc", "tma"},
    {"cute_nvgpu.update_tma_desc", "tensormap_replace"},
    {"nvvm.barrier.arrive", ""},
    {"nvvm.cluster", "cluster_barrier"},
    {"nvvm.clusterlaunchcontrol", "cluster_launch_control"},
    {"nvvm.clusterlaunchcontrol.try.cancel.multicast", "cluster_launch_control_multicast"},
    {"nvvm.convert.f32x2.to.f4", "cvt_fp4"},
    {"nvvm.convert.f32x2.to.f6", "cvt_fp6"},
    {"nvvm.convert.f32x2.to.f8", "cvt_fp8"},
    {"nvvm.convert.f16x2.to.f8", "cvt_fp8"},
    {"nvvm.convert.bf16x2.to.f8", "cvt_ue8m0"},
    {"nvvm.convert.f4", "cvt_fp4"},
    {"nvvm.convert.f6", "cvt_fp6"},
    {"nvvm.convert.f8", "cvt_fp8"},
    {"nvvm.convert.float.to.tf32", "cvt_tf32"},
    {"nvvm.cp.async", "cp_async"},
    {"nvvm.cp.async.bulk", "bulk_copy"},
    {"nvvm.cp.async.bulk.tensor", "tma"},
    {"nvvm.cp.async.mbarrier", "cp_async_mbarrier"},
    {"nvvm.elect.sync", "elect"},
    {"nvvm.fence.mbarrier.init", "fence_mbarrier_init"},
    {"nvvm.fence.proxy", "fence_proxy_async"},
    {"nvvm.fence.sc.cluster", "fence_cluster"},
    {"nvvm.griddepcontrol", "griddepcontrol"},
    {"nvvm.ldmatrix", "ldmatrix"},
    {"nvvm.mapa", "cluster"},
    {"nvvm.mbarrier", "mbarrier"},
    {"nvvm.mbarrier.arrive.expect_tx", "mbarrier_tx"},
    {"nvvm.mbarrier.complete_tx", "mbarrier_tx"},
    {"nvvm.mbarrier.expect_tx", "mbarrier_tx"},
    {"nvvm.mbarrier.try_wait", "mbarrier_try_wait"},
    {"nvvm.read.ptx.sreg.cluster", "cluster"},
    {"nvvm.read.ptx.sreg.is_explicit_cluster", "cluster"},
    {"nvvm.read.ptx.sreg.nclusterid", "cluster"},
    {"nvvm.redux.sync", "redux"},
    {"nvvm.setmaxregister", "setmaxnreg"},
    {"nvvm.st.bulk", "st_bulk"},
    {"nvvm.stmatrix", "stmatrix"},
    {"nvvm.tcgen05", "tcgen05"},
    {"nvvm.wgmma", "wgmma"},
    // Inline PTX
    {"barrier.cluster", "cluster_barrier"},
    {"clusterlaunchcontrol", "cluster_launch_control"},
    {"cp.async", "cp_async"},
    {"cp.async.bulk", "bulk_copy"},
    {"cp.async.bulk.tensor", "tma"},
    {"cp.reduce.async.bulk", "bulk_reduce"},
    {"createpolicy", "cache_policy"},
    {"elect.sync", "elect"},
    {"fence.mbarrier_init", "fence_mbarrier_init"},
    {"fence.proxy.async", "fence_proxy_async"},
    {"fence.proxy.tensormap", "fence_proxy_tensormap"},
    {"griddepcontrol", "griddepcontrol"},
    {"ldmatrix", "ldmatrix"},
    {"mapa", "cluster"},
    {"mbarrier", "mbarrier"},
    {"mbarrier.try_wait", "mbarrier_try_wait"},
    {"movmatrix", "movmatrix"},
    {"multimem", "multimem"},
    {"red.async", "red_async"},
    {"redux.sync", "redux"},
    {"setmaxnreg", "setmaxnreg"},
    {"st.async", "st_async"},
    {"st.bulk", "st_bulk"},
    {"stmatrix", "stmatrix"},
    {"tcgen05", "tcgen05"},
    {"tensormap.cp_fenceproxy", "tensormap_cp_fenceproxy"},
    {"tensormap.replace", "tensormap_replace"},
    {"wgmma", "wgmma"},
};

/// The feature that a name stands for; empty if none.
StringRef featureOf(StringRef name) {
  StringRef best, feature;
  for (const Use &use : uses) {
    if (!name.starts_with(use.prefix) || use.prefix.size() < best.size())
      continue;
    // Whole words, but for the formats of conversions.
    StringRef after = name.drop_front(use.prefix.size());
    if (after.empty() || !llvm::isAlnum(after[0]) || use.prefix.contains("convert")) {
      best = use.prefix;
      feature = use.feature;
    }
  }
  return feature;
}

/// The feature that converting to or from a number format asks for; empty if every target can.
StringRef conversionOf(Type type) {
  return TypeSwitch<Type, StringRef>(getElementTypeOrSelf(type))
      .Case<Float8E4M3FNType, Float8E5M2Type>([](auto) { return "cvt_fp8"; })
      .Case<Float6E2M3FNType, Float6E3M2FNType>([](auto) { return "cvt_fp6"; })
      .Case([](Float4E2M1FNType) { return "cvt_fp4"; })
      .Case([](Float8E8M0FNUType) { return "cvt_ue8m0"; })
      .Default([](Type) { return ""; });
}

struct CheckTargetPass : impl::CheckTargetBase<CheckTargetPass> {
  using CheckTargetBase::CheckTargetBase;

  void runOnOperation() override {
    Result<atom::Target> target = atom::Target::parse(arch);
    if (!target) {
      getOperation().emitError() << target.reason().text;
      return signalPassFailure();
    }
    bool good = true;
    Builder b(&getContext());
    getOperation()->walk([&](gpu::GPUModuleOp module) {
      ptxVersion = target->minimumPtx();
      module->walk([&](Operation *op) { good &= check(op, *target); });
      module->setAttr(ptxVersionAttrName, b.getI32IntegerAttr(ptxVersion));
    });
    getOperation()->walk([&](cuda::LaunchCfgCreateOp op) { good &= checkLaunch(op, *target); });
    if (!good)
      signalPassFailure();
  }

  /// `row` is that of an atom or a feature.
  template <class Row>
  bool report(Operation *op, const Row &row, std::string_view what, atom::Target target) {
    ptxVersion = std::max(ptxVersion, row.ptxFor(target));
    std::optional<Reason> refusal = atom::refusal(what, row.needs, target);
    if (refusal)
      op->emitOpError() << refusal->text;
    return !refusal;
  }
  bool checkFeature(Operation *op, StringRef id, atom::Target target) {
    if (id.empty())
      return true;
    Result<const atom::FeatureRow *> row = atom::feature(std::string_view(id));
    assert(row && "the table of uses names a feature that is none");
    return report(op, **row, (*row)->what, target);
  }

  bool check(Operation *op, atom::Target target) {
    // An atom is reported where it is made, and where it is called for those who make none.
    for (Type type : op->getResultTypes())
      if (!checkAtom(op, type, target))
        return false;
    if (isa<arith::TruncFOp, arith::ExtFOp>(op)) {
      StringRef from = conversionOf(op->getOperand(0).getType());
      StringRef to = conversionOf(op->getResult(0).getType());
      return checkFeature(op, from, target) && checkFeature(op, to, target);
    }
    if (std::optional<atom::UmmaForm> form = ummaFormOf(op)) {
      if (std::optional<Reason> refusal = atom::ummaRefusal(*form, &target)) {
        op->emitOpError() << refusal->text;
        return false;
      }
    }
    if (auto inlined = dyn_cast<LLVM::InlineAsmOp>(op)) {
      std::string wrong = wrongInlinePtx(inlined.getAsmString(), inlined.getConstraints(),
                                         inlined.getNumOperands());
      if (!wrong.empty()) {
        op->emitOpError() << wrong;
        return false;
      }
      for (StringRef instruction : instructionsOf(inlined.getAsmString()))
        if (!checkFeature(op, featureOf(instruction), target))
          return false;
      return true;
    }
    return checkFeature(op, featureOf(op->getName().getStringRef()), target);
  }

  bool checkAtom(Operation *op, Type type, atom::Target target) {
    if (std::optional<MmaInstance> mma = mmaInstanceOf(type))
      return report(op, *mma->row, mma->row->name, target);
    if (std::optional<CopyInstance> copy = copyInstanceOf(type))
      return report(op, *copy->row, copy->row->name, target);
    return true;
  }

  bool checkLaunch(cuda::LaunchCfgCreateOp op, atom::Target target) {
    APInt bytes;
    if (!matchPattern(op.getDynamicSmemBytes(), m_ConstantInt(&bytes)) ||
        bytes.getSExtValue() <= target.maxDynamicShared())
      return true;
    op.emitOpError() << "expects at most " << target.maxDynamicShared()
                     << " bytes of dynamic shared memory, what a block of " << target.str()
                     << " can have, but got " << bytes.getSExtValue();
    return false;
  }

  int ptxVersion = 0; // of the gpu.module at hand
};

} // namespace
} // namespace tessera::lower
