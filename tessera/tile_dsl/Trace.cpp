// Tracing: values, blocks, the order of memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_dsl/Trace.h"

#include <algorithm>
#include <atomic>

namespace tessera::tile::detail {

namespace {
thread_local Trace *currentTrace = nullptr;
std::atomic<uint32_t> traces = 0;
} // namespace

Trace::Trace(std::string name, Checks checks, AliasSet sets, const Where &where)
    : ordinal(++traces), checks(checks), interner(program), name(std::move(name)),
      orders_(size_t(sets) + 1), outer(currentTrace) {
  entry.name = "kernel";
  entry.where = where;
  currentTrace = this;
}
Trace::~Trace() { currentTrace = outer; }
Trace *Trace::current() { return currentTrace; }

TypeIndex Trace::tile(const TileType &tile) {
  TypeIndex element = interner.type({.kind = tile.element});
  if (tile.isPointer)
    element = interner.type({.kind = TypeKind::Pointer, .element = element});
  return interner.type({.kind = TypeKind::Tile,
                        .element = element,
                        .shape = {tile.shape.begin(), tile.shape.end()}});
}

Id Trace::value(TypeIndex type, const Where &where) {
  values.push_back({.type = type, .block = block_, .where = where});
  return Id(values.size() - 1, ordinal);
}
Trace::Value &Trace::operator[](Id id) { return values[has(id) ? id.number : 0]; }
Id Trace::argument(Block &block, TypeIndex type, const Where &where) {
  Id id = value(type, where);
  values[id.number].block = &block;
  block.arguments.push_back(id);
  return id;
}

uint64_t Trace::attribute(tile_bytecode::Attribute attribute) {
  auto found = std::find(program.attributes.begin(), program.attributes.end(), attribute);
  if (found == program.attributes.end())
    found = program.attributes.insert(found, std::move(attribute));
  return uint64_t(found - program.attributes.begin());
}

void Trace::mistake(const Where &where, Reason reason) {
  Diagnostic made{std::string(reason.id), std::move(reason.text), where.file_name(),
                  unsigned(where.line()), unsigned(where.column())};
  for (const Diagnostic &known : diagnostics)
    if (known.str() == made.str())
      return;
  diagnostics.push_back(std::move(made));
}

bool Trace::usable(Id id, const Where &where, std::string_view op) {
  if (!has(id)) {
    if (diagnostics.empty())
      mistake(where, fail(id ? Error::OtherKernel : Error::NoValue, op));
    return false;
  }
  const Block *home = values[id.number].block;
  for (const Block *at = block_; at; at = at->parent)
    if (at == home)
      return true;
  mistake(where, fail(Error::LeftRegion, op, home->name, unsigned(home->where.line())));
  return false;
}

Node &Trace::add(Op op, const Where &where, std::vector<TypeIndex> types, Attributes attributes,
                 std::vector<std::vector<Id>> operands,
                 std::vector<std::unique_ptr<Block>> regions) {
  if (returned(*block_))
    mistake(where, fail(Error::AfterReturn, rowOf(op).name));
  auto node = std::make_unique<Node>(Node{op,
                                          where,
                                          std::move(types),
                                          {},
                                          std::move(attributes),
                                          std::move(operands),
                                          std::move(regions)});
  for (TypeIndex type : node->types)
    node->results.push_back(value(type, where));
  block_->body.push_back(std::move(node));
  return *block_->body.back();
}
Node &Trace::addFirst(Op op, const Where &where, std::vector<TypeIndex> types) {
  auto node = std::make_unique<Node>(Node{op, where, std::move(types), {}, {}, {}, {}});
  for (TypeIndex type : node->types) {
    node->results.push_back(value(type, where));
    values.back().block = &entry;
  }
  return **entry.body.insert(entry.body.begin(), std::move(node));
}

std::unique_ptr<Block> Trace::open(std::string_view name, const Where &where) {
  auto block = std::make_unique<Block>();
  block->parent = block_;
  block->name = name;
  block->where = where;
  block_ = block.get();
  return block;
}

//===--- Order

Id Trace::entryToken(const Where &where) {
  if (!entryToken_)
    entryToken_ = addFirst(Op::MakeToken, where, {tokenType()}).results[0];
  return entryToken_;
}
Id Trace::join(std::vector<Id> tokens, const Where &where) {
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  std::erase(tokens, Id());
  if (tokens.size() < 2)
    return tokens.empty() ? Id() : tokens[0];
  return add(Op::JoinTokens, where, {tokenType()}, {}, {tokens}).results[0];
}
Id Trace::afterAll(const Order &order, const Where &where) {
  // A read comes after the write before it, so its token stands for both.
  return order.reads.empty() ? order.write : join(order.reads, where);
}

} // namespace tessera::tile::detail
