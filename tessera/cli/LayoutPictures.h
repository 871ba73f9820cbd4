// LayoutPictures: the drawings of `tessera layout`, and their options.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cli/Pictures.h"

namespace tessera::cli {

struct LayoutPictureOptions {
  PictureOptions output;
  std::string tile;                // --tv: "16x8"
  int64_t bankBits = 0;            // --banks: of an element
  std::string threads;             // --conflicts: an expression
  std::vector<std::string> others; // --versus: expressions of other layouts of the same memory
  int64_t bits = 16;               // of an element of the access
  int64_t vectorBytes = 0;         // of the access; 0: one element

  bool any() const { return output.any() || !tile.empty() || bankBits > 0 || !threads.empty(); }
};

void addLayoutPictureOptions(CLI::App &command, LayoutPictureOptions &options);

/// The requested pictures of a layout.
struct LayoutPicture {
  render::Picture picture;
  std::string verdict; // the conflicts in sentences
  std::string json;    // the same as fields of an object
};
Result<LayoutPicture> draw(const layout::AnyLayout &, const LayoutPictureOptions &);

} // namespace tessera::cli
