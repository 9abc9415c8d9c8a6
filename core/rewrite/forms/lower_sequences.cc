// SPDX-License-Identifier: Apache-2.0
#include "core/rewrite/forms/lower_sequences.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ir/tensor.h"
#include "core/ops/declared_attributes.h"
#include "core/rewrite/pass_context.h"

namespace dragoman {
namespace {

using Elements = std::vector<Value*>;

class SequenceReader {
 public:
  explicit SequenceReader(PassContext& context) : context_(context) {}

  Status Visit(Node& node) {
    if (node.num_results() == 0 || node.result(0) == nullptr) return {};
    if (MakesSequence(node)) return {};
    if (node.Is("SplitToSequence")) return Split(node);
    return Read(node);
  }

  // The elements of a list that is an output become outputs in its place, where they are known.
  void OutputElements(Graph& entry, std::vector<ListOutput>& lists) {
    Elements outputs;
    for (std::size_t i = 0; i < entry.num_outputs(); ++i) {
      Value* output = entry.output(i);
      const Elements* known = output->type().is_tensor() ? nullptr : ElementsOf(output);
      if (known == nullptr) {
        outputs.push_back(output);
        continue;
      }
      const bool is_optional = output->type().kind() == Type::Kind::kOptional;
      lists.push_back({outputs.size(), known->size(), is_optional});
      outputs.insert(outputs.end(), known->begin(), known->end());
    }
    if (lists.empty()) return;
    while (entry.num_outputs() > 0) entry.RemoveOutput(entry.num_outputs() - 1);
    for (Value* output : outputs) entry.AddOutput(output);
  }

  // The nodes whose results nothing reads any more, last first.
  void EraseUnread() {
    for (auto node = makers_.rbegin(); node != makers_.rend(); ++node) {
      if ((*node)->result(0)->first_use() == nullptr) context_.Erase(**node);
    }
  }

 private:
  const Elements* ElementsOf(const Value* value) const {
    const auto found = elements_.find(value);
    return found == elements_.end() ? nullptr : &found->second;
  }
  void Know(Node& node, Elements elements) {
    elements_[node.result(0)] = std::move(elements);
    makers_.push_back(&node);
  }

  // The place that operand `i` says, or `otherwise` if it is absent; within 0 … limit.
  std::optional<std::size_t> Place(const Node& node, std::size_t i, std::size_t length,
                                   std::size_t otherwise, std::size_t limit) const {
    std::int64_t place = static_cast<std::int64_t>(otherwise);
    if (const Value* operand = node.operand(i); operand != nullptr) {
      const auto known = IntsOf(context_, operand);
      if (!known || known->size() != 1) return std::nullopt;
      place =
          known->front() < 0 ? known->front() + static_cast<std::int64_t>(length) : known->front();
    }
    if (place < 0 || place > static_cast<std::int64_t>(limit)) return std::nullopt;
    return static_cast<std::size_t>(place);
  }

  bool MakesSequence(Node& node) {
    if (node.Is("SequenceEmpty")) return Know(node, {}), true;
    if (node.Is("SequenceConstruct") || node.Is("Optional")) {
      Elements elements;
      for (std::size_t i = 0; i < node.num_operands(); ++i) {
        if (node.operand(i) != nullptr) elements.push_back(node.operand(i));
      }
      return Know(node, std::move(elements)), true;
    }
    const Elements* given = ElementsOf(node.operand(0));
    if (given == nullptr) return false;
    Elements elements = *given;
    const std::size_t count = elements.size();
    if (node.Is("SequenceInsert")) {
      const auto place = Place(node, 2, count, count, count);
      if (!place) return false;
      elements.insert(elements.begin() + static_cast<std::ptrdiff_t>(*place), node.operand(1));
    } else if (node.Is("SequenceErase")) {
      const auto place = count > 0 ? Place(node, 1, count, count - 1, count - 1) : std::nullopt;
      if (!place) return false;
      elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(*place));
    } else if (!node.Is("Identity")) {
      return false;
    }
    return Know(node, std::move(elements)), true;
  }

  // The sizes of the parts; nullopt if only run time knows them.
  std::optional<std::vector<std::int64_t>> PartsOf(const Node& node, const Dim& size) const {
    if (!size.known()) return std::nullopt;
    std::int64_t part = 1;
    if (const Value* split = node.operand(1); split != nullptr) {
      const auto known = IntsOf(context_, split);
      if (!known) return std::nullopt;
      if (split->type().rank() != 0) return known;
      part = known->front();
    }
    constexpr std::int64_t kMaxParts = 1024;
    if (part <= 0 || size.value() / part > kMaxParts) return std::nullopt;
    std::vector<std::int64_t> parts(static_cast<std::size_t>(size.value() / part), part);
    if (size.value() % part != 0) parts.push_back(size.value() % part);
    return parts;
  }

