// SPDX-License-Identifier: Apache-2.0
#include "proto/pack_model.h"

#include <bit>
#include <limits>
#include <map>
#include <unordered_map>
#include <vector>

#include "core/ir/for_each_value.h"
#include "core/ir/origin_table.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

class Packer {
 public:
  Packer(const Model& model, const StoreBuffer& store, pb::Model* out)
      : model_(model), store_(store), out_(*out), origins_(model) {}

  Status Run();

 private:
  using Extras = google::protobuf::RepeatedPtrField<pb::Attribute>;

  void PackEntry(const Entry& entry);
  void PackFunction(const Function& function);
  void PackStructure(const Structure& from, google::protobuf::RepeatedPtrField<pb::Structure>* to);
  void PackOrigin(const Origin& origin, pb::Origin* to);
  template <class G>
  std::uint32_t QueueGraph(const G& graph);
  void NumberValues(const Graph& graph);
  void PackGraph(const Graph& graph, pb::Graph* to);
  void PackNode(const Node& node, pb::Node* to);
  void PackValue(const Value& value, pb::Value* to);
  void PackExtra(const Extra* extra, Extras* to);
  std::uint32_t PackOp(const OpName& op);
  std::uint32_t PackType(const Type& type);
  std::uint32_t PackBuffer(const Buffer& buffer);
  std::uint32_t OriginNumber(const Origin* origin) const {
    return origin == nullptr ? 0 : static_cast<std::uint32_t>(origins_.IndexOf(*origin)) + 1;
  }
  std::uint32_t ValueNumber(const Value* value);

  void PackNamed(const NamedAttribute& from, pb::Attribute* to);
  void PackList(const std::vector<NamedAttribute>& items, std::uint32_t number);
  std::uint32_t NewList();
  void PackTensor(const Tensor& from, pb::Tensor* to);
  void PackSparseTensor(const SparseTensor& from, pb::SparseTensor* to);
  void Pack(const Attribute& from, pb::Attribute* to);
  void Set(pb::Attribute*, Attribute::None) {}
  void Set(pb::Attribute* to, std::int64_t v) { to->set_int_(v); }
  void Set(pb::Attribute* to, float v) { to->set_float_(std::bit_cast<std::uint32_t>(v)); }
  void Set(pb::Attribute* to, double v) { to->set_double_(std::bit_cast<std::uint64_t>(v)); }
  void Set(pb::Attribute* to, bool v) { to->set_bool_(v); }
  void Set(pb::Attribute* to, const std::string& v);
  void Set(pb::Attribute* to, const Attribute::TensorPtr& v) {
    PackTensor(*v, to->mutable_tensor());
  }
  void Set(pb::Attribute* to, const Attribute::SparseTensorPtr& v) {
    PackSparseTensor(*v, to->mutable_sparse_tensor());
  }
  void Set(pb::Attribute* to, const Attribute::GraphPtr& v) { to->set_graph(QueueGraph(*v)); }
  void Set(pb::Attribute* to, const Type& v) { to->set_type(PackType(v)); }
  void Set(pb::Attribute* to, const Symbol& v) { to->set_symbol(Escape(v.name)); }
  void Set(pb::Attribute* to, const AttributeRef& v);
  void Set(pb::Attribute* to, const Attribute::Complex& v);
  void Set(pb::Attribute* to, const Attribute::Ints& v);
  void Set(pb::Attribute* to, const Attribute::Floats& v);
  void Set(pb::Attribute* to, const Attribute::Doubles& v);
  void Set(pb::Attribute* to, const Attribute::Strings& v);
  void Set(pb::Attribute* to, const Attribute::Tensors& v);
  void Set(pb::Attribute* to, const Attribute::SparseTensors& v);
  void Set(pb::Attribute* to, const Attribute::Graphs& v);
  void Set(pb::Attribute* to, const Attribute::Types& v);
  void Set(pb::Attribute* to, const Attribute::List& v);
  void Set(pb::Attribute* to, const Attribute::Dict& v);

  const Model& model_;
  const StoreBuffer& store_;
  pb::Model& out_;
  const OriginTable origins_;
  std::vector<const Graph*> graphs_;  // of out_.graphs(), as far as they are numbered
  std::unordered_map<const Value*, std::uint32_t> values_;
  const Value* dangling_ = nullptr;
  std::unordered_map<const OpName*, std::uint32_t> ops_;
  std::map<std::string, std::uint32_t> types_;
  std::map<std::pair<const std::byte*, std::size_t>, std::uint32_t> buffers_;
};

