// SPDX-License-Identifier: Apache-2.0
#include "exporters/onnx/restore_maps.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/params/map_names.h"

namespace dragoman {
namespace {

const Value* BehindIdentity(const Value* value) {
  const Node* producer = value->producer();
  return producer != nullptr && producer->Is("Identity") ? producer->operand(0) : value;
}

// Whether a program of another format has made this map, one rather than a list of them: operators
// of ONNX make lists only.
bool IsOfProgram(const Value* keys, const Value* values) {
  return values->type().rank() == 1 && BehindIdentity(keys)->kind() != Value::Kind::kInput;
}

std::optional<NamedAttribute> LabelsOf(const Tensor& keys) {
  if (keys.dtype() == DType::kI64)
    return NamedAttribute("classlabels_int64s", Attribute(keys.ToInts()));
  if (keys.dtype() != DType::kString) return std::nullopt;
  const auto strings = keys.strings();
  return NamedAttribute("classlabels_strings",
                        Attribute(Attribute::Strings(strings.begin(), strings.end())));
}

// "", or why output number `at` and the one after it are not what a ZipMap gives.
std::string ZipOutput(Graph& graph, std::size_t at, const std::string& name) {
  Value* values = graph.output(at + 1);
  const Tensor* keys = BehindIdentity(graph.output(at))->tensor();
  const std::optional<NamedAttribute> labels =
      keys != nullptr && keys->rank() == 1 ? LabelsOf(*keys) : std::nullopt;
  if (!labels) return "a map whose keys are not constant is nothing that an operator of ONNX gives";
  if (values->type().dtype() != DType::kF32 || values->type().rank() != 2)
    return "ONNX has no operator that makes maps of " + values->type().ToString();
  Value* const operands[] = {values};
  Node* zip = graph.Append(InternOp("onnx", "ZipMap", "ai.onnx.ml"), operands);
  zip->set_origin(values->producer() != nullptr ? values->producer()->origin() : nullptr);
  zip->SetAttribute(labels->name, labels->value);
  const Type scores = Type::Tensor(DType::kF32, std::vector<std::int64_t>());
  Value* const given = graph.output(at);
  graph.SetOutput(at, zip->AddResult(name, Type::Sequence(Type::Map(keys->dtype(), scores))));
  graph.RemoveOutput(at + 1);
  if (given->producer() != nullptr && !given->used()) graph.Erase(given->producer());
  return "";
}

// The only user of `value`, if it is operator `type`.
Node* OnlyUser(const Value* value, std::string_view type) {
  if (value == nullptr || !value->HasOneUse()) return nullptr;
  Node* user = value->first_use()->user();
  return user != nullptr && user->graph() == value->graph() && user->Is(type) ? user : nullptr;
}

// The vocabulary of a comparison with all keys: a constant, or one that was given a second axis.
const Tensor* WordsOf(const Value* value) {
  if (value == nullptr) return nullptr;
  if (value->producer() != nullptr && value->producer()->Is("Unsqueeze"))
    value = value->producer()->operand(0);
  return value->tensor();
}

// What a map lacks is 0, or an empty string.
bool IsNothing(const Tensor* tensor) {
  if (tensor == nullptr || tensor->size() != 1) return false;
  return tensor->dtype() == DType::kString ? tensor->strings().front().empty()
                                           : tensor->FloatAt(0) == 0;
}

// What stands for a look-up of known words in a map, as importers/onnx/ops/ml_maps.cc writes it.
struct LookUp {
  Node* gather = nullptr;
  Tensor words;
};

// The look-up that compares words with `keys`, which it has given a first axis.
std::optional<LookUp> LookUpBehind(Node* unsqueeze, const Value* values) {
  Node* equal = OnlyUser(unsqueeze->result(), "Equal");
  if (equal == nullptr) return std::nullopt;
  const bool first = equal->operand(0) == unsqueeze->result();
  const Tensor* words = WordsOf(equal->operand(first ? 1 : 0));
  Node* hits = OnlyUser(equal->result(), "Concat");
  Node* numbers = hits != nullptr ? OnlyUser(hits->result(), "Cast") : nullptr;
  Node* place = numbers != nullptr ? OnlyUser(numbers->result(), "ArgMax") : nullptr;
  Node* gather = place != nullptr ? OnlyUser(place->result(), "Gather") : nullptr;
  Node* with_nothing = gather != nullptr ? gather->operand(0)->producer() : nullptr;
  const bool found = words != nullptr && with_nothing != nullptr && with_nothing->Is("Concat") &&
                     with_nothing->num_operands() == 2 && with_nothing->operand(0) == values &&
                     IsNothing(with_nothing->operand(1)->tensor());
  if (!found) return std::nullopt;
  return LookUp{gather, words->Reshaped({words->size()})};
}

// Appends nothing and gives nullopt where anything but a look-up reads the keys.
std::optional<std::vector<LookUp>> LookUpsIn(const Value& keys, const Value& values) {
  std::vector<LookUp> found;
  for (const Use* use = keys.first_use(); use != nullptr; use = use->next()) {
    Node* user = use->user();
    if (user == nullptr || !user->Is("Unsqueeze")) return std::nullopt;
    const std::optional<LookUp> lookup = LookUpBehind(user, &values);
    if (!lookup) return std::nullopt;
    found.push_back(*lookup);
  }
  return found;
}

// In front of `before`: operator `type` of ai.onnx.ml on `map`, without its first axis of 1.
Value* TakeOut(Node& before, std::string_view type, Value* map, const std::string& name,
               NamedAttribute attribute, const Type& result) {
  Graph& graph = *before.graph();
  Value* const operands[] = {map};
  Node* node = graph.Insert(&before, InternOp("onnx", type, "ai.onnx.ml"), operands);
  node->set_origin(before.origin());
  node->AddAttribute(std::move(attribute));
  Value* row = node->AddResult(name + "." + std::string(type), Type::Tensor(result.dtype()));
  Value* count = graph.AddConstant(name + ".row", Tensor::Ints(std::vector<std::int64_t>{-1}));
  Value* const flat[] = {row, count};
  Node* reshape = graph.Insert(&before, InternOp("onnx", "Reshape"), flat);
  reshape->set_origin(before.origin());
  return reshape->AddResult(name + "." + std::string(type) + ".values", result);
}

NamedAttribute Vocabulary(const Tensor& words) {
  if (words.dtype() == DType::kI64)
    return NamedAttribute("int64_vocabulary", Attribute(words.ToInts()));
  const auto strings = words.strings();
  return NamedAttribute("string_vocabulary",
                        Attribute(Attribute::Strings(strings.begin(), strings.end())));
}

// Erases nodes whose results nobody reads any more, from the last one on.
void EraseUnread(Graph& graph) {
  Node* last = graph.first_node();
  while (last != nullptr && last->next() != nullptr) last = last->next();
  for (Node* node = last; node != nullptr;) {
    Node* const before = node->prev();
    bool read = node->num_results() == 0;
    for (std::size_t i = 0; i < node->num_results(); ++i)
      read = read || (node->result(i) != nullptr && node->result(i)->used());
    if (!read) graph.Erase(node);
    node = before;
  }
}

// "", or why inputs number `at` and the one after it cannot be a map again: DictVectorizer gives
// the values of known words, CastMap all values of a map from integers.
std::string ZipInput(Graph& graph, std::size_t at, const std::string& name) {
  Value* map = graph.input(at);
  Value* values = graph.input(at + 1);
  EraseUnread(graph);
  const std::optional<std::vector<LookUp>> lookups = LookUpsIn(*map, *values);
  if (!lookups) return "no operator of ONNX takes the keys out of a map";
  const DType key = map->type().dtype(), value = values->type().dtype();
  const Type scalar = Type::Tensor(value, std::vector<std::int64_t>());
  for (const LookUp& lookup : *lookups) {
    Value* old = lookup.gather->result();
    old->ReplaceAllUsesWith(TakeOut(*lookup.gather, "DictVectorizer", map, name,
                                    Vocabulary(lookup.words), old->type()));
  }
  EraseUnread(graph);
  if (values->used()) {
    const bool text = value == DType::kString;
    if (key != DType::kI64 || (!text && value != DType::kF32))
      return "no operator of ONNX takes all values out of a map of " + scalar.ToString();
    NamedAttribute to("cast_to", Attribute(std::string(text ? "TO_STRING" : "TO_FLOAT")));
    values->ReplaceAllUsesWith(
        TakeOut(*graph.first_node(), "CastMap", map, name, std::move(to), values->type()));
  }
  map->set_name(name);
  map->set_type(Type::Map(key, scalar));
  graph.RemoveInput(at + 1);
  return "";
}

}  // namespace

void RestoreMaps(Entry& entry, std::vector<Finding>& findings) {
  Graph& graph = *entry.graph;
  const auto refuse = [&](const std::string& what, const std::string& why) {
    findings.push_back({ErrorKind::kUnsupported, {}, what, why});
  };
  for (std::size_t i = 0; i + 1 < graph.num_inputs(); ++i) {
    const std::string map = rt::MapOfKeys(graph.input(i)->name());
    if (map.empty() || graph.input(i + 1)->name() != map + rt::kMapValues) continue;
    const std::string why = ZipInput(graph, i, map);
    if (!why.empty()) {
      refuse("input '" + map + "'", why);
      continue;
    }
    for (StateBinding& binding : entry.states) --binding.input;
  }
  for (std::size_t i = 0; i + 1 < graph.num_outputs(); ++i) {
    const std::string map = rt::MapOfKeys(graph.output(i)->name());
    if (map.empty() || graph.output(i + 1)->name() != map + rt::kMapValues) continue;
    if (IsOfProgram(graph.output(i), graph.output(i + 1))) continue;
    const std::string why = ZipOutput(graph, i, map);
    if (!why.empty()) {
      refuse("output '" + map + "'", why);
      continue;
    }
    for (StateBinding& binding : entry.states) --binding.output;
  }
}

}  // namespace dragoman
