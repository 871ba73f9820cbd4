// The functions of tessera-c/Layout.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/capi/Handles.h"
#include "tessera/eval/Function.h"
#include "tessera/eval/Points.h"

#include <algorithm>
#include <cstring>
#include <memory>

using namespace tessera;
using namespace tessera::capi;

namespace {

/// Refuses a null operand; `what` is what the function expects there.
bool present(const void *operand, std::string_view function, std::string_view what,
             TesseraError **error) {
  if (!operand)
    refuse(error, fail(Error::NullArgument, function, what));
  return operand;
}

std::string textOf(const TesseraValue &of) { return eval::str(of.value, of.values); }

/// The number that `made` is, which is given back.
bool takeNumber(TesseraValue *made, int64_t *number, TesseraError **error) {
  const bool known = made && tesseraGetNumber(made, number, error);
  tesseraDestroy(made);
  return known;
}

TesseraValue *made(eval::Value value, TesseraError **error) {
  return guarded(error, [&] { return new TesseraValue{std::move(value), eval::RunTime()}; });
}

/// The function of a layout whose leaves all have values and whose indices are numbers.
std::optional<eval::Points> pointsOf(const TesseraValue &of) {
  std::optional<eval::Value> known = eval::resolved(of.value, of.values);
  const layout::AnyLayout *l = known ? eval::layoutOf(*known) : nullptr;
  if (!l)
    return std::nullopt;
  eval::Points points(*l);
  return points.plain() ? std::optional(std::move(points)) : std::nullopt;
}

} // namespace

//===--- Values in and out --------------------------------------------------------------------===//

TesseraValue *tesseraEvaluate(const char *text, const TesseraBinding *bound, size_t count,
                              TesseraError **error) {
  return guarded(error, [&]() -> TesseraValue * {
    if (!present(text, "tesseraEvaluate", "a text", error))
      return nullptr;
    std::vector<eval::Binding> names;
    for (size_t i = 0; i < count; ++i) {
      const bool complete = bound && bound[i].name && bound[i].value;
      if (!present(complete ? bound : nullptr, "tesseraEvaluate",
                   "a name and a value in each binding", error))
        return nullptr;
      names.push_back({bound[i].name, bound[i].value->value, bound[i].value->values});
    }
    return handle(eval::evaluate(text, true, names), error);
  });
}

TesseraValue *tesseraParse(const char *text, TesseraError **error) {
  return tesseraEvaluate(text, nullptr, 0, error);
}

TesseraValue *tesseraCall(const char *name, const TesseraValue *const *operands, size_t count,
                          TesseraError **error) {
  return guarded(error, [&]() -> TesseraValue * {
    if (!present(name, "tesseraCall", "the name of a function", error) ||
        (count && !present(operands, "tesseraCall", "operands", error)))
      return nullptr;
    return called(name, {operands, count}, error);
  });
}

const char *tesseraFunctionName(size_t number) {
  for (std::span<const eval::Function> table : eval::allFunctions()) {
    if (number < table.size())
      return table[number].name.data(); // of literals
    number -= table.size();
  }
  return nullptr;
}

TesseraValue *tesseraNumber(int64_t number, TesseraError **error) {
  return made(layout::Tree(number), error);
}

TesseraValue *tesseraTuple(const TesseraValue *const *modes, size_t count, TesseraError **error) {
  return guarded(error, [&]() -> TesseraValue * {
    auto out = std::make_unique<TesseraValue>();
    std::vector<layout::Tree> trees;
    for (size_t i = 0; i < count; ++i) {
      const TesseraValue *mode = modes ? modes[i] : nullptr;
      if (!present(mode, "tesseraTuple", "a value for each mode", error))
        return nullptr;
      eval::Value own = eval::moved(mode->value, mode->values, out->values);
      if (!std::holds_alternative<layout::Tree>(own)) {
        refuse(error, fail(Error::NotTuple, eval::described(own, out->values)));
        return nullptr;
      }
      trees.push_back(std::get<layout::Tree>(std::move(own)));
    }
    out->value = layout::Tree(std::move(trees));
    return out.release();
  });
}

TesseraValue *tesseraLayout(const TesseraValue *shape, const TesseraValue *stride,
                            TesseraError **error) {
  if (!stride) {
    const TesseraValue *operands[] = {shape};
    return tesseraCall("make_layout", operands, 1, error);
  }
  const TesseraBinding bound[] = {{"shape_", shape}, {"stride_", stride}};
  return tesseraEvaluate("shape_:stride_", bound, 2, error);
}

TesseraValue *tesseraCopy(const TesseraValue *value, TesseraError **error) {
  return guarded(error, [&]() -> TesseraValue * {
    return present(value, "tesseraCopy", "a value", error) ? new TesseraValue(*value) : nullptr;
  });
}

void tesseraDestroy(TesseraValue *value) { delete value; }

TesseraKind tesseraKindOf(const TesseraValue *value) {
  // In the order of eval::Value; a null is told from a value by the functions that take it.
  constexpr TesseraKind kinds[] = {TESSERA_TUPLE, TESSERA_LAYOUT, TESSERA_TILE, TESSERA_SWIZZLE,
                                   TESSERA_LIST,  TESSERA_TRUTH,  TESSERA_SLICE};
  static_assert(std::variant_size_v<eval::Value> == std::size(kinds));
  if (!value)
    return TESSERA_TUPLE;
  const layout::AnyLayout *l = std::get_if<layout::AnyLayout>(&value->value);
  return l && l->composed() ? TESSERA_COMPOSED : kinds[value->value.index()];
}

