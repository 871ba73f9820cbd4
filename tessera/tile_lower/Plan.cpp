// What is decided of a kernel before its code is made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Plan.h"

#include "tessera/atom/Registry.h"
#include "tessera/atom/SmemDescriptor.h"
#include "tessera/tile_lower/Elements.h"
#include "tessera/tile_lower/Kernel.h"
#include "tessera/tile_lower/Rows.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

Extents extentsOf(Type lhs, Type rhs) {
  ArrayRef<int64_t> a = shapeOf(lhs), b = shapeOf(rhs);
  Extents out{1, a[a.size() - 2], b.back(), a.back()};
  if (a.size() == 3)
    out.batch = a[0];
  return out;
}

namespace {

/// Registers of a tile that a thread holds at most; larger tiles are in local memory.
constexpr int64_t mostRegisters = 128;

/// Bytes of shared memory that a kernel may declare. Measured on an H200: ptxas 13 and the driver
/// take static arrays up to what a block can get at all.
int64_t sharedLimitOf(atom::Target target) {
  return target.number() >= 90 ? target.maxDynamicShared() : atom::Target::maxStaticShared;
}

bool isTile(Value value) { return isa<TileType>(value.getType()); }
int64_t elementsOf(Value value) { return isTile(value) ? countOf(value.getType()) : 0; }

/// What costs nothing to make again in any layout.
bool isMadeAnywhere(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto constant = dyn_cast<ConstantOp>(op))
    return cast<DenseElementsAttr>(constant.getValue()).isSplat();
  if (isa<BroadcastOp>(op))
    return elementsOf(op->getOperand(0)) == 1;
  return isa<IotaOp>(op);
}

/// Elementwise on one operand of its shape: made again for each part of an operand of a product.
bool isUnary(Operation *op) {
  const Row *row = rowOf(op);
  return row && row->element && op->getNumOperands() == 1 && op->getNumResults() == 1;
}

number::Format formatOf(Type element, bool isSigned) {
  if (element.isInteger(8))
    return isSigned ? number::Format::s8 : number::Format::u8;
  std::string name;
  llvm::raw_string_ostream(name) << element;
  return number::findMlir(name).value_or(number::Format::none);
}

/// The instruction with the largest K that the target has and that is not longer than K; f16 and
/// i8 sum up in f32 and i32.
const atom::MmaRow *rowFor(Operation *op, const Extents &extents, atom::Target target) {
  auto integers = dyn_cast<MmaIOp>(op);
  if (!integers && !isa<MmaFOp>(op))
    return nullptr;
  Type lhs = elementOf(op->getOperand(0).getType()), rhs = elementOf(op->getOperand(1).getType());
  number::Format a = formatOf(lhs, !integers || integers.getSignednessLhs() == Signedness::Signed);
  number::Format b = formatOf(rhs, !integers || integers.getSignednessRhs() == Signedness::Signed);
  number::Format sum = integers ? number::Format::s32 : number::Format::f32;
  const atom::MmaRow *best = nullptr;
  for (const atom::MmaRow &row : atom::mmaRows()) {
    bool fits = row.recipe == atom::Recipe::MmaSync && row.m.first == 16 && row.n.first == 8 &&
                row.a.element == a && row.b.element == b && row.c.element == sum &&
                row.d.element == sum && row.overflow == atom::Overflow::Wrapped &&
                row.kind == atom::MmaKind::None && row.k <= extents.k && row.needs.metBy(target);
    if (fits && (!best || row.k > best->k))
      best = &row;
  }
  return best;
}

} // namespace

int64_t placeOf(ArrayRef<int64_t> places, int64_t element) {
  int64_t out = 0;
  for (size_t bit = 0; bit < places.size(); ++bit)
    if (element >> bit & 1)
      out ^= places[bit];
  return out;
}

Plan::Plan(EntryOp entry, StringRef arch) : arch(arch) {
  constexpr int64_t leastScratch = 16384;
  Result<atom::Target> target = atom::Target::parse(this->arch);
  sharedLimit = target ? sharedLimitOf(*target) : atom::Target::maxStaticShared;
  sharedLeft = sharedLimit - leastScratch;
  chooseThreads(entry);
  chooseInstructions(entry);
  stage(entry);
  chooseGroups();
  joinClasses(entry);
  chooseLayouts(entry);
  entry.walk([&](ForOp loop) { pipeline(loop); });
  completeProducts();
  scratchBytes = sharedLeft + leastScratch < Kernel::mostShared ? leastScratch : Kernel::mostShared;
}

