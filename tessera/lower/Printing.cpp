// Tensors as a loop over their coordinates, values as C formats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/Printing.h"

#include "tessera/cute/Build.h"
#include "tessera/lower/Elements.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

//===--- print_view ---------------------------------------------------------------------------===//

std::optional<lower::Conversion> tessera::lower::conversionOf(OpBuilder &b, Location loc, Value v,
                                                              bool isSigned) {
  Type type = v.getType();
  auto integer = dyn_cast<IntegerType>(type);
  if (integer) {
    isSigned = integer.isSignless() ? isSigned && !integer.isInteger(1) : integer.isSigned();
    v = lower::asCarrier(b, loc, v);
    unsigned bits = integer.getWidth(), printed = bits <= 32 ? 32 : 64;
    if (bits > 64)
      return std::nullopt;
    Type wide = b.getIntegerType(printed);
    if (bits < printed)
      v = isSigned ? Value(arith::ExtSIOp::create(b, loc, wide, v))
                   : arith::ExtUIOp::create(b, loc, wide, v);
    return Conversion{isSigned ? printed == 32 ? "%d" : "%lld" : printed == 32 ? "%u" : "%llu", v};
  }
  if (!isa<FloatType>(type) || !lower::isMoved(type))
    return std::nullopt;
  Type f64 = b.getF64Type();
  if (type != f64)
    v = arith::ExtFOp::create(b, loc, f64, v);
  return Conversion{"%f", v};
}

namespace {
struct ViewPrinter {
  OpBuilder &b;
  Location loc;

  void text(const Twine &text) { PrintOp::create(b, loc, ValueRange(), b.getStringAttr(text)); }
  /// One of two texts.
  void text(Value condition, const Twine &yes, const Twine &no) {
    auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    text(yes);
    b.setInsertionPointToStart(branch.elseBlock());
    text(no);
  }

  /// The size of the view, or of one of its modes, as an i32 or i64.
  FailureOr<Value> size(Value view, ArrayRef<int32_t> mode) {
    NamedAttrList attrs;
    attrs.set("mode", b.getDenseI32ArrayAttr(mode));
    FailureOr<SizeOp> size = build<SizeOp>(b, loc, view, attrs);
    if (failed(size))
      return failure();
    layout::Int leaf = cast<IntTupleType>(size->getType()).getValue().leaf().value;
    bool wide = leaf.isStatic() ? !layout::fitsI32(leaf.value) : leaf.width == layout::Width::I64;
    auto scalars = GetScalarsOp::create(b, loc, b.getIntegerType(wide ? 64 : 32), size->getResult(),
                                        /*only_dynamic=*/false);
    return Value(scalars.getResult(0));
  }
};
} // namespace

LogicalResult tessera::lower::rewritePrintView(IRRewriter &b, PrintViewOp op) {
  Location loc = op.getLoc();
  auto view = dyn_cast<CuteMemRefType>(op.getView().getType());
  FailureOr<GetIterOp> iterator = build<GetIterOp>(b, loc, op.getView());
  FailureOr<GetLayoutOp> layout = build<GetLayoutOp>(b, loc, op.getView());
  if (failed(iterator) || failed(layout))
    return failure();
  if (!view) { // coordinates are numbers already
    PrintOp::create(b, loc, ValueRange{*iterator, *layout}, b.getStringAttr("tensor({} o {})\n"));
    b.eraseOp(op);
    return success();
  }
  Type element = view.getElementType();
  if (!isMoved(element) || element.isInteger(128))
    return op.emitOpError() << "expects elements that are integers of up to 64 bits or floats, but "
                               "got "
                            << element;
  PrintOp::create(b, loc, ValueRange{*iterator, *layout},
                  b.getStringAttr("tensor({} o {}, data=\n       ["));
  // One loop over the coordinates in the order of the layout's domain; of several modes each run of
  // the first one is a line.
  ViewPrinter printer{b, loc};
  FailureOr<Value> count = printer.size(op.getView(), {});
  FailureOr<Value> line =
      view.getLayout().rank() > 1 ? printer.size(op.getView(), {0}) : FailureOr<Value>(Value());
  if (failed(count) || failed(line))
    return failure();
  Type index = count->getType();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, index, value);
  };
  Value zero = number(0);
  if (*line && line->getType() != index)
    line = Value(arith::ExtSIOp::create(b, loc, index, *line));
  auto loop = scf::ForOp::create(b, loc, zero, *count, number(1));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value i = loop.getInductionVar();
    Value later = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, i, zero);
    auto separate = scf::IfOp::create(b, loc, later, /*withElseRegion=*/false);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(separate.thenBlock());
      if (*line) {
        Value inLine = arith::RemUIOp::create(b, loc, i, *line);
        Value begins = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, inLine, zero);
        printer.text(begins, ",\n        ", ",");
      } else {
        printer.text(",");
      }
    }
    auto width = index.isInteger(64) ? layout::Width::I64 : layout::Width::I32;
    layout::Tree at = layout::Int::dynamic(layout::Symbolic::anonymous, width);
    Value coord = MakeIntTupleOp::create(b, loc, CoordType::get(b.getContext(), at), i);
    Value loaded = MemRefLoadOp::create(b, loc, element, op.getView(), coord);
    std::optional<Conversion> printed = conversionOf(b, loc, loaded, op.getIsSigned());
    PrintfOp::create(b, loc, printed->value, (" " + printed->text).str());
  }
  printer.text(" ])\n");
  b.eraseOp(op);
  return success();
}

