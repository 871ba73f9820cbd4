// Hints set on the ops of a tile program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/TileHints.h"

#include "tessera/cli/Cli.h"
#include "tessera/cuda_tile/Hints.h"

#include <charconv>

using namespace mlir;

namespace tessera::cli {

namespace {

/// The line of the source that an op comes from; 0 if that is not known.
unsigned lineOf(Operation *op) {
  unsigned line = 0;
  op->getLoc()->walk([&](Location each) {
    auto place = dyn_cast<FileLineColLoc>(each);
    if (auto scoped = dyn_cast<cuda_tile::DILocAttr>(LocationAttr(each)))
      place = dyn_cast<FileLineColLoc>(scoped.getSourceLoc());
    if (!place)
      return WalkResult::advance();
    line = place.getLine();
    return WalkResult::interrupt();
  });
  return line;
}

/// The hints of an op without this one of any GPU, and with it for all.
cuda_tile::OptimizationHintsAttr replaced(cuda_tile::OptimizationHintsAttr before,
                                          NamedAttribute hint) {
  MLIRContext *context = hint.getName().getContext();
  constexpr StringLiteral everyGpu = "default";
  NamedAttrList targets, all;
  if (before)
    for (NamedAttribute target : before.getValue()) {
      NamedAttrList others(cast<DictionaryAttr>(target.getValue()));
      others.erase(hint.getName());
      if (target.getName() == everyGpu)
        all = others;
      else
        targets.set(target.getName(), others.getDictionary(context));
    }
  all.set(hint.getName(), hint.getValue());
  targets.set(everyGpu, all.getDictionary(context));
  return cuda_tile::OptimizationHintsAttr::get(context, targets.getDictionary(context));
}

/// A number or `true` or `false`.
Attribute valueOf(std::string_view text, Builder &builder) {
  if (text == "true" || text == "false")
    return builder.getBoolAttr(text == "true");
  int64_t number = 0;
  auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool isWhole = error == std::errc() && stop == text.data() + text.size();
  return isWhole ? builder.getI64IntegerAttr(number) : Attribute();
}

/// Sets a hint on each op that takes it; the reason if none does, or the value is not one of it.
Status set(ModuleOp module, const Parameter &parameter, std::string_view value) {
  Builder builder(module.getContext());
  NamedAttribute hint(builder.getStringAttr(parameter.hint), valueOf(value, builder));
  std::string wrong = hint.getValue() ? cuda_tile::hints::wrong("default", hint)
                                      : cat("expected a number, true or false");
  if (!wrong.empty())
    return Reason{"Hint", cat("--param ", parameter.name, ": ", wrong, ", but got ", value)};
  size_t found = 0;
  module.walk([&](Operation *op) {
    unsigned place = cuda_tile::hints::placeOf(op);
    if (!cuda_tile::hints::isOf(parameter.hint, place) ||
        (parameter.line && lineOf(op) != parameter.line))
      return;
    ++found;
    constexpr StringLiteral attribute = "optimization_hints";
    auto before = op->getAttrOfType<cuda_tile::OptimizationHintsAttr>(attribute);
    op->setAttr(attribute, replaced(before, hint));
  });
  if (found)
    return Done{};
  return Reason{"Hint", cat("--param ", parameter.name, ": the program has no op that takes '",
                            parameter.hint, "'",
                            parameter.line ? cat(" on line ", parameter.line) : std::string())};
}

} // namespace

std::optional<Result<Parameter>> hintParameter(std::string_view option) {
  std::string_view name = option.substr(0, option.find_first_of("@="));
  if (!cuda_tile::hints::isOf(name, ~0u))
    return {};
  size_t equals = option.find('=');
  if (equals == option.npos || equals + 1 == option.size())
    return Reason{"Parameter", cat("--param expects NAME=VALUE,VALUE,... but got '", option, "'")};
  Parameter out;
  out.name = option.substr(0, equals);
  out.hint = name;
  if (option[name.size()] == '@') {
    std::string_view digits = option.substr(name.size() + 1, equals - name.size() - 1);
    auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out.line);
    if (error != std::errc() || stop != digits.data() + digits.size() || out.line == 0)
      return Reason{"Parameter", cat("--param ", out.name, ": expects a line after @, from 1")};
  }
  out.values = valuesIn(option.substr(equals + 1));
  return out;
}

Result<std::string> withHints(const std::string &content, const std::string &name,
                              const std::vector<Parameter> &parameters,
                              const std::vector<size_t> &chosen) {
  Session session(llvm::MemoryBuffer::getMemBufferCopy(content, name), {}, /*quiet=*/true);
  if (!session.module)
    return Reason{"NotRead", session.said()};
  for (size_t i = 0; i < parameters.size(); ++i)
    if (!parameters[i].hint.empty())
      TESSERA_CHECK(set(*session.module, parameters[i], parameters[i].values[chosen[i]]));
  std::string text;
  llvm::raw_string_ostream(text) << *session.module << "\n";
  return text;
}

} // namespace tessera::cli
