// Trace: the kernel that a thread traces, a tree of ops that becomes a program at the end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ids of values are never reused, so that use of a value outside of its region is detected. The
// trace makes tokens as it goes: for each alias set it knows the last write and the reads since.
// Which tokens a region carries is known only at its end. It therefore begins with a placeholder
// for each set, which becomes a carried token, or the token from outside if the region does not
// write the set.
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
  std::string_view name; // what the block belongs to, for messages
  Where where;
  std::vector<Id> arguments;
  std::vector<std::unique_ptr<Node>> body;
  std::map<std::pair<TypeIndex, std::string>, Id> constants;
};

/// What is known before a launch about the largest value of a scalar.
struct Known {
  enum Kind : uint8_t {
    Nothing,
    Number,  // number
    Block,   // the coordinate `dim` of the tile block
    Extent,  // the extent of dimension `dim` of a parameter
    CeilDiv, // ceil(such an extent / number)
    BelowNumber,
    BelowCeilDiv
  } kind = Nothing;
  int parameter = 0, dim = 0;
  int64_t number = 0;
};

/// The tokens of one alias set: after the last write, and of the reads since; 0: none. Reads of a
/// set that no argument writes are not recorded: nothing has to wait for them.
struct Order {
  Id write;
  std::vector<Id> reads;
  bool isReadOnly = false;

  /// What comes after all accesses: a read comes after the write before it.
  std::vector<Id> last() const {
    return !reads.empty() ? reads : write ? std::vector{write} : std::vector<Id>();
  }
  bool operator==(const Order &) const = default;
};

/// A loop or a combiner whose body is open.
struct OpenLoop {
  std::unique_ptr<Block> body;
  std::vector<Order> outside;   // of a loop: the order of memory before it
  std::vector<Id> placeholders; // stand for the tokens at the beginning of an iteration
};

class Trace {
public:
  Trace(std::string name, Checks checks, AliasSet sets, const Where &where);
  ~Trace();
  Trace(const Trace &) = delete;
  /// The trace of this thread, or null.
  static Trace *current();

  //--- Values and types
  TypeIndex tile(const TileType &);
  TypeIndex type(const tile_bytecode::Type &type) { return interner.type(type); }
  tile_bytecode::Index string(std::string_view text) { return interner.string(text); }
  tile_bytecode::Index constantBytes(std::string_view bytes) { return interner.constant(bytes); }
  uint32_t debug(const tile_bytecode::DebugEntry &entry) { return interner.debug(entry); }
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
  /// Adds an op at the beginning of the entry.
  Node &addFirst(Op op, const Where &where, std::vector<TypeIndex> types);
  uint64_t attribute(tile_bytecode::Attribute attribute);
  void mistake(const Where &where, Reason reason);
  /// Whether the value can be used here; reports one that cannot.
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
  /// A token after all of these; 0 if there are none.
  Id join(std::vector<Id> tokens, const Where &where);
  Id afterAll(const Order &order, const Where &where);
  Id entryToken(const Where &where);
  void replace(Id placeholder, Id by) {
    values[placeholder.number].isReplaced = true;
    values[placeholder.number].replacement = by;
  }

  //--- The end
  /// Adds `return` and makes the program. Checks the types of all ops; mistakes become diagnostics.
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

  const uint32_t ordinal; // unique among the traces of a process
  const Checks checks;
  tile_bytecode::Program program;
  std::vector<Diagnostic> diagnostics;
  std::vector<LaunchCheck> launchChecks;
  std::deque<TensorInfo> tensors;
  std::array<Id, 3> ids{}, counts{}; // of the tile block, and of the grid
  std::vector<OpenLoop> openLoops;   // nested

private:
  class Numbering;

  tile_bytecode::Interner interner;
  std::string name;
  Block entry;
  Block *block_ = &entry;
  std::vector<Value> values{Value()}; // 0 is none
  std::vector<Order> orders_;         // of each set; the last one is that of printing
  Id entryToken_;
  Trace *outer; // a kernel that is being traced may run another one
};

} // namespace tessera::tile::detail
