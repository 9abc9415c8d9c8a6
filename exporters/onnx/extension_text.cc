// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/extension_text.h"

#include <cstdint>
#include <string_view>

#include "core/ops/declared_attributes.h"

namespace dragoman {
namespace {

void Become(Node& node, std::string_view type) {
  node.set_op(InternOp("onnx", type, "ai.onnx.contrib"));
  node.attributes().clear();
}

}  // namespace

bool WriteAsExtension(Node& node) {
  if (node.IsDragoman("RegexReplace")) {
    const std::int64_t all = IntAttribute(node, "all");
    Become(node, "StringRegexReplace");
    node.SetAttribute("global_replace", all);
    return true;
  }
  if (node.IsDragoman("TextLength") && IntAttribute(node, "utf8") != 0) {
    Become(node, "StringLength");
    return true;
  }
  // Not HashBucket: StringToHashBucket and StringToHashBucketFast of the extensions give other
  // numbers than TensorFlow's operators of these names.
  return false;
}

}  // namespace dragoman
