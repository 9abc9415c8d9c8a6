// SPDX-License-Identifier: Apache-2.0
#include "importers/onnx/parse_syntax.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "core/ir/text_scanner.h"
#include "core/support/bytes.h"
#include "core/support/text.h"
#include "proto/onnx/syntax_words.h"

namespace dragoman {
namespace {

using google::protobuf::RepeatedPtrField;
using onnx_pb::AttributeProto;
using onnx_pb::FunctionProto;
using onnx_pb::GraphProto;
using onnx_pb::ModelProto;
using onnx_pb::NodeProto;
using onnx_pb::OperatorSetIdProto;
using onnx_pb::StringStringEntryProto;
using onnx_pb::TensorProto;
using onnx_pb::TensorShapeProto;
using onnx_pb::TypeProto;
using onnx_pb::ValueInfoProto;

// A graph in an attribute is three messages below the graph around it; kMaxMessageNesting counts
// those.
constexpr int kMaxGraphs = 30;
constexpr int kMaxTypes = 30;

using Names = RepeatedPtrField<std::string>;
using Values = RepeatedPtrField<ValueInfoProto>;
using Tensors = RepeatedPtrField<TensorProto>;

class SyntaxReader {
 public:
  explicit SyntaxReader(std::string_view text) : scan_(text) {}

  Status ReadModel(ModelProto* model) {
    if (scan_.Accept("<")) {
      DRAGOMAN_TRY(List(">", [&] { return ReadModelField(model); }));
    }
    DRAGOMAN_TRY(ReadGraph(model->mutable_graph(), 1));
    while (!scan_.AtEnd()) DRAGOMAN_TRY(ReadFunction(model->add_functions()));
    return {};
  }

 private:
  // What `element` reads, with commas between, up to `close`.
  template <class Element>
  Status List(std::string_view close, const Element& element) {
    while (!scan_.Accept(close)) {
      DRAGOMAN_TRY(element());
      if (!scan_.Accept(",")) return scan_.Expect(close);
    }
    return {};
  }

  Result<std::string_view> Word(std::string_view expected) {
    const std::string_view word = scan_.PeekWord();
    if (word.empty()) return scan_.Unexpected(expected);
    scan_.AcceptWord(word);
    return word;
  }

  // A backslash stands before a character that is taken as it is.
  Result<std::string> Text() {
    if (scan_.Peek() != '"') return scan_.Unexpected("a string");
    DRAGOMAN_ASSIGN(std::string_view literal, scan_.Element());
    std::string text;
    for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
      i += literal[i] == '\\';
      text += literal[i];
    }
    return text;
  }

  bool AtName() { return scan_.Peek() == '"' || !scan_.PeekWord().empty(); }

  Result<std::string> Name() {
    if (scan_.Peek() == '"') return Text();
    DRAGOMAN_ASSIGN(const std::string_view word, Word("a name"));
    return std::string(word);
  }

  // Up to what is neither a name nor a comma; a name before a comma may be left out.
  Status ReadNames(Names* names) {
    while (AtName() || scan_.Peek() == ',') {
      names->Add();
      if (AtName()) {
        DRAGOMAN_ASSIGN(*names->Mutable(names->size() - 1), Name());
      }
      if (!scan_.Accept(",")) break;
    }
    return {};
  }

  Result<std::int64_t> Int() { return scan_.Int(); }

  // --- The heads of models and functions

  Status ReadOpsets(RepeatedPtrField<OperatorSetIdProto>* opsets) {
    DRAGOMAN_TRY(scan_.Expect("["));
    return List("]", [&]() -> Status {
      OperatorSetIdProto* opset = opsets->Add();
      DRAGOMAN_ASSIGN(*opset->mutable_domain(), Text());
      DRAGOMAN_TRY(scan_.Expect(":"));
      DRAGOMAN_ASSIGN(const std::int64_t version, Int());
      opset->set_version(version);
      return {};
    });
  }

  Status ReadPairs(RepeatedPtrField<StringStringEntryProto>* pairs) {
    DRAGOMAN_TRY(scan_.Expect("["));
    return List("]", [&] { return ReadPair(pairs->Add()); });
  }

