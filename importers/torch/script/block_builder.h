// SPDX-License-Identifier: Apache-2.0
// Appends nodes to the blocks of one source graph, with types, constants and origins.
#ifndef DRAGOMAN_IMPORTERS_TORCH_SCRIPT_BLOCK_BUILDER_H_
#define DRAGOMAN_IMPORTERS_TORCH_SCRIPT_BLOCK_BUILDER_H_

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/graph.h"
#include "core/support/result.h"
#include "importers/torch/script/program.h"
#include "importers/torch/script/script_type.h"

namespace dragoman::torch {

// A value and its static type, which may be wider than that of the value: a variable that is
// declared Optional[int] and holds an int.
struct Typed {
  Value* value = nullptr;
  ScriptType type;
};

// The parts of "aten::add.Tensor".
struct TorchOp {
  std::string_view ns;
  std::string_view name;
  std::string_view overload = {};
};

class BlockBuilder {
 public:
  BlockBuilder(Graph& graph, const CodeFile& file) : file_(&file) { Enter(graph); }

  // Nodes are appended to the block entered last. An isolated one sees no constants of the blocks
  // around it.
  void Enter(Graph& block, bool isolated = false) { blocks_.push_back({&block, {}, isolated}); }
  void Leave() { blocks_.pop_back(); }
  Graph& block() const { return *blocks_.back().graph; }
  std::size_t depth() const { return blocks_.size(); }

  // Where the nodes that follow come from: a byte of the code file.
  void SetOffset(std::uint32_t offset) { offset_ = offset; }
  std::uint32_t offset() const { return offset_; }
  // The text of another file, and back.
  const CodeFile* SetFile(const CodeFile* file) { return std::exchange(file_, file); }
  const CodeFile& file() const { return *file_; }

  Node* Append(const TorchOp& op, const std::vector<Value*>& operands);
  // With one result.
  Typed Append(const TorchOp& op, const std::vector<Value*>& operands, const ScriptType& type);
  Value* AddResult(Node& node, const ScriptType& type);

  // A prim.Constant: an equal one of this block or a block around it is used again.
  Typed Constant(const Attribute& value, const ScriptType& type);
  Typed None() { return Constant(Attribute(), ScriptType(ScriptType::Kind::kNone)); }
  Typed Int(std::int64_t value) { return Constant(value, ScriptType(ScriptType::Kind::kInt)); }
  Typed Bool(bool value) { return Constant(value, ScriptType(ScriptType::Kind::kBool)); }

  Typed Tuple(const std::vector<Typed>& items);
  // The elements of a tuple; those of a TupleConstruct are its operands.
  std::vector<Typed> UnpackTuple(const Typed& tuple);
  Typed List(const ScriptType& element, const std::vector<Typed>& items);
  // A list display without elements, whose type the first use decides.
  Typed EmptyList();
  bool IsEmptyList(const Value* value) const { return empty_lists_.contains(value); }

  // What is appended after a mark can be taken back as long as nothing else uses it, and Constant
  // has not been called since.
  Node* Mark() const { return block().last_node(); }
  void RollBack(Node* mark);

  // At the present place. A Python source line if the archive states it.
  OriginPtr MakeOrigin(const OpName& op) const;
  Error Fail(ErrorKind kind, std::string message) const;

 private:
  struct Block {
    Graph* graph;
    std::map<std::string, Value*> constants;  // by type and value
    bool isolated;
  };

  std::vector<Block> blocks_;
  std::set<const Value*> empty_lists_;
  const CodeFile* file_;
  std::uint32_t offset_ = 0;
};

}  // namespace dragoman::torch

#endif  // DRAGOMAN_IMPORTERS_TORCH_SCRIPT_BLOCK_BUILDER_H_
