// draw-pictures FOLDER: writes the pictures of docs/pictures there as SVG. Called by
// utils/draw-pictures.sh.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Gallery.h"

#include <fstream>
#include <iostream>

int main(int argc, char **argv) {
  using namespace tessera::render;
  auto exhibits = test::gallery();
  if (!exhibits || argc != 2) {
    std::cerr << "error: " << (argc != 2 ? "usage: draw-pictures FOLDER" : exhibits.reason().text)
              << "\n";
    return 2;
  }
  for (const test::Exhibit &exhibit : *exhibits) {
    std::string path = tessera::cat(argv[1], "/", exhibit.file, ".svg");
    if (!(std::ofstream(path, std::ios::binary) << svg(exhibit.picture))) {
      std::cerr << "error: cannot write " << path << "\n";
      return 2;
    }
  }
}
