// The thread that reads documents, and names by their places.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lsp/Readings.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <iterator>
#include <utility>

using namespace tessera::lsp;

Readings::Readings(Reader given) : reader(std::move(given)) {
  if (reader)
    thread = std::thread([this] { work(); });
}

Readings::~Readings() {
  {
    std::lock_guard lock(mutex);
    ends = true;
  }
  changed.notify_all();
  if (thread.joinable())
    thread.join();
}

void Readings::put(const std::string &document, std::string text) {
  if (!reader)
    return;
  std::lock_guard lock(mutex);
  documents[document].text = std::move(text);
  changed.notify_all();
}

void Readings::drop(const std::string &document) {
  std::lock_guard lock(mutex);
  // A document that is being read is erased when the reading is done.
  if (auto found = documents.find(document); found != documents.end() && !found->second.busy)
    documents.erase(found);
}

void Readings::work() {
  (void)reader({}); // before an editor has opened a file
  std::unique_lock lock(mutex);
  for (;;) {
    auto next = documents.end();
    changed.wait(lock, [&] {
      next = std::find_if(documents.begin(), documents.end(),
                          [](const auto &one) { return one.second.text.has_value(); });
      return ends || next != documents.end();
    });
    if (ends)
      return;
    Document &document = next->second; // stays where it is, as it is busy
    std::string text = *std::move(document.text);
    document.text.reset();
    document.busy = true;
    lock.unlock();
    Reading reading = reader(text);
    lock.lock();
    document.lastRead = reading.read;
    // A text that cannot be read says nothing about values, so the reading before it is kept.
    if (reading.read)
      document.last = std::move(reading);
    document.busy = false;
    document.any = true;
    changed.notify_all();
    if (!document.current())
      continue;
    auto waiting = std::exchange(document.waiting, {});
    const bool read = document.lastRead;
    tells = true;
    lock.unlock();
    for (const std::function<void(bool)> &then : waiting)
      then(read);
    lock.lock();
    tells = false;
    changed.notify_all();
  }
}

void Readings::settle(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex);
  changed.wait_for(lock, patience, [&] {
    return !tells && std::ranges::all_of(
                         documents, [](const auto &one) { return one.second.waiting.empty(); });
  });
  std::vector<std::function<void(bool)>> left;
  for (auto &[name, document] : documents)
    std::ranges::move(std::exchange(document.waiting, {}), std::back_inserter(left));
  lock.unlock();
  for (const std::function<void(bool)> &then : left)
    then(false);
}

/// Where a name like %a or !b is around a byte; an empty range if there is none.
static std::pair<size_t, size_t> nameAround(const std::string &line, size_t byte) {
  auto inWord = [](char c) { return llvm::isAlnum(c) || llvm::is_contained("_$.-", c); };
  size_t begin = std::min(byte, line.empty() ? 0 : line.size() - 1);
  while (begin > 0 && inWord(line[begin]))
    --begin;
  if (line.empty() || !llvm::is_contained("%!", line[begin]))
    return {0, 0};
  size_t end = begin + 1;
  while (end < line.size() && inWord(line[end]))
    ++end;
  return {begin, end};
}

const Readings::Document *Readings::waitFor(std::unique_lock<std::mutex> &lock,
                                            const std::string &document,
                                            std::chrono::milliseconds patience) {
  auto found = documents.find(document);
  if (!reader || found == documents.end())
    return nullptr;
  const Document &at = found->second;
  if (!changed.wait_for(lock, patience, [&] { return ends || at.current(); }))
    changed.wait(lock, [&] { return ends || at.any; });
  return &at;
}

std::vector<Name> Readings::placesOf(const std::string &document, size_t number,
                                     const std::string &line, size_t byte,
                                     std::chrono::milliseconds patience) {
  auto [begin, end] = nameAround(line, byte);
  if (begin == end)
    return {};
  std::unique_lock lock(mutex);
  const Document *at = waitFor(lock, document, patience);
  if (!at)
    return {};
  std::vector<Name> all;
  for (const Name &one : at->last.names)
    if (one.text == line.substr(begin, end - begin))
      all.push_back(one);
  auto place = [](const Name &name) { return std::pair(name.line, name.begin); };
  std::ranges::stable_sort(all, {}, place);
  // Names of values are used again in other regions, where the one before is not visible: a place
  // belongs to the last definition up to it.
  auto first = all.end();
  for (auto one = all.begin(); one != all.end(); ++one)
    if (!one->isUse && (first == all.end() || place(*one) <= std::pair(number, begin)))
      first = one;
  if (first == all.end())
    return {};
  const auto defined = place(*first);
  auto last = std::find_if(first, all.end(),
                           [&](const Name &one) { return !one.isUse && place(one) != defined; });
  std::vector<Name> places(first, last);
  // Of several results each has the place.
  auto rest = std::ranges::unique(places, {}, place);
  places.erase(rest.begin(), rest.end());
  return places;
}

std::optional<std::string> Readings::typeAt(const std::string &document, size_t number,
                                            const std::string &line, size_t byte,
                                            std::chrono::milliseconds patience) {
  auto [begin, end] = nameAround(line, byte);
  if (begin == end)
    return std::nullopt;
  std::unique_lock lock(mutex);
  const Document *at = waitFor(lock, document, patience);
  if (!at)
    return std::nullopt;
  const std::string name = line.substr(begin, end - begin);
  const Name *nearest = nullptr;
  size_t least = ~size_t(0);
  for (const Name &one : at->last.names) {
    if (one.text != name)
      continue;
    // First by line, then by column: of several results the one that is meant.
    size_t lines = one.line > number ? one.line - number : number - one.line;
    size_t columns = one.begin > begin ? one.begin - begin : begin - one.begin;
    size_t distance = lines * 4096 + std::min<size_t>(columns, 4095);
    if (distance < least) {
      least = distance;
      nearest = &one;
    }
  }
  return nearest ? std::optional(at->last.types[nearest->type]) : std::nullopt;
}

void Readings::whenRead(const std::string &document, std::function<void(bool)> then) {
  std::unique_lock lock(mutex);
  auto found = documents.find(document);
  bool known = !reader || found == documents.end() || found->second.current();
  if (!known) {
    found->second.waiting.push_back(std::move(then));
    return;
  }
  bool read = reader && found != documents.end() && found->second.lastRead;
  lock.unlock();
  then(read);
}
