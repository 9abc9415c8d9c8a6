// SPDX-License-Identifier: Apache-2.0
#include "core/edit/processing.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "core/edit/interface.h"
#include "core/edit/listings.h"

namespace dragoman {
namespace {

// Since when elementwise operators broadcast as NumPy does.
constexpr std::int64_t kFirstOpset = 7;

Status CheckOpset(const Model& model) {
  const std::int64_t opset = model.OpsetVersion("").value_or(0);
  if (opset >= kFirstOpset) return {};
  return Unsupported("a model of operator set " + std::to_string(opset) +
                     " gets no further nodes; convert it by --opset 13 before");
}

// The nodes from an input to what the model reads of it, one after the other.
class InputChain {
 public:
  InputChain(Model& model, Value& input)
      : model_(model), graph_(model.main()), first_(graph_.first_node()), at_(&input) {}

  void Append(std::string_view type, Value* second, std::vector<NamedAttribute> attributes,
              Type result) {
    std::vector<Value*> operands = {at_};
    if (second != nullptr) operands.push_back(second);
    const std::string name = FreshName(model_, input_name_ + "/" + std::string(type));
    Node* node = graph_.Insert(first_, InternOp("onnx", type), operands, name);
    for (NamedAttribute& attribute : attributes) node->AddAttribute(std::move(attribute));
    at_ = node->AddResult(name, std::move(result));
    if (begin_ == nullptr) begin_ = node;
  }

  Value* Constant(const char* what, std::span<const float> values,
                  std::vector<std::int64_t> sizes) {
    return graph_.AddConstant(FreshName(model_, input_name_ + "/" + what),
                              Tensor::Of<float>(std::move(sizes), values));
  }

  void set_input_name(std::string name) { input_name_ = std::move(name); }
  Value* end() const { return at_; }
  Node* begin() const { return begin_; }

