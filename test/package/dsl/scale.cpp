// The first kernel of docs/dsl.md, as a program of its own that prints its IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/driver/Compiler.h"
#include "tessera/dsl/Dsl.h"

#include "llvm/Support/raw_ostream.h"

using namespace tessera::dsl;

struct Parameters {
  Tensor x, y;
  Num factor;
  auto members() { return std::tie(x, y, factor); }
};

static void scale(const Parameters &given) {
  Tile tile = make_tile(128);
  Tensor x = local_tile(given.x, tile, block_idx()), y = local_tile(given.y, tile, block_idx());
  Num i = thread_idx();
  store(load(x, i) * given.factor, y, i);
}

static void writeScale() {
  mlir::Type vector = tensor_type(f32, make_layout(1024));
  mlir::Type number = f32.type(Context::current()->mlirContext());
  Parameters passed;
  host("run", {vector, vector, number}, [&](Arguments arguments, Stream stream) {
    passed = {arguments.tensor(0), arguments.tensor(1), arguments.num(2)};
    launch("scale", {.gridX = 8, .threads = 128}, stream, passed);
  });
  kernel("scale", 128, passed, scale);
}

int main() {
  tessera::driver::Compiler compiler;
  tessera::dsl::Context context(&compiler.context());
  writeScale();
  mlir::OwningOpRef<mlir::ModuleOp> module = context.finish();
  if (!module)
    return 1;
  module->print(llvm::outs());
}
