// Tile blocks, assumptions, assertions and prints.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Access.h"
#include "tessera/tile_lower/Rows.h"

#include "tessera/cute/Cute.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

/// Defines the results from their axes, 0 to 2.
LogicalResult defineByAxis(Kernel &k, Operation *op, function_ref<Value(size_t axis)> numberOf) {
  for (auto [axis, result] : llvm::enumerate(op->getResults()))
    k.define(result, ThreadTile{.element = k.i32, .count = 1, .registers = {numberOf(axis)}});
  return success();
}
Value registerOf(Kernel &k, StringRef name, size_t axis) {
  return k.specialRegister(cat(name, ".", "xyz"[axis]));
}
LogicalResult gridSize(Kernel &k, Operation *op) {
  return defineByAxis(k, op, [&](size_t axis) { return registerOf(k, "nctaid", axis); });
}
LogicalResult blockId(Kernel &k, Operation *op) {
  return defineByAxis(k, op, [&](size_t axis) {
    Value number = registerOf(k, "ctaid", axis);
    if (!k.plan || !k.plan->lastFirst[axis])
      return number;
    return k.sub(k.sub(registerOf(k, "nctaid", axis), 1), number);
  });
}

/// Assumptions need no code.
LogicalResult assume(Kernel &k, Operation *op) {
  k.alias(op->getResult(0), op->getOperand(0));
  return success();
}

//===--- Prints

/// Text as it is, or a conversion of printf for an operand.
struct Piece {
  std::string text;
  bool isConversion = false;
};

/// The pieces of a format; a conversion has no length, as printf's are of the types of C.
SmallVector<Piece> piecesOf(StringRef format) {
  SmallVector<Piece> out;
  std::string text;
  while (!format.empty()) {
    if (!format.consume_front("%") || format.starts_with("%")) {
      text += format.front() == '%' ? "%%" : format.take_front(1).str();
      format = format.drop_front();
      continue;
    }
    if (!text.empty())
      out.push_back({std::exchange(text, "")});
    size_t flags = std::min(format.find_first_not_of("-+ #0123456789."), format.size());
    std::string conversion = "%" + format.take_front(flags).str();
    format = format.drop_front(flags).ltrim("hljzt");
    conversion += format.take_front(1);
    format = format.drop_front(std::min<size_t>(1, format.size()));
    out.push_back({conversion, true});
  }
  if (!text.empty())
    out.push_back({text});
  return out;
}

void printText(Kernel &k, StringRef format, ValueRange values = {}) {
  k.make<cute::PrintfOp>(values, k.b.getStringAttr(format));
}

/// The conversion for an element, and the element as printf takes it; no conversion if the letter
/// does not fit.
std::pair<std::string, Value> printed(Kernel &k, Type element, StringRef conversion, Value held) {
  StringRef letter = conversion.take_back(1), flags = conversion.drop_back(1);
  bool isReal = isa<FloatType, Float8E5M3FNUType>(element);
  if (isReal && StringRef("fFeEgGaA").contains(letter)) {
    Value number = widened(k, element, held);
    if (!number.getType().isF64())
      number = k.make<arith::ExtFOp>(k.f64, number);
    return {conversion.str(), number};
  }
  if (isReal || !StringRef("diuxXocp").contains(letter))
    return {};
  bool isSigned = StringRef("di").contains(letter) && !element.isInteger(1);
  Value number = k.resize(held, k.i64, isSigned);
  if (letter == "c")
    return {conversion.str(), k.resize(number, k.i32, false)};
  if (letter == "p")
    return {(flags + "#llx").str(), number};
  return {(flags + "ll" + letter).str(), number};
}

