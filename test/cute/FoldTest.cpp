// Folds and canonicalisation on random programs: what they leave computes what was there before.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected: the numbers of layout::Interp on the program as it was made, op by op. The folder does
// not use it: it knows leaves by origin, not by number. Types must stay, and the verifier accept
// the result.
#include "tessera/cute/Build.h"
#include "tessera/cute/Cute.h"
#include "tessera/cute/Trace.h"

#include "test/layout/Property.h"
#include "test/layout/Random.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <gtest/gtest.h>

#include <map>

using namespace tessera;
using namespace tessera::cute;
using layout::Int;
using layout::Interp;
using layout::Layout;
using layout::Tree;
using layout::TreeKind;
using layout::Width;
using layout::test::Random;
using mlir::Type;
using mlir::Value;

namespace {

/// Where a pointer is: its argument, and elements after it.
using Place = std::pair<int64_t, int64_t>;

/// Evaluation with numbers for arguments.
class Machine final : public Domain {
public:
  Interp interp;

  layout::Arith &arith() override { return interp; }
  Result<Iterator> advance(const Iterator &from, const Tree &offset) override {
    TESSERA_TRY(Iterator to, Domain::advance(from, offset));
    if (from.isArithTuple())
      return to;
    Place place = places[from.handle];
    place.second += interp.valueOf(offset.leaf().value);
    places.push_back(place);
    to.handle = uint32_t(places.size() - 1);
    return to;
  }

  /// False if an op refuses its operands or breaks an assumption.
  bool run(mlir::ModuleOp module) {
    for (mlir::Operation &op : *module.getBody())
      if (op.getName().getStringRef() != "test.sink" && !step(&op))
        return false;
    return !interp.violated();
  }
  /// All numbers of a value, and the places of pointers.
  std::vector<int64_t> numbers(Value value) {
    Datum datum = data.at(value);
    std::vector<int64_t> all;
    datum.forEachLeaf([&](layout::Leaf &leaf) {
      if (!leaf.any)
        all.push_back(interp.valueOf(leaf.value));
    });
    const View *view = datum.as<View>();
    const Iterator *it = view ? &view->iterator : datum.as<Iterator>();
    if (it && !it->isArithTuple()) {
      all.push_back(places[it->handle].first);
      all.push_back(places[it->handle].second);
    }
    return all;
  }

private:
  bool step(mlir::Operation *op) {
    llvm::APInt constant;
    if (auto given = op->getAttrOfType<mlir::DenseI64ArrayAttr>("numbers")) {
      Datum datum = datumOf(op->getResult(0).getType());
      llvm::ArrayRef<int64_t> numbers = given.asArrayRef();
      datum.forEachDynamicLeaf([&](Int &leaf) {
        leaf = interp.input(numbers.front(), leaf.width, leaf.div);
        numbers = numbers.drop_front();
      });
      if (Iterator *it = datum.as<Iterator>()) {
        places.push_back({numbers.front(), 0});
        it->handle = uint32_t(places.size() - 1);
      }
      data.insert({op->getResult(0), datum});
      return true;
    }
    if (mlir::matchPattern(op, mlir::m_ConstantInt(&constant))) {
      bool flag = constant.getBitWidth() == 1;
      data.insert({op->getResult(0),
                   interp.input(flag ? int64_t(constant.getZExtValue()) : constant.getSExtValue(),
                                flag                           ? Width::I1
                                : constant.getBitWidth() == 64 ? Width::I64
                                                               : Width::I32)});
      return true;
    }
    auto algebra = llvm::dyn_cast<AlgebraOpInterface>(op);
    if (!algebra) { // its type says it all
      data.insert({op->getResult(0), datumOf(op->getResult(0).getType())});
      return true;
    }
    Data in;
    for (Value operand : op->getOperands())
      in.push_back(data.at(operand));
    Result<Data> out = algebra.evaluateWith(*this, in);
    if (!out)
      return false;
    for (auto [datum, result] : llvm::zip(*out, op->getResults()))
      data.insert({result, conformed(datum, result.getType(), [&](int64_t number, const Int &leaf) {
                     return interp.input(number, leaf.width, leaf.div);
                   })});
    return true;
  }

