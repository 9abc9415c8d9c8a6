// SPDX-License-Identifier: Apache-2.0
// The definition of an operator of the common dialect: ai.onnx at opset 22, and domain dragoman.
// Everything that Dragoman knows of an operator stands in its OpDef, or is found through it.
#ifndef DRAGOMAN_CORE_OPS_OP_DEF_H_
#define DRAGOMAN_CORE_OPS_OP_DEF_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/graph.h"
#include "core/ops/params.h"
#include "core/ops/signature.h"
#include "core/ops/size_function.h"
#include "core/support/result.h"

namespace dragoman {

class InferContext;

// Sets the types of a node's results (and small values, where they are known). The caller has
// checked operands against the signature and bound its type variables; result element types that
// follow from it are already set.
using InferFunction = std::function<Status(InferContext&)>;

// Where an operator's plain kernel is, and how it is called: NAME<types...>(params, operands...,
// results...[, scratch]).
struct KernelBinding {
  std::string_view header = {};  // "runtime/kernels/softmax.h"; empty: no kernel
  // Template arguments: type variables; "bits(T)" for storage by size; "U=f32" for a variable of
  // optional operands or results only, with the element type if all are absent; "f32" itself.
  std::string_view types = {};
  std::string_view function = {};  // if it differs from the operator's name
  bool fallible = false;           // returns rt::Status
  bool scratch = false;            // takes scratch memory, NAMEScratchBytes says how much
  bool copies = false;             // the result's elements are operand 0's: the plan may alias them
};

// What an operator does with the elements of its operands. Rewrites and emitters ask this instead
// of listing operators; tests/unit/interpreter/op_class_test.cc runs every operator to prove it.
enum class OpClass : std::uint8_t {
  kOther,
  kUnary,      // element i of the result depends on element i of operand 0; the others are scalars
  kBroadcast,  // element i of the result depends on element i of each operand, all broadcast
  kMovement,   // elements of results are elements of an operand, at other places, or repeated
};

// What the attribute `axis` means, for rewrites that renumber or add axes of operand 0.
enum class AxisUse : std::uint8_t {
  kNone,        // no axis of operand 0, or no such attribute
  kOfFirst,     // one of its axes
  kAlong,       // lines of operand 0 along this axis are computed alone, and all alike
  kFromAxisOn,  // so are its parts of this axis and those after it
};

// Replaces `node`, which is of this operator, by others that mean the same; inserts them before it
// and returns what stands for its results. Used by exporters whose target lacks the operator.
using ExpandFunction = std::function<Result<std::vector<Value*>>(Node& node)>;

// What the formula of an operator says of the numbers that it gives, for those who ask what values
// may be.
struct ValueFacts {
  bool ends_zeros = false;    // zeros of either sign give one number, or zeros
  bool has_least = false;     // the results have a lower bound
  bool stays_near = false;    // they are at most as far from 0 as the operand, or as 2
  double low = 0, high = 0;   // of any number they lie between these, if they differ
  bool of_infinities = true;  // so do those of infinities, which else are NaN

  bool is_between() const { return low < high; }
};

// The operator sets of ai.onnx that introduced an operator and that changed it last, up to
// kCommonOpset if it is not younger. Source: the schemas of onnx, docs/Changelog.md.
// GroupNormalization of opset 18, with a scale for each group, is taken for another operator.
struct OpVersions {
  std::int64_t first = 0, newest = 0;
};

struct OpDef {
  OpDef();
  OpDef(const OpDef&);
  OpDef(OpDef&&) noexcept;
  OpDef& operator=(const OpDef&);
  OpDef& operator=(OpDef&&) noexcept;
  ~OpDef();

