// The run-time fields of atoms: what their types leave open, in the order of the lowered struct.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomTypes.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using cute::PtrType;

static constexpr layout::Swizzle noSwizzle{0, 4, 3};

PtrType tessera::cute_nvgpu::tensorMapPointer(MLIRContext *context) {
  constexpr int64_t alignment = 64; // bytes; PTX ISA 9.0, 5.5.8
  return PtrType::get(context, IntegerType::get(context, 8), cute::AddressSpace::Generic, alignment,
                      noSwizzle);
}

Type FieldTypes::bits(unsigned width) const { return IntegerType::get(context, width); }
Type FieldTypes::barrier(cute::AddressSpace space) const {
  constexpr int64_t alignment = 8;
  return PtrType::get(context, bits(64), space, alignment, noSwizzle);
}
Type FieldTypes::tensorMap() const { return tensorMapPointer(context); }
Type FieldTypes::tensor(Type element) const {
  return PtrType::get(context, element, cute::AddressSpace::Tmem, /*alignment=*/1, noSwizzle);
}

Type FieldTypes::lanesIf(bool has, int64_t ctas) const {
  constexpr int64_t words = 4; // of the 128 lanes of a block
  return has ? VectorType::get({words * ctas}, bits(32)) : none();
}

SmallVector<AtomField> tessera::cute_nvgpu::fieldsOf(Type type) {
  auto atom = dyn_cast<TableAtomType>(cute::untiled(type));
  if (!atom)
    return {};
  SmallVector<AtomField> fields = atom.getFields();
  llvm::erase_if(fields, [](const AtomField &field) { return !field.type; });
  return fields;
}

size_t tessera::cute_nvgpu::placeOfField(Type type, StringRef name) {
  SmallVector<AtomField> fields = fieldsOf(type);
  const auto *found = llvm::find_if(fields, [&](const AtomField &f) { return f.name == name; });
  assert(found != fields.end() && "the type of an atom has what its recipe names");
  return size_t(found - fields.begin());
}

bool tessera::cute_nvgpu::knowsField(Type type, Attribute name) {
  auto atom = dyn_cast<TableAtomType>(cute::untiled(type));
  return atom &&
         llvm::any_of(atom.getFields(), [&](const AtomField &field) { return field.key == name; });
}

bool tessera::cute_nvgpu::carriesTensorMap(Type type) {
  auto atom = dyn_cast<TableAtomType>(cute::untiled(type));
  return atom && atom.carriesTensorMap();
}
