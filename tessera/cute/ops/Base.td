// Base classes of the `cute` ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_OPS_BASE_TD
#define TESSERA_CUTE_OPS_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/Properties.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tessera/cute/Types.td"
include "tessera/cute/OpInterfaces.td"

class Cute_Op<string mnemonic, list<Trait> traits = []> : Op<Cute_Dialect, mnemonic, traits>;

//===--- Operand kinds ------------------------------------------------------------------------===//

def Cute_Scalar : AnyTypeOf<[AnySignlessInteger, Cute_ConstrainedI32, Cute_ConstrainedI64, Cute_IntTuple],
                            "an integer, a constrained integer or a scalar int_tuple">;
/// What fills a dynamic leaf; an index becomes an i32 (arith.index_cast).
def Cute_LeafValue : AnyTypeOf<[Cute_Scalar, Index], "an integer, a constrained integer, an index or a scalar int_tuple">;
def Cute_Tuple : AnyTypeOf<[Cute_IntTuple, Cute_Shape, Cute_Stride, Cute_Coord],
                           "int_tuple, shape, stride or coord">;
def Cute_AnyLayout : AnyTypeOf<[Cute_Layout, Cute_ComposedLayout], "layout or composed_layout">;
def Cute_View : Type<CPred<"::llvm::isa<::tessera::cute::ViewType>($_self)">,
                     "a tensor, coordinate tensor or descriptor view">;
def Cute_Iterator : Type<CPred<"::llvm::isa<::tessera::cute::IteratorType>($_self)">,
                         "a pointer, arith_tuple_iter or descriptor">;
def Cute_LayoutOrView : AnyTypeOf<[Cute_AnyLayout, Cute_View], "a layout or a view">;
def Cute_Tiler : AnyTypeOf<[Cute_Layout, Cute_Tile, Cute_Shape], "a layout, tile or shape">;
def Cute_Value : AnyTypeOf<[Cute_Tuple, Cute_AnyLayout, Cute_Tile, Cute_Swizzle, Cute_View, Cute_Iterator, Cute_DescIter],
                           "a tuple, layout, tile, view or iterator">;

def Cute_ModeAttr : DefaultValuedAttr<DenseI32ArrayAttr, "{}">;

//===--- Algebra ops --------------------------------------------------------------------------===//

/// What the class of an algebra op declares. `spec` describes the custom form, see tessera/cute/Assembly.h.
class Cute_AlgebraMethods<string spec> {
  code code_ = [{
    /// The meaning of this op: `in` are the operands in order, `op` gives the attributes by name.
    static ::tessera::Result<::tessera::cute::Data>
    evaluate(::tessera::cute::Domain &domain, ::llvm::ArrayRef<::tessera::cute::Datum> in, Adaptor op);
    ::tessera::Result<::tessera::cute::Data>
    evaluateWith(::tessera::cute::Domain &domain, ::llvm::ArrayRef<::tessera::cute::Datum> in) {
      return evaluate(domain, in, Adaptor((*this)->getOperands(), *this));
    }
    static ::llvm::StringRef assembly() { return "}] # spec # [{"; }
  }];
  code definitions_ = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &result) {
      return ::tessera::cute::parseAlgebraOp<$cppClass>(parser, result);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      ::tessera::cute::printAlgebraText(*this, assembly(), printer);
    }
  }];
}

/// A pure op whose meaning is `evaluate`: its result types follow from its operand types, it folds where
/// they are static, and it lowers by evaluation on SSA leaves.
class Cute_AlgebraOp<string mnemonic, string spec, list<Trait> traits = []>
    : Cute_Op<mnemonic, !listconcat(traits, [Pure, InferTypeOpInterface, Cute_InferByEvaluate,
                                             Cute_AlgebraOpInterface])> {
  code extraMethods = [{}];
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = Cute_AlgebraMethods<spec>.code_ # extraMethods;
  let extraClassDefinition = Cute_AlgebraMethods<spec>.definitions_;
}

/// An algebra op whose result type states its static part: operands fill the dynamic leaves, in order.
class Cute_ConstructorOp<string mnemonic, Type resultType, string description_>
    : Cute_Op<mnemonic, [Pure, Cute_AlgebraOpInterface]> {
  let summary = description_;
  let arguments = (ins Variadic<AnyTypeOf<[Cute_LeafValue, Cute_Tuple]>>:$leaves);
  let results = (outs resultType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::tessera::Result<::tessera::cute::Data>
    evaluateWith(::tessera::cute::Domain &domain, ::llvm::ArrayRef<::tessera::cute::Datum> in);
  }];
  let extraClassDefinition = [{
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &result) {
      return ::tessera::cute::parseConstructor(parser, result);
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) { ::tessera::cute::printConstructor(*this, printer); }
  }];
}

#endif
