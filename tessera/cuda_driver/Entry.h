// ENTRY_ptsz(symbol) and the like: a second name for a function, for per-thread default streams.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As all operations run when they are queued, a default stream of each thread's own differs in
// nothing but its name: its entry jumps to the function.
#pragma once

#if defined(__x86_64__)
#define TESSERA_JUMP "jmp "
#define TESSERA_FAR "@PLT"
#elif defined(__aarch64__)
#define TESSERA_JUMP "b "
#define TESSERA_FAR ""
#else
#error "tessera/cuda_driver knows x86-64 and AArch64: add the instruction that jumps to a function"
#endif
#define ENTRY(name, function)                                                                      \
  extern "C" void name();                                                                          \
  asm(".text\n.globl " #name "\n.type " #name ", %function\n" #name                                \
      ":\n" TESSERA_JUMP #function TESSERA_FAR "\n.size " #name ", .-" #name "\n");
#define ENTRY_none(symbol)
#define ENTRY_ptds(symbol) ENTRY(symbol##_ptds, symbol)
#define ENTRY_ptsz(symbol) ENTRY(symbol##_ptsz, symbol)
