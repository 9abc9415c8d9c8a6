// SPDX-License-Identifier: Apache-2.0
// Graph, Node, Value, Use: the one data structure of both levels.
//
// Ownership. A Graph owns its inputs, constants and nodes; a Node owns its results; a subgraph is
// owned by the attribute of the node whose body it is. Values never move in memory and live as long
// as their owner.
//
// Invariants, kept by every function here:
//  - Each operand slot and each graph output is a Use, linked into the use list of its Value: a
//  Value knows all its uses.
//  - A node belongs to one graph. A Use in a subgraph may refer to a Value of an enclosing graph (a
//  capture).
//  - A Value is not destroyed while used, except together with its users.
// Checked by the verifier (verify.h), by level: names, types, topological order, SSA.
//
// Subgraphs nest at most kMaxGraphNesting deep: readers refuse deeper files, so walks over nesting
// may recurse. The number of nodes is bounded by memory only: walks along edges never recurse.
#ifndef DRAGOMAN_CORE_IR_GRAPH_H_
#define DRAGOMAN_CORE_IR_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/attribute.h"
#include "core/ir/origin.h"
#include "core/ir/tensor.h"
#include "core/ir/type.h"

namespace dragoman {

inline constexpr int kMaxGraphNesting = 64;

class Graph;
class Node;
class Value;

// The name of an operator. Interned: equal names are the same object, for the life of the process.
struct OpName {
  std::string dialect;   // "onnx", "dragoman", "aten", "tf", …
  std::string domain;    // of dialect onnx: as the file writes it, "" or "ai.onnx" for the default
  std::string type;      // "Conv"
  std::string overload;  // of torch operators and ONNX functions; else empty

  // As in graph text: "onnx.Conv", "onnx:com.microsoft.Gelu", "aten.add.Tensor", with a domain and
  // an overload "onnx:local.f:fast"; parts that are not identifiers in quotes.
  std::string ToString() const;
};
const OpName* InternOp(std::string_view dialect, std::string_view type,
                       std::string_view domain = "", std::string_view overload = "");

// One place that reads a value: operand `index` of `user()`, or output `index` of `graph()`.
class Use {
 public:
  Use() = default;
  Use(Use&& other) noexcept;
  Use& operator=(Use&& other) noexcept;
  ~Use() { Set(nullptr); }

  Value* value() const { return value_; }  // nullptr: an omitted operand
  Node* user() const { return user_; }     // nullptr: the output of a graph
  Graph* graph() const;                    // the graph that holds the user or the output
  std::size_t index() const { return index_; }
  Use* next() const { return next_; }  // the next use of the same value
  void Set(Value* value);

 private:
  friend class Graph;
  friend class Node;
  friend class Value;

  Value* value_ = nullptr;
  Node* user_ = nullptr;
  Graph* graph_ = nullptr;
  Use* next_ = nullptr;
  Use** prev_ = nullptr;  // the pointer that points here
  std::uint32_t index_ = 0;
};

// One edge. Its producer is a node, or the graph itself (an input, or a constant).
class Value {
 public:
  enum class Kind : std::uint8_t { kResult, kInput, kConstant };

  Kind kind() const { return kind_; }
  bool is_constant() const { return kind_ == Kind::kConstant; }
  Node* producer() const { return producer_; }  // kResult only, else nullptr
  Graph* graph() const;                         // that defines it
  // Among the results, inputs or constants of its owner.
  std::size_t index() const { return index_; }

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  const Type& type() const { return type_; }
  void set_type(Type type) { type_ = std::move(type); }

  // The contents of a constant, or the default of an input; nullptr if there is none, or if it is
  // sparse.
  const Tensor* tensor() const { return data_ ? data_->tensor() : nullptr; }
  const SparseTensor* sparse_tensor() const { return data_ ? data_->sparse_tensor() : nullptr; }
  const Attribute* data() const { return data_.get(); }
  void set_data(Attribute data) { data_ = std::make_unique<Attribute>(std::move(data)); }
  void clear_data() { data_.reset(); }

