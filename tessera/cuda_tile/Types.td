// Types of the `cuda_tile` dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUDA_TILE_TYPES_TD
#define TESSERA_CUDA_TILE_TYPES_TD

include "tessera/cuda_tile/Enums.td"
include "tessera/cuda_tile/Interfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/CommonTypeConstraints.td"

// `since` is the version of the bytecode that a type appeared in.
class CudaTile_TypeDef<string name, string mnemonic_, string since, list<Trait> traits = [], string methods = ""> : TypeDef<CudaTile_Dialect, name, traits> {
  let mnemonic = mnemonic_;
  let extraClassDeclaration = "static constexpr Version since{" # since # "};\n" # methods;
}

// Elements, as diagnostics name them.
class CudaTile_Element<string name, string predicate> : Type<CPred<predicate>, name>;
class CudaTile_Int<int width> : CudaTile_Element<"i" # width, "$_self.isSignlessInteger(" # width # ")">;
def CudaTile_I1 : CudaTile_Int<1>;
def CudaTile_I4 : CudaTile_Int<4>;
def CudaTile_I8 : CudaTile_Int<8>;
def CudaTile_I16 : CudaTile_Int<16>;
def CudaTile_I32 : CudaTile_Int<32>;
def CudaTile_I64 : CudaTile_Int<64>;
class CudaTile_Float<string name, string cpp> : CudaTile_Element<name, "::llvm::isa<" # cpp # ">($_self)">;
def CudaTile_F16 : CudaTile_Float<"f16", "::mlir::Float16Type">;
def CudaTile_BF16 : CudaTile_Float<"bf16", "::mlir::BFloat16Type">;
def CudaTile_F32 : CudaTile_Float<"f32", "::mlir::Float32Type">;
def CudaTile_F64 : CudaTile_Float<"f64", "::mlir::Float64Type">;
def CudaTile_TF32 : CudaTile_Float<"tf32", "::mlir::FloatTF32Type">;
def CudaTile_F8E4M3FN : CudaTile_Float<"f8E4M3FN", "::mlir::Float8E4M3FNType">;
def CudaTile_F8E5M2 : CudaTile_Float<"f8E5M2", "::mlir::Float8E5M2Type">;
def CudaTile_F8E8M0FNU : CudaTile_Float<"f8E8M0FNU", "::mlir::Float8E8M0FNUType">;
def CudaTile_F4E2M1FN : CudaTile_Float<"f4E2M1FN", "::mlir::Float4E2M1FNType">;
def CudaTile_F8E5M3FNU : CudaTile_Float<"f8E5M3FNU", "::tessera::cuda_tile::Float8E5M3FNUType">;
def CudaTile_Pointer : CudaTile_Float<"Pointer type", "::tessera::cuda_tile::PointerType">;

defvar CudaTile_Ints = [CudaTile_I1, CudaTile_I8, CudaTile_I16, CudaTile_I32, CudaTile_I64];
defvar CudaTile_BaseFloats = [CudaTile_F16, CudaTile_BF16, CudaTile_F32, CudaTile_F64];
defvar CudaTile_SmallFloats = [CudaTile_F8E4M3FN, CudaTile_F8E5M2, CudaTile_F8E8M0FNU, CudaTile_F4E2M1FN];
// What constants can have, in the order of their diagnostics.
defvar CudaTile_Literals = CudaTile_Ints # CudaTile_BaseFloats # [CudaTile_TF32] # CudaTile_SmallFloats;
defvar CudaTile_AnyFloats = CudaTile_BaseFloats # [CudaTile_TF32] # CudaTile_SmallFloats;
// Parameters of types, in the order of their diagnostics; what 13.3's do not name comes last.
defvar CudaTile_Pointees = [CudaTile_F16, CudaTile_BF16, CudaTile_F32, CudaTile_TF32, CudaTile_F64] # CudaTile_SmallFloats # CudaTile_Ints;
def CudaTile_PointeeParam : AnyTypeOf<CudaTile_Pointees # [CudaTile_F8E5M3FNU]>;
def CudaTile_TileElementParam : AnyTypeOf<CudaTile_Pointees # [CudaTile_Pointer, CudaTile_I4, CudaTile_F8E5M3FNU]>;