size_t tesseraPrint(const TesseraValue *value, char *buffer, size_t capacity) {
  if (buffer && capacity)
    buffer[0] = '\0';
  return guarded(nullptr, [&]() -> size_t {
    const std::string text = value ? textOf(*value) : "";
    if (buffer && capacity) {
      const size_t fits = std::min(text.size(), capacity - 1);
      std::memcpy(buffer, text.data(), fits);
      buffer[fits] = '\0';
    }
    return text.size();
  });
}

bool tesseraGetNumber(const TesseraValue *value, int64_t *number, TesseraError **error) {
  return guarded(error, [&] {
    if (!present(value, "tesseraGetNumber", "a value", error) ||
        !present(number, "tesseraGetNumber", "room for a number", error))
      return false;
    std::optional<int64_t> known = numberOf(*value);
    if (known)
      *number = *known;
    else
      refuse(error, fail(Error::NotNumber, eval::described(value->value, value->values)));
    return known.has_value();
  });
}

//===--- A layout as a function ---------------------------------------------------------------===//

bool tesseraIndex(const TesseraValue *layout, int64_t coordinate, int64_t *index,
                  TesseraError **error) {
  return tesseraIndexAt(layout, &coordinate, 0, index, error);
}

bool tesseraIndexAt(const TesseraValue *layout, const int64_t *coordinate, size_t rank,
                    int64_t *index, TesseraError **error) {
  return guarded(error, [&] {
    if (!present(coordinate, "tesseraIndexAt", "a coordinate", error))
      return false;
    std::vector<layout::Tree> modes(coordinate, coordinate + rank);
    const TesseraValue at = {rank ? layout::Tree(std::move(modes)) : layout::Tree(*coordinate), {}};
    const TesseraValue *operands[] = {&at, layout};
    return takeNumber(called("crd2idx", operands, error), index, error);
  });
}

bool tesseraTable(const TesseraValue *layout, int64_t *indices, size_t capacity, size_t *count,
                  TesseraError **error) {
  return guarded(error, [&] {
    if (!present(layout, "tesseraTable", "a layout", error) ||
        !present(count, "tesseraTable", "room for the count", error) ||
        (capacity && !present(indices, "tesseraTable", "room for indices", error)))
      return false;
    std::optional<eval::Points> points = pointsOf(*layout);
    if (!points) {
      refuse(error, fail(Error::TableValues, eval::described(layout->value, layout->values)));
      return false;
    }
    if (uint64_t(points->size()) > capacity) {
      refuse(error, fail(Error::TableTooSmall, points->size(), textOf(*layout), capacity));
      return false;
    }
    for (int64_t i = 0; i < points->size(); ++i)
      indices[i] = points->number(i);
    *count = size_t(points->size());
    return true;
  });
}

//===--- Operations ---------------------------------------------------------------------------===//

namespace {
TesseraValue *operation(std::string_view name, std::initializer_list<const TesseraValue *> operands,
                        TesseraError **error) {
  return guarded(error, [&] { return called(name, {operands.begin(), operands.size()}, error); });
}

/// A part of a slice.
template <class Part>
TesseraValue *sliced(const TesseraValue *slice, TesseraError **error, Part &&part) {
  return guarded(error, [&]() -> TesseraValue * {
    if (!present(slice, "a part of a slice", "a slice", error))
      return nullptr;
    const layout::Sliced *whole = std::get_if<layout::Sliced>(&slice->value);
    if (!whole)
      refuse(error, fail(Error::NotSlice, eval::described(slice->value, slice->values)));
    return whole ? new TesseraValue{part(*whole), slice->values} : nullptr;
  });
}
} // namespace

#define OPERATION1(function, name)                                                                 \
  TesseraValue *function(const TesseraValue *a, TesseraError **error) {                            \
    return operation(name, {a}, error);                                                            \
  }
#define OPERATION2(function, name)                                                                 \
  TesseraValue *function(const TesseraValue *a, const TesseraValue *b, TesseraError **error) {     \
    return operation(name, {a, b}, error);                                                         \
  }
#define OPERATION3(function, name)                                                                 \
  TesseraValue *function(const TesseraValue *a, const TesseraValue *b, const TesseraValue *c,      \
                         TesseraError **error) {                                                   \
    return operation(name, {a, b, c}, error);                                                      \
  }
#define NUMBER(function, name)                                                                     \
  bool function(const TesseraValue *a, int64_t *number, TesseraError **error) {                    \
    return takeNumber(operation(name, {a}, error), number, error);                                 \
  }
#include "tessera/capi/Operations.def"

TesseraValue *tesseraSliceLayout(const TesseraValue *slice, TesseraError **error) {
  return sliced(slice, error, [](const layout::Sliced &s) -> eval::Value { return s.layout; });
}
TesseraValue *tesseraSliceOffset(const TesseraValue *slice, TesseraError **error) {
  return sliced(slice, error, [](const layout::Sliced &s) -> eval::Value { return s.offset; });
}

TesseraValue *tesseraRecast(const TesseraValue *layout, int64_t oldBits, int64_t newBits,
                            TesseraError **error) {
  return guarded(error, [&] {
    const std::vector<layout::Tree> widths = {layout::Tree(oldBits), layout::Tree(newBits)};
    const TesseraValue bits = {eval::List{eval::List::Form::Bits, widths}, {}};
    const TesseraValue *operands[] = {layout, &bits};
    return called("recast_layout", operands, error);
  });
}