/// One thread prints all, element after element, a tile as [[v, v], [v, v]].
LogicalResult printTile(Kernel &k, Operation *op, StringRef conversion, Value operand) {
  const ThreadTile tile = k.tile(operand);
  ArrayRef<int64_t> shape = shapeOf(operand.getType());
  auto emit = [&](Value held) {
    auto [format, number] = printed(k, tile.element, conversion, held);
    if (format.empty())
      return refuse(op, Diag::PrintConversion, conversion);
    printText(k, format, number);
    return LogicalResult(success());
  };
  bool isGood = true;
  Value isFirst = k.equal(k.thread, 0);
  if (shape.empty()) {
    k.when(isFirst, [&] { isGood = succeeded(emit(tile.registers[0])); });
    return success(isGood);
  }
  // Brackets open where the coordinates from a dimension on are all zero, and close where they are
  // all the last ones.
  int64_t chunk = std::min(tile.count, k.scratch / memoryBytes(tile.element));
  auto part = [&](Value base) {
    auto address = [&](Value index) {
      return k.shared(tile.element, index, chunk * memoryBytes(tile.element));
    };
    k.barrier();
    k.when(k.isOwner(tile.count), [&] {
      k.forSlots(tile.count, [&](const Slot &slot) {
        Value relative = k.sub(slot.element, base);
        k.when(chunk == tile.count ? Value() : k.below(relative, chunk),
               [&] { k.storeAt(tile.element, address(relative), k.get(tile, slot)); });
      });
    });
    k.barrier();
    k.when(isFirst, [&] {
      k.repeat(chunk, [&](Value i) {
        Value element = k.add(base, i);
        auto isMultiple = [&](Value number, int64_t of) { return k.equal(k.urem(number, of), 0); };
        int64_t extent = 1;
        SmallVector<int64_t> extents; // of what a bracket holds, the innermost first
        for (int64_t e : llvm::reverse(shape))
          extents.push_back(extent *= e);
        k.when(k.differ(element, 0), [&] { printText(k, ", "); });
        for (int64_t e : llvm::reverse(extents))
          k.when(isMultiple(element, e), [&] { printText(k, "["); });
        isGood &= succeeded(emit(k.loadAt(tile.element, address(i))));
        for (int64_t e : extents)
          k.when(isMultiple(k.add(element, 1), e), [&] { printText(k, "]"); });
      });
    });
  };
  if (chunk == tile.count)
    part(k.int32(0));
  else
    k.repeat(tile.count / chunk, [&](Value i) { part(k.mul(i, chunk)); });
  return success(isGood);
}

/// How many values one call of vprintf takes (CUDA C++ Programming Guide, formatted output).
constexpr int64_t mostValues = 32;

/// The values of a tile with brackets as printTile has them, at the end of a format.
bool appendTile(Kernel &k, const ThreadTile &tile, ArrayRef<int64_t> shape, StringRef conversion,
                llvm::function_ref<Value(int64_t)> valueAt, std::string &format,
                SmallVector<Value> &values) {
  SmallVector<int64_t> extents; // of what a bracket holds, the innermost first
  for (int64_t e : llvm::reverse(shape))
    extents.push_back(e * (extents.empty() ? 1 : extents.back()));
  auto brackets = [&](int64_t element, char bracket) {
    return std::string(size_t(llvm::count_if(extents, [&](int64_t e) { return element % e == 0; })),
                       bracket);
  };
  for (int64_t element = 0; element < tile.count; ++element) {
    auto [piece, number] = printed(k, tile.element, conversion, valueAt(element));
    if (piece.empty())
      return false;
    values.push_back(number);
    format += (element ? ", " : "") + brackets(element, '[') + piece + brackets(element + 1, ']');
  }
  return true;
}

