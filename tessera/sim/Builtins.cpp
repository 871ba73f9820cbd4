// The functions that every program has: vprintf, __assertfail, malloc, free and
// cudaGraphSetConditional. Those by which kernels launch kernels are in DeviceLaunches.cpp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Calls.h"

#include <algorithm>
#include <cstdio>

namespace tessera::sim {

namespace {

/// The text at a generic address, or nothing after a fault.
std::optional<std::string> textAt(Warp &w, uint64_t address, int lane) {
  std::string out;
  while (out.size() < 65536) {
    std::byte *at = w.locate(Space::Generic, address++, 1, Access::Read, lane);
    if (!at)
      return std::nullopt;
    if (*at == std::byte(0))
      break;
    out += char(*at);
  }
  return out;
}

/// Walks the buffer that vprintf gets: each argument at a multiple of its size.
struct Arguments {
  Warp &w;
  int lane;
  uint64_t at;
  uint32_t taken = 0;

  std::optional<uint64_t> next(uint32_t size) {
    at = (at + size - 1) / size * size;
    std::byte *from = w.locate(Space::Generic, at, size, Access::Read, lane);
    uint64_t value = 0;
    if (!from)
      return std::nullopt;
    std::memcpy(&value, from, size);
    at += size;
    ++taken;
    return value;
  }
};

constexpr int mostOfOne = 65536; // bytes of the text of a conversion

/// A conversion whose width and precision are at most twice as long as what is kept of its text,
/// which is the same then: the host would take a minute for `%999999999d`.
std::string bounded(std::string_view spec) {
  constexpr size_t digits = 6;
  std::string out;
  while (!spec.empty()) {
    size_t count = std::min(spec.find_first_not_of("0123456789"), spec.size());
    std::string_view number = spec.substr(0, count);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size())); // flags stay
    out += spec.substr(0, count - number.size());
    bool isLarge = number.size() > digits ||
                   (!number.empty() && std::stoi(std::string(number)) > 2 * mostOfOne);
    out += isLarge ? std::to_string(2 * mostOfOne) : std::string(number);
    spec.remove_prefix(count);
    if (!spec.empty()) {
      out += spec[0];
      spec.remove_prefix(1);
    }
  }
  return out;
}

/// The text that the host's snprintf makes, cut off at 64 KiB.
template <class T> std::string hosts(const std::string &given, T value) {
  const std::string spec = bounded(given);
  std::string out(std::clamp(std::snprintf(nullptr, 0, spec.c_str(), value), 0, mostOfOne), '\0');
  std::snprintf(out.data(), out.size() + 1, spec.c_str(), value);
  return out;
}

/// A conversion of a format, from its % to its letter.
struct Conversion {
  std::string spec;       // without the size; empty: none begins here
  char letter = 0;        // of diouxXcsfFeEgGaAp
  bool isLong = false;    // l or ll: 8 bytes
  bool isDefined = true;  // false: a size that GPUs do not know, but do not print either
  bool isByte = false;    // hh
  std::string_view whole; // as it stands
};

/// The conversion at a % of a format. CUDA C++ Programming Guide 10.35.1. A GPU prints what is not
/// a conversion as it stands: %zu, %.*f, 100%. (An H200 with driver 580.159.04; it takes hh, j, t
/// and L for sizes, and misprints what follows: of hh not the next argument, but those after it.)
Conversion conversionAt(std::string_view format) {
  size_t at = 1;
  auto skip = [&](std::string_view any) {
    while (at < format.size() && any.find(format[at]) != any.npos)
      ++at;
  };
  skip("-+ #0");
  if (at < format.size() && format[at] == '*')
    ++at;
  else
    skip("0123456789");
  if (at < format.size() && format[at] == '.') {
    ++at;
    skip("0123456789");
  }
  const size_t size = at;
  skip("hljtL");
  const std::string_view sizes = format.substr(size, at - size);
  if (at == format.size() ||
      std::string_view("diouxXcsfFeEgGaAp").find(format[at]) == std::string_view::npos)
    return {};
  return {.spec = cat(format.substr(0, size), format[at]),
          .letter = format[at],
          .isLong = sizes == "l" || sizes == "ll",
          .isDefined = sizes.empty() || sizes == "h" || sizes == "l" || sizes == "ll",
          .isByte = sizes == "hh",
          .whole = format.substr(0, at + 1)};
}