const BitLayout *Plan::layoutOf(Value value) const {
  auto id = ids.find(value);
  if (id == ids.end())
    return nullptr;
  auto layout = layouts.find(parents[size_t(id->second)]);
  return layout == layouts.end() ? nullptr : &layout->second;
}
const Product *Plan::productOf(Operation *op) const {
  auto found = products.find(op);
  return found == products.end() ? nullptr : found->second.get();
}
const Staging *Plan::stagingOf(Operation *load) const {
  auto found = stagings.find(load);
  return found == stagings.end() ? nullptr : found->second.get();
}
const Pipeline *Plan::pipelineOf(Operation *loop) const {
  auto found = pipelines.find(loop);
  return found == pipelines.end() ? nullptr : found->second.get();
}
const Source *Plan::sourceOf(Value operand) const {
  auto found = sources.find(operand);
  return found == sources.end() ? nullptr : found->second.get();
}

//===--- Threads and instructions

/// 256 threads where 128 would hold more than 64 registers of some tile.
void Plan::chooseThreads(EntryOp entry) {
  constexpr int64_t many = 128 * 128;
  entry.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (elementsOf(result) >= many)
        threadBits = 8;
  });
}

void Plan::chooseInstructions(EntryOp entry) {
  Result<atom::Target> target = atom::Target::parse(arch);
  if (!target)
    return;
  entry.walk([&](Operation *op) {
    if (!isa<MmaFOp, MmaIOp>(op))
      return;
    Extents extents = extentsOf(op->getOperand(0).getType(), op->getOperand(1).getType());
    const atom::MmaRow *row = rowFor(op, extents, *target);
    if (!row || extents.m < 16 || extents.n < 8)
      return;
    auto product = std::make_unique<Product>();
    product->row = row;
    product->extents = extents;
    // Warps that share a part of the result hold more of it.
    if (fragmentOf(*product, false).registerCount() <= mostRegisters &&
        fragmentOf(*product, true).registerCount() <= mostRegisters)
      products[op] = std::move(product);
  });
}

/// The accumulator: that of one instruction, repeated over warps and registers. `keepsRows` gives
/// all columns of a row to one warp, which makes sums along rows cheap.
BitLayout Plan::fragmentOf(const Product &product, bool keepsRows) const {
  const Extents &e = product.extents;
  int n = log2Of(e.n), m = log2Of(e.m), batch = log2Of(e.batch);
  int rowBits = log2Of(product.rowsOfInstruction());
  // Groups of threads that execute instructions of their own.
  int groupBits = threadBits - product.threadBits(), mostM = m - rowBits, mostN = n - 3;
  // How many bits of the group's number go along M. What a group reads of both operands is least if
  // its part is square.
  int alongM = std::min(groupBits, mostM);
  if (!keepsRows && !product.isGroup())
    for (int bits = 0; bits <= std::min(groupBits, mostM); ++bits) {
      auto read = [&](int bitsM) {
        int bitsN = std::min(groupBits - bitsM, mostN);
        int idle = groupBits - bitsM - bitsN;
        return ((e.m >> bitsM) + (e.n >> bitsN)) << idle;
      };
      if (read(bits) < read(alongM))
        alongM = bits;
    }
  int alongN = std::min(groupBits - alongM, mostN);

  // The fragment counts down the rows first.
  auto bitOf = [&](int8_t bit) { return int8_t(bit < rowBits ? n + bit : bit - rowBits); };
  int64_t columns = product.isGroup() ? e.n >> alongN : 8;
  layout::MmaAtomLayouts fragments =
      *atom::layouts(*product.row, product.rowsOfInstruction(), columns);
  BitLayout out;
  for (int8_t bit : bitsOf(fragments.c[0]))
    out.threads.push_back(bitOf(bit));
  for (int8_t bit : bitsOf(fragments.c[1]))
    out.registers.push_back(bitOf(bit));
  for (int bit = 0; bit < alongM; ++bit)
    out.threads.push_back(int8_t(n + rowBits + bit));
  for (int bit = 0; bit < alongN; ++bit)
    out.threads.push_back(int8_t(n - alongN + bit));
  while (out.threads.size() < size_t(threadBits))
    out.threads.push_back(noBit);
  for (int bit = log2Of(columns); bit < n - alongN; ++bit)
    out.registers.push_back(int8_t(bit));
  for (int bit = rowBits + alongM; bit < m; ++bit)
    out.registers.push_back(int8_t(n + bit));
  for (int bit = 0; bit < batch; ++bit)
    out.registers.push_back(int8_t(n + m + bit));
  return out;
}