def CudaTile_Float8E5M3FNU : CudaTile_TypeDef<"Float8E5M3FNU", "f8E5M3FNU", "13, 4"> {
  let summary = "8-bit floating point without sign: 5 bits of exponent, 3 of mantissa (13.4, a preview)";
  let description = [{A scale of block-scaled products. LLVM knows no such format, so there are no constants of it.}];
}
def CudaTile_PointerType : CudaTile_TypeDef<"Pointer", "ptr", "13, 1"> {
  let summary = "address of an element in global memory, 8 bytes";
  let parameters = (ins CudaTile_PointeeParam:$pointeeType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}
def CudaTile_TileType : CudaTile_TypeDef<"Tile", "tile", "13, 1", [ShapedTypeInterface], [{
    static constexpr int64_t maxElements = 16777216;
    bool hasRank() const { return true; }
    TileType cloneWith(std::optional<::llvm::ArrayRef<int64_t>> shape, ::mlir::Type elementType) const {
      return get(shape.value_or(getShape()), elementType);
    }
}]> {
  let summary = "array of elements whose shape is known when the program is compiled";
  let description = [{
    Each extent is a power of two, and a tile has at most 16,777,216 elements. A tile of rank 0 is a scalar. A tile of f4E2M1FN has an even
    number of elements, so that its bytes are whole.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, CudaTile_TileElementParam:$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [TypeBuilderWithInferredContext<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$elementType), [{
    return $_get(elementType.getContext(), shape, elementType);
  }]>];
}
def CudaTile_TokenType : CudaTile_TypeDef<"Token", "token", "13, 1"> {
  let summary = "what orders operations on memory within a tile block";
}
def CudaTile_TensorViewType : CudaTile_TypeDef<"TensorView", "tensor_view", "13, 1", [], [{
    static constexpr int64_t dynamic = ::mlir::ShapedType::kDynamic;
    size_t getRank() const { return getShape().size(); }
    size_t dynamicExtents() const { return ::llvm::count(getShape(), dynamic); }
    size_t dynamicStrides() const { return ::llvm::count(getStrides(), dynamic); }
}]> {
  let summary = "a pointer with the shape and strides of a tensor";
  let description = [{Extents and strides count elements; each is a positive number, or `?` where it is known at run time only.}];
  let parameters = (ins CudaTile_PointeeParam:$elementType, ArrayRefParameter<"int64_t">:$shape, ArrayRefParameter<"int64_t">:$strides);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

class CudaTile_ViewTypeDef<string name, string mnemonic, string since, string methods = ""> : CudaTile_TypeDef<name, mnemonic, since,
    [DeclareTypeInterfaceMethods<CudaTile_TileView, ["getViewTileType"]>], methods> {
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}
def CudaTile_PartitionViewType : CudaTile_ViewTypeDef<"PartitionView", "partition_view", "13, 1"> {
  let summary = "a tensor cut into tiles that touch but do not overlap";
  let description = [{Dimension i of the tile runs along dimension dim_map[i] of the tensor, a permutation. The index (i, j) names the i-th, j-th tile.}];
  let parameters = (ins ArrayRefParameter<"int32_t">:$tileShape, "::tessera::cuda_tile::TensorViewType":$tensorView,
    ArrayRefParameter<"int32_t">:$dimMap, "::tessera::cuda_tile::PaddingValueAttr":$paddingValue);
}
def CudaTile_StridedViewType : CudaTile_ViewTypeDef<"StridedView", "strided_view", "13, 3"> {
  let summary = "a tensor seen through windows that start at multiples of the traversal strides";
  let description = [{Window k of a dimension starts at k times its traversal stride, in elements, so that windows may overlap or leave gaps.}];
  let parameters = (ins ArrayRefParameter<"int32_t">:$tileShape, ArrayRefParameter<"int32_t">:$traversalStrides,
    "::tessera::cuda_tile::TensorViewType":$tensorView, ArrayRefParameter<"int32_t">:$dimMap,
    "::tessera::cuda_tile::PaddingValueAttr":$paddingValue);
}
def CudaTile_GatherScatterViewType : CudaTile_ViewTypeDef<"GatherScatterView", "gather_scatter_view", "13, 3", [{
      std::optional<int64_t> getSparseDim() const { return getSparseDimension(); }
    }]> {
  let summary = "a tensor of which one dimension is indexed by a tile of row numbers";
  let description = [{The index of the sparse dimension is a tile of rank 1 with as many numbers as the tile has rows there; they count elements, not tiles. So do the other indices, which say where the tile starts.}];
  let parameters = (ins ArrayRefParameter<"int32_t">:$tileShape, "::tessera::cuda_tile::TensorViewType":$tensorView,
    "int32_t":$sparseDimension, "::tessera::cuda_tile::PaddingValueAttr":$paddingValue);
}

// What operands and results are, as diagnostics name it.
// Diagnostics do not name what 13.4 previews: NVIDIA's are those of 13.3, which tools and tests look for.
class CudaTile_TileOf<list<Type> elements, string descr = "tile", list<Type> previewed = []>
  : Type<ShapedContainerType<elements # previewed, CPred<"::llvm::isa<::tessera::cuda_tile::TileType>($_self)">, descr>.predicate,
      descr # " of " # AnyTypeOf<elements>.summary # " values", "::tessera::cuda_tile::TileType">;
class CudaTile_ScalarOf<list<Type> elements>
  : ShapedContainerType<elements, And<[CPred<"::llvm::isa<::tessera::cuda_tile::TileType>($_self)">,
      CPred<"::llvm::cast<::tessera::cuda_tile::TileType>($_self).getRank() == 0">]>, "0D tile", "::tessera::cuda_tile::TileType">;
def CudaTile_IntTile : CudaTile_TileOf<CudaTile_Ints>;
def CudaTile_BoolTile : CudaTile_TileOf<[CudaTile_I1]>;
def CudaTile_I64Tile : CudaTile_TileOf<[CudaTile_I64]>;
def CudaTile_BaseFloatTile : CudaTile_TileOf<CudaTile_BaseFloats>;
def CudaTile_FloatTile : CudaTile_TileOf<CudaTile_AnyFloats, "tile", [CudaTile_F8E5M3FNU]>;
def CudaTile_IntOrI4Tile : CudaTile_TileOf<CudaTile_Ints # [CudaTile_I4]>;
def CudaTile_PointerTile : CudaTile_TileOf<[CudaTile_Pointer]>;
def CudaTile_LiteralTile : CudaTile_TileOf<CudaTile_Literals>;
def CudaTile_NumberTile : CudaTile_TileOf<CudaTile_Literals, "tile", [CudaTile_F8E5M3FNU]>;
def CudaTile_PackableTile : CudaTile_TileOf<CudaTile_Literals # [CudaTile_I4], "tile", [CudaTile_F8E5M3FNU]>;
def CudaTile_ByteTile : CudaTile_TileOf<[CudaTile_I8]>;
def CudaTile_BoolScalar : CudaTile_ScalarOf<[CudaTile_I1]>,
  BuildableType<"::tessera::cuda_tile::TileType::get({}, $_builder.getI1Type())">;
// Buildable, so that assembly need not print the type.
def CudaTile_I32Scalar : CudaTile_ScalarOf<[CudaTile_I32]>,
  BuildableType<"::tessera::cuda_tile::TileType::get({}, $_builder.getI32Type())">;
def CudaTile_IntScalar : CudaTile_ScalarOf<CudaTile_Ints>;
def CudaTile_PointerScalar : CudaTile_ScalarOf<[CudaTile_Pointer]>;
def CudaTile_AnyTile : Type<CPred<"::llvm::isa<::tessera::cuda_tile::TileType>($_self)">, "Tile type", "::tessera::cuda_tile::TileType">;
def CudaTile_Token : Type<CPred<"::llvm::isa<::tessera::cuda_tile::TokenType>($_self)">, "cuda tile token type", "::tessera::cuda_tile::TokenType">,
  BuildableType<"::tessera::cuda_tile::TokenType::get($_builder.getContext())">;
def CudaTile_TensorView : Type<CPred<"::llvm::isa<::tessera::cuda_tile::TensorViewType>($_self)">, "tensor_view type", "::tessera::cuda_tile::TensorViewType">;
def CudaTile_AnyView : Type<CPred<"::llvm::isa<::tessera::cuda_tile::TileView>($_self)">, "TileView instance", "::tessera::cuda_tile::TileView">;
class CudaTile_ViewOf<string cpp, string name>
  : Type<CPred<"::llvm::isa<::tessera::cuda_tile::" # cpp # ">($_self)">, name # " type", "::tessera::cuda_tile::" # cpp>;
def CudaTile_PartitionView : CudaTile_ViewOf<"PartitionViewType", "partition_view">;
def CudaTile_StridedView : CudaTile_ViewOf<"StridedViewType", "strided_view">;
def CudaTile_GatherScatterView : CudaTile_ViewOf<"GatherScatterViewType", "gather_scatter_view">;

#endif
