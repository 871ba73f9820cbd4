// Loops and branches, with the values that they carry.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Control.h"

#include "tessera/cute_cxx/Whole.h"

using namespace tessera;

namespace tessera::cute {

namespace {
/// Values as the handles that loops and branches of dsl carry. A number that C++ knows becomes one
/// of the program.
class Carried {
public:
  Carried(const std::vector<Value *> &values, Place at) : values(values) {
    for (Value *value : values) {
      if (value->node())
        if (std::holds_alternative<Static>(value->node()->content))
          *value = num(typed(Num(value->node()), at));
      handles.push_back(handlesOf(*value));
    }
    for (std::vector<dsl::Handle> &own : handles)
      for (dsl::Handle &handle : own)
        pointers.push_back(&handle);
  }
  const std::vector<dsl::Handle *> &all() const { return pointers; }
  /// The values become what the handles are, and the other way round.
  void toValues() {
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i]->is_set())
        rebind(*values[i], handles[i]);
  }
  void fromValues(Place at) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (!values[i]->is_set())
        continue;
      if (handles[i].size() == 1 && isNumber(*values[i]))
        *values[i] = num(typed(detail::assigned(num(dsl::Num(handles[i][0].ir())),
                                                Num(values[i]->node()), "assignment", at),
                               at));
      std::vector<dsl::Handle> now = handlesOf(*values[i]);
      for (size_t k = 0; k < handles[i].size() && k < now.size(); ++k)
        handles[i][k].rebind(now[k].ir());
    }
  }

private:
  static bool isNumber(const Value &value) {
    return std::holds_alternative<Static>(value.node()->content) ||
           std::holds_alternative<dsl::Num>(value.node()->content);
  }

  const std::vector<Value *> &values;
  std::vector<std::vector<dsl::Handle>> handles;
  std::vector<dsl::Handle *> pointers;
};
} // namespace

void detail::loop(const Range &range, const std::vector<Value *> &values,
                  const std::function<void(Num)> &body) {
  Place at = range.at;
  // The variable has the common type of the three bounds, as C++ has it. The loop counts in a
  // signed type.
  Format type = Format::s32;
  bool isWhole = true;
  for (const Num *bound : {&range.begin, &range.end, &range.step}) {
    Format own = wholeType(*bound);
    isWhole = isWhole && own != Format::none;
    type = isWhole ? commonType(type, own) : type;
  }
  Format counter = type == Format::s32 ? type : Format::s64;
  auto bound = [&](const Num &n) { return isWhole ? typed(n, counter, at) : number(n, at); };
  dsl::Num from = bound(range.begin), to = bound(range.end), step = bound(range.step);
  Carried carried(values, at);
  dsl::detail::loop(
      from, to, step, carried.all(),
      [&](dsl::Num i) {
        carried.toValues();
        body(isWhole ? num(typed(num(i), type, at)) : num(i));
        carried.fromValues(at);
      },
      at);
  carried.toValues();
}
void detail::while_loop(const std::vector<Value *> &values, const std::function<Num()> &condition,
                        const std::function<void()> &body, Place at) {
  Carried carried(values, at);
  dsl::detail::loop(
      [&] {
        carried.toValues();
        return number(condition(), at);
      },
      carried.all(),
      [&] {
        carried.toValues();
        body();
        carried.fromValues(at);
      },
      at);
  carried.toValues();
}
void detail::branch(const Num &condition, const std::vector<Value *> &values,
                    const std::function<void()> &then, const std::function<void()> &otherwise,
                    Place at) {
  if (const Static *known = staticOf(condition)) {
    if (known->number)
      then();
    else if (otherwise)
      otherwise();
    return;
  }
  Carried carried(values, at);
  auto traced = [&](const std::function<void()> &body) {
    return [&carried, &body, at] {
      carried.toValues();
      if (body)
        body();
      carried.fromValues(at);
    };
  };
  dsl::detail::branch(number(condition, at), carried.all(), traced(then), traced(otherwise), at);
  carried.toValues();
}

} // namespace tessera::cute
