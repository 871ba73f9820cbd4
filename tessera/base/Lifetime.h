// TESSERA_LIFETIME: on functions whose result lives as long as their object.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `const Part *part() const TESSERA_LIFETIME;` makes clang warn, and our builds refuse, where the
// result outlives a temporary object: `const Part *p = whole().part();`. Other compilers see
// nothing.
#pragma once

#if defined(__clang__)
#define TESSERA_LIFETIME [[clang::lifetimebound]]
#else
#define TESSERA_LIFETIME
#endif
