// SPDX-License-Identifier: Apache-2.0
// Model: what one file holds, at one level.
#ifndef DRAGOMAN_CORE_IR_MODEL_H_
#define DRAGOMAN_CORE_IR_MODEL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/graph.h"

namespace dragoman {

enum class Level {
  kSource,  // everything the file said, in its own dialect
  kCommon,  // SSA, topological, ai.onnx at kCommonOpset plus domain dragoman
};

// The version of ai.onnx that common graphs are written in.
inline constexpr std::int64_t kCommonOpset = 22;

// An operator vocabulary and its version, as the file imports it.
struct OpsetImport {
  std::string domain;  // "" is ai.onnx
  std::int64_t version = 0;
  friend bool operator==(const OpsetImport&, const OpsetImport&) = default;
};

// The shape of an entry's arguments or results over its flat inputs or outputs: a leaf is one flat
// value. Nesting is bounded by Type::kMaxNesting.
struct Structure {
  enum class Kind : std::uint8_t { kTensor, kScalar, kOptional, kTuple, kList, kDict };

  Kind kind = Kind::kTensor;
  std::string name;                 // of an argument; the key of a dict's entry
  std::vector<Structure> children;  // of kTuple, kList, kDict, kOptional
  std::size_t index = 0;            // of a leaf: which flat input or output
  friend bool operator==(const Structure&, const Structure&) = default;
};

// A value that lives between runs; all entries share it.
struct State {
  std::string name;
  Type type;
  Attribute initial;  // a tensor, or a list for other types
};

// That an entry reads State `state` at input `input` and leaves its next value at output `output`.
// The inputs and outputs of states come after all others.
struct StateBinding {
  std::size_t state = 0;
  std::size_t input = 0;
  std::size_t output = 0;
  friend bool operator==(const StateBinding&, const StateBinding&) = default;
};

// A graph that one can call.
struct Entry {
  std::string name;
  std::unique_ptr<Graph> graph;
  std::vector<Structure> arguments;  // empty: the flat inputs as they are
  std::vector<Structure> results;    // empty: the flat outputs as they are
  std::vector<StateBinding> states;
};

// A function that nodes of a source graph call by name (ONNX model-local functions, TF library
// functions).
struct Function {
  const OpName* op = nullptr;
  std::unique_ptr<Graph> graph;
  std::vector<std::string> attributes;   // names without a default
  std::vector<NamedAttribute> defaults;  // names with one
  std::vector<OpsetImport> opsets;       // its own, where the format has them
  Extra extra;
};

struct Model {
  Level level = Level::kSource;
  std::string dialect = "onnx";  // of the source; "common" graphs keep where they came from
  std::vector<Entry> entries;    // the first is the default one
  std::vector<Function> functions;
  std::vector<State> states;
  std::vector<OpsetImport> opsets;
  std::vector<std::pair<std::string, std::string>> metadata;  // user-visible key and value
  Extra extra;

  const Entry* FindEntry(std::string_view name) const;
  Graph& main() { return *entries.front().graph; }
  const Graph& main() const { return *entries.front().graph; }
  // The version of `domain` ("" and "ai.onnx" are the same), if imported.
  std::optional<std::int64_t> OpsetVersion(std::string_view domain) const;
};

// A deep copy; tensors are shared.
Model Clone(const Model& model);

// Every graph of the model, entries before functions, outer graphs before their subgraphs.
void ForEachGraph(const Model& model, const std::function<void(const Graph&)>& visit);
void ForEachGraph(Model& model, const std::function<void(Graph&)>& visit);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_IR_MODEL_H_