size_t conversionsIn(std::string_view format) {
  size_t count = 0;
  while (!format.empty()) {
    const Conversion found = format[0] == '%' ? conversionAt(format) : Conversion();
    count += found.letter != 0;
    format.remove_prefix(format.starts_with("%%") ? 2 : std::max<size_t>(found.whole.size(), 1));
  }
  return count;
}

/// A conversion of the next arguments, printed by the host; nothing after a fault.
std::optional<std::string> converted(Arguments &arguments, const Conversion &c) {
  std::string spec = c.spec;
  bool isReal = std::string_view("eEfFgGaA").find(c.letter) != std::string_view::npos;
  bool isPointer = c.letter == 'p' || c.letter == 's';
  if (size_t star = spec.find('*'); star != spec.npos) { // a width given by an argument
    std::optional<uint64_t> width = arguments.next(4);
    if (!width)
      return std::nullopt;
    spec.replace(star, 1, std::to_string(int32_t(*width)));
  }
  std::optional<uint64_t> value = arguments.next(isReal || isPointer || c.isLong ? 8 : 4);
  if (!value)
    return std::nullopt;
  if (c.letter == 's') {
    if (*value == 0)
      return hosts(spec, "(null)");
    std::optional<std::string> text = textAt(arguments.w, *value, arguments.lane);
    return text ? std::optional(hosts(spec, text->c_str())) : std::nullopt;
  }
  if (c.letter == 'p')
    return cat("0x", hex(*value).substr(2));
  if (isReal)
    return hosts(spec, std::bit_cast<double>(*value));
  if (c.isLong) {
    spec.insert(spec.size() - 1, "ll");
    return hosts(spec, (long long)*value);
  }
  if (c.whole.find('h') != c.whole.npos)
    spec.insert(spec.size() - 1, c.isByte ? "hh" : "h");
  return hosts(spec, int32_t(*value));
}

/// The text of a call, as far as a machine keeps it, and the length of all of it.
struct Printed {
  uint64_t most, length = 0;
  std::string text = {};

  void add(std::string_view piece) {
    length += piece.size();
    text += piece.substr(0, most - text.size());
  }
};

/// The result is the number of arguments, or -1 where there is no format. CUDA C++ Programming
/// Guide 10.35.
Flow printOne(Warp &w, const CallPlan &plan, int lane) {
  if (argument(w, plan, 0, lane) == 0) {
    setResult(w, plan, ~uint64_t(0), lane);
    return Flow::Next;
  }
  std::optional<std::string> format = textAt(w, argument(w, plan, 0, lane), lane);
  if (!format)
    return Flow::Fault;
  Arguments arguments{w, lane, argument(w, plan, 1, lane)};
  Printed out{w.grid.limits.outputBytes};
  for (std::string_view rest = *format; !rest.empty();) {
    if (rest.starts_with("%%")) {
      out.add("%");
      rest.remove_prefix(2);
      continue;
    }
    Conversion conversion = rest[0] == '%' ? conversionAt(rest) : Conversion();
    if (!conversion.letter) {
      out.add(rest.substr(0, 1));
      rest.remove_prefix(1);
      continue;
    }
    const bool isPrinted =
        conversion.isDefined ||
        (conversion.isByte && conversionsIn(rest.substr(conversion.whole.size())) < 2);
    if (!isPrinted)
      return w.fault(lane, Error::PrintFormat, conversion.whole);
    std::optional<std::string> piece = converted(arguments, conversion);
    if (!piece)
      return Flow::Fault;
    out.add(*piece);
    rest.remove_prefix(conversion.whole.size());
  }
  w.cta.grid.print(out.text, out.length - out.text.size());
  setResult(w, plan, arguments.taken, lane);
  return Flow::Next;
}

