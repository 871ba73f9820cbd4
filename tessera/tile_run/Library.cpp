// Nothing of its own: the shared library of the component tile-run is made of static ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
