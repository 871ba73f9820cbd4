// TMA: atoms, their run-time fields, tensor maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_FAMILIES_TMA_ATOMS_TD
#define TESSERA_CUTE_NVGPU_FAMILIES_TMA_ATOMS_TD

include "tessera/cute_nvgpu/ops/Base.td"

class CuteNvgpu_FunctionalOp<string mnemonic, list<Trait> traits, dag ins_, dag outs_>
    : CuteNvgpu_Op<mnemonic, traits> {
  let arguments = ins_;
  let results = outs_;
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
}

//===--- atoms --------------------------------------------------------------------------------===//

def CuteNvgpu_MakeExecTmaOp
    : CuteNvgpu_FunctionalOp<"atom.make_exec_tma", [Pure], (ins CuteNvgpu_CopyAtom:$atom), (outs CuteNvgpu_CopyAtom:$result)> {
  let summary = "a TMA atom ready to execute; its barrier, mask and policy are set afterwards";
  let hasVerifier = 1;
}
def CuteNvgpu_AtomSetValueOp : CuteNvgpu_Op<"atom.set_value", [Pure, AllTypesMatch<["atom", "result"]>]> {
  let summary = "the atom with a run-time field set";
  let arguments = (ins CuteNvgpu_AnyAtom:$atom, CuteNvgpu_FieldValue:$value, AnyAttr:$field);
  let results = (outs CuteNvgpu_AnyAtom:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def CuteNvgpu_AtomGetValueOp : CuteNvgpu_Op<"atom.get_value", [Pure]> {
  let summary = "a run-time field of an atom";
  let arguments = (ins CuteNvgpu_AnyAtom:$atom, AnyAttr:$field);
  let results = (outs CuteNvgpu_FieldValue:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasFolder = 1;
}
def CuteNvgpu_TmaPartitionOp
    : CuteNvgpu_FunctionalOp<"atom.tma_partition", [Pure, Cute_AlgebraOpInterface],
        (ins CuteNvgpu_CopyAtom:$atom, Cute_Coord:$cta_coord, Cute_Layout:$cta_layout, Cute_View:$smem,
             Variadic<Cute_View>:$targets),
        (outs Variadic<Cute_View>:$results)> {
  let summary = "what a CTA of a cluster moves: the shared memory tensor and the targets in units of the TMA box";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The results for operands in a domain; they have no attributes to look at.
    static ::tessera::Result<::tessera::cute::Data>
    evaluateOn(::tessera::cute::Domain &domain, ::llvm::ArrayRef<::tessera::cute::Datum> in);
    ::tessera::Result<::tessera::cute::Data>
    evaluateWith(::tessera::cute::Domain &domain, ::llvm::ArrayRef<::tessera::cute::Datum> in) {
      return evaluateOn(domain, in);
    }
  }];
}

def CuteNvgpu_MakeNonExecTiledTmaLoadOp : CuteNvgpu_Op<"atom.make_non_exec_tiled_tma_load", [Pure]> {
  let summary = "tensor map and atom of a TMA load, and the tensor of its coordinates";
  let description = [{
    `cta_tiler` maps coordinates of the tile to modes of the tensor. A ladder of eleven rules stands before the op.
  }];
  let arguments = (ins Cute_Anything:$tensor, Cute_Anything:$smem_layout, Cute_Anything:$cta_tiler,
                   CuteNvgpu_TiledTmaLoadAttr:$kind, I32Attr:$num_multicast,
                   OptionalAttr<CuteNvgpu_TmaDataFormatAttr>:$tma_format,
                   OptionalAttr<TypeAttr>:$internal_type);
  let results = (outs CuteNvgpu_CopyAtom:$atom, Cute_CoordTensor:$coords);
  let hasVerifier = 1;
  let assemblyFormat = [{
    `(` operands `)` custom<TmaLoadOptions>($kind, $num_multicast, $tma_format, $internal_type) attr-dict
    `:` functional-type(operands, results)
  }];
}
def CuteNvgpu_MakeNonExecTiledTmaStoreOp
    : CuteNvgpu_FunctionalOp<"atom.make_non_exec_tiled_tma_store", [Pure],
        (ins Cute_Anything:$tensor, Cute_Anything:$smem_layout, Cute_Anything:$cta_tiler),
        (outs CuteNvgpu_CopyAtom:$atom, Cute_CoordTensor:$coords)> {
  let summary = "tensor map and atom of a TMA store, and the tensor of its coordinates";
  let hasVerifier = 1;
}
def CuteNvgpu_MakeNonExecTiledTmaReduceOp
    : CuteNvgpu_FunctionalOp<"atom.make_non_exec_tiled_tma_reduce", [Pure],
        (ins Cute_Anything:$tensor, Cute_Anything:$smem_layout, Cute_Anything:$cta_tiler),
        (outs CuteNvgpu_CopyAtom:$atom, Cute_CoordTensor:$coords)> {
  let summary = "tensor map and atom of a TMA reduction, whose type says what it does, and the tensor of its coordinates";
  let hasVerifier = 1;
}
def CuteNvgpu_MakeTmaDescIm2colOp
    : CuteNvgpu_Op<"make_tma_desc_im2col", [AttrSizedOperandSegments, MemoryEffects<[MemAlloc, MemWrite]>]> {
  let summary = "a tensor map of pixels under a filter in the host function's frame, encoded by the device's driver";
  let description = [{
    Extents in elements and strides in bytes (of the modes after the first) as in `make_tma_desc_tiled`. `lower` and `upper` are the
    corners of the box of base pixels in the modes between the first (channels) and the last (images); a copy has `channels` of each
    of `pixels` pixels, `steps` apart. `cute.make_atom` makes an atom of it. In the modes `w` and `w128` of sm_100 pixels follow each other
    along mode 1 only, which alone has corners; `w128` copies 128 of them, whatever `pixels` says.
  }];
  let arguments = (ins CuteNvgpu_GlobalPtr:$tensor, Variadic<I64>:$extents, Variadic<I64>:$strides, DenseI32ArrayAttr:$lower,
                   DenseI32ArrayAttr:$upper, DenseI32ArrayAttr:$steps, I32Attr:$channels, I32Attr:$pixels,
                   CuteNvgpu_TmaDataFormatAttr:$format, CuteNvgpu_TmaSwizzleAttr:$swizzle, OptionalAttr<CuteNvgpu_TmaLoadModeAttr>:$mode);
  let results = (outs Cute_Ptr:$result);
  let assemblyFormat = [{
    `(` $tensor `,` `[` $extents `]` `,` `[` $strides `]` `)` attr-dict `:` qualified(type($tensor)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}
def CuteNvgpu_MakeTmaDescTiledOp
    : CuteNvgpu_Op<"make_tma_desc_tiled", [AttrSizedOperandSegments, MemoryEffects<[MemAlloc, MemWrite]>]> {
  let summary = "a tensor map in the host function's frame, encoded by the device's driver";
  let description = [{
    Extents in elements of the format, strides in bytes, of the modes after the first. Limits that only run-time values can
    break are reported by the launch.
  }];
  let arguments = (ins CuteNvgpu_GlobalPtr:$tensor, Variadic<I64>:$extents, Variadic<I64>:$strides, DenseI32ArrayAttr:$box,
                   CuteNvgpu_TmaDataFormatAttr:$format, CuteNvgpu_TmaSwizzleAttr:$swizzle);
  let results = (outs Cute_Ptr:$result);
  let assemblyFormat = [{
    `(` $tensor `,` `[` $extents `]` `,` `[` $strides `]` `)` attr-dict `:` qualified(type($tensor)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

//===--- tensor maps --------------------------------------------------------------------------===//

def CuteNvgpu_PrefetchTmaDescOp
    : CuteNvgpu_FunctionalOp<"prefetch_tma_desc", [MemoryEffects<[MemRead, MemWrite]>], (ins CuteNvgpu_CopyAtom:$atom), (outs)> {
  let summary = "brings the tensor map of an atom into the descriptor cache";
}
def CuteNvgpu_CopyTmaDescOp
    : CuteNvgpu_FunctionalOp<"copy_tma_desc", [MemoryEffects<[MemRead, MemWrite]>],
                             (ins CuteNvgpu_CopyAtom:$atom, CuteNvgpu_MapPtr:$dst), (outs)> {
  let summary = "copies the tensor map of an atom to memory, where it can be changed; by one thread";
  let hasVerifier = 1;
}
def CuteNvgpu_UpdateTmaDescOp
    : CuteNvgpu_FunctionalOp<"update_tma_desc", [MemoryEffects<[MemRead, MemWrite]>],
                             (ins CuteNvgpu_CopyAtom:$atom, Cute_MemRef:$tensor, CuteNvgpu_MapPtr:$desc), (outs)> {
  let summary = "points a tensor map in memory to another tensor of the same kind";
  let description = [{
    Address, extents and strides are replaced. A map in shared memory is published by `tensormap.cp_fenceproxy`; one in global memory is
    acquired before and released after, at the scope of the GPU.
  }];
  let hasVerifier = 1;
}
def CuteNvgpu_GetTmaDescAddrOp
    : CuteNvgpu_FunctionalOp<"get_tma_desc_addr", [Pure], (ins CuteNvgpu_CopyAtom:$atom), (outs Cute_Ptr:$result)> {
  let summary = "address of the tensor map of an atom";
}

#endif
