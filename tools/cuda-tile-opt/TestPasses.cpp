// The pass that NVIDIA's tests rename a symbol with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cuda-tile-opt/TestPasses.h"

#include "tessera/cuda_tile/DebugInfo.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace {

struct RenameSymbol : PassWrapper<RenameSymbol, OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RenameSymbol)
  RenameSymbol() = default;
  RenameSymbol(const RenameSymbol &other) : PassWrapper(other) { copyOptionValuesFrom(&other); }
  StringRef getArgument() const final { return "test-debuginfo-update-symbol-name"; }
  StringRef getDescription() const final { return "Rename a symbol and its debug information"; }

  /// `outer::inner` as a reference.
  SymbolRefAttr reference(StringRef path) {
    SmallVector<FlatSymbolRefAttr> names;
    SmallVector<StringRef> parts;
    path.split(parts, "::");
    for (StringRef part : parts)
      names.push_back(FlatSymbolRefAttr::get(&getContext(), part));
    return SymbolRefAttr::get(names.front().getAttr(), ArrayRef(names).drop_front());
  }
  Operation *find(SymbolTableCollection &tables, StringRef path) {
    SymbolRefAttr name = reference(path);
    Operation *found = tables.lookupSymbolIn(getOperation(), name);
    if (!found)
      getOperation()->emitError() << "could not find symbol op with name '" << name << "'";
    return found;
  }
  void runOnOperation() override {
    SymbolTableCollection tables;
    Operation *scopeOp = scope.empty() ? getOperation().getOperation() : find(tables, scope);
    if (!scopeOp)
      return signalPassFailure();
    auto symbol = dyn_cast_or_null<SymbolOpInterface>(find(tables, symbolToRename));
    if (!symbol)
      return signalPassFailure();
    SymbolTable &table = tables.getSymbolTable(symbol->getParentWithTrait<OpTrait::SymbolTable>());
    if (failed(renameSymbol(StringAttr::get(&getContext(), newName), symbol, scopeOp,
                            updateUses ? &table : nullptr)))
      signalPassFailure();
  }

  Option<std::string> symbolToRename{*this, "symbol-to-rename",
                                     llvm::cl::desc("The symbol, such as outer::inner")};
  Option<std::string> scope{*this, "scope",
                            llvm::cl::desc("Where to rename it; the module if left out")};
  Option<std::string> newName{*this, "new-name", llvm::cl::desc("The new name of `inner`")};
  Option<bool> updateUses{*this, "update-uses", llvm::cl::desc("Rename references too"),
                          llvm::cl::init(false)};
};

} // namespace

void tessera::registerTilePassesForTests() { PassRegistration<RenameSymbol>(); }