/// The operands in registers: fragments of the instruction, for the rows and columns that the warp
/// has of the result.
void Plan::completeProducts() {
  for (auto &[op, product] : products) {
    const Extents &e = product->extents;
    int n = log2Of(e.n), m = log2Of(e.m), k = log2Of(e.k);
    const atom::MmaRow &row = *product->row;
    layout::MmaAtomLayouts fragments =
        *atom::layouts(row, row.m.first, row.n.isFixed() ? row.n.first : 8);
    int atomK = log2Of(row.k);
    auto complete = [&](const layout::Layout &fragment, int rowBits, bool isLhs) {
      // Elements of lhs are counted (batch, M, K), of rhs (batch, K, N).
      auto bitOf = [&](int8_t bit) -> int8_t {
        if (bit == noBit)
          return noBit;
        bool isRow = bit < rowBits;
        if (isLhs)
          return int8_t(isRow ? k + bit : bit - rowBits);
        return int8_t(isRow ? bit : n + bit - rowBits);
      };
      // What a bit of the result is in the operand.
      auto ofResult = [&](int8_t bit) -> int8_t {
        if (bit == noBit)
          return noBit;
        if (bit >= n + m)
          return int8_t(isLhs ? bit - n + k : bit - m + k);
        if (bit < n)
          return isLhs ? noBit : bit;
        return isLhs ? int8_t(bit - n + k) : noBit;
      };
      BitLayout out;
      for (int8_t bit : bitsOf(fragment[0]))
        out.threads.push_back(bitOf(bit));
      for (int8_t bit : bitsOf(fragment[1]))
        out.registers.push_back(bitOf(bit));
      for (auto i = size_t(product->threadBits()); i < product->result.threads.size(); ++i)
        out.threads.push_back(ofResult(product->result.threads[i]));
      for (auto i = bitsOf(fragments.c[1]).size(); i < product->result.registers.size(); ++i)
        if (int8_t bit = ofResult(product->result.registers[i]); bit != noBit)
          out.registers.push_back(bit);
      for (int bit = atomK; bit < k; ++bit)
        out.registers.push_back(int8_t(isLhs ? bit : n + bit));
      return out;
    };
    if (row.a.where == atom::Residency::Rmem)
      product->lhs = complete(fragments.a, log2Of(row.m.first), true);
    if (row.b.where == atom::Residency::Rmem)
      product->rhs = complete(fragments.b, 3, false);
  }
}

//===--- Loads into shared memory

bool Plan::feedsProductsOnly(Value value) const {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (products.contains(user))
      return use.getOperandNumber() < 2;
    if (isa<ReshapeOp, PermuteOp>(user) || isUnary(user))
      return feedsProductsOnly(user->getResult(0));
    return false;
  });
}

/// Rows of up to 128 bytes of neighbours, swizzled in units of 16 bytes, so that eight rows of 16
/// bytes at one place of theirs are in all 32 banks: S<3,4,3> of rows of 128 bytes, less of shorter
/// ones, as wgmma and TMA have them.
static void placeElements(Staging &staging) {
  Type tile = staging.load.getTile().getType();
  int64_t bytes = memoryBytes(elementOf(tile));
  staging.bytes = std::max<int64_t>(1024, countOf(tile) * bytes);
  const BitList &order = staging.traversal.order;
  int widest = log2Of(128 / bytes);
  auto along = size_t(staging.traversal.runBits), run = std::min(along, size_t(widest));
  int rowBits = int(run) + log2Of(bytes);
  staging.swizzle = {.bits = std::max(0, rowBits - 4), .base = 4, .shift = 3};
  staging.places.resize(order.size());
  staging.plain.resize(order.size());
  int bit = 0;
  auto place = [&](size_t i) {
    int64_t plain = bytes << bit++;
    staging.plain[size_t(order[i])] = plain;
    staging.places[size_t(order[i])] = staging.swizzle(plain);
  };
  // Longer rows are cut: the further bits of the dimension come last.
  for (size_t i = 0; i < run; ++i)
    place(i);
  for (size_t i = along; i < order.size(); ++i)
    place(i);
  for (size_t i = run; i < along; ++i)
    place(i);
}

