// Trace: the kernel that a thread traces, a tree of ops that becomes a program at the end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ids of values are never used twice, so that a value that left its region is seen. Tokens are made
// on the way: of each alias set the trace knows the last write and the reads since. What a region
// carries of them is known only at its end, so it begins with a placeholder for each set, which
// then becomes a carried token, or stands for the token from outside where nothing was written.
#pragma once

#include "tessera/tile_bytecode/Program.h"
#include "tessera/tile_dsl/Core.h"
#include "tessera/tile_dsl/Errors.h"
#include "tessera/tile_dsl/Launch.h"

#include <deque>
#include <map>
#include <memory>

namespace tessera::tile::detail {

struct Block;
using Attributes = std::vector<std::optional<uint64_t>>;

struct Node {
  Op op;
  Where where;
  std::vector<TypeIndex> types; // of results
  std::vector<Id> results;
  Attributes attributes;
  std::vector<std::vector<Id>> operands; // of each column
  std::vector<std::unique_ptr<Block>> regions;
};
struct Block {
  Block *parent = nullptr;
  std::string_view name; // of what it belongs to, for sentences
  Where where;
  std::vector<Id> arguments;
  std::vector<std::unique_ptr<Node>> body;
  std::map<std::pair<TypeIndex, std::string>, Id> constants;
};

/// What is known of the largest number that a scalar can be, before a launch.
struct Known {
  enum Kind : uint8_t {
    Nothing,
    Number,  // number
    Block,   // the coordinate `dim` of the tile block
    Extent,  // of dimension `dim` of a parameter
    CeilDiv, // of such an extent by number
    BelowNumber,
    BelowCeilDiv
  } kind = Nothing;
  int parameter = 0, dim = 0;
  int64_t number = 0;
};

/// The tokens of one alias set: after the last write, and of the reads since; 0: none. Reads of a
/// set that no argument writes are not kept: nothing has to wait for them.
struct Order {
  Id write;
  std::vector<Id> reads;
  bool isReadOnly = false;

  bool operator==(const Order &) const = default;
};

/// A loop or a combiner whose body is open.
struct OpenLoop {
  std::unique_ptr<Block> body;
  std::vector<Order> outside;   // of a loop: the order of memory before it
  std::vector<Id> placeholders; // what stands for the tokens at the begin of a turn
};

class Trace {
public:
  Trace(std::string name, Checks checks, AliasSet sets, const Where &where);
  ~Trace();
  Trace(const Trace &) = delete;
  /// The one of this thread, or null.
  static Trace *current();

  //--- Values and types
  TypeIndex tile(const TileType &);
  TypeIndex type(const tile_bytecode::Type &type) { return interner.type(type); }
  Id value(TypeIndex type, const Where &where);
  TypeIndex typeOf(Id id) const { return values[has(id) ? id.number : 0].type; }
  /// Whether this trace made the value.
  bool has(Id id) const { return id && id.trace == ordinal && id.number < values.size(); }
  Id argument(Block &block, TypeIndex type, const Where &where);
  /// A parameter of the entry.
  Id parameter(TypeIndex type, const Where &where) { return argument(entry, type, where); }

  //--- Instructions
  Node &add(Op op, const Where &where, std::vector<TypeIndex> types, Attributes attributes,
            std::vector<std::vector<Id>> operands,
            std::vector<std::unique_ptr<Block>> regions = {});
  /// One at the begin of the entry.
  Node &addFirst(Op op, const Where &where, std::vector<TypeIndex> types);
  uint64_t attribute(tile_bytecode::Attribute attribute);
  void mistake(const Where &where, Reason reason);
  /// Reports a value that cannot be used here.
  bool usable(Id id, const Where &where, std::string_view op);

  //--- Blocks
  std::unique_ptr<Block> open(std::string_view name, const Where &where);
  void close(Block &block) { block_ = block.parent; }
  void enter(Block &block) { block_ = &block; }
  Block &block() { return *block_; }
  bool returned(const Block &block) const {
    return !block.body.empty() && block.body.back()->op == Op::Return;
  }

  //--- Order
  std::vector<Order> &orders() { return orders_; }
  /// A token after all of these; 0 of none.
  Id join(std::vector<Id> tokens, const Where &where);
  Id afterAll(const Order &order, const Where &where);
  Id entryToken(const Where &where);
  void replace(Id placeholder, Id by) {
    values[placeholder.number].isReplaced = true;
    values[placeholder.number].replacement = by;
  }

  //--- The end
  /// Adds `return` and makes the program. Checks the types of all ops; mistakes are diagnostics.
  void finish(const KernelHints &hints);

  struct Value {
    TypeIndex type = 0;
    Block *block = nullptr;
    Where where;
    AliasSet set = everySet;
    bool isReplaced = false;
    Id replacement = {};
    Known known = {};
  };
  Value &operator[](Id id);

  const uint32_t ordinal; // no two traces of a process have the same
  const Checks checks;
  tile_bytecode::Program program;
  std::vector<Diagnostic> diagnostics;
  std::vector<LaunchCheck> launchChecks;
  std::deque<TensorInfo> tensors;
  std::array<Id, 3> ids{}, counts{}; // of the tile block, and of the grid
  std::vector<OpenLoop> openLoops;   // they lie in each other

private:
  class Numbering;

  tile_bytecode::Interner interner;
  std::string name;
  Block entry;
  Block *block_ = &entry;
  std::vector<Value> values{Value()}; // 0 is none
  std::vector<Order> orders_;         // of each set, and last of what is printed
  Id entryToken_;
  Trace *outer; // a kernel may run another one while it is traced

public:
  tile_bytecode::Index string(std::string_view text) { return interner.string(text); }
  tile_bytecode::Index constantBytes(std::string_view bytes) { return interner.constant(bytes); }
  uint32_t debug(const tile_bytecode::DebugEntry &entry) { return interner.debug(entry); }
};

} // namespace tessera::tile::detail
