// Nothing of its own: the shared library of the component cute-cpp is made of static ones.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