  bool used() const { return first_use_ != nullptr; }
  Use* first_use() const { return first_use_; }
  bool HasOneUse() const { return first_use_ != nullptr && first_use_->next() == nullptr; }
  // Every operand and graph output that reads this value reads `other` from now on.
  void ReplaceAllUsesWith(Value* other);

  const OriginPtr& origin() const;  // of a constant; of a result, its node's
  void set_origin(OriginPtr origin) { origin_ = std::move(origin); }
  Extra& extra();  // made on first call
  const Extra* extra_if_any() const { return extra_.get(); }

 private:
  friend class Graph;
  friend class Node;
  friend class Use;

  std::string name_;
  Type type_;
  Node* producer_ = nullptr;
  Graph* graph_ = nullptr;
  Use* first_use_ = nullptr;
  std::unique_ptr<Attribute> data_;
  OriginPtr origin_;
  std::unique_ptr<Extra> extra_;
  std::uint32_t index_ = 0;
  Kind kind_ = Kind::kResult;
};

// One operator call.
class Node {
 public:
  const OpName& op() const { return *op_; }
  void set_op(const OpName* op) { op_ = op; }
  // Whether this is operator `type` of the default domain of the common dialect (onnx, "" or
  // "ai.onnx").
  bool Is(std::string_view type) const;
  // Whether this is operator `type` of domain `dragoman`.
  bool IsDragoman(std::string_view type) const;

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  Graph* graph() const { return graph_; }

  // Operand slots; the value of a slot is nullptr where an optional operand is omitted.
  std::span<const Use> operands() const { return operands_; }
  std::size_t num_operands() const { return operands_.size(); }
  // nullptr also where `i` is beyond the last slot: trailing optional operands may be left out.
  Value* operand(std::size_t i) const {
    return i < operands_.size() ? operands_[i].value() : nullptr;
  }
  void set_operand(std::size_t i, Value* value) { operands_[i].Set(value); }
  void AddOperand(Value* value);
  void RemoveTrailingOperand() { operands_.pop_back(); }

  // Results; an entry is nullptr where an optional result is omitted.
  std::size_t num_results() const { return results_.size(); }
  Value* result(std::size_t i = 0) const {
    return i < results_.size() ? results_[i].get() : nullptr;
  }
  Value* AddResult(std::string name, Type type = {});
  void AddOmittedResult() { results_.push_back(nullptr); }

  const std::vector<NamedAttribute>& attributes() const { return attributes_; }
  std::vector<NamedAttribute>& attributes() { return attributes_; }
  const Attribute* attribute(std::string_view name) const { return Find(attributes_, name); }
  // Replaces the attribute of that name, or appends it. A graph becomes this node's subgraph.
  void SetAttribute(std::string_view name, Attribute value);
  // Appends it, even if there is one of that name. A graph becomes this node's subgraph.
  void AddAttribute(NamedAttribute attribute);
  void RemoveAttribute(std::string_view name);
  // Bodies: every graph among the attributes, in attribute order.
  std::vector<Graph*> subgraphs() const;

  const OriginPtr& origin() const { return origin_; }
  void set_origin(OriginPtr origin) { origin_ = std::move(origin); }
  Extra& extra();  // made on first call
  const Extra* extra_if_any() const { return extra_.get(); }

  Node* next() const { return next_; }
  Node* prev() const { return prev_; }

  // For messages: "node 'conv1' (onnx.Conv)".
  std::string Describe() const;

 private:
  friend class Graph;
  Node() = default;

  const OpName* op_ = nullptr;
  Graph* graph_ = nullptr;
  Node* next_ = nullptr;
  Node* prev_ = nullptr;
  std::string name_;
  std::vector<Use> operands_;
  std::vector<std::unique_ptr<Value>> results_;
  std::vector<NamedAttribute> attributes_;
  OriginPtr origin_;
  std::unique_ptr<Extra> extra_;
};

// The nodes of a graph in stored order. The node at hand may be erased while iterating, and nodes
// may be inserted.
class NodeRange {
 public:
  class Iterator {
   public:
    using value_type = Node;
    using difference_type = std::ptrdiff_t;
    using reference = Node&;
    using pointer = Node*;
    using iterator_category = std::input_iterator_tag;

