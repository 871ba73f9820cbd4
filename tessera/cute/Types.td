// Types and attributes of the `cute` dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_TYPES_TD
#define TESSERA_CUTE_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "tessera/cute/Dialect.td"
include "tessera/cute/Interfaces.td"

class Cute_Type<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<Cute_Dialect, name, traits> {
  let mnemonic = typeMnemonic;
}

//===--- Values: one quoted string each -------------------------------------------------------===//

/// A type whose only parameter is a value of the algebra, printed as `<"text">`. An attribute of the same
/// mnemonic and parameter goes with it.
class Cute_ValueType<string name, string typeMnemonic, string cppValue>
    : Cute_Type<name, typeMnemonic, [DeclareTypeInterfaceMethods<MaybeStaticType>]> {
  let parameters = (ins cppValue:$value);
  let hasCustomAssemblyFormat = 1;
}
class Cute_ValueAttr<string name, string attrMnemonic, string cppValue>
    : AttrDef<Cute_Dialect, name> {
  let mnemonic = attrMnemonic;
  let parameters = (ins cppValue:$value);
  let hasCustomAssemblyFormat = 1;
  let summary = "the value of the type with the same name, static or not";
}

def Cute_IntTuple : Cute_ValueType<"IntTuple", "int_tuple", "::tessera::layout::Tree"> {
  let summary = "Scalar integer or recursive tuple of integers";
  let description = [{`!cute.int_tuple<"(1,(?,?{i64}))">`}];
}
def Cute_Coord : Cute_ValueType<"Coord", "coord", "::tessera::layout::Tree"> {
  let summary = "Scalar integer, underscore wildcard, or recursive tuple of coordinates";
  let description = [{`!cute.coord<"(_,(1,?))">`}];
}
def Cute_Shape : Cute_ValueType<"Shape", "shape", "::tessera::layout::Tree"> {
  let summary = "Scalar integer or recursive tuple of shape extents";
  let description = [{`!cute.shape<"(128,(?,?{div=8}))">`}];
}
def Cute_Stride : Cute_ValueType<"Stride", "stride", "::tessera::layout::Tree"> {
  let summary = "Scalar or recursive tuple of stride elements";
  let description = [{`!cute.stride<"(1,?{i64})">`, `!cute.stride<"(1@0,?@1)">`}];
}
def Cute_Layout : Cute_ValueType<"Layout", "layout", "::tessera::layout::Layout"> {
  let summary = "a layout (function from coordinates to indices)";
  let description = [{`!cute.layout<"(8,4):(1,8)">`}];
}
def Cute_ComposedLayout
    : Cute_ValueType<"ComposedLayout", "composed_layout", "::tessera::layout::Composed"> {
  let summary = "a composed_layout (inner o offset o outer, where inner is a swizzle or a layout)";
  let description = [{`!cute.composed_layout<"S<3,4,3> o 0 o (8,64):(64,1)">`}];
}
def Cute_Tile : Cute_ValueType<"Tile", "tile", "::tessera::layout::Tile"> {
  let summary = "a tile (by-mode tiler)";
  let description = [{`!cute.tile<"[128:1;(16,8):(8,1);_]">`}];
}
def Cute_Swizzle : Cute_ValueType<"Swizzle", "swizzle", "::tessera::layout::Swizzle"> {
  let summary = "a swizzle (exclusive-or of index bits)";
  let description = [{`!cute.swizzle<"S<3,4,3>">`: bits, base, shift}];
}

def Cute_IntTupleAttr : Cute_ValueAttr<"IntTuple", "int_tuple", "::tessera::layout::Tree">;
def Cute_CoordAttr : Cute_ValueAttr<"Coord", "coord", "::tessera::layout::Tree">;
def Cute_ShapeAttr : Cute_ValueAttr<"Shape", "shape", "::tessera::layout::Tree">;
def Cute_StrideAttr : Cute_ValueAttr<"Stride", "stride", "::tessera::layout::Tree">;
def Cute_LayoutAttr : Cute_ValueAttr<"Layout", "layout", "::tessera::layout::Layout">;
def Cute_ComposedLayoutAttr
    : Cute_ValueAttr<"ComposedLayout", "composed_layout", "::tessera::layout::Composed">;
