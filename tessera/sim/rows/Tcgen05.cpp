// Tensor memory: allocation, copies to and from registers and out of shared memory, completion. PTX
// ISA 9.7.16.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Mbarrier.h"
#include "tessera/sim/TensorMma.h"

#include "tessera/atom/SmemDescriptor.h"
#include "tessera/base/PerThread.h"
#include "tessera/sim/Lanes.h"

#include <algorithm>

namespace tessera::sim {

namespace {

/// f(warp, instruction, lanes) when all of the warp's lanes are here.
template <auto f> Flow aligned(Warp &w, const Instruction &i, Mask mask) {
  Flow flow = Flow::Next;
  return w.together(mask, allLanes, flow) ? f(w, i, mask) : flow;
}
uint8_t groupOf(const Modifiers &m) { return m.has("cta_group::2") ? 2 : 1; }

//===--- Allocation. With cta_group::2 each block of the pair allocates in its own memory.

/// operand: where the address goes, columns. choice: the group.
Flow allocate(Warp &w, const Instruction &i, Mask mask) {
  TensorMemory &memory = w.cta.tensorMemory();
  uint32_t count = w.uniform<uint32_t>(i.operand[1], mask);
  if (!checkGroup(w, i.modes.choice, 0))
    return Flow::Fault;
  if (!TensorMemory::isAmount(count))
    return w.fault(0, Error::TensorColumns, count);
  if (memory.relinquished)
    return w.fault(0, Error::TensorRelinquished);
  uint64_t to[warpSize];
  w.addresses(i, 0, to);
  std::byte *at = w.locate(i.space == Space::Generic ? Space::Generic : Space::Shared, to[0], 4,
                           Access::Write, 0);
  if (!at)
    return Flow::Fault;
  std::optional<uint32_t> column = memory.allocate(count);
  if (!column)
    return w.block(mask, Wait::TensorMemory, 0);
  std::memcpy(at, &*column, 4);
  return Flow::Next;
}
Flow deallocate(Warp &w, const Instruction &i, Mask mask) {
  uint32_t column = w.uniform<uint32_t>(i.operand[0], mask),
           count = w.uniform<uint32_t>(i.operand[1], mask);
  if (!checkGroup(w, i.modes.choice, 0))
    return Flow::Fault;
  if (!w.cta.tensorMemory().free(column, count))
    return w.fault(0, Error::TensorFree, column, count);
  if (w.observer) {
    TensorCells cells;
    for (uint32_t c = column; c < column + count; ++c)
      for (uint32_t l = 0; l < TensorCells::lanes; ++l)
        cells.add({l, c});
    if (!w.tell(TensorAccess{w.cta, cells, Access::TensorFree, 0}))
      return Flow::Fault;
  }
  w.cta.wakeAll(Wait::TensorMemory, 0, true);
  return Flow::Next;
}
Flow relinquish(Warp &w, const Instruction &i, Mask) {
  w.cta.tensorMemory().relinquished = true;
  return checkGroup(w, i.modes.choice, 0) ? Flow::Next : Flow::Fault;
}
template <auto f> Status bindGroup(Binding &b) {
  b.out.modes.choice = groupOf(b.modifiers);
  return done(b, aligned<f>);
}

//===--- Registers

/// Where a register, or with 16-bit columns its half, of a lane lies: relative to the address.
struct TensorPlan : InstructionParts {
  struct Cell {
    uint8_t lane;
    uint16_t column;
  };
  std::vector<Cell> cells; // lane by lane, register by register, half by half
  size_t registers = 0, halves = 1;
  enum Reduction : uint8_t {
    None,
    Min,
    Max
  } reduction = None;
  Type type = Type::b32; // of a reduction
};
struct Shape {
  std::string_view name;
  atom::Fragment lanes; // (lane, value) -> bit of the block
  uint32_t rowBits;     // of a block's row, for one repetition
};
constexpr Shape shapes[] = {
    {"16x64b", atom::Fragment::Tmem16x64, 64},     {"16x128b", atom::Fragment::Tmem16x128, 128},
    {"16x256b", atom::Fragment::Tmem16x256, 256},  {"32x32b", atom::Fragment::Tmem32x32, 32},
    {"16x32bx2", atom::Fragment::Tmem16x32x2, 64},
};

void prepare(TensorPlan &plan, const Modifiers &m, uint32_t split) {
  const Shape &shape = *std::find_if(std::begin(shapes), std::end(shapes),
                                     [&](const Shape &s) { return m.has(s.name); });
  uint32_t repeat = 1;
  while (!m.has(cat("x", repeat)))
    repeat *= 2;
  bool packed = m.has("pack::16b") || m.has("unpack::16b"), isSplit = shape.name == "16x32bx2";
  std::vector<uint32_t> bits = indicesOf(layoutOf(shape.lanes, {.repeat = repeat}));
  uint32_t perLane = uint32_t(bits.size()) / warpSize, step = packed ? 16 : 32,
           rowBits = shape.rowBits * repeat;
  plan.registers = perLane / 32;
  plan.halves = packed ? 2 : 1;
  for (uint32_t lane = 0; lane < warpSize; ++lane)
    for (uint32_t bit = 0; bit < perLane; bit += step) {
      uint32_t at = bits[lane * perLane + bit], inRow = at % rowBits, half = rowBits / 2;
      uint32_t column = isSplit && inRow >= half ? split + (inRow - half) / step : inRow / step;
      plan.cells.push_back({uint8_t(at / rowBits), uint16_t(column)});
    }
}

/// Tells the observer what a load or store uses, register by register, and as a whole.
template <bool loads> bool note(Warp &w, const TensorPlan &plan, TensorAddress base) {
  static constinit PerThread<std::array<TensorCells, 2>> cells; // 32 KiB
  auto &[all, one] = cells.get();
  size_t perLane = plan.registers * plan.halves;
  for (size_t r = 0; r < plan.registers; ++r) {
    for (size_t lane = 0; lane < warpSize; ++lane)
      for (size_t half = 0; half < plan.halves; ++half) {
        TensorPlan::Cell cell = plan.cells[lane * perLane + r * plan.halves + half];
        TensorAddress at{base.lane + cell.lane, base.column + cell.column};
        all.add(at);
        one.add(at);
      }
    bool fine = !loads || w.tell(TensorAccess{w.cta, one, Access::TensorLoad, 0, true});
    one.clear();
    if (!fine)
      return false;
  }
  w.tell(AsyncWork{.what = AsyncWork::Begin, .by = loads ? Agent::TensorLoad : Agent::TensorStore});
  bool fine = w.tell(TensorAccess{w.cta, all, loads ? Access::TensorLoad : Access::TensorStore, 0});
  all.clear();
  return fine;
}

/// list: the registers, then that of a reduction.
template <bool loads> Flow move(Warp &w, const Instruction &i, Mask mask) {
  const auto &plan = *static_cast<const TensorPlan *>(i.plan);
  uint64_t addresses[warpSize];
  w.addresses(i, 0, addresses);
  TensorAddress base = TensorAddress::of(uint32_t(addresses[0]));
  uint32_t firstLane = w.index % 4 * warpSize; // a warp reaches a quarter of the lanes
  size_t next = 0;
  for (size_t lane = 0; lane < warpSize; ++lane)
    for (size_t r = 0; r < plan.registers; ++r) {
      uint32_t value = loads ? 0 : w.in<uint32_t>(i.list[r])[lane];
      for (size_t half = 0; half < plan.halves; ++half) {
        TensorPlan::Cell cell = plan.cells[next++];
        TensorAddress at{base.lane + cell.lane, base.column + cell.column};
        if (at.lane / warpSize * warpSize != firstLane)
          return w.fault(int(lane), Error::TensorAccess, at.lane, at.column,
                         cat("warp ", w.index, " reaches lanes ", firstLane, " to ",
                             firstLane + warpSize - 1));
        uint32_t *place = tensorCell(w, w.cta, at, int(lane));
        if (!place)
          return Flow::Fault;
        if (loads)
          value |= (plan.halves == 2 ? *place & 0xffff : *place) << (16 * half);
        else
          *place = plan.halves == 2 ? value >> (16 * half) & 0xffff : value;
      }
      if (loads)
        w.out<uint32_t>(i.list[r])[lane] = value;
    }
  return w.observer && !note<loads>(w, plan, base) ? Flow::Fault : Flow::Next;
}

template <class T> Flow reduceAs(Warp &w, const Instruction &i, const TensorPlan &plan) {
  for (size_t lane = 0; lane < warpSize; ++lane) {
    T result = w.in<T>(i.list[0])[lane];
    bool isNan = false;
    for (size_t r = 0; r < plan.registers; ++r) {
      T x = w.in<T>(i.list[r])[lane];
      if constexpr (std::is_floating_point_v<T>) {
        x = i.modes.absolute ? std::fabs(x) : x;
        isNan |= i.modes.nan && std::isnan(x);
        result = r == 0                              ? x
                 : plan.reduction == TensorPlan::Min ? std::fmin(result, x)
                                                     : std::fmax(result, x);
        if (r + 1 == plan.registers && (isNan || std::isnan(result)))
          result = std::bit_cast<float>(0x7fffffffu);
      } else
        result = r == 0                              ? x
                 : plan.reduction == TensorPlan::Min ? std::min(result, x)
                                                     : std::max(result, x);
    }
    w.out<T>(i.list[plan.registers])[lane] = result;
  }
  return Flow::Next;
}
Flow loadReduced(Warp &w, const Instruction &i, Mask mask) {
  if (Flow flow = move<true>(w, i, mask); flow != Flow::Next)
    return flow;
  const auto &plan = *static_cast<const TensorPlan *>(i.plan);
  return plan.type == Type::f32   ? reduceAs<float>(w, i, plan)
         : plan.type == Type::s32 ? reduceAs<int32_t>(w, i, plan)
                                  : reduceAs<uint32_t>(w, i, plan);
}

template <bool loads> Status bindMove(Binding &b) {
  auto &plan = b.binder.plan<TensorPlan>();
  const Modifiers &m = b.modifiers;
  bool isSplit = m.has("16x32bx2"), reduces = m.has("red");
  // [taddr] and, of two halves, how far the second is: before the registers of a store, after
  // those of a load.
  size_t fewest = reduces ? 3 : 2;
  if (b.operands.size() != fewest + isSplit)
    return fail(Error::OperandCount, m.mnemonic, fewest + isSplit,
                "registers, [address] and the distance of the halves", b.operands.size());
  prepare(plan, m, uint32_t(b.out.immediate[1]));
  if (b.out.listSize != plan.registers)
    return fail(Error::OperandKind, loads ? 1 : 2, m.mnemonic, cat(plan.registers, " registers"),
                int(b.out.listSize));
  b.out.plan = &plan;
  if (!reduces)
    return done(b, aligned<move<loads>>);
  readModes(b);
  plan.reduction = m.has("min") ? TensorPlan::Min : TensorPlan::Max;
  plan.type = m.type();
  std::vector<Slot> list(b.out.list, b.out.list + plan.registers);
  TESSERA_TRY(Slot reduced, b.binder.destination(b.operands[1], Type::b32));
  list.push_back(reduced);
  b.out.list = b.binder.keep(list);
  return done(b, aligned<loadReduced>);
}

//===--- Out of shared memory

/// A matrix of `rows` rows goes to lanes row + shift, for each of its shifts. PTX ISA 9.7.16.9.2.
struct CopyShape {
  std::string_view name, multicast;
  uint32_t rows, units; // of 16 bytes in a row
  uint32_t (*lane)(uint32_t row);
  std::array<int, 4> shifts; // -1: no more
};
constexpr auto asIs = [](uint32_t row) { return row; };
constexpr CopyShape copyShapes[] = {
    {"128x256b", "", 128, 2, asIs, {0, -1, -1, -1}},
    {"128x128b", "", 128, 1, asIs, {0, -1, -1, -1}},
    {"4x256b", "", 4, 2, [](uint32_t row) { return 32 * row; }, {0, -1, -1, -1}},
    {"64x128b", "warpx2::02_13", 64, 1, asIs, {0, 64, -1, -1}},
    {"64x128b",
     "warpx2::01_23",
     64,
     1,
     [](uint32_t row) { return row % 32 + row / 32 * 64; },
     {0, 32, -1, -1}},
    {"32x128b", "warpx4", 32, 1, asIs, {0, 32, 64, 96}},
};
struct CopyPlan : InstructionParts {
  const CopyShape *shape = nullptr;
  atom::PackedFormat format = atom::PackedFormat::None;
};

bool copyOne(Warp &w, const CopyPlan &plan, Cta &cta, TensorAddress to,
             const atom::SmemMatrix &from, int lane) {
  TensorCells used;
  const CopyShape &shape = *plan.shape;
  for (uint32_t row = 0; row < shape.rows; ++row)
    for (uint32_t unit = 0; unit < shape.units; ++unit) {
      uint32_t address = from.address(row, unit) + (cta.rank << clusterRankShift);
      const std::byte *bytes = w.locate(Space::Shared, address, 16, Access::TensorRead, lane);
      if (!bytes)
        return false;
      uint32_t words[4];
      uint8_t unpacked[16];
      if (plan.format != atom::PackedFormat::None)
        unpack(plan.format, bytes, unpacked);
      std::memcpy(words,
                  plan.format == atom::PackedFormat::None ? static_cast<const void *>(bytes)
                                                          : unpacked,
                  16);
      for (int shift : shape.shifts)
        for (uint32_t c = 0; c < 4 && shift >= 0; ++c) {
          uint32_t *cell = tensorCell(
              w, cta, {to.lane + shape.lane(row) + uint32_t(shift), to.column + unit * 4 + c}, lane,
              &used);
          if (!cell)
            return false;
          *cell = words[c];
        }
    }
  return w.tell(TensorAccess{cta, used, Access::TensorCopy, lane});
}
/// operand: address, descriptor. choice: the group. Each block of a pair copies what its own shared
/// memory has there.
Flow copy(Warp &w, const Instruction &i, Mask mask) {
  const auto &plan = *static_cast<const CopyPlan *>(i.plan);
  uint64_t to[warpSize];
  w.addresses(i, 0, to);
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    Result<atom::SmemMatrix> matrix = atom::smemMatrix(
        atom::DescriptorKind::Tcgen05, w.in<uint64_t>(i.operand[1])[lane], atom::Major::K);
    if (!matrix)
      return w.fault(lane, Error::TensorProduct, matrix.reason().text);
    std::optional<Pair> ctas = pairOf(w, i.modes.choice, lane);
    if (ctas)
      w.tell(AsyncWork{.what = AsyncWork::Begin, .by = Agent::TensorWork, .lane = lane});
    for (size_t c = 0; ctas && c < i.modes.choice; ++c)
      if (!copyOne(w, plan, *(*ctas)[c], TensorAddress::of(uint32_t(to[lane])), *matrix, lane))
        return Flow::Fault;
    if (!ctas)
      return Flow::Fault;
  }
  return Flow::Next;
}
Status bindCopy(Binding &b) {
  const Modifiers &m = b.modifiers;
  auto &plan = b.binder.plan<CopyPlan>();
  bool isMulticast = m.has("warpx4") || m.has("warpx2::02_13") || m.has("warpx2::01_23");
  for (const CopyShape &shape : copyShapes)
    if (m.has(shape.name) && (shape.multicast.empty() ? !isMulticast : m.has(shape.multicast)))
      plan.shape = &shape;
  bool isPacked = m.has("b4x16_p64") || m.has("b6x16_p32");
  if (!plan.shape || isPacked != m.has("b8x16"))
    return fail(Error::NoAtom, m.mnemonic);
  plan.format = m.has("b4x16_p64") ? atom::PackedFormat::B4x16P64
                : isPacked         ? atom::PackedFormat::B6x16P32
                                   : atom::PackedFormat::None;
  b.out.modes.choice = groupOf(m);
  b.out.plan = &plan;
  return done(b, copy);
}

//===--- Within tensor memory

/// operand: address. choice: the group. PTX ISA 9.7.16.9.3: "down ... across all the rows, except
/// the last, by one row", of 31 x 256 bits (9.7.16.2.3). A row gets what the next one has: so does
/// TVM's TIRx-harness, which was held against a B200.
Flow shift(Warp &w, const Instruction &i, Mask mask) {
  constexpr uint32_t columns = 8, lanes = 32;
  uint64_t at[warpSize];
  w.addresses(i, 0, at);
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    TensorAddress from = TensorAddress::of(uint32_t(at[lane]));
    if (from.lane % lanes)
      return w.fault(lane, Error::TensorShift, from.lane);
    std::optional<Pair> ctas = pairOf(w, i.modes.choice, lane);
    if (!ctas)
      return Flow::Fault;
    w.tell(AsyncWork{.what = AsyncWork::Begin, .by = Agent::TensorWork, .lane = lane});
    for (size_t c = 0; c < i.modes.choice; ++c)
      if (!shiftRows(w, *(*ctas)[c], from, 1, columns, lane))
        return Flow::Fault;
  }
  return Flow::Next;
}
Status bindShift(Binding &b) {
  b.out.modes.choice = groupOf(b.modifiers);
  return done(b, shift);
}

