// SPDX-License-Identifier: Apache-2.0
// Messages made by walking the schema: every field of every message is set, to empty and other
// values, in many combinations, and comes back.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/unknown_field_set.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/ir/dtype.h"
#include "proto/onnx/onnx.pb.h"
#include "tests/support/onnx_messages.h"

namespace dragoman {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using onnx_pb::GraphProto;
using onnx_pb::ModelProto;
using onnx_pb::NodeProto;
using onnx_pb::TensorProto;

constexpr int kMaxDepth = 7;

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  ModelProto MakeModel() {
    ModelProto model;
    Fill(&model, 0);
    FixGraph(model.mutable_graph(), {});
    for (auto& function : *model.mutable_functions()) FixFunction(&function);
    return model;
  }

 private:
  int Below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  bool Flip() { return Below(2) == 0; }

  std::string Text() {
    if (Below(4) == 0) return "";
    return "s" + std::to_string(++counter_) + (Below(8) == 0 ? std::string("\0\xff", 2) : "");
  }

  float Float() {
    static constexpr std::array<std::uint32_t, 6> kBits = {0,          0x80000000, 0x7fa00001,
                                                           0xffc12345, 0x7f800000, 0x3fc00000};
    return std::bit_cast<float>(kBits[static_cast<std::size_t>(Below(kBits.size()))]);
  }

  double Double() {
    static constexpr std::array<std::uint64_t, 4> kBits = {0, 0x8000000000000000,
                                                           0x7ff4000000000001, 0x3ff8000000000000};
    return std::bit_cast<double>(kBits[static_cast<std::size_t>(Below(kBits.size()))]);
  }

  std::int64_t Int() {
    static constexpr std::array<std::int64_t, 7> kValues = {0, 1, 2, -1, 7, INT64_MAX, INT64_MIN};
    return kValues[static_cast<std::size_t>(Below(kValues.size()))];
  }

