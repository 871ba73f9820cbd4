// The interpreter as a target, and the numbers of formats that C++ does not have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_dsl/Errors.h"
#include "tessera/tile_dsl/Runner.h"

#include "tessera/tile_eval/Element.h"
#include "tessera/tile_eval/Interpreter.h"

#include <chrono>

namespace tessera::tile {

namespace detail {
uint64_t encodeFloat(TypeKind kind, double value) { return tile_eval::encode(kind, value); }
double decodeFloat(TypeKind kind, uint64_t code) { return tile_eval::decode(kind, code); }
} // namespace detail

namespace {

/// The diagnostic of a reason, whose text says " at FILE:LINE:COLUMN" where the op has a place.
Diagnostic located(const Reason &reason) {
  Diagnostic out{std::string(reason.id), reason.text};
  size_t at = out.text.find(" at "), block = out.text.find("in tile block");
  if (at == out.text.npos || block == out.text.npos || at < block)
    return out;
  size_t end = out.text.find_first_not_of("0123456789:", out.text.find(':', at));
  std::string place = out.text.substr(at + 4, end - at - 4);
  while (!place.empty() && place.back() == ':')
    place.pop_back(), --end;
  size_t column = place.rfind(':'), line = column ? place.rfind(':', column - 1) : place.npos;
  if (line == place.npos || column == place.npos)
    return out;
  out.file = place.substr(0, line);
  out.line = unsigned(std::stoul("0" + place.substr(line + 1, column - line - 1)));
  out.column = unsigned(std::stoul("0" + place.substr(column + 1)));
  out.text.erase(at, end - at);
  return out;
}

class OnInterpreter : public Runner {
public:
  Outcome run(const Launch &launch) override {
    tile_eval::Interpreter interpreter(launch.program);
    for (const detail::Argument *array : launch.arrays)
      if (array && array->bytes)
        interpreter.memory().add(array->data, array->bytes);
    Outcome outcome;
    auto start = std::chrono::steady_clock::now();
    Status status = interpreter.launch(
        launch.kernel, {uint32_t(launch.grid.x), uint32_t(launch.grid.y), uint32_t(launch.grid.z)},
        launch.codes);
    outcome.output = interpreter.takeOutput();
    outcome.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    if (!status)
      outcome.diagnostics.push_back(located(status.reason()));
    return outcome;
  }
};

} // namespace

Runner &interpreter() {
  static OnInterpreter target;
  return target;
}

} // namespace tessera::tile