  Status SetText(std::string* field) {
    DRAGOMAN_ASSIGN(*field, Text());
    return {};
  }

  Status ReadModelField(ModelProto* model) {
    DRAGOMAN_ASSIGN(const std::string_view key, Word("a field of the model"));
    DRAGOMAN_TRY(scan_.Expect(":"));
    if (key == "opset_import") return ReadOpsets(model->mutable_opset_import());
    if (key == "metadata_props") return ReadPairs(model->mutable_metadata_props());
    if (key == "producer_name") return SetText(model->mutable_producer_name());
    if (key == "producer_version") return SetText(model->mutable_producer_version());
    if (key == "domain") return SetText(model->mutable_domain());
    if (key == "doc_string") return SetText(model->mutable_doc_string());
    if (key != "ir_version" && key != "model_version")
      return scan_.Fail("a model has no field " + Quote(key));
    DRAGOMAN_ASSIGN(const std::int64_t number, Int());
    key == "ir_version" ? model->set_ir_version(number) : model->set_model_version(number);
    return {};
  }

  Status ReadFunctionField(FunctionProto* function) {
    DRAGOMAN_ASSIGN(const std::string_view key, Word("a field of the function"));
    DRAGOMAN_TRY(scan_.Expect(":"));
    if (key == "opset_import") return ReadOpsets(function->mutable_opset_import());
    if (key == "metadata_props") return ReadPairs(function->mutable_metadata_props());
    if (key == "domain") return SetText(function->mutable_domain());
    if (key == "overload") return SetText(function->mutable_overload());
    if (key == "doc_string") return SetText(function->mutable_doc_string());
    return scan_.Fail("a function has no field " + Quote(key));
  }

  // --- Types

  Status ReadShape(TensorShapeProto* shape) {
    return List("]", [&]() -> Status {
      TensorShapeProto::Dimension* dim = shape->add_dim();
      if (scan_.Accept("?")) return {};
      if (AtName()) {
        DRAGOMAN_ASSIGN(*dim->mutable_dim_param(), Name());
        return {};
      }
      DRAGOMAN_ASSIGN(const std::int64_t size, Int());
      dim->set_dim_value(size);
      return {};
    });
  }

  // float: a scalar; float[]: of unknown rank; float[2, n, ?].
  template <class TensorType>
  Status ReadTensorType(TensorType* type) {
    DRAGOMAN_ASSIGN(const auto element, ReadElementType());
    type->set_elem_type(element);
    if (!scan_.Accept("[")) {
      type->mutable_shape();
      return {};
    }
    return scan_.Accept("]") ? Status() : ReadShape(type->mutable_shape());
  }

  Result<TensorProto::DataType> ReadElementType() {
    const auto element = onnx_syntax::ElementType(scan_.PeekWord());
    if (!element) return scan_.Unexpected("an element type");
    scan_.AcceptWord(scan_.PeekWord());
    return *element;
  }

  bool AtType() {
    char after = '\0';
    const std::string_view word = scan_.PeekWord(&after);
    constexpr std::string_view kComposed[] = {"seq", "map", "optional", "sparse_tensor", "opaque"};
    return onnx_syntax::ElementType(word) ||
           (after == '(' && std::ranges::find(kComposed, word) != std::end(kComposed));
  }

