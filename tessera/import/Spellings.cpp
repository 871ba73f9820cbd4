// The interpreter of the spellings' tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/Spellings.h"

#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"
#include "tessera/import/ForeignContext.h"
#include "tessera/import/spellings/Spelling.h"

using namespace mlir;

namespace tessera::import {

ArrayRef<Spelling> spellings() {
  static const Spelling all[] = {specification(), dsl41(), dsl43(), dsl45()};
  return all;
}

OptionalParseResult permit(OpAsmParser &, OperationState &, cute::ParsedOp &) {
  return ParseResult(success());
}

namespace {
/// Reads an op under the name that we have for it.
ParseResult parseRenamed(OpAsmParser &parser, OperationState &state) {
  for (const Spelling &spelling : spellings())
    for (const NameRow &row : spelling.names)
      if (row.name == state.name.getStringRef()) {
        state.name = OperationName(row.ours, parser.getContext());
        return state.name.getRegisteredInfo()->getParseAssemblyFn()(parser, state);
      }
  llvm_unreachable("opNamed gives this hook for names of the tables only");
}

class AllSpellings : public cute::Spellings {
public:
  using Spellings::Spellings;

  OptionalParseResult value(AsmParser &parser, cute::ValueForm form,
                            std::string &text) const override {
    for (const Spelling &spelling : spellings())
      for (const ValueRow &row : spelling.values)
        if (llvm::is_contained(row.forms, form))
          if (OptionalParseResult read = row.read(parser, form, text); read.has_value())
            return read;
    return std::nullopt;
  }

  OptionalParseResult addressSpace(AsmParser &parser, cute::AddressSpace &space) const override {
    int64_t number;
    SMLoc loc = parser.getCurrentLocation();
    OptionalParseResult read = parser.parseOptionalInteger(number);
    if (!read.has_value() || failed(*read))
      return read;
    for (const Spelling &spelling : spellings())
      for (const SpaceRow &row : spelling.spaces)
        if (row.number == number) {
          space = row.space;
          return ParseResult(success());
        }
    return ParseResult(parser.emitError(loc) << cute::sentence(cute::Diag::SpaceName, number));
  }

  OptionalParseResult departure(OpAsmParser &parser, OperationState &state, cute::Departure where,
                                cute::ParsedOp &op) const override {
    StringRef name = state.name.getStringRef();
    if (OptionalParseResult read = tryRows(parser, state, where, op, name); read.has_value())
      return read;
    return op.spec.empty() ? std::nullopt : tryRows(parser, state, where, op, anyOp);
  }

  TypeParser typeNamed(StringRef name) const override {
    for (const Spelling &spelling : spellings())
      for (const TypeRow &row : spelling.types)
        if (row.name == name)
          return row.parse;
    return nullptr;
  }

  std::optional<Dialect::ParseOpHook> opNamed(StringRef name) const override {
    for (const Spelling &spelling : spellings())
      for (const NameRow &row : spelling.names)
        if (row.name == name)
          return Dialect::ParseOpHook(parseRenamed);
    return std::nullopt;
  }

  void omittedResults(OperationName name, SmallVectorImpl<Type> &types) const override {
    if (const Version *version = ForeignContext::version(getContext()))
      for (const ResultRow &row : version->results)
        if (row.op == name.getStringRef())
          llvm::transform(types, types.begin(), row.foreign);
  }

private:
  static OptionalParseResult tryRows(OpAsmParser &parser, OperationState &state,
                                     cute::Departure where, cute::ParsedOp &op, StringRef name) {
    for (const Spelling &spelling : spellings())
      for (const OpRow &row : spelling.ops)
        if (row.op == name && row.where == where)
          if (OptionalParseResult read = row.read(parser, state, op); read.has_value())
            return read;
    return std::nullopt;
  }
};
} // namespace

void registerSpellings(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *, cute::CuteDialect *dialect) { dialect->addInterfaces<AllSpellings>(); });
}

} // namespace tessera::import
