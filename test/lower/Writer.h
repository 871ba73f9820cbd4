// Writer: programs of tests, with types and layouts as text and any value of the IR as operand.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of the tables are swept by the text of their types; scalars, control flow and
// synchronisation are those of dsl.
#pragma once

#include "tessera/dsl/Call.h"
#include "tessera/dsl/Dsl.h"

#include "mlir/AsmParser/AsmParser.h"

#include <gtest/gtest.h>

namespace tessera::lower::test {

using dsl::Num;
using Nums = llvm::SmallVector<mlir::Value>;

class Writer {
public:
  explicit Writer(mlir::MLIRContext *mlirContext)
      : context(mlirContext), b(context.builder()), loc(b.getUnknownLoc()) {}

private:
  dsl::Context context;

public:
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::OwningOpRef<mlir::ModuleOp> module; // once its kernel is written

  /// The one kernel. A mistake fails the test.
  void kernel(llvm::StringRef name, mlir::TypeRange types, int64_t threads,
              const std::function<void(mlir::ValueRange)> &body) {
    dsl::kernel(name.str(), threads, types, [&](dsl::Arguments arguments) {
      Nums values;
      for (size_t i = 0; i < arguments.size(); ++i)
        values.push_back(arguments.pointer(i).ir());
      body(values);
    });
    for (const dsl::Mistake &mistake : context.mistakes())
      ADD_FAILURE() << mistake.str();
    module = context.finish();
    if (!module)
      module = mlir::ModuleOp::create(loc);
  }

  mlir::Type type(const std::string &text) {
    mlir::Type parsed = mlir::parseType(text, b.getContext());
    EXPECT_TRUE(parsed) << text;
    return parsed;
  }
  mlir::Value layout(const std::string &text) {
    return cute::StaticOp::create(b, loc, type("!cute.layout<\"" + text + "\">"));
  }
  /// A tuple with `?` for each of the leaves.
  mlir::Value tuple(const std::string &type, mlir::ValueRange leaves) {
    mlir::Type parsed = this->type(type);
    if (leaves.empty())
      return cute::StaticOp::create(b, loc, parsed);
    return cute::MakeIntTupleOp::create(b, loc, parsed, leaves);
  }
  mlir::Value coord(const std::string &text, mlir::ValueRange leaves = {}) {
    return tuple("!cute.coord<\"" + text + "\">", leaves);
  }
  mlir::Value int_tuple(const std::string &text, mlir::ValueRange leaves = {}) {
    return tuple("!cute.int_tuple<\"" + text + "\">", leaves);
  }

  mlir::Value make_tensor(mlir::Value iterator, mlir::Value layout) {
    return inferred<cute::MakeViewOp>({iterator, layout});
  }
  mlir::Value make_rmem_tensor(const std::string &element, const std::string &layout) {
    return cute::MemRefAllocaOp::create(
        b, loc, type("!cute.memref<" + element + ", rmem, align<32>, \"" + layout + "\">"),
        mlir::Value());
  }
  mlir::Value recast_iter(mlir::Value pointer, const std::string &to) {
    return cute::RecastIterOp::create(b, loc, type(to), pointer);
  }
  mlir::Value slice(mlir::Value tensor, mlir::Value coord) {
    return inferred<cute::SliceOp>({tensor, coord});
  }
  mlir::Value dyn_smem(int64_t alignment) {
    return cute_nvgpu::GetDynSmemOp::create(
        b, loc, type("!cute.ptr<i8, smem, align<" + std::to_string(alignment) + ">>"));
  }
  mlir::Value make_atom(const std::string &text, mlir::ValueRange fields = {}) {
    return cute::MakeAtomOp::create(b, loc, type("!cute_nvgpu." + text), fields);
  }
  mlir::Value make_tiled_mma(mlir::Value atom) { return dsl::make_tiled_mma(dsl::Atom(atom)).ir(); }
  mlir::Value partition_A(mlir::Value mma, mlir::Value tensor, Num thread) {
    return dsl::partition_A(dsl::TiledMma(mma), dsl::Tensor(tensor), thread).ir();
  }
  mlir::Value partition_B(mlir::Value mma, mlir::Value tensor, Num thread) {
    return dsl::partition_B(dsl::TiledMma(mma), dsl::Tensor(tensor), thread).ir();
  }
  mlir::Value make_fragment_A(mlir::Value mma, mlir::Value partition) {
    return dsl::make_fragment_A(dsl::TiledMma(mma), dsl::Tensor(partition)).ir();
  }
  mlir::Value make_fragment_B(mlir::Value mma, mlir::Value partition) {
    return dsl::make_fragment_B(dsl::TiledMma(mma), dsl::Tensor(partition)).ir();
  }
  mlir::Value set(mlir::Value atom, mlir::Attribute field, mlir::Value value) {
    return dsl::with_field(dsl::Atom(atom), field, dsl::Handle(value)).ir();
  }
  void copy(mlir::Value atom, mlir::Value from, mlir::Value to) {
    dsl::copy(dsl::Atom(atom), dsl::Tensor(from), dsl::Tensor(to));
  }
  mlir::Value get_iter(mlir::Value tensor) { return dsl::get_iter(dsl::Tensor(tensor)).ir(); }
  mlir::Value load_vec(mlir::Value tensor) { return dsl::load_vec(dsl::Tensor(tensor)).ir(); }
  void store_vec(mlir::Value vector, mlir::Value tensor) {
    dsl::store_vec(Num(vector), dsl::Tensor(tensor));
  }
  mlir::Value offset(mlir::Value pointer, Num elements, int64_t multiple = 1) {
    return dsl::offset(dsl::Pointer(pointer), elements.promised(multiple)).ir();
  }
  template <std::integral T> mlir::Value offset(mlir::Value pointer, T elements) {
    return dsl::offset(dsl::Pointer(pointer), int64_t(elements)).ir();
  }

  void mbarrier_init(mlir::Value at, Num arrivals) { barrier(at).init(arrivals); }
  void mbarrier_wait(mlir::Value at, Num parity) { barrier(at).wait(parity); }
  void mbarrier_expect_tx(mlir::Value at, Num bytes) { barrier(at).arrive_expect(bytes); }

private:
  static dsl::Barrier barrier(mlir::Value at) { return dsl::Barrier(dsl::Pointer(at)); }
  template <class Op> mlir::Value inferred(mlir::ValueRange operands) {
    mlir::FailureOr<Op> op = cute::build<Op>(b, loc, operands);
    EXPECT_TRUE(succeeded(op)) << Op::getOperationName().str();
    return succeeded(op) ? op->getOperation()->getResult(0) : mlir::Value();
  }
};

} // namespace tessera::lower::test
