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
  const std::int64_t buckets = node.IsDragoman("HashBucket") ? IntAttribute(node, "buckets") : 0;
  if (buckets > 0 && TextAttribute(node, "hash") == "farm") {
    const Attribute::Ints count = {buckets};
    Become(node, "StringToHashBucketFast");
    node.AddOperand(
        node.graph()->AddConstant(node.result()->name() + ".buckets", Tensor::Ints(count)));
    return true;
  }
  return false;
}

}  // namespace dragoman