  struct Less {
    bool operator()(Value a, Value b) const {
      return a.getAsOpaquePointer() < b.getAsOpaquePointer();
    }
  };
  std::map<Value, Datum, Less> data;
  std::vector<Place> places = {{}};
};

/// A random program: values in the body of a module, all of them read by one op at the end.
class Program {
public:
  Program(mlir::MLIRContext &context, Random &random)
      : builder(&context), random(random), module(mlir::ModuleOp::create(builder.getUnknownLoc())) {
    builder.setInsertionPointToEnd(module->getBody());
    for (int i = 0; i < 2; ++i)
      values.push_back(pointer());
    for (int i = 0; i < 3; ++i) {
      values.push_back(layoutValue());
      values.push_back(tuple(TreeKind::IntTuple, random.shape(3, 64)));
    }
    for (int i = 0; i < 24; ++i)
      grow();
    // Some values have users in the program only.
    llvm::erase_if(values, [&](Value) { return random.chance(40); });
    mlir::OperationState sink(builder.getUnknownLoc(), "test.sink");
    sink.addOperands(values);
    builder.create(sink);
  }

  mlir::ModuleOp get() { return *module; }

private:
  template <class T> const T &any(const std::vector<T> &of) {
    return of[size_t(random.below(int64_t(of.size())))];
  }
  /// A value of which the program knows the type; the machine knows the numbers of its leaves.
  Value input(Type type, llvm::ArrayRef<int64_t> numbers) {
    mlir::OperationState state(builder.getUnknownLoc(), "test.argument");
    state.addTypes(type);
    state.addAttribute("numbers", builder.getDenseI64ArrayAttr(numbers));
    return builder.create(state)->getResult(0);
  }
  Value pointer() {
    return input(PtrType::get(builder.getContext(), builder.getF32Type(), AddressSpace::Gmem, 16,
                              layout::Swizzle{0, 4, 3}),
                 ++pointers);
  }
  /// A scalar for a dynamic leaf: an argument, one that is there, or a constant.
  Value scalar(const Int &leaf, int64_t number) {
    Type type = builder.getIntegerType(leaf.width == Width::I64 ? 64 : 32);
    if (random.chance(25))
      return mlir::arith::ConstantIntOp::create(builder, builder.getUnknownLoc(), type, number);
    auto [it, isNew] = scalars.try_emplace({type.getIntOrFloatBitWidth(), number});
    if (isNew || random.chance(30))
      it->second = input(type, number);
    return it->second;
  }
  Value made(Type type, Datum datum) {
    llvm::SmallVector<int64_t> numbers;
    datum.forEachDynamicLeaf([&](Int &leaf) { numbers.push_back(given.valueOf(leaf)); });
    if (!numbers.empty() && random.chance(40))
      return input(type, numbers);
    llvm::SmallVector<Value> leaves;
    datum.forEachDynamicLeaf(
        [&](Int &leaf) { leaves.push_back(scalar(leaf, given.valueOf(leaf))); });
    if (leaves.empty())
      return StaticOp::create(builder, builder.getUnknownLoc(), type);
    return MakeTupleOp::create(builder, builder.getUnknownLoc(), type, leaves);
  }
  /// A tuple with some leaves dynamic; `_` stays.
  Value tuple(TreeKind kind, const Tree &tree) {
    Datum datum(kind, random.loosened(tree, given, random.chance(30) ? 0 : 40));
    return made(typeOf(builder.getContext(), datum), datum);
  }
  Value layoutValue() {
    Layout l = random.loosened(random.layout(), given, random.chance(30) ? 0 : 40);
    Datum whole(l);
    if (random.chance(30))
      return made(typeOf(builder.getContext(), whole), whole);
    Datum shape(TreeKind::Shape, l.shape), stride(TreeKind::Stride, l.stride);
    Value s = made(typeOf(builder.getContext(), shape), shape);
    Value d = made(typeOf(builder.getContext(), stride), stride);
    auto op = build<MakeLayoutOp>(builder, builder.getUnknownLoc(), {s, d});
    return mlir::succeeded(op) ? Value((*op).getResult()) : s;
  }
  std::vector<Value> of(llvm::function_ref<bool(Type)> wanted) {
    std::vector<Value> all;
    for (Value value : values)
      if (wanted(value.getType()))
        all.push_back(value);
    return all;
  }
  /// A recent one more often than an old one.
  Value pick(llvm::function_ref<bool(Type)> wanted) {
    std::vector<Value> all = of(wanted);
    if (all.empty())
      return {};
    size_t n = all.size();
    return random.chance(60) ? all[n - 1 - size_t(random.below(int64_t(std::min<size_t>(n, 3))))]
                             : any(all);
  }
  template <class... Ts> Value pickOf() {
    return pick([](Type type) { return llvm::isa<Ts...>(type); });
  }

