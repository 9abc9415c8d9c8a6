// SPDX-License-Identifier: Apache-2.0
// Graphs, nodes and values of the text form.
#include <limits>

#include "core/ir/text_reader.h"
#include "core/support/hash.h"

namespace dragoman {

struct ParsedResult {
  bool omitted = false;
  std::size_t offset = 0;
  std::string name;
  std::uint32_t ordinal = 0;
  Type type;
  std::size_t origin = kNoOrigin;
  std::size_t origin_offset = 0;
  Extra extra;

  static constexpr std::size_t kNoOrigin = std::numeric_limits<std::size_t>::max();
};

std::size_t TextReader::ValueKeyHash::operator()(const ValueKey& key) const {
  return static_cast<std::size_t>(HashString(key.name, key.ordinal));
}

// %name, %name~2, %~2
Result<TextReader::ValueKey> TextReader::ReadReference() {
  DRAGOMAN_TRY(scan_.Expect("%"));
  ValueKey key;
  const bool named = !scan_.AtRaw("~");
  if (named) {
    DRAGOMAN_ASSIGN(key.name, scan_.Name());
  }
  if (!scan_.AtRaw("~")) return key;
  scan_.Accept("~");
  DRAGOMAN_ASSIGN(const std::size_t ordinal, scan_.Index());
  if (ordinal > std::numeric_limits<std::uint32_t>::max())
    return scan_.Fail("the number is too large");
  key.ordinal = static_cast<std::uint32_t>(ordinal);
  return key;
}

Status TextReader::Define(Scope& scope, const ValueKey& key, Value* value, std::size_t offset) {
  if (scope.values.emplace(key, value).second) return {};
  return scan_.FailAt(offset,
                      "value %" + FormatName(key.name) +
                          " is defined twice; write %name~1 for another value of that name");
}

Status TextReader::ReadOriginNumber(Node* node, Value* value) {
  scan_.Accept("!");
  DRAGOMAN_ASSIGN(const std::size_t number, scan_.Index());
  open_origins_.push_back({node, value, number, scan_.word_offset()});
  return {};
}

// Whether a tensor with a type of its own comes next, not one of the type that the value has.
bool TextReader::AtType() {
  char after = '\0';
  const std::string_view word = scan_.PeekWord(&after);
  return scan_.Peek() == '?' || word == "sparse" || (!word.empty() && after == '[');
}

Status TextReader::ReadDefinition(Value& value) {
  if (scan_.Accept(":")) {
    DRAGOMAN_ASSIGN(Type type, scan_.ReadType());
    value.set_type(std::move(type));
  }
  if (scan_.Accept("=")) {
    const Type& type = value.type();
    const auto sizes = type.shape() != nullptr ? KnownShape(*type.shape()) : std::nullopt;
    const bool is_value = scan_.AcceptWord("value");
    if (!is_value && type.is_tensor() && sizes && !AtType()) {
      DRAGOMAN_ASSIGN(Tensor tensor, ReadTensorBody(type.dtype(), *sizes));
      value.set_data(std::move(tensor));
    } else {
      DRAGOMAN_ASSIGN(Attribute data, ReadValue(nullptr));
      const bool untyped = !type.known() && data.tensor() != nullptr;
      if (untyped) value.set_type(data.tensor()->type());
      value.set_data(std::move(data));
    }
  }
  if (scan_.Peek() == '!') DRAGOMAN_TRY(ReadOriginNumber(nullptr, &value));
  if (scan_.PeekWord() == "extra") {
    DRAGOMAN_ASSIGN(value.extra(), ReadExtra());
  }
  return {};
}

Status TextReader::ReadSignature(Graph& graph, Scope& scope) {
  DRAGOMAN_TRY(scan_.Expect("("));
  for (bool first = true; !scan_.Accept(")"); first = false) {
    if (!first) DRAGOMAN_TRY(scan_.Expect(","));
    DRAGOMAN_ASSIGN(const ValueKey key, ReadReference());
    const std::size_t offset = scan_.word_offset();
    Value* value = graph.AddInput(key.name);
    DRAGOMAN_TRY(Define(scope, key, value, offset));
    DRAGOMAN_TRY(ReadDefinition(*value));
  }
  DRAGOMAN_TRY(scan_.Expect("->"));
  DRAGOMAN_TRY(scan_.Expect("("));
  for (bool first = true; !scan_.Accept(")"); first = false) {
    if (!first) DRAGOMAN_TRY(scan_.Expect(","));
    DRAGOMAN_TRY(ReadOutput(graph, scope));
  }
  return {};
}

Status TextReader::ReadOutput(Graph& graph, Scope& scope) {
  const std::size_t index = graph.num_outputs();
  graph.AddOutput(nullptr);
  if (scan_.AcceptWord("_")) return {};
  OpenUse use;
  use.graph = &graph;
  use.index = index;
  DRAGOMAN_ASSIGN(use.key, ReadReference());
  use.offset = scan_.word_offset();
  if (scan_.Accept(":")) {
    DRAGOMAN_ASSIGN(Type type, scan_.ReadType());
    scope.output_types.emplace_back(use, std::move(type));
  }
  scope.open.push_back(std::move(use));
  return {};
}

Status TextReader::ReadBody(Graph& graph, Scope& scope) {
  DRAGOMAN_TRY(scan_.Expect("{"));
  while (!scan_.Accept("}")) {
    char after = '\0';
    const std::string_view word = scan_.PeekWord(&after);
    if (word == "const" && after != '.' && after != ':') {
      DRAGOMAN_TRY(ReadConstant(graph, scope));
    } else if (word == "extra" && after != '.' && after != ':') {
      DRAGOMAN_ASSIGN(graph.extra(), ReadExtra());
    } else {
      DRAGOMAN_TRY(ReadNode(graph, scope));
    }
  }
  return {};
}

Status TextReader::ReadConstant(Graph& graph, Scope& scope) {
  scan_.AcceptWord("const");
  DRAGOMAN_ASSIGN(const ValueKey key, ReadReference());
  const std::size_t offset = scan_.word_offset();
  Value* value = graph.AddConstant(key.name, Tensor());
  value->set_type(Type());
  value->clear_data();
  DRAGOMAN_TRY(Define(scope, key, value, offset));
  return ReadDefinition(*value);
}

Status TextReader::ReadResults(std::vector<ParsedResult>& results) {
  if (scan_.Peek() != '%' && scan_.PeekWord() != "_") return {};
  do {
    ParsedResult result;
    result.omitted = scan_.AcceptWord("_");
    if (!result.omitted) {
      DRAGOMAN_ASSIGN(ValueKey key, ReadReference());
      result.offset = scan_.word_offset();
      result.name = std::move(key.name);
      result.ordinal = key.ordinal;
      if (scan_.Accept(":")) {
        DRAGOMAN_ASSIGN(result.type, scan_.ReadType());
      }
      if (scan_.Accept("!")) {
        DRAGOMAN_ASSIGN(result.origin, scan_.Index());
        result.origin_offset = scan_.word_offset();
      }
      if (scan_.PeekWord() == "extra") {
        DRAGOMAN_ASSIGN(result.extra, ReadExtra());
      }
    }
    results.push_back(std::move(result));
  } while (scan_.Accept(","));
  return scan_.Expect("=");
}

Status TextReader::ReadNode(Graph& graph, Scope& scope) {
  scan_.Peek();
  const std::size_t begin = scan_.offset();
  std::vector<ParsedResult> results;
  DRAGOMAN_TRY(ReadResults(results));
  DRAGOMAN_ASSIGN(const OpName* op, scan_.Op());
  Node* node = graph.Append(op, {});
  for (ParsedResult& result : results) {
    if (result.omitted) {
      node->AddOmittedResult();
      continue;
    }
    Value* value = node->AddResult(result.name, std::move(result.type));
    if (!result.extra.empty()) value->extra() = std::move(result.extra);
    if (result.origin != ParsedResult::kNoOrigin) {
      open_origins_.push_back({nullptr, value, result.origin, result.origin_offset});
    }
    DRAGOMAN_TRY(Define(scope, {result.name, result.ordinal}, value, result.offset));
  }
  DRAGOMAN_TRY(ReadOperands(*node, scope));
  DRAGOMAN_TRY(ReadNodeTail(*node, scope));
  if (options_.on_node) options_.on_node(*node, begin);
  return {};
}

Status TextReader::ReadOperands(Node& node, Scope& scope) {
  DRAGOMAN_TRY(scan_.Expect("("));
  std::vector<Value*> values;
  for (bool first = true; !scan_.Accept(")"); first = false) {
    if (!first) DRAGOMAN_TRY(scan_.Expect(","));
    values.push_back(nullptr);
    if (scan_.AcceptWord("_")) continue;
    DRAGOMAN_ASSIGN(ValueKey key, ReadReference());
    const auto found = scope.values.find(key);
    if (found != scope.values.end()) {
      values.back() = found->second;
    } else {
      scope.open.push_back(
          {std::move(key), scan_.word_offset(), &node, nullptr, values.size() - 1});
    }
  }
  for (Value* value : values) node.AddOperand(value);
  return {};
}

// Attributes, name, origin and extra, each optional.
Status TextReader::ReadNodeTail(Node& node, Scope& scope) {
  if (scan_.Peek() == '{') {
    DRAGOMAN_ASSIGN(std::vector<NamedAttribute> attributes, ReadAttributes(&scope));
    for (NamedAttribute& attribute : attributes) node.AddAttribute(std::move(attribute));
  }
  if (scan_.Accept("@")) {
    DRAGOMAN_ASSIGN(std::string name, scan_.Name());
    node.set_name(std::move(name));
  }
  if (scan_.Peek() == '!') DRAGOMAN_TRY(ReadOriginNumber(&node, nullptr));
  char after = '\0';
  if (scan_.PeekWord(&after) == "extra" && after != '.' && after != ':') {
    DRAGOMAN_ASSIGN(node.extra(), ReadExtra());
  }
  return {};
}

Status TextReader::Close(Scope& scope, Scope* enclosing) {
  for (OpenUse& use : scope.open) {
    const auto found = scope.values.find(use.key);
    if (found == scope.values.end()) {
      if (enclosing == nullptr) {
        return scan_.FailAt(use.offset, "value %" + FormatName(use.key.name) + " is not defined");
      }
      enclosing->open.push_back(std::move(use));
      continue;
    }
    if (use.user != nullptr) {
      use.user->set_operand(use.index, found->second);
    } else {
      use.graph->SetOutput(use.index, found->second);
    }
  }
  for (auto& [use, type] : scope.output_types) {
    const auto found = scope.values.find(use.key);
    if (found == scope.values.end()) continue;
    Value& value = *found->second;
    if (value.type().known() && value.type() != type) {
      return scan_.FailAt(use.offset, "output %" + FormatName(use.key.name) + " has type " +
                                          value.type().ToString() + " where it is defined");
    }
    value.set_type(std::move(type));
  }
  return {};
}

// After the word "graph".
Result<Attribute::GraphPtr> TextReader::ReadSubgraph(Scope* enclosing) {
  if (graph_nesting_ == kMaxGraphNesting) return scan_.Fail("graphs nest too deep");
  ++graph_nesting_;
  auto graph = std::make_shared<Graph>();
  if (scan_.Peek() != '(') {
    DRAGOMAN_ASSIGN(std::string name, scan_.Name());
    graph->set_name(std::move(name));
  }
  Scope scope;
  DRAGOMAN_TRY(ReadSignature(*graph, scope));
  DRAGOMAN_TRY(ReadBody(*graph, scope));
  DRAGOMAN_TRY(Close(scope, enclosing));
  --graph_nesting_;
  return graph;
}

}  // namespace dragoman
