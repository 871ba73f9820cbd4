// The walk over a foreign module.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Rewrite.h"

#include "tessera/import/ForeignContext.h"
#include "tessera/import/ForeignOp.h"
#include "tessera/import/Nearest.h"
#include "tessera/import/SharedMemory.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tessera::import {

namespace {
struct Known {
  /// Null for an op that only LLVM 22 knows, or nobody.
  const Row *row = nullptr;
  bool foreign = false;
  unsigned count = 0;
};

LogicalResult rewrite(Operation *op, const Row *row, KnownOps &target) {
  ForeignOp foreign(op, row, target);
  if (op->getNumRegions() || op->getNumSuccessors())
    return foreign.refuse(Diag::Regions);
  // Without a row only the properties are looked at.
  if (!row)
    return foreign.becomes(foreign.name());
  if (failed(foreign.check()) || failed(foreign.edit()))
    return failure();
  return row->rewrite ? row->rewrite(foreign) : foreign.becomes(row->target());
}

/// One report for all ops of a name that nobody knows.
void reportUnknown(Operation *first, unsigned count, MLIRContext &target) {
  InFlightDiagnostic report = refuse(first->getLoc(), Diag::NoRow, first->getName());
  std::string nearest = nearestOp(first->getName().getStringRef(), target);
  if (!nearest.empty())
    report.attachNote() << sentence(Diag::NearestOp, nearest);
  if (count > 1)
    report.attachNote() << sentence(Diag::MoreOfThem, first->getName(), count - 1);
}
} // namespace

LogicalResult rewriteForeignOps(ModuleOp module, MLIRContext *context,
                                std::map<std::string, unsigned> &counts) {
  if (failed(placeSharedMemory(module, counts)))
    return failure();
  KnownOps target(context);
  const bool theirs = ForeignContext::version(module.getContext());
  llvm::MapVector<OperationName, Known> known;
  SmallVector<Operation *> foreign;
  module.walk([&](Operation *op) {
    auto [entry, isNew] = known.try_emplace(op->getName());
    if (isNew) {
      if (theirs || !isDefined(op->getName()))
        entry->second.row = rowOf(op->getName().getStringRef());
      entry->second.foreign = entry->second.row || isUndefined(op->getName());
    }
    if (entry->second.foreign) {
      ++entry->second.count;
      foreign.push_back(op);
    }
  });
  bool failedAny = false;
  llvm::DenseSet<OperationName> unknown;
  for (Operation *op : foreign) {
    const Known &entry = known.find(op->getName())->second;
    if (entry.row || target.knows(op->getName().getStringRef()))
      failedAny |= failed(rewrite(op, entry.row, target));
    else if (unknown.insert(op->getName()).second)
      reportUnknown(op, entry.count, *context);
  }
  for (auto &[name, entry] : known)
    if (entry.foreign)
      counts[name.getStringRef().str()] += entry.count;
  return failure(failedAny || !unknown.empty());
}

} // namespace tessera::import