  static bool isSmall(Type type) {
    int leaves = 0;
    datumOf(type).forEachLeaf([&](const auto &) { ++leaves; });
    return leaves < 40;
  }
  template <class Op>
  void add(std::initializer_list<Value> operands, mlir::NamedAttrList attrs = {}) {
    for (Value operand : operands)
      if (!operand)
        return;
    auto op =
        build<Op>(builder, builder.getUnknownLoc(), llvm::SmallVector<Value>(operands), attrs);
    if (mlir::failed(op))
      return;
    if (mlir::failed(mlir::verify(*op))) { // the types follow from operands that the op refuses
      (*op)->erase();
      return;
    }
    for (Value result : (*op)->getResults())
      if (isSmall(result.getType())) // compositions multiply modes
        values.push_back(result);
  }
  mlir::NamedAttrList modes(std::vector<int32_t> list) {
    mlir::NamedAttrList attrs;
    attrs.set("mode", builder.getDenseI32ArrayAttr(list));
    return attrs;
  }
  static size_t rankOf(Value value) {
    Datum datum = datumOf(value.getType());
    return datum.tree() ? datum.tree()->rank() : datum.anyLayout()->rank();
  }
  static Tree shapeOf(Value value) {
    Datum datum = datumOf(value.getType());
    return datum.tree() ? *datum.tree() : datum.anyLayout()->shape();
  }
  /// A coordinate of a value's shape; dynamic extents count as 5, as do those that no shape has.
  Value coordOf(Value value, int underscores) {
    Tree shape = shapeOf(value);
    shape.forEachLeaf([](layout::Leaf &leaf) {
      if (!leaf.isStatic() || leaf.any || leaf.value.value < 1 || leaf.value.value > 15)
        leaf = layout::Leaf(int64_t(leaf.any ? 1 : 5));
    });
    return tuple(TreeKind::Coord, random.coord(shape, underscores));
  }

