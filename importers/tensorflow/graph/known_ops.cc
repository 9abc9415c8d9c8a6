// SPDX-License-Identifier: Apache-2.0
#include "importers/tensorflow/graph/known_ops.h"

#include <utility>

namespace dragoman::tf_reader {
namespace {

tf::ArgSchema ToSchema(const tf_pb::OpDef::ArgDef& message) {
  tf::ArgSchema arg;
  arg.name = message.name();
  arg.type = message.type_attr();
  arg.number_attr = message.number_attr();
  arg.type_list_attr = message.type_list_attr();
  arg.is_ref = message.is_ref();
  return arg;
}

// Types and defaults are not needed to find results.
tf::OpSchema ToSchema(const tf_pb::OpDef& message) {
  tf::OpSchema schema;
  schema.name = message.name();
  for (const auto& arg : message.input_arg()) schema.inputs.push_back(ToSchema(arg));
  for (const auto& arg : message.output_arg()) schema.outputs.push_back(ToSchema(arg));
  schema.is_stateful = message.is_stateful();
  return schema;
}

}  // namespace

KnownOps::KnownOps(const tf_pb::FunctionDefLibrary& library, const tf_pb::OpList& others) {
  for (const auto& function : library.function()) {
    functions_.emplace(function.signature().name(), ToSchema(function.signature()));
  }
  for (const auto& op : others.op()) {
    if (tf::FindOpSchema(op.name()) == nullptr) others_.emplace(op.name(), ToSchema(op));
  }
}

const tf::OpSchema* KnownOps::Find(std::string_view op) const {
  if (const auto function = functions_.find(op); function != functions_.end()) {
    return &function->second;
  }
  if (const tf::OpSchema* schema = tf::FindOpSchema(op)) return schema;
  const auto other = others_.find(op);
  return other == others_.end() ? nullptr : &other->second;
}

}  // namespace dragoman::tf_reader
