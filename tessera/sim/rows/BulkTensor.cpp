// Bulk copies of boxes of tensors. PTX ISA 9.7.9.27.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Tma.h"
#include "tessera/sim/rows/Bulk.h"

namespace tessera::sim {

namespace {

using namespace bulk;

constexpr size_t rowsAtOnce = 4;

/// What an instruction copies, and what a map is for.
enum class MapKind : uint8_t {
  Tiles,
  Columns,
  Along,
  Along128
};
std::string_view nameOf(MapKind kind) {
  constexpr std::string_view names[] = {"tiles", "im2col columns", "im2col::w pixels",
                                        "im2col::w::128 pixels"};
  return names[size_t(kind)];
}
std::string_view mapOf(MapKind kind) {
  constexpr std::string_view names[] = {"a tiled map", "an im2col map", "an im2col::w map",
                                        "an im2col::w::128 map"};
  return names[size_t(kind)];
}
MapKind kindOf(Mode mode) {
  switch (mode) {
  case Mode::Im2col: return MapKind::Columns;
  case Mode::Im2colW: return MapKind::Along;
  case Mode::Im2colW128: return MapKind::Along128;
  default: return MapKind::Tiles;
  }
}
MapKind kindOf(const atom::TensorMap &map) {
  switch (map.kind) {
  case atom::TensorMapKind::Tiled: return MapKind::Tiles;
  case atom::TensorMapKind::Im2col: return MapKind::Columns;
  case atom::TensorMapKind::Im2colWide: break;
  }
  return map.mode == atom::TensorMapWideMode::W ? MapKind::Along : MapKind::Along128;
}

/// The boxes that the operands name, one or one for each row, that follow each other in shared
/// memory; nothing after a fault.
std::optional<std::vector<Box>> boxesOf(Warp &w, const BulkPlan &plan, const AddressOperand &map,
                                        bool stores, int lane) {
  uint64_t address = map.address(w, lane);
  std::byte *at = w.locateRange(Space::Generic, address, sizeof(atom::TensorMapImage), 64,
                                Access::MapRead, lane);
  if (!at)
    return std::nullopt;
  atom::TensorMapImage image;
  std::memcpy(&image, at, sizeof(image));
  Result<atom::TensorMap> decoded = atom::decode(image);
  auto refuse = [&](const auto &expected, const auto &got) {
    w.fault(lane, Error::TensorMapUse, plan.mnemonic, expected, hex(address), got);
    return std::nullopt;
  };
  if (!decoded) {
    w.fault(lane, Error::TensorMap, hex(address), decoded.reason().text);
    return std::nullopt;
  }
  if (decoded->rank != plan.modes)
    return refuse(cat("a tensor of ", int(plan.modes), " modes"), decoded->rank);
  bool im2col = plan.mode == Mode::Im2col, byRows = plan.mode == Mode::Rows;
  if (MapKind asked = kindOf(plan.mode), got = kindOf(*decoded); asked != got)
    return refuse(mapOf(asked), nameOf(got));
  if (plan.mode != Mode::Tile && decoded->interleave != atom::TensorMapInterleave::None)
    return refuse(im2col ? "a map without interleave (how slices of channels follow each other in "
                           "columns is not documented)"
                         : "a map without interleave",
                  "one");
  if (byRows && decoded->box[1] != 1) // PTX ISA 5.5.3.4.1
    return refuse("a box of one row", cat(decoded->box[1]));
  std::vector<atom::TensorMapType> types =
      plan.reduces ? reducedTypes(plan.op) : std::vector{decoded->type};
  if (std::ranges::find(types, decoded->type) == types.end()) {
    std::string names;
    for (atom::TensorMapType type : types)
      names += cat(names.empty() ? "" : ", ", row(type).name);
    return refuse(cat("elements of ", names), row(decoded->type).name);
  }
  std::vector<Box> boxes(byRows ? rowsAtOnce : 1, Box{*decoded, {}, {}});
  auto coordinate = [&](size_t k) { return w.in<int32_t>(plan.at[k])[lane]; };
  for (size_t k = 0; k < boxes.size(); ++k) {
    for (size_t mode = 0; mode < plan.modes; ++mode)
      boxes[k].at[mode] = coordinate(mode ? mode + k : mode);
    for (size_t mode = 0; mode < plan.offsets.size(); ++mode)
      boxes[k].offsets[mode] = w.in<uint16_t>(plan.offsets[mode])[lane];
    if (std::string why = refusal(boxes[k], stores && !byRows); !why.empty()) {
      w.fault(lane, Error::TensorCoordinates, plan.mnemonic, why);
      return std::nullopt;
    }
  }
  return boxes;
}

/// The pieces of all boxes, from an offset into shared memory on.
std::optional<std::vector<Piece>> piecesOf(Warp &w, const std::vector<Box> &boxes, uint32_t offset,
                                           Access access, int lane) {
  std::vector<Piece> out;
  for (const Box &box : boxes) {
    auto pieces = box.pieces(w, offset, sharedStart, access, lane);
    if (!pieces)
      return std::nullopt;
    out.insert(out.end(), pieces->begin(), pieces->end());
    offset += box.extent();
  }
  return out;
}
uint32_t bytesOf(const std::vector<Box> &boxes) {
  return uint32_t(boxes.size()) * boxes[0].bytes();
}
/// The shared memory that the pieces of boxes access from an offset on: all of it, or the parts
/// between the gaps.
std::vector<Range> rangesOf(const std::vector<Box> &boxes, const std::vector<Piece> &pieces,
                            uint32_t offset) {
  if (boxes[0].extent() == boxes[0].bytes())
    return {{0, bytesOf(boxes)}};
  std::vector<Range> out;
  for (const Piece &piece : pieces)
    out.push_back({piece.offset - offset, piece.bytes});
  return out;
}

/// The type that a map's elements are reduced as; packed ones are bytes.
Type typeOf(atom::TensorMapType type) {
  using enum atom::TensorMapType;
  switch (type) {
  case U8: return Type::b8;
  case U16: return Type::u16;
  case U32: return Type::u32;
  case S32: return Type::s32;
  case U64: return Type::u64;
  case S64: return Type::s64;
  case F16: return Type::f16;
  case BF16: return Type::bf16;
  case F32:
  case F32Ftz:
  case TF32:
  case TF32Ftz: return Type::f32;
  case F64: return Type::f64;
  case B4x16:
  case B4x16Padded:
  case B6x16Padded: break;
  }
  return Type::b8;
}

/// Sums (or the like) in the map's type; types with .FTZ take subnormal numbers as zero, before and
/// after.
void reduce(const atom::TensorMap &map, uint8_t op, std::byte *to, const std::byte *from,
            uint32_t bytes) {
  using enum atom::TensorMapType;
  bool flushes = map.type == F32Ftz || map.type == TF32Ftz;
  reductionOf(typeOf(map.type))(flushes && op == Add ? AddFlushed : op, to, from, bytes);
}

constexpr uint32_t boxAlignment = 128; // of shared memory

Flow tensorLoad(Warp &w, const Instruction &i, Mask mask) {
  return eachLane(w, i, mask, [&](const BulkPlan &plan, int lane) {
    auto boxes = boxesOf(w, plan, plan.from, false, lane);
    if (!boxes)
      return false;
    auto to = uint32_t(plan.to.address(w, lane));
    uint32_t offset = (to & lowBits) - sharedStart;
    auto pieces = piecesOf(w, *boxes, offset, Access::BulkRead, lane);
    auto blocks = pieces
                      ? targets(w, plan, to, rangesOf(*boxes, *pieces, offset), boxAlignment, lane)
                      : std::nullopt;
    if (!blocks)
      return false;
    load(w, *std::move(blocks), bytesOf(*boxes),
         [map = boxes->front().map, pieces = *std::move(pieces)](const Target &target) {
           for (const Piece &piece : pieces) {
             std::byte *shared = target.base + piece.offset;
             if (!piece.other) {
               fill(map, shared, piece.bytes);
               continue;
             }
             std::memcpy(shared, piece.other, piece.bytes);
             convert(map, shared, piece.bytes);
           }
         });
    return true;
  });
}
Flow tensorStore(Warp &w, const Instruction &i, Mask mask) {
  return eachLane(w, i, mask, [&](const BulkPlan &plan, int lane) {
    auto boxes = boxesOf(w, plan, plan.to, true, lane);
    if (!boxes)
      return false;
    uint64_t from = plan.from.address(w, lane);
    uint32_t offset = (uint32_t(from) & lowBits) - sharedStart;
    auto pieces = piecesOf(w, *boxes, offset, writes(plan), lane);
    if (!pieces || !touchShared(w, from, rangesOf(*boxes, *pieces, offset), boxAlignment,
                                Access::StoreRead, lane))
      return false;
    std::byte *base = w.cta.cluster.ctas[uint32_t(from) >> clusterRankShift]->shared.data();
    store(w, lane, [&plan, base, map = boxes->front().map, pieces = *std::move(pieces)] {
      for (const Piece &piece : pieces)
        if (piece.other && plan.reduces)
          reduce(map, plan.op, piece.other, base + piece.offset, piece.bytes);
        else if (piece.other)
          std::memcpy(piece.other, base + piece.offset, piece.bytes);
    });
    return true;
  });
}

/// The registers of {...}.
Status bindList(Binding &b, const Operand &operand, Type type, size_t count,
                std::vector<Slot> &to) {
  if (operand.kind != Operand::Vector || operand.parts.size() != count)
    return fail(Error::OperandKind, 1, b.modifiers.mnemonic, cat("{", count, " registers}"),
                cat("'", operand.str(), "'"));
  for (const Operand &part : operand.parts) {
    TESSERA_TRY(Slot slot, b.binder.source(part, type));
    to.push_back(slot);
  }
  return Done{};
}
/// The map and its coordinates: [map, {...}].
Status bindBox(Binding &b, size_t which, BulkPlan &plan, AddressOperand &map) {
  TESSERA_CHECK(bindPlace(b, which, Space::Generic, map));
  const Modifiers &m = b.modifiers;
  while (!m.has(cat(int(plan.modes), "d")))
    ++plan.modes;
  const Operand &operand = b.operands[which];
  bool byRows = m.has("tile::gather4") || m.has("tile::scatter4");
  plan.mode = byRows                                       ? Mode::Rows
              : m.has("im2col") || m.has("im2col_no_offs") ? Mode::Im2col
              : m.has("im2col::w")                         ? Mode::Im2colW
              : m.has("im2col::w::128")                    ? Mode::Im2colW128
                                                           : Mode::Tile;
  if (plan.mode != Mode::Tile && plan.mode != Mode::Rows && plan.modes < 3)
    return fail(Error::Modifiers, m.mnemonic, "im2col copies", "those with .3d, .4d or .5d");
  if (byRows && plan.modes != 2)
    return fail(Error::Modifiers, m.mnemonic, "tensor copies of four rows", "those with .2d");
  if (operand.parts.size() != 2)
    return fail(Error::OperandKind, which + 1, m.mnemonic, "[map, {coordinates}]",
                cat("'", operand.str(), "'"));
  return bindList(b, operand.parts[1], Type::b32, byRows ? 1 + rowsAtOnce : plan.modes, plan.at);
}
Status bindTensorLoad(Binding &b) {
  BulkPlan &plan = planOf(b);
  const Modifiers &m = b.modifiers;
  TESSERA_CHECK(bindPlace(b, 0, Space::Shared, plan.to));
  TESSERA_CHECK(bindBox(b, 1, plan, plan.from));
  TESSERA_CHECK(bindPlace(b, 2, Space::Shared, plan.barrier));
  bool along = plan.mode == Mode::Im2colW || plan.mode == Mode::Im2colW128,
       im2col = along || plan.mode == Mode::Im2col;
  size_t next = 3, needed = next + im2col + m.has("multicast::cluster") + m.has("L2::cache_hint");
  if (b.operands.size() != needed)
    return fail(Error::OperandCount, m.mnemonic, needed, "[to], [map, {...}], [mbarrier] ...",
                b.operands.size());
  if (im2col)
    TESSERA_CHECK(
        bindList(b, b.operands[next++], Type::b16, along ? 2 : plan.modes - 2u, plan.offsets));
  if (m.has("multicast::cluster")) {
    TESSERA_TRY(plan.blocks, b.binder.source(b.operands[next], Type::b16));
  }
  return done(b, tensorLoad);
}
Status bindTensorStore(Binding &b) {
  BulkPlan &plan = planOf(b);
  TESSERA_CHECK(bindBox(b, 0, plan, plan.to));
  TESSERA_CHECK(bindPlace(b, 1, Space::Shared, plan.from));
  return done(b, tensorStore);
}

#define MBARRIER " mbarrier::complete_tx::bytes"
#define OPERATION " add|min|max|inc|dec|and|or|xor"
// clang-format off
constexpr InstructionRow rows[] = {
    {"cp async bulk tensor <modes> shared::cluster|shared::cta global ?tile|tile::gather4|im2col|im2col::w|im2col::w::128" MBARRIER " ?multicast::cluster ?cta_group::1|cta_group::2 ?L2::cache_hint", "any any any any? any? any?", bindTensorLoad, "copies a box of a tensor, or four rows, to shared memory"},
    {"cp async bulk tensor <modes> global shared::cta ?tile|tile::scatter4|im2col_no_offs bulk_group ?L2::cache_hint", "any any any?", bindTensorStore, "copies a box, or four rows, to a tensor"},
    {"cp reduce async bulk tensor <modes> global shared::cta" OPERATION " ?tile|im2col_no_offs bulk_group ?L2::cache_hint", "any any any?", bindTensorStore, "reduces a box into a tensor"},
    {"cp async bulk prefetch tensor <modes> L2 global ?tile|tile::gather4|im2col|im2col::w|im2col::w::128 ?L2::cache_hint", "any any? any?", bindNothing, "nothing"},
};
// clang-format on
#undef MBARRIER
#undef OPERATION

} // namespace

const RowGroup bulkTensorRows = {"Boxes of tensors", rows};

} // namespace tessera::sim