//===--- Completion: all work is done by now.

/// operand: mbarrier, mask of blocks or none. choice: the group.
Flow commit(Warp &w, const Instruction &i, Mask mask) {
  uint64_t address[warpSize];
  w.addresses(i, 0, address);
  for (Mask left = mask; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    auto &ctas = w.cta.cluster.ctas;
    uint32_t blocks = i.operand[1] == noSlot ? 0 : w.in<uint16_t>(i.operand[1])[lane];
    if (!checkGroup(w, i.modes.choice, lane))
      return Flow::Fault;
    if (blocks >> ctas.size())
      return w.fault(lane, Error::MulticastMask, hex(blocks), ctas.size());
    for (uint32_t rank = 0; rank < (i.operand[1] == noSlot ? 1 : ctas.size()); ++rank) {
      uint64_t at = address[lane];
      // Where the ISA has a generic address Triton 3.6 passes a shared one, widened to 64 bits, and
      // its kernels run on GPUs. There is no mbarrier in global memory that it could be.
      Space space =
          i.space == Space::Generic && at >> window::shift ? Space::Generic : Space::Shared;
      if (i.operand[1] != noSlot) {
        if (!(blocks >> rank & 1))
          continue;
        at = (at & ((1u << clusterRankShift) - 1)) | rank << clusterRankShift;
        space = Space::Shared;
      }
      auto *barrier = reinterpret_cast<Mbarrier *>(w.locate(space, at, 8, Access::Mbarrier, lane));
      if (!barrier)
        return Flow::Fault;
      if (!barrier->isThere())
        return w.fault(lane, Error::MbarrierNone, hex(at));
      if (!barrier->pending())
        return w.fault(lane, Error::MbarrierArrivals, 1, hex(at), 0);
      w.tell(Synchronize{
          .what = Synchronize::TensorCommit, .lanes = Mask(1) << lane, .mbarrier = barrier});
      if (barrier->arrive(1, false))
        endPhase(w, *barrier);
    }
  }
  return Flow::Next;
}
Status bindCommit(Binding &b) {
  b.out.modes.choice = groupOf(b.modifiers);
  if (b.modifiers.has("multicast::cluster") != (b.operands.size() == 2))
    return fail(Error::OperandCount, b.modifiers.mnemonic,
                b.modifiers.has("multicast::cluster") ? 2 : 1, "addr b16?", b.operands.size());
  return done(b, commit);
}

