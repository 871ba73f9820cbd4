// Changes of tensor maps. PTX ISA 9.7.9.27 and 9.7.13.17.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/TensorMap.h"
#include "tessera/sim/Lanes.h"

namespace tessera::sim {

namespace {

/// operand: address, value, mode or none. choice: the field.
Flow replaceField(Warp &w, const Instruction &i, Mask mask) {
  uint64_t address[warpSize];
  w.addresses(i, 0, address);
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    std::byte *at = w.locateRange(i.space, address[lane], sizeof(atom::TensorMapImage), 64,
                                  Access::Write, lane);
    if (!at)
      return Flow::Fault;
    atom::TensorMapImage image;
    std::memcpy(&image, at, sizeof(image));
    uint64_t value = i.modes.second == 64 ? w.in<uint64_t>(i.operand[1])[lane]
                                          : w.in<uint32_t>(i.operand[1])[lane];
    auto ord = i.operand[2] == noSlot ? 0 : w.in<uint32_t>(i.operand[2])[lane];
    if (std::optional<Reason> why =
            atom::replace(image, atom::TensorMapField(i.modes.choice), ord, value))
      return w.fault(lane, Error::TensorMap, hex(address[lane]), why->text);
    std::memcpy(at, &image, sizeof(image));
  }
  return Flow::Next;
}
Status bindReplace(Binding &b) {
  Type type = b.modifiers.type();
  bool hasMode = b.operands.size() == 3;
  b.out.modes.choice = uint8_t(*atom::findTensorMapField(b.modifiers.words[3]));
  b.out.modes.second = uint8_t(bits(type));
  TESSERA_TRY(b.out.operand[1], b.binder.source(b.operands[hasMode ? 2 : 1], type));
  if (hasMode) {
    TESSERA_TRY(b.out.operand[2], b.binder.source(b.operands[1], Type::b32));
  }
  return done(b, replaceField);
}
/// tensormap.cp_fenceproxy: the warp copies a map to where copies read it.
Flow copyMap(Warp &w, const Instruction &i, Mask mask) {
  Flow flow = Flow::Next;
  if (!w.together(mask, allLanes, flow))
    return flow;
  constexpr uint32_t size = sizeof(atom::TensorMapImage);
  uint64_t to[warpSize], from[warpSize];
  w.addresses(i, 0, to);
  w.addresses(i, 1, from);
  int lane = std::countr_zero(mask);
  std::byte *target = w.locateRange(Space::Generic, to[lane], size, 128, Access::Write, lane);
  std::byte *source =
      target ? w.locateRange(Space::Shared, from[lane], size, 128, Access::Read, lane) : nullptr;
  if (!source)
    return Flow::Fault;
  std::memcpy(target, source, size);
  w.tell(Fence{.what = Fence::MapsRelease, .lanes = mask});
  return Flow::Next;
}

// clang-format off
constexpr InstructionRow rows[] = {
    {"tensormap replace tile global_address|rank|box_dim|global_dim|global_stride|element_stride|elemtype|interleave_layout|swizzle_mode|fill_mode ?global|shared::cta b1024 b32|b64", "addr any any?", bindReplace, "changes a field of a tensor map"},
    {"tensormap cp_fenceproxy global shared::cta tensormap::generic release <scope> sync aligned", "addr addr any", [](Binding &b) { return done(b, copyMap); }, "copies a tensor map to global memory"},
};
// clang-format on

} // namespace

const RowGroup tensorMapRows = {"Tensor maps", rows};

} // namespace tessera::sim
