// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/print_syntax.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <type_traits>
#include <vector>

#include "core/support/text.h"
#include "proto/onnx/syntax_words.h"

namespace dragoman::onnx_writer {
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

// Its reader takes the character after a backslash as it is, and has no other escapes.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string Name(std::string_view name) {
  return IsIdentifier(name) ? std::string(name) : Quoted(name);
}

template <class T>
std::string Number(T number) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(number)) return "nan";
    if constexpr (std::is_same_v<T, float>) {
      return FormatFloat(number);
    } else {
      return FormatDouble(number);
    }
  } else {
    return std::to_string(number);
  }
}

class SyntaxPrinter {
 public:
  Result<SyntaxText> Print(const ModelProto& model) {
    PrintModelHead(model);
    PrintGraph(model.graph(), 0);
    for (const FunctionProto& function : model.functions()) PrintFunction(function);
    Refuse(!model.training_info().empty(), "training information");
    Count("device configurations", model.configuration().size());
    if (!refused_.empty())
      return Unsupported("the text form of ONNX cannot hold " + refused_ +
                         "; write .textproto, .onnxjson or .onnx");
    return SyntaxText{std::move(out_), LeftOut()};
  }

 private:
  void Refuse(bool found, const std::string& what) {
    if (found && refused_.empty()) refused_ = what;
  }
  void Count(const std::string& what, int number = 1) {
    if (number > 0) left_out_[what] += number;
  }
  template <class Message>
  void CountTexts(const Message& message) {
    if (!message.doc_string().empty()) Count("doc strings");
    Count("metadata entries inside of the graph", message.metadata_props().size());
  }

  std::string LeftOut() const {
    std::string list;
    for (const auto& [what, number] : left_out_)
      list += (list.empty() ? "" : ", ") + std::to_string(number) + " " + what;
    return list;
  }

  template <class Elements, class PrintOne>
  void List(std::string_view open, const Elements& elements, std::string_view close,
            const PrintOne& print) {
    out_ += open;
    bool first = true;
    for (const auto& element : elements) {
      if (!first) out_ += ", ";
      first = false;
      print(element);
    }
    out_ += close;
  }

  // --- Heads

  void Field(std::string_view key, const std::string& value, bool* first) {
    out_ += *first ? "<\n   " : ",\n   ";
    out_ += std::string(key) + ": " + value;
    *first = false;
  }
  void TextField(std::string_view key, const std::string& value, bool* first) {
    if (!value.empty()) Field(key, Quoted(value), first);
  }

  static std::string Opsets(const RepeatedPtrField<OperatorSetIdProto>& opsets) {
    std::string list;
    for (const OperatorSetIdProto& opset : opsets) {
      list += (list.empty() ? "" : ", ") + Quoted(opset.domain()) + " : " +
              std::to_string(opset.version());
    }
    return "[" + list + "]";
  }

  static std::string Pairs(const RepeatedPtrField<StringStringEntryProto>& pairs) {
    std::string list;
    for (const StringStringEntryProto& pair : pairs)
      list += (list.empty() ? "" : ", ") + Quoted(pair.key()) + ": " + Quoted(pair.value());
    return "[" + list + "]";
  }

  void PrintModelHead(const ModelProto& model) {
    bool first = true;
    if (model.has_ir_version()) Field("ir_version", std::to_string(model.ir_version()), &first);
    Field("opset_import", Opsets(model.opset_import()), &first);
    TextField("producer_name", model.producer_name(), &first);
    TextField("producer_version", model.producer_version(), &first);
    TextField("domain", model.domain(), &first);
    if (model.has_model_version())
      Field("model_version", std::to_string(model.model_version()), &first);
    TextField("doc_string", model.doc_string(), &first);
    if (!model.metadata_props().empty())
      Field("metadata_props", Pairs(model.metadata_props()), &first);
    out_ += "\n>\n";
  }

  // --- Types

  std::string Element(int type) {
    std::string word = onnx_syntax::ElementWord(type);
    Refuse(word.empty(), "the element type " + std::to_string(type));
    return word;
  }

