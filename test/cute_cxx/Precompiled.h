// Precompiled headers of the tests of cute_cxx.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/pch/Test.h"

#include "tessera/cute.h"