  void Fill(Message* message, int depth) {
    if (depth > 0 && Below(8) == 0) return;  // present but empty
    const Descriptor& type = *message->GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      const auto* choice = field.containing_oneof();
      if (choice != nullptr ? Below(choice->field_count()) != 0 : Below(3) == 0) continue;
      if (field.is_repeated()) {
        for (int n = Below(3); n > 0; --n) AddTo(message, field, depth);
      } else {
        Set(message, field, depth);
      }
    }
    if (Below(4) == 0) AddUnknown(message);
    if (auto* tensor = dynamic_cast<TensorProto*>(message); tensor != nullptr && Below(4) != 0) {
      FixTensor(tensor);
    }
  }

  void AddUnknown(Message* message) {
    auto* unknown = message->GetReflection()->MutableUnknownFields(message);
    unknown->AddVarint(1000, 5);
    unknown->AddLengthDelimited(2000, "x");
    unknown->AddFixed32(1000, 1);
    unknown->AddGroup(3000)->AddFixed64(1, 2);
    if (message->GetDescriptor() == onnx_pb::AttributeProto::descriptor())
      unknown->AddVarint(20, 99);
  }

  void Set(Message* message, const FieldDescriptor& field, int depth) {
    const Reflection& set = *message->GetReflection();
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return set.SetInt32(message, &field, static_cast<int>(Int()));
      case FieldDescriptor::CPPTYPE_INT64:
        return set.SetInt64(message, &field, Int());
      case FieldDescriptor::CPPTYPE_FLOAT:
        return set.SetFloat(message, &field, Float());
      case FieldDescriptor::CPPTYPE_STRING:
        return set.SetString(message, &field, Text());
      case FieldDescriptor::CPPTYPE_ENUM: {
        const auto& values = *field.enum_type();
        return set.SetEnum(message, &field, values.value(Below(values.value_count())));
      }
      case FieldDescriptor::CPPTYPE_MESSAGE:
        if (depth < kMaxDepth) Fill(set.MutableMessage(message, &field), depth + 1);
        return;
      default:
        FAIL() << "the schema has a kind of field that no case sets: " << field.full_name();
    }
  }

  void AddTo(Message* message, const FieldDescriptor& field, int depth) {
    const Reflection& add = *message->GetReflection();
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return add.AddInt32(message, &field, static_cast<int>(Int()));
      case FieldDescriptor::CPPTYPE_INT64:
        return add.AddInt64(message, &field, Int());
      case FieldDescriptor::CPPTYPE_UINT64:
        return add.AddUInt64(message, &field, static_cast<std::uint64_t>(Int()));
      case FieldDescriptor::CPPTYPE_FLOAT:
        return add.AddFloat(message, &field, Float());
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return add.AddDouble(message, &field, Double());
      case FieldDescriptor::CPPTYPE_STRING:
        return add.AddString(message, &field, Text());
      case FieldDescriptor::CPPTYPE_MESSAGE:
        if (depth < kMaxDepth) Fill(add.AddMessage(message, &field), depth + 1);
        return;
      default:
        FAIL() << "the schema has a kind of field that no case adds to: " << field.full_name();
    }
  }

  // Makes sizes and elements agree; one of the fields that may hold them does.
  void FixTensor(TensorProto* tensor) {
    tensor->clear_segment();
    tensor->clear_data_location();
    tensor->set_data_type(1 + Below(26));
    tensor->clear_dims();
    for (int rank = Below(3); rank > 0; --rank) tensor->add_dims(Below(4));
    std::int64_t count = 1;
    for (const std::int64_t size : tensor->dims()) count *= size;
    for (int field : {4, 5, 6, 7, 9, 10, 11}) {
      tensor->GetReflection()->ClearField(tensor,
                                          TensorProto::descriptor()->FindFieldByNumber(field));
    }
    FillElements(tensor, static_cast<int>(count));
  }

  void FillElements(TensorProto* tensor, int count) {
    const auto dtype = static_cast<DType>(tensor->data_type());
    const auto bytes = PackedBytes(dtype, count);
    if (bytes && Flip()) {
      std::string raw(*bytes, '\0');
      for (char& c : raw) c = static_cast<char>(Below(256));
      return tensor->set_raw_data(raw);
    }
    const int per_element = IsComplex(dtype) ? 2 : 1;
    const int packed =
        Info(dtype).bits > 0 && Info(dtype).bits < 8 ? static_cast<int>(*bytes) : count;
    for (int i = 0; i < per_element * packed; ++i) {
      switch (dtype) {
        case DType::kF32:
        case DType::kC64:
          tensor->add_float_data(Float());
          break;
        case DType::kF64:
        case DType::kC128:
          tensor->add_double_data(Double());
          break;
        case DType::kI64:
          tensor->add_int64_data(Int());
          break;
        case DType::kU32:
        case DType::kU64:
          tensor->add_uint64_data(static_cast<std::uint64_t>(Int()));
          break;
        case DType::kString:
          tensor->add_string_data(Text());
          break;
        default:
          tensor->add_int32_data(Flip() ? 1 : static_cast<int>(Int()));
      }
    }
  }

  std::string NewName() { return "v" + std::to_string(++counter_); }
  std::string PickName(const std::vector<std::string>& names) {
    if (names.empty() || Below(5) == 0) return "";
    return names[static_cast<std::size_t>(Below(static_cast<int>(names.size())))];
  }

  void FixNodes(google::protobuf::RepeatedPtrField<NodeProto>* nodes,
                std::vector<std::string>* names) {
    for (NodeProto& node : *nodes) {
      if (node.op_type().empty()) node.set_op_type(NewName());
      for (std::string& output : *node.mutable_output()) {
        output = Below(5) == 0 ? "" : NewName();
        if (!output.empty()) names->push_back(output);
      }
    }
    for (NodeProto& node : *nodes) {
      for (std::string& input : *node.mutable_input()) input = PickName(*names);
      std::set<std::string> attributes;
      for (auto& attribute : *node.mutable_attribute()) {
        if (!attributes.insert(attribute.name()).second) attribute.set_name(NewName());
        if (attribute.has_g()) FixGraph(attribute.mutable_g(), *names);
        for (GraphProto& graph : *attribute.mutable_graphs()) FixGraph(&graph, *names);
      }
    }
  }

  // Makes names defined once and operands and outputs defined at all.
  void FixGraph(GraphProto* graph, std::vector<std::string> names) {
    std::vector<std::string> inputs;
    for (auto& input : *graph->mutable_input()) {
      if (!input.name().empty()) inputs.push_back(input.name());
    }
    names.insert(names.end(), inputs.begin(), inputs.end());
    const auto initializer_name = [&](TensorProto* tensor) {
      if (inputs.empty() || Flip()) {
        if (!tensor->name().empty()) names.push_back(tensor->name());
        return;
      }
      tensor->set_name(inputs.back());
      inputs.pop_back();
    };
    for (auto& tensor : *graph->mutable_initializer()) initializer_name(&tensor);
    for (auto& tensor : *graph->mutable_sparse_initializer()) {
      if (tensor.has_values()) initializer_name(tensor.mutable_values());
    }
    FixNodes(graph->mutable_node(), &names);
    for (auto& output : *graph->mutable_output()) {
      if (std::string name = PickName(names); !name.empty())
        output.set_name(name);
      else
        output.clear_name();
    }
    for (auto& entry : *graph->mutable_value_info()) {
      if (std::string name = PickName(names); !name.empty()) entry.set_name(name);
    }
  }

  void FixFunction(onnx_pb::FunctionProto* function) {
    std::vector<std::string> names;
    for (const std::string& input : function->input()) {
      if (!input.empty()) names.push_back(input);
    }
    FixNodes(function->mutable_node(), &names);
    for (std::string& output : *function->mutable_output()) output = PickName(names);
    for (auto& entry : *function->mutable_value_info()) {
      if (std::string name = PickName(names); !name.empty()) entry.set_name(name);
    }
    for (auto& attribute : *function->mutable_attribute_proto()) {
      if (attribute.has_g()) FixGraph(attribute.mutable_g(), {});
      for (GraphProto& graph : *attribute.mutable_graphs()) FixGraph(&graph, {});
    }
  }

  std::mt19937 random_;
  int counter_ = 0;
};