def Cute_TileAttr : Cute_ValueAttr<"Tile", "tile", "::tessera::layout::Tile">;
def Cute_SwizzleAttr : Cute_ValueAttr<"Swizzle", "swizzle", "::tessera::layout::Swizzle">;

//===--- Scalars with facts -------------------------------------------------------------------===//

class Cute_ConstrainedInt<string name, string width>
    : Cute_Type<name, "i" # width> {
  let parameters = (ins "int64_t":$divby);
  let assemblyFormat = "`<` custom<Divisor>($divby) `>`";
  let genVerifyDecl = 1;
  let summary = "a " # width # "-bit integer known to be a multiple of `divby`";
}
def Cute_ConstrainedI32 : Cute_ConstrainedInt<"ConstrainedI32", "32"> {
  let description = [{`!cute.i32<divby 4>`. CuTe DSL 4.8 also states powers of two, `!cute.i32<pow2, divby 4>`: that is read, and not kept.}];
}
def Cute_ConstrainedI64 : Cute_ConstrainedInt<"ConstrainedI64", "64"> {
  let description = [{`!cute.i64<divby 16>`}];
}

def Cute_FastDivmodDivisor : Cute_Type<"FastDivmodDivisor", "fast_divmod_divisor"> {
  let parameters = (ins "unsigned":$width);
  let assemblyFormat = "`<` $width `>`";
  let genVerifyDecl = 1;
  let summary = "a divisor with its precomputed multiplier and shift";
  let description = [{`!cute.fast_divmod_divisor<32>`; width in bits}];
}

//===--- How divisions regroup ----------------------------------------------------------------===//

def Cute_Grouping : I32EnumAttr<"DivideGrouping", "how (tile, rest) pairs of modes are regrouped", [
      I32EnumAttrCase<"logical", 0>, I32EnumAttrCase<"zipped", 1>, I32EnumAttrCase<"tiled", 2>,
      I32EnumAttrCase<"flat", 3>]> {
  let cppNamespace = "::tessera::cute";
  let genSpecializedAttr = 0;
}
def Cute_GroupingAttr : EnumAttr<Cute_Dialect, Cute_Grouping, "grouping"> {
  let assemblyFormat = "`<` $value `>`";
}

//===--- Pointers, iterators and views --------------------------------------------------------===//

def Cute_Ptr : Cute_Type<"Ptr", "ptr", [DeclareTypeInterfaceMethods<IteratorType>]> {
  let summary = "a pointer (to elements, with alignment in bytes and an optional swizzle)";
  let description = [{
    `!cute.ptr<f16, smem, align<128>, S<3,4,3>>`. Without `align` the alignment is that of one element.
    The swizzle permutes the byte address of what is accessed; offsets are in elements.

    The second word is the address space: `generic` (any but tensor memory), `gmem`, `smem`, `rmem` (registers), `tmem` (tensor memory) or
    `dsmem` (shared memory of another block of the cluster).
  }];
  let parameters = (ins "::mlir::Type":$elementType, "::tessera::atom::AddressSpace":$addressSpace,
                    "int64_t":$alignment, "::tessera::layout::Swizzle":$swizzle);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool hasSwizzle() const { return getSwizzle().bits != 0; }
    /// Bits of one element.
    int64_t getElementBits() const;
    /// The alignment, in bytes, that needs no `align`.
    static int64_t naturalAlignment(::mlir::Type elementType);
  }];
}

