// cuda-tile-translate: versions, what bytecode has no place for, and files that are wrong.
// RUN: cuda-tile-translate -list-versions | FileCheck %s --check-prefix=VERSIONS
// RUN: split-file %s %t
// RUN: cuda-tile-translate -mlir-to-cudatilebc -no-implicit-module %t/program.mlir -o %t/program.tilebc
// RUN: cuda-tile-translate -cudatilebc-to-mlir %t/program.tilebc | FileCheck %s
// RUN: cuda-tile-translate -mlir-to-cudatilebc %t/program.mlir -o %t/in-a-module.tilebc
// RUN: cmp %t/program.tilebc %t/in-a-module.tilebc
// RUN: not cuda-tile-translate -mlir-to-cudatilebc -bytecode-version=13.2 %t/program.mlir 2>&1 | FileCheck %s --check-prefix=OLDER
// RUN: not cuda-tile-translate -mlir-to-cudatilebc -bytecode-version=14.0 %t/program.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not cuda-tile-translate -cudatilebc-to-mlir %t/program.mlir 2>&1 | FileCheck %s --check-prefix=MAGIC
// RUN: not cuda-tile-translate -mlir-to-cudatilebc %t/two.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not cuda-tile-translate -mlir-to-cudatilebc %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not cuda-tile-translate -mlir-to-cudatilebc -allow-unregistered-dialect %t/beside.mlir 2>&1 | FileCheck %s --check-prefix=BESIDE
// RUN: not cuda-tile-translate -mlir-to-cudatilebc -allow-unregistered-dialect -no-implicit-module %t/alone.mlir 2>&1 | FileCheck %s --check-prefix=ALONE
// RUN: cuda-tile-translate -mlir-to-cudatilebc -Wunsupported-hints %t/hints.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefix=HINTS
// RUN: not cuda-tile-translate -mlir-to-cudatilebc -Werr-hints %t/hints.mlir -o /dev/null 2>&1 | FileCheck %s --check-prefixes=HINTS,REFUSED
// RUN: cuda-tile-translate -mlir-to-cudatilebc %t/hints.mlir -o /dev/null 2>&1 | count 0
// RUN: cuda-tile-translate -test-cudatile-roundtrip %t/nibbles.mlir | FileCheck %s --check-prefix=NIBBLES
// RUN: cuda-tile-translate -mlir-to-cudatilebc -no-implicit-module -split-input-file -verify-diagnostics -allow-unregistered-dialect %t/refused.mlir
// RUN: cuda-tile-translate -mlir-to-cudatilebc -no-implicit-module -split-input-file -verify-diagnostics -bytecode-version=13.1 %t/older.mlir

// VERSIONS: 13.1
// VERSIONS-NEXT: 13.2
// VERSIONS-NEXT: 13.3
// VERSIONS-NEXT: 13.4
// CHECK: cuda_tile.module @kernels attributes {producer = "a test"} {
// CHECK-NEXT: global @g alignment = 8 <i8: [1, 2]> : tile<2xi8>
// CHECK-NEXT: entry @k(%arg0: tile<ptr<f32>>) optimization_hints=<default = {occupancy = 2}> {
// CHECK: alloca num_elem = 4, alignment = 4
// OLDER: operation 'cuda_tile.alloca' is not available in bytecode version 13.2
// UNKNOWN: Invalid argument '14.0': the supported versions are [13.1 - 13.4]
// MAGIC: byte 0: expects the bytes 7F 54 69 6C 65 49 52 00 that bytecode of tile programs begins with
// TWO: expected a single CUDA Tile IR module in the MLIR module, but got 2 and 0 other operations
// NONE: expected a single CUDA Tile IR module in the MLIR module, but got 0 and 0 other operations
// BESIDE: expected a single CUDA Tile IR module in the MLIR module, but got 1 and 1 other operations
// ALONE: alone.mlir:1:1: error: expected a CUDA Tile IR module, but got a 'test.op'
// HINTS: warning: unknown hint key sm_70
// REFUSED: error: {{.*}}Optimization hints verification failed
// NIBBLES: constant <f4E2M1FN: {{\[\[1.*\], \[2.*\]\]}}> : tile<2x1xf4E2M1FN>