  Status ReadType(TypeProto* type, int nesting = 1) {
    if (nesting > kMaxTypes) return scan_.Fail("types nest too deep");
    if (onnx_syntax::ElementType(scan_.PeekWord()))
      return ReadTensorType(type->mutable_tensor_type());
    DRAGOMAN_ASSIGN(const std::string_view word, Word("a type"));
    DRAGOMAN_TRY(scan_.Expect("("));
    if (word == "seq") {
      DRAGOMAN_TRY(ReadType(type->mutable_sequence_type()->mutable_elem_type(), nesting + 1));
    } else if (word == "optional") {
      DRAGOMAN_TRY(ReadType(type->mutable_optional_type()->mutable_elem_type(), nesting + 1));
    } else if (word == "sparse_tensor") {
      DRAGOMAN_TRY(ReadTensorType(type->mutable_sparse_tensor_type()));
    } else if (word == "map") {
      DRAGOMAN_ASSIGN(const auto key, ReadElementType());
      type->mutable_map_type()->set_key_type(key);
      DRAGOMAN_TRY(scan_.Expect(","));
      DRAGOMAN_TRY(ReadType(type->mutable_map_type()->mutable_value_type(), nesting + 1));
    } else if (word == "opaque") {
      DRAGOMAN_TRY(ReadOpaque(type->mutable_opaque_type()));
    } else {
      return scan_.Fail("there is no type " + Quote(word));
    }
    return scan_.Expect(")");
  }

  // Nothing, a name, or a domain and a name.
  Status ReadOpaque(TypeProto::Opaque* type) {
    if (!AtName()) return {};
    DRAGOMAN_ASSIGN(*type->mutable_name(), Name());
    if (!scan_.Accept(",")) return {};
    type->set_domain(type->name());
    DRAGOMAN_ASSIGN(*type->mutable_name(), Name());
    return {};
  }

  // --- Values and their contents

  Status ReadValue(ValueInfoProto* value) {
    if (AtType()) DRAGOMAN_TRY(ReadType(value->mutable_type()));
    DRAGOMAN_ASSIGN(*value->mutable_name(), Name());
    return {};
  }

  // Values, of which those with "=" have contents: a default of an input, which stays a value too,
  // or a constant, which does not.
  Status ReadValues(std::string_view close, bool inputs, Values* values, Tensors* tensors) {
    return List(close, [&]() -> Status {
      ValueInfoProto value;
      DRAGOMAN_TRY(ReadValue(&value));
      const bool constant = scan_.Accept("=");
      if (constant) {
        TensorProto* tensor = tensors->Add();
        tensor->set_name(value.name());
        DRAGOMAN_TRY(ReadTensor(value.type(), tensor));
      }
      if (inputs || !constant) *values->Add() = std::move(value);
      return {};
    });
  }

  Status ReadTensor(const TypeProto& type, TensorProto* tensor) {
    if (!type.has_tensor_type() || !type.tensor_type().has_shape())
      return scan_.Fail("a constant is of a tensor type with known sizes");
    tensor->set_data_type(type.tensor_type().elem_type());
    for (const TensorShapeProto::Dimension& dim : type.tensor_type().shape().dim()) {
      if (!dim.has_dim_value()) return scan_.Fail("the sizes of a constant are numbers");
      tensor->add_dims(dim.dim_value());
    }
    if (scan_.Peek() == '[') {
      tensor->set_data_location(TensorProto::EXTERNAL);
      return ReadPairs(tensor->mutable_external_data());
    }
    DRAGOMAN_TRY(scan_.Expect("{"));
    return List("}", [&] { return ReadElement(tensor); });
  }

  Status ReadPair(StringStringEntryProto* pair) {
    DRAGOMAN_ASSIGN(*pair->mutable_key(), Text());
    DRAGOMAN_TRY(scan_.Expect(":"));
    DRAGOMAN_ASSIGN(*pair->mutable_value(), Text());
    return {};
  }

  // Small floats are given by their bits, elements of less than a byte by the bytes that hold them.
  Status ReadElement(TensorProto* tensor) {
    switch (tensor->data_type()) {
      case TensorProto::STRING: {
        DRAGOMAN_ASSIGN(*tensor->add_string_data(), Text());
        return {};
      }
      case TensorProto::FLOAT:
      case TensorProto::COMPLEX64: {
        DRAGOMAN_ASSIGN(const float number, Number(ParseFloat));
        tensor->add_float_data(number);
        return {};
      }
      case TensorProto::DOUBLE:
      case TensorProto::COMPLEX128: {
        DRAGOMAN_ASSIGN(const double number, Number(ParseDouble));
        tensor->add_double_data(number);
        return {};
      }
      case TensorProto::INT64: {
        DRAGOMAN_ASSIGN(const std::int64_t number, Int());
        tensor->add_int64_data(number);
        return {};
      }
      case TensorProto::UINT32:
      case TensorProto::UINT64: {
        DRAGOMAN_ASSIGN(const std::uint64_t number, Number(ParseUint64));
        tensor->add_uint64_data(number);
        return {};
      }
      default: {
        DRAGOMAN_ASSIGN(const std::int64_t number, Int());
        if (number < INT32_MIN || number > INT32_MAX)
          return scan_.Fail(std::to_string(number) + " is outside of the element type");
        tensor->add_int32_data(static_cast<std::int32_t>(number));
        return {};
      }
    }
  }

