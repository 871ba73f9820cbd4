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

/// One of several kinds of values. `what` ends the sentence "operand #0 must be ..., but got ...".
class Cute_OneOf<list<Type> kinds, string what> : AnyTypeOf<kinds, what>;

// Integers.
def Cute_PlainInteger : Cute_OneOf<[I32, I64], "an i32 or i64">;
def Cute_ConstrainedInteger : Cute_OneOf<[Cute_ConstrainedI32, Cute_ConstrainedI64], "a !cute.i32 or !cute.i64 (integer with a known divisor)">;
def Cute_Integer : Cute_OneOf<[Cute_PlainInteger, Cute_ConstrainedInteger], "an i32, an i64, or one of these with a known divisor">;
def Cute_Scalar : Cute_OneOf<[AnySignlessInteger, Cute_ConstrainedInteger, Cute_IntTuple],
                             "an integer, a constrained integer or a scalar int_tuple">;
/// What fills a dynamic leaf; an index becomes an i32 (arith.index_cast).
def Cute_LeafValue : Cute_OneOf<[Cute_Scalar, Index], "i32, i64, or depth-0 !cute.int_tuple (or a constrained integer or an index)">;
def Cute_IndexOfLayout : Cute_OneOf<[Cute_PlainInteger, Cute_IntTuple], "an i32, an i64 or an int_tuple">;

// Tuples, layouts and tiles.
def Cute_Tuple : Cute_OneOf<[Cute_IntTuple, Cute_Shape, Cute_Stride, Cute_Coord], "an int_tuple, shape, stride or coord">;
/// What tuple arithmetic takes.
def Cute_ArithTuple : Cute_OneOf<[Cute_IntTuple, Cute_Shape],
                                 "Scalar integer or recursive tuple of integers or Scalar integer or recursive tuple of shape extents">;
def Cute_AnyLayout : Cute_OneOf<[Cute_Layout, Cute_ComposedLayout], "!cute.layout or !cute.composed_layout">;
def Cute_Tiler : Cute_OneOf<[Cute_Layout, Cute_Tile, Cute_Shape], "a layout, tile or shape">;
def Cute_LeafOrTuple : Cute_OneOf<[Cute_LeafValue, Cute_Tuple], "i32, i64, or depth-0 !cute.int_tuple (or a constrained integer, an index or an inner tuple)">;
def Cute_TupleOrTile : Cute_OneOf<[Cute_Tuple, Cute_Tile], "!cute.shape, !cute.stride, !cute.coord, !cute.int_tuple, or !cute.tile">;
def Cute_LeafOfTuple : Cute_OneOf<[Cute_TupleOrTile, Cute_Layout], "a tuple, a tile or a layout">;
def Cute_TupleOrLayout : Cute_OneOf<[Cute_Tuple, Cute_AnyLayout],
                                    "!cute.int_tuple, !cute.coord, !cute.stride, !cute.shape, !cute.layout, or !cute.composed_layout">;
def Cute_TupleOrPlainLayout : Cute_OneOf<[Cute_Tuple, Cute_Layout], "a tuple (int_tuple, shape, stride or coord) or a layout">;
def Cute_TupleLayoutOrTile : Cute_OneOf<[Cute_TupleOrLayout, Cute_Tile],
                                        "!cute.shape, !cute.int_tuple, !cute.coord, !cute.stride, !cute.tile, !cute.layout, or !cute.composed_layout">;
def Cute_ShapeOrLayout : Cute_OneOf<[Cute_Shape, Cute_AnyLayout], "a shape, a layout or a composed_layout">;
def Cute_ShapeOrPlainLayout : Cute_OneOf<[Cute_Shape, Cute_Layout], "a shape or a layout">;
def Cute_SwizzleOrLayout : Cute_OneOf<[Cute_Swizzle, Cute_Layout], "a swizzle or a layout">;
def Cute_ThreadCoord : Cute_OneOf<[Cute_Coord, Cute_IntTuple], "a coord or an int_tuple">;

// Iterators and views.
def Cute_View : Type<CPred<"::llvm::isa<::tessera::cute::ViewType>($_self)">,
                     "a tensor, coordinate tensor or descriptor view">;
def Cute_Iterator : Type<CPred<"::llvm::isa<::tessera::cute::IteratorType>($_self)">,
                         "a pointer, arith_tuple_iter or descriptor">;
def Cute_IteratorOrIntTuple : Cute_OneOf<[Cute_Iterator, Cute_IntTuple], "a pointer, arith_tuple_iter, descriptor or int_tuple">;
def Cute_Movable : Cute_OneOf<[Cute_IteratorOrIntTuple, Cute_DescIter],
                              "a pointer, arith_tuple_iter, descriptor, descriptor iterator or int_tuple">;
def Cute_IteratorOrView : Cute_OneOf<[Cute_Iterator, Cute_View], "an iterator or a view">;
def Cute_ViewOrDescIter : Cute_OneOf<[Cute_View, Cute_DescIter], "a view or a descriptor iterator">;
def Cute_ViewOrShape : Cute_OneOf<[Cute_View, Cute_Shape], "a view or a shape">;
def Cute_ViewOrPlainLayout : Cute_OneOf<[Cute_View, Cute_Layout], "a layout or a view">;
def Cute_LayoutOrView : Cute_OneOf<[Cute_AnyLayout, Cute_View], "a layout or a view">;
def Cute_LayoutTileOrView : Cute_OneOf<[Cute_LayoutOrView, Cute_Tile], "a layout, a composed_layout, a tile or a view">;
def Cute_TupleLayoutOrView : Cute_OneOf<[Cute_TupleOrLayout, Cute_View],
                                        "!cute.shape, !cute.stride, !cute.int_tuple, !cute.coord, !cute.layout, or !cute.composed_layout">;
