// How a call fails, and how values of the algebra become values of the IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Call.h"

#include "tessera/base/Result.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::dsl;

void Call::begin() {
  if (context)
    return;
  fine = false;
  llvm::errs() << Mistake{at.file_name(), at.line(), at.column(),
                          cat(name, ": expects a dsl::Context on this thread, which holds what is "
                                    "written, but there is none")}
                      .str()
               << "\n";
}
void Call::look(bool set, bool poisoned) {
  if (!set && fine)
    fail("expects values that are set, but got one that was declared only");
  fine &= !poisoned;
}
void Call::reach(Value value) {
  Block *here = fine && value ? builder().getInsertionBlock() : nullptr;
  if (here && !value.getParentRegion()->isAncestor(here->getParent()))
    fail(
        "expects a value that is there where the call is written, but it was made in the body of a "
        "loop, a branch or another function; hand it on by what the loop or branch carries, or "
        "pass "
        "it to the kernel");
}
void Call::fail(const std::string &why) {
  if (fine)
    context->mistake(at, cat(name, ": ", why));
  fine = false;
}
LogicalResult Call::note(Diagnostic &said) {
  if (said.getSeverity() != DiagnosticSeverity::Error)
    return success();
  std::string text = said.str();
  for (Diagnostic &more : said.getNotes())
    text += "; " + more.str();
  fail(text);
  return success();
}

Operation *Call::checked(function_ref<Operation *()> make) {
  Operation *made = collecting([&]() -> Operation * {
    Operation *op = make();
    if (op && failed(verify(op, /*verifyRecursively=*/false))) {
      op->erase();
      op = nullptr;
    }
    return op;
  });
  if (!made)
    fail("the operation is refused"); // silent where a diagnostic said why
  return made;
}

Value tessera::dsl::sharedPointer(Call &call, const Pointer &pointer) {
  if (!call.good())
    return {};
  constexpr unsigned sharedMemory = 3;
  auto cast = call.create<UnrealizedConversionCastOp>(
      TypeRange(LLVM::LLVMPointerType::get(call.mlirContext(), sharedMemory)),
      ValueRange(pointer.ir()));
  return cast ? cast.getResult(0) : Value();
}

//===--- values of the algebra ----------------------------------------------------------------===//

Value Call::constant(const Datum &datum) {
  if (auto op = create<StaticOp>(typeOf(mlirContext(), datum)))
    return op;
  return {};
}
Value Call::value(const Layout &l) {
  if (!fine || l.ir())
    return l.ir();
  if (!l.isStatic()) {
    fail(cat("expects a layout, but ", layout::str(l.get()),
             " has leaves that are known at run time only; make_layout takes them as numbers"));
    return {};
  }
  return constant(Datum(l.get()));
}
Value Call::value(const Tile &t) {
  if (!fine)
    return {};
  if (!t.get().isStatic()) {
    fail(cat("expects a static tile, but got ", layout::str(t.get())));
    return {};
  }
  return constant(Datum(t.get()));
}
Value Call::value(const Coord &c, layout::TreeKind kind) {
  if (!fine)
    return {};
  Type type = typeOf(mlirContext(), Datum(kind, c.tree()));
  if (Value made = c.ir()) {
    if (made.getType() == type)
      return made;
    if (!isa<IntTupleType>(made.getType())) // what all conversions start from
      made = infer<ToIntTupleOp>(made);
    switch (kind) {
    case layout::TreeKind::IntTuple: return made;
    case layout::TreeKind::Coord: return infer<ToCoordOp>(made);
    case layout::TreeKind::Shape: return infer<ToShapeOp>(made);
    case layout::TreeKind::Stride: return infer<ToStrideOp>(made);
    }
  }
  if (c.isStatic())
    return constant(Datum(kind, c.tree()));
  SmallVector<Value> leaves;
  for (const Num &leaf : c.numbers()) {
    look(bool(leaf), leaf.poisoned());
    leaves.push_back(leaf.ir());
  }
  if (!fine)
    return {};
  if (auto op = create<MakeIntTupleOp>(type, leaves))
    return op;
  return {};
}