    explicit Iterator(Node* node) : node_(node), next_(node ? node->next() : nullptr) {}
    Node& operator*() const { return *node_; }
    Node* operator->() const { return node_; }
    Iterator& operator++() {
      *this = Iterator(next_);
      return *this;
    }
    bool operator!=(const Iterator& other) const { return node_ != other.node_; }
    bool operator==(const Iterator& other) const { return node_ == other.node_; }

   private:
    Node* node_;
    Node* next_;
  };

  explicit NodeRange(Node* first) : first_(first) {}
  Iterator begin() const { return Iterator(first_); }
  Iterator end() const { return Iterator(nullptr); }

 private:
  Node* first_;
};

// From values of one graph to those of another.
using ValueMap = std::unordered_map<const Value*, Value*>;

class Graph {
 public:
  Graph() = default;
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  // The node whose body this is, and its graph; nullptr for the graph of an entry or function.
  Node* parent() const { return parent_; }
  Graph* parent_graph() const { return parent_ ? parent_->graph() : nullptr; }

  std::span<const std::unique_ptr<Value>> inputs() const { return inputs_; }
  std::size_t num_inputs() const { return inputs_.size(); }
  Value* input(std::size_t i) const { return inputs_[i].get(); }
  Value* AddInput(std::string name, Type type = {});
  void RemoveInput(std::size_t i);  // which must be unused

  std::span<const std::unique_ptr<Value>> constants() const { return constants_; }
  // With the tensor's type.
  Value* AddConstant(std::string name, Tensor tensor);
  // Erases all constants for which `dead` holds; these must be unused. Linear.
  void EraseConstantsIf(const std::function<bool(const Value&)>& dead);

  std::span<const Use> outputs() const { return outputs_; }
  std::size_t num_outputs() const { return outputs_.size(); }
  Value* output(std::size_t i) const { return outputs_[i].value(); }
  void AddOutput(Value* value);
  void SetOutput(std::size_t i, Value* value) { outputs_[i].Set(value); }
  void RemoveOutput(std::size_t i);

  NodeRange nodes() const { return NodeRange(first_); }
  Node* first_node() const { return first_; }
  Node* last_node() const { return last_; }
  std::size_t num_nodes() const { return num_nodes_; }
  // A node with `operands` and no results yet, before `position` (nullptr: at the end).
  Node* Insert(Node* position, const OpName* op, std::span<Value* const> operands,
               std::string name = "");
  Node* Append(const OpName* op, std::span<Value* const> operands, std::string name = "") {
    return Insert(nullptr, op, operands, std::move(name));
  }
  void MoveBefore(Node* node, Node* position);  // nullptr: to the end
  // The node's results must be unused.
  void Erase(Node* node);

  // Every operand and output of this graph, its bodies excepted, that `map` knows reads what it
  // maps to.
  void Redirect(const ValueMap& map);

  Extra& extra();  // made on first call
  const Extra* extra_if_any() const { return extra_.get(); }

 private:
  friend class Node;
  void Link(Node* node, Node* position);
  void Unlink(Node* node);

  std::string name_;
  Node* parent_ = nullptr;
  std::vector<std::unique_ptr<Value>> inputs_;
  std::vector<std::unique_ptr<Value>> constants_;
  std::vector<Use> outputs_;
  Node* first_ = nullptr;
  Node* last_ = nullptr;
  std::size_t num_nodes_ = 0;
  std::unique_ptr<Extra> extra_;
};

// Copies `node` to before `position` of `target` (nullptr: the end), subgraphs and all; an operand
// that `map` does not know is kept as it is (a capture). Adds the results to `map`.
Node* CloneNode(const Node& node, Graph& target, Node* position, ValueMap& map);
// Copies inputs, constants, nodes and outputs of `source` into the empty `target`; tensors are
// shared.
void CloneInto(const Graph& source, Graph& target, ValueMap& map);

// `visit` is called for `graph` and every graph below it, outer ones first.
void ForEachGraph(Graph& graph, const std::function<void(Graph&)>& visit);
void ForEachGraph(const Graph& graph, const std::function<void(const Graph&)>& visit);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_GRAPH_H_
