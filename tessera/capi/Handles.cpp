// Errors and calls of the C API.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/capi/Handles.h"

namespace tessera::capi {

TesseraValue *handle(eval::Evaluation done, TesseraError **error) {
  if (done.ok())
    return new TesseraValue{*std::move(done.result), std::move(done.values)};
  refuse(error, done.refusal.reason, done.refusal.help);
  return nullptr;
}

TesseraValue *called(std::string_view name, std::span<const TesseraValue *const> operands,
                     TesseraError **error) {
  while (!operands.empty() && !operands.back())
    operands = operands.first(operands.size() - 1);
  std::vector<std::string> names;
  for (size_t i = 0; i < operands.size(); ++i)
    names.push_back(cat("operand", i));
  std::vector<eval::Binding> bound;
  std::string text = cat(name, "(");
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i]) {
      refuse(error, fail(Error::NullArgument, name, cat("a value as operand ", i + 1)));
      return nullptr;
    }
    bound.push_back({names[i], operands[i]->value, operands[i]->values});
    text += cat(i ? ", " : "", names[i]);
  }
  return handle(eval::evaluate(cat(text, ")"), true, bound), error);
}

std::optional<int64_t> numberOf(const TesseraValue &of) {
  if (const bool *truth = std::get_if<bool>(&of.value))
    return *truth;
  const layout::Tree *tree = std::get_if<layout::Tree>(&of.value);
  if (!tree || tree->isTuple() || tree->leaf().any || tree->leaf().isBasis())
    return std::nullopt;
  return of.values.valueOf(tree->leaf().value);
}

} // namespace tessera::capi

using namespace tessera;
using namespace tessera::capi;

const char *tesseraErrorId(const TesseraError *error) { return idOf(error); }
const char *tesseraErrorText(const TesseraError *error) { return textOf(error); }
const char *tesseraErrorHelp(const TesseraError *error) { return error ? error->help.c_str() : ""; }
void tesseraErrorDestroy(TesseraError *error) { destroyError(error); }