/// All of a print in one call, so that what several blocks print is not mixed. Tiles go to shared
/// memory, one after the other, where the first thread reads them.
LogicalResult printAtOnce(Kernel &k, PrintTkoOp print, ArrayRef<Piece> pieces) {
  SmallVector<int64_t> offsets;
  int64_t bytes = 0;
  for (Value operand : print.getArgs()) {
    const ThreadTile &tile = k.tile(operand);
    offsets.push_back(bytes);
    constexpr int64_t alignment = 16;
    if (!tile.isScalar())
      bytes += (tile.count * memoryBytes(tile.element) + alignment - 1) / alignment * alignment;
  }
  auto address = [&](size_t i, const ThreadTile &tile, Value index) {
    return k.shared(tile.element, index, bytes - offsets[i], offsets[i]);
  };
  if (bytes) {
    k.barrier();
    for (auto [i, operand] : llvm::enumerate(print.getArgs()))
      if (const ThreadTile tile = k.tile(operand); !tile.isScalar())
        k.when(k.isOwner(tile.count), [&] {
          k.forSlots(tile.count, [&](const Slot &slot) {
            k.storeAt(tile.element, address(i, tile, slot.element), k.get(tile, slot));
          });
        });
    k.barrier();
  }
  bool isGood = true;
  k.when(k.equal(k.thread, 0), [&] {
    std::string format;
    SmallVector<Value> values;
    size_t next = 0;
    for (const Piece &piece : pieces) {
      if (!piece.isConversion) {
        format += piece.text;
        continue;
      }
      size_t i = next++;
      Value operand = print.getArgs()[i];
      const ThreadTile tile = k.tile(operand);
      auto valueAt = [&](int64_t element) {
        return tile.isScalar() ? tile.registers[0]
                               : k.loadAt(tile.element, address(i, tile, k.int32(element)));
      };
      if (!appendTile(k, tile, shapeOf(operand.getType()), piece.text, valueAt, format, values)) {
        isGood = succeeded(refuse(print, Diag::PrintConversion, piece.text));
        return;
      }
    }
    printText(k, format, values);
  });
  return success(isGood);
}

LogicalResult print(Kernel &k, Operation *op) {
  auto print = cast<PrintTkoOp>(op);
  beginAccess(k, print.getToken(), {});
  SmallVector<Piece> pieces = piecesOf(print.getStr());
  auto operands = print.getArgs();
  auto isConversion = [](const Piece &piece) { return piece.isConversion; };
  if (llvm::count_if(pieces, isConversion) != int64_t(operands.size()))
    return refuse(op, Diag::PrintConversion, print.getStr());
  int64_t count = 0;
  for (Value operand : operands)
    count += countOf(operand.getType());
  if (count <= mostValues)
    return printAtOnce(k, print, pieces);
  size_t next = 0;
  for (const Piece &piece : pieces) {
    if (!piece.isConversion)
      k.when(k.equal(k.thread, 0), [&] { printText(k, piece.text); });
    else if (failed(printTile(k, op, piece.text, operands[next++])))
      return failure();
  }
  return success();
}

//===--- Assertions

/// One thread checks each element, so that its message is printed once: "assert failed: " and the
/// message; then the kernel ends with an error. Kernels with products of warpgroups end without a
/// message, because a call would slow these products down.
LogicalResult check(Kernel &k, Operation *op) {
  auto check = cast<AssertOp>(op);
  const ThreadTile condition = k.tile(check.getCondition());
  Value owner = k.isOwner(condition.count);
  std::string text = "assert failed: ";
  for (char c : check.getMessage())
    text += c == '%' ? std::string("%%") : std::string(1, c);
  bool isTile = !shapeOf(check.getCondition().getType()).empty();
  text += isTile ? ", at element %d\n" : "\n";
  bool isSilent = k.plan && k.plan->hasGroupProducts();
  k.forSlots(condition.count, [&](const Slot &slot) {
    Value holds = k.get(condition, slot);
    if (owner)
      holds = k.ori(holds, k.negate(owner));
    if (!isSilent)
      k.when(k.negate(holds),
             [&] { printText(k, text, isTile ? ValueRange(slot.element) : ValueRange()); });
    k.make<cf::AssertOp>(holds, check.getMessage());
  });
  return success();
}

constexpr Row rows[] = {
    {"get_tile_block_id", nullptr, blockId},
    {"get_num_tile_blocks", nullptr, gridSize},
    {"assume", nullptr, assume},
    {"assert", nullptr, check},
    {"print_tko", nullptr, print},
};

} // namespace

ArrayRef<Row> otherRows() { return rows; }

} // namespace tessera::tile_lower
