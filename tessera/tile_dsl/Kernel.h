// Kernel: a C++ function as a kernel, which is traced for the arguments of a launch and then run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   auto k = kernel(gemm<16, 16, 16>, "gemm");
//   Outcome done = k(a, b, c);              // the grid follows from the output c
//   Outcome same = run(gemm<16, 16, 16>, a, b, c);
//   Outcome other = run(histogram, Grid{8}, x, counts);
//
// Threads: a kernel may be launched by any number of them at once.
//
// A kernel is traced once for each set of known facts about its arguments: which pointers and
// extents are multiples of 16, which strides are 1, which arrays may overlap. Programs are kept.
#pragma once

#include "tessera/tile_dsl/Control.h"
#include "tessera/tile_dsl/Host.h"

#include <functional>

namespace tessera::tile_bytecode {
struct Program;
}

namespace tessera::tile {

/// What runs kernels (Runner.h).
class Runner;
/// Runs kernels on the CPU, each op exactly; undefined behaviour is a diagnostic.
Runner &interpreter();

namespace detail {

/// What an entry passes to a parameter of the function.
struct ParameterValue {
  Id number; // or a pointer
  const TensorInfo *tensor = nullptr;
};

class KernelCore {
public:
  using Body = std::function<void(std::span<const ParameterValue>)>;
  KernelCore(std::string name, std::vector<ParameterInfo> parameters, Body body, Where where);

  Outcome launch(std::span<const Argument> arguments, std::optional<Grid> grid, Runner *target);
  /// The program for such arguments; null if the trace found mistakes.
  const tile_bytecode::Program *program(std::span<const Argument> arguments, Outcome &outcome);
  Outcome bytecode(std::span<const Argument> arguments, std::string &out);

