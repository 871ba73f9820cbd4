// Precompiled headers of the tests of rooms without LLVM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/pch/Std.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>