  template <class T>
  Result<T> Number(std::optional<T> (*parse)(std::string_view)) {
    const std::string_view token = scan_.Token();
    if (token.empty()) return scan_.Unexpected("a number");
    const std::optional<T> number = parse(token);
    if (!number) return scan_.Fail(Quote(token) + " is not a number of the element type");
    return *number;
  }

  // --- Attributes

  Status ReadAttribute(AttributeProto* attribute, int graphs) {
    DRAGOMAN_ASSIGN(*attribute->mutable_name(), Name());
    return ReadAttributeValue(attribute, graphs);
  }

  // [":" type] "=" value, after the name.
  Status ReadAttributeValue(AttributeProto* attribute, int graphs) {
    if (scan_.Accept(":")) {
      DRAGOMAN_ASSIGN(const std::string_view word, Word("a type of attributes"));
      const auto type = onnx_syntax::AttributeType(word);
      if (!type) return scan_.Fail("there is no type " + Quote(word) + " of attributes");
      attribute->set_type(*type);
    }
    DRAGOMAN_TRY(scan_.Expect("="));
    if (!scan_.Accept("[")) return ReadSingle(attribute, graphs);
    if (scan_.Peek() == ']' && !attribute->has_type())
      return scan_.Fail("an empty list needs its type: name: ints = []");
    return List("]", [&]() -> Status {
      AttributeProto element;
      if (attribute->type() == AttributeProto::FLOATS) element.set_type(AttributeProto::FLOAT);
      DRAGOMAN_TRY(ReadSingle(&element, graphs));
      return AppendElement(&element, attribute);
    });
  }

  Status AppendElement(AttributeProto* element, AttributeProto* list) {
    AttributeProto::AttributeType type = AttributeProto::UNDEFINED;
    switch (element->type()) {
      case AttributeProto::INT:
        type = AttributeProto::INTS;
        list->add_ints(element->i());
        break;
      case AttributeProto::FLOAT:
        type = AttributeProto::FLOATS;
        list->add_floats(element->f());
        break;
      case AttributeProto::STRING:
        type = AttributeProto::STRINGS;
        list->add_strings(element->s());
        break;
      case AttributeProto::TENSOR:
        type = AttributeProto::TENSORS;
        list->add_tensors()->Swap(element->mutable_t());
        break;
      case AttributeProto::GRAPH:
        type = AttributeProto::GRAPHS;
        list->add_graphs()->Swap(element->mutable_g());
        break;
      case AttributeProto::TYPE_PROTO:
        type = AttributeProto::TYPE_PROTOS;
        list->add_type_protos()->Swap(element->mutable_tp());
        break;
      default:
        return scan_.Fail("a list does not hold references");
    }
    if (list->has_type() && list->type() != type)
      return scan_.Fail("an element of another type than the list");
    list->set_type(type);
    return {};
  }

  // What a text after it shows to be a graph: its inputs.
  bool AtInputs() { return scan_.Peek() == '('; }

