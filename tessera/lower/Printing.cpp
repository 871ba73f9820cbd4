// Tensors as loops over their coordinates, values as C formats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/Printing.h"

#include "tessera/cute/Build.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;

//===--- print_view ---------------------------------------------------------------------------===//

namespace {
constexpr int64_t edge = 3; // elements shown at either end of a long mode

struct ViewPrinter {
  OpBuilder &b;
  Location loc;
  Value view;
  std::vector<Value> extents; // one for each top-level mode
  SmallVector<Value> index = {};

  void text(const Twine &text) { PrintOp::create(b, loc, ValueRange(), b.getStringAttr(text)); }
  Value number(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  }
  Value compare(arith::CmpIPredicate predicate, Value a, Value c) {
    return arith::CmpIOp::create(b, loc, predicate, a, c);
  }
  void when(Value condition, function_ref<void()> body) {
    auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    body();
  }

  void element() {
    std::vector<layout::Tree> leaves(index.size(),
                                     layout::Int::dynamic(layout::Symbolic::anonymous));
    layout::Tree tree = cast<ViewType>(view.getType()).getViewLayout().shape().isTuple()
                            ? layout::Tree(std::move(leaves))
                            : leaves[0];
    Value coord = MakeIntTupleOp::create(b, loc, CoordType::get(b.getContext(), tree), index);
    Type type = cast<CuteMemRefType>(view.getType()).getElementType();
    Value loaded = MemRefLoadOp::create(b, loc, type, view, coord);
    PrintOp::create(b, loc, loaded, b.getStringAttr(" {}"));
  }

  void mode(size_t m) {
    bool last = m + 1 == extents.size();
    text("[");
    Value zero = number(0);
    auto loop = scf::ForOp::create(b, loc, zero, extents[m], number(1));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value i = loop.getInductionVar();
      Value tail = arith::SubIOp::create(b, loc, extents[m], number(edge));
      Value inside =
          arith::AndIOp::create(b, loc, compare(arith::CmpIPredicate::sge, i, number(edge)),
                                compare(arith::CmpIPredicate::slt, i, tail));
      Value first = compare(arith::CmpIPredicate::eq, i, number(edge));
      std::string separator = last ? "," : ",\n" + std::string(8 + m, ' ');
      when(arith::AndIOp::create(b, loc, inside, first), [&] { text(separator + " ..."); });
      Value outside = arith::XOrIOp::create(b, loc, inside,
                                            arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1));
      when(outside, [&] {
        when(compare(arith::CmpIPredicate::ne, i, zero), [&] { text(separator); });
        index.push_back(i);
        last ? element() : mode(m + 1);
        index.pop_back();
      });
    }
    text(last ? " ]" : "]");
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
  PrintOp::create(b, loc, ValueRange{*iterator, *layout},
                  b.getStringAttr("tensor({} o {}, data=\n       "));
  ViewPrinter printer{b, loc, op.getView(), {}};
  for (size_t i = 0; i < view.getLayout().rank(); ++i) {
    NamedAttrList attrs;
    if (view.getLayout().shape().isTuple())
      attrs.set("mode", b.getDenseI32ArrayAttr(int32_t(i)));
    FailureOr<SizeOp> size = build<SizeOp>(b, loc, op.getView(), attrs);
    if (failed(size))
      return failure();
    printer.extents.push_back(
        GetScalarsOp::create(b, loc, b.getI32Type(), *size, /*only_dynamic=*/false).getResult(0));
  }
  if (printer.extents.empty())
    printer.element();
  else
    printer.mode(0);
  printer.text(")\n");
  b.eraseOp(op);
  return success();
}

//===--- print --------------------------------------------------------------------------------===//

namespace {
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
      return literal(std::to_string(x.value));
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
    bool wide = ptr.getAddressSpace() == AddressSpace::generic ||
                ptr.getAddressSpace() == AddressSpace::gmem;
    Type integer = emit.builder.getIntegerType(wide ? 64 : 32);
    Value address = PtrToIntOp::create(emit.builder, emit.loc, integer, emit.value(it));
    if (!wide)
      address = arith::ExtUIOp::create(emit.builder, emit.loc, emit.builder.getI64Type(), address);
    literal("raw_ptr(0x");
    value("%016llx", address);
    literal(": " + element + ", " + stringifyAddressSpace(ptr.getAddressSpace()).str() +
            ", align<" + std::to_string(ptr.getAlignment()) + ">)");
  }

  void scalar(Value v) {
    Type type = v.getType();
    if (isa<FloatType>(type)) {
      Type f64 = emit.builder.getF64Type();
      if (type.getIntOrFloatBitWidth() < 64)
        v = arith::ExtFOp::create(emit.builder, emit.loc, f64, v);
      return value("%f", v);
    }
    if (type.getIntOrFloatBitWidth() < 32)
      v = type.isInteger(1)
              ? Value(arith::ExtUIOp::create(emit.builder, emit.loc, emit.builder.getI32Type(), v))
              : Value(arith::ExtSIOp::create(emit.builder, emit.loc, emit.builder.getI32Type(), v));
    value(v.getType().isInteger(64) ? "%lld" : "%d", v);
  }

  /// The first elements in the order of the coordinates.
  void elements(const View &view) {
    constexpr int64_t most = 31;
    auto memref = dyn_cast<CuteMemRefType>(typeOf(emit.builder.getContext(), view));
    if (!memref || !view.layout.shape().isStatic() || !memref.getElementType().isIntOrFloat())
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