//===--- Order: work is done at once, so only the observer is told

template <Fence::What what> Flow fence(Warp &w, const Instruction &, Mask) {
  w.tell(Fence{.what = what});
  return Flow::Next;
}
template <Agent by> Flow waitFor(Warp &w, const Instruction &, Mask) {
  w.tell(AsyncWork{.what = AsyncWork::End, .by = by});
  return Flow::Next;
}
Status bindFence(Binding &b) {
  return done(b, b.modifiers.has("fence::before_thread_sync") ? fence<Fence::BeforeThreadSync>
                                                              : fence<Fence::AfterThreadSync>);
}
Status bindWait(Binding &b) {
  return done(b, b.modifiers.has("wait::ld") ? aligned<waitFor<Agent::TensorLoad>>
                                             : aligned<waitFor<Agent::TensorStore>>);
}

#define GROUP " cta_group::1|cta_group::2"
#define SHAPES " 16x64b|16x128b|16x256b|32x32b|16x32bx2 x1|x2|x4|x8|x16|x32|x64|x128"
#define UNSPLIT " 16x64b|16x128b|16x256b|32x32b x1|x2|x4|x8|x16|x32|x64|x128"
// clang-format off
constexpr InstructionRow rows[] = {
    {"tcgen05 alloc" GROUP " sync aligned ?shared::cta b32", "addr u32", bindGroup<allocate>, "columns of tensor memory; waits until enough are free"},
    {"tcgen05 dealloc" GROUP " sync aligned b32", "u32 u32", bindGroup<deallocate>, "frees columns"},
    {"tcgen05 relinquish_alloc_permit" GROUP " sync aligned", "", bindGroup<relinquish>, "the block will not allocate any more"},
    {"tcgen05 ld sync aligned" SHAPES " ?pack::16b b32", "=b32{} addr imm?", bindMove<true>, "registers from the warp's lanes of tensor memory"},
    {"tcgen05 ld red sync aligned 32x32b|16x32bx2 x2|x4|x8|x16|x32|x64|x128 min|max ?abs ?NaN f32", "=b32{} any addr imm?", bindMove<true>,
     "the same, and the smallest or largest of each thread's"},
    {"tcgen05 ld red sync aligned 32x32b|16x32bx2 x2|x4|x8|x16|x32|x64|x128 min|max u32|s32", "=b32{} any addr imm?", bindMove<true>,
     "the same, and the smallest or largest of each thread's"},
    {"tcgen05 st sync aligned" UNSPLIT " ?unpack::16b b32", "addr b32{}", bindMove<false>, "registers to the warp's lanes"},
    {"tcgen05 st sync aligned 16x32bx2 x1|x2|x4|x8|x16|x32|x64|x128 ?unpack::16b b32", "addr imm b32{}", bindMove<false>, "the same in two halves"},
    {"tcgen05 cp" GROUP " 128x256b|4x256b|128x128b|64x128b|32x128b ?warpx2::02_13|warpx2::01_23|warpx4 ?b8x16 ?b4x16_p64|b6x16_p32", "addr b64", bindCopy,
     "a matrix from shared memory"},
    {"tcgen05 shift" GROUP " down", "addr", bindShift, "rows of 32 bytes to the lanes before theirs"},
    {"tcgen05 commit" GROUP " mbarrier::arrive::one ?shared::cluster ?multicast::cluster b64", "addr b16?", bindCommit, "signals mbarriers when the work before it is done"},
    {"tcgen05 fence::before_thread_sync|fence::after_thread_sync", "", bindFence, "orders tensor memory across barriers; work is done in its order"},
    {"tcgen05 wait::ld|wait::st sync aligned", "", bindWait, "waits for the warp's loads or stores, which are done"},
};
// clang-format on
#undef GROUP
#undef SHAPES
#undef UNSPLIT

} // namespace

const RowGroup tensorRows = {"Tensor memory", rows};

} // namespace tessera::sim
