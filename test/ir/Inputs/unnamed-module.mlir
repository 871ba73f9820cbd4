"gpu.module"() ({
  "cuda.kernel"() <{sym_name = "k", function_type = () -> ()}> ({
    %0 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    "cuda.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
