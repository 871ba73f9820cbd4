// Program: a litmus test, a few threads of PTX with their places and a few locations in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   // Does the data arrive with the flag?
//   data = 0; flag = 0
//   block 0 {
//     st.weak.u32 [data], 1;
//     st.release.gpu.u32 [flag], 1;
//   }
//   block 1 {
//     ld.acquire.gpu.u32 r0, [flag];
//     ld.weak.u32 r1, [data];
//   }
//
// Threads are numbered from 0. `block B cluster C gpu G { ... }` says where one runs; without
// `cluster` a block is a cluster of its own, and without `gpu` all are on one. Code has no branches
// and no guards, so that a thread has the same operations in every execution.
#pragma once

#include "tessera/litmus/Errors.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::litmus {

/// PTX ISA 8.5, from the smallest to the largest.
enum class Scope : uint8_t {
  Cta,
  Cluster,
  Gpu,
  Sys
};

/// A number, or the value of a register of the thread.
struct Value {
  uint32_t number = 0;
  std::string_view reg; // empty: the number
};

struct Operation {
  enum Kind : uint8_t {
    Load,
    Store,
    Atomic, // atom and red
    Fence,
    BarrierSync,
    BarrierArrive,
    ClusterArrive,
    ClusterWait,
    Arithmetic // of registers: mov, add, ...
  } kind = Arithmetic;
  std::string_view name; // of the operation of Atomic and Arithmetic: "add"
  bool isStrong = false, acquires = false, releases = false, isSequential = false; // fence.sc
  bool isReduction = false;                                                        // red
  Scope scope = Scope::Cta;
  size_t location = 0;         // of memory operations
  uint32_t barrier = 0;        // of barriers
  std::string_view result;     // the register that is written; empty: none
  std::vector<Value> operands; // without the address
  int line = 0;

  bool isMemory() const { return kind <= Atomic; }
  bool reads() const { return kind == Load || kind == Atomic; }
  bool writes() const { return kind == Store || kind == Atomic; }
};

struct Thread {
  uint32_t block = 0, cluster = 0, gpu = 0;
  std::vector<Operation> code;
  std::vector<std::string_view> registers; // in the order in which they are written first
  std::string_view text;                   // of the code
};

struct Location {
  std::string_view name;
  uint32_t initial = 0;
};

/// A litmus test; it keeps the text that its names point into.
struct Program {
  std::string text;
  std::vector<Location> locations;
  std::vector<Thread> threads;

  /// "0:r0 0:r1 1:r0 data flag": the names of an outcome's numbers, in this order.
  std::vector<std::string> names() const;
};

using Outcome = std::vector<uint32_t>;

/// Reads a test; a reason has the line.
Result<std::unique_ptr<Program>> parse(std::string text);

} // namespace tessera::litmus