  Status Split(Node& node) {
    const Shape* shape = node.operand(0)->type().shape();
    if (shape == nullptr) return {};
    std::int64_t axis = IntAttribute(node, "axis");
    if (axis < 0) axis += static_cast<std::int64_t>(shape->size());
    const auto parts = PartsOf(node, (*shape)[static_cast<std::size_t>(axis)]);
    if (!parts || parts->empty()) {
      makers_.push_back(&node);
      return {};
    }
    Value* sizes = context_.AddConstant(*node.graph(), Tensor::Ints(*parts), "parts", {});
    Value* const operands[] = {node.operand(0), sizes};
    DRAGOMAN_ASSIGN(Node * split,
                    context_.InsertNode(node, "Split", operands, {{"axis", axis}}, parts->size()));
    const bool squeezes = IntAttribute(node, "keepdims") == 0 && node.operand(1) == nullptr;
    Elements elements;
    for (std::size_t i = 0; i < parts->size(); ++i) {
      Value* element = split->result(i);
      if (squeezes) {
        DRAGOMAN_ASSIGN(element, WithAxis(node, "Squeeze", element, axis));
      }
      elements.push_back(element);
    }
    Know(node, std::move(elements));
    return {};
  }

  Result<Value*> WithAxis(Node& node, std::string_view label, Value* x, std::int64_t axis) {
    Value* axes = context_.AddConstant(*node.graph(), Tensor::Ints(std::vector{axis}), "axis", {});
    Value* const operands[] = {x, axes};
    return context_.Insert(node, label, operands);
  }

  // A tensor counts as an optional that has it.
  std::optional<Elements> ElementsRead(const Node& node) const {
    Value* operand = node.operand(0);
    if (const Elements* found = ElementsOf(operand); found != nullptr) return *found;
    if (!node.Is("OptionalGetElement") && !node.Is("OptionalHasElement")) return std::nullopt;
    if (operand == nullptr) return Elements();
    if (!operand->type().is_tensor()) return std::nullopt;
    return Elements{operand};
  }

  // One element of all along an axis, whatever their number.
  Status TakeSlice(Node& node, const Node& split) {
    const std::int64_t axis = IntAttribute(split, "axis");
    Value* const operands[] = {split.operand(0), node.operand(1)};
    DRAGOMAN_ASSIGN(Value * slice, context_.Insert(node, "Gather", operands, {{"axis", axis}}));
    if (IntAttribute(split, "keepdims") != 0) {
      DRAGOMAN_ASSIGN(slice, WithAxis(node, "Unsqueeze", slice, axis));
    }
    return Replace(node, slice);
  }

  Status Read(Node& node) {
    const Value* operand = node.operand(0);
    const Node* maker = operand != nullptr ? operand->producer() : nullptr;
    if (node.Is("SequenceAt") && maker != nullptr && maker->Is("SplitToSequence") &&
        maker->operand(1) == nullptr && ElementsOf(operand) == nullptr)
      return TakeSlice(node, *maker);
    const std::optional<Elements> found = ElementsRead(node);
    if (!found) return {};
    const Elements& elements = *found;
    Graph& graph = *node.graph();
    if (node.Is("SequenceAt")) {
      const auto place = Place(node, 1, elements.size(), 0, elements.size() - 1);
      return place && !elements.empty() ? Replace(node, elements[*place]) : Status();
    }
    if (node.Is("OptionalGetElement") && !elements.empty()) return Replace(node, elements.front());
    if (node.Is("SequenceLength")) {
      const auto count = static_cast<std::int64_t>(elements.size());
      Tensor length = Tensor::Ints(std::vector{count}).Reshaped({});
      return Replace(node, context_.AddConstant(graph, std::move(length), "length", {}));
    }
    if (node.Is("OptionalHasElement")) {
      DRAGOMAN_ASSIGN(Tensor has, Tensor::Full(DType::kBool, {}, elements.empty() ? 0 : 1));
      return Replace(node, context_.AddConstant(graph, std::move(has), "has_element", {}));
    }
    return node.Is("ConcatFromSequence") && !elements.empty() ? Concat(node, elements) : Status();
  }

  Status Concat(Node& node, Elements elements) {
    const std::int64_t axis = IntAttribute(node, "axis");
    if (IntAttribute(node, "new_axis") != 0) {
      for (Value*& element : elements) {
        DRAGOMAN_ASSIGN(element, WithAxis(node, "Unsqueeze", element, axis));
      }
    }
    DRAGOMAN_ASSIGN(Value * all, context_.Insert(node, "Concat", elements, {{"axis", axis}}));
    return Replace(node, all);
  }

  Status Replace(Node& node, Value* by) {
    if (!PassContext::CanReplace(*node.result(0), *by)) {
      const Elements* inner = ElementsOf(by);  // of a sequence in an optional
      DRAGOMAN_ASSIGN(by, context_.Insert(node, "Identity", {{by}}));
      if (inner != nullptr) Know(*by->producer(), Elements(*inner));
    }
    context_.Replace(node, {{by}});
    return {};
  }

  PassContext& context_;
  std::unordered_map<const Value*, Elements> elements_;  // looked up, never iterated
  std::vector<Node*> makers_;
};

}  // namespace

Status LowerSequences(Graph& entry, std::vector<ListOutput>* lists) {
  DRAGOMAN_ASSIGN(PassContext context, PassContext::Make(entry, {}));
  std::vector<Node*> nodes;
  ForEachGraph(entry, [&](Graph& graph) {
    for (Node& node : graph.nodes()) nodes.push_back(&node);
  });
  SequenceReader reader(context);
  for (Node* node : nodes) DRAGOMAN_TRY(reader.Visit(*node));
  if (lists != nullptr) reader.OutputElements(entry, *lists);
  reader.EraseUnread();
  return {};
}

}  // namespace dragoman
