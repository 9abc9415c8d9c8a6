#include <bit>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/support/text.h"
#include "proto/pack_model.h"

namespace dragoman {
namespace {

// A type that is written out in full has at most so many parts: a table can share parts, a text
// cannot.
constexpr std::size_t kMaxTypeParts = 10000;

class Unpacker {
 public:
  Unpacker(pb::Model message, const LoadBuffer& load) : in_(std::move(message)), load_(load) {}

  Result<Model> Run();

 private:
  using Attributes = google::protobuf::RepeatedPtrField<pb::Attribute>;
  using Structures = google::protobuf::RepeatedPtrField<pb::Structure>;

  // tables
  Status UnpackBuffers();
  Status UnpackOps();
  Status UnpackTypes();
  Result<Type> MakeType(const pb::Type& from, std::size_t number);
  Status UnpackOrigins();
  Status UnpackGraphs();
  Status ConnectGraphs();

  // graphs
  Status UnpackGraph(std::size_t number);
  Status UnpackNode(const pb::Node& from, Graph& graph, std::size_t graph_number);
  Status UnpackValue(const pb::Value& from, Value& to);
  Status Connect(const Graph& graph, std::uint32_t number, Value** value);
  // Takes graph `number`, which must come after graph `parent` (-1: none) and be in no other place.
  Result<std::unique_ptr<Graph>> TakeGraph(std::uint32_t number, std::int64_t parent);

  // model
  Status UnpackHeader(Model& model);
  Status UnpackEntry(const pb::Entry& from, Model& model);
  Status UnpackFunction(const pb::Function& from, Model& model);
  Result<std::vector<Structure>> UnpackStructures(const Structures& from);
  Result<Structure> UnpackStructure(const Structures& from, int& next, int nesting);

  // attributes: `owner` is the number of the graph whose node has them, -1 for none
  Result<std::vector<NamedAttribute>> UnpackAttributes(const Attributes& from, std::int64_t owner,
                                                       int nesting = 0, std::int64_t list = -1);
  Result<NamedAttribute> UnpackNamed(const pb::Attribute& from, std::int64_t owner, int nesting,
                                     std::int64_t list);
  Result<Attribute> UnpackAttribute(const pb::Attribute& from, std::int64_t owner, int nesting,
                                    std::int64_t list);
  Result<Attribute> UnpackList(const pb::Attribute& from);
  Result<Attribute> UnpackGraphList(const pb::Attribute& from, std::int64_t owner);
  Result<const pb::AttributeList*> TakeList(std::uint32_t number, int nesting, std::int64_t list);
  Result<Tensor> UnpackTensor(const pb::Tensor& from);
  Result<SparseTensor> UnpackSparseTensor(const pb::SparseTensor& from);

  template <class T>
  Result<T> At(const std::vector<T>& table, std::uint64_t number, const char* what) {
    if (number < table.size()) return table[number];
    return InvalidInput(std::string(what) + " " + std::to_string(number) + " of " +
                        std::to_string(table.size()) + " does not exist");
  }

