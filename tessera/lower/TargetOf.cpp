// The attribute on the module, as a target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/TargetOf.h"

#include "tessera/lower/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/TypeUtilities.h"

using namespace tessera;

std::optional<atom::Target> lower::targetOf(mlir::Operation *op) {
  auto module = op->getParentOfType<mlir::gpu::GPUModuleOp>();
  auto name = module ? module->getAttrOfType<mlir::StringAttr>(targetAttrName) : nullptr;
  Result<atom::Target> target = atom::Target::parse(name ? name.getValue().str() : "");
  return target ? std::optional(*target) : std::nullopt;
}

bool lower::hasNoClusters(mlir::Operation *op) {
  constexpr int geforce = 12;
  std::optional<atom::Target> target = targetOf(op);
  return target && target->family() == geforce;
}

bool lower::convertsInPairs(mlir::Operation *op, mlir::Type type) {
  std::optional<atom::Target> target = targetOf(op);
  constexpr int ada = 89; // PTX ISA, cvt
  return mlir::isa<mlir::Float8E4M3FNType, mlir::Float8E5M2Type>(
             mlir::getElementTypeOrSelf(type)) &&
         target && target->number() >= ada;
}
