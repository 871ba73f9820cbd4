// Atoms of a single thread: multiply-add, load and store, cp.async.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_FAMILIES_UNIVERSAL_TYPES_TD
#define TESSERA_CUTE_NVGPU_FAMILIES_UNIVERSAL_TYPES_TD

include "tessera/cute_nvgpu/AtomBase.td"

def CuteNvgpu_UniversalFma
    : CuteNvgpu_Mma<"UniversalFma", "atom.universal_fma", [ColShape, ColA, ColB, ColC],
                    "`<` custom<ShapeMnk>($shape) `,` `(` $a `,` $b `)` `->` $c ` ` `>`"> {
  let summary = "scalar multiply-add by every thread: `<1x1x1, (f32, f32) -> f32 >`";
}

// Without a width the amount is that of a value, which takes at least a byte of memory.
def ColUniversalBits : Column<May<"int32_t", "0">, "copy_bits", "CopyBits", "statedBits">;
def ColL1Eviction : Column<OptionalParameter<"std::optional<::tessera::atom::EvictionPriority>">, "l1_eviction", "L1Eviction", "l1Eviction">;
def ColSrcSpace : Column<OptionalParameter<"std::optional<::tessera::cute::AddressSpace>">, "src_space", "SrcSpace", "srcSpace">;
def ColDstSpace : Column<OptionalParameter<"std::optional<::tessera::cute::AddressSpace>">, "dst_space", "DstSpace", "dstSpace">;
def CuteNvgpu_UniversalCopy
    : CuteNvgpu_Copy<"UniversalCopy", "atom.universal_copy", [ColValType, ColUniversalBits, ColL1Eviction, ColSrcSpace, ColDstSpace],
                     "`<` $val_type `` custom<UniversalCopyOptions>($copy_bits, $l1_eviction, $src_space, $dst_space) `>`", "UniversalCopy",
                     "form.byThread = true; form.amount = universalBits(val_type, copy_bits);"> {
  let summary = "plain load and store: `<f16, 128 b>`; without a width one element. `src_space = gmem`, `dst_space = smem` may be stated";
}

// Loads and stores of a stated direction; what is not as usual stands after the width, separated by blanks.
def ColAccess : Column<Must<"::tessera::atom::AccessOptions">, "access", "Access", "access">;
class CuteNvgpu_DirectCopy<string name, string typeMnemonic, string from, string to>
    : CuteNvgpu_Copy<name, typeMnemonic, [ColValType, ColThreadBits, ColAccess],
                     "`<` $val_type `copy_bits` `=` $copy_bits `` custom<Access>($access) `>`", "UniversalCopy",
                     "form.byThread = true; form.srcSpace = ::tessera::cute::AddressSpace::" # from #
                     "; form.dstSpace = ::tessera::cute::AddressSpace::" # to # ";"> {
  let gate = "verifyAccess";
}
def CuteNvgpu_CopyG2R : CuteNvgpu_DirectCopy<"CopyG2R", "atom.g2r", "Gmem", "Rmem"> {
  let summary = "load from global memory: `<f32 copy_bits = 64 mem_order = relaxed mem_scope = gpu>`";
  let description = [{
    `mem_order`, `mem_scope`, `l2_prefetch_size`, `l1_cache_evict_priority`, `load_cache_mode`, `shared_space` and `invariant`; what is as
    usual is left out. Hints about caches are not lowered, orders other than `weak` are refused.
  }];
}
def CuteNvgpu_CopyR2G : CuteNvgpu_DirectCopy<"CopyR2G", "atom.r2g", "Rmem", "Gmem"> {
  let summary = "store to global memory, with `store_cache_mode` in place of what loads have";
}
def CuteNvgpu_CopyS2R : CuteNvgpu_DirectCopy<"CopyS2R", "atom.s2r", "Smem", "Rmem"> {
  let summary = "load from shared memory: `<f32 copy_bits = 64 shared_space = cluster>`";
}
def CuteNvgpu_CopyR2S : CuteNvgpu_DirectCopy<"CopyR2S", "atom.r2s", "Rmem", "Smem"> {
  let summary = "store to shared memory";
}

def ColCache : Column<Must<"::tessera::atom::CacheMode">, "cache", "Cache", "key.cache">;
def CuteNvgpu_SimtAsyncCopy
    : CuteNvgpu_Copy<"SimtAsyncCopy", "atom.simt_async_copy", [ColValType, ColCache, ColThreadBits],
                     "`<` $val_type `,` `cache` `=` $cache `,` $copy_bits `b` `>`", "SimtAsyncCopy", "form.byThread = true;"> {
  let summary = "cp.async: `<bf16, cache = global, 128 b>`";
}

#endif
