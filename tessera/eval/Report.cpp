// Evaluations as text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Report.h"

#include "tessera/eval/Errors.h"
#include "tessera/eval/Laws.h"
#include "tessera/eval/Points.h"
#include "tessera/eval/Remarks.h"
#include "tessera/layout/Text.h"

#include <algorithm>

namespace tessera::eval {

using namespace layout;

namespace {
/// size and cosize of a layout, with run-time values where they are known; cosize may be refused.
struct Measures {
  std::string size, cosize;
};
Measures measuresOf(const AnyLayout &l, const RunTime &values) {
  RunTime ofSize = values, ofReach = values;
  Int points = size(ofSize, l.outer());
  Result<Int> reach = cosize(ofReach, l);
  auto text = [](const Int &number, RunTime &arith) {
    return arith.tooLarge() ? std::string("beyond 2^63 - 1") : str(value(number), arith);
  };
  // Where the size does not fit 64 bits, the cosize means nothing.
  return {text(points, ofSize), reach && !ofSize.tooLarge() ? text(*reach, ofReach) : ""};
}

/// The layout with run-time values in place, to walk it.
std::optional<AnyLayout> walkable(const AnyLayout &l, const RunTime &values) {
  std::optional<Value> known = resolved(Value(l), values);
  return known ? std::optional(*layoutOf(*known)) : std::nullopt;
}

std::string listed(const Properties &properties) {
  std::string out;
  auto add = [&](std::string_view word, std::string_view gap) {
    out += cat(out.empty() ? "" : gap, word);
  };
  if (!properties.order.empty())
    add(properties.order, "");
  if (properties.injective)
    add(*properties.injective ? "injective" : "not injective", "   ");
  if (properties.compact.value_or(false))
    add("compact", ", ");
  return out;
}

std::string openAssumptions(const Evaluation &done) {
  std::string out;
  for (const Assumption &assumption : done.values.assumptions())
    if (!assumption.holds)
      out += cat("assumes   ", assumption.text, "\n");
  return out;
}
} // namespace

std::string summary(const Evaluation &done) {
  std::string out = cat(str(*done.result, done.values), "\n");
  const AnyLayout *l = layoutOf(*done.result);
  if (!l)
    return out + openAssumptions(done);
  Measures measures = measuresOf(*l, done.values);
  out += cat("size ", measures.size, measures.cosize.empty() ? "" : "   cosize ", measures.cosize);
  if (std::optional<AnyLayout> known = walkable(*l, done.values))
    if (std::string properties = listed(propertiesOf(*known)); !properties.empty())
      out += cat("   ", properties);
  return out + "\n" + openAssumptions(done);
}

std::string explanation(const Evaluation &done) {
  std::string out;
  size_t number = 0;
  for (const Step &step : done.steps) {
    std::string arguments;
    for (const Value &argument : step.arguments.all())
      arguments += cat(arguments.empty() ? "" : ", ", str(argument, done.values));
    out += cat(++number, "  ", step.function->name, "(", arguments, ")\n");
    out += cat("   law      ", step.function->law, "\n");
    for (const std::string &remark : remarksOn(step, done.values))
      out += cat("   note     ", remark, "\n");
    for (size_t i = step.firstAssumption;
         i < step.lastAssumption && i < done.values.assumptions().size(); ++i) {
      const Assumption &assumption = done.values.assumptions()[i];
      std::string_view state = !assumption.holds   ? "assumes  "
                               : *assumption.holds ? "holds    "
                                                   : "broken   ";
      out += cat("   ", state, assumption.text, "\n");
    }
    out += cat("   result   ", step.result ? str(*step.result, done.values) : "refused", "\n");
  }
  return out;
}

Result<AnyLayout> knownLayout(const Evaluation &done, std::string_view who) {
  Symbolic arith;
  Result<Value> made = std::holds_alternative<Sliced>(*done.result)
                           ? Result<Value>(*layoutOf(*done.result))
                           : converted(*done.result, Kind::AnyLayout, arith);
  if (!made)
    return fail(Error::NotALayout, who, described(*done.result, done.values));
  std::optional<AnyLayout> known = walkable(*layoutOf(*made), done.values);
  return known ? Result<AnyLayout>(*std::move(known))
               : fail(Error::NeedsValues, who, described(*done.result, done.values));
}

Status functionTable(const Evaluation &done, int64_t most,
                     const std::function<void(std::string_view)> &write) {
  TESSERA_TRY(AnyLayout known, knownLayout(done, "--values"));
  Points points(known);
  Const arith;
  for (int64_t i = 0; i < std::min(points.size(), most); ++i) {
    Result<Tree> coord = idx2crd(arith, Tree(i), known.shape());
    write(cat(i, "\t", coord ? str(*coord) : "", "\t", str(points.at(i)), "\n"));
  }
  if (points.size() > most)
    write(cat("... ", points.size() - most, " more\n"));
  return Done{};
}

std::string functionList() {
  std::string out;
  for (std::span<const Function> table : allFunctions())
    for (const Function &function : table) {
      std::string left = signature(function);
      constexpr size_t column = 52;
      out += cat(left, std::string(left.size() < column ? column - left.size() : 1, ' '),
                 function.law, "\n");
    }
  out += "\nlaws for --check:\n";
  for (const Law &law : laws())
    out += cat(law.name, std::string(law.name.size() < 14 ? 14 - law.name.size() : 1, ' '),
               law.about, "\n");
  return out;
}

//===------------------------------------------------------------------------------------------===//
// JSON
//===------------------------------------------------------------------------------------------===//

namespace {
std::string quoted(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += cat('\\', c);
    else if (uint8_t(c) < 0x20)
      out += cat("\\u00", hex[uint8_t(c) >> 4], hex[uint8_t(c) & 15]);
    else
      out += c;
  }
  return out + "\"";
}
std::string field(std::string_view name, const std::string &json) {
  return cat(", ", quoted(name), ": ", json);
}
std::string truth(std::optional<bool> b) { return !b ? "null" : *b ? "true" : "false"; }
std::string numberOrNull(const std::string &text) {
  bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? text : text.empty() ? "null" : quoted(text);
}

std::string stepsOf(const Evaluation &done) {
  std::string out;
  for (const Step &step : done.steps) {
    std::string arguments, remarks;
    for (const Value &argument : step.arguments.all())
      arguments += cat(arguments.empty() ? "" : ", ", quoted(str(argument, done.values)));
    for (const std::string &remark : remarksOn(step, done.values))
      remarks += cat(remarks.empty() ? "" : ", ", quoted(remark));
    out += cat(out.empty() ? "" : ", ", "{\"function\": ", quoted(step.function->name),
               ", \"arguments\": [", arguments,
               "], \"result\": ", step.result ? quoted(str(*step.result, done.values)) : "null",
               ", \"notes\": [", remarks, "]}");
  }
  return cat("[", out, "]");
}
} // namespace

