// Places of ops as debug information of LLVM: line tables, no types or variables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx/Lines.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;
using tessera::ptx::InlinedCalls;

namespace {

/// The file, line and column of a location, after names, fusions and calls; null if it has none.
FileLineColLoc fileOf(Location loc) {
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return file;
  if (auto range = dyn_cast<FileLineColRange>(loc))
    return FileLineColLoc::get(range.getFilename(), range.getStartLine(), range.getStartColumn());
  if (auto name = dyn_cast<NameLoc>(loc))
    return fileOf(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return fileOf(call.getCallee());
  if (auto opaque = dyn_cast<OpaqueLoc>(loc))
    return fileOf(opaque.getFallbackLocation());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (FileLineColLoc file = fileOf(part))
        return file;
  return {};
}

/// A location and the calls that lead to it, the innermost first.
void addFrames(Location loc, SmallVectorImpl<Location> &frames) {
  if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    addFrames(call.getCallee(), frames);
    addFrames(call.getCaller(), frames);
    return;
  }
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    for (Location part : fused.getLocations())
      if (fileOf(part))
        return addFrames(part, frames);
    return;
  }
  if (auto name = dyn_cast<NameLoc>(loc); name && isa<CallSiteLoc, FusedLoc>(name.getChildLoc()))
    return addFrames(name.getChildLoc(), frames);
  if (fileOf(loc))
    frames.push_back(loc);
}

/// What a location calls its place: a function, for a place that calls lead to.
StringRef nameOf(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName();
  return "";
}

class Lines {
public:
  Lines(MLIRContext *context, bool namesCalls) : context(context), namesCalls(namesCalls) {}

  InlinedCalls calls;

  void attach(LLVM::LLVMFuncOp function) {
    known.clear();
    FileLineColLoc start = fileOf(function.getLoc());
    if (!start)
      function.walk([&](Operation *op) {
        start = fileOf(op->getLoc());
        return start ? WalkResult::interrupt() : WalkResult::advance();
      });
    if (!start)
      return;
    LLVM::DISubprogramAttr scope = subprogram(function.getSymName(), start, !function.isExternal());
    Location last = start;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == function)
        return;
      // Most ops share their place with others.
      auto [place, isNew] = known.try_emplace(op->getLoc());
      if (isNew && fileOf(op->getLoc()))
        place->second = placed(op->getLoc(), scope);
      if (place->second)
        last = Location(place->second);
      op->setLoc(last);
    });
    function->setLoc(FusedLoc::get(context, {start}, scope));
  }

private:
  /// A location inside of `scope`; calls become inlined functions of it.
  Location placed(Location loc, LLVM::DISubprogramAttr scope) {
    SmallVector<Location> frames;
    addFrames(loc, frames);
    FileLineColLoc caller = fileOf(frames.back());
    Location at = inScope(caller, scope, -1);
    int call = -1;
    for (Location frame : llvm::reverse(ArrayRef(frames).drop_back())) {
      // The callee is known by the name that its location has, else by its file.
      FileLineColLoc file = fileOf(frame);
      StringRef name = nameOf(frame).empty() ? file.getFilename().getValue() : nameOf(frame);
      LLVM::DISubprogramAttr &callee = inlined[{file.getFilename(), name}];
      if (!callee)
        callee = subprogram(name, file, true);
      call = calls.add(
          {name.str(), caller.getFilename().str(), caller.getLine(), caller.getColumn(), call});
      at = CallSiteLoc::get(inScope(file, callee, call), at);
      caller = file;
    }
    return at;
  }

  Location inScope(FileLineColLoc file, LLVM::DISubprogramAttr scope, int call) {
    LLVM::DILocalScopeAttr local = scope;
    LLVM::DIFileAttr own = fileAttr(file, namesCalls ? call : -1);
    if (own != scope.getFile())
      local = LLVM::DILexicalBlockFileAttr::get(scope, own, /*discriminator=*/0);
    return FusedLoc::get(context, {file}, local);
  }

  LLVM::DIFileAttr fileAttr(FileLineColLoc file, int call = -1) {
    return LLVM::DIFileAttr::get(context, InlinedCalls::fileName(file.getFilename().str(), call),
                                 "");
  }

  LLVM::DISubprogramAttr subprogram(StringRef name, FileLineColLoc start, bool defined) {
    LLVM::DIFileAttr file = fileAttr(start);
    if (!unit) // directives alone, as nvcc -lineinfo: no sections of DWARF
      unit = LLVM::DICompileUnitAttr::get(DistinctAttr::create(UnitAttr::get(context)),
                                          llvm::dwarf::DW_LANG_C, file,
                                          StringAttr::get(context, "tessera"), /*isOptimized=*/true,
                                          LLVM::DIEmissionKind::DebugDirectivesOnly);
    auto type = LLVM::DISubroutineTypeAttr::get(context, llvm::dwarf::DW_CC_normal, {});
    auto flags = LLVM::DISubprogramFlags::Optimized;
    if (defined)
      flags = flags | LLVM::DISubprogramFlags::Definition;
    auto text = StringAttr::get(context, name);
    return LLVM::DISubprogramAttr::get(
        context, defined ? DistinctAttr::create(UnitAttr::get(context)) : DistinctAttr(),
        defined ? unit : LLVM::DICompileUnitAttr(), file, text, text, file, start.getLine(),
        start.getLine(), flags, type, /*retainedNodes=*/{}, /*annotations=*/{});
  }

  MLIRContext *context;
  bool namesCalls;
  LLVM::DICompileUnitAttr unit;
  /// The places of one function as its debug information, null for what has no file.
  llvm::DenseMap<Attribute, LocationAttr> known;
  llvm::DenseMap<std::pair<Attribute, StringRef>, LLVM::DISubprogramAttr> inlined;
};

} // namespace

InlinedCalls tessera::ptx::attachLines(Operation *module, bool namesCalls) {
  Lines lines(module->getContext(), namesCalls);
  module->walk([&](LLVM::LLVMFuncOp function) { lines.attach(function); });
  return std::move(lines.calls);
}

void tessera::ptx::dropLineZero(std::string &text) {
  std::string kept;
  kept.reserve(text.size());
  for (llvm::StringRef rest = text; !rest.empty();) {
    llvm::StringRef line = rest.take_until([](char c) { return c == '\n'; });
    rest = rest.drop_front(std::min(line.size() + 1, rest.size()));
    llvm::StringRef words = line;
    if (words.consume_front("\t.loc\t")) {
      words = words.drop_while(llvm::isDigit).drop_front(); // the file
      if (words.starts_with("0 "))
        continue;
    }
    kept.append(line).push_back('\n');
  }
  text = std::move(kept);
}
