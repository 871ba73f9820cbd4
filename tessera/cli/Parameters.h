// Parameters: places in the text of a kernel where `tessera tune` tries one value after the other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include <string>
#include <string_view>
#include <vector>

namespace tessera::cli {

/// The place that `NAME=VALUE,VALUE,...` names in a text, and the values to put there.
///
///   %x          the number of an arith.constant or of a constant of a tile program; of another op
///               the last text in quotes of its definition, which is what its type states
///   !x, #x      the text in quotes of an alias
///   %x.key, !x.key, #x.key   the value after `key =` in that definition
///   key         the value after `key =`, where one place of the file has it
///
/// `@LINE` after the name chooses among several. A value that begins with ! or # takes the place of
/// a whole alias. Values are separated by commas outside brackets.
struct Parameter {
  std::string name;
  std::vector<std::string> values;
  size_t begin = 0, end = 0; // of the text that a value replaces
  size_t whole = 0;          // where the alias begins that a whole value takes the place of, up to
  size_t wholeEnd = 0;       // here; 0 and 0 if it is none
  std::string hint = {};     // of a tile program, which has no place in the text (TileHints.h), on
  unsigned line = 0;         // this line; 0: all of it
};

/// Reasons say what was looked for, and list the places if there are several.
Result<Parameter> findParameter(std::string_view text, std::string_view option);

/// The values of a list.
std::vector<std::string> valuesIn(std::string_view list);

/// The text with a value for each parameter that has a place in it; it is an error if they overlap.
Result<std::string> withValues(std::string_view text, const std::vector<Parameter> &parameters,
                               const std::vector<size_t> &chosen);

} // namespace tessera::cli