  void grow() {
    Value shape = pickOf<ShapeType>(), layout = pickOf<LayoutType>(),
          view = pickOf<CuteMemRefType>(), ptr = pickOf<PtrType>(),
          numbers = pickOf<IntTupleType>(),
          tree = pickOf<ShapeType, CoordType, StrideType, IntTupleType>(),
          coord = pickOf<CoordType>(), shaped = pickOf<LayoutType, CuteMemRefType, ShapeType>();
    switch (random.below(36)) {
    case 0: return add<GetShapeOp>({layout});
    case 1: return add<GetStrideOp>({layout});
    case 2: return add<GetShapeOp>({view});
    case 3: return add<GetLayoutOp>({view});
    case 4: return add<GetIterOp>({view});
    case 5: return add<MakeViewOp>({ptr, layout});
    case 6:
      if (view) { // often a view's own parts
        add<GetIterOp>({view});
        add<GetLayoutOp>({view});
        add<MakeViewOp>({values[values.size() - 2], values.back()});
      }
      return;
    case 7: return add<GetLeavesOp>({tree});
    case 8: {
      mlir::NamedAttrList attrs;
      if (random.chance(50))
        attrs.set("only_dynamic", builder.getUnitAttr());
      return add<GetScalarsOp>({pickOf<ShapeType, LayoutType, IntTupleType, CuteMemRefType>()},
                               attrs);
    }
    case 9:
    case 10:
      if (Value from = pickOf<ShapeType, LayoutType, CoordType, IntTupleType>();
          from && rankOf(from) > 0)
        add<GetOp>({from}, modes({int32_t(random.below(int64_t(rankOf(from))))}));
      return;
    case 11:
    case 12:
      if (Value from = pickOf<ShapeType, LayoutType, CuteMemRefType>()) {
        std::vector<int32_t> list;
        for (size_t i = 0; i < rankOf(from); ++i)
          if (random.chance(80))
            list.push_back(random.chance(85) ? int32_t(i)
                                             : int32_t(random.below(int64_t(rankOf(from)))));
        add<SelectOp>({from}, modes(list));
      }
      return;
    case 13: return add<FlattenOp>({pickOf<ShapeType, LayoutType, IntTupleType>()});
    case 14: return add<CoalesceOp>({layout});
    case 15: return add<CompositionOp>({layout, shape});
    case 16:
      return add<CompositionOp>({pickOf<LayoutType, CuteMemRefType>(), pickOf<LayoutType>()});
    case 17: return add<SizeOp>({shaped}, modes({}));
    case 18: return add<CosizeOp>({layout}, modes({}));
    case 19:
      return shaped ? add<Crd2IdxOp>({coordOf(layout ? layout : shaped, 0), layout}) : void();
    case 20:
    case 21:
    case 22:
    case 23: return shaped ? add<SliceOp>({shaped, coordOf(shaped, 60)}) : void();
    case 24: return add<ToShapeOp>({tree});
    case 25: return add<ToCoordOp>({tree});
    case 26: return add<ToIntTupleOp>({tree});
    case 27: return add<TupleAddOp>({numbers, zeroOr(numbers)});
    case 28: return add<TupleMulOp>({numbers, zeroOr(numbers)});
    case 29: return add<AddOffsetOp>({ptr, tuple(TreeKind::IntTuple, Tree(random.below(3)))});
    case 30: return add<EqualOp>({tree, pickOf<ShapeType, IntTupleType>()});
    case 31: return add<ElemLessOp>({coord ? coord : tree, tree});
    case 32: return add<MakeLayoutLikeOp>({layout});
    case 33: // what does not commute, both ways
      if (Value like = zeroOr(numbers)) {
        size_t before = values.size();
        add<TupleSubOp>({numbers, like});
        add<TupleSubOp>({like, numbers});
        if (values.size() == before + 2)
          add<EqualOp>({values[before], values[before + 1]});
      }
      return;
    case 34: // a slice of a slice
      if (shaped) {
        size_t before = values.size();
        add<SliceOp>({shaped, coordOf(shaped, 70)});
        if (values.size() == before + 1)
          add<SliceOp>({values[before], coordOf(values[before], 50)});
      }
      return;
    default: return values.push_back(layoutValue());
    }
  }
  /// A tuple of the same profile: zeros, ones, or anything.
  Value zeroOr(Value like) {
    if (!like)
      return {};
    Tree tree = shapeOf(like);
    int64_t number = random.below(4);
    tree.forEachLeaf([&](layout::Leaf &leaf) { leaf = layout::Leaf(number); });
    return tuple(TreeKind::IntTuple, tree);
  }

  mlir::OpBuilder builder;
  Random &random;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<Value> values;
  std::map<std::pair<unsigned, int64_t>, Value> scalars;
  Interp given; // the numbers of dynamic leaves that are not SSA values yet
  int64_t pointers = 0;
};

mlir::Operation *sinkOf(mlir::ModuleOp module) { return &module.getBody()->back(); }

std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out);
  return text;
}

