// Names of PTX's text that the machine uses too: types, spaces, the tree.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/ptx_text/Tree.h"

namespace tessera::sim {

using ptx_text::bits;
using ptx_text::bitsOf;
using ptx_text::bytes;
using ptx_text::findType;
using ptx_text::isFloat;
using ptx_text::isSigned;
using ptx_text::kindOf;
using ptx_text::name;
using ptx_text::Operand;
using ptx_text::row;
using ptx_text::Space;
using ptx_text::Statement;
using ptx_text::Type;
using ptx_text::TypeKind;
using ptx_text::TypeRow;
using ptx_text::types;
using ptx_text::Variable;

} // namespace tessera::sim