Flow assertFailed(Warp &w, const CallPlan &plan, int lane) {
  std::optional<std::string> message = textAt(w, argument(w, plan, 0, lane), lane);
  std::optional<std::string> file =
      message ? textAt(w, argument(w, plan, 1, lane), lane) : std::nullopt;
  if (!file)
    return Flow::Fault;
  return w.fault(lane, Error::AssertFailed,
                 cat(*message, " (", *file, ":", uint32_t(argument(w, plan, 2, lane)), ")"));
}

Flow allocate(Warp &w, const CallPlan &plan, int lane) {
  uint64_t bytes = argument(w, plan, 0, lane), address = w.grid.heap->allocate(bytes);
  if (address)
    w.tell(MemoryChange{MemoryChange::New, Space::Global, address, bytes, Mask(1) << lane});
  setResult(w, plan, address, lane);
  return Flow::Next;
}
Flow release(Warp &w, const CallPlan &plan, int lane) {
  uint64_t address = argument(w, plan, 0, lane);
  if (address == 0)
    return Flow::Next;
  if (!w.grid.heap || !w.grid.heap->free(address))
    return w.fault(lane, Error::HeapFree, hex(address));
  w.tell(MemoryChange{MemoryChange::Freed, Space::Global, address, 0, Mask(1) << lane});
  return Flow::Next;
}

Flow setConditional(Warp &w, const CallPlan &plan, int lane) {
  const uint64_t handle = argument(w, plan, 0, lane);
  if (w.grid.conditions && w.grid.conditions->set(handle, unsigned(argument(w, plan, 1, lane))))
    return Flow::Next;
  return w.fault(lane, Error::NoCondition, hex(handle));
}

constexpr std::pair<std::string_view, Builtin> builtins[] = {
    {"vprintf", printOne},
    {"__assertfail", assertFailed},
    {"malloc", allocate},
    {"free", release},
    {"cudaGraphSetConditional", setConditional}};

} // namespace

std::byte *bytesOf(Warp &w, const Frame &frame, const Place &place, int lane) {
  if (place.slot == noSlot)
    return w.local(lane, frame.localBase + place.offset);
  if (place.slot & 1)
    return const_cast<std::byte *>(w.grid.program.constants.data()) + (place.slot & ~1u) +
           size_t(lane) * place.size;
  return frame.registers.get() + place.slot + size_t(lane) * place.size;
}

uint64_t argument(Warp &w, const CallPlan &plan, size_t which, int lane) {
  uint64_t value = 0;
  if (which < plan.arguments.size())
    std::memcpy(&value, bytesOf(w, *w.frame, plan.arguments[which], lane),
                std::min(plan.arguments[which].size, 8u));
  return value;
}

void setResult(Warp &w, const CallPlan &plan, uint64_t value, int lane) {
  if (plan.results.empty())
    return;
  const Place &place = plan.results[0];
  std::memcpy(bytesOf(w, *w.frame, place, lane), &value, std::min(place.size, 8u));
  if (place.slot == noSlot)
    w.tell(MemoryChange{MemoryChange::Written, Space::Local, w.frame->localBase + place.offset,
                        place.size, Mask(1) << lane});
}

namespace {

Builtin builtin(std::string_view name) {
  for (auto [known, run] : builtins)
    if (known == name)
      return run;
  return deviceRuntimeFunction(name);
}

} // namespace

bool isBuiltin(std::string_view name) { return builtin(name); }

std::optional<Flow> callBuiltin(Warp &w, std::string_view name, const CallPlan &plan, Mask mask) {
  const Builtin run = builtin(name);
  if (!run)
    return std::nullopt;
  for (Mask left = mask; left; left &= left - 1)
    if (Flow flow = run(w, plan, std::countr_zero(left)); flow != Flow::Next)
      return flow;
  return Flow::Next;
}

} // namespace tessera::sim