class Folds : public testing::Test {
protected:
  Folds() : context(mlir::MLIRContext::Threading::DISABLED) {
    context.loadDialect<CuteDialect>();
    context.allowUnregisteredDialects();
  }

  bool canonicalise(mlir::ModuleOp module) {
    mlir::RewritePatternSet patterns(&context);
    context.getLoadedDialect<CuteDialect>()->getCanonicalizationPatterns(patterns);
    return mlir::succeeded(mlir::applyPatternsGreedily(module, std::move(patterns)));
  }

  mlir::MLIRContext context;
};

TEST_F(Folds, RandomProgramsComputeTheSame) {
  Random random(7);
  int compared = 0;
  std::map<std::string, int> gone; // how many ops of a name were folded away
  // Programs leave out ops that refuse their operands.
  std::string said;
  mlir::ScopedDiagnosticHandler quiet(&context, [&](mlir::Diagnostic &diagnostic) {
    said = diagnostic.str();
    return mlir::success();
  });
  for (int i = 0; i < layout::test::cases(20) && !HasFailure(); ++i) {
    Program program(context, random);
    mlir::ModuleOp module = program.get();
    ASSERT_TRUE(mlir::succeeded(mlir::verify(module))) << said << "\n" << textOf(module);
    std::string before = textOf(module);
    Machine unfolded;
    if (!unfolded.run(module))
      continue;
    std::vector<std::vector<int64_t>> expected;
    std::vector<Type> types;
    for (Value value : sinkOf(module)->getOperands()) {
      expected.push_back(unfolded.numbers(value));
      types.push_back(value.getType());
    }
    for (mlir::Operation &op : *module.getBody())
      ++gone[op.getName().getStringRef().str()];

    ASSERT_TRUE(canonicalise(module)) << before;
    ASSERT_TRUE(mlir::succeeded(mlir::verify(module))) << said << "\n" << before << textOf(module);
    for (mlir::Operation &op : *module.getBody())
      --gone[op.getName().getStringRef().str()];
    Machine folded;
    ASSERT_TRUE(folded.run(module)) << before << textOf(module);
    for (auto [index, value] : llvm::enumerate(sinkOf(module)->getOperands())) {
      EXPECT_EQ(value.getType(), types[index]) << before << textOf(module);
      EXPECT_EQ(folded.numbers(value), expected[index]) << "value " << index << "\n"
                                                        << before << textOf(module);
    }
    ++compared;
  }
  EXPECT_GT(compared, 100);
  // What the programs are made for does fold.
  for (const char *name :
       {"cute.get_shape", "cute.get_stride", "cute.get_layout",  "cute.get_iter",
        "cute.make_view", "cute.get_leaves", "cute.get_scalars", "cute.get",
        "cute.select",    "cute.flatten",    "cute.coalesce",    "cute.composition",
        "cute.size",      "cute.slice",      "cute.to_shape",    "cute.tuple_add",
        "cute.tuple_mul", "cute.add_offset", "cute.equal",       "cute.elem_less"})
    EXPECT_GT(gone[name], 0) << name;
}

/// A leaf that an evaluation left anonymous is equal to nothing, itself included: two of them may
/// be two values, and the id is not that of the first origin of a program.
TEST(Trace, AnonymousLeavesAreEqualToNothing) {
  Trace trace;
  layout::Arith &arith = trace.arith();
  const Int x = Int::dynamic(layout::Symbolic::anonymous);
  for (const Int &result :
       {arith.sub(x, x), arith.min(x, x), arith.equal(x, x), arith.less(x, x)}) {
    EXPECT_FALSE(trace.number(result));
    EXPECT_EQ(result.id, layout::Symbolic::anonymous);
  }
  EXPECT_FALSE(trace.scalarFor(x));
}