  Status ReadSingle(AttributeProto* attribute, int graphs) {
    const auto stated = attribute->type();
    if (scan_.Accept("@")) {
      DRAGOMAN_ASSIGN(*attribute->mutable_ref_attr_name(), Name());
      return {};
    }
    if (scan_.Peek() == '"') {
      DRAGOMAN_ASSIGN(std::string text, Text());
      if (AtInputs()) return ReadGraphAttribute(std::move(text), attribute, graphs);
      attribute->set_type(AttributeProto::STRING);
      attribute->set_s(std::move(text));
    } else if (AtType()) {
      DRAGOMAN_TRY(ReadTypeOrTensor(attribute));
    } else if (!scan_.PeekWord().empty() && !IsFloatWord(scan_.PeekWord())) {
      DRAGOMAN_ASSIGN(std::string name, Name());
      return ReadGraphAttribute(std::move(name), attribute, graphs);
    } else {
      DRAGOMAN_TRY(ReadNumber(attribute));
    }
    if (stated != AttributeProto::UNDEFINED && stated != attribute->type())
      return scan_.Fail("a value of another type than the attribute states");
    return {};
  }

  static bool IsFloatWord(std::string_view word) {
    return word == "inf" || word == "infinity" || word == "nan";
  }

  Status ReadGraphAttribute(std::string name, AttributeProto* attribute, int graphs) {
    if (graphs >= kMaxGraphs) return scan_.Fail("graphs nest too deep");
    attribute->set_type(AttributeProto::GRAPH);
    attribute->mutable_g()->set_name(std::move(name));
    return ReadGraphBehindName(attribute->mutable_g(), graphs + 1);
  }

  Status ReadTypeOrTensor(AttributeProto* attribute) {
    TypeProto type;
    DRAGOMAN_TRY(ReadType(&type));
    if (scan_.Peek() != '{' && scan_.Peek() != '=' && !AtName()) {
      attribute->set_type(AttributeProto::TYPE_PROTO);
      *attribute->mutable_tp() = std::move(type);
      return {};
    }
    attribute->set_type(AttributeProto::TENSOR);
    if (AtName()) {
      DRAGOMAN_ASSIGN(*attribute->mutable_t()->mutable_name(), Name());
    }
    scan_.Accept("=");
    return ReadTensor(type, attribute->mutable_t());
  }

  Status ReadNumber(AttributeProto* attribute) {
    const std::string_view token = scan_.Token();
    if (token.empty()) return scan_.Unexpected("a value");
    const bool is_float = attribute->type() == AttributeProto::FLOAT;
    if (const auto integer = ParseInt64(token); integer && !is_float) {
      attribute->set_type(AttributeProto::INT);
      attribute->set_i(*integer);
      return {};
    }
    const std::optional<float> number = ParseFloat(token);
    if (!number) return scan_.Fail(Quote(token) + " is not a number");
    attribute->set_type(AttributeProto::FLOAT);
    attribute->set_f(*number);
    return {};
  }

  // --- Nodes, graphs, functions

  Status ReadAttributes(NodeProto* node, int graphs) {
    if (!scan_.Accept("<")) return {};
    return List(">", [&] { return ReadAttribute(node->add_attribute(), graphs); });
  }

  // com.microsoft.Gelu:overload
  Status ReadOperator(NodeProto* node) {
    DRAGOMAN_ASSIGN(std::string_view word, Word("an operator"));
    std::string domain;
    while (scan_.Accept(".")) {
      domain += (domain.empty() ? "" : ".") + std::string(word);
      DRAGOMAN_ASSIGN(word, Word("an operator"));
    }
    if (!domain.empty()) node->set_domain(domain);
    node->set_op_type(std::string(word));
    if (scan_.Accept(":")) {
      DRAGOMAN_ASSIGN(*node->mutable_overload(), Name());
    }
    return {};
  }

  // ["name"] results = operator <attributes> (operands); the attributes may come last.
  Status ReadNode(NodeProto* node, int graphs) {
    if (scan_.Accept("[")) {
      node->set_name("");
      if (AtName()) {
        DRAGOMAN_ASSIGN(*node->mutable_name(), Name());
      }
      DRAGOMAN_TRY(scan_.Expect("]"));
    }
    DRAGOMAN_TRY(ReadNames(node->mutable_output()));
    DRAGOMAN_TRY(scan_.Expect("="));
    DRAGOMAN_TRY(ReadOperator(node));
    DRAGOMAN_TRY(ReadAttributes(node, graphs));
    DRAGOMAN_TRY(scan_.Expect("("));
    DRAGOMAN_TRY(ReadNames(node->mutable_input()));
    DRAGOMAN_TRY(scan_.Expect(")"));
    return node->attribute().empty() ? ReadAttributes(node, graphs) : Status();
  }

