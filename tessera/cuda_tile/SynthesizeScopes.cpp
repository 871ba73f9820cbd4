// The pass synthesize-debug-info-scopes: plain locations get the scope of their entry.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/DebugInfo.h"
#include "tessera/cuda_tile/Passes.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Path.h"

namespace tessera::cuda_tile {
#define GEN_PASS_DEF_SYNTHESIZEDEBUGINFOSCOPES
#include "tessera/cuda_tile/Passes.h.inc"
} // namespace tessera::cuda_tile

using namespace mlir;
using namespace tessera::cuda_tile;

namespace {

/// The first place in a file that a location is made of.
FileLineColLoc placeOf(Location location) {
  FileLineColLoc found;
  location->walk([&](Location part) {
    if (auto place = dyn_cast<FileLineColLoc>(LocationAttr(part)))
      found = found ? found : place;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}
/// The location in a scope: what names or fuses places becomes the first of them, as scopes have
/// one place.
Location scoped(Location location, DISubprogramAttr scope) {
  if (scopeOf(location))
    return location;
  if (auto call = dyn_cast<CallSiteLoc>(LocationAttr(location)))
    return CallSiteLoc::get(scoped(call.getCallee(), scope), scoped(call.getCaller(), scope));
  FileLineColLoc place = placeOf(location);
  if (!place)
    return location;
  return DILocAttr::get(scope.getContext(), place, scope);
}

struct SynthesizeDebugInfoScopes
    : tessera::cuda_tile::impl::SynthesizeDebugInfoScopesBase<SynthesizeDebugInfoScopes> {
  void runOnOperation() override {
    EntryOp entry = getOperation();
    FileLineColLoc place = placeOf(entry.getLoc());
    // Locations that have scopes already are those of a front end.
    if (scopeOf(entry.getLoc()) || !place)
      return;
    MLIRContext *context = &getContext();
    StringRef path = place.getFilename().getValue();
    auto file = DIFileAttr::get(context, StringAttr::get(context, llvm::sys::path::filename(path)),
                                StringAttr::get(context, llvm::sys::path::parent_path(path)));
    auto scope = DISubprogramAttr::get(context, file, place.getLine(), entry.getSymNameAttr(),
                                       entry.getSymNameAttr(),
                                       DICompileUnitAttr::get(context, file), place.getLine());
    entry.getBody().walk([&](Operation *op) { op->setLoc(scoped(op->getLoc(), scope)); });
    // A function is at one place, never at a call of it.
    entry->setLoc(DILocAttr::get(context, place, scope));
  }
};

} // namespace