def Cute_MemRef : Cute_Type<"CuteMemRef", "memref", [DeclareTypeInterfaceMethods<ViewType>]> {
  let summary = "a tensor in memory (a pointer and a layout)";
  let description = [{`!cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">`}];
  let parameters = (ins "::tessera::cute::PtrType":$ptrType,
                    "::tessera::layout::AnyLayout":$layout);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ::mlir::Type getElementType() const { return getPtrType().getElementType(); }
    AddressSpace getAddressSpace() const { return getPtrType().getAddressSpace(); }
  }];
}

def Cute_ArithTupleIter
    : Cute_Type<"ArithTupleIter", "arith_tuple_iter", [DeclareTypeInterfaceMethods<IteratorType>]> {
  let summary = "an arith_tuple_iter (iterator over coordinates: points at the coordinate it holds)";
  let description = [{`!cute.arith_tuple_iter<"(?{div=16},0)">`}];
  let parameters = (ins "::tessera::layout::Tree":$value);
  let hasCustomAssemblyFormat = 1;
}

def Cute_DescIter : Cute_Type<"DescIter", "desc_iter"> {
  let summary = "a descriptor iterator (a pointer, a layout and the index at which it stands)";
  let description = [{
    `!cute.desc_iter<!cute.ptr<f16, smem>, "S<3,4,3> o 0 o (8,?):(64,1)">`: walks the layout in the order of its domain. At
    index i it points at element layout(i) after the pointer. Rank, swizzle and what is static are in the type; at run time it is
    (pointer, index, dynamic shape, dynamic stride). The index has 64 bits if the size of the layout has, else 32.
  }];
  let parameters = (ins "::tessera::cute::PtrType":$ptrType, "::tessera::layout::AnyLayout":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::tessera::layout::Width getIndexWidth() const;
  }];
}

def Cute_CoordTensor
    : Cute_Type<"CoordTensor", "coord_tensor", [DeclareTypeInterfaceMethods<ViewType>]> {
  let summary = "a tensor of coordinates (an arithmetic tuple and a layout with basis strides)";
  let description = [{`!cute.coord_tensor<"(0,0)", "(64,128):(1@0,1@1)">`}];
  let parameters = (ins "::tessera::layout::Tree":$start, "::tessera::layout::AnyLayout":$layout);
  let hasCustomAssemblyFormat = 1;
}

//===--- Tiled atoms --------------------------------------------------------------------------===//

def Cute_TiledCopy
    : Cute_Type<"TiledCopy", "tiled_copy", [DeclareTypeInterfaceMethods<MaybeStaticType>]> {
  let summary = "a tiled copy (copy atom repeated over threads and values)";
  let description = [{
    `!cute.tiled_copy<ATOM, layout_copy_tv = <"((8,16),8):((128,1),16)">, tiler_mn = <"[16:1;64:1]">>`:
    layout_copy_tv maps (thread, value) to an index of the tile.
  }];
  let parameters = (ins "::mlir::Type":$atom, "LayoutAttr":$layout_copy_tv, "TileAttr":$tiler_mn);
  let assemblyFormat = [{
    `<` $atom `,` `layout_copy_tv` `=` $layout_copy_tv `,` `tiler_mn` `=` $tiler_mn `>`
  }];
  let genVerifyDecl = 1;
}

def Cute_TiledMma : Cute_Type<"TiledMma", "tiled_mma", [DeclareTypeInterfaceMethods<MaybeStaticType>]> {
  let summary = "a tiled MMA (MMA atom repeated over threads and values)";
  let description = [{
    `!cute.tiled_mma<ATOM, atom_layout_MNK = <"(2,2,1):(1,2,0)">, permutation_MNK = <"[32:1;32:1;16:1]">>`
  }];
  let parameters = (ins "::mlir::Type":$atom, "LayoutAttr":$atom_layout_MNK,
                    OptionalParameter<"TileAttr">:$permutation_MNK);
  let assemblyFormat = [{
    `<` $atom `,` `atom_layout_MNK` `=` $atom_layout_MNK
        (`,` `permutation_MNK` `=` $permutation_MNK^)? `>`
  }];
  let genVerifyDecl = 1;
}

#endif
