// Interfaces and traits of the `cute` ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_OPINTERFACES_TD
#define TESSERA_CUTE_OPINTERFACES_TD

include "mlir/IR/OpBase.td"

def Cute_AlgebraOpInterface : OpInterface<"AlgebraOpInterface"> {
  let cppNamespace = "::tessera::cute";
  let description = [{
    An op whose results are a function of the values of its operands. Inference, folding and lowering
    call it with data of their domain.
  }];
  let methods = [
    InterfaceMethod<[{
      The results for these operands. Where the op states a part of its result in its type (`make_shape`
      and the like), the type of this op is that part.
    }], "::tessera::Result<::tessera::cute::Data>", "evaluateWith",
        (ins "::tessera::cute::Domain &":$domain, "::llvm::ArrayRef<::tessera::cute::Datum>":$operands)>,
  ];
}

/// Infers result types by running `evaluate` on the operand types.
def Cute_InferByEvaluate : NativeOpTrait<"InferByEvaluate"> {
  let cppNamespace = "::tessera::cute";
}

/// Takes shapes whose extents are 0 or negative as well.
def Cute_AnyShape : NativeOpTrait<"AnyShape"> {
  let cppNamespace = "::tessera::cute";
}

/// Folds to what its type states, to a number, or to a value that is there already: tessera/cute/Fold.h.
def Cute_FoldByEvaluation : NativeOpTrait<"FoldByEvaluation"> {
  let cppNamespace = "::tessera::cute";
}

#endif
