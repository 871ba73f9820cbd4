// Kernels: host functions that launch them, traced for the arguments of a call, compiled and run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   void scale_device(Tensor x, Tensor y, Num factor) { ... }     // what threads do
//   void scale(Tensor x, Tensor y, Num factor) {                  // what the host does
//     launch(scale_device, {.grid = {ceil_div(size(x), 128)}, .block = 128}, x, y, factor);
//   }
//   auto k = kernel(scale, "scale");
//   Outcome done = k(simulator(), x, y, 2.0f);   // arrays: tile::Array, vectors, views
//
// A function is traced once for each set of known facts about its arguments: element types, ranks,
// which strides are 1, and the power of two, up to 16 bytes, that strides are multiples of. The
// Kernel keeps the programs.
//
// Threads: only one thread at a time may use a Kernel or a Device.
#pragma once

#include "tessera/cute_cxx/Blackwell.h"
#include "tessera/cute_cxx/Control.h"
#include "tessera/cute_cxx/Subbyte.h"
#include "tessera/tile_dsl/Host.h"

#include <cstring>
#include <span>

namespace tessera::cute {

//===--- in the host function -----------------------------------------------------------------===//

/// Extents along each axis. A number is along x.
struct Dim3 {
  template <std::convertible_to<IntTuple> T = int>
  Dim3(const T &along_x = 1, const IntTuple &along_y = 1, const IntTuple &along_z = 1)
      : x(along_x), y(along_y), z(along_z) {}
  IntTuple x, y, z;
};
using dim3 = Dim3; // CUDA's name
struct LaunchConfig {
  Dim3 grid = {};  // blocks
  Dim3 block = {}; // threads, which C++ knows
  int cluster_x = 1, cluster_y = 1;
  const char *name = nullptr; // of the kernel; null: named after the host function
  Place at = Place::current();
};

namespace detail {
void launch(const LaunchConfig &, const std::vector<Value *> &passed,
            const std::function<void()> &body);
} // namespace detail

/// Queues a kernel, a function of the values passed here. Values known only on the device or at the
/// launch become its parameters; the others are constants in it. A struct of values has a
/// `members()` that returns std::tie of them.
template <class... P, class... A>
  requires std::invocable<void (&)(P...), const std::decay_t<P> &...> &&
           (sizeof...(P) == sizeof...(A))
void launch(void (*kernel)(P...), const LaunchConfig &config, const A &...arguments) {
  std::tuple<std::decay_t<P>...> own(arguments...);
  std::vector<Value *> values;
  std::apply([&](auto &...each) { (detail::addValues(each, values), ...); }, own);
  detail::launch(config, values, [&] { std::apply(kernel, own); });
}
/// In the host function: unless the condition holds, the call fails with this message.
void host_check(const Num &condition, const char *otherwise, Place = Place::current());

//===--- outcomes -----------------------------------------------------------------------------===//

// What went wrong, with the author's lines; empty if nothing did.
using tile::Diagnostic;
using tile::Outcome;

//===--- devices ------------------------------------------------------------------------------===//

class Device;
struct SimulatorOptions {
  bool sanitize = true; // report races, missing fences and reads of memory that was never written
};
/// The simulator on the CPU: one in this process for each choice of options.
Device &simulator(SimulatorOptions = {});
/// The GPU of this machine. Without one, launches report that.
Device &cuda_device();

//===--- kernels ------------------------------------------------------------------------------===//

namespace detail {

/// An argument of a launch: an array, or a number.
struct Argument {
  Format format = Format::none;
  bool isArray = false; // else a number
  bool isConst = false; // an array that kernels only read
  void *data = nullptr;
  std::vector<int64_t> shape, strides;
  uint64_t code = 0;
};
template <class T> Argument argumentOf(T &&given) {
  using U = std::remove_cvref_t<T>;
  Argument out;
  if constexpr (ElementType<U>) {
    out.format = format_of<U>;
    std::memcpy(&out.code, &given, sizeof(U));
  } else {
    using Host = tile::detail::HostArray<U>;
    static_assert(Host::isArray, "an argument is a number, or an Array, a view, a vector, a span");
    auto view = Host::view(given);
    out.format = format_of<std::remove_const_t<typename Host::Element>>;
    out.isArray = true;
    out.isConst = std::is_const_v<typename Host::Element> ||
                  std::is_const_v<std::remove_pointer_t<decltype(view.data)>>;
    out.data = const_cast<std::remove_const_t<typename Host::Element> *>(view.data);
    out.shape.assign(view.shape.begin(), view.shape.end());
    out.strides.assign(view.strides.begin(), view.strides.end());
  }
  return out;
}

class KernelCore {
public:
  using Body = std::function<void(std::span<const Value>)>;
  /// `arrays`: for each parameter, whether it is a tensor; `at`: where the kernel is made.
  KernelCore(std::string name, std::string arch, Body body, std::vector<bool> arrays, Place at);

  Outcome run(Device &, std::span<const Argument>);
  Outcome text(std::string &out, std::span<const Argument>, bool ptx);
  size_t traces() const;

private:
  struct State;
  std::shared_ptr<State> state;
};

} // namespace detail

/// A host function that can be called with arrays and numbers.
template <class... P> class Kernel {
public:
  static_assert(
      ((std::is_base_of_v<Tensor, std::decay_t<P>> || std::is_same_v<Num, std::decay_t<P>>) && ...),
      "a parameter of a host function is a Tensor or a Num");

  Kernel(void (*host)(P...), std::string name, std::string arch, Place at = Place::current())
      : core(
            std::move(name), std::move(arch),
            [host](std::span<const Value> arguments) {
              call(host, arguments, std::index_sequence_for<P...>{});
            },
            {std::is_base_of_v<Tensor, std::decay_t<P>>...}, at) {}

  /// Compiles the program if that was not done yet, copies the arrays to the device, runs it, and
  /// copies them back.
  template <class... A>
    requires(sizeof...(A) == sizeof...(P))
  Outcome operator()(Device &device, A &&...arguments) {
    const detail::Argument list[] = {detail::argumentOf(arguments)...};
    return core.run(device, list);
  }
  /// The program for such arguments.
  template <class... A> Outcome ir(std::string &out, A &&...arguments) {
    const detail::Argument list[] = {detail::argumentOf(arguments)...};
    return core.text(out, list, false);
  }
  template <class... A> Outcome ptx(std::string &out, A &&...arguments) {
    const detail::Argument list[] = {detail::argumentOf(arguments)...};
    return core.text(out, list, true);
  }
  /// Number of times that the function was traced.
  size_t traces() const { return core.traces(); }

private:
  template <size_t... i>
  static void call(void (*host)(P...), std::span<const Value> arguments,
                   std::index_sequence<i...>) {
    host(std::decay_t<P>(arguments[i].node())...);
  }
  detail::KernelCore core;
};
/// `arch` decides which instructions a kernel may use. If $TESSERA_CUTE_KEEP is set, the traced
/// programs and their PTX are written to that folder.
template <class... P>
Kernel<P...> kernel(void (*host)(P...), std::string name = "kernel", std::string arch = "sm_80",
                    Place at = Place::current()) {
  return Kernel<P...>(host, std::move(name), std::move(arch), at);
}

} // namespace tessera::cute
