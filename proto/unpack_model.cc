// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/support/size_budget.h"
#include "core/support/text.h"
#include "proto/pack_model.h"
#include "proto/unpacker.h"

namespace dragoman {
namespace {

// A type that is written out in full has at most so many parts: a table can share parts, a text
// cannot.
constexpr std::size_t kMaxTypeParts = 10000;
// What the file holds, at the most, of each use of a type or an operator: its number in a table.
// Where it is written out, as in a text, each use takes all of the type or the operator.
constexpr std::uint64_t kBytesOfNumber = 32;

Result<OpsetImport> UnpackOpset(const pb::Opset& from) {
  DRAGOMAN_ASSIGN(std::string domain, Unescape(from.domain()));
  return OpsetImport{std::move(domain), from.version()};
}

}  // namespace

std::string UnpackText(const pb::Text& from) {
  return from.has_bytes() ? from.bytes() : from.utf8();
}

Result<DType> UnpackDType(std::uint32_t number) {
  if (number != 0 && !IsDTypeNumber(number)) {
    return InvalidInput("element type " + std::to_string(number) + " is unknown");
  }
  return static_cast<DType>(number);
}

Result<Model> Unpacker::Run() {
  if (in_.version() != kNativeVersion) {
    return InvalidInput("version " + std::to_string(in_.version()) +
                        " of the format is unknown; this program reads version " +
                        std::to_string(kNativeVersion));
  }
  if (in_.entries().empty()) return InvalidInput("the model has no entry");
  taken_lists_.resize(static_cast<std::size_t>(in_.lists_size()));
  Model model;
  DRAGOMAN_TRY(UnpackBuffers());
  DRAGOMAN_TRY(UnpackOps());
  DRAGOMAN_TRY(UnpackTypes());
  for (int i = 0; i < in_.graphs_size(); ++i) {
    owned_graphs_.push_back(std::make_unique<Graph>());
    graphs_.push_back(owned_graphs_.back().get());
  }
  graph_depths_.resize(graphs_.size());
  DRAGOMAN_TRY(UnpackHeader(model));
  DRAGOMAN_TRY(UnpackOrigins());
  for (const pb::Entry& entry : in_.entries()) DRAGOMAN_TRY(UnpackEntry(entry, model));
  for (const pb::Function& function : in_.functions())
    DRAGOMAN_TRY(UnpackFunction(function, model));
  DRAGOMAN_TRY(UnpackGraphs());
  DRAGOMAN_TRY(ConnectGraphs());
  return model;
}

Status Unpacker::UnpackHeader(Model& model) {
  model.level = in_.level() == pb::Model::COMMON ? Level::kCommon : Level::kSource;
  DRAGOMAN_ASSIGN(model.dialect, Unescape(in_.dialect()));
  for (const pb::Opset& from : in_.opsets()) {
    DRAGOMAN_ASSIGN(OpsetImport opset, UnpackOpset(from));
    model.opsets.push_back(std::move(opset));
  }
  for (const pb::Metadata& from : in_.metadata()) {
    DRAGOMAN_ASSIGN(std::string key, Unescape(from.key()));
    DRAGOMAN_ASSIGN(std::string value, Unescape(from.value()));
    model.metadata.emplace_back(std::move(key), std::move(value));
  }
  DRAGOMAN_ASSIGN(model.extra, UnpackAttributes(in_.extra(), -1));
  for (const pb::State& from : in_.states()) {
    State state;
    DRAGOMAN_ASSIGN(state.name, Unescape(from.name()));
    if (from.type() != 0) {
      DRAGOMAN_ASSIGN(state.type, At(types_, from.type() - 1, "type"));
    }
    DRAGOMAN_ASSIGN(state.initial, UnpackAttribute(from.initial(), -1, 0, -1));
    model.states.push_back(std::move(state));
  }
  return {};
}

Status Unpacker::UnpackBuffers() {
  for (pb::Buffer& from : *in_.mutable_buffers()) {
    Result<Buffer> buffer = from.size() > 0 ? load_(from) : Buffer();
    if (!buffer.ok()) return std::move(buffer).error();
    if (buffer->size() != from.size()) {
      return InvalidInput("buffer " + std::to_string(buffers_.size()) + " has " +
                          std::to_string(buffer->size()) + " bytes, expected " +
                          std::to_string(from.size()));
    }
    buffers_.push_back(std::move(*buffer));
  }
  in_.clear_buffers();
  return {};
}

Status Unpacker::UnpackOps() {
  for (const pb::OpName& from : in_.ops()) {
    DRAGOMAN_ASSIGN(const std::string dialect, Unescape(from.dialect()));
    DRAGOMAN_ASSIGN(const std::string domain, Unescape(from.domain()));
    DRAGOMAN_ASSIGN(const std::string type, Unescape(from.type()));
    DRAGOMAN_ASSIGN(const std::string overload, Unescape(from.overload()));
    ops_.push_back(InternOp(dialect, type, domain, overload));
    op_bytes_.push_back(from.ByteSizeLong());
  }
  return {};
}

Status Unpacker::UnpackTypes() {
  std::vector<std::size_t> parts;
  for (const pb::Type& from : in_.types()) {
    const std::size_t number = types_.size();
    parts.push_back(1);
    type_bytes_.push_back(from.ByteSizeLong());
    for (const std::uint32_t element : from.elements()) {
      if (element >= number) {
        return InvalidInput("type " + std::to_string(number) + " has an element after itself");
      }
      parts.back() += parts[element];
      type_bytes_.back() += type_bytes_[element];
    }
    Result<Type> type = MakeType(from, number);
    if (!type.ok()) return std::move(type).error();
    if (type->nesting() > Type::kMaxNesting || parts.back() > kMaxTypeParts) {
      return InvalidInput("type " + std::to_string(number) + " nests too deep");
    }
    types_.push_back(std::move(*type));
  }
  return {};
}

Result<Type> Unpacker::MakeType(const pb::Type& from, std::size_t number) {
  DRAGOMAN_ASSIGN(const DType dtype, UnpackDType(from.dtype()));
  std::optional<Shape> shape;
  if (from.has_shape()) shape.emplace();
  for (const pb::Dim& dim : from.shape().dims()) {
    if (dim.has_expression()) {
      DRAGOMAN_ASSIGN(Dim parsed, ParseDim(dim.expression()));
      shape->push_back(std::move(parsed));
    } else {
      shape->push_back(dim.has_size() ? Dim(dim.size()) : Dim::Unknown());
    }
  }
  std::vector<Type> elements;
  for (const std::uint32_t element : from.elements()) elements.push_back(types_[element]);
  DRAGOMAN_ASSIGN(std::string domain, Unescape(from.domain()));
  DRAGOMAN_ASSIGN(std::string name, Unescape(from.name()));
  const bool has_element = elements.size() == 1;
  switch (from.kind()) {
    case pb::Type::TENSOR:
      return Type::Tensor(dtype, std::move(shape));
    case pb::Type::SPARSE_TENSOR:
      return Type::SparseTensor(dtype, std::move(shape));
    case pb::Type::TUPLE:
      return Type::Tuple(std::move(elements));
    case pb::Type::CONTROL:
      return Type::Control();
    case pb::Type::OPAQUE:
      return Type::Opaque(std::move(domain), std::move(name));
    case pb::Type::SEQUENCE:
      if (has_element) return Type::Sequence(elements[0]);
      break;
    case pb::Type::OPTIONAL:
      if (has_element) return Type::Optional(elements[0]);
      break;
    case pb::Type::MAP:
      if (has_element) return Type::Map(dtype, elements[0]);
      break;
    case pb::Type::UNKNOWN:
      return Type();
    default:
      break;
  }
  return InvalidInput("type " + std::to_string(number) + " is malformed");
}

Status Unpacker::UnpackOrigins() {
  for (const pb::Origin& from : in_.origins()) {
    if (from.parts_size() == 0) {
      SourceOp op;
      DRAGOMAN_ASSIGN(op.op, Unescape(from.op()));
      DRAGOMAN_ASSIGN(op.name, Unescape(from.name()));
      DRAGOMAN_ASSIGN(op.scope, Unescape(from.scope()));
      DRAGOMAN_ASSIGN(op.location, Unescape(from.location()));
      DRAGOMAN_ASSIGN(op.attributes, UnpackAttributes(from.attributes(), -1));
      origins_.push_back(Origin::Leaf(std::move(op)));
      continue;
    }
    std::vector<OriginPtr> parts;
    for (const std::uint32_t number : from.parts()) {
      DRAGOMAN_ASSIGN(OriginPtr part, At(origins_, number, "origin"));
      parts.push_back(std::move(part));
    }
    origins_.push_back(Origin::Merge(parts));
  }
  return {};
}

Status Unpacker::UnpackEntry(const pb::Entry& from, Model& model) {
  Entry entry;
  DRAGOMAN_ASSIGN(entry.name, Unescape(from.name()));
  DRAGOMAN_ASSIGN(entry.graph, TakeGraph(from.graph(), -1));
  DRAGOMAN_ASSIGN(entry.arguments, UnpackStructures(from.arguments()));
  DRAGOMAN_ASSIGN(entry.results, UnpackStructures(from.results()));
  for (const pb::StateBinding& binding : from.states()) {
    entry.states.push_back({static_cast<std::size_t>(binding.state()),
                            static_cast<std::size_t>(binding.input()),
                            static_cast<std::size_t>(binding.output())});
  }
  model.entries.push_back(std::move(entry));
  return {};
}

Status Unpacker::UnpackFunction(const pb::Function& from, Model& model) {
  Function function;
  DRAGOMAN_ASSIGN(function.op, At(ops_, from.op(), "operator"));
  DRAGOMAN_ASSIGN(function.graph, TakeGraph(from.graph(), -1));
  for (const std::string& escaped : from.attributes()) {
    DRAGOMAN_ASSIGN(std::string name, Unescape(escaped));
    function.attributes.push_back(std::move(name));
  }
  DRAGOMAN_ASSIGN(function.defaults, UnpackAttributes(from.defaults(), -1));
  for (const pb::Opset& opset : from.opsets()) {
    DRAGOMAN_ASSIGN(OpsetImport made, UnpackOpset(opset));
    function.opsets.push_back(std::move(made));
  }
  DRAGOMAN_ASSIGN(function.extra, UnpackAttributes(from.extra(), -1));
  model.functions.push_back(std::move(function));
  return {};
}

Result<std::vector<Structure>> Unpacker::UnpackStructures(const Structures& from) {
  std::vector<Structure> structures;
  for (int next = 0; next < from.size();) {
    DRAGOMAN_ASSIGN(Structure structure, UnpackStructure(from, next, 1));
    structures.push_back(std::move(structure));
  }
  return structures;
}

Result<Structure> Unpacker::UnpackStructure(const Structures& from, int& next, int nesting) {
  if (nesting > Type::kMaxNesting) return InvalidInput("structures nest too deep");
  if (next >= from.size()) return InvalidInput("a structure has fewer children than it states");
  const pb::Structure& message = from[next++];
  if (!pb::Structure::Kind_IsValid(message.kind()))
    return InvalidInput("a structure has an unknown kind");
  Structure structure;
  structure.kind = static_cast<Structure::Kind>(message.kind());
  DRAGOMAN_ASSIGN(structure.name, Unescape(message.name()));
  structure.index = static_cast<std::size_t>(message.index());
  for (std::uint32_t i = 0; i < message.children(); ++i) {
    DRAGOMAN_ASSIGN(Structure child, UnpackStructure(from, next, nesting + 1));
    structure.children.push_back(std::move(child));
  }
  return structure;
}

Result<std::unique_ptr<Graph>> Unpacker::TakeGraph(std::uint32_t number, std::int64_t parent) {
  if (const Result<Graph*> graph = At(graphs_, number, "graph"); !graph.ok()) return graph.error();
  if (graph_depths_[number] != 0) {
    return InvalidInput("graph " + std::to_string(number) + " is in two places");
  }
  if (static_cast<std::int64_t>(number) <= parent) {
    return InvalidInput("graph " + std::to_string(number) + " comes before the graph that has it");
  }
  const int depth = parent < 0 ? 1 : graph_depths_[static_cast<std::size_t>(parent)] + 1;
  if (depth > kMaxGraphNesting + 1) return InvalidInput("graphs nest too deep");
  graph_depths_[number] = depth;
  return std::move(owned_graphs_[number]);
}

Status Unpacker::UnpackGraphs() {
  for (std::size_t i = 0; i < graphs_.size(); ++i) {
    if (graph_depths_[i] == 0) {
      return InvalidInput("graph " + std::to_string(i) + " is in no entry, function or attribute");
    }
    Status status = UnpackGraph(i);
    if (!status.ok()) return std::move(status.error().At("graph " + std::to_string(i)));
  }
  return {};
}

Status Unpacker::UnpackGraph(std::size_t number) {
  const pb::Graph& from = in_.graphs(static_cast<int>(number));
  Graph& graph = *graphs_[number];
  DRAGOMAN_ASSIGN(std::string name, Unescape(from.name()));
  graph.set_name(std::move(name));
  for (const pb::Value& input : from.inputs()) {
    values_.push_back(graph.AddInput(""));
    DRAGOMAN_TRY(UnpackValue(input, *values_.back()));
  }
  for (const pb::Value& constant : from.constants()) {
    values_.push_back(graph.AddConstant("", Tensor()));
    values_.back()->set_type(Type());
    values_.back()->clear_data();
    DRAGOMAN_TRY(UnpackValue(constant, *values_.back()));
  }
  for (const pb::Node& node : from.nodes()) DRAGOMAN_TRY(UnpackNode(node, graph, number));
  DRAGOMAN_ASSIGN(Extra extra, UnpackAttributes(from.extra(), -1));
  if (!extra.empty()) graph.extra() = std::move(extra);
  return {};
}

Status Unpacker::UnpackValue(const pb::Value& from, Value& to) {
  DRAGOMAN_ASSIGN(std::string name, Unescape(from.name()));
  to.set_name(std::move(name));
  if (from.type() != 0) {
    DRAGOMAN_ASSIGN(Type type, At(types_, from.type() - 1, "type"));
    DRAGOMAN_TRY(TakeExpanded(kBytesOfNumber, type_bytes_[from.type() - 1]));
    to.set_type(std::move(type));
  }
  if (from.has_data()) {
    DRAGOMAN_ASSIGN(Attribute data, UnpackAttribute(from.data(), -1, 0, -1));
    const bool untyped = !to.type().known() && data.tensor() != nullptr;
    if (untyped) to.set_type(data.tensor()->type());  // as in a text
    to.set_data(std::move(data));
  }
  if (from.origin() != 0) {
    DRAGOMAN_ASSIGN(OriginPtr origin, At(origins_, from.origin() - 1, "origin"));
    to.set_origin(std::move(origin));
  }
  DRAGOMAN_ASSIGN(Extra extra, UnpackAttributes(from.extra(), -1));
  if (!extra.empty()) to.extra() = std::move(extra);
  return {};
}

Status Unpacker::UnpackNode(const pb::Node& from, Graph& graph, std::size_t graph_number) {
  DRAGOMAN_ASSIGN(const OpName* op, At(ops_, from.op(), "operator"));
  DRAGOMAN_TRY(TakeExpanded(kBytesOfNumber, op_bytes_[from.op()]));
  DRAGOMAN_ASSIGN(std::string name, Unescape(from.name()));
  Node* node = graph.Append(op, {}, std::move(name));
  for (const pb::Value& result : from.results()) {
    if (result.omitted()) {
      node->AddOmittedResult();
      continue;
    }
    values_.push_back(node->AddResult(""));
    DRAGOMAN_TRY(UnpackValue(result, *values_.back()));
  }
  DRAGOMAN_ASSIGN(std::vector<NamedAttribute> attributes,
                  UnpackAttributes(from.attributes(), static_cast<std::int64_t>(graph_number)));
  for (NamedAttribute& attribute : attributes) node->AddAttribute(std::move(attribute));
  if (from.origin() != 0) {
    DRAGOMAN_ASSIGN(OriginPtr origin, At(origins_, from.origin() - 1, "origin"));
    node->set_origin(std::move(origin));
  }
  DRAGOMAN_ASSIGN(Extra extra, UnpackAttributes(from.extra(), -1));
  if (!extra.empty()) node->extra() = std::move(extra);
  return {};
}

Status Unpacker::ConnectGraphs() {
  for (std::size_t i = 0; i < graphs_.size(); ++i) {
    const pb::Graph& from = in_.graphs(static_cast<int>(i));
    Graph& graph = *graphs_[i];
    Value* value = nullptr;
    Node* node = graph.first_node();
    for (const pb::Node& message : from.nodes()) {
      for (const std::uint32_t operand : message.operands()) {
        DRAGOMAN_TRY(Connect(graph, operand, &value));
        node->AddOperand(value);
      }
      node = node->next();
    }
    for (const std::uint32_t output : from.outputs()) {
      DRAGOMAN_TRY(Connect(graph, output, &value));
      graph.AddOutput(value);
    }
  }
  return {};
}

// Only what `graph` or one around it defines.
Status Unpacker::Connect(const Graph& graph, std::uint32_t number, Value** value) {
  *value = nullptr;
  if (number == 0) return {};
  DRAGOMAN_ASSIGN(*value, At(values_, number - 1, "value"));
  const Graph* defining = (*value)->graph();
  for (const Graph* at = &graph; at != nullptr; at = at->parent_graph()) {
    if (at == defining) return {};
  }
  return InvalidInput("value " + std::to_string(number - 1) +
                      " is used outside of the graph that defines it");
}

Result<Model> UnpackModel(pb::Model message, const LoadBuffer& load) {
  return Unpacker(std::move(message), load).Run();
}

}  // namespace dragoman