/// Whether cp.async can copy a tile: 4 bytes or more at a time, and zeros outside of the tensor.
static bool canBeAsync(LoadViewTkoOp load, const Traversal &traversal) {
  Type view = load.getView().getType(), element = elementOf(load.getTile().getType());
  auto padding = dyn_cast_or_null<PaddingValueAttr>(cast<TileView>(view).getPaddingValue());
  return memoryBytes(element) << traversal.vectorBits >= 4 && !isFourBits(element) &&
         (!padding || padding.getValue() == PaddingValue::Zero) &&
         !isa<GatherScatterViewType>(view);
}

void Plan::follow(Operation *product, unsigned operand) {
  SmallVector<Operation *> between;
  Value value = product->getOperand(operand);
  Operation *op = value.getDefiningOp();
  while (op && (isa<ReshapeOp, PermuteOp>(op) || isUnary(op))) {
    between.push_back(op);
    op = op->getOperand(0).getDefiningOp();
  }
  auto load = dyn_cast_or_null<LoadViewTkoOp>(op);
  if (!load || load.getMemoryOrderingSemantics() != MemoryOrderingSemantics::Weak ||
      !feedsProductsOnly(load.getTile()) || isFourBits(elementOf(load.getTile().getType())))
    return;
  std::unique_ptr<Staging> &staging = stagings[load];
  if (!staging) {
    auto made = std::make_unique<Staging>();
    made->load = load;
    made->traversal = traversalOf(load.getView(), load.getInbounds().value_or(ArrayRef<bool>()));
    placeElements(*made);
    if (made->bytes > sharedLeft) {
      stagings.erase(load);
      return;
    }
    made->isAsync = canBeAsync(load, made->traversal);
    sharedLeft -= made->bytes;
    staging = std::move(made);
  }
  followed.insert(between.begin(), between.end());
  auto source =
      std::make_unique<Source>(Source{staging.get(), staging->places, staging->plain, {}});
  for (Operation *op : llvm::reverse(between)) {
    if (isa<PermuteOp>(op)) {
      for (SmallVector<int64_t> *places : {&source->places, &source->plain}) {
        SmallVector<int64_t> before = *places;
        for (auto [i, bit] : llvm::enumerate(permutedBits(op)))
          (*places)[size_t(bit)] = before[i];
      }
    } else if (!isa<ReshapeOp>(op)) {
      source->elementwise.push_back(op);
    }
  }
  sources[value] = std::move(source);
}

void Plan::stage(EntryOp entry) {
  entry.walk([&](Operation *op) {
    if (products.contains(op))
      for (unsigned operand : {0u, 1u})
        follow(op, operand);
  });
}

//===--- Products of warpgroups

namespace {

/// A mode of bits: runs of strides that double are leaves of their own.
layout::Layout modeOf(ArrayRef<int64_t> strides, int64_t bytes) {
  std::vector<layout::Tree> extents, steps;
  for (size_t i = 0; i < strides.size();) {
    size_t end = i + 1;
    while (end < strides.size() && strides[end] == strides[end - 1] * 2)
      ++end;
    extents.push_back(int64_t(1) << (end - i));
    steps.push_back(strides[i] / bytes);
    i = end;
  }
  return {layout::Tree(std::move(extents)), layout::Tree(std::move(steps))};
}

/// What a matrix descriptor says of an operand of a warpgroup's product, or nothing if hardware
/// cannot read it. `first` and `count` are the bits of M or N of one instruction, `k0` the first of
/// K.
std::optional<std::pair<uint64_t, atom::Major>> descriptorOf(const Source &source,
                                                             const atom::MmaRow &row,
                                                             const atom::Operand &operand,
                                                             int first, int count, int k0) {
  int64_t bytes = operand.storedBits() / 8;
  if (!source.elementwise.empty() || source.staging->swizzle.isIdentity() ||
      memoryBytes(elementOf(LoadViewTkoOp(source.staging->load).getTile().getType())) != bytes)
    return std::nullopt;
  int kBits = log2Of(row.k);
  // What lies between instructions is added to the address, so the swizzle may not change it.
  for (int bit = 0; bit < int(source.places.size()); ++bit) {
    bool isInside = (bit >= first && bit < first + count) || (bit >= k0 && bit < k0 + kBits);
    if (!isInside && source.places[size_t(bit)] != source.plain[size_t(bit)])
      return std::nullopt;
  }
  layout::Layout rows = modeOf(ArrayRef(source.plain).slice(size_t(first), size_t(count)), bytes);
  layout::Layout along = modeOf(ArrayRef(source.plain).slice(size_t(k0), size_t(kBits)), bytes);
  layout::Layout tile{layout::Tree::of({rows.shape, along.shape}),
                      layout::Tree::of({rows.stride, along.stride})};
  for (atom::Major major : {atom::Major::K, atom::Major::MN}) {
    if (operand.majors != atom::Major::Any && operand.majors != major)
      continue;
    Result<uint64_t> word = atom::smemDescriptor(atom::DescriptorKind::Wgmma, tile,
                                                 source.staging->swizzle, bytes * 8, major);
    if (word)
      return std::pair(*word, major);
  }
  return std::nullopt;
}

} // namespace