void PackText(const std::string& from, pb::Text* to) {
  if (IsUtf8(from)) {
    to->set_utf8(from);
  } else {
    to->set_bytes(from);
  }
}

void PackOpset(const OpsetImport& from, pb::Opset* to) {
  to->set_domain(Escape(from.domain));
  to->set_version(from.version);
}

Status Packer::Run() {
  out_.set_version(kNativeVersion);
  out_.set_level(model_.level == Level::kSource ? pb::Model::SOURCE : pb::Model::COMMON);
  out_.set_dialect(Escape(model_.dialect));
  for (const OpsetImport& opset : model_.opsets) PackOpset(opset, out_.add_opsets());
  for (const auto& [key, value] : model_.metadata) {
    pb::Metadata* to = out_.add_metadata();
    to->set_key(Escape(key));
    to->set_value(Escape(value));
  }
  PackExtra(&model_.extra, out_.mutable_extra());
  for (const State& state : model_.states) {
    pb::State* to = out_.add_states();
    to->set_name(Escape(state.name));
    if (state.type.known()) to->set_type(PackType(state.type) + 1);
    Pack(state.initial, to->mutable_initial());
  }
  for (const Origin* origin : origins_.origins()) PackOrigin(*origin, out_.add_origins());
  for (const Entry& entry : model_.entries) PackEntry(entry);
  for (const Function& function : model_.functions) PackFunction(function);
  // Packing a graph queues those below it.
  for (std::size_t i = 0; i < graphs_.size(); ++i) {
    NumberValues(*graphs_[i]);
    PackGraph(*graphs_[i], out_.add_graphs());
  }
  if (dangling_ != nullptr) {
    return Internal("value %" + dangling_->name() +
                    " is used outside of the graph that defines it");
  }
  for (const std::size_t count : {values_.size(), origins_.origins().size(), buffers_.size()}) {
    if (count >= std::numeric_limits<std::uint32_t>::max())
      return Unsupported("the model is too large");
  }
  return {};
}

template <class G>
std::uint32_t Packer::QueueGraph(const G& graph) {
  graphs_.push_back(&graph);
  return static_cast<std::uint32_t>(graphs_.size() - 1);
}

void Packer::PackEntry(const Entry& entry) {
  pb::Entry* to = out_.add_entries();
  to->set_name(Escape(entry.name));
  to->set_graph(QueueGraph(*entry.graph));
  for (const Structure& structure : entry.arguments)
    PackStructure(structure, to->mutable_arguments());
  for (const Structure& structure : entry.results) PackStructure(structure, to->mutable_results());
  for (const StateBinding& binding : entry.states) {
    pb::StateBinding* state = to->add_states();
    state->set_state(binding.state);
    state->set_input(binding.input);
    state->set_output(binding.output);
  }
}

void Packer::PackStructure(const Structure& from,
                           google::protobuf::RepeatedPtrField<pb::Structure>* to) {
  std::vector<const Structure*> pending = {&from};
  while (!pending.empty()) {
    const Structure* at = pending.back();
    pending.pop_back();
    pb::Structure* made = to->Add();
    made->set_kind(static_cast<pb::Structure::Kind>(at->kind));
    made->set_name(Escape(at->name));
    made->set_index(at->index);
    made->set_children(static_cast<std::uint32_t>(at->children.size()));
    for (auto child = at->children.rbegin(); child != at->children.rend(); ++child) {
      pending.push_back(&*child);
    }
  }
}

void Packer::PackFunction(const Function& function) {
  pb::Function* to = out_.add_functions();
  to->set_op(PackOp(*function.op));
  to->set_graph(QueueGraph(*function.graph));
  for (const std::string& name : function.attributes) to->add_attributes(Escape(name));
  PackExtra(&function.defaults, to->mutable_defaults());
  for (const OpsetImport& opset : function.opsets) PackOpset(opset, to->add_opsets());
  PackExtra(&function.extra, to->mutable_extra());
}

void Packer::PackOrigin(const Origin& origin, pb::Origin* to) {
  for (const OriginPtr& part : origin.parts()) {
    to->add_parts(static_cast<std::uint32_t>(origins_.IndexOf(*part)));
  }
  const SourceOp* op = origin.leaf();
  if (op == nullptr) return;
  to->set_op(Escape(op->op));
  to->set_name(Escape(op->name));
  to->set_scope(Escape(op->scope));
  to->set_location(Escape(op->location));
  PackExtra(&op->attributes, to->mutable_attributes());
}

