// MmaRegisters: helpers that verifiers of products on registers share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/MmaRegisters.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

Type tessera::cute_nvgpu::accumulatorOf(TypeRange registers) {
  if (registers.empty())
    return {};
  Type type = registers.front();
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getElementType() : type;
}

bool tessera::cute_nvgpu::isMnk(const layout::Tree &shape) {
  return shape.isTuple() && shape.rank() == 3 && shape.depth() == 1 && shape.isStatic();
}

namespace {
bool holds(Type type, atom::RegisterType registerType) {
  int64_t bits = 0;
  if (auto vector = dyn_cast<VectorType>(type))
    bits = vector.getNumElements() * vector.getElementTypeBitWidth();
  else if (type.isIntOrFloat())
    bits = type.getIntOrFloatBitWidth();
  return bits == atom::bits(registerType);
}

/// The registers that were passed: how many, or if that is right, of which types.
std::string shownRegisters(TypeRange types, int expected) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (int(types.size()) == expected)
    llvm::interleaveComma(types, out);
  else
    out << types.size();
  return text;
}
} // namespace

LogicalResult tessera::cute_nvgpu::verifyGroups(Operation *op, const atom::MmaRow &row, int64_t n,
                                                ArrayRef<RegisterGroup> groups) {
  for (const RegisterGroup &group : groups) {
    const atom::Registers &registers = group.operand.registers;
    int expected = registers.at(n);
    bool fits = int(group.types.size()) == expected;
    for (Type type : group.types)
      fits &= holds(type, registers.type) && type == group.types.front();
    if (!fits)
      return refuse(op, Diag::MmaRegisters, expected, StringRef(atom::ptxName(registers.type)),
                    group.name, StringRef(row.name), shownRegisters(group.types, expected));
  }
  return success();
}

std::string tessera::cute_nvgpu::selectorRefusal(const atom::MmaRow &row, int32_t selector) {
  int selectors = std::max<int>(1, row.sparsity.selectors);
  return selector >= 0 && selector < selectors
             ? std::string()
             : sentence(Diag::Selector, selectors, StringRef(row.name), selector);
}

std::string tessera::cute_nvgpu::negateRefusal(const atom::MmaRow &row) {
  return sentence(Diag::Negate, StringRef(row.name));
}

LogicalResult tessera::cute_nvgpu::verifySmem(Operation *op, Value pointer) {
  auto type = cast<cute::PtrType>(pointer.getType());
  return type.getAddressSpace() == cute::AddressSpace::Smem ? success()
                                                            : refuse(op, Diag::SmemPointer, type);
}