// Every field that is set somewhere in `root`; "=" after those that are set to nothing.
void NoteFields(const Message& root, std::set<std::string>* seen) {
  std::vector<const Message*> pending = {&root};
  while (!pending.empty()) {
    const Message& message = *pending.back();
    pending.pop_back();
    const Reflection& get = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    get.ListFields(message, &fields);
    if (!get.GetUnknownFields(message).empty())
      seen->insert(message.GetDescriptor()->full_name() + "?");
    for (const FieldDescriptor* field : fields) {
      seen->insert(field->full_name());
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
      const int size = field->is_repeated() ? get.FieldSize(message, field) : 1;
      for (int i = 0; i < size; ++i) {
        const Message& inner = field->is_repeated() ? get.GetRepeatedMessage(message, field, i)
                                                    : get.GetMessage(message, field);
        if (inner.ByteSizeLong() == 0) seen->insert(field->full_name() + "=");
        pending.push_back(&inner);
      }
    }
  }
}

// All that NoteFields can see of the messages that a model may hold.
std::set<std::string> AllFields() {
  std::set<std::string> all;
  std::set<const Descriptor*> known = {ModelProto::descriptor()};
  std::vector<const Descriptor*> pending = {ModelProto::descriptor()};
  while (!pending.empty()) {
    const Descriptor& type = *pending.back();
    pending.pop_back();
    all.insert(type.full_name() + "?");
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      all.insert(field.full_name());
      if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
      all.insert(field.full_name() + "=");
      if (known.insert(field.message_type()).second) pending.push_back(field.message_type());
    }
  }
  // A model has a graph, a node an operator.
  for (const FieldDescriptor* needed :
       {ModelProto::descriptor()->FindFieldByName("graph"),
        GraphProto::descriptor()->FindFieldByName("node"),
        onnx_pb::FunctionProto::descriptor()->FindFieldByName("node")})
    all.erase(needed->full_name() + "=");
  return all;
}

TEST(OnnxSchema, EveryFieldOfEveryMessageComesBack) {
  constexpr unsigned kModels = 800;
  std::set<std::string> missing = AllFields();
  for (unsigned seed = 0; seed < kModels; ++seed) {
    const ModelProto model = Generator(seed).MakeModel();
    ExpectRoundTrip(model);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
    std::set<std::string> seen;
    NoteFields(model, &seen);
    for (const std::string& field : seen) missing.erase(field);
  }
  EXPECT_EQ(missing, std::set<std::string>());
}

}  // namespace
}  // namespace dragoman