//===--- print --------------------------------------------------------------------------------===//

namespace {
using lower::Conversion;
using lower::conversionOf;
using lower::isMoved;

struct Formatter {
  Emit &emit;
  lower::Printf out = {};
  function_ref<Value(const Iterator &)> load;

  void literal(StringRef text) {
    for (char c : text) // a percent sign is not a conversion
      out.format += c == '%' ? std::string("%%") : std::string(1, c);
  }
  void value(StringRef conversion, Value v) {
    out.format += conversion;
    out.values.push_back(v);
  }

  void integer(layout::Int x) {
    if (x.isStatic())
      return literal(std::to_string(x.value) + (x.isRatio() ? "/" + std::to_string(x.over) : ""));
    bool wide = x.width == layout::Width::I64;
    value(wide ? "%lld" : "%d", emit.value(x, emit.builder.getIntegerType(wide ? 64 : 32)));
  }
  void leaf(const layout::Leaf &leaf) {
    if (leaf.any)
      return literal("_");
    integer(leaf.value);
    for (size_t i = leaf.basis.size(); i-- > 0;)
      literal("@" + std::to_string(leaf.basis[i]));
  }
  void tree(const layout::Tree &tree) {
    if (tree.isLeaf())
      return leaf(tree.leaf());
    literal("(");
    for (size_t i = 0; i < tree.rank(); ++i) {
      if (i)
        literal(",");
      this->tree(tree[i]);
    }
    literal(")");
  }
  void layout(const layout::Layout &l) {
    tree(l.shape);
    literal(":");
    tree(l.stride);
  }
  void layout(const layout::AnyLayout &l) {
    if (l.affine())
      return layout(*l.affine());
    const layout::Composed &c = *l.composed();
    if (c.swizzle())
      literal(layout::str(*c.swizzle()));
    else
      layout(std::get<layout::Layout>(c.inner));
    literal(" o ");
    tree(c.offset);
    literal(" o ");
    layout(c.outer);
  }

  void tile(const layout::Tile &t) {
    if (t.isAny())
      return literal("_");
    if (t.isLayout())
      return layout(t.single);
    literal("[");
    for (auto [i, mode] : llvm::enumerate(t.modes)) {
      if (i)
        literal(";");
      tile(mode);
    }
    literal("]");
  }

  void iterator(const Iterator &it) {
    if (it.isArithTuple())
      return tree(it.tuple);
    auto ptr = dyn_cast<PtrType>(it.type);
    if (!ptr)
      return literal("descriptor");
    std::string element;
    llvm::raw_string_ostream(element) << ptr.getElementType();
    bool wide = ptr.getAddressSpace() == AddressSpace::Generic ||
                ptr.getAddressSpace() == AddressSpace::Gmem;
    Type integer = emit.builder.getIntegerType(wide ? 64 : 32);
    Value address = PtrToIntOp::create(emit.builder, emit.loc, integer, emit.value(it));
    if (!wide)
      address = arith::ExtUIOp::create(emit.builder, emit.loc, emit.builder.getI64Type(), address);
    literal("raw_ptr(0x");
    value("%016llx", address);
    literal(": " + element + ", " + std::string(atom::name(ptr.getAddressSpace())) + ", align<" +
            std::to_string(ptr.getAlignment()) + ">)");
  }

