// Decisions read from the plan of a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Explanation.h"

#include "tessera/cuda_tile/Hints.h"
#include "tessera/layout/Text.h"
#include "tessera/tile_lower/Kernel.h"
#include "tessera/tile_lower/Planned.h"
#include "tessera/tile_lower/Produced.h"
#include "tessera/tile_lower/Runs.h"
#include "tessera/tile_lower/Unrolled.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

/// "64x128 elements"
std::string boxText(const Boxes &boxes) {
  std::string extents;
  for (int64_t extent : boxes.extents)
    extents += cat(extents.empty() ? "" : "x", extent);
  return cat(boxes.count == 1 ? "TMA, a box" : cat("TMA, ", boxes.count, " boxes"), " of ", extents,
             " elements");
}
/// "cp.async" where threads copy without registers.
std::string copyText(const Staging &staging) {
  int64_t bytes = staging.vector() * memoryBytes(elementOf(staging.tile()));
  return cat(staging.isAsync ? "cp.async of " : "ld.global and st.shared of ", bytes,
             bytes == 1 ? " byte" : " bytes");
}

class Reader {
public:
  Reader(Explanation &out, EntryOp entry, const Kernel &kernel, AsmState &names)
      : out(out), plan(*kernel.plan), keptTiles(kernel.kept), produced(kernel.produced.get()),
        names(names) {
    readHints(entry, "entry", entry.getOptimizationHintsAttr());
    readOrder();
    entry.walk([&](Operation *op) { read(op); });
  }

private:
  std::string nameOf(Value value) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    value.printAsOperand(stream, names);
    return text;
  }
  std::string resultOf(Operation *op) {
    StringRef name = op->getName().stripDialect();
    return op->getNumResults() && isa<TileType>(op->getResult(0).getType())
               ? cat(nameOf(op->getResult(0)), " = ", std::string_view(name))
               : name.str();
  }

  void read(Operation *op) {
    if (auto hints = op->getAttrOfType<OptimizationHintsAttr>("optimization_hints");
        hints && !isa<EntryOp>(op))
      readHints(op, resultOf(op), hints);
    if (isa<MmaFOp, MmaIOp, MmaFScaledOp>(op))
      readProduct(op);
    else if (auto load = dyn_cast<LoadViewTkoOp>(op))
      out.accesses.push_back(
          {cat(resultOf(op), ", ", shown(load.getTile().getType())), wayOf(load)});
    else if (auto store = dyn_cast<StoreViewTkoOp>(op))
      out.accesses.push_back(
          {cat("store_view_tko of ", nameOf(store.getTile()), ", ",
               shown(store.getTile().getType())),
           vectorText("st.global",
                      traversalOf(store.getView(), store.getInbounds().value_or(ArrayRef<bool>())),
                      store.getTile().getType())});
    else if (auto load = dyn_cast<LoadPtrTkoOp>(op))
      out.accesses.push_back({resultOf(op), wayOf(load)});
    else if (auto store = dyn_cast<StorePtrTkoOp>(op))
      out.accesses.push_back(
          {resultOf(op), byPointers("st.global", store.getDestination(), store.getMask())});
    else if (isa<ForOp>(op))
      readLoop(op);
    for (Value result : op->getResults())
      readTile(result);
    for (Region &region : op->getRegions())
      if (!isa<EntryOp, ReduceOp, ScanOp>(op))
        for (Value argument : region.getArguments())
          readTile(argument);
  }

  //===--- Hints

  void readHints(Operation *op, const std::string &name, OptimizationHintsAttr hints) {
    auto tell = [&](const char *hint, const std::string &way) {
      out.hints.push_back({cat(name, ", ", hint), way});
    };
    auto number = [&](const char *hint) { return hints::numberOf(hints, plan.arch, hint); };
    if (auto blocks = number("occupancy"))
      tell("occupancy",
           plan.blocksPerMultiprocessor == *blocks
               ? cat("registers and shared memory for ", *blocks,
                     *blocks == 1 ? " block" : " blocks", " of a multiprocessor")
               : cat("not followed: registers hold the sums of ", plan.blocksPerMultiprocessor,
                     plan.blocksPerMultiprocessor == 1 ? " block" : " blocks",
                     " of a multiprocessor, not of ", *blocks));
    if (auto warps = number("num_worker_warps_per_cta"))
      tell("num_worker_warps_per_cta",
           int64_t(1) << plan.threadBits == *warps * 32
               ? cat(*warps, " warps")
               : cat("not followed: a block has 4 or 8 warps, not ", *warps));
    if (auto blocks = number("num_cta_in_cga"); blocks && *blocks > 1)
      tell("num_cta_in_cga",
           cat("not followed: a tile block is one block of threads, not ", *blocks));
    if (auto latency = number("latency")) {
      const Pipeline *pipeline = pipelineOf(op);
      tell("latency", pipeline ? cat("a ring of ", pipeline->stages, " buffers")
                               : "not followed: the access does not run ahead of a loop");
    }
    if (auto tma = dyn_cast_or_null<BoolAttr>(hints::of(hints, plan.arch, "allow_tma"))) {
      const Pipeline *pipeline = pipelineOf(op);
      tell("allow_tma", isByTma(op)       ? "followed: the load is by TMA"
                        : !tma.getValue() ? "followed: the access is not by TMA"
                        : pipeline ? cat("not followed: ", pipeline->whyNotProduced)
                                   : "not followed: the access does not run ahead of a loop");
    }
  }

  /// The loop ahead of which a load runs; null if there is none.
  const Pipeline *pipelineOf(Operation *load) const {
    const Pipeline *pipeline = plan.pipelineOf(load->getParentOp());
    return pipeline && llvm::is_contained(pipeline->loads, plan.stagingOf(load)) ? pipeline
                                                                                 : nullptr;
  }
  bool isByTma(Operation *load) const {
    const Pipeline *pipeline = pipelineOf(load);
    return pipeline && pipeline->isProduced;
  }

  //===--- Accesses

  static std::string vectorText(std::string_view instruction, const Traversal &traversal,
                                Type type) {
    int64_t bytes = memoryBytes(elementOf(type)) << traversal.vectorBits;
    return cat(instruction, " of ", bytes, bytes == 1 ? " byte" : " bytes", widerText(bytes, type));
  }
  /// What would make an access of so many bytes wider.
  static std::string_view widerText(int64_t bytes, Type type) {
    constexpr int64_t widest = 16;
    if (bytes >= widest || (countOf(type) * memoryBytes(elementOf(type))) < widest)
      return "";
    return "; wider needs a stride of 1, and base, other strides and the extent as multiples "
           "(assume div_by)";
  }
  std::string byPointers(std::string_view instruction, Value pointers, Value mask) const {
    const BitLayout *layout = plan.layoutOf(pointers);
    Traversal traversal = traversalOfPointers(pointers, mask);
    int bits = layout ? std::min(traversal.vectorBits, layout->vectorBits(traversal.order)) : 0;
    if (bits == 0)
      return "each element by an address of its own";
    return cat(instruction, " of ", memoryBytes(pointeeOf(pointers.getType())) << bits,
               " bytes, as addresses follow each other");
  }
  std::string wayOf(LoadPtrTkoOp load) const {
    if (const Staging *staging = plan.stagingOf(load))
      return stagedText(*staging);
    return byPointers("ld.global", load.getSource(), load.getMask());
  }
  std::string stagedText(const Staging &staging) const {
    Type type = staging.tile();
    bool isByTma = staging.boxes && plan.producer();
    std::string_view wider =
        isByTma ? "" : widerText(staging.vector() * memoryBytes(elementOf(type)), type);
    if (staging.layout)
      return cat(copyText(staging), " ahead of the loop, each thread for itself", wider);
    return cat(isByTma ? boxText(*staging.boxes) : copyText(staging), " to ", staging.bytes,
               " bytes of shared memory, swizzle ", layout::str(staging.swizzle),
               staging.isRounded ? ", rounded to tf32" : "", wider);
  }
  std::string wayOf(LoadViewTkoOp load) const {
    Type type = load.getTile().getType();
    if (const Staging *staging = plan.stagingOf(load))
      return stagedText(*staging);
    if (!plan.layoutOf(load.getTile()) && countOf(type) > 1)
      return "element by element, to local memory";
    return vectorText("ld.global",
                      traversalOf(load.getView(), load.getInbounds().value_or(ArrayRef<bool>())),
                      type);
  }

  //===--- Products

  void readProduct(Operation *op) {
    Extents e = extentsOf(op->getOperand(0).getType(), op->getOperand(1).getType());
    std::string text = cat(resultOf(op), ", ", e.batch > 1 ? cat(e.batch, " of ") : "", e.m, "x",
                           e.k, " by ", e.k, "x", e.n);
    const Product *product = plan.productOf(op);
    if (!product) {
      out.products.push_back(
          {text, cat("fused multiply-adds: ", plan.onTensorCores(op).reason().text)});
      return;
    }
    auto from = [&](unsigned operand) {
      return plan.sourceOf(op->getOperand(operand)) ? "shared memory" : "registers";
    };
    std::string way = product->isGroup() ? atom::mnemonicFor(*product->row, product->columns)
                                         : product->row->mnemonic;
    bool readsRegisters = product->isGroup() && product->row->a.where == atom::Residency::Rmem;
    out.products.push_back(
        {text,
         cat(way, ", A from ", readsRegisters ? "registers" : from(0), ", B from ", from(1),
             product->remade ? ", written again as hardware reads it" : "",
             product->isSummedByThreads ? ", sums of more than 128 products by threads" : "")});
  }

  //===--- Loops and tiles

  void readOrder() {
    for (size_t axis = 0; axis < plan.lastFirst.size(); ++axis)
      if (plan.lastFirst[axis])
        out.loops.push_back({cat("tile blocks along ", "xyz"[axis]),
                             "from the last to the first, as later ones have longer loops"});
  }
  void readLoop(Operation *op) {
    const Pipeline *pipeline = plan.pipelineOf(op);
    std::string name = cat("for ", nameOf(cast<ForOp>(op).getInductionVar()));
    auto kept = llvm::find_if(
        keptTiles, [&](const KeptTiles &group) { return llvm::is_contained(group.loops, op); });
    if (kept != keptTiles.end() && kept->isAlsoOnce)
      out.loops.push_back({name, "if all such loops have one iteration, code without loops, which "
                                 "loads each of their tiles once"});
    size_t tiles = kept == keptTiles.end() ? 0 : kept->readBy(cast<ForOp>(op)).size();
    if (tiles) {
      out.loops.push_back({name, cat("of the first ", kept->iterations, " iterations ", tiles,
                                     tiles == 1 ? " tile is" : " tiles are",
                                     " copied to shared memory once for several loops")});
    } else if (std::optional<Unrolled> several =
                   pipeline ? std::nullopt : unrolled(plan, cast<ForOp>(op)))
      out.loops.push_back({name, cat(several->copies, " iterations at once, loads first")});
    if (!pipeline)
      return;
    std::string how =
        cat(pipeline->loads.size(), pipeline->loads.size() == 1 ? " load runs " : " loads run ",
            pipeline->stages - 1, pipeline->stages == 2 ? " iteration" : " iterations",
            " ahead, in a ring of ", pipeline->stages, " buffers of ", pipeline->bytes, " bytes");
    if (pipeline->isProduced)
      how += ", by a warp of its own";
    else if (plan.hasGroupProducts())
      how += cat(", not by a warp of its own: ", pipeline->whyNotProduced);
    if (int64_t begun = pipeline->isProduced ? produced->begunIn(op) : 0)
      how += cat("; those of the first ", begun,
                 " iterations by all threads, until that warp has its tensor maps");
    if (pipeline->carried)
      how += "; a product is awaited in the next iteration";
    if (pipeline->early)
      how += "; a product begins an iteration early";
    out.loops.push_back({name, how});
  }

  void readTile(Value value) {
    const BitLayout *layout = plan.layoutOf(value);
    if (!layout || elementsIn(value) <= 1)
      return;
    ArrayRef<int64_t> shape = shapeOf(value.getType());
    int64_t columns = shape.back();
    out.tiles.push_back({nameOf(value), shown(value.getType()), elementsIn(value) / columns,
                         columns, layout->registerCount(), threadValues(*layout, log2Of(columns))});
  }
  static int64_t elementsIn(Value value) {
    return isa<TileType>(value.getType()) ? countOf(value.getType()) : 0;
  }

  Explanation &out;
  const Plan &plan;
  const std::vector<KeptTiles> &keptTiles;
  const Produced *produced; // null if there is no warp of its own
  AsmState &names;
};

} // namespace

Explanation explain(EntryOp entry, const Kernel &kernel, AsmState &names) {
  Explanation out;
  out.kernel = entry.getSymName().str();
  out.level = kernel.plan ? 1 : 0;
  out.threads = kernel.threads +
                (kernel.plan && kernel.plan->producer() ? kernel.plan->producer()->threads() : 0);
  out.sharedBytes = kernel.sharedUsed();
  out.localBytes = kernel.localUsed();
  if (kernel.plan) {
    out.sharedLimit = kernel.plan->sharedLimit;
    Reader(out, entry, kernel, names);
  }
  return out;
}

} // namespace tessera::tile_lower
