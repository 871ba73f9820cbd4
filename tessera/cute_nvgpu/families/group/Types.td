// Atoms of a warpgroup: wgmma, and the descriptors of matrices in shared memory that it reads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_FAMILIES_GROUP_TYPES_TD
#define TESSERA_CUTE_NVGPU_FAMILIES_GROUP_TYPES_TD

include "tessera/cute_nvgpu/AtomBase.td"

def CuteNvgpu_MmaFieldSm90 : CuteNvgpu_FieldEnum<"MmaFieldSm90", "run-time field of a WGMMA", [
    I32EnumAttrCase<"accum_c", 0>]>;
def CuteNvgpu_MmaFieldSm90Attr : CuteNvgpu_FieldAttr<CuteNvgpu_MmaFieldSm90, "atom_mma_field_sm90">;
def CuteNvgpu_MmaFieldSm90Sparse : CuteNvgpu_FieldEnum<"MmaFieldSm90Sparse", "run-time field of a sparse WGMMA", [
    I32EnumAttrCase<"accum_c", 0>, I32EnumAttrCase<"e", 5>]>;
def CuteNvgpu_MmaFieldSm90SparseAttr : CuteNvgpu_FieldAttr<CuteNvgpu_MmaFieldSm90Sparse, "atom_mma_field_sm90_sparse">;

class CuteNvgpu_GroupMma<string name, string typeMnemonic, list<Column> more, string moreFormat, string constants = "">
    : CuteNvgpu_Mma<name, typeMnemonic,
    [ColShape, ColAMajor, ColBMajor, ColA, ColB, ColC, ColFragKind, ColOverflow, ColNegA, ColNegB] # more,
    [{`<` custom<ShapeMnk>($shape) `,` `ab_major` `=` `(` $a_major `,` $b_major `)` `,`
      `elem_type` `=` `(` $a `,` $b `,` $c `)` `,` `frag_kind` `=` $frag_kind
      `` custom<Sm90Options>($overflow, $neg_a, $neg_b}] # moreFormat # ") `>`", name, constants> {
  let gate = "groupGate";
}
def CuteNvgpu_Sm90Mma : CuteNvgpu_GroupMma<"Sm90Mma", "sm90.mma", [ColBinaryOp], ", $binary_op"> {
  let summary = "warpgroup MMA: `<64x128x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>`";
  let description = [{`binary_op = <and_popc>` for i1; Hopper has no other.}];
  let fields = [AtomField<"MmaFieldSm90", "accum_c", "bits(1)">];
}
def CuteNvgpu_Sm90MmaSp
    : CuteNvgpu_GroupMma<"Sm90MmaSp", "sm90.mma_sp", [], "", "form.query.metadata = ::tessera::atom::Metadata::Plain;"> {
  let summary = "warpgroup MMA with a structured-sparse A: `<64x128x32, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>`";
  let description = [{
    K is logical: A has half of it. In shared memory the two halves of a pair along K are one place: the tensor of A has a mode of
    extent 2 and stride 0 there, `(64,(2,16)):(16,(0,1))`. In registers a fragment holds what is kept, in order. Field `e` is the
    metadata, the call's selector the lanes that give it.
  }];
  let fields = [AtomField<"MmaFieldSm90Sparse", "accum_c", "bits(1)">, AtomField<"MmaFieldSm90Sparse", "e", "bits(32)">];
}

//===--- descriptors --------------------------------------------------------------------------===//

def CuteNvgpu_SmemDesc : CuteNvgpu_Type<"SmemDesc", "smem_desc",
                                        [DeclareTypeInterfaceMethods<IteratorType>]> {
  let summary = "64-bit descriptor of a matrix in shared memory; offsets are in 16-byte units";
}
def CuteNvgpu_SmemDescView : CuteNvgpu_Type<"SmemDescView", "smem_desc_view",
                                            [DeclareTypeInterfaceMethods<ViewType>]> {
  let summary = "descriptors of the matrices of a tensor: `<!cute_nvgpu.smem_desc, \"(1,4):(0,2)\">`";
  let parameters = (ins "::mlir::Type":$desc, "::tessera::layout::AnyLayout":$layout);
  let hasCustomAssemblyFormat = 1;
}

#endif
