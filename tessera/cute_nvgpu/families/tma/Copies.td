// TMA instructions, and what changes tensor maps in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_FAMILIES_TMA_COPIES_TD
#define TESSERA_CUTE_NVGPU_FAMILIES_TMA_COPIES_TD

include "tessera/cute_nvgpu/ops/Base.td"

def CuteNvgpu_ArchTmaLoadOp
    : CuteNvgpu_Op<"arch.copy.SM100.tma_load", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a TMA load: tensor map, destination, mbarrier, coordinates";
  let arguments = (ins CuteNvgpu_GlobalPtr:$desc, CuteNvgpu_SmemPtr:$dst, Cute_Ptr:$barrier, Variadic<I32>:$coord,
                   Optional<I16>:$mask, Variadic<I16>:$offsets, Optional<I64>:$cache_policy,
                   CuteNvgpu_TmaLoadModeAttr:$mode, I32Attr:$num_cta);
  let assemblyFormat = [{
    `(` $desc `,` $dst `,` $barrier `,` `[` $coord `]` `)` (`offsets` `=` `[` $offsets^ `]`)? (`mask` `=` $mask^)?
    (`cache_policy` `=` $cache_policy^)? attr-dict `:` qualified(type($desc)) `,` qualified(type($dst)) `,` qualified(type($barrier))
  }];
  let hasVerifier = 1;
}
def CuteNvgpu_ArchPrefetchTmaDescOp
    : CuteNvgpu_Op<"arch.prefetch_tma_desc", [MemoryEffects<[MemRead, MemWrite]>]> { // of the cache: not dead
  let summary = "brings a tensor map into the descriptor cache";
  let arguments = (ins CuteNvgpu_GlobalPtr:$desc);
  let assemblyFormat = "`(` $desc `)` attr-dict `:` qualified(type($desc))";
}
def CuteNvgpu_ArchTmaStoreOp
    : CuteNvgpu_Op<"arch.copy.SM100.tma_store", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a TMA store: tensor map, source, coordinates";
  let arguments = (ins CuteNvgpu_GlobalPtr:$desc, CuteNvgpu_SmemPtr:$src, Variadic<I32>:$coord, Optional<I64>:$cache_policy,
                   CuteNvgpu_TmaStoreModeAttr:$mode);
  let assemblyFormat = [{
    `(` $desc `,` $src `,` `[` $coord `]` `)` (`cache_policy` `=` $cache_policy^)? attr-dict `:`
    qualified(type($desc)) `,` qualified(type($src))
  }];
  let hasVerifier = 1;
}
def CuteNvgpu_ArchTmaReduceOp
    : CuteNvgpu_Op<"arch.copy.SM100.tma_reduce", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a TMA reduction into global memory: tensor map, source, coordinates";
  let arguments = (ins CuteNvgpu_GlobalPtr:$desc, CuteNvgpu_SmemPtr:$src, Variadic<I32>:$coord, Optional<I64>:$cache_policy,
                   CuteNvgpu_TmaStoreModeAttr:$mode, CuteNvgpu_ReductionKindAttr:$kind);
  let assemblyFormat = [{
    `(` $desc `,` $src `,` `[` $coord `]` `)` (`cache_policy` `=` $cache_policy^)? attr-dict `:`
    qualified(type($desc)) `,` qualified(type($src))
  }];
  let hasVerifier = 1;
}
def CuteNvgpu_ArchTmaPrefetchOp
    : CuteNvgpu_Op<"arch.copy.SM100.tma_prefetch", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "brings a box of a tensor into L2: tensor map, coordinates";
  let arguments = (ins CuteNvgpu_GlobalPtr:$desc, Variadic<I32>:$coord, Variadic<I16>:$offsets, Optional<I64>:$cache_policy,
                   CuteNvgpu_TmaLoadModeAttr:$mode);
  let assemblyFormat = [{
    `(` $desc `,` `[` $coord `]` `)` (`offsets` `=` `[` $offsets^ `]`)? (`cache_policy` `=` $cache_policy^)? attr-dict `:`
    qualified(type($desc))
  }];
  let hasVerifier = 1;
}
// What changes a tensor map in memory; the ordinals of modes count from the contiguous one.
def CuteNvgpu_ArchReplaceTmaDescOp
    : CuteNvgpu_Op<"arch.replace_tma_desc", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "tensormap.replace of a tensor map's address, extents and strides (in bytes, of the modes after the first)";
  let description = [{
    In shared memory the caller publishes the map by `tensormap.cp_fenceproxy`; elsewhere the op fences by itself.
  }];
  let arguments = (ins CuteNvgpu_MapPtr:$desc, CuteNvgpu_GlobalPtr:$tensor, Variadic<I32>:$extents, Variadic<I64>:$strides);
  let assemblyFormat = [{
    `(` $desc `,` $tensor `,` `[` $extents `]` `,` `[` $strides `]` `)` attr-dict `:` qualified(type($desc)) `,` qualified(type($tensor))
  }];
  let hasVerifier = 1;
}
def CuteNvgpu_ArchCopyTmaDescOp
    : CuteNvgpu_Op<"arch.copy_tma_desc", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "copies the 128 bytes of a tensor map, by one thread";
  let arguments = (ins CuteNvgpu_MapPtr:$src, CuteNvgpu_MapPtr:$dst);
  let assemblyFormat = "`(` operands `)` attr-dict `:` `(` type(operands) `)`";
}

#endif