  void PrintDim(const TensorShapeProto::Dimension& dim) {
    if (!dim.denotation().empty()) Count("denotations");
    if (dim.has_dim_value()) {
      out_ += std::to_string(dim.dim_value());
    } else {
      out_ += dim.dim_param().empty() ? "?" : Name(dim.dim_param());
    }
  }

  template <class TensorType>
  void PrintTensorType(const TensorType& type) {
    out_ += Element(type.elem_type());
    if (!type.has_shape()) {
      out_ += "[]";
    } else if (!type.shape().dim().empty()) {
      List("[", type.shape().dim(), "]", [&](const auto& dim) { PrintDim(dim); });
    }
  }

  void PrintType(const TypeProto& type) {
    if (!type.denotation().empty()) Count("denotations");
    switch (type.value_case()) {
      case TypeProto::kTensorType:
        return PrintTensorType(type.tensor_type());
      case TypeProto::kSparseTensorType:
        out_ += "sparse_tensor(";
        PrintTensorType(type.sparse_tensor_type());
        break;
      case TypeProto::kSequenceType:
        out_ += "seq(";
        PrintType(type.sequence_type().elem_type());
        break;
      case TypeProto::kOptionalType:
        out_ += "optional(";
        PrintType(type.optional_type().elem_type());
        break;
      case TypeProto::kMapType:
        out_ += "map(" + Element(type.map_type().key_type()) + ", ";
        PrintType(type.map_type().value_type());
        break;
      case TypeProto::kOpaqueType:
        out_ +=
            "opaque(" + Name(type.opaque_type().domain()) + ", " + Name(type.opaque_type().name());
        break;
      case TypeProto::VALUE_NOT_SET:
        return;
    }
    out_ += ")";
  }

  void PrintValue(const ValueInfoProto& value) {
    CountTexts(value);
    PrintType(value.type());
    if (value.type().value_case() != TypeProto::VALUE_NOT_SET) out_ += " ";
    out_ += Name(value.name());
  }

  // --- Constants

  // "float[2, 3]"; the name and "=" where a graph holds it.
  void PrintTensor(const TensorProto& tensor, bool in_graph) {
    CountTexts(tensor);
    Refuse(tensor.has_segment(), "a tensor in segments");
    out_ += Element(tensor.data_type());
    if (!tensor.dims().empty())
      List("[", tensor.dims(), "]", [&](std::int64_t size) { out_ += Number(size); });
    if (in_graph || !tensor.name().empty()) out_ += " " + Name(tensor.name());
    out_ += in_graph || tensor.data_location() == TensorProto::EXTERNAL ? " = " : " ";
    if (tensor.data_location() == TensorProto::EXTERNAL) {
      out_ += Pairs(tensor.external_data());
    } else if (tensor.has_raw_data()) {
      PrintRaw(tensor);
    } else {
      PrintTyped(tensor);
    }
  }

  template <class Elements>
  void PrintElements(const Elements& elements) {
    List("{", elements, "}", [&](auto element) { out_ += Number(element); });
  }

  void PrintTyped(const TensorProto& tensor) {
    switch (tensor.data_type()) {
      case TensorProto::STRING:
        List("{", tensor.string_data(), "}",
             [&](const std::string& element) { out_ += Quoted(element); });
        break;
      case TensorProto::FLOAT:
      case TensorProto::COMPLEX64:
        return PrintElements(tensor.float_data());
      case TensorProto::DOUBLE:
      case TensorProto::COMPLEX128:
        return PrintElements(tensor.double_data());
      case TensorProto::INT64:
        return PrintElements(tensor.int64_data());
      case TensorProto::UINT32:
      case TensorProto::UINT64:
        return PrintElements(tensor.uint64_data());
      default:
        return PrintElements(tensor.int32_data());
    }
  }

  template <class T>
  void PrintRawAs(const std::string& bytes) {
    Refuse(bytes.size() % sizeof(T) != 0, "a tensor whose bytes do not make whole elements");
    std::vector<T> elements(bytes.size() / sizeof(T));
    std::memcpy(elements.data(), bytes.data(), elements.size() * sizeof(T));
    PrintElements(elements);
  }

