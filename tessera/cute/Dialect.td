// The `cute` dialect: name and defaults.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_DIALECT_TD
#define TESSERA_CUTE_DIALECT_TD

include "mlir/IR/OpBase.td"

def Cute_Dialect : Dialect {
  let name = "cute";
  let cppNamespace = "::tessera::cute";
  let summary = "CuTe layout algebra, tensors and atoms, independent of the target";
  let description = [{
    `cute` describes how data lies in memory and how threads share it. Its values are shapes, strides,
    coordinates, layouts, tiles and swizzles; views that bind a pointer to a layout; and atoms, the
    copies and matrix multiplications that hardware executes as one. The textual form is that of
    NVIDIA's public `cute` dialect: one quoted string per value, `!cute.layout<"(8,4):(1,8)">`. Other spellings, such as those of CuTe DSL,
    are read where `tessera::import::registerSpellings` was called.

    A leaf is a number, `?` (a 32-bit value known at run time), `?{i64}` (64 bits) or `?{div=8}` (a
    multiple of 8). Types carry their value; what is static in a type takes no storage at run time.
  }];
  let useDefaultTypePrinterParser = 0; // other versions have types under another name
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasCanonicalizer = 1;
  // A fold to a number makes a constant.
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let extraClassDeclaration = [{
    /// The unit attribute that marks a function as a kernel until `--cute-kernel-to-nvvm`.
    static constexpr ::llvm::StringLiteral kernelAttrName = "cute.kernel";
    void registerTypes();
    /// Whether layouts and strides may have ratios, 1/2@0. Coordinate tensors always may; NVIDIA's public dialect, which has none, refuses
    /// them, so that whoever reads a file says which it is.
    bool readsRatios() const { return ratios; }
    void setReadsRatios(bool reads) { ratios = reads; }
    ::mlir::Type parseType(::mlir::DialectAsmParser &parser) const override;
    void printType(::mlir::Type type, ::mlir::DialectAsmPrinter &printer) const override;
    /// Ops that other versions have under another name (Spellings.h).
    std::optional<ParseOpHook> getParseOperationHook(::llvm::StringRef name) const override;

  private:
    bool ratios = false;

  public:
  }];
}

#endif