  const OpName* name = nullptr;
  OpVersions versions;  // of ai.onnx
  Signature signature;
  std::vector<AttributeDef> attributes;
  std::function<Result<Params>(const Node&)> fill_params;  // null: no parameter struct
  InferFunction infer;
  KernelBinding kernel;
  SizeFunction size_function;  // none where inference gives the sizes, or they are operand 0's
  OpClass op_class = OpClass::kOther;
  AxisUse axis_use = AxisUse::kNone;
  ValueFacts facts;
  ExpandFunction expand;     // of domain dragoman
  bool effect = false;       // kept, and in order
  bool random = false;       // never folded, merged or copied
  bool commutative = false;  // in its first two operands

  // "Conv", "dragoman.Linear".
  std::string Label() const;
};

// Makes an OpDef in one expression:
//
//     Op("Softmax", {1, 13}, "(input: T) -> (output: T)", "T: float")
//         .Attributes<rt::SoftmaxParams>()
//         .Infer(SameTypeAsFirst)
//         .Kernel({.header = "runtime/kernels/softmax.h", .types = "T"})
class OpBuilder {
 public:
  OpBuilder(const OpName* name, OpVersions versions, std::string_view signature,
            std::string_view variables);

  // The attributes that the parameter struct P declares.
  template <class P>
  OpBuilder&& Attributes() && {
    return std::move(*this).Attributes(AttributesOf<P>(), FillParams<P>);
  }
  // A further attribute, which no parameter struct has: a tensor, an element type, a body.
  OpBuilder&& Attribute(std::string name, dragoman::Attribute::Kind kind,
                        dragoman::Attribute value = {}) &&;
  // Of the attributes declared so far, one that every node must have; its default is none.
  OpBuilder&& Required(std::string_view name) &&;
  // In place of the generic filling: where members do not follow from attributes one by one.
  OpBuilder&& FillWith(std::function<Result<Params>(const Node&)> fill) &&;
  OpBuilder&& Infer(InferFunction infer) &&;
  OpBuilder&& Kernel(KernelBinding kernel) &&;
  OpBuilder&& Sizes(SizeFunction function) &&;
  OpBuilder&& Class(OpClass op_class) &&;
  OpBuilder&& Axis(AxisUse axis_use) &&;
  OpBuilder&& Facts(const ValueFacts& facts) &&;
  OpBuilder&& Expand(ExpandFunction expand) &&;
  OpBuilder&& Effect() &&;
  OpBuilder&& Random() &&;
  OpBuilder&& Commutative() &&;

  operator OpDef() && { return std::move(def_); }

 private:
  OpBuilder&& Attributes(std::vector<AttributeDef> attributes,
                         std::function<Result<Params>(const Node&)> fill) &&;

  OpDef def_;
};

// Of ai.onnx, or of domain dragoman.
OpBuilder Op(std::string_view type, OpVersions versions, std::string_view signature,
             std::string_view variables);
OpBuilder DragomanOp(std::string_view type, std::string_view signature, std::string_view variables);

// The definition of an operator, or nullptr if the common dialect has none of that name.
const OpDef* FindOp(const OpName& name);
inline const OpDef* FindOp(const Node& node) { return FindOp(node.op()); }
// By type in ai.onnx, or "dragoman.Linear".
const OpDef* FindOp(std::string_view label);
// None where `def` is nullptr.
const ValueFacts& FactsOf(const OpDef* def);
// All operators, sorted by label.
std::span<const OpDef* const> AllOps();

// A node that must stay where it is: it, or a node in one of its subgraphs, has an effect.
bool HasEffect(const Node& node);
bool IsRandom(const Node& node);

// Of one result each, by OpClass. Identity is unary and keeps order.
bool IsUnary(const Node& node);
bool IsElementwise(const Node& node);  // unary, or of operands that broadcast
// Whether the result has the elements of operand 0 in the same order: Reshape and its like.
bool KeepsOrder(const Node& node);
// Whether elements only change their places: of kMovement, or in the same order.
bool OnlyMoves(const Node& node);
// kOfFirst where scales are given by blocks: then no two lines need be alike.
AxisUse AxisUseOf(const Node& node);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_OPS_OP_DEF_H_
