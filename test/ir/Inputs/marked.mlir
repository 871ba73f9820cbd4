// A kernel that --cute-kernel-to-nvvm refuses, with a composition.
func.func @f() attributes {cute.kernel} {
  %a = cute.static : !cute.layout<"(4,8):(8,1)">
  %b = cute.static : !cute.layout<"8:2">
  %c = cute.composition(%a, %b) : (!cute.layout<"(4,8):(8,1)">, !cute.layout<"8:2">) -> !cute.layout<"(2,4):(16,1)">
  return
}
