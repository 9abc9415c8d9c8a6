// SPDX-License-Identifier: Apache-2.0
#include "exporters/pt2/aten_graph.h"

#include <algorithm>
#include <memory>

#include "core/compare/composed_part.h"
#include "core/ir/print.h"
#include "core/ops/op_def.h"
#include "core/support/find_by_key.h"

namespace dragoman::pt2 {
namespace {

constexpr int kPositional = 1;
constexpr int kKeyword = 2;
constexpr int kStrided = 7;

// Operators that take no tensor. A program can be moved to another device where they name theirs.
// Sorted.
constexpr std::string_view kMakingOfNumbers[] = {
    "aten.arange.default", "aten.arange.start_step", "aten.full.default",
    "aten.rand.default",   "aten.randn.default",     "aten.scalar_tensor.default",
};
static_assert(IsSortedBy(kMakingOfNumbers));

// Operators whose results may lie in the memory of their operand. By name: only torch knows.
// Sorted.
constexpr std::string_view kViews[] = {
    "aten.broadcast_tensors.default",
    "aten.contiguous.default",
    "aten.expand.default",
    "aten.permute.default",
    "aten.reshape.default",
    "aten.select.int",
    "aten.slice.Tensor",
    "aten.split_with_sizes.default",
    "aten.squeeze.dim",
    "aten.transpose.int",
    "aten.unsqueeze.default",
    "aten.view.dtype",
    "aten.view_as_complex.default",
    "aten.view_as_real.default",
};
static_assert(IsSortedBy(kViews));

Json TensorMeta(const Term& term, const SymbolTable& symbols) {
  Json sizes = Json::array();
  Json strides = Json::array();
  Dim stride = 1;
  for (auto size = term.shape.rbegin(); size != term.shape.rend(); ++size) {
    strides.insert(strides.begin(), symbols.SizeJson(stride));
    stride = stride * (size->known() ? Dim(std::max<std::int64_t>(size->value(), 1)) : *size);
  }
  for (const Dim& size : term.shape) sizes.push_back(symbols.SizeJson(size));
  return {{"dtype", NumberOfDType(term.dtype).value_or(0)},
          {"sizes", std::move(sizes)},
          {"requires_grad", false},
          {"device", DeviceJson()},
          {"strides", std::move(strides)},
          {"storage_offset", {{"as_int", 0}}},
          {"layout", kStrided}};
}

// "relu" of "aten.relu.default".
std::string_view BaseName(std::string_view target) {
  const std::size_t first = target.find('.');
  if (first == std::string_view::npos) return target;
  const std::string_view rest = target.substr(first + 1);
  return rest.substr(0, rest.find('.'));
}

// Operators of the three namespaces that the format knows by other paths than torch.ops.
std::string FullTarget(std::string_view target) {
  const bool is_python = target.starts_with("_operator.") || target.starts_with("torch.");
  return (is_python ? "" : "torch.ops.") + std::string(target);
}

}  // namespace

std::string AtenGraph::NewName(std::string_view target) {
  return program_.names.Unique(Identifier(BaseName(target)));
}

Term AtenGraph::Record(std::string name, TermType type, bool is_input) {
  Term term = {std::move(name), type.dtype, program_.symbols.Bind(type.shape, is_input)};
  tensor_values_[term.name] = TensorMeta(term, program_.symbols);
  for (std::size_t i = 0; i < term.shape.size(); ++i) {
    if (!term.shape[i].known()) axes_.try_emplace(term.shape[i].ToString(), term, i);
  }
  return term;
}

AtenGraph::Node AtenGraph::MakeNode(std::string_view target, const Arguments& arguments) {
  Node node;
  Json inputs = Json::array();
  const auto add = [&](const Argument& argument) {
    inputs.push_back({{"name", argument.name},
                      {"arg", argument.value.json},
                      {"kind", argument.is_keyword ? kKeyword : kPositional}});
    std::ranges::copy(argument.value.reads, std::back_inserter(node.reads));
  };
  std::ranges::for_each(arguments, add);
  if (FindByKey(kMakingOfNumbers, target) != nullptr) add(Kw("device", ArgumentValue::Device()));
  node.json = {{"target", FullTarget(target)},
               {"inputs", std::move(inputs)},
               {"metadata", metadata_},
               {"is_hop_single_tensor_return", nullptr}};
  return node;
}

Term AtenGraph::Call(std::string_view target, const Arguments& arguments, TermType result) {
  Node node = MakeNode(target, arguments);
  Term term = Record(NewName(target), std::move(result), false);
  node.json["name"] = term.name;
  node.json["outputs"] = Json::array({ArgumentValue(term).json});
  node.gives = {term.name};
  RecordViews(target, node);
  nodes_.push_back(std::move(node));
  return term;
}

Terms AtenGraph::CallMany(std::string_view target, const Arguments& arguments,
                          const std::vector<TermType>& results, bool as_list) {
  Node node = MakeNode(target, arguments);
  const std::string name = NewName(target);
  Terms terms;
  Json outputs = Json::array();
  for (const TermType& type : results) {
    terms.push_back(Record(program_.names.Unique("getitem"), type, false));
    outputs.push_back(ArgumentValue(terms.back()).json);
    node.gives.push_back(terms.back().name);
  }
  if (as_list) outputs = Json::array({ArgumentValue(terms).json});
  if (target.starts_with("higher_order.")) node.json["is_hop_single_tensor_return"] = false;
  node.json["name"] = name;
  node.json["outputs"] = std::move(outputs);
  RecordViews(target, node);
  nodes_.push_back(std::move(node));
  return terms;
}

void AtenGraph::RecordViews(std::string_view target, const Node& node) {
  if (FindByKey(kViews, target) == nullptr) return;
  const bool are_pairs = target == "aten.broadcast_tensors.default";
  for (std::size_t i = 0; i < node.gives.size(); ++i)
    memory_[node.gives[i]] = MemoryOf(node.reads.at(are_pairs ? i : 0));
}

const std::string& AtenGraph::MemoryOf(const std::string& name) const {
  const auto found = memory_.find(name);
  return found != memory_.end() ? found->second : name;
}

void AtenGraph::CallForEffect(std::string_view target, const Arguments& arguments) {
  Node node = MakeNode(target, arguments);
  node.json["name"] = NewName(target);
  node.json["outputs"] = Json::array();
  node.is_effect = true;
  nodes_.push_back(std::move(node));
}

Term AtenGraph::AddInput(std::string_view hint, TermType type, bool binds_sizes) {
  return Record(program_.names.Unique(Identifier(hint)), std::move(type), binds_sizes);
}

Term AtenGraph::Import(const Term& outer) {
  if (outer_ == nullptr) {
    // A placeholder that was made for this program: its sizes are known here.
    if (!tensor_values_.contains(outer.name)) Record(outer.name, {outer.dtype, outer.shape}, false);
    return outer;
  }
  for (const auto& [from, to] : imports_) {
    if (from.name == outer.name) return to;
  }
  Term inner = Record(program_.names.Unique(outer.name), {outer.dtype, outer.shape}, false);
  imports_.emplace_back(outer, inner);
  return inner;
}

std::optional<Term> AtenGraph::Find(const Value* value) {
  if (const auto found = terms_.find(value); found != terms_.end()) return found->second;
  std::optional<Term> term;
  if (outer_ != nullptr) {
    const std::optional<Term> outside = outer_->Find(value);
    if (outside) term = Import(*outside);
  } else if (value->is_constant() && value->tensor() != nullptr) {
    term = Import(program_.parameter(*value));
  }
  if (term) terms_[value] = *term;
  return term;
}

Term AtenGraph::Lifted(const dragoman::Tensor& tensor) {
  if (outer_ != nullptr) return Import(outer_->Lifted(tensor));
  return Import(program_.lifted(tensor));
}

Term AtenGraph::MadeParameter(const std::string& name, const dragoman::Tensor& tensor) {
  if (outer_ != nullptr) return Import(outer_->MadeParameter(name, tensor));
  return Import(program_.made(name, tensor));
}

std::optional<Unsqueezed> AtenGraph::FindUnsqueezed(const Term& term) const {
  const auto found = unsqueezed_.find(term.name);
  return found != unsqueezed_.end() ? std::optional(found->second) : std::nullopt;
}

std::optional<Permuted> AtenGraph::FindPermuted(const Term& term) const {
  const auto found = permuted_.find(term.name);
  return found != permuted_.end() ? std::optional(found->second) : std::nullopt;
}

Size AtenGraph::SizeCall(std::string_view target, const Arguments& arguments, const Dim& value) {
  Node node = MakeNode(target, arguments);
  const std::string name = NewName(target);
  node.json["name"] = name;
  node.json["outputs"] = Json::array({Json{{"as_sym_int", {{"as_name", name}}}}});
  node.gives = {name};
  nodes_.push_back(std::move(node));
  sym_int_values_[name] = program_.symbols.SizeJson(value);
  sizes_[value.ToString()] = name;
  return Size(name);
}

// Of a size that some tensor has, here or outside.
std::optional<Size> AtenGraph::Found(const Dim& dim) {
  if (const auto known = sizes_.find(dim.ToString()); known != sizes_.end())
    return Size(known->second);
  if (const auto axis = axes_.find(dim.ToString()); axis != axes_.end()) {
    const auto [term, index] = axis->second;
    return SizeCall("aten.sym_size.int",
                    {{"self", term}, {"dim", static_cast<std::int64_t>(index)}}, dim);
  }
  for (AtenGraph* graph = outer_; graph != nullptr; graph = graph->outer_) {
    const auto axis = graph->axes_.find(dim.ToString());
    if (axis == graph->axes_.end()) continue;
    std::vector<AtenGraph*> inner;
    for (AtenGraph* to = this; to != graph; to = to->outer_) inner.push_back(to);
    Term term = axis->second.first;
    for (auto to = inner.rbegin(); to != inner.rend(); ++to) term = (*to)->Import(term);
    return SizeCall("aten.sym_size.int",
                    {{"self", term}, {"dim", static_cast<std::int64_t>(axis->second.second)}}, dim);
  }
  return std::nullopt;
}

std::optional<Size> AtenGraph::SizeOfAtom(const DimAtom& atom) {
  using Kind = DimAtom::Kind;
  if (atom.kind == Kind::kSymbol || atom.kind == Kind::kBroadcast) return std::nullopt;
  std::optional<Size> result;
  Dim value;
  for (const Dim& operand : atom.operands) {
    const std::optional<Size> size = SizeOf(operand);
    if (!size) return std::nullopt;
    if (!result) {
      result = size;
      value = operand;
      continue;
    }
    const Dim both[] = {value, operand};
    value = Apply(atom.kind, both);
    const std::string_view target = atom.kind == Kind::kFloorDiv ? "_operator.floordiv"
                                    : atom.kind == Kind::kMod    ? "_operator.mod"
                                    : atom.kind == Kind::kMin    ? "torch.sym_min"
                                                                 : "torch.sym_max";
    result = SizeCall(target, {{"a", *result}, {"b", *size}}, value);
  }
  return result;
}

std::optional<Size> AtenGraph::SizeOfTerm(const DimTerm& term) {
  Dim value = term.coefficient;
  Size result = term.coefficient;
  bool is_first = term.coefficient == 1;
  for (const auto& atom : term.factors) {
    const Dim factor = Dim::FromTerms({{1, {atom}}});
    std::optional<Size> size = Found(factor);
    if (!size) size = SizeOfAtom(*atom);
    if (!size) return std::nullopt;
    value = value * factor;
    result = is_first ? *size : SizeCall("_operator.mul", {{"a", result}, {"b", *size}}, value);
    is_first = false;
  }
  return result;
}

std::optional<Size> AtenGraph::SizeOf(const Dim& dim) {
  if (dim.known()) return Size(dim.value());
  if (dim.unknown()) return std::nullopt;
  if (std::optional<Size> found = Found(dim)) return found;
  std::optional<Size> sum;
  Dim value;
  for (const DimTerm& term : dim.terms()) {
    const std::optional<Size> size = SizeOfTerm(term);
    if (!size) return std::nullopt;
    const Dim summand = Dim::FromTerms({term});
    value = sum ? value + summand : summand;
    sum = sum ? SizeCall("_operator.add", {{"a", *sum}, {"b", *size}}, value) : *size;
  }
  return sum;
}

std::optional<Sizes> AtenGraph::SizesOf(const Shape& shape) {
  Sizes sizes;
  for (const Dim& dim : shape) {
    const std::optional<Size> size = SizeOf(dim);
    if (!size) return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

Item AtenGraph::ItemOf(const Term& scalar) {
  const Dim dim = program_.symbols.Bind({program_.symbols.Fresh()}, false).front();
  return {SizeCall("aten.item.default", {{"self", scalar}}, dim), dim};
}

namespace {

// Names of tensors in an argument or result; bodies have names of their own.
void RenameIn(Json& value, const std::string& from, const std::string& to) {
  if (value.is_array()) {
    for (Json& item : value) RenameIn(item, from, to);
    return;
  }
  if (!value.is_object() || value.contains("as_graph")) return;
  for (auto& [key, item] : value.items()) {
    if (key == "name" && item == from) {
      item = to;
    } else {
      RenameIn(item, from, to);
    }
  }
}

}  // namespace

bool AtenGraph::Rename(const std::string& from, const std::string& to) {
  const auto giver = std::ranges::find_if(
      nodes_, [&](const Node& node) { return std::ranges::count(node.gives, from) > 0; });
  if (giver == nodes_.end()) return false;
  std::ranges::replace(giver->gives, from, to);
  RenameIn(giver->json["outputs"], from, to);
  if (giver->json["name"] == from) giver->json["name"] = to;
  for (Node& node : nodes_) {
    if (std::ranges::count(node.reads, from) == 0) continue;
    std::ranges::replace(node.reads, from, to);
    for (Json& input : node.json["inputs"]) RenameIn(input["arg"], from, to);
  }
  for (auto& [value, term] : terms_) {
    if (term.name == from) term.name = to;
  }
  auto meta = tensor_values_.extract(from);
  meta.key() = to;
  tensor_values_.insert(std::move(meta));
  return true;
}

std::string AtenGraph::NameOf(const Value* value) const {
  const auto found = terms_.find(value);
  return found != terms_.end() ? found->second.name : "";
}

bool AtenGraph::IsOneCall(std::size_t first, const std::vector<const Value*>& operands) const {
  return nodes_.size() == first + 1 &&
         std::ranges::equal(nodes_.back().reads, operands, {}, {},
                            [this](const Value* value) { return NameOf(value); });
}

void AtenGraph::Remark(ComposedNode composed, std::size_t first, const dragoman::Node* node) {
  Node* giver = nullptr;
  for (const Value* result : composed.results) {
    if (result == nullptr) continue;
    const std::string name = NameOf(result);
    const auto found =
        std::find_if(nodes_.begin() + static_cast<std::ptrdiff_t>(first), nodes_.end(),
                     [&](const Node& each) { return std::ranges::count(each.gives, name) > 0; });
    if (found == nodes_.end()) return;
    if (giver == nullptr) giver = &*found;
  }
  if (giver == nullptr) return;
  giver->composed = std::move(composed);
  giver->composed_node = node;
}

namespace {

// A constant that is written out where the program has it otherwise, or not at all.
bool IsSmall(const Value& value) {
  constexpr std::size_t kMostBytes = 4096;
  return value.tensor() != nullptr && value.tensor()->bytes().size() <= kMostBytes;
}

}  // namespace

// After DropCalls, as the next. Weights are where something reads them.
bool AtenGraph::IsThere(const Value* value) const {
  const std::string name = NameOf(value);
  return tensor_values_.contains(name) && (value->tensor() == nullptr || read_.contains(name));
}

bool AtenGraph::IsThereInPart(const dragoman::Node& node) const {
  for (std::size_t i = 0; i < node.num_results(); ++i) {
    if (node.result(i) != nullptr && IsThere(node.result(i))) return true;
  }
  return false;
}

// Adds the node after those of which the program lacks results that it takes. False: what it lacks
// has no node in this graph, or one of which the program has other results, or they are too many.
bool AtenGraph::AddMissing(const dragoman::Node& node,
                           std::vector<const dragoman::Node*>& nodes) const {
  constexpr std::size_t kMostNodes = 32;
  for (const Value* taken : TakenBy(node)) {
    if (taken == nullptr || IsThere(taken) || IsSmall(*taken)) continue;
    const dragoman::Node* maker = taken->producer();
    if (maker == nullptr || maker->graph() != node.graph() || IsThereInPart(*maker)) return false;
    if (std::ranges::count(nodes, maker) > 0) continue;
    if (nodes.size() >= kMostNodes || HasEffect(*maker) || !AddMissing(*maker, nodes)) return false;
  }
  nodes.push_back(&node);
  return true;
}

// nullopt: an operand is not in the program, or the text would be too long.
std::optional<ComposedText> AtenGraph::TextOf(const Node& call) const {
  constexpr std::size_t kMostText = std::size_t{1} << 16;
  ComposedNode composed = *call.composed;
  if (call.composed_node != nullptr) {
    std::vector<const dragoman::Node*> nodes;
    if (!AddMissing(*call.composed_node, nodes)) return std::nullopt;
    if (nodes.size() > 1) {
      std::erase(composed.results, nullptr);
      composed = AsComposedGraph(nodes, composed.results);
    }
  }
  ComposedText text;
  text.label = composed.label;
  text.attributes = PrintAttribute(Attribute(composed.attributes));
  if (composed.label == kComposedGraph && text.attributes.size() > kMostText) return std::nullopt;
  for (const Value* operand : composed.operands) {
    if (operand == nullptr || IsThere(operand)) {
      text.operands.push_back(NameOf(operand));
    } else if (IsSmall(*operand)) {
      text.operands.push_back(PrintAttribute(Attribute(*operand->tensor())));
    } else {
      return std::nullopt;
    }
  }
  for (const Value* result : composed.results) {
    const std::string name = NameOf(result);
    text.results.push_back(tensor_values_.contains(name) ? name : "");
  }
  return text;
}

void AtenGraph::DropCalls(const Terms& outputs) {
  read_.clear();
  for (const Term& output : outputs) read_.insert(output.name);
  std::vector<bool> is_kept(nodes_.size());
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[i];
    is_kept[i] = node.is_effect || std::ranges::any_of(node.gives, [&](const std::string& name) {
                   return read_.contains(name);
                 });
    if (is_kept[i]) read_.insert(node.reads.begin(), node.reads.end());
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (is_kept[i]) {
      if (kept != i) nodes_[kept] = std::move(nodes_[i]);
      ++kept;
      continue;
    }
    for (const std::string& name : nodes_[i].gives) {
      tensor_values_.erase(name);
      sym_int_values_.erase(name);
    }
  }
  nodes_.resize(kept);
}

void AtenGraph::DropUnread(const Terms& outputs) {
  DropCalls(outputs);
  std::erase_if(imports_, [&](const auto& import) {
    const bool is_read = read_.contains(import.second.name);
    if (!is_read) tensor_values_.erase(import.second.name);
    return !is_read;
  });
}

Json AtenGraph::Body(const Terms& outputs) {
  DropCalls(outputs);
  Json nodes = Json::array();
  for (Node& node : nodes_) {
    const auto remark = node.composed ? TextOf(node) : std::nullopt;
    if (remark) AddRemark(*remark, node.json["metadata"]);
    nodes.push_back(std::move(node.json));
  }
  nodes_.clear();
  return {{"nodes", std::move(nodes)},          {"tensor_values", tensor_values_},
          {"sym_int_values", sym_int_values_},  {"sym_bool_values", Json::object()},
          {"sym_float_values", Json::object()}, {"custom_obj_values", Json::object()},
          {"is_single_tensor_return", false}};
}

Json AtenGraph::Subgraph(const Terms& inputs, const Terms& outputs) {
  Json graph = Body(outputs);
  graph["inputs"] = Json::array();
  graph["outputs"] = Json::array();
  for (const Term& input : inputs) graph["inputs"].push_back(ArgumentValue(input).json);
  for (const Term& output : outputs) graph["outputs"].push_back(ArgumentValue(output).json);
  return graph;
}

}  // namespace dragoman::pt2