// Operands may come before their values, and captures lead to graphs numbered earlier.
void Packer::NumberValues(const Graph& graph) {
  ForEachValue(graph, [this](const Value& value) {
    values_.emplace(&value, static_cast<std::uint32_t>(values_.size()));
  });
}

std::uint32_t Packer::ValueNumber(const Value* value) {
  if (value == nullptr) return 0;
  const auto found = values_.find(value);
  if (found != values_.end()) return found->second + 1;
  dangling_ = value;
  return 0;
}

void Packer::PackGraph(const Graph& graph, pb::Graph* to) {
  to->set_name(Escape(graph.name()));
  for (const auto& input : graph.inputs()) PackValue(*input, to->add_inputs());
  for (const auto& constant : graph.constants()) PackValue(*constant, to->add_constants());
  for (const Node& node : graph.nodes()) PackNode(node, to->add_nodes());
  for (const Use& output : graph.outputs()) to->add_outputs(ValueNumber(output.value()));
  PackExtra(graph.extra_if_any(), to->mutable_extra());
}

void Packer::PackValue(const Value& value, pb::Value* to) {
  to->set_name(Escape(value.name()));
  if (value.type().known()) to->set_type(PackType(value.type()) + 1);
  if (value.data() != nullptr) Pack(*value.data(), to->mutable_data());
  to->set_origin(OriginNumber(OwnOrigin(value)));
  PackExtra(value.extra_if_any(), to->mutable_extra());
}

void Packer::PackNode(const Node& node, pb::Node* to) {
  to->set_op(PackOp(node.op()));
  to->set_name(Escape(node.name()));
  for (const Use& operand : node.operands()) to->add_operands(ValueNumber(operand.value()));
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    pb::Value* result = to->add_results();
    if (node.result(i) == nullptr) {
      result->set_omitted(true);
    } else {
      PackValue(*node.result(i), result);
    }
  }
  PackExtra(&node.attributes(), to->mutable_attributes());
  to->set_origin(OriginNumber(node.origin().get()));
  PackExtra(node.extra_if_any(), to->mutable_extra());
}

void Packer::PackExtra(const Extra* extra, Extras* to) {
  if (extra == nullptr) return;
  for (const NamedAttribute& attribute : *extra) PackNamed(attribute, to->Add());
}

std::uint32_t Packer::PackOp(const OpName& op) {
  const auto [found, fresh] = ops_.emplace(&op, static_cast<std::uint32_t>(ops_.size()));
  if (fresh) {
    pb::OpName* to = out_.add_ops();
    to->set_dialect(Escape(op.dialect));
    to->set_domain(Escape(op.domain));
    to->set_type(Escape(op.type));
    to->set_overload(Escape(op.overload));
  }
  return found->second;
}

// Equal types have equal texts.
std::uint32_t Packer::PackType(const Type& type) {
  const std::string text = type.ToString();
  if (const auto found = types_.find(text); found != types_.end()) return found->second;
  pb::Type message;
  message.set_kind(static_cast<pb::Type::Kind>(type.kind()));
  message.set_dtype(static_cast<std::uint32_t>(type.dtype()));
  if (type.shape() != nullptr) {
    message.mutable_shape();
    for (const Dim& dim : *type.shape()) {
      pb::Dim* to = message.mutable_shape()->add_dims();
      if (dim.known()) to->set_size(dim.value());
      if (dim.symbolic()) to->set_expression(dim.ToString());
    }
  }
  for (const Type& element : type.elements()) message.add_elements(PackType(element));
  message.set_domain(Escape(type.opaque_domain()));
  message.set_name(Escape(type.opaque_name()));
  const auto number = static_cast<std::uint32_t>(out_.types_size());
  *out_.add_types() = std::move(message);
  types_.emplace(text, number);
  return number;
}

std::uint32_t Packer::PackBuffer(const Buffer& buffer) {
  const auto key = std::make_pair(buffer.bytes().data(), buffer.size());
  if (buffer.size() > 0) {
    if (const auto found = buffers_.find(key); found != buffers_.end()) return found->second;
  }
  const auto number = static_cast<std::uint32_t>(out_.buffers_size());
  if (buffer.size() > 0) buffers_.emplace(key, number);
  pb::Buffer* to = out_.add_buffers();
  to->set_size(buffer.size());
  if (buffer.size() > 0) store_(buffer, to);
  return number;
}

