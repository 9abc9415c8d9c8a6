// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/container/read_values.h"

#include <fmt/format.h>

#include "importers/torch/container/unpickle.h"

namespace dragoman::torch {
namespace {

Error WrongValue(const Archive& archive, std::string_view record, const Stored& found,
                 std::string_view expected) {
  return InvalidInput(fmt::format("found {}, expected {}", Describe(found), expected))
      .InFile(archive.path())
      .At(fmt::format("{}/{}", archive.top_directory(), record));
}

Status ReadConstants(const Archive& archive, StoredProgram* program) {
  if (!archive.Has("constants.pkl")) return {};
  DRAGOMAN_ASSIGN(const Stored value,
                  ReadPickle(archive, "constants.pkl", /*require_data=*/true, &program->heap));
  const auto* tuple = std::get_if<const StoredTuple*>(&value);
  if (tuple == nullptr) return WrongValue(archive, "constants.pkl", value, "a tuple");
  program->constants = (*tuple)->items;
  return {};
}

Status ReadTracedInputs(const Archive& archive, StoredProgram* program) {
  if (!archive.Has("traced_inputs.pkl")) return {};
  DRAGOMAN_ASSIGN(const Stored value, ReadPickle(archive, "traced_inputs.pkl",
                                                 /*require_data=*/false, &program->heap));
  const auto* dict = std::get_if<const StoredDict*>(&value);
  if (dict == nullptr) return WrongValue(archive, "traced_inputs.pkl", value, "a dict");
  for (const auto& [method, inputs] : (*dict)->items) {
    const auto* name = std::get_if<StoredString>(&method);
    if (name == nullptr) return WrongValue(archive, "traced_inputs.pkl", method, "a method's name");
    program->traced_inputs.emplace_back(**name, inputs);
  }
  return {};
}

}  // namespace

Result<StoredProgram> ReadValues(const Archive& archive) {
  StoredProgram program;
  DRAGOMAN_ASSIGN(program.root,
                  ReadPickle(archive, "data.pkl", /*require_data=*/true, &program.heap));
  if (!std::holds_alternative<const StoredObject*>(program.root)) {
    return WrongValue(archive, "data.pkl", program.root, "a module object");
  }
  DRAGOMAN_TRY(ReadConstants(archive, &program));
  DRAGOMAN_TRY(ReadTracedInputs(archive, &program));
  return program;
}

}  // namespace dragoman::torch
