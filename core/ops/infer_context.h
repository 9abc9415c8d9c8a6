// SPDX-License-Identifier: Apache-2.0
// What an operator's shape rule sees of one node, and the rules that many operators share.
#ifndef DRAGOMAN_CORE_OPS_INFER_CONTEXT_H_
#define DRAGOMAN_CORE_OPS_INFER_CONTEXT_H_

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/dim.h"
#include "core/ir/graph.h"
#include "core/ops/op_def.h"
#include "core/support/result.h"
#include "runtime/params/shape.h"
#include "runtime/params/status.h"

namespace dragoman {

// The elements of a small integer or bool tensor, row-major, each a Dim (which may be unknown).
using Elements = std::vector<Dim>;
inline constexpr std::int64_t kMaxElements = 64;

// What is known of a value beside its type.
struct Knowledge {
  Type type;
  const Tensor* tensor = nullptr;    // the contents, if constant
  std::optional<Elements> elements;  // of at most kMaxElements integers
};

class InferContext {
 public:
  // Infers a body: given what is known of its inputs, what is known of its outputs.
  using SubgraphInference =
      std::function<Result<std::vector<Knowledge>>(Graph& body, std::span<const Knowledge> inputs)>;
  // A symbol that nothing else uses, named after `hint`.
  using SymbolSource = std::function<Dim(std::string_view hint)>;

  // Checks the operands of `node` against the signature of `def`, and sets up results of which only
  // the element types are known.
  static Result<InferContext> Make(const Node& node, const OpDef& def,
                                   std::vector<Knowledge> operands,
                                   SubgraphInference infer_subgraph, SymbolSource fresh_symbol);

  const Node& node() const { return *node_; }
  const OpDef& def() const { return *def_; }

  std::size_t num_operands() const { return operands_.size(); }
  bool has(std::size_t i) const { return node_->operand(i) != nullptr; }
  const Knowledge& operand(std::size_t i) const;  // says nothing where the operand is omitted
  const Type& type(std::size_t i) const { return operand(i).type; }
  DType dtype(std::size_t i) const { return type(i).dtype(); }
  // nullptr if the rank is unknown or the operand omitted.
  const Shape* shape(std::size_t i) const { return type(i).shape(); }
  const Tensor* tensor(std::size_t i) const { return operand(i).tensor; }
  // The operand's integers: from its contents or from inference; nullopt if not even their number
  // is known.
  const std::optional<Elements>& elements(std::size_t i) const { return operand(i).elements; }
  // The operand's integers if every one is a number.
  std::optional<std::vector<std::int64_t>> ints(std::size_t i) const;
  // The operand's floats, of f16, bf16, f32 or f64, if constant.
  std::optional<std::vector<float>> floats(std::size_t i) const;

  template <class P>
  const P& params() const {
    return params_.As<P>();
  }
  const Params& all_params() const { return params_; }
  const Attribute* attribute(std::string_view name) const { return node_->attribute(name); }
  std::int64_t IntAttribute(std::string_view name, std::int64_t value) const;

  std::size_t num_results() const { return results_.size(); }
  bool wants(std::size_t i) const { return i < results_.size() && node_->result(i) != nullptr; }
  DType result_dtype(std::size_t i) const { return results_[i].type.dtype(); }
  // A tensor of the element type that the signature gives.
  void SetShape(std::size_t i, std::optional<Shape> shape);
  void SetShape(std::size_t i, const rt::Shape& shape);
  void SetType(std::size_t i, Type type);
  void SetElements(std::size_t i, Elements elements);
  std::vector<Knowledge>& results() { return results_; }

  // A size known only at run time, called after result `i`.
  Dim FreshDim(std::size_t i);
  Result<std::vector<Knowledge>> InferSubgraph(Graph& body,
                                               std::span<const Knowledge> inputs) const {
    return infer_subgraph_(body, inputs);
  }

  // An error of the model that names this node.
  Error Fail(std::string message) const;
  // rt::Status to ours.
  Status Check(rt::Status status) const;

 private:
  InferContext() = default;

  const Node* node_ = nullptr;
  const OpDef* def_ = nullptr;
  Params params_;
  std::vector<Knowledge> operands_;
  std::vector<Knowledge> results_;
  SubgraphInference infer_subgraph_;
  SymbolSource fresh_symbol_;
};

// Result 0 has the type of operand 0.
Status SameTypeAsFirst(InferContext& context);
// Result 0 has the sizes of operand 0, and the element type of the signature.
Status SameShapeAsFirst(InferContext& context);
// Result 0 has the sizes of all operands, broadcast together as NumPy does.
Status BroadcastAll(InferContext& context);
// Nothing is known but the element types that the signature gives.
Status UnknownShapes(InferContext& context);

// NumPy's broadcasting. nullopt if a rank is unknown. Errors: two known sizes that differ and are
// not 1.
Result<std::optional<Shape>> BroadcastShapes(std::span<const Shape* const> shapes);

// Axis `axis` of a tensor of rank `rank`, counted from the end if negative. Errors: out of range.
Result<int> NormalizeAxis(const InferContext& context, std::int64_t axis, int rank);

// Sizes as the runtime's list. nullopt: unknown ones, or more than rt::kMaxRank.
std::optional<rt::Shape> ToRuntimeShape(const Shape* shape);
Shape FromRuntimeShape(const rt::Shape& shape);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_INFER_CONTEXT_H_
