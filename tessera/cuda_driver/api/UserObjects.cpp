// Objects of the user: what a program wants to be told when nothing refers to it any more.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/Driver.h"

using namespace tessera::cuda_driver;

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
      return code::InvalidHandle;
    object->references += count;
    return Code::Success;
  });
}
CUDA_API(cuUserObjectRelease)(UserObject *object, unsigned count) {
  return call(Needs::Sound, [&](Driver &driver) {
    if (!driver.userObjects.has(object) || object->references < count)
      return code::InvalidHandle;
    object->references -= count;
    if (object->references)
      return Code::Success;
    object->destroy(object->object);
    driver.userObjects.remove(object);
    return Code::Success;
  });
}