//--- program.mlir
cuda_tile.module @program attributes {producer = "a test"} {
  global @g alignment = 8 <i8: [1, 2]> : tile<2xi8>
  entry @k(%p: tile<ptr<f32>>) optimization_hints=<default = {occupancy = 2}> {
    %0 = alloca num_elem = 4, alignment = 4 : tile<ptr<f32>>
    return
  }
}
//--- two.mlir
cuda_tile.module @a { }
cuda_tile.module @b { }
//--- none.mlir
module { }
//--- beside.mlir
cuda_tile.module @a { }
"test.op"() : () -> ()
//--- alone.mlir
"test.op"() : () -> ()
//--- hints.mlir
cuda_tile.module @m { entry @f() optimization_hints=<sm_70 = {}> { return } }
//--- nibbles.mlir
cuda_tile.module @m { entry @f() {
  %0 = constant <f4E2M1FN: [[1.0], [2.0]]> : tile<2x1xf4E2M1FN>
  return
} }
//--- refused.mlir
// expected-error @below {{only ops from the 'cuda_tile' dialect are allowed}}
cuda_tile.module @m {
  entry @f() {
    // expected-remark @below {{invalid op}}
    "other.op"() : () -> ()
    return
  }
}
// -----
// expected-error @below {{only function and global ops are allowed in the body}}
cuda_tile.module @m {
  // expected-remark @below {{invalid op}}
  %0 = constant <i8: 1> : tile<i8>
}
// -----
// expected-error @below {{only entries, not functions for tests, are allowed in bytecode}}
cuda_tile.module @m {
  // expected-remark @below {{invalid op}}
  testing$func @f() { return }
}
// -----
cuda_tile.module @m {
  // expected-error @below {{unsupported type in bytecode writer: tensor<4xi8>}}
  entry @f(%a: tensor<4xi8>) { return }
}
// -----
cuda_tile.module @m {
  // expected-error @below {{unsupported attribute in bytecode writer: @g}}
  entry @f() optimization_hints=<sm_90 = {latency = @g}> { return }
}
//--- older.mlir
// What 13.1 lacks is said where it stands, of a result at the op that makes it.
cuda_tile.module @m {
  entry @before() { return }
  entry @f(%x: tile<f32>, %n: tile<i32>, %c: tile<i1>) {
    if %c {
      %0 = addf %x, %x : tile<f32>
      // expected-error @below {{operation 'cuda_tile.atan2' is not available in bytecode version 13.1}}
      %1 = atan2 %0, %x : tile<f32>
    }
    return
  }
}
// -----
cuda_tile.module @m {
  entry @f(%x: tile<i32>) {
    // expected-error @below {{attribute 'overflow' requires bytecode version 13.2+, but targeting 13.1}}
    %0 = negi %x overflow<no_signed_wrap> : tile<i32>
    return
  }
}
// -----
cuda_tile.module @m {
  entry @f(%n: tile<i32>) {
    // expected-error @below {{optional attribute 'unsignedCmp' is provided but requires bytecode version 13.2, targeting 13.1}}
    for unsigned %i in (%n to %n, step %n) : tile<i32> {
      %0 = addi %i, %n : tile<i32>
    }
    return
  }
}
// -----
cuda_tile.module @m {
  entry @f() {
    %0 = make_token : token
    // expected-error @below {{optional operand 'token' is provided but requires bytecode version 13.2, targeting 13.1}}
    %1 = print_tko "a" token=%0 -> token
    return
  }
}
// -----
cuda_tile.module @m {
  entry @f() {
    // expected-error @below {{result 'result_token' requires bytecode version 13.2 but is being used and targeting 13.1}}
    %0 = print_tko "a" -> token
    %1 = make_token : token
    %2 = join_tokens %1, %0 : token
    return
  }
}
// -----
cuda_tile.module @m {
  global @a <i32: 1> : tile<1xi32>
  // expected-error @below {{constant global `b` cannot be encoded in bytecode version 13.1}}
  global constant @b <i32: 1> : tile<1xi32>
  entry @f() { return }
}
// -----
// expected-error @unknown {{type 'Float8E8M0FNU' requires bytecode version 13.2+, targeting 13.1}}
cuda_tile.module @m {
  entry @f(%p: tile<ptr<f8E8M0FNU>>) { return }
}
