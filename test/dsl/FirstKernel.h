// The kernel of docs/dsl.md.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// Writes `@scale(x, y, factor)`, y = factor x for 1024 numbers, and `@run`, which launches it.
void writeScale();
