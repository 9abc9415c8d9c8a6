#include "exporters/onnx/restore_maps.h"

#include <optional>
#include <string>
#include <utility>

#include "runtime/params/map_names.h"

namespace dragoman {
namespace {

// What a constant holds, also behind an Identity.
const Tensor* ConstantBehind(const Value* value) {
  if (value->producer() != nullptr && value->producer()->Is("Identity"))
    value = value->producer()->operand(0);
  return value->tensor();
}

std::optional<NamedAttribute> LabelsOf(const Tensor& keys) {
  if (keys.dtype() == DType::kI64)
    return NamedAttribute("classlabels_int64s", Attribute(keys.ToInts()));
  if (keys.dtype() != DType::kString) return std::nullopt;
  const auto strings = keys.strings();
  return NamedAttribute("classlabels_strings",
                        Attribute(Attribute::Strings(strings.begin(), strings.end())));
}

// "", or why output number `at` and the one behind it are not what a ZipMap gives.
std::string ZipOutput(Graph& graph, std::size_t at, const std::string& name) {
  Value* values = graph.output(at + 1);
  const Tensor* keys = ConstantBehind(graph.output(at));
  const std::optional<NamedAttribute> labels =
      keys != nullptr && keys->rank() == 1 ? LabelsOf(*keys) : std::nullopt;
  if (!labels) return "a map whose keys are no constant is nothing that an operator of ONNX gives";
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

}  // namespace

void RestoreMaps(Entry& entry, std::vector<Finding>& findings) {
  Graph& graph = *entry.graph;
  const auto refuse = [&](const std::string& what, const std::string& why) {
    findings.push_back({ErrorKind::kUnsupported, {}, what, why});
  };
  for (const auto& input : graph.inputs()) {
    const std::string map = rt::MapOfKeys(input->name());
    if (!map.empty())
      refuse("input '" + map + "'", "no operator of ONNX takes keys and values out of a map");
  }
  for (std::size_t i = 0; i + 1 < graph.num_outputs(); ++i) {
    const std::string map = rt::MapOfKeys(graph.output(i)->name());
    if (map.empty() || graph.output(i + 1)->name() != map + rt::kMapValues) continue;
    const std::string why = ZipOutput(graph, i, map);
    if (!why.empty()) {
      refuse("output '" + map + "'", why);
      continue;
    }
    for (StateBinding& binding : entry.states) --binding.output;
  }
}

}  // namespace dragoman