/// All lists of `size` of these leaves.
std::vector<std::vector<layout::Leaf>> lists(size_t size, const std::vector<layout::Leaf> &of) {
  if (size == 0)
    return {{}};
  std::vector<std::vector<layout::Leaf>> all;
  for (const std::vector<layout::Leaf> &rest : lists(size - 1, of))
    for (const layout::Leaf &leaf : of) {
      all.push_back(rest);
      all.back().push_back(leaf);
    }
  return all;
}
Tree tupleOf(const std::vector<layout::Leaf> &leaves) {
  return Tree(std::vector<Tree>(leaves.begin(), leaves.end()));
}

// All pairs of coordinates of a tensor of rank 3, whose strides differ in number and not in type: a
// wrong mode has the right type.
TEST_F(Folds, SlicesOfSlicesAreOne) {
  const std::vector<layout::Leaf> leaves = {layout::Leaf::underscore(), Int(2),
                                            Int::dynamic(layout::Symbolic::anonymous)};
  int merged = 0, number = 0;
  for (const auto &outer : lists(3, leaves)) {
    size_t kept = size_t(llvm::count_if(outer, [](const layout::Leaf &leaf) { return leaf.any; }));
    for (const auto &inner : lists(kept, leaves)) {
      mlir::OpBuilder b(&context);
      mlir::Location loc = b.getUnknownLoc();
      mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(loc);
      b.setInsertionPointToEnd(module->getBody());
      auto argument = [&](Datum datum, llvm::ArrayRef<int64_t> numbers) {
        mlir::OperationState state(loc, "test.argument");
        state.addTypes(typeOf(&context, datum));
        state.addAttribute("numbers", b.getDenseI64ArrayAttr(numbers));
        return b.create(state)->getResult(0);
      };
      auto coord = [&](const std::vector<layout::Leaf> &of) {
        std::vector<int64_t> numbers;
        for (const layout::Leaf &leaf : of)
          if (!leaf.isStatic())
            numbers.push_back(++number % 5);
        return argument(Datum(TreeKind::Coord, tupleOf(of)), numbers);
      };
      const Int open = Int::dynamic(layout::Symbolic::anonymous);
      Value l = argument(Datum(Layout{Tree::of({5, 5, 5}), Tree::of({open, open, open})}),
                         {100, 7, 1000});
      auto pointer =
          PtrType::get(&context, b.getF32Type(), AddressSpace::Gmem, 4, layout::Swizzle{0, 4, 3});
      Value view = *build<MakeViewOp>(b, loc, {argument(Datum(Iterator{pointer, 0, {}}), {1}), l});
      Value first = coord(outer), second = coord(inner);
      llvm::SmallVector<Value> ends;
      for (Value from : {l, view})
        ends.push_back(
            *build<SliceOp>(b, loc, {Value(*build<SliceOp>(b, loc, {from, first})), second}));
      mlir::OperationState sink(loc, "test.sink");
      sink.addOperands(ends);
      b.create(sink);

      std::string before = textOf(*module);
      Machine unfolded, folded;
      ASSERT_TRUE(unfolded.run(*module)) << before;
      std::vector<std::pair<Type, std::vector<int64_t>>> expected;
      for (Value value : ends)
        expected.push_back({value.getType(), unfolded.numbers(value)});
      ASSERT_TRUE(canonicalise(*module)) << before;
      ASSERT_TRUE(folded.run(*module)) << before << textOf(*module);
      for (auto [index, value] : llvm::enumerate(sinkOf(*module)->getOperands())) {
        EXPECT_EQ(value.getType(), expected[index].first) << before << textOf(*module);
        EXPECT_EQ(folded.numbers(value), expected[index].second) << before << textOf(*module);
      }
      auto slices = module->getBody()->getOps<SliceOp>();
      merged += std::distance(slices.begin(), slices.end()) <= 2;
    }
  }
  // A mode is fixed by the one (2 ways) or the other coordinate (2 ways), or kept by both.
  EXPECT_EQ(merged, 5 * 5 * 5);
}

} // namespace
