// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/container/restore_object.h"

#include <fmt/format.h>

#include "importers/torch/container/packed_parameters.h"
#include "importers/torch/script/run_setstate.h"

namespace dragoman::torch {

Result<StoredAttributes> AttributesOf(const StoredObject& object, Program& program,
                                      StoredHeap& heap, RestoreContext& context) {
  const ScriptClass* owner = program.FindClass(object.class_name);
  if (owner == nullptr) {
    if (!object.class_name.starts_with("__torch__.torch.classes.")) {
      return InvalidInput(
          fmt::format("class {} is not defined in this archive", object.class_name));
    }
    return PackedParameters(object, heap);
  }
  if (owner->FindMethod("__getstate__") != nullptr &&
      owner->FindMethod("__setstate__") != nullptr) {
    return RunSetState(object, program, heap, context);
  }
  const StoredDict* attributes = object.attributes();
  if (attributes == nullptr) {
    return InvalidInput(fmt::format("the state of {} is not a dict", object.class_name));
  }
  StoredAttributes result;
  for (const auto& [key, value] : attributes->items) {
    const auto* name = std::get_if<StoredString>(&key);
    if (name == nullptr) {
      return InvalidInput(fmt::format("an attribute of {} has no name", object.class_name));
    }
    result.emplace_back(**name, value);
  }
  return result;
}

}  // namespace dragoman::torch