std::string json(const Evaluation &done, std::string_view more) {
  constexpr std::string_view kinds[] = {"tuple", "layout",  "tile", "swizzle",
                                        "list",  "boolean", "slice"};
  std::string out = cat("{\"expression\": ", quoted(done.text));
  if (!done.ok()) {
    const Refusal &r = done.refusal;
    std::string error =
        cat("{\"id\": ", quoted(r.reason.id), ", \"text\": ", quoted(r.reason.text),
            ", \"begin\": ", r.where.begin, ", \"end\": ", r.where.end,
            ", \"detail\": ", quoted(r.detail), ", \"help\": ", quoted(r.help), "}");
    return cat(out, field("error", error), field("steps", stepsOf(done)), "}\n");
  }
  out += field("result", quoted(str(*done.result, done.values)));
  out += field("kind", quoted(kinds[done.result->index()]));
  if (const AnyLayout *l = layoutOf(*done.result)) {
    Measures measures = measuresOf(*l, done.values);
    std::optional<AnyLayout> known = walkable(*l, done.values);
    Properties properties = known ? propertiesOf(*known) : Properties();
    out += field("size", numberOrNull(measures.size)) +
           field("cosize", numberOrNull(measures.cosize)) +
           field("order", quoted(properties.order)) +
           field("injective", truth(properties.injective)) +
           field("compact", truth(properties.compact));
  }
  std::string assumptions;
  for (const Assumption &assumption : done.values.assumptions())
    assumptions += cat(assumptions.empty() ? "" : ", ", "{\"text\": ", quoted(assumption.text),
                       ", \"holds\": ", truth(assumption.holds), "}");
  return cat(out, field("assumptions", cat("[", assumptions, "]")), field("steps", stepsOf(done)),
             more.empty() ? "" : ", ", more, "}\n");
}

} // namespace tessera::eval