  Status ReadNodes(RepeatedPtrField<NodeProto>* nodes, int graphs) {
    DRAGOMAN_TRY(scan_.Expect("{"));
    while (!scan_.Accept("}")) DRAGOMAN_TRY(ReadNode(nodes->Add(), graphs));
    return {};
  }

  Status ReadGraph(GraphProto* graph, int graphs) {
    DRAGOMAN_ASSIGN(*graph->mutable_name(), Name());
    return ReadGraphBehindName(graph, graphs);
  }

  Status ReadGraphBehindName(GraphProto* graph, int graphs) {
    Tensors* constants = graph->mutable_initializer();
    DRAGOMAN_TRY(scan_.Expect("("));
    DRAGOMAN_TRY(ReadValues(")", true, graph->mutable_input(), constants));
    DRAGOMAN_TRY(scan_.Expect("=>"));
    DRAGOMAN_TRY(scan_.Expect("("));
    DRAGOMAN_TRY(List(")", [&] { return ReadValue(graph->add_output()); }));
    if (scan_.Accept("<"))
      DRAGOMAN_TRY(ReadValues(">", false, graph->mutable_value_info(), constants));
    return ReadNodes(graph->mutable_node(), graphs);
  }

  // A name, whose type, where it stands, goes to `values`.
  Status ReadParameter(Names* names, Values* values) {
    const bool typed = AtType();
    ValueInfoProto value;
    DRAGOMAN_TRY(ReadValue(&value));
    *names->Add() = value.name();
    if (typed) *values->Add() = std::move(value);
    return {};
  }

  Status ReadFunctionAttribute(FunctionProto* function) {
    DRAGOMAN_ASSIGN(std::string name, Name());
    if (scan_.Peek() != ':' && scan_.Peek() != '=') {
      function->add_attribute(std::move(name));
      return {};
    }
    AttributeProto* attribute = function->add_attribute_proto();
    attribute->set_name(std::move(name));
    return ReadAttributeValue(attribute, 1);
  }

  Status ReadFunction(FunctionProto* function) {
    if (scan_.Accept("<")) {
      DRAGOMAN_TRY(List(">", [&] { return ReadFunctionField(function); }));
    }
    DRAGOMAN_ASSIGN(*function->mutable_name(), Name());
    if (scan_.Accept("<")) DRAGOMAN_TRY(List(">", [&] { return ReadFunctionAttribute(function); }));
    Values* values = function->mutable_value_info();
    DRAGOMAN_TRY(scan_.Expect("("));
    DRAGOMAN_TRY(List(")", [&] { return ReadParameter(function->mutable_input(), values); }));
    DRAGOMAN_TRY(scan_.Expect("=>"));
    DRAGOMAN_TRY(scan_.Expect("("));
    DRAGOMAN_TRY(List(")", [&] { return ReadParameter(function->mutable_output(), values); }));
    if (scan_.Accept("<")) DRAGOMAN_TRY(List(">", [&] { return ReadValue(values->Add()); }));
    return ReadNodes(function->mutable_node(), 1);
  }

  TextScanner scan_;
};

}  // namespace

bool IsOnnxSyntax(std::span<const std::byte> file) {
  constexpr std::size_t kHead = 4096;
  TextScanner scan(AsText(file.first(std::min(file.size(), kHead))));
  if (!scan.Accept("<")) return false;
  const std::string word(scan.PeekWord());
  const auto* field = ModelProto::descriptor()->FindFieldByName(word);
  return field != nullptr && scan.AcceptWord(word) && scan.Accept(":");
}

Status ParseOnnxSyntax(std::span<const std::byte> text, ModelProto* model) {
  return SyntaxReader(AsText(text)).ReadModel(model);
}

}  // namespace dragoman