  pb::Model in_;
  const LoadBuffer& load_;
  std::vector<Buffer> buffers_;
  std::vector<const OpName*> ops_;
  std::vector<Type> types_;
  std::vector<OriginPtr> origins_;
  std::vector<std::unique_ptr<Graph>> owned_graphs_;  // as long as no attribute has taken them
  std::vector<Graph*> graphs_;
  std::vector<int> graph_depths_;  // 0: of no place yet
  std::vector<bool> taken_lists_;
  std::vector<Value*> values_;
};

std::string UnpackText(const pb::Text& from) {
  return from.has_bytes() ? from.bytes() : from.utf8();
}

Result<OpsetImport> UnpackOpset(const pb::Opset& from) {
  DRAGOMAN_ASSIGN(std::string domain, Unescape(from.domain()));
  return OpsetImport{std::move(domain), from.version()};
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
  }
  return {};
}

Status Unpacker::UnpackTypes() {
  std::vector<std::size_t> parts;
  for (const pb::Type& from : in_.types()) {
    const std::size_t number = types_.size();
    parts.push_back(1);
    for (const std::uint32_t element : from.elements()) {
      if (element >= number) {
        return InvalidInput("type " + std::to_string(number) + " has an element behind itself");
      }
      parts.back() += parts[element];
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
  if (next >= from.size()) return InvalidInput("a structure has fewer children than it says");
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
    to.set_type(std::move(type));
  }
  if (from.has_data()) {
    DRAGOMAN_ASSIGN(Attribute data, UnpackAttribute(from.data(), -1, 0, -1));
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

Result<std::vector<NamedAttribute>> Unpacker::UnpackAttributes(const Attributes& from,
                                                               std::int64_t owner, int nesting,
                                                               std::int64_t list) {
  std::vector<NamedAttribute> attributes;
  attributes.reserve(static_cast<std::size_t>(from.size()));
  for (const pb::Attribute& attribute : from) {
    DRAGOMAN_ASSIGN(NamedAttribute made, UnpackNamed(attribute, owner, nesting, list));
    attributes.push_back(std::move(made));
  }
  return attributes;
}

Result<NamedAttribute> Unpacker::UnpackNamed(const pb::Attribute& from, std::int64_t owner,
                                             int nesting, std::int64_t list) {
  NamedAttribute attribute;
  DRAGOMAN_ASSIGN(attribute.name, Unescape(from.name()));
  DRAGOMAN_ASSIGN(attribute.value, UnpackAttribute(from, owner, nesting, list));
  if (from.extra() == 0) return attribute;
  DRAGOMAN_ASSIGN(const pb::AttributeList* extra, TakeList(from.extra() - 1, nesting, list));
  DRAGOMAN_ASSIGN(Extra items, UnpackAttributes(extra->items(), -1, nesting + 1, from.extra() - 1));
  attribute.extra = std::make_shared<const Extra>(std::move(items));
  return attribute;
}

Result<const pb::AttributeList*> Unpacker::TakeList(std::uint32_t number, int nesting,
                                                    std::int64_t list) {
  const std::string label = "list " + std::to_string(number);
  if (number >= taken_lists_.size()) return InvalidInput(label + " does not exist");
  if (taken_lists_[number]) return InvalidInput(label + " is in two places");
  if (static_cast<std::int64_t>(number) <= list)
    return InvalidInput(label + " comes before its list");
  if (nesting >= kMaxListNesting) return InvalidInput("lists nest too deep");
  taken_lists_[number] = true;
  return &in_.lists(static_cast<int>(number));
}

Result<Attribute> Unpacker::UnpackAttribute(const pb::Attribute& from, std::int64_t owner,
                                            int nesting, std::int64_t list) {
  switch (from.value_case()) {
    case pb::Attribute::VALUE_NOT_SET:
      return Attribute();
    case pb::Attribute::kInt:
      return Attribute(static_cast<std::int64_t>(from.int_()));
    case pb::Attribute::kFloat:
      return Attribute(std::bit_cast<float>(from.float_()));
    case pb::Attribute::kDouble:
      return Attribute(std::bit_cast<double>(std::uint64_t{from.double_()}));
    case pb::Attribute::kBool:
      return Attribute(from.bool_());
    case pb::Attribute::kText:
      return Attribute(UnpackText(from.text()));
    case pb::Attribute::kTensor: {
      DRAGOMAN_ASSIGN(Tensor tensor, UnpackTensor(from.tensor()));
      return Attribute(std::move(tensor));
    }
    case pb::Attribute::kSparseTensor: {
      DRAGOMAN_ASSIGN(SparseTensor tensor, UnpackSparseTensor(from.sparse_tensor()));
      return Attribute(std::move(tensor));
    }
    case pb::Attribute::kGraph: {
      DRAGOMAN_ASSIGN(Attribute::GraphPtr graph, TakeGraph(from.graph(), owner));
      return Attribute(std::move(graph));
    }
    case pb::Attribute::kType: {
      DRAGOMAN_ASSIGN(Type type, At(types_, from.type(), "type"));
      return Attribute(std::move(type));
    }
    case pb::Attribute::kSymbol: {
      DRAGOMAN_ASSIGN(std::string name, Unescape(from.symbol()));
      return Attribute(Symbol{std::move(name)});
    }
    case pb::Attribute::kReference: {
      DRAGOMAN_ASSIGN(std::string name, Unescape(from.reference().name()));
      return Attribute(AttributeRef{std::move(name), from.reference().kind()});
    }
    case pb::Attribute::kComplex:
      return Attribute(
          Attribute::Complex(std::bit_cast<double>(std::uint64_t{from.complex().real()}),
                             std::bit_cast<double>(std::uint64_t{from.complex().imaginary()})));
    case pb::Attribute::kGraphs:
      return UnpackGraphList(from, owner);
    case pb::Attribute::kList: {
      DRAGOMAN_ASSIGN(const pb::AttributeList* items, TakeList(from.list(), nesting, list));
      Attribute::List made;
      for (const pb::Attribute& item : items->items()) {
        DRAGOMAN_ASSIGN(Attribute value, UnpackAttribute(item, -1, nesting + 1, from.list()));
        made.push_back(std::move(value));
      }
      return Attribute(std::move(made));
    }
    case pb::Attribute::kDict: {
      DRAGOMAN_ASSIGN(const pb::AttributeList* items, TakeList(from.dict(), nesting, list));
      DRAGOMAN_ASSIGN(Attribute::Dict made,
                      UnpackAttributes(items->items(), -1, nesting + 1, from.dict()));
      return Attribute(std::move(made));
    }
    default:
      return UnpackList(from);
  }
}

// Of one kind each.
Result<Attribute> Unpacker::UnpackList(const pb::Attribute& from) {
  switch (from.value_case()) {
    case pb::Attribute::kInts: {
      const auto& items = from.ints().items();
      return Attribute(Attribute::Ints(items.begin(), items.end()));
    }
    case pb::Attribute::kFloats: {
      Attribute::Floats made;
      for (const std::uint32_t item : from.floats().items())
        made.push_back(std::bit_cast<float>(item));
      return Attribute(std::move(made));
    }
    case pb::Attribute::kDoubles: {
      Attribute::Doubles made;
      for (const std::uint64_t item : from.doubles().items())
        made.push_back(std::bit_cast<double>(item));
      return Attribute(std::move(made));
    }
    case pb::Attribute::kTexts: {
      Attribute::Strings made;
      for (const pb::Text& item : from.texts().items()) made.push_back(UnpackText(item));
      return Attribute(std::move(made));
    }
    case pb::Attribute::kTensors: {
      Attribute::Tensors made;
      for (const pb::Tensor& item : from.tensors().items()) {
        DRAGOMAN_ASSIGN(Tensor tensor, UnpackTensor(item));
        made.push_back(std::move(tensor));
      }
      return Attribute(std::move(made));
    }
    case pb::Attribute::kSparseTensors: {
      Attribute::SparseTensors made;
      for (const pb::SparseTensor& item : from.sparse_tensors().items()) {
        DRAGOMAN_ASSIGN(SparseTensor tensor, UnpackSparseTensor(item));
        made.push_back(std::move(tensor));
      }
      return Attribute(std::move(made));
    }
    default: {
      Attribute::Types made;
      for (const std::uint32_t item : from.types().items()) {
        DRAGOMAN_ASSIGN(Type type, At(types_, item, "type"));
        made.push_back(std::move(type));
      }
      return Attribute(std::move(made));
    }
  }
}

Result<Attribute> Unpacker::UnpackGraphList(const pb::Attribute& from, std::int64_t owner) {
  Attribute::Graphs made;
  for (const std::uint32_t item : from.graphs().items()) {
    DRAGOMAN_ASSIGN(Attribute::GraphPtr graph, TakeGraph(item, owner));
    made.push_back(std::move(graph));
  }
  return Attribute(std::move(made));
}

Result<Tensor> Unpacker::UnpackTensor(const pb::Tensor& from) {
  DRAGOMAN_ASSIGN(const DType dtype, UnpackDType(from.dtype()));
  std::vector<std::int64_t> sizes(from.sizes().begin(), from.sizes().end());
  if (dtype == DType::kUnknown) return Tensor();
  if (dtype == DType::kString) {
    std::vector<std::string> strings;
    for (const pb::Text& string : from.strings()) strings.push_back(UnpackText(string));
    return Tensor::MakeStrings(std::move(sizes), std::move(strings));
  }
  DRAGOMAN_ASSIGN(Buffer buffer, At(buffers_, std::uint64_t{from.buffer()} - 1, "buffer"));
  return Tensor::Make(dtype, std::move(sizes), std::move(buffer));
}

Result<SparseTensor> Unpacker::UnpackSparseTensor(const pb::SparseTensor& from) {
  SparseTensor tensor;
  DRAGOMAN_ASSIGN(tensor.values, UnpackTensor(from.values()));
  DRAGOMAN_ASSIGN(tensor.indices, UnpackTensor(from.indices()));
  tensor.sizes.assign(from.sizes().begin(), from.sizes().end());
  return tensor;
}

}  // namespace

Result<Model> UnpackModel(pb::Model message, const LoadBuffer& load) {
  return Unpacker(std::move(message), load).Run();
}

}  // namespace dragoman
