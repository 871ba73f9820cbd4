// Reads launches from host code, and puts numbers into a sentence.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Usage.h"

#include "tessera/base/ShortName.h"
#include "tessera/cuda/Cuda.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tessera::cli {

namespace {

/// An integer that is a constant, or one that is extended, as CuTe DSL has sizes of shared memory.
std::optional<int64_t> constantOf(Value value) {
  if (auto cast = value.getDefiningOp<arith::ExtSIOp>())
    value = cast.getIn();
  APInt number;
  return matchPattern(value, m_ConstantInt(&number)) ? std::optional(number.getSExtValue())
                                                     : std::nullopt;
}

BlockShape shapeOf(cuda::LaunchCfgCreateOp config) {
  BlockShape shape = {1, constantOf(config.getDynamicSmemBytes())};
  for (Value side : {config.getBlockDimX(), config.getBlockDimY(), config.getBlockDimZ()})
    if (std::optional<int64_t> threads = constantOf(side); threads && shape.threads)
      *shape.threads *= *threads;
    else
      shape.threads.reset();
  return shape;
}

/// 213008 as "213,008".
std::string grouped(int64_t number) {
  std::string out = std::to_string(number);
  for (size_t at = out.size(); at > 3; at -= 3)
    out.insert(at - 3, ",");
  return out;
}

std::string counted(int64_t number, const char *what) {
  return cat(grouped(number), " ", what, number == 1 ? "" : "s");
}

} // namespace

llvm::StringMap<BlockShape> blockShapesOf(ModuleOp module) {
  llvm::StringMap<BlockShape> shapes;
  module->walk([&](cuda::LaunchExOp launch) {
    auto config = launch.getConfig().getDefiningOp<cuda::LaunchCfgCreateOp>();
    BlockShape shape = config ? shapeOf(config) : BlockShape();
    auto [at, isNew] = shapes.try_emplace(launch.getCallee().getLeafReference().getValue(), shape);
    if (isNew)
      return;
    if (at->second.threads != shape.threads)
      at->second.threads.reset();
    if (at->second.dynamicShared != shape.dynamicShared)
      at->second.dynamicShared.reset();
  });
  module->walk([&](FunctionOpInterface function) {
    auto required = function->getAttrOfType<DenseI32ArrayAttr>("nvvm.reqntid");
    if (!required)
      return;
    int64_t threads = 1;
    for (int32_t side : required.asArrayRef())
      threads *= side;
    shapes[function.getName()].threads = threads;
  });
  return shapes;
}

std::string heldText(const atom::Occupancy &held, int64_t threads) {
  if (!held.blocks)
    return cat("more ", nameOf(held.limit), " than an SM has for one block of ",
               counted(threads, "thread"));
  return cat(counted(held.blocks, "block"), " of ", counted(threads, "thread"), " per SM (",
             held.warps, " of ", held.most, " warps, limited by ", nameOf(held.limit), ")");
}

std::string usageOf(const ptx::PtxasReport &report, const BlockShape &shape,
                    const std::string &arch) {
  int64_t sharedBytes = report.sharedBytes + shape.dynamicShared.value_or(0);
  std::string out = cat(shortName(report.function), ": ", counted(report.registers, "register"),
                        ", ", grouped(sharedBytes), " bytes of shared memory");
  if (!shape.dynamicShared)
    out += " and what the launch adds";
  if (Result<atom::Target> target = atom::Target::parse(arch); target && shape.threads) {
    atom::Occupancy held = atom::occupancyOf(*target, {.registers = report.registers,
                                                       .threads = *shape.threads,
                                                       .sharedBytes = sharedBytes,
                                                       .barriers = report.barriers});
    out += cat(", ", shape.dynamicShared || !held.blocks ? "" : "at most ",
               heldText(held, *shape.threads));
  }
  return out + (report.spills()
                    ? cat(", spills ", grouped(report.spillStoreBytes), " bytes of stores and ",
                          grouped(report.spillLoadBytes), " of loads per thread")
                    : std::string(", no spills"));
}

} // namespace tessera::cli
