// Regions of a trace: loops, branches and combiners, and the tokens that they carry.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_dsl/Trace.h"

namespace tessera::tile::detail {

using tile_bytecode::Attribute;

namespace {

bool allUsable(Trace &trace, std::span<const Id> ids, const Where &where, std::string_view op) {
  bool ok = true;
  for (Id id : ids)
    ok = trace.usable(id, where, op) && ok;
  return ok;
}
std::vector<TypeIndex> typesOf(Trace &trace, std::span<const Id> ids) {
  std::vector<TypeIndex> out;
  for (Id id : ids)
    out.push_back(trace.typeOf(id));
  return out;
}

/// Opens the body, with an argument for each carried value, and a placeholder for each set.
std::vector<Id> openLoop(Trace &trace, std::string_view name, std::span<const Id> carried,
                         const Where &where) {
  OpenLoop loop;
  loop.outside = trace.orders();
  loop.body = trace.open(name, where);
  std::vector<Id> inside;
  for (Id id : carried)
    inside.push_back(trace.argument(*loop.body, trace.typeOf(id), where));
  for (Order &order : trace.orders()) {
    loop.placeholders.push_back(trace.value(tokenType(), where));
    order = {loop.placeholders.back(), {}, order.isReadOnly};
  }
  trace.openLoops.push_back(std::move(loop));
  return inside;
}

/// A token that a loop carries: of a set it has written, or only read.
struct CarriedToken {
  size_t set;
  bool isWritten;
  Id argument, next;
};
/// The tokens to carry, at the end of the body, which is open.
std::vector<CarriedToken> carriedTokens(Trace &trace, OpenLoop &loop, const Where &where) {
  std::vector<CarriedToken> out;
  for (size_t s = 0; s < trace.orders().size(); ++s) {
    Order order = trace.orders()[s];
    Id placeholder = loop.placeholders[s];
    bool isWritten = order.write != placeholder;
    if (!isWritten)
      trace.replace(placeholder, loop.outside[s].write);
    if (isWritten) {
      loop.body->arguments.push_back(placeholder);
      trace[placeholder].block = loop.body.get();
      out.push_back({s, true, placeholder, trace.afterAll(order, where)});
    } else if (!order.reads.empty()) {
      Id argument = trace.argument(*loop.body, tokenType(), where);
      std::vector<Id> tokens = order.reads;
      tokens.push_back(argument);
      out.push_back({s, false, argument, trace.join(tokens, where)});
    }
  }
  return out;
}
/// Computes the tokens before the first iteration; the block outside is open.
std::vector<Id> initialTokens(Trace &trace, const OpenLoop &loop,
                              const std::vector<CarriedToken> &tokens, const Where &where) {
  std::vector<Id> out;
  for (const CarriedToken &token : tokens) {
    // For a set that is only read it is the write before the loop, which may have no iterations.
    const Order &outside = loop.outside[token.set];
    Id before = token.isWritten ? trace.afterAll(outside, where) : outside.write;
    out.push_back(before ? before : trace.entryToken(where));
  }
  return out;
}
/// The order outside after the loop.
void leaveLoop(Trace &trace, const OpenLoop &loop, const std::vector<CarriedToken> &tokens,
               std::span<const Id> results) {
  trace.orders() = loop.outside;
  for (size_t i = 0; i < tokens.size(); ++i) {
    Order &order = trace.orders()[tokens[i].set];
    if (tokens[i].isWritten)
      order = {results[i], {}, order.isReadOnly};
    else
      order.reads.push_back(results[i]);
  }
}
OpenLoop takeLoop(Trace &trace) {
  OpenLoop loop = std::move(trace.openLoops.back());
  trace.openLoops.pop_back();
  return loop;
}

std::vector<Id> with(std::span<const Id> ids, const std::vector<Id> &more) {
  std::vector<Id> out(ids.begin(), ids.end());
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

} // namespace

//===--- For

ForFrame::ForFrame(Id lower, Id upper, Id step, bool isUnsigned, std::span<const Id> carried,
                   const Where &where)
    : where(where), lower(lower), upper(upper), step(step), isUnsigned(isUnsigned),
      initial(carried.begin(), carried.end()) {
  Trace *trace = Trace::current();
  inside.resize(carried.size());
  if (!trace)
    return;
  const Id bounds[] = {lower, upper, step};
  allUsable(*trace, bounds, where, "For");
  allUsable(*trace, carried, where, "For");
  inside = openLoop(*trace, "For", carried, where);
  Block &body = *trace->openLoops.back().body;
  index = trace->value(trace->typeOf(lower), where);
  (*trace)[index].block = &body;
  body.arguments.insert(body.arguments.begin(), index);
  // The largest index is known where the upper bound is, if it counts up from a number or a
  // coordinate of the block, which are not negative.
  Known first = (*trace)[lower].known, last = (*trace)[upper].known;
  bool isFromZero =
      (first.kind == Known::Number && first.number >= 0) || first.kind == Known::Block;
  if (isFromZero && (last.kind == Known::Number || last.kind == Known::CeilDiv)) {
    last.kind = last.kind == Known::Number ? Known::BelowNumber : Known::BelowCeilDiv;
    (*trace)[index].known = last;
  }
}

std::vector<Id> ForFrame::finish(std::span<const Id> next) {
  Trace *trace = Trace::current();
  if (!trace)
    return {};
  bool isUsable = allUsable(*trace, next, where, "the end of For");
  std::vector<CarriedToken> tokens = carriedTokens(*trace, trace->openLoops.back(), where);
  std::vector<Id> goesOn(next.begin(), next.end());
  for (const CarriedToken &token : tokens)
    goesOn.push_back(token.next);
  trace->add(Op::Continue, where, {}, {}, {goesOn});
  OpenLoop loop = takeLoop(*trace);
  trace->close(*loop.body);
  const Id bounds[] = {lower, upper, step};
  for (Id id : bounds)
    isUsable = isUsable && bool(id);
  for (Id id : initial)
    isUsable = isUsable && bool(id);
  std::vector<Id> before = with(initial, initialTokens(*trace, loop, tokens, where));
  std::vector<std::unique_ptr<Block>> regions;
  std::vector<TypeIndex> types = typesOf(*trace, before);
  regions.push_back(std::move(loop.body));
  Node &node =
      trace->add(Op::For, where, types, {isUnsigned ? std::optional<uint64_t>(1) : std::nullopt},
                 {{lower}, {upper}, {step}, before}, std::move(regions));
  std::vector<Id> results = node.results;
  leaveLoop(*trace, loop, tokens, std::span(results).subspan(initial.size()));
  if (!isUsable)
    return {};
  results.resize(initial.size());
  return results;
}

//===--- While

/// The branch that leaves the loop, and the order of memory there.
struct WhileFrame::Saved {
  Block *leaves;
  std::vector<Order> orders;
};

WhileFrame::WhileFrame(std::span<const Id> carried, const Where &where)
    : where(where), initial(carried.begin(), carried.end()) {
  Trace *trace = Trace::current();
  inside.resize(carried.size());
  if (!trace)
    return;
  allUsable(*trace, carried, where, "While");
  inside = openLoop(*trace, "While", carried, where);
}
void WhileFrame::condition(Id goesOn) {
  Trace *trace = Trace::current();
  if (!trace)
    return;
  trace->usable(goesOn, where, "the condition of While");
  std::vector<std::unique_ptr<Block>> regions;
  for (bool leaves : {false, true}) {
    regions.push_back(trace->open("While", where));
    if (!leaves)
      trace->add(Op::Yield, where, {}, {}, {{}});
    trace->close(*regions.back());
  }
  saved = std::make_shared<Saved>(Saved{regions.back().get(), trace->orders()});
  trace->add(Op::If, where, {}, {}, {{goesOn}}, std::move(regions));
}
std::vector<Id> WhileFrame::finish(std::span<const Id> next) {
  Trace *trace = Trace::current();
  if (!trace)
    return {};
  bool isUsable = allUsable(*trace, next, where, "the end of While");
  std::vector<CarriedToken> tokens = carriedTokens(*trace, trace->openLoops.back(), where);
  std::vector<Id> goesOn(next.begin(), next.end());
  for (const CarriedToken &token : tokens)
    goesOn.push_back(token.next);
  trace->add(Op::Continue, where, {}, {}, {goesOn});
  // The tokens of the last iteration, whose condition did not hold.
  Block &body = trace->block();
  trace->enter(*saved->leaves);
  std::vector<Id> last = inside;
  for (const CarriedToken &token : tokens) {
    const Order &order = saved->orders[token.set];
    std::vector<Id> reads = order.reads;
    if (!token.isWritten)
      reads.push_back(token.argument);
    last.push_back(token.isWritten ? trace->afterAll(order, where) : trace->join(reads, where));
  }
  trace->add(Op::Break, where, {}, {}, {last});
  trace->enter(body);
  saved.reset();
  OpenLoop loop = takeLoop(*trace);
  trace->close(*loop.body);
  for (Id id : initial)
    isUsable = isUsable && bool(id);
  std::vector<Id> before = with(initial, initialTokens(*trace, loop, tokens, where));
  std::vector<TypeIndex> types = typesOf(*trace, before);
  std::vector<std::unique_ptr<Block>> regions;
  regions.push_back(std::move(loop.body));
  std::vector<Id> results =
      trace->add(Op::Loop, where, types, {}, {before}, std::move(regions)).results;
  leaveLoop(*trace, loop, tokens, std::span(results).subspan(initial.size()));
  if (!isUsable)
    return {};
  results.resize(initial.size());
  return results;
}

//===--- If

struct IfFrame::Saved {
  std::unique_ptr<Block> then, otherwise;
  std::vector<Order> outside, afterThen;
};

IfFrame::IfFrame(Id condition, const Where &where) : where(where), condition(condition) {
  Trace *trace = Trace::current();
  if (!trace)
    return;
  trace->usable(condition, where, "If");
  saved = std::make_shared<Saved>();
  saved->outside = trace->orders();
  saved->then = trace->open("If", where);
}
void IfFrame::otherwise(std::span<const Id> yielded) {
  Trace *trace = Trace::current();
  if (!trace)
    return;
  allUsable(*trace, yielded, where, "the first branch of If");
  first.assign(yielded.begin(), yielded.end());
  saved->afterThen = trace->orders();
  trace->close(*saved->then);
  trace->orders() = saved->outside;
  saved->otherwise = trace->open("If", where);
}
std::vector<Id> IfFrame::finish(std::span<const Id> yielded) {
  Trace *trace = Trace::current();
  if (!trace)
    return {};
  bool isUsable = allUsable(*trace, yielded, where, "the second branch of If");
  for (Id id : first)
    isUsable = isUsable && bool(id);
  std::vector<Order> afterOther = trace->orders();
  struct Branch {
    Block &block;
    std::vector<Order> &after;
    std::vector<Id> yields;
    bool returned;
  };
  Branch branches[] = {{*saved->then, saved->afterThen, first, trace->returned(*saved->then)},
                       {*saved->otherwise,
                        afterOther,
                        {yielded.begin(), yielded.end()},
                        trace->returned(*saved->otherwise)}};
  struct Token {
    size_t set;
    bool isWritten;
  };
  std::vector<Token> tokens;
  for (size_t s = 0; s < saved->outside.size(); ++s) {
    const Order &before = saved->outside[s];
    bool isWritten = false, isRead = false;
    for (const Branch &branch : branches)
      if (!branch.returned) {
        isWritten = isWritten || branch.after[s].write != before.write;
        isRead = isRead || branch.after[s].reads.size() != before.reads.size();
      }
    if (isWritten || isRead)
      tokens.push_back({s, isWritten});
  }
  for (Branch &branch : branches) {
    trace->enter(branch.block);
    if (branch.returned)
      continue;
    for (const Token &token : tokens) {
      Id after = trace->afterAll(branch.after[token.set], where);
      branch.yields.push_back(after ? after : trace->entryToken(where));
    }
    trace->add(Op::Yield, where, {}, {}, {branch.yields});
  }
  trace->close(*saved->otherwise);
  const std::vector<Id> &all = branches[branches[0].returned].yields;
  std::vector<TypeIndex> types = branches[0].returned && branches[1].returned
                                     ? std::vector<TypeIndex>()
                                     : typesOf(*trace, all);
  std::vector<std::unique_ptr<Block>> regions;
  regions.push_back(std::move(saved->then));
  regions.push_back(std::move(saved->otherwise));
  std::vector<Id> results =
      trace->add(Op::If, where, types, {}, {{condition}}, std::move(regions)).results;
  trace->orders() = saved->outside;
  for (size_t i = 0; i < tokens.size() && yielded.size() + i < results.size(); ++i) {
    Order &order = trace->orders()[tokens[i].set];
    Id result = results[yielded.size() + i];
    if (tokens[i].isWritten)
      order = {result, {}, order.isReadOnly};
    else
      order.reads.push_back(result);
  }
  saved.reset();
  if (!isUsable)
    return {};
  results.resize(std::min(results.size(), yielded.size()));
  return results;
}

//===--- Combiners

CombineFrame::CombineFrame(std::span<const Id> operands, const Where &where)
    : where(where), operands(operands.begin(), operands.end()) {
  current.resize(operands.size());
  accumulated.resize(operands.size());
  Trace *trace = Trace::current();
  if (!trace)
    return;
  allUsable(*trace, operands, where, "reduce");
  OpenLoop opened;
  opened.body = trace->open("reduce", where);
  for (size_t i = 0; i < operands.size(); ++i) {
    tile_bytecode::Type scalar = trace->program.type(trace->typeOf(operands[i]));
    scalar.shape.clear();
    TypeIndex type = trace->type(scalar);
    current[i] = trace->argument(*opened.body, type, where);
    accumulated[i] = trace->argument(*opened.body, type, where);
  }
  trace->openLoops.push_back(std::move(opened));
}
Id CombineFrame::finish(std::span<const Id> yielded, Op op, uint32_t dim, bool isReverse,
                        std::span<const uint64_t> identities, std::span<const TypeIndex> results) {
  Trace *trace = Trace::current();
  if (!trace)
    return {};
  bool isUsable = allUsable(*trace, yielded, where, "reduce");
  trace->add(Op::Yield, where, {}, {}, {{yielded.begin(), yielded.end()}});
  OpenLoop opened = takeLoop(*trace);
  trace->close(*opened.body);
  Attribute list{.kind = Attribute::Array};
  for (size_t i = 0; i < operands.size(); ++i) {
    isUsable = isUsable && bool(operands[i]);
    TypeIndex element = trace->program.type(trace->typeOf(operands[i])).element;
    bool isReal = isFloat(trace->program.type(element).kind);
    list.items.push_back({.kind = isReal ? Attribute::Float : Attribute::Integer,
                          .type = element,
                          .value = identities[i]});
  }
  if (!isUsable)
    return {};
  Attributes attributes{dim};
  if (op == Op::Scan)
    attributes.push_back(isReverse);
  attributes.push_back(trace->attribute(std::move(list)));
  std::vector<std::unique_ptr<Block>> regions;
  regions.push_back(std::move(opened.body));
  return trace
      ->add(op, where, {results.begin(), results.end()}, std::move(attributes), {operands},
            std::move(regions))
      .results[0];
}

} // namespace tessera::tile::detail