  void scalar(Value v) {
    if (std::optional<Conversion> printed = conversionOf(emit.builder, emit.loc, v, true))
      return value(printed->text, printed->value);
    std::string type;
    llvm::raw_string_ostream(type) << v.getType();
    literal(type);
  }

  /// How many elements of one operand are shown.
  static constexpr int64_t most = 31;

  /// The first elements of a vector, in row-major order.
  void vector(Value v) {
    auto type = cast<VectorType>(v.getType());
    int64_t count = type.getNumElements();
    literal("( ");
    for (int64_t i = 0; i < std::min(count, most); ++i) {
      if (i)
        literal(", ");
      SmallVector<int64_t> at = delinearize(i, computeStrides(type.getShape()));
      scalar(vector::ExtractOp::create(emit.builder, emit.loc, v, at));
    }
    literal(count > most ? ", [...] )" : " )");
  }

  /// The first elements in the order of the coordinates.
  void elements(const View &view) {
    auto memref = dyn_cast<CuteMemRefType>(typeOf(emit.builder.getContext(), view));
    if (!memref || !view.layout.shape().isStatic() || !isMoved(memref.getElementType()) ||
        bitsOf(memref.getElementType()) < 8) // which no pointer reaches
      return;
    int64_t count = layout::product(emit, view.layout.shape()).value;
    literal(" = \n  ( ");
    for (int64_t i = 0; i < std::min(count, most); ++i) {
      Result<layout::Tree> index = layout::crd2idx(emit, layout::Tree(i), view.layout);
      Result<Iterator> at =
          index ? emit.advance(view.iterator, *index) : Result<Iterator>(index.reason());
      if (!at)
        return literal("? )");
      if (i)
        literal(", ");
      scalar(load(*at));
    }
    literal(count > most ? ", [...] )" : " )");
  }

  void datum(const Datum &d) {
    if (const View *view = d.as<View>()) {
      iterator(view->iterator);
      literal(" o ");
      layout(view->layout);
      if (!view->index)
        return elements(*view);
      literal(" at ");
      integer(*view->index);
    } else if (const TreeDatum *t = d.as<TreeDatum>()) {
      tree(t->tree);
    } else if (const layout::AnyLayout *l = d.as<layout::AnyLayout>()) {
      layout(*l);
    } else if (const layout::Tile *t = d.as<layout::Tile>()) {
      tile(*t);
    } else if (const layout::Swizzle *s = d.as<layout::Swizzle>()) {
      literal(layout::str(*s));
    } else if (const Iterator *it = d.as<Iterator>()) {
      iterator(*it);
    } else if (const layout::Int *x = d.as<layout::Int>()) {
      integer(*x);
    } else if (d.as<Opaque>()->type.isIntOrFloat()) {
      scalar(emit.value(*d.as<Opaque>()));
    } else if (auto shown = dyn_cast<VectorType>(d.as<Opaque>()->type);
               shown && !shown.isScalable()) {
      vector(emit.value(*d.as<Opaque>()));
    } else {
      std::string type;
      llvm::raw_string_ostream(type) << d.as<Opaque>()->type;
      literal(type);
    }
  }
};
} // namespace

lower::Printf tessera::lower::formatPrint(Emit &emit, StringAttr format, ArrayRef<Datum> operands,
                                          function_ref<Value(const Iterator &)> load) {
  Formatter formatter{emit, {}, load};
  StringRef rest = format ? format.getValue() : StringRef();
  if (!format)
    for (const Datum &operand : operands) {
      formatter.datum(operand);
      formatter.literal("\n");
    }
  for (const Datum &operand : format ? operands : ArrayRef<Datum>()) {
    auto [before, after] = rest.split("{}");
    formatter.literal(before);
    formatter.datum(operand);
    rest = after;
  }
  formatter.literal(rest);
  return std::move(formatter.out);
}
