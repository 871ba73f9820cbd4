// Does what a sanitizer reports: tessera-hardening-reported leak|overrun|overflow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>
#include <limits>
#include <string>

// Where the compiler has to write: a pointer that goes away here is gone.
static char *volatile kept;

int main(int count, char **words) {
  // What the compiler cannot follow, it cannot leave out.
  volatile int one = count - 1;
  std::string report = count > 1 ? words[1] : "";
  if (report == "leak") {
    kept = static_cast<char *>(std::malloc(16));
    kept = nullptr;
  } else if (report == "overrun") {
    kept = static_cast<char *>(std::malloc(16));
    kept[15 + one] = 0;
    std::free(kept);
  } else if (report == "overflow") {
    one = one + std::numeric_limits<int>::max();
  }
  return 0;
}
