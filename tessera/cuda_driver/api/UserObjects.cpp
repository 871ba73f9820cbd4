// Objects of the user: what a program wants to be told when nothing refers to it any more.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/api/GraphHandles.h"

#include <algorithm>
#include <climits>

using namespace tessera::cuda_driver;

namespace {

void releaseReferences(UserObject *object, unsigned count) {
  object->references -= count;
  if (object->references)
    return;
  const UserObject ended = *object;
  Driver::get().userObjects.remove(object);
  ended.destroy(ended.object);
}

constexpr bool isCount(unsigned count) { return count && count <= INT_MAX; }

} // namespace

HeldObjects::HeldObjects(const HeldObjects &other) : counts(other.counts) {
  for (auto [object, count] : counts)
    object->references += count;
}
HeldObjects::~HeldObjects() {
  for (auto [object, count] : counts)
    releaseReferences(object, count);
}
bool HeldObjects::release(UserObject *object, unsigned count) {
  auto found = counts.find(object);
  if (found == counts.end() || found->second < count)
    return false;
  found->second -= count;
  if (!found->second)
    counts.erase(found);
  releaseReferences(object, count);
  return true;
}

CUDA_API(cuUserObjectCreate)
(UserObject **out, void *object, HostFunction destroy, unsigned references, unsigned) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (!out)
      return Code::InvalidValue;
    *out = driver.userObjects.make(UserObject{object, destroy, references});
    return Code::Success;
  });
}
CUDA_API(cuUserObjectRetain)(UserObject *object, unsigned count) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (!driver.userObjects.has(object))
      return Code::InvalidHandle;
    object->references += count;
    return Code::Success;
  });
}
CUDA_API(cuUserObjectRelease)(UserObject *object, unsigned count) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (!driver.userObjects.has(object) || object->references < count)
      return Code::InvalidHandle;
    releaseReferences(object, count);
    return Code::Success;
  });
}
CUDA_API(cuGraphRetainUserObject)
(Graph *graph, UserObject *object, unsigned count, unsigned flags) {
  return call([&](Driver &driver) {
    constexpr unsigned moves = 1; // CU_GRAPH_USER_OBJECT_MOVE
    if (!Graph::lives(graph) || !driver.userObjects.has(object) || !isCount(count) ||
        flags & ~moves)
      return Code::InvalidValue;
    graph->objects.take(object, count);
    if (flags & moves) // more than there are: an H200 does not mind
      object->references = std::max(object->references, count);
    else
      object->references += count;
    return Code::Success;
  });
}
CUDA_API(cuGraphReleaseUserObject)(Graph *graph, UserObject *object, unsigned count) {
  return call([&](Driver &driver) {
    const bool isThere = driver.userObjects.has(object) && isCount(count);
    return isThere && Graph::lives(graph) && graph->objects.release(object, count)
               ? Code::Success
               : Code::InvalidValue;
  });
}