/// Products of which B, and A or none, lie in shared memory as they are multiplied.
void Plan::chooseGroups() {
  Result<atom::Target> target = atom::Target::parse(arch);
  if (!target)
    return;
  for (auto &[op, product] : products) {
    const Extents &e = product->extents;
    const Source *lhs = sourceOf(op->getOperand(0)), *rhs = sourceOf(op->getOperand(1));
    constexpr int64_t mostColumns = 256;
    if (!rhs || e.m < 64 || e.n > mostColumns || (lhs && !lhs->elementwise.empty()))
      continue;
    atom::Residency from = lhs ? atom::Residency::Smem : atom::Residency::Rmem;
    for (const atom::MmaRow &row : atom::mmaRows()) {
      bool fits =
          row.recipe == atom::Recipe::Wgmma && !row.sparsity.isSparse() &&
          row.a.element == product->row->a.element && row.b.element == product->row->b.element &&
          row.c.element == product->row->c.element && row.a.where == from &&
          row.overflow == atom::Overflow::Wrapped && row.k <= e.k && row.needs.metBy(*target);
      if (!fits)
        continue;
      Product group = *product;
      group.row = &row;
      BitLayout layout = fragmentOf(group, false);
      int64_t columns = 8;
      for (int8_t bit : layout.registers)
        if (bit >= 3 && bit < log2Of(e.n))
          columns *= 2;
      group.columns = columns;
      if (!row.n.contains(columns) || layout.registerCount() > mostRegisters)
        continue;
      int n = log2Of(e.n), k = log2Of(e.k);
      auto b = descriptorOf(*rhs, row, row.b, 0, log2Of(columns), n);
      if (!b)
        continue;
      std::tie(group.rhsDescriptor, group.rhsMajor) = *b;
      if (lhs) {
        auto a = descriptorOf(*lhs, row, row.a, k, 6, 0);
        if (!a)
          continue;
        std::tie(group.lhsDescriptor, group.lhsMajor) = *a;
      }
      *product = group;
      groupProducts = true;
      break;
    }
  }
}

//===--- Pipelines

/// Collects the ops of the body that `value` needs, in their order; false if there is one whose
/// value another iteration does not know beforehand.
static bool collect(Value value, ForOp loop, llvm::SetVector<Operation *> &out) {
  if (value == loop.getInductionVar())
    return true;
  Operation *op = value.getDefiningOp();
  if (!op)
    return cast<BlockArgument>(value).getOwner() != loop.getBody();
  if (!loop->isProperAncestor(op))
    return true;
  const Row *row = rowOf(op);
  bool isPure =
      (row && row->element) || isa<ConstantOp, ReshapeOp, BroadcastOp, AssumeOp, MakeTensorViewOp,
                                   MakePartitionViewOp, MakeStridedViewOp, GetTileBlockIdOp,
                                   GetNumTileBlocksOp, GetIndexSpaceShapeOp, GetTensorShapeOp>(op);
  bool isScalar = llvm::all_of(
      op->getResults(), [](Value result) { return !isTile(result) || elementsOf(result) == 1; });
  if (!isPure || !isScalar || op->getBlock() != loop.getBody())
    return false;
  for (Value operand : op->getOperands())
    if (!collect(operand, loop, out))
      return false;
  out.insert(op);
  return true;
}

