// The atom types: what the definitions generate, and the texts that several families share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomTypes.h"

#include "tessera/cute_nvgpu/AtomText.h"
#include "tessera/cute_nvgpu/Diagnostics.h"
#include "tessera/cute_nvgpu/Families.h.inc"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include <concepts>
#include <type_traits>

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

#include "tessera/cute_nvgpu/Enums.cpp.inc"
#include "tessera/cute_nvgpu/Interfaces.cpp.inc"

//===--- texts --------------------------------------------------------------------------------===//

ParseResult tessera::cute_nvgpu::parseShapeMnk(AsmParser &parser, ShapeMnk &shape) {
  SmallVector<int64_t, 3> dims;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseDimensionList(dims, /*allowDynamic=*/false, /*withTrailingX=*/false))
    return failure();
  if (dims.size() != 3)
    return parser.emitError(loc, "expects an MMA shape of three extents, MxNxK, but got ")
           << dims.size();
  shape = {dims[0], dims[1], dims[2]};
  return success();
}
void tessera::cute_nvgpu::printShapeMnk(AsmPrinter &printer, const ShapeMnk &shape) {
  printer << shape.m << "x" << shape.n << "x" << shape.k;
}

ParseResult tessera::cute_nvgpu::parseOptions(AsmParser &parser,
                                              function_ref<FailureOr<bool>(StringRef)> read,
                                              ArrayRef<StringRef> flags) {
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || (!llvm::is_contained(flags, key) && parser.parseEqual()))
      return failure();
    FailureOr<bool> known = read(key);
    if (failed(known))
      return failure();
    if (!*known)
      return parser.emitError(loc, "expects an option of this atom, but got '") << key << "'";
  }
  return success();
}

ParseResult tessera::cute_nvgpu::parseOverflowOption(AsmParser &parser, atom::Overflow &overflow) {
  overflow = atom::Overflow::Wrapped;
  return parseOptions(parser, [&](StringRef key) -> FailureOr<bool> {
    return key == "int_overflow" ? parseCase(parser, overflow) : FailureOr<bool>(false);
  });
}
void tessera::cute_nvgpu::printOverflowOption(AsmPrinter &printer, atom::Overflow overflow) {
  if (overflow != atom::Overflow::Wrapped)
    printer << ", int_overflow = <" << overflow << ">";
}

ParseResult tessera::cute_nvgpu::parseMulticast(AsmParser &parser, bool &multicast) {
  multicast = succeeded(parser.parseOptionalKeyword("mcast"));
  return multicast ? ParseResult(failure(parser.parseEqual() || parser.parseKeyword("true")))
                   : ParseResult(success());
}
void tessera::cute_nvgpu::printMulticast(AsmPrinter &printer, bool multicast) {
  if (multicast)
    printer << " mcast = true";
}

//===--- registration -------------------------------------------------------------------------===//

#define GET_ATTRDEF_CLASSES
#include "tessera/cute_nvgpu/Attrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "tessera/cute_nvgpu/Types.cpp.inc"

namespace {
template <class... Types> struct TypeList {};
using AllTypes = TypeList<
#define GET_TYPEDEF_LIST
#include "tessera/cute_nvgpu/Types.cpp.inc"
    >;

/// The type of the family, among the types that are an `Atom`.
template <class Atom, class Form, class Family, class... Types>
Type ofFamily(TypeList<Types...>, Emitter emit, MLIRContext *context, const Form &form,
              Family family) {
  Type made;
  auto isOf = [&]<class T>(std::type_identity<T>) {
    if constexpr (std::derived_from<T, Atom>)
      if (T::family == family) {
        made = T::ofForm(emit, context, form);
        return true;
      }
    return false;
  };
  (void)(isOf(std::type_identity<Types>()) || ...);
  return made;
}
} // namespace

Type tessera::cute_nvgpu::typeOfForm(Emitter emit, MLIRContext *context, const MmaForm &form) {
  return ofFamily<TableMmaAtom>(AllTypes(), emit, context, form, form.query.family);
}
Type tessera::cute_nvgpu::typeOfForm(Emitter emit, MLIRContext *context, const CopyForm &form) {
  return ofFamily<TableCopyAtom>(AllTypes(), emit, context, form, form.key.family);
}

void CuteNvgpuDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tessera/cute_nvgpu/Types.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tessera/cute_nvgpu/Attrs.cpp.inc"
      >();
}
