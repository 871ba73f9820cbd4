// Interfaces of the `cute` dialect: what types and ops answer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_INTERFACES_TD
#define TESSERA_CUTE_INTERFACES_TD

include "mlir/IR/OpBase.td"

def MaybeStaticType : TypeInterface<"MaybeStaticType"> {
  let cppNamespace = "::tessera::cute";
  let description = "A type whose value may be known: then `cute.static` can stand for any op that makes it.";
  let methods = [
    InterfaceMethod<"Whether no leaf is dynamic.", "bool", "isStatic">,
  ];
}

def IteratorType : TypeInterface<"IteratorType"> {
  let cppNamespace = "::tessera::cute";
  let description = "What a view starts at: a pointer, an arithmetic tuple or a descriptor.";
  let methods = [
    InterfaceMethod<[{
      The iterator `offset` elements further; null if an offset of this structure cannot be added.
    }], "::mlir::Type", "advanced", (ins "const ::tessera::layout::Tree &":$offset)>,
    InterfaceMethod<[{
      The view of this iterator and a layout; null if there is none (say, basis strides on a pointer).
    }], "::mlir::Type", "viewWith", (ins "const ::tessera::layout::AnyLayout &":$layout)>,
  ];
}

def ViewType : TypeInterface<"ViewType"> {
  let cppNamespace = "::tessera::cute";
  let description = "An iterator and a layout: a tensor in memory, a coordinate tensor, a descriptor view.";
  let methods = [
    InterfaceMethod<"The iterator's type.", "::mlir::Type", "getIteratorType">,
    InterfaceMethod<"The layout.", "::tessera::layout::AnyLayout", "getViewLayout">,
  ];
}

def CopyAtomType : TypeInterface<"CopyAtomType"> {
  let cppNamespace = "::tessera::cute";
  let description = "A copy that hardware executes as one instruction.";
  let methods = [
    InterfaceMethod<"(thread, value) layouts in elements of the value type.",
                    "::tessera::layout::CopyAtomLayouts", "getLayouts">,
    InterfaceMethod<"The type of what is copied.", "::mlir::Type", "getValueType">,
    InterfaceMethod<"The types of its run-time fields, in the order in which `make_atom` takes them.",
                    "::llvm::SmallVector<::mlir::Type>", "getFieldTypes">,
    InterfaceMethod<[{
      Emits a diagnostic and fails unless the atom can copy from `src` to `dst`, two views of its own
      values (no rest modes).
    }], "::llvm::LogicalResult", "verifyCall",
        (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError, "::mlir::Type":$src,
             "::mlir::Type":$dst)>,
    InterfaceMethod<[{
      Builds what a call becomes, for atoms that the tables of tessera/atom do not have. `src` and `dst` are cute pointers to the
      first element of the call's views, `fields` the run-time fields, `pred` an i1 or null. Failure, and nothing built, by default.
    }], "::llvm::LogicalResult", "expandCall",
        (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$fields, "::mlir::Value":$src,
             "::mlir::Value":$dst, "::mlir::Value":$pred), /*methodBody=*/"", /*defaultImplementation=*/"return ::mlir::failure();">,
  ];
}

def PrefetchAtomType : TypeInterface<"PrefetchAtomType"> {
  let cppNamespace = "::tessera::cute";
  let description = "An atom that can bring what it would read closer, without a destination.";
  let methods = [
    InterfaceMethod<"(thread, value) layout of what one prefetch reads, in elements of the value type.",
                    "::tessera::layout::Layout", "getPrefetchLayout">,
    InterfaceMethod<[{
      Builds what a prefetch becomes, for atoms that the tables of tessera/atom do not have: see `expandCall` of copies.
    }], "::llvm::LogicalResult", "expandPrefetch",
        (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$fields, "::mlir::Value":$src),
        /*methodBody=*/"", /*defaultImplementation=*/"return ::mlir::failure();">,
  ];
}

def MmaAtomType : TypeInterface<"MmaAtomType"> {
  let cppNamespace = "::tessera::cute";
  let description = "A matrix multiplication that hardware executes as one instruction.";
  let methods = [
    InterfaceMethod<"Extents, threads and (thread, value) layouts of A, B and C.",
                    "::tessera::layout::MmaAtomLayouts", "getLayouts">,
    InterfaceMethod<"The element type of an operand.", "::mlir::Type", "getOperandType",
                    (ins "::tessera::layout::MmaOperand":$operand)>,
    InterfaceMethod<"The types of its run-time fields, in the order in which `make_atom` takes them.",
                    "::llvm::SmallVector<::mlir::Type>", "getFieldTypes">,
    InterfaceMethod<[{
      The gates of the atom, in order: element types, residency, layouts. Emits a diagnostic and fails at the
      first that a call with these views does not pass.
    }], "::llvm::LogicalResult", "verifyCall",
        (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError, "::mlir::Type":$d,
             "::mlir::Type":$a, "::mlir::Type":$b, "::mlir::Type":$c)>,
    InterfaceMethod<[{
      The type of the fragment for a partition: registers, a descriptor view or tensor memory. `partition`
      is a view, or a shape where no tensor is at hand. Null, with a reason, if there is none.
    }], "::tessera::Result<::mlir::Type>", "fragmentType",
        (ins "::tessera::layout::MmaOperand":$operand, "::mlir::Type":$partition)>,
    InterfaceMethod<[{
      Builds what a call becomes, for atoms that the tables of tessera/atom do not have. The operands are cute pointers to the first
      element of the call's views, `fields` the run-time fields. Failure, and nothing built, by default.
    }], "::llvm::LogicalResult", "expandCall",
        (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc, "::mlir::ValueRange":$fields, "::mlir::Value":$d,
             "::mlir::Value":$a, "::mlir::Value":$b, "::mlir::Value":$c),
        /*methodBody=*/"", /*defaultImplementation=*/"return ::mlir::failure();">,
  ];
}

#endif