 private:
  Model& model_;
  Graph& graph_;
  Node* first_;
  Node* begin_ = nullptr;
  Value* at_;
  std::string input_name_;
};

bool IsChannelsLast(const std::string& layout) { return layout.ends_with('c'); }

// From channels last to axis 1, of a tensor of rank `rank`.
std::vector<std::int64_t> ToChannelsFirst(int rank) {
  std::vector<std::int64_t> perm = {0, rank - 1};
  for (int i = 1; i < rank - 1; ++i) perm.push_back(i);
  return perm;
}

// One number, or one per channel, as it broadcasts.
Result<std::vector<std::int64_t>> SizesOf(const std::vector<float>& values, const Type& type,
                                          const std::string& input) {
  if (values.size() == 1) return std::vector<std::int64_t>{};
  const Shape* shape = type.shape();
  const std::size_t rank = shape != nullptr ? shape->size() : 0;
  if (rank < 2)
    return InvalidInput("input '" + input + "' has no channels; its type is " + type.ToString());
  const Dim& channels = (*shape)[1];
  const auto count = static_cast<std::int64_t>(values.size());
  if (channels.known() && channels.value() != count) {
    return InvalidInput("input '" + input + "' has " + channels.ToString() + " channels, but " +
                        std::to_string(count) + " numbers are given");
  }
  std::vector<std::int64_t> sizes(rank - 1, 1);
  sizes[0] = count;
  return sizes;
}

Status CheckLayout(const Preprocessing& wanted, const Type& type) {
  if (!wanted.layout) return {};
  const int rank = type.rank().value_or(0);
  const std::string expected = rank == 3 ? "nlc" : rank == 4 ? "nhwc" : rank == 5 ? "ndhwc" : "";
  if (!expected.empty() && *wanted.layout == expected) return {};
  return InvalidInput("input '" + wanted.input + "' is of type " + type.ToString() +
                      "; its data can come as " + (expected.empty() ? "it only" : expected) +
                      ", not as " + *wanted.layout);
}

}  // namespace

Status Preprocess(Model& model, const Preprocessing& wanted) {
  DRAGOMAN_TRY(CheckOpset(model));
  DRAGOMAN_ASSIGN(Value * input, FindInput(model, wanted.input));
  const Type type = input->type();
  if (!type.is_tensor() || !IsFloating(type.dtype()) || input->data() != nullptr)
    return InvalidInput("input '" + wanted.input + "' takes no floats, but " + type.ToString());
  DRAGOMAN_TRY(CheckLayout(wanted, type));
  DRAGOMAN_ASSIGN(const auto mean_sizes, wanted.mean.empty()
                                             ? std::vector<std::int64_t>{}
                                             : SizesOf(wanted.mean, type, wanted.input));
  DRAGOMAN_ASSIGN(const auto std_sizes, wanted.std.empty()
                                            ? std::vector<std::int64_t>{}
                                            : SizesOf(wanted.std, type, wanted.input));
  if (std::ranges::count(wanted.std, 0.0f) > 0) return InvalidInput("a divisor is 0");
  Graph& graph = model.main();
  ForgetListings(graph);
  const DType given = wanted.dtype.value_or(type.dtype());
  const bool computes = wanted.scale || !wanted.mean.empty() || !wanted.std.empty();
  const DType inner = computes ? DType::kF32 : type.dtype();
  Type taken = type.WithDType(given);
  InputChain chain(model, *input);
  chain.set_input_name(wanted.input);
  if (wanted.layout && IsChannelsLast(*wanted.layout)) {
    const std::vector<std::int64_t> perm = ToChannelsFirst(*type.rank());
    Shape shape(perm.size());
    for (std::size_t i = 0; i < perm.size(); ++i)
      shape[static_cast<std::size_t>(perm[i])] = (*type.shape())[i];
    taken = taken.WithShape(std::move(shape));
    chain.Append("Transpose", nullptr, {{"perm", Attribute(perm)}}, type.WithDType(given));
  }
  const auto cast = [&](DType from, DType to) {
    if (from == to) return;
    chain.Append("Cast", nullptr, {{"to", static_cast<std::int64_t>(to)}}, type.WithDType(to));
  };
  const Type working = type.WithDType(inner);
  cast(given, inner);
  if (wanted.scale)
    chain.Append("Mul", chain.Constant("scale", std::span(&*wanted.scale, 1), {}), {}, working);
  if (!wanted.mean.empty())
    chain.Append("Sub", chain.Constant("mean", wanted.mean, mean_sizes), {}, working);
  if (!wanted.std.empty())
    chain.Append("Div", chain.Constant("std", wanted.std, std_sizes), {}, working);
  cast(inner, type.dtype());
  if (chain.begin() == nullptr) return {};
  input->ReplaceAllUsesWith(chain.end());
  chain.begin()->set_operand(0, input);
  input->set_type(std::move(taken));
  return {};
}

Status Postprocess(Model& model, const std::string& output, Postprocessing what,
                   std::int64_t axis) {
  DRAGOMAN_TRY(CheckOpset(model));
  DRAGOMAN_ASSIGN(const std::size_t index, FindOutput(model, output));
  Graph& graph = model.main();
  Value* value = graph.output(index);
  const Type type = value->type();
  const Shape* shape = type.shape();
  if (shape == nullptr) return InvalidInput("the rank of output '" + output + "' is not known");
  const auto rank = static_cast<std::int64_t>(shape->size());
  if (axis < -rank || axis >= rank)
    return InvalidInput("output '" + output + "' is of type " + type.ToString() +
                        ", and has no axis " + std::to_string(axis));
  if (axis < 0) axis += rank;
  const bool is_softmax = what == Postprocessing::kSoftmax;
  if (is_softmax && !IsFloating(type.dtype()))
    return InvalidInput("output '" + output + "' is of type " + type.ToString());
  constexpr std::int64_t kSoftmaxByLine = 13;
  if (is_softmax && axis != rank - 1 && model.OpsetVersion("").value_or(0) < kSoftmaxByLine)
    return Unsupported("before operator set 13, Softmax is along the last axes only");
  if (value->kind() != Value::Kind::kResult)
    return InvalidInput("output '" + output + "' is not a result of a node");
  ForgetListings(graph);
  model.entries.front().results.clear();
  value->set_name(FreshName(model, output + "/before"));
  Value* const operands[] = {value};
  const char* const label = is_softmax ? "Softmax" : "ArgMax";
  Node* node = graph.Append(InternOp("onnx", label), operands, FreshName(model, output + "/node"));
  node->AddAttribute({"axis", axis});
  Shape sizes = *shape;
  if (!is_softmax) {
    node->AddAttribute({"keepdims", std::int64_t{0}});
    sizes.erase(sizes.begin() + axis);
  }
  graph.SetOutput(index,
                  node->AddResult(output, is_softmax ? type : Type::Tensor(DType::kI64, sizes)));
  return {};
}

}  // namespace dragoman