/// A load into registers that may run ahead: each thread copies what it reads later.
std::unique_ptr<Staging> Plan::stagedForItself(LoadViewTkoOp load) const {
  const BitLayout *layout = layoutOf(load.getTile());
  auto out = std::make_unique<Staging>();
  out->load = load;
  out->traversal = traversalOf(load.getView(), load.getInbounds().value_or(ArrayRef<bool>()));
  Type element = elementOf(load.getTile().getType());
  if (!layout || load.getMemoryOrderingSemantics() != MemoryOrderingSemantics::Weak ||
      !isCoalesced(*layout, out->traversal, memoryBytes(element)) ||
      !canBeAsync(load, out->traversal))
    return nullptr;
  out->layout = *layout;
  out->isAsync = true;
  out->bytes = (memoryBytes(element) * layout->registerCount()) << threadBits;
  return out;
}

void Plan::pipeline(ForOp loop) {
  constexpr int64_t mostStages = 4, fewestStages = 2;
  // More blocks on a multiprocessor do more than more stages of loads without products.
  constexpr int64_t mostForItself = 16384;
  if (elementOf(loop.getInductionVar().getType()).getIntOrFloatBitWidth() > 32)
    return;
  auto out = std::make_unique<Pipeline>();
  llvm::SetVector<Operation *> addressing;
  SmallVector<std::unique_ptr<Staging>> own;
  int64_t paidBytes = 0; // for one stage
  for (Operation &op : *loop.getBody()) {
    auto load = dyn_cast<LoadViewTkoOp>(op);
    if (!load)
      continue;
    const Staging *staging = stagingOf(&op);
    std::unique_ptr<Staging> made = staging ? nullptr : stagedForItself(load);
    if (made)
      staging = made.get();
    if (!staging || !staging->isAsync)
      continue;
    // An order within the loop would have to be kept.
    Value token = load.getToken();
    if (token && loop->isAncestor(token.getParentBlock()->getParentOp()))
      continue;
    bool isKnown = collect(load.getView(), loop, addressing);
    for (Value index : load.getIndex())
      isKnown = isKnown && collect(index, loop, addressing);
    if (!isKnown)
      continue;
    out->loads.push_back(staging);
    out->bytes += staging->bytes;
    if (made)
      own.push_back(std::move(made));
    else
      paidBytes += staging->bytes;
  }
  if (out->loads.empty())
    return;
  out->isShared = paidBytes > 0;
  // Two blocks are to fit a multiprocessor where three stages do.
  int64_t room = (sharedLeft + paidBytes) / out->bytes;
  int64_t half = sharedLeft / 2 / out->bytes;
  out->stages = std::min({room, mostStages, std::max<int64_t>(half, 3)});
  if (!out->isShared)
    out->stages = std::min(out->stages, std::max(mostForItself / out->bytes, fewestStages));
  if (out->stages < fewestStages)
    return;
  // Another loop has the place again, unless one is in the other; that of products was taken from
  // the start.
  bool isNested = loop->getParentOfType<ForOp>() || loop->getParentOfType<LoopOp>();
  loop.getBody()->walk([&](ForOp) { isNested = true; });
  if (out->isShared || isNested)
    sharedLeft -= out->stages * out->bytes - paidBytes;
  out->addressing.assign(addressing.begin(), addressing.end());
  llvm::sort(out->addressing, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  for (std::unique_ptr<Staging> &staging : own)
    stagings[staging->load] = std::move(staging);
  pipelines[loop] = std::move(out);
}

//===--- Classes

int Plan::classOf(Value value) {
  auto [place, isNew] = ids.try_emplace(value, int(parents.size()));
  if (isNew)
    parents.push_back(int(parents.size()));
  int id = place->second;
  while (parents[size_t(id)] != id)
    id = parents[size_t(id)] = parents[size_t(parents[size_t(id)])];
  return id;
}
void Plan::join(Value a, Value b) {
  if (elementsOf(a) != elementsOf(b) || elementsOf(a) <= 1 || isMadeAnywhere(a) ||
      isMadeAnywhere(b))
    return;
  int x = classOf(a), y = classOf(b);
  parents[size_t(std::max(x, y))] = std::min(x, y);
}

void Plan::joinClasses(EntryOp entry) {
  auto joinAll = [&](ValueRange a, ValueRange b) {
    for (auto [x, y] : llvm::zip(a, b))
      join(x, y);
  };
  entry.walk([&](Operation *op) {
    // Values in the regions of reductions are not tiles.
    if (isa_and_nonnull<ReduceOp, ScanOp>(op->getParentOp()) || followed.contains(op) ||
        stagings.contains(op))
      return;
    for (Value result : op->getResults())
      if (elementsOf(result) > 1)
        classOf(result);
    for (Region &region : op->getRegions())
      if (!isa<ReduceOp, ScanOp>(op))
        for (Value argument : region.getArguments())
          if (elementsOf(argument) > 1)
            classOf(argument);
    const Row *row = rowOf(op);
    if ((row && row->element) || isa<ReshapeOp, AssumeOp>(op)) {
      for (Value operand : op->getOperands())
        join(operand, op->getResult(0));
    } else if (isa<MmaFOp, MmaIOp>(op)) {
      join(op->getOperand(2), op->getResult(0));
    } else if (auto load = dyn_cast<LoadPtrTkoOp>(op)) {
      for (Value other :
           {Value(load.getMask()), Value(load.getPaddingValue()), Value(load.getResult())})
        if (other)
          join(load.getSource(), other);
    } else if (auto store = dyn_cast<StorePtrTkoOp>(op)) {
      if (store.getMask())
        join(store.getDestination(), store.getMask());
    } else if (auto loop = dyn_cast<ForOp>(op)) {
      joinAll(loop.getInitValues(), loop.getRegionIterValues());
      joinAll(loop.getResults(), loop.getRegionIterValues());
    } else if (auto loop = dyn_cast<LoopOp>(op)) {
      joinAll(loop.getInitValues(), loop.getRegionIterValues());
    } else if (isa<ContinueOp, BreakOp, YieldOp>(op)) {
      Operation *to = op->getParentOp();
      auto isEnd = [&](Operation *parent) {
        return isa<YieldOp>(op)   ? isa<IfOp>(parent)
               : isa<BreakOp>(op) ? isa<LoopOp>(parent)
                                  : isa<ForOp, LoopOp>(parent);
      };
      while (to && !isEnd(to))
        to = to->getParentOp();
      if (!to)
        return;
      if (auto loop = dyn_cast<ForOp>(to))
        joinAll(op->getOperands(), loop.getRegionIterValues());
      else if (auto loop = dyn_cast<LoopOp>(to); loop && isa<ContinueOp>(op))
        joinAll(op->getOperands(), loop.getRegionIterValues());
      else
        joinAll(op->getOperands(), to->getResults());
    }
  });
  // Numbers become those of classes, so that they can be looked up.
  for (auto &[value, id] : ids)
    id = classOf(value);
}

/// The bits of an element that broadcasts give, or that a reduction takes away.
static int64_t bitsOfDims(ArrayRef<int64_t> shape, llvm::function_ref<bool(size_t)> isChosen) {
  int64_t out = 0;
  for (size_t d = 0; d < shape.size(); ++d)
    if (isChosen(d))
      out |= (shape[d] - 1) << firstBitOf(shape, d);
  return out;
}

int64_t broadcastBits(Operation *op) {
  ArrayRef<int64_t> from = shapeOf(op->getOperand(0).getType());
  ArrayRef<int64_t> to = shapeOf(op->getResult(0).getType());
  return bitsOfDims(to, [&](size_t d) { return from[d] == 1; });
}
int64_t reducedBits(Operation *op) {
  auto dim = size_t(cast<ReduceOp>(op).getDim());
  return bitsOfDims(shapeOf(op->getOperand(0).getType()), [&](size_t d) { return d == dim; });
}
BitList permutedBits(Operation *op) {
  ArrayRef<int64_t> from = shapeOf(op->getOperand(0).getType());
  ArrayRef<int64_t> to = shapeOf(op->getResult(0).getType());
  ArrayRef<int32_t> permutation = cast<PermuteOp>(op).getPermutation();
  BitList map(size_t(log2Of(countOf(from))));
  for (size_t d = 0; d < to.size(); ++d) {
    int first = firstBitOf(from, size_t(permutation[d])), there = firstBitOf(to, d);
    for (int bit = 0; bit < log2Of(to[d]); ++bit)
      map[size_t(first + bit)] = int8_t(there + bit);
  }
  return map;
}

void Plan::chooseLayouts(EntryOp entry) {
  // Which classes are reduced along rows, or multiply from the left.
  llvm::DenseSet<int> sums, results;
  auto classIn = [&](Value value) {
    auto id = ids.find(value);
    return id == ids.end() ? -1 : id->second;
  };
  entry.walk([&](Operation *op) {
    if (auto reduce = dyn_cast<ReduceOp>(op)) {
      Type tile = op->getOperand(0).getType();
      if (size_t(reduce.getDim()) + 1 == shapeOf(tile).size())
        sums.insert(classIn(op->getOperand(0)));
    } else if (products.contains(op)) {
      results.insert(classIn(op->getResult(0)));
      if (!sources.contains(op->getOperand(0)))
        sums.insert(classIn(op->getOperand(0)));
    }
  });

  llvm::DenseMap<int, int> ranks; // of what has decided so far
  auto anchor = [&](Value value, int rank, const BitLayout &layout) {
    int id = classIn(value);
    if (id >= 0 && layout.registerCount() <= mostRegisters && ranks.lookup(id) < rank) {
      ranks[id] = rank;
      layouts[id] = layout;
    }
  };
  enum {
    Simple = 1,
    Stored,
    Loaded,
    Fragment
  };
  entry.walk([&](Operation *op) {
    if (auto found = products.find(op); found != products.end()) {
      Product &product = *found->second;
      int lhs = classIn(op->getOperand(0));
      bool keepsRows = sums.contains(classIn(op->getResult(0))) ||
                       (!sources.contains(op->getOperand(0)) && results.contains(lhs));
      product.result = fragmentOf(product, keepsRows);
      anchor(op->getResult(0), Fragment, product.result);
    } else if (auto load = dyn_cast<LoadViewTkoOp>(op)) {
      Traversal traversal =
          traversalOf(load.getView(), load.getInbounds().value_or(ArrayRef<bool>()));
      anchor(load.getTile(), Loaded, blocked(traversal.order, threadBits, traversal.vectorBits));
    } else if (auto store = dyn_cast<StoreViewTkoOp>(op)) {
      Traversal traversal =
          traversalOf(store.getView(), store.getInbounds().value_or(ArrayRef<bool>()));
      anchor(store.getTile(), Stored, blocked(traversal.order, threadBits, traversal.vectorBits));
    } else if (isa<LoadPtrTkoOp, StorePtrTkoOp>(op)) {
      Value pointers = op->getOperand(0);
      anchor(pointers, Simple, blocked(bitsUpTo(log2Of(elementsOf(pointers))), threadBits));
    }
  });

  // What makes broadcasts and reductions free.
  auto has = [&](Value value) { return layouts.contains(classIn(value)); };
  auto give = [&](Value value, const BitLayout &layout) {
    int id = classIn(value);
    if (id < 0 || layouts.contains(id) || layout.registerCount() > mostRegisters)
      return false;
    layouts[id] = layout;
    return true;
  };
  auto spread = [&] {
    bool isChanged = true;
    while (isChanged) {
      isChanged = false;
      entry.walk([&](Operation *op) {
        if (isa<ReduceOp>(op)) {
          for (auto [operand, result] : llvm::zip(op->getOperands(), op->getResults()))
            if (has(operand))
              isChanged |= give(result, without(layouts[classIn(operand)], reducedBits(op)));
        } else if (isa<BroadcastOp>(op)) {
          if (has(op->getResult(0)))
            isChanged |= give(op->getOperand(0),
                              without(layouts[classIn(op->getResult(0))], broadcastBits(op)));
        } else if (isa<PermuteOp>(op)) {
          BitList map = permutedBits(op);
          if (has(op->getOperand(0)))
            isChanged |= give(op->getResult(0), renamed(layouts[classIn(op->getOperand(0))], map));
          if (has(op->getResult(0))) {
            BitList back(map.size());
            for (size_t i = 0; i < map.size(); ++i)
              back[size_t(map[i])] = int8_t(i);
            isChanged |= give(op->getOperand(0), renamed(layouts[classIn(op->getResult(0))], back));
          }
        }
      });
    }
  };
  spread();
  // Others have their elements in order.
  entry.walk([&](Operation *op) {
    auto giveSimple = [&](Value value) {
      if (elementsOf(value) > 1 &&
          give(value, blocked(bitsUpTo(log2Of(elementsOf(value))), threadBits)))
        spread();
    };
    for (Value result : op->getResults())
      giveSimple(result);
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        giveSimple(argument);
  });
}

} // namespace tessera::tile_lower
