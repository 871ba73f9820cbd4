// Version: the releases of CuTe DSL, one row for each difference in what they print.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dump does not say which release wrote it. Three things depend on the release:
//
//   texts      how an op is written in custom assembly (spellings/): all of them are read in every
//              version, because no text means one thing in one release and another in the next
//   types      the result types that a text leaves out, where they are not ours: these need the
//              version, because the text is the same
//   programs   how kernels and launches are written (Launch.h)
//
// A version is recognised by its marks: texts that no older release writes. The newest version with
// a mark in the text is the file's. `--input-version` names it where that is wrong.
//
//   version  kernels and launches                 iterator of a coordinate tensor
//   4.1      func.func, gpu.launch_func           int_tuple
//   4.2      as 4.1 or as 4.3                     int_tuple
//   4.3      cuda.kernel, cuda.launch_ex          int_tuple
//   4.4      and two flags of the launch          arith_tuple_iter, as ours
//   4.5      and cute.kernel_smem_size            as 4.4
//   4.6      and shared memory left to CuTe DSL   as 4.4
//
// 4.0 writes what 4.1 does. 4.6 lets a launch say neither how much shared memory it takes nor, by
// default, does it: `smem=` became None, and `smem_merge_branch_allocs` and
// `preferred_smem_carveout` came (release notes of CUTLASS 4.6.0). 4.7 and 4.8 are in its row: the
// public dumps of both, and the ops and attributes that bindings of 4.8 list, have no text that 4.6
// cannot have.
#pragma once

#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace tessera::import {

/// Result types that texts leave to inference and that are others than ours. These rows hold in a
/// ForeignContext only, whose ops are rewritten: elsewhere our own types count.
struct ResultRow {
  llvm::StringLiteral op;
  mlir::Type (*foreign)(mlir::Type ours);
};

struct Version {
  /// As --input-version takes it.
  llvm::StringLiteral name;
  /// The releases that write so.
  llvm::StringLiteral releases;
  /// Texts that this version writes and no older one.
  llvm::ArrayRef<llvm::StringLiteral> marks;
  llvm::ArrayRef<ResultRow> results = {};
};

/// How a file is to be read.
struct Reading {
  /// The release that wrote it, recognised if null.
  const Version *version = nullptr;
  /// Whether types were changed by hand and what follows states the ones from before. The module
  /// may contradict itself and is not verified; `--cute-reinfer` makes it consistent (Edited.h).
  bool edited = false;

  bool isAsked() const { return version || edited; }
};

/// From the oldest to the newest.
llvm::ArrayRef<Version> versions();
/// The version of that name, or of a release that writes what it does ("4.3.3", "4.7"); null if
/// there is none.
const Version *versionNamed(llvm::StringRef name);

struct Recognised {
  const Version *version;
  /// The mark that decided; empty if none was there and the newest version is assumed.
  llvm::StringRef mark;
};
Recognised recognise(llvm::StringRef text);
/// The versions in which a text is read, the likely one first: `given`, or the recognised one and
/// then one for each other set of typing rules.
llvm::SmallVector<Recognised> candidates(llvm::StringRef text, const Version *given);

} // namespace tessera::import
