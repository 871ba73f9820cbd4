// The values of a printf are those that its format takes, as C checks nothing.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

func.func @fine(%a: i32, %b: i64, %c: f64) {
  cute.printf "%d %5x %c %lld %-3lu %zu %p %8.3f %g%%\n", %a, %a, %a, %b, %b, %b, %b, %c, %c : i32, i32, i32, i64, i64, i64, i64, f64, f64
  cute.printf "%*d %.*e\n", %a, %a, %a, %c : i32, i32, i32, f64
  cute.printf "none\n"
  return
}

// -----

func.func @missing(%a: i32) {
  // expected-error @below {{'cute.printf' op expects values of types (i32, i32), which the format takes, but got (i32)}}
  cute.printf "%d %d\n", %a : i32
  return
}

// -----

func.func @wide(%a: i64) {
  // expected-error @below {{expects values of types (i32), which the format takes, but got (i64)}}
  cute.printf "%d\n", %a : i64
  return
}

// -----

func.func @float(%a: i32) {
  // expected-error @below {{expects values of types (f64), which the format takes, but got (i32)}}
  cute.printf "%f\n", %a : i32
  return
}

// -----

// A string is an address that nobody gave.
func.func @string(%a: i64) {
  // expected-error @below {{expects conversions of integers, floats and addresses (d i u o x X c, f F e E g G a A, p) in the format, but got '%-5s'}}
  cute.printf "%-5s\n", %a : i64
  return
}

// -----

func.func @written(%a: i64) {
  // expected-error @below {{in the format, but got '%n'}}
  cute.printf "%n", %a : i64
  return
}

// -----

func.func @open() {
  // expected-error @below {{in the format, but got '%'}}
  cute.printf "100 %"
  return
}