  void PrintRaw(const TensorProto& tensor) {
    const std::string& bytes = tensor.raw_data();
    switch (tensor.data_type()) {
      case TensorProto::FLOAT:
      case TensorProto::COMPLEX64:
        return PrintRawAs<float>(bytes);
      case TensorProto::DOUBLE:
      case TensorProto::COMPLEX128:
        return PrintRawAs<double>(bytes);
      case TensorProto::INT64:
        return PrintRawAs<std::int64_t>(bytes);
      case TensorProto::INT32:
        return PrintRawAs<std::int32_t>(bytes);
      case TensorProto::INT16:
        return PrintRawAs<std::int16_t>(bytes);
      case TensorProto::INT8:
        return PrintRawAs<std::int8_t>(bytes);
      case TensorProto::UINT64:
        return PrintRawAs<std::uint64_t>(bytes);
      case TensorProto::UINT32:
        return PrintRawAs<std::uint32_t>(bytes);
      case TensorProto::UINT16:
      case TensorProto::FLOAT16:
      case TensorProto::BFLOAT16:
        return PrintRawAs<std::uint16_t>(bytes);
      default:
        return PrintRawAs<std::uint8_t>(bytes);
    }
  }

  // --- Attributes

  void PrintAttribute(const AttributeProto& attribute, int depth) {
    if (!attribute.doc_string().empty()) Count("doc strings");
    Refuse(!IsIdentifier(attribute.name()), "the attribute name " + Quote(attribute.name()));
    out_ += attribute.name();
    const std::string type = onnx_syntax::AttributeWord(attribute.type());
    if (!type.empty()) out_ += ": " + type;
    out_ += " = ";
    if (attribute.has_ref_attr_name()) {
      out_ += "@" + Name(attribute.ref_attr_name());
    } else {
      PrintAttributeValue(attribute, depth);
    }
  }

  void PrintAttributeValue(const AttributeProto& attribute, int depth) {
    const auto graph = [&](const GraphProto& body) { PrintGraph(body, depth + 1); };
    switch (attribute.type()) {
      case AttributeProto::INT:
        out_ += Number(attribute.i());
        break;
      case AttributeProto::FLOAT:
        out_ += Number(attribute.f());
        break;
      case AttributeProto::STRING:
        out_ += Quoted(attribute.s());
        break;
      case AttributeProto::TENSOR:
        return PrintTensor(attribute.t(), false);
      case AttributeProto::GRAPH:
        return graph(attribute.g());
      case AttributeProto::TYPE_PROTO:
        return PrintType(attribute.tp());
      case AttributeProto::INTS:
        return List("[", attribute.ints(), "]", [&](std::int64_t i) { out_ += Number(i); });
      case AttributeProto::FLOATS:
        return List("[", attribute.floats(), "]", [&](float f) { out_ += Number(f); });
      case AttributeProto::STRINGS:
        return List("[", attribute.strings(), "]",
                    [&](const std::string& s) { out_ += Quoted(s); });
      case AttributeProto::TENSORS:
        return List("[", attribute.tensors(), "]",
                    [&](const TensorProto& tensor) { PrintTensor(tensor, false); });
      case AttributeProto::GRAPHS:
        return List("[", attribute.graphs(), "]", graph);
      case AttributeProto::TYPE_PROTOS:
        return List("[", attribute.type_protos(), "]",
                    [&](const TypeProto& type) { PrintType(type); });
      default:
        Refuse(true, "attribute " + Quote(attribute.name()) + ", a sparse tensor or without type");
    }
  }

  // --- Nodes, graphs, functions

  static std::string Place(const NodeProto& node) {
    return "node " +
           Quote(node.name().empty() && !node.output().empty() ? node.output(0) : node.name());
  }

