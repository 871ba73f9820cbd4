// Core: the functions that templates call to trace a kernel: instructions, constants, tensors, the
// grid.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_dsl/Trace.h"

#include "tessera/tile_bytecode/Constants.h"

#include <algorithm>

namespace tessera::tile::detail {

using tile_bytecode::Attribute;
using tile_bytecode::Signedness;

TypeIndex typeOf(const TileType &type) {
  Trace *trace = Trace::current();
  return trace ? trace->tile(type) : 0;
}
TypeIndex typeOf(Id id) {
  Trace *trace = Trace::current();
  return trace ? trace->typeOf(id) : 0;
}
TypeIndex tokenType() {
  Trace *trace = Trace::current();
  return trace ? trace->type(tile_bytecode::Type{.kind = TypeKind::Token}) : 0;
}
std::string typeText(Id id) {
  Trace *trace = Trace::current();
  return trace && trace->has(id) ? tile_bytecode::typeText(trace->program, (*trace)[id].type) : "";
}
AliasSet setOf(Id id) {
  Trace *trace = Trace::current();
  return trace ? (*trace)[id].set : everySet;
}
Where lineOf(Id id) {
  Trace *trace = Trace::current();
  return trace ? (*trace)[id].where : Where();
}
void mistake(const Where &where, const std::string &sentence) {
  if (Trace *trace = Trace::current())
    trace->mistake(where, {"BadOp", sentence});
}

//===--- Emit

struct Emit::State {
  Trace &trace;
  Op op;
  Where where;
  std::vector<TypeIndex> types = {};
  Attributes attributes = {};
  std::vector<std::vector<Id>> operands = {};
  bool isWrong = false;
  // What the result token becomes.
  bool reads = false, writes = false;
  AliasSet set = everySet;