  std::string name;
  std::vector<ParameterInfo> parameters;
  KernelHints hints;
  Checks checks = Checks::Launch;
  /// How often the function was traced.
  size_t traces() const;

private:
  struct State;
  std::shared_ptr<State> state;
  Body body;
  Where where;
};

//===--- Parameters of functions

template <class P> struct Parameter {
  static_assert(never<P>,
                "a kernel's parameter is a Tile<E> (a number), a Tile<E *>, an In, an Out "
                "or a Tensor; numbers of the host are template arguments");
  // So that the assertion is the only message.
  static ParameterInfo info() { return {}; }
  static P make(const ParameterValue &);
  template <class A> static Argument bind(A &) { return {}; }
};
/// The array of an argument, or a mistake that says why it has none.
template <Element E, int R, class A> Argument arrayArgument(A &a) {
  using H = HostArray<std::remove_cv_t<A>>;
  constexpr bool isPacked = std::is_same_v<std::remove_cv_t<A>, std::vector<bool>>;
  static_assert(!isPacked, "std::vector<bool> packs bits, which have no addresses: take an "
                           "Array<bool, 1>");
  static_assert(H::isArray || isPacked,
                "this parameter takes an array: Array, view, std::vector, std::array, "
                "std::span or partition");
  if constexpr (H::isArray) {
    static_assert(std::is_same_v<std::remove_const_t<typename H::Element>, E>,
                  "the array's elements are of another type than the parameter's");
    static_assert(H::rank == R, "the array has another number of dimensions than the parameter");
    Argument out = argumentOf(H::view(a));
    if constexpr (requires { a.tile; })
      out.tile.assign(a.tile.begin(), a.tile.end());
    if constexpr (requires { H::owner(a); })
      out.owner = H::owner(a);
    return out;
  } else
    return {};
}
template <Element E> struct Parameter<Tile<E>> {
  static ParameterInfo info() { return {.kind = ParameterInfo::Number, .element = kindOf<E>}; }
  static Tile<E> make(const ParameterValue &v) { return Tile<E>(v.number); }
  template <class A> static Argument bind(A &a) {
    using T = std::remove_cvref_t<A>;
    constexpr bool isNumber = HostNumber<T> || Element<T>;
    constexpr bool fits = AnyFloat<E> || std::is_integral_v<T> || std::is_same_v<T, E>;
    static_assert(isNumber, "this parameter takes a number");
    static_assert(fits || !isNumber, "this parameter takes an integer: convert the argument");
    if constexpr (isNumber && fits)
      return {.code = codeOf<E>(a)};
    else
      return {};
  }
};
template <Element E> struct Parameter<Tile<E *>> {
  static ParameterInfo info() { return {.kind = ParameterInfo::Pointer, .element = kindOf<E>}; }
  static Tile<E *> make(const ParameterValue &v) { return Tile<E *>(v.number); }
  template <class A> static Argument bind(A &a) {
    using T = std::remove_cvref_t<A>;
    if constexpr (std::is_pointer_v<T>) {
      static_assert(std::is_same_v<std::remove_cv_t<std::remove_pointer_t<T>>, E>,
                    "the pointer points to another type than the parameter's");
      Argument out;
      out.data = const_cast<E *>(a);
      return out;
    } else
      return arrayArgument<E, HostArray<T>::rank>(a);
  }
};
template <Element E, int R> struct Parameter<In<E, R>> {
  static ParameterInfo info() {
    return {.kind = ParameterInfo::Input,
            .element = kindOf<E>,
            .extents = std::vector<int64_t>(size_t(R), -1)};
  }
  static In<E, R> make(const ParameterValue &v) { return In<E, R>(v.tensor); }
  template <class A> static Argument bind(A &a) { return arrayArgument<E, R>(a); }
};
template <Element E, int... D> struct Parameter<Out<E, D...>> {
  static ParameterInfo info() {
    return {.kind = ParameterInfo::Output,
            .element = kindOf<E>,
            .extents = std::vector<int64_t>(sizeof...(D), -1),
            .tile = {D...}};
  }
  static Out<E, D...> make(const ParameterValue &v) { return Out<E, D...>(v.tensor); }
  template <class A> static Argument bind(A &a) { return arrayArgument<E, sizeof...(D)>(a); }
};
template <Element E, int... D> struct Parameter<Tensor<E, D...>> {
  static ParameterInfo info() {
    return {.kind = ParameterInfo::InOut, .element = kindOf<E>, .extents = {D...}};
  }
  static Tensor<E, D...> make(const ParameterValue &v) { return Tensor<E, D...>(v.tensor); }
  template <class A> static Argument bind(A &a) { return arrayArgument<E, sizeof...(D)>(a); }
};

} // namespace detail

template <class... P> class Kernel {
public:
  template <class F>
  Kernel(F f, std::string name, detail::Where where)
      : core(
            std::move(name), {detail::Parameter<std::remove_cvref_t<P>>::info()...},
            [f](std::span<const detail::ParameterValue> values) {
              call(f, values, std::index_sequence_for<P...>{});
            },
            where) {}

  /// Sets the hints for compiling it, and what is checked in it.
  Kernel &with(KernelHints hints) {
    core.hints = hints;
    return *this;
  }
  Kernel &with(Checks checks) {
    core.checks = checks;
    return *this;
  }

  /// Runs the kernel on the interpreter; the grid follows from its outputs.
  template <class... A> Outcome operator()(A &&...arguments) {
    return core.launch(bound(arguments...), {}, nullptr);
  }
  template <class... A> Outcome run(Grid grid, A &&...arguments) {
    return core.launch(bound(arguments...), grid, nullptr);
  }
  /// Runs it on another target. Without a grid, the grid follows from the outputs.
  template <class... A> Outcome on(Runner &target, std::optional<Grid> grid, A &&...arguments) {
    return core.launch(bound(arguments...), grid, &target);
  }

  /// The program traced for such arguments; null with mistakes in `outcome`.
  template <class... A> const tile_bytecode::Program *trace(Outcome &outcome, A &&...arguments) {
    return core.program(bound(arguments...), outcome);
  }
  /// The program as bytecode, which `tessera compile` and NVIDIA's tools read.
  template <class... A> Outcome bytecode(std::string &out, A &&...arguments) {
    return core.bytecode(bound(arguments...), out);
  }
  size_t traces() const { return core.traces(); }

private:
  template <class F, size_t... i>
  static void call(F &f, std::span<const detail::ParameterValue> values,
                   std::index_sequence<i...>) {
    std::tuple<std::remove_cvref_t<P>...> parameters{
        detail::Parameter<std::remove_cvref_t<P>>::make(values[i])...};
    std::apply([&](auto &...p) { f(p...); }, parameters);
  }
  template <class... A> std::vector<detail::Argument> bound(A &...arguments) {
    static_assert(sizeof...(A) == sizeof...(P),
                  "a launch takes one argument for each parameter of the kernel");
    if constexpr (sizeof...(A) == sizeof...(P))
      return {detail::Parameter<std::remove_cvref_t<P>>::bind(arguments)...};
    return {};
  }
  detail::KernelCore core;
};

namespace detail {
/// Stands for the kernel of anything that is not a function of kernel parameters, after an error.
struct NoKernel : KernelCore {
  template <class F>
  NoKernel(F &&, std::string called, Where at) : KernelCore(std::move(called), {}, {}, at) {}
  template <class... A> Outcome operator()(A &&...) { return {}; }
  template <class... A> Outcome run(Grid, A &&...) { return {}; }
  template <class... A> Outcome on(Runner &, std::optional<Grid>, A &&...) { return {}; }
};
template <class F> struct FunctionTraits {
  static_assert(never<F>,
                "a kernel is a function, or a lambda whose parameters have types (In, Out, "
                "Tile, ...), not auto");
  using Kernel = NoKernel;
};
template <class F>
  requires requires { &F::operator(); }
struct FunctionTraits<F> : FunctionTraits<decltype(&F::operator())> {};
template <class R, class... P> struct FunctionTraits<R (*)(P...)> {
  static_assert(std::is_void_v<R>, "a kernel returns nothing: it stores to its Outs and Tensors");
  using Kernel = tile::Kernel<P...>;
};
template <class C, class R, class... P>
struct FunctionTraits<R (C::*)(P...) const> : FunctionTraits<R (*)(P...)> {};
template <class T> inline constexpr bool isKernel = false;
template <class... P> inline constexpr bool isKernel<Kernel<P...>> = true;
} // namespace detail

/// Makes a kernel of a function or lambda that returns nothing.
template <class F>
auto kernel(F f, std::string name = "kernel", detail::Where where = detail::Where::current()) {
  return typename detail::FunctionTraits<F>::Kernel(std::move(f), std::move(name), where);
}

namespace detail {
template <class F> decltype(auto) asKernel(F &f) {
  if constexpr (isKernel<std::remove_cvref_t<F>>)
    return (f);
  else
    return kernel(f);
}
} // namespace detail

/// Traces and runs a function or a kernel once, on the interpreter.
template <class F, class... A> Outcome run(F &&f, A &&...arguments) {
  auto &&k = detail::asKernel(f);
  return k(arguments...);
}
template <class F, class... A> Outcome run(F &&f, Grid grid, A &&...arguments) {
  auto &&k = detail::asKernel(f);
  return k.run(grid, arguments...);
}
template <class F, class... A> Outcome run_on(Runner &target, F &&f, A &&...arguments) {
  auto &&k = detail::asKernel(f);
  return k.on(target, std::nullopt, arguments...);
}
template <class F, class... A> Outcome run_on(Runner &target, F &&f, Grid grid, A &&...arguments) {
  auto &&k = detail::asKernel(f);
  return k.on(target, grid, arguments...);
}

/// The result of comparing kernels: the fastest one, and the milliseconds of each, infinite for one
/// that failed. `found` is false if all failed.
struct Tuned {
  bool found = false;
  size_t index = 0;
  std::vector<double> milliseconds;
  Outcome outcome; // of the first one that failed
};
/// Runs each kernel several times with the same arguments and takes its least time:
/// autotune(target, std::tuple(kernel(f<16>), kernel(f<64>)), {}, x, y). What a kernel writes must
/// not depend on the old contents.
template <class... K, class... A>
Tuned autotune(Runner &target, std::tuple<K...> kernels, std::optional<Grid> grid,
               A &&...arguments) {
  constexpr int rounds = 4; // the first one compiles
  Tuned out;
  auto measure = [&](auto &k) {
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0; round < rounds; ++round) {
      Outcome done = k.on(target, grid, arguments...);
      if (!done) {
        if (out.outcome)
          out.outcome = done;
        best = std::numeric_limits<double>::infinity();
        break;
      }
      if (round > 0)
        best = std::min(best, done.milliseconds.value_or(best));
    }
    out.milliseconds.push_back(best);
    if (best < std::numeric_limits<double>::infinity() &&
        (!out.found || best < out.milliseconds[out.index])) {
      out.found = true;
      out.index = out.milliseconds.size() - 1;
    }
  };
  std::apply([&](auto &...k) { (measure(k), ...); }, kernels);
  return out;
}

} // namespace tessera::tile