  // "com.microsoft.Gelu:overload"
  void PrintOperator(const NodeProto& node) {
    std::string_view rest = node.domain();
    bool plain = IsIdentifier(node.op_type());
    while (!rest.empty()) {
      const std::size_t point = std::min(rest.find('.'), rest.size());
      plain = plain && IsIdentifier(rest.substr(0, point));
      rest.remove_prefix(std::min(point + 1, rest.size()));
    }
    Refuse(!plain, Place(node) + ", whose operator " + Quote(node.domain() + "." + node.op_type()) +
                       " is not made of identifiers");
    if (!node.domain().empty()) out_ += node.domain() + ".";
    out_ += node.op_type();
    if (!node.overload().empty()) out_ += ":" + Name(node.overload());
  }

  // Attributes come last: the bodies among them are the long part of a node.
  void PrintNode(const NodeProto& node, int depth) {
    CountTexts(node);
    Count("device configurations", node.device_configurations().size());
    const auto name = [&](const std::string& text) { out_ += Name(text); };
    Indent(depth + 1);
    if (node.has_name()) out_ += "[" + Name(node.name()) + "] ";
    List("", node.output(), " = ", name);
    PrintOperator(node);
    List(" (", node.input(), ")", name);
    if (!node.attribute().empty()) {
      List(" <", node.attribute(), ">",
           [&](const AttributeProto& attribute) { PrintAttribute(attribute, depth); });
    }
    out_ += '\n';
  }

  void Indent(int depth) { out_.append(3 * static_cast<std::size_t>(depth), ' '); }

  void PrintNodes(const RepeatedPtrField<NodeProto>& nodes, int depth) {
    out_ += "{\n";
    for (const NodeProto& node : nodes) PrintNode(node, depth);
    Indent(depth);
    out_ += "}";
  }

  void PrintGraph(const GraphProto& graph, int depth) {
    CountTexts(graph);
    Count("quantization annotations", graph.quantization_annotation().size());
    Refuse(!graph.sparse_initializer().empty(), "sparse constants");
    const auto value = [&](const ValueInfoProto& v) { PrintValue(v); };
    out_ += Name(graph.name());
    List(" (", graph.input(), ") => ", value);
    List("(", graph.output(), ")", value);
    if (!graph.initializer().empty() || !graph.value_info().empty()) {
      out_ += '\n';
      Indent(depth + 1);
      List("<", graph.initializer(), "",
           [&](const TensorProto& tensor) { PrintTensor(tensor, true); });
      const bool both = !graph.initializer().empty() && !graph.value_info().empty();
      List(both ? ", " : "", graph.value_info(), ">", value);
    }
    out_ += '\n';
    Indent(depth);
    PrintNodes(graph.node(), depth);
  }

  void PrintFunction(const FunctionProto& function) {
    if (!function.metadata_props().empty()) Count("metadata entries of functions");
    bool first = true;
    out_ += '\n';
    if (!function.domain().empty()) TextField("domain", function.domain(), &first);
    TextField("overload", function.overload(), &first);
    TextField("doc_string", function.doc_string(), &first);
    Field("opset_import", Opsets(function.opset_import()), &first);
    out_ += "\n>\n" + Name(function.name());
    PrintFunctionAttributes(function);
    const auto name = [&](const std::string& text) { out_ += Name(text); };
    List(" (", function.input(), ") => ", name);
    List("(", function.output(), ")", name);
    if (!function.value_info().empty()) {
      List("\n   <", function.value_info(), ">",
           [&](const ValueInfoProto& value) { PrintValue(value); });
    }
    out_ += '\n';
    PrintNodes(function.node(), 0);
    out_ += '\n';
  }

  void PrintFunctionAttributes(const FunctionProto& function) {
    if (function.attribute().empty() && function.attribute_proto().empty()) return;
    const bool both = !function.attribute().empty() && !function.attribute_proto().empty();
    List(" <", function.attribute(), both ? ", " : "",
         [&](const std::string& text) { out_ += Name(text); });
    List("", function.attribute_proto(), ">",
         [&](const AttributeProto& attribute) { PrintAttribute(attribute, 0); });
  }

  std::string out_;
  std::string refused_;
  std::map<std::string, int> left_out_;
};

}  // namespace

Result<SyntaxText> PrintOnnxSyntax(const ModelProto& model) { return SyntaxPrinter().Print(model); }

}  // namespace dragoman::onnx_writer