  void column(std::span<const Id> ids) {
    for (Id id : ids)
      isWrong = !trace.usable(id, where, rowOf(op).name) || isWrong;
    operands.emplace_back(ids.begin(), ids.end());
  }
  void attribute(Attribute attribute) {
    attributes.push_back(trace.attribute(std::move(attribute)));
  }
  /// Calls f for each of the sets that the access may touch; what is printed has its own.
  template <class F> void forEachOrder(F f) {
    auto &orders = trace.orders();
    if (set != everySet)
      f(orders[size_t(set)]);
    else
      for (size_t i = 0; i + 1 < orders.size(); ++i)
        f(orders[i]);
  }
};

Emit::Emit(Op op, const Where &where) {
  if (Trace *trace = Trace::current())
    state = new State{*trace, op, where};
}
Emit::~Emit() { delete state; }

Emit &Emit::out(TypeIndex type) {
  if (state)
    state->types.push_back(type);
  return *this;
}
Emit &Emit::outLike(Id value) { return out(detail::typeOf(value)); }
Emit &Emit::in(Id value) { return in(std::span(&value, 1)); }
Emit &Emit::in(std::span<const Id> values) {
  if (state)
    state->column(values);
  return *this;
}
Emit &Emit::inOptional(Id value) {
  return in(value ? std::span<const Id>(&value, 1) : std::span<const Id>());
}
Emit &Emit::with(uint64_t number) {
  if (state)
    state->attributes.push_back(number);
  return *this;
}
Emit &Emit::unit(bool isThere) { return isThere ? with(uint64_t(1)) : without(); }
Emit &Emit::without() {
  if (state)
    state->attributes.push_back(std::nullopt);
  return *this;
}
Emit &Emit::text(std::string_view text) {
  return state ? with(uint64_t(state->trace.string(text))) : *this;
}
Emit &Emit::numbers(std::span<const int64_t> numbers) {
  if (state)
    state->attribute({.kind = Attribute::I32s, .numbers = {numbers.begin(), numbers.end()}});
  return *this;
}
Emit &Emit::flags(std::span<const int64_t> flags) {
  if (state)
    state->attribute({.kind = Attribute::Bools, .numbers = {flags.begin(), flags.end()}});
  return *this;
}
Emit &Emit::hints(const hint &hints) {
  if (!state)
    return *this;
  Trace &trace = state->trace;
  Attribute inner{.kind = Attribute::Dictionary};
  if (hints.allow_tma) {
    inner.keys.push_back(trace.string("allow_tma"));
    inner.items.push_back({.kind = Attribute::Bool, .value = *hints.allow_tma});
  }
  if (hints.latency) {
    if (*hints.latency < 1 || *hints.latency > 10)
      trace.mistake(state->where, fail(Error::HintRange, "latency", "1 to 10", *hints.latency));
    inner.keys.push_back(trace.string("latency"));
    inner.items.push_back({.kind = Attribute::Integer,
                           .type = trace.type(tile_bytecode::Type{.kind = TypeKind::I64}),
                           .value = uint64_t(*hints.latency)});
  }
  if (inner.keys.empty())
    return without();
  state->attribute(
      {.kind = Attribute::OptimizationHints, .keys = {trace.string("default")}, .items = {inner}});
  return *this;
}
Emit &Emit::divisible(uint64_t by, std::optional<int64_t> every, std::optional<int64_t> along) {
  if (state)
    state->attribute({.kind = Attribute::DivBy, .value = by, .first = every, .second = along});
  return *this;
}
Emit &Emit::sameElements(std::span<const int64_t> counts) {
  if (state)
    state->attribute({.kind = Attribute::SameElements, .numbers = {counts.begin(), counts.end()}});
  return *this;
}
Emit &Emit::bounded(std::optional<int64_t> lower, std::optional<int64_t> upper) {
  if (state)
    state->attribute({.kind = Attribute::Bounded, .first = lower, .second = upper});
  return *this;
}
Emit &Emit::reads(AliasSet set) {
  if (!state)
    return *this;
  state->reads = true;
  state->set = set;
  std::vector<Id> tokens;
  state->forEachOrder([&](Order &order) { tokens.push_back(order.write); });
  return inOptional(state->trace.join(std::move(tokens), state->where));
}
Emit &Emit::writes(AliasSet set) {
  if (!state)
    return *this;
  state->writes = true;
  state->set = set;
  std::vector<Id> tokens;
  state->forEachOrder(
      [&](Order &order) { tokens.push_back(state->trace.afterAll(order, state->where)); });
  return inOptional(state->trace.join(std::move(tokens), state->where));
}

Id Emit::done() {
  if (!state || state->isWrong)
    return {};
  Trace &trace = state->trace;
  Node &node = trace.add(state->op, state->where, std::move(state->types),
                         std::move(state->attributes), std::move(state->operands));
  if (state->reads || state->writes) {
    Id token = node.results.back();
    state->forEachOrder([&](Order &order) {
      if (state->writes)
        order = {token, {}, order.isReadOnly};
      else if (!order.isReadOnly)
        order.reads.push_back(token);
    });
  }
  // A pointer made of pointers points into the arrays of the first one.
  if (!node.results.empty() && !node.operands.empty() && !node.operands[0].empty() &&
      node.op != Op::IntToPtr && node.op != Op::Select)
    for (Id id : node.results)
      trace[id].set = trace[node.operands[0][0]].set;
  return node.results.empty() ? Id() : node.results[0];
}

//===--- Constants

namespace {
Id constantOfBytes(Trace &trace, TypeIndex type, const std::string &bytes, const Where &where) {
  for (Block *at = &trace.block(); at; at = at->parent)
    if (auto found = at->constants.find({type, bytes}); found != at->constants.end())
      return found->second;
  Id id = trace.add(Op::Constant, where, {type}, {trace.constantBytes(bytes)}, {}).results[0];
  trace.block().constants.emplace(std::pair(type, bytes), id);
  return id;
}
} // namespace

Id constant(const TileType &type, uint64_t code, const Where &where) {
  Trace *trace = Trace::current();
  if (!trace)
    return {};
  TypeIndex index = trace->tile(type);
  size_t count = size_t(tile_bytecode::elementsOf(trace->program.type(index)));
  std::string bytes = tile_bytecode::constantBytes(
      trace->program, std::vector<uint64_t>(std::min<size_t>(count, 2), code),
      trace->program.type(index));
  Id id = constantOfBytes(*trace, index, bytes, where);
  if (type.shape.empty() && isInteger(type.element))
    (*trace)[id].known = {.kind = Known::Number,
                          .number = type.element == TypeKind::I32 ? int64_t(int32_t(code))
                                                                  : int64_t(code)};
  return id;
}
Id constants(const TileType &type, std::span<const uint64_t> codes, const Where &where) {
  Trace *trace = Trace::current();
  if (!trace)
    return {};
  TypeIndex index = trace->tile(type);
  std::string bytes = tile_bytecode::constantBytes(trace->program, {codes.begin(), codes.end()},
                                                   trace->program.type(index));
  return constantOfBytes(*trace, index, bytes, where);
}
Id globalArray(TypeKind element, std::span<const uint64_t> codes, bool isConstant,
               const Where &where) {
  Trace *trace = Trace::current();
  if (!trace)
    return {};
  const int64_t extents[] = {int64_t(codes.size())};
  TypeIndex type = trace->tile({element, false, extents});
  auto name = trace->string(cat("global", trace->program.globals.size()));
  trace->program.globals.push_back(
      {.name = name,
       .type = type,
       .constant = trace->constantBytes(tile_bytecode::constantBytes(
           trace->program, {codes.begin(), codes.end()}, trace->program.type(type))),
       .isConstant = isConstant});
  return trace->add(Op::GetGlobal, where, {trace->tile({element, true, {}})}, {name}, {})
      .results[0];
}

//===--- The grid

namespace {
Id ofGrid(Op op, std::array<Id, 3> &ids, size_t dim, Known::Kind kind) {
  Trace *trace = Trace::current();
  if (!trace)
    return {};
  if (!ids[0]) {
    TypeIndex i32 = trace->tile({TypeKind::I32});
    Node &node = trace->addFirst(op, Where(), {i32, i32, i32});
    for (size_t d = 0; d < 3; ++d) {
      ids[d] = node.results[d];
      (*trace)[ids[d]].known = {.kind = kind, .dim = int(d)};
    }
  }
  return ids[dim];
}
} // namespace

Id blockId(int dim) {
  Trace *trace = Trace::current();
  return trace ? ofGrid(Op::GetTileBlockId, trace->ids, size_t(dim), Known::Block) : Id();
}
Id blockCount(int dim) {
  Trace *trace = Trace::current();
  return trace ? ofGrid(Op::GetNumTileBlocks, trace->counts, size_t(dim), Known::Nothing) : Id();
}

//===--- Tokens and text

Id newToken(const Where &where) {
  Trace *trace = Trace::current();
  return trace ? trace->add(Op::MakeToken, where, {tokenType()}, {}, {}).results[0] : Id();
}
/// Whether an order is that of a set, or one of all.
static bool isOf(AliasSet set, size_t order) { return set == everySet || size_t(set) == order; }
std::vector<Id> tokensOf(AliasSet set) {
  Trace *trace = Trace::current();
  std::vector<Id> tokens;
  for (size_t i = 0; trace && i + 1 < trace->orders().size(); ++i)
    if (isOf(set, i))
      for (Id token : trace->orders()[i].last())
        tokens.push_back(token);
  return tokens;
}
Id joinedToken(std::span<const Id> tokens, const Where &where) {
  Trace *trace = Trace::current();
  if (!trace)
    return {};
  Id token = trace->join({tokens.begin(), tokens.end()}, where);
  return token ? token : trace->entryToken(where);
}
void orderAfter(AliasSet set, std::span<const Id> tokens) {
  Trace *trace = Trace::current();
  for (size_t i = 0; trace && i + 1 < trace->orders().size(); ++i) {
    Order &order = trace->orders()[i];
    std::vector<Id> last = order.last(), all = last;
    for (Id token : tokens)
      if (trace->has(token) && std::find(all.begin(), all.end(), token) == all.end())
        all.push_back(token);
    if (isOf(set, i) && all.size() > last.size()) {
      const Where &where = (*trace)[all.back()].where;
      order = {trace->join(std::move(all), where), {}, order.isReadOnly};
    }
  }
}
void print(const char *format, std::span<const Id> values, const Where &where) {
  Trace *trace = Trace::current();
  if (!trace)
    return;
  Emit emit(Op::PrintTko, where);
  AliasSet set = AliasSet(trace->orders().size() - 1);
  emit.out(tokenType()).text(format).in(values).writes(set).done();
}
void emitReturn(const Where &where) {
  Trace *trace = Trace::current();
  if (!trace)
    return;
  for (const Block *at = &trace->block(); at; at = at->parent)
    if (at->name == "For" || at->name == "While") {
      trace->mistake(where, fail(Error::ReturnInLoop, at->name));
      return;
    }
  trace->add(Op::Return, where, {}, {}, {{}});
}

//===--- Tensors

const TensorInfo *noTensor() {
  static const TensorInfo none;
  return &none;
}

const TensorInfo *makeTensor(TypeKind element, Id base, std::span<const Id> shape,
                             std::span<const int64_t> extents, std::span<const Id> strides,
                             std::span<const int64_t> staticStrides, const Where &where) {
  Trace *trace = Trace::current();
  if (!trace)
    return noTensor();
  TensorInfo &tensor = trace->tensors.emplace_back();
  tensor.base = base;
  tensor.shape.assign(shape.begin(), shape.end());
  tensor.extents.assign(extents.begin(), extents.end());
  tensor.set = setOf(base);
  tile_bytecode::Type type{.kind = TypeKind::TensorView,
                           .element = trace->type(tile_bytecode::Type{.kind = element})};
  std::vector<Id> extentIds, strideIds;
  for (size_t d = 0; d < shape.size(); ++d) {
    type.shape.push_back(extents[d] < 0 ? tile_bytecode::dynamic : extents[d]);
    if (extents[d] < 0)
      extentIds.push_back(shape[d]);
    bool isStatic = d < staticStrides.size() && staticStrides[d] > 0;
    type.strides.push_back(isStatic ? staticStrides[d] : tile_bytecode::dynamic);
    if (!isStatic)
      strideIds.push_back(d < strides.size() ? strides[d] : Id());
    tensor.strides.push_back(d < strides.size()
                                 ? strides[d]
                                 : constant({TypeKind::I32}, uint64_t(staticStrides[d]), where));
  }
  tensor.view = Emit(Op::MakeTensorView, where)
                    .out(trace->type(type))
                    .in(base)
                    .in(extentIds)
                    .in(strideIds)
                    .done();
  return &tensor;
}

Id numberOf(const TensorInfo *tensor, bool isStride, int dim, const Where &where) {
  const std::vector<Id> &ids = isStride ? tensor->strides : tensor->shape;
  if (dim >= 0 && size_t(dim) < ids.size())
    return ids[size_t(dim)];
  if (Trace *trace = Trace::current(); trace && tensor != noTensor())
    trace->mistake(where, fail(Error::NoSuchDimension, isStride ? "stride" : "shape",
                               tensor->extents.size(), dim));
  return {};
}
Id makeView(const TensorInfo *tensor, const ViewForm &form, const Where &where) {
  Trace *trace = Trace::current();
  if (!trace || !tensor->view)
    return {};
  tile_bytecode::Type type{.kind = form.kind,
                           .element = trace->typeOf(tensor->view),
                           .shape = {form.tile.begin(), form.tile.end()},
                           .strides = {form.strides.begin(), form.strides.end()},
                           .padding = form.padding,
                           .sparseDim = form.sparseDim};
  if (form.kind != TypeKind::GatherScatterView)
    for (size_t d = 0; d < form.tile.size(); ++d)
      type.dims.push_back(form.dims.empty() ? int32_t(d) : form.dims[d]);
  Op op = form.kind == TypeKind::PartitionView ? Op::MakePartitionView
          : form.kind == TypeKind::StridedView ? Op::MakeStridedView
                                               : Op::MakeGatherScatterView;
  return Emit(op, where).out(trace->type(type)).in(tensor->view).done();
}

void noteCeilDiv(Id quotient, Id number, int64_t divisor) {
  Trace *trace = Trace::current();
  if (!trace || !trace->has(quotient) || divisor <= 0)
    return;
  Known of = (*trace)[number].known;
  if (of.kind == Known::Extent)
    (*trace)[quotient].known = {
        .kind = Known::CeilDiv, .parameter = of.parameter, .dim = of.dim, .number = divisor};
}

void checkAccess(const TensorInfo *tensor, Id view, std::span<const Id> indices,
                 const Where &where) {
  Trace *trace = Trace::current();
  if (!trace || !view)
    return;
  // A copy: what is emitted below may move the table.
  tile_bytecode::Type type = trace->program.type(trace->typeOf(view));
  std::vector<size_t> unknown;
  for (size_t d = 0; d < indices.size(); ++d) {
    if (!indices[d])
      return;
    Known known = (*trace)[indices[d]].known;
    LaunchCheck check{.file = where.file_name(),
                      .line = unsigned(where.line()),
                      .column = unsigned(where.column()),
                      .parameter = tensor->parameter,
                      .dim = type.dims.empty() ? int(d) : type.dims[d],
                      .step = type.kind == TypeKind::StridedView ? type.strides[d] : type.shape[d],
                      .fromParameter = known.parameter,
                      .fromDim = known.dim};
    if (known.kind == Known::Number || known.kind == Known::BelowNumber)
      check.number = known.number - (known.kind == Known::BelowNumber);
    else if (known.kind == Known::Block)
      check.source = LaunchCheck::Block;
    else if (known.kind == Known::BelowCeilDiv) {
      check.source = LaunchCheck::CeilDiv;
      check.number = known.number;
    }
    if (tensor->parameter < 0 || known.kind == Known::Nothing || known.kind == Known::Extent ||
        known.kind == Known::CeilDiv)
      unknown.push_back(d);
    else
      trace->launchChecks.push_back(std::move(check));
  }
  if (unknown.empty() || trace->checks == Checks::Launch)
    return;
  if (trace->checks == Checks::Forbidden) {
    trace->mistake(where, fail(Error::CheckForbidden, unknown[0]));
    return;
  }
  TypeIndex number = trace->tile({TypeKind::I32}), truth = trace->tile({TypeKind::I1});
  Emit counts(Op::GetIndexSpaceShape, where);
  for (size_t d = 0; d < indices.size(); ++d)
    counts.out(number);
  Id first = counts.in(view).done();
  for (size_t d : unknown) {
    // Unsigned, so that a negative index is too large.
    Id fits = Emit(Op::CmpI, where)
                  .out(truth)
                  .with(tile_bytecode::ComparisonPredicate::LessThan)
                  .with(Signedness::Unsigned)
                  .in(indices[d])
                  .in(first.next(d))
                  .done();
    Emit(Op::Assert, where)
        .text(cat("tile index ", d, " is below the number of tiles"))
        .in(fits)
        .done();
  }
}

} // namespace tessera::tile::detail
