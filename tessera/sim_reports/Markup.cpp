// Escapes what has a meaning in XML and HTML.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim_reports/Markup.h"

#include "tessera/base/Printable.h"

std::string tessera::sim_reports::markup(std::string_view given, bool isContent) {
  std::string out;
  for (std::string from = printable(given); char c : from)
    switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += isContent ? "\"" : "&quot;"; break;
    case '\n': out += isContent ? "\n" : "&#10;"; break;
    case '\t': out += isContent ? "\t" : "&#9;"; break;
    default: out += c;
    }
  for (std::string_view none : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
    for (size_t at; (at = out.find(none)) != out.npos;)
      out.replace(at, none.size(), "\xef\xbf\xbd");
  return out;
}