def Cute_TupleLayoutTileOrView : Cute_OneOf<[Cute_TupleLayoutOrView, Cute_Tile],
                                            "!cute.shape, !cute.int_tuple, !cute.coord, !cute.stride, !cute.tile, !cute.layout, or !cute.composed_layout">;
/// Tiles too, which the public dialect does not dice.
def Cute_Diced : Cute_OneOf<[Cute_TupleLayoutOrTile],
                            "!cute.shape, !cute.stride, !cute.int_tuple, !cute.coord, !cute.layout, or !cute.composed_layout">;
/// The public dialect compares no composed layouts; views have those with a swizzle.
def Cute_SwizzledLayout : Type<And<[Cute_ComposedLayout.predicate,
                                    CPred<"::llvm::cast<::tessera::cute::ComposedLayoutType>($_self).getValue().swizzle()">]>,
                               "a composed_layout with a swizzle">;
def Cute_Comparable : Cute_OneOf<[Cute_TupleOrPlainLayout, Cute_SwizzledLayout, Cute_View],
                                 "!cute.int_tuple, !cute.shape, !cute.coord, !cute.stride, or !cute.layout">;
def Cute_Sized : Cute_OneOf<[Cute_TupleLayoutOrView, Cute_Tile], "a tuple, a layout, a composed_layout, a tile or a view">;
def Cute_Value : Cute_OneOf<[Cute_Sized, Cute_Swizzle, Cute_Iterator, Cute_DescIter], "a tuple, layout, tile, view or iterator">;
/// What may have leaves: views and iterators too, of which the public dialect does not take the scalars.
def Cute_WithLeaves : Cute_OneOf<[Cute_Sized, Cute_Swizzle, Cute_Iterator, Cute_DescIter],
                                 "a tuple, a layout, a composed_layout, a tile, a swizzle, a view or an iterator">;
/// What is compared number by number. The public dialect compares no strides in this way.
def Cute_Counted : Cute_OneOf<[Cute_IntTuple, Cute_Shape, Cute_Coord], "!cute.int_tuple, !cute.shape, or !cute.coord">;
def Cute_IteratorOrCounted : Cute_OneOf<[Cute_Counted, Cute_Iterator], "!cute.int_tuple, !cute.shape, or !cute.coord (or an iterator)">;
def Cute_Walk : Cute_OneOf<[Cute_AnyLayout, Cute_Scalar, Cute_Tuple], "a layout, an integer or a tuple">;

// Atoms.
def Cute_Atom
    : Type<CPred<"::llvm::isa<::tessera::cute::CopyAtomType, ::tessera::cute::MmaAtomType, ::tessera::cute::PrefetchAtomType>("
                 "::tessera::cute::untiled($_self))">, "an atom, tiled or not">;

/// A value of any type. For an op that prints or loads whatever it is given, or whose verifier says in a sentence of its own what
/// it takes (the element of a tensor, the fields of an atom, what TMA has a ladder of rules for).
def Cute_Anything : Type<CPred<"true">, "a value of any type">;

def Cute_ModeAttr : DefaultValuedAttr<DenseI32ArrayAttr, "{}">;
/// An attribute, no property of C++: only attributes may stand in `{...}` of the generic form as well as in `<{...}>`. MLIR takes
/// what stands there for discardable if the op has a property of C++ of that name, and the op would have 0 for it.
/// CuTe DSL writes some of them as i32 and some as si32.
def Cute_NumberAttr : Attr<CPred<"::llvm::isa<::mlir::IntegerAttr>($_self) && "
                                 "::llvm::cast<::mlir::IntegerAttr>($_self).getType().isInteger(32)">,
                           "an integer of 32 bits"> {
  let storageType = "::mlir::IntegerAttr";
  let returnType = "int32_t";
  let convertFromStorage = "int32_t($_self.getValue().getSExtValue())";
  let constBuilderCall = "$_builder.getI32IntegerAttr($0)";
}

//===--- Algebra ops --------------------------------------------------------------------------===//

/// What the class of an algebra op declares. `spec` describes the custom form, see tessera/cute/Assembly.h.
class Cute_AlgebraMethods<string spec, string compatible = "::tessera::cute::refines"> {
  code code_ = [{
    /// The meaning of this op: `in` are the operands in order, `op` gives the attributes by name.
    static ::tessera::Result<::tessera::cute::Data>
    evaluate(::tessera::cute::Domain &domain, ::llvm::ArrayRef<::tessera::cute::Datum> in, Adaptor op);
    ::tessera::Result<::tessera::cute::Data>
    evaluateWith(::tessera::cute::Domain &domain, ::llvm::ArrayRef<::tessera::cute::Datum> in) {
      return evaluate(domain, in, Adaptor((*this)->getOperands(), *this));
    }
    /// A type may state less than what was inferred.
    static bool isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange stated) {
      return }] # compatible # [{(inferred, stated);
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
                                             Cute_AlgebraOpInterface, Cute_FoldByEvaluation])> {
  code extraMethods = [{}];
  let hasCustomAssemblyFormat = 1;
  string compatible = "::tessera::cute::refines"; // what says whether a stated type may stand for the inferred one
  let extraClassDeclaration = Cute_AlgebraMethods<spec, compatible>.code_ # extraMethods;
  let extraClassDefinition = Cute_AlgebraMethods<spec>.definitions_;
}

/// An algebra op whose result type states its static part: operands fill the dynamic leaves, in order.
class Cute_ConstructorOp<string mnemonic, Type resultType, string description_>
    : Cute_Op<mnemonic, [Pure, Cute_AlgebraOpInterface, Cute_FoldByEvaluation]> {
  let summary = description_;
  let arguments = (ins Variadic<Cute_LeafOrTuple>:$leaves);
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
