// Shared memory, barriers and pipelines as operations of the program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Control.h"
#include "tessera/cute_cxx/KernelMemory.h"
#include "tessera/cute_cxx/Whole.h"

using namespace tessera;

namespace tessera::cute {

static thread_local KernelMemory *ofThread = nullptr;

KernelMemory::KernelMemory(mlir::Block *entry, dsl::BlockShape threads)
    : entry(entry), block(threads), before(ofThread) {
  ofThread = this;
}
KernelMemory::~KernelMemory() { ofThread = before; }
bool KernelMemory::isOfThread() { return ofThread; }
KernelMemory *KernelMemory::current(const char *call, dsl::Place at) {
  if (!ofThread)
    mistake(call, "expects a kernel that is traced: a host function has no shared memory", at);
  return ofThread;
}
dsl::Region KernelMemory::allocate(int64_t bytes, int64_t aligned, dsl::Place at) {
  if (!isOpen) { // at the beginning of the kernel, wherever the first piece is allocated
    mlir::OpBuilder &b = dsl::Context::current()->builder();
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(entry);
    shared.open(at);
    isOpen = true;
  }
  return shared.allocate(bytes, aligned);
}

/// The number of the thread in its block, counted along x first.
static Num threadOfBlock(Place at) {
  Num x(threadIdx.x, at);
  if (!ofThread || (ofThread->threads().y == 1 && ofThread->threads().z == 1))
    return x;
  auto [columns, rows, planes] = ofThread->threads();
  Num before = Num(threadIdx.y, at);
  if (planes > 1)
    before = Operand(before, at) +
             Operand(Operand(Num(threadIdx.z, at), at) * Operand(int(rows), at), at);
  return Operand(x, at) + Operand(Operand(before, at) * Operand(int(columns), at), at);
}

//===--- pieces -------------------------------------------------------------------------------===//

/// A power of two up to what the memory is aligned to.
static bool isAlignment(const char *call, int64_t alignment, Place at) {
  bool fits = alignment > 0 && alignment <= dsl::SharedMemory::alignment &&
              (alignment & (alignment - 1)) == 0;
  if (!fits)
    mistake(call,
            cat("expects an alignment that is a power of two, at most ",
                dsl::SharedMemory::alignment, " bytes, but got ", alignment),
            at);
  return fits;
}
static dsl::Pointer piece(const char *call, Format format, const Num &elements, int64_t alignment,
                          const layout::Swizzle &swizzle, Place at) {
  KernelMemory *memory = KernelMemory::current(call, at);
  const Static *count = staticOf(elements);
  if (memory && !count && !elements.is_poisoned())
    mistake(call, "expects a number of elements that C++ knows while it traces", at);
  else if (!isWithin(call, "a number of elements", elements, 0, INT32_MAX, at))
    return dsl::Pointer(mlir::Value());
  if (!memory || !count || !isAlignment(call, alignment, at))
    return dsl::Pointer(mlir::Value());
  dsl::Element element(format);
  int64_t bytes = (count->number * element.bits() + 7) / 8;
  dsl::Region region =
      memory->allocate(bytes, std::max<int64_t>(alignment, element.bits() / 8), at);
  return memory->memory().pointer(region, element, swizzle, alignment, at);
}
Pointer detail::allocate(Format format, const Num &elements, int alignment, Place at) {
  return made<Pointer>(piece("allocate_smem", format, elements, alignment, {.bits = 0}, at));
}
Tensor detail::shared(Format format, const Layout<> &l, int alignment, Place at) {
  LayoutValue view = held<LayoutValue>(l);
  layout::Swizzle swizzle{.bits = 0};
  Num elements = cosize(l, at);
  const layout::Composed *composed = view.layout.get().composed();
  if (view.onPointer && composed && composed->swizzle()) {
    swizzle = *composed->swizzle();
    view.layout = dsl::Layout(composed->outer);
  }
  dsl::Pointer start = piece("make_smem_tensor", format, elements, alignment, swizzle, at);
  return tensorFrom(dsl::make_tensor(start, view.layout, at));
}

//===--- reductions ---------------------------------------------------------------------------===//

static constexpr int lanes = 32;

static bool isFunction(const char *call, const std::function<Num(Num, Num)> &combine, Place at) {
  if (!combine)
    mistake(call, "expects a function that combines two numbers", at);
  return bool(combine);
}
Num warp_reduce(const Num &x, const std::function<Num(Num, Num)> &combine, Place at) {
  Num all = x;
  if (!isFunction("warp_reduce", combine, at))
    return num(dsl::Num(mlir::Value()));
  for (int distance = lanes / 2; distance; distance /= 2)
    all = combine(all, shfl_xor_sync(all, distance, at));
  return all;
}
/// Each warp leaves its result in shared memory, and each thread reads all of them.
Num block_reduce(const Num &x, int threads, const std::function<Num(Num, Num)> &combine, Place at) {
  if (threads < lanes || threads % lanes) {
    mistake("block_reduce", cat("expects a multiple of ", lanes, " threads, but got ", threads),
            at);
    return x;
  }
  if (!isFunction("block_reduce", combine, at))
    return num(dsl::Num(mlir::Value()));
  Num ofWarp = warp_reduce(x, combine, at);
  int warps = threads / lanes;
  dsl::Num number = typed(ofWarp, at);
  std::optional<dsl::Element> element = number.ir() ? dsl::element_of(number) : std::nullopt;
  if (warps == 1 || !element)
    return ofWarp;
  Tensor results = detail::shared(element->format(), make_layout(warps, at), 128, at);
  Num thread = threadOfBlock(at);
  detail::branch(
      Operand(Operand(thread, at) % Operand(lanes, at), at) == Operand(0, at), {},
      [&] {
        ElementRef(results, Operand(thread, at) / Operand(lanes, at), at) = Operand(ofWarp, at);
      },
      {}, at);
  __syncthreads(at);
  return reduce(results.load(at), combine, at);
}
Num block_sum(const Num &x, int threads, Place at) {
  return block_reduce(
      x, threads, [&](Num a, Num b) { return Operand(a, at) + Operand(b, at); }, at);
}
Num block_max(const Num &x, int threads, Place at) {
  return block_reduce(
      x, threads, [&](Num a, Num b) { return max(Operand(a, at), Operand(b, at)); }, at);
}

//===--- barriers -----------------------------------------------------------------------------===//

static dsl::Barrier barrierOf(const Barrier &b) { return held<dsl::Barrier>(b); }

void Barrier::init(const Num &arrivals, Place at) const {
  constexpr int64_t most = (int64_t(1) << 20) - 1; // of PTX
  if (isWithin("init", "a number of arrivals", arrivals, 1, most, at))
    barrierOf(*this).init(number(arrivals, at), at);
}
void Barrier::wait(const Num &phase, Place at) const {
  barrierOf(*this).wait(number(phase, at), at);
}
void Barrier::arrive(Place at) const { barrierOf(*this).arrive(at); }
void Barrier::arrive(const Num &block, Place at) const {
  barrierOf(*this).arrive_cluster(number(block, at), at);
}
void Barrier::arrive_and_expect_tx(const Num &bytes, Place at) const {
  barrierOf(*this).arrive_expect(number(bytes, at), at);
}
static BarrierArray noBarriers() {
  return made<BarrierArray>(dsl::Barriers(dsl::Pointer(mlir::Value())));
}
BarrierArray make_barriers(int count, Place at) {
  KernelMemory *memory = KernelMemory::current("make_barriers", at);
  if (!memory || count < 1) {
    if (memory)
      mistake("make_barriers", cat("expects at least one barrier, but got ", count), at);
    return noBarriers();
  }
  dsl::Region region = memory->allocate(count * dsl::Barrier::bytes, dsl::Barrier::bytes, at);
  auto all = made<BarrierArray>(memory->memory().at(region, at));
  all.count = count;
  return all;
}
Barrier BarrierArray::at(const Num &i, Place at) const {
  dsl::Barriers all = held<dsl::Barriers>(*this);
  if (count && !isWithin("barriers", "a number", i, 0, count - 1, at))
    return made<Barrier>(dsl::Barrier(dsl::Pointer(mlir::Value())));
  if (const Static *known = staticOf(i))
    return made<Barrier>(all[dsl::Index(known->number, at)]);
  return made<Barrier>(all[dsl::Index(number(i, at), at)]);
}
void fence_barrier_init(Place at) { dsl::mbarrier_init_fence(at); }

//===--- pipelines ----------------------------------------------------------------------------===//

void PipelineState::advance(Place at) {
  Num further = Operand(index, at) + Operand(1, at);
  Num wraps = Operand(further, at) == Operand(stages, at);
  phase = where(Operand(wraps, at), Operand(Operand(phase, at) ^ Operand(1, at), at),
                Operand(phase, at));
  index = where(Operand(wraps, at), Operand(0, at), Operand(further, at));
}
static constexpr int64_t most = (int64_t(1) << 20) - 1; // of PTX: arrivals and bytes of a phase

PipelineTmaAsync::PipelineTmaAsync(int stages, int arrivals, int bytes, Place at)
    : stages(stages), bytes(bytes), full(make_barriers(stages, at)) {
  if (full.is_poisoned() || !isWithin("PipelineTmaAsync", "bytes of a stage", bytes, 0, most, at) ||
      !isWithin("PipelineTmaAsync", "arrivals", arrivals, 1, most, at)) {
    full = empty = noBarriers();
    return;
  }
  empty = make_barriers(stages, at);
  Num first = Operand(threadOfBlock(at), at) == Operand(0, at);
  detail::branch(
      first, {},
      [&] {
        for (int i = 0; i < stages; ++i) {
          full.at(i, at).init(1, at);
          empty.at(i, at).init(arrivals, at);
        }
        fence_barrier_init(at);
      },
      {}, at);
  __syncthreads(at);
}
PipelineState PipelineTmaAsync::make_producer_start_state(Place) const { return {0, 1, stages}; }
PipelineState PipelineTmaAsync::make_consumer_start_state(Place) const { return {0, 0, stages}; }
void PipelineTmaAsync::producer_acquire(const PipelineState &state, Place at) const {
  empty.at(state.index, at).wait(state.phase, at);
  dsl::expect_bytes(barrierOf(full.at(state.index, at)), bytes, at);
}
void PipelineTmaAsync::consumer_release(const PipelineState &state, const Num &block,
                                        Place at) const {
  empty.at(state.index, at).arrive(block, at);
}
void PipelineTmaAsync::producer_tail(PipelineState state, Place at) const {
  for (int i = 0; i < stages; ++i, state.advance(at))
    empty.at(state.index, at).wait(state.phase, at);
}
Barrier PipelineTmaAsync::producer_get_barrier(const PipelineState &state, Place at) const {
  return full.at(state.index, at);
}
void PipelineTmaAsync::consumer_wait(const PipelineState &state, Place at) const {
  full.at(state.index, at).wait(state.phase, at);
}
void PipelineTmaAsync::consumer_release(const PipelineState &state, Place at) const {
  empty.at(state.index, at).arrive(at);
}

} // namespace tessera::cute
