// Table: tab-separated files, such as the oracle's ($TESSERA_ORACLE), as rows of named fields.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace tessera::atom::test {

using Record = std::map<std::string, std::string>;

inline std::vector<std::string> split(const std::string &text, const std::string &separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t end; (end = text.find(separator, begin)) != std::string::npos;
       begin = end + separator.size())
    parts.push_back(text.substr(begin, end - begin));
  parts.push_back(text.substr(begin));
  return parts;
}

/// The rows of a file, whose first line has the names; comments (#) may stand before it.
inline std::vector<Record> readFile(const std::string &path) {
  std::vector<Record> records;
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line) && line.starts_with('#')) {
  }
  std::vector<std::string> columns = split(line, "\t");
  while (std::getline(file, line)) {
    std::vector<std::string> fields = split(line, "\t");
    Record record;
    for (size_t i = 0; i < columns.size() && i < fields.size(); ++i)
      record[columns[i]] = fields[i];
    records.push_back(std::move(record));
  }
  return records;
}

/// The rows of a file of the oracle; none where $TESSERA_ORACLE is not set.
inline std::vector<Record> readTable(const std::string &name) {
  const char *folder = std::getenv("TESSERA_ORACLE");
  return folder ? readFile(std::string(folder) + "/" + name) : std::vector<Record>();
}

} // namespace tessera::atom::test
