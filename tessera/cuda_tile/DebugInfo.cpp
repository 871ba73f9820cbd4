// Rules of debug information, and renaming.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/DebugInfo.h"

#include "tessera/cuda_tile/Diagnostics.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera::cuda_tile;

DISubprogramAttr tessera::cuda_tile::subprogramOf(Attribute scope) {
  while (auto block = dyn_cast_or_null<DILexicalBlockAttr>(scope))
    scope = block.getScope();
  return dyn_cast_or_null<DISubprogramAttr>(scope);
}

Attribute tessera::cuda_tile::scopeOf(Location location) {
  return TypeSwitch<LocationAttr, Attribute>(location)
      .Case<DILocAttr>([](DILocAttr own) { return own.getScope(); })
      .Case<NameLoc>([](NameLoc name) { return scopeOf(name.getChildLoc()); })
      .Case<CallSiteLoc>([](CallSiteLoc call) {
        // Code that was inlined belongs to the function that it was inlined into.
        if (Attribute caller = scopeOf(call.getCaller()))
          return caller;
        return scopeOf(call.getCallee());
      })
      .Case<FusedLoc>([](FusedLoc fused) {
        for (Location each : fused.getLocations())
          if (Attribute scope = scopeOf(each))
            return scope;
        return Attribute();
      })
      .Default([](LocationAttr) { return Attribute(); });
}

static LogicalResult refuseScope(Operation *op, Diag what, const std::string &why) {
  return op->emitError(sentence(what)).attachNote() << why;
}

/// Whether a call site is among what a location is made of.
static bool hasCallSite(Location location) {
  bool found = false;
  location->walk([&](Location part) {
    found |= isa<CallSiteLoc>(part);
    return WalkResult::advance();
  });
  return found;
}

LogicalResult tessera::cuda_tile::verifyFunctionScopes(FunctionOpInterface function) {
  Attribute scope = scopeOf(function.getLoc());
  if (scope) {
    if (hasCallSite(function.getLoc()))
      return refuseScope(function, Diag::DiFunction, sentence(Diag::DiFunctionCallSite));
    auto subprogram = dyn_cast<DISubprogramAttr>(scope);
    if (!subprogram)
      return refuseScope(function, Diag::DiFunction, sentence(Diag::DiFunctionSubprogram));
    if (subprogram.getLinkageName().getValue() != function.getName())
      return refuseScope(function, Diag::DiFunction,
                         sentence(Diag::DiFunctionName, function.getName(),
                                  subprogram.getLinkageName().getValue()));
  }
  WalkResult walked = function.getFunctionBody().walk([&](Operation *op) {
    Attribute own = scopeOf(op->getLoc());
    if (!own)
      return WalkResult::advance();
    if (!scope)
      return WalkResult(refuseScope(op, Diag::DiOperation, sentence(Diag::DiOperationUndefined)));
    if (subprogramOf(own) != scope)
      return WalkResult(refuseScope(op, Diag::DiOperation, sentence(Diag::DiOperationMismatch)));
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

LogicalResult tessera::cuda_tile::verifyModuleScopes(TileModuleOp module) {
  for (Operation &op : module.getBody().front())
    if (!isa<FunctionOpInterface>(op) && scopeOf(op.getLoc()))
      return refuseScope(&op, Diag::DiOperation, sentence(Diag::DiGlobal));
  return success();
}

LogicalResult tessera::cuda_tile::renameSymbol(StringAttr name, SymbolOpInterface symbol,
                                               Operation *scope, SymbolTable *uses) {
  if (!scope->isAncestor(symbol)) {
    InFlightDiagnostic diagnostic = symbol->emitError(sentence(Diag::RenameScope));
    diagnostic.attachNote(scope->getLoc()) << sentence(Diag::RenameScopeHere);
    return diagnostic;
  }
  StringAttr old = symbol.getNameAttr();
  DISubprogramAttr subprogram = subprogramOf(scopeOf(symbol->getLoc()));
  if (uses) {
    if (failed(uses->rename(symbol, name)))
      return failure();
  } else {
    symbol.setName(name);
  }
  if (!subprogram || subprogram.getLinkageName() != old)
    return success();
  // Everything that names the subprogram gets one of the new linkage name.
  auto renamed = DISubprogramAttr::get(subprogram.getContext(), subprogram.getFile(),
                                       subprogram.getLine(), subprogram.getName(), name,
                                       subprogram.getCompileUnit(), subprogram.getScopeLine());
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](DISubprogramAttr each) -> std::optional<Attribute> {
    return each == subprogram ? Attribute(renamed) : Attribute(each);
  });
  replacer.recursivelyReplaceElementsIn(scope, /*replaceAttrs=*/false, /*replaceLocs=*/true);
  return success();
}
