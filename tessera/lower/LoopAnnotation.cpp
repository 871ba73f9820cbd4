// The LLVM loop metadata that asks for full unrolling.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/LoopAnnotation.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

Attribute tessera::lower::fullUnroll(MLIRContext *context) {
  auto full = LLVM::LoopUnrollAttr::get(context, nullptr, nullptr, nullptr,
                                        BoolAttr::get(context, true), nullptr, nullptr, nullptr);
  return LLVM::LoopAnnotationAttr::get(context, nullptr, nullptr, nullptr, full, nullptr, nullptr,
                                       nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                       nullptr, nullptr, {});
}

bool tessera::lower::wantsFullUnroll(Operation *loop) {
  auto annotation = loop->getAttrOfType<LLVM::LoopAnnotationAttr>(loopAnnotationName);
  LLVM::LoopUnrollAttr unroll = annotation ? annotation.getUnroll() : nullptr;
  return unroll && unroll.getFull() && unroll.getFull().getValue();
}
