// The run-time fields of atoms: what their types leave open, in the order of the lowered struct.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using cute::AddressSpace;
using cute::PtrType;

namespace {
constexpr layout::Swizzle noSwizzle{0, 4, 3};
constexpr int64_t tensorMapAlignment = 64; // bytes; PTX ISA 9.0, 5.5.8
constexpr int64_t barrierAlignment = 8;

struct Fields {
  MLIRContext *context;

  Type integer(unsigned bits) const { return IntegerType::get(context, bits); }
  Type barrier(AddressSpace space = AddressSpace::smem) const {
    return PtrType::get(context, integer(64), space, barrierAlignment, noSwizzle);
  }
  Type desc() const { return tensorMapPointer(context); }

  template <class Attr, class Case> AtomField field(Case which, Type type) const {
    return {Attr::get(context, which), type};
  }

  SmallVector<AtomField> load() const {
    using enum CopyFieldTmaLoad;
    using Attr = CopyFieldTmaLoadAttr;
    return {field<Attr>(tma_descriptor_ptr, desc()), field<Attr>(tma_bar, barrier()),
            field<Attr>(mcast_mask, integer(16)), field<Attr>(cache_policy, integer(64))};
  }
  SmallVector<AtomField> store() const {
    using enum CopyFieldTmaStore;
    using Attr = CopyFieldTmaStoreAttr;
    return {field<Attr>(tma_descriptor_ptr, desc()), field<Attr>(cache_policy, integer(64))};
  }
  SmallVector<AtomField> sparseGroup() const {
    using enum MmaFieldSm90Sparse;
    using Attr = MmaFieldSm90SparseAttr;
    return {field<Attr>(accum_c, integer(1)), field<Attr>(e, integer(32))};
  }
  /// The barrier may be another CTA's.
  SmallVector<AtomField> bulk(ArrayRef<CopyFieldBulk> cases, AddressSpace barrierSpace) const {
    return llvm::map_to_vector(cases, [&](CopyFieldBulk which) {
      Type type = which == CopyFieldBulk::tma_bar      ? Type(barrier(barrierSpace))
                  : which == CopyFieldBulk::mcast_mask ? Type(integer(16))
                                                       : Type(integer(64));
      return field<CopyFieldBulkAttr>(which, type);
    });
  }
  SmallVector<AtomField> tcgen05() const {
    using enum MmaFieldSm100;
    using Attr = MmaFieldSm100Attr;
    return {field<Attr>(accum_c, integer(1)), field<Attr>(neg_a, integer(1)),
            field<Attr>(neg_b, integer(1))};
  }
};
} // namespace

PtrType tessera::cute_nvgpu::tensorMapPointer(MLIRContext *context) {
  return PtrType::get(context, IntegerType::get(context, 8), AddressSpace::generic,
                      tensorMapAlignment, noSwizzle);
}

bool tessera::cute_nvgpu::carriesTensorMap(Type atom) {
  return isa<NonExecTiledTmaLoadType, NonExecTiledTmaStoreType, NonExecTiledTmaReduceType,
             NonExecIm2colTmaLoadType>(cute::untiled(atom));
}

SmallVector<AtomField> tessera::cute_nvgpu::fieldsOf(Type type) {
  Type atom = cute::untiled(type);
  Fields fields{atom.getContext()};
  using List = SmallVector<AtomField>;
  using enum CopyFieldBulk;
  return TypeSwitch<Type, List>(atom)
      .Case([&](TmaLoadType) { return fields.load(); })
      .Case<TmaStoreType, TmaReduceType>([&](Type) { return fields.store(); })
      .Case<NonExecTiledTmaLoadType, NonExecIm2colTmaLoadType>([&](Type) {
        return List{fields.field<CopyFieldNonExecTmaLoadAttr>(CopyFieldNonExecTmaLoad::tma_desc,
                                                              fields.desc())};
      })
      .Case<NonExecTiledTmaStoreType, NonExecTiledTmaReduceType>([&](Type) {
        return List{fields.field<CopyFieldNonExecTmaStoreAttr>(CopyFieldNonExecTmaStore::tma_desc,
                                                               fields.desc())};
      })
      .Case([&](BulkCopyG2SType) {
        return fields.bulk({tma_bar, mcast_mask, cache_policy}, AddressSpace::smem);
      })
      .Case<BulkCopyS2GType, BulkReduceS2GType>(
          [&](Type) { return fields.bulk({cache_policy}, AddressSpace::smem); })
      .Case<BulkCopyS2SType, BulkReduceS2SType, DsmemStoreType>(
          [&](Type) { return fields.bulk({tma_bar}, AddressSpace::dsmem); })
      .Case([&](Sm80SparseMmaType) {
        return List{
            fields.field<MmaFieldSm80SparseAttr>(MmaFieldSm80Sparse::e, fields.integer(32))};
      })
      .Case([&](Sm90MmaType) {
        return List{fields.field<MmaFieldSm90Attr>(MmaFieldSm90::accum_c, fields.integer(1))};
      })
      .Case([&](Sm90MmaSpType) { return fields.sparseGroup(); })
      .Case<Sm100MmaType, Sm100MmaSpType, Sm100MmaBsType, Sm100MmaBsSpType>(
          [&](Type) { return fields.tcgen05(); })
      .Default(List{});
}