void Packer::PackTensor(const Tensor& from, pb::Tensor* to) {
  to->set_dtype(static_cast<std::uint32_t>(from.dtype()));
  to->mutable_sizes()->Add(from.sizes().begin(), from.sizes().end());
  for (const std::string& string : from.strings()) PackText(string, to->add_strings());
  const bool has_buffer = from.dtype() != DType::kUnknown && from.dtype() != DType::kString;
  if (has_buffer) to->set_buffer(PackBuffer(from.buffer()) + 1);
}

void Packer::PackSparseTensor(const SparseTensor& from, pb::SparseTensor* to) {
  PackTensor(from.values, to->mutable_values());
  PackTensor(from.indices, to->mutable_indices());
  to->mutable_sizes()->Add(from.sizes.begin(), from.sizes.end());
}

void Packer::PackNamed(const NamedAttribute& from, pb::Attribute* to) {
  Pack(from.value, to);
  to->set_name(Escape(from.name));
  if (from.extra == nullptr || from.extra->empty()) return;
  const std::uint32_t number = NewList();
  to->set_extra(number + 1);
  PackList(*from.extra, number);
}

void Packer::Pack(const Attribute& from, pb::Attribute* to) {
  std::visit([&](const auto& value) { Set(to, value); }, from.storage());
}

std::uint32_t Packer::NewList() {
  out_.add_lists();
  return static_cast<std::uint32_t>(out_.lists_size() - 1);
}

void Packer::PackList(const std::vector<NamedAttribute>& items, std::uint32_t number) {
  pb::AttributeList* to = out_.mutable_lists(static_cast<int>(number));
  for (const NamedAttribute& item : items) PackNamed(item, to->add_items());
}

void Packer::Set(pb::Attribute* to, const std::string& v) { PackText(v, to->mutable_text()); }
void Packer::Set(pb::Attribute* to, const AttributeRef& v) {
  to->mutable_reference()->set_name(Escape(v.name));
  to->mutable_reference()->set_kind(v.kind);
}
void Packer::Set(pb::Attribute* to, const Attribute::Complex& v) {
  to->mutable_complex()->set_real(std::bit_cast<std::uint64_t>(v.real()));
  to->mutable_complex()->set_imaginary(std::bit_cast<std::uint64_t>(v.imag()));
}
void Packer::Set(pb::Attribute* to, const Attribute::Ints& v) {
  to->mutable_ints()->mutable_items()->Add(v.begin(), v.end());
}
void Packer::Set(pb::Attribute* to, const Attribute::Floats& v) {
  pb::Attribute::Floats* items = to->mutable_floats();
  for (const float item : v) items->add_items(std::bit_cast<std::uint32_t>(item));
}
void Packer::Set(pb::Attribute* to, const Attribute::Doubles& v) {
  pb::Attribute::Doubles* items = to->mutable_doubles();
  for (const double item : v) items->add_items(std::bit_cast<std::uint64_t>(item));
}
void Packer::Set(pb::Attribute* to, const Attribute::Strings& v) {
  pb::Attribute::Texts* items = to->mutable_texts();
  for (const std::string& item : v) PackText(item, items->add_items());
}
void Packer::Set(pb::Attribute* to, const Attribute::Tensors& v) {
  pb::Attribute::Tensors* items = to->mutable_tensors();
  for (const Tensor& item : v) PackTensor(item, items->add_items());
}
void Packer::Set(pb::Attribute* to, const Attribute::SparseTensors& v) {
  pb::Attribute::SparseTensors* items = to->mutable_sparse_tensors();
  for (const SparseTensor& item : v) PackSparseTensor(item, items->add_items());
}
void Packer::Set(pb::Attribute* to, const Attribute::Graphs& v) {
  pb::Attribute::Numbers* items = to->mutable_graphs();
  for (const Attribute::GraphPtr& item : v) items->add_items(QueueGraph(*item));
}
void Packer::Set(pb::Attribute* to, const Attribute::Types& v) {
  pb::Attribute::Numbers* items = to->mutable_types();
  for (const Type& item : v) items->add_items(PackType(item));
}
void Packer::Set(pb::Attribute* to, const Attribute::List& v) {
  const std::uint32_t number = NewList();
  to->set_list(number);
  pb::AttributeList* list = out_.mutable_lists(static_cast<int>(number));
  for (const Attribute& item : v) Pack(item, list->add_items());
}
void Packer::Set(pb::Attribute* to, const Attribute::Dict& v) {
  const std::uint32_t number = NewList();
  to->set_dict(number);
  PackList(v, number);
}

}  // namespace

Status PackModel(const Model& model, const StoreBuffer& store, pb::Model* message) {
  return Packer(model, store, message).Run();
}

}  // namespace dragoman
