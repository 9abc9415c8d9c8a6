// SPDX-License-Identifier: Apache-2.0
// The values of one running graph.
#ifndef DRAGOMAN_CORE_INTERPRETER_FRAME_H_
#define DRAGOMAN_CORE_INTERPRETER_FRAME_H_

#include <unordered_map>

#include "core/interpreter/array.h"
#include "core/ir/graph.h"

namespace dragoman {

class Frame {
 public:
  // `outer` is that of the enclosing graph, for captures; nullptr for an entry.
  explicit Frame(const Frame* outer) : outer_(outer) {}

  void Set(const Value* value, RuntimeValue contents) { values_[value] = std::move(contents); }
  // Nothing (kNone) for nullptr.
  const RuntimeValue& Get(const Value* value) const {
    static const RuntimeValue kNothing;
    for (const Frame* frame = this; frame != nullptr && value != nullptr; frame = frame->outer_) {
      auto found = frame->values_.find(value);
      if (found != frame->values_.end()) return found->second;
    }
    return kNothing;
  }

  // Lets go of what `node` read and no later node of this graph, nor its outputs, will read.
  void Release(const Node& node) {
    for (const Use& use : node.operands()) {
      const Value* value = use.value();
      if (value != nullptr && value->HasOneUse()) values_.erase(value);
    }
  }

 private:
  const Frame* outer_;
  std::unordered_map<const Value*, RuntimeValue> values_;
};

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_INTERPRETER_FRAME_H_
