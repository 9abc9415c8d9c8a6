// SPDX-License-Identifier: Apache-2.0
#include "importers/relax/graph/read_model.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/ir/find_as.h"
#include "core/ir/type_algebra.h"
#include "core/support/mapped_file.h"
#include "core/support/npy.h"
#include "importers/relax/graph/build_function.h"
#include "importers/relax/graph/comments.h"
#include "importers/relax/graph/parse_module.h"

namespace dragoman {
namespace tvmscript {
namespace {

using Arrays = std::map<std::string, Tensor>;

bool IsPrivate(const Graph& graph) {
  const auto* decorators =
      Find(*graph.extra_if_any(), "relax.decorators")->As<Attribute::Strings>();
  return decorators != nullptr && !decorators->empty() &&
         decorators->front().find("private=True") != std::string::npos;
}

Result<Model> ModelOf(const ModuleSyntax& module) {
  Model model;
  model.dialect = "relax";
  std::vector<Finding> findings;
  std::set<std::string> names;
  Attribute::Strings order;
  Attribute::Strings foreign;
  const python::LineTable lines(module.text);
  for (const ModuleItem& item : module.items) {
    if (item.kind != ModuleItem::Kind::kFunction) {
      order.push_back(fmt::format("@{}", foreign.size()));
      foreign.push_back(item.text);
      continue;
    }
    if (!names.insert(item.name).second)
      return InvalidInput("two functions are called '" + item.name + "'");
    order.push_back(item.name);
    std::unique_ptr<Graph> graph = BuildFunction(module, lines, item.function, findings);
    if (IsPrivate(*graph)) {
      model.functions.push_back({InternOp("relax", item.name), std::move(graph), {}, {}, {}, {}});
    } else {
      model.entries.push_back({item.name, std::move(graph), {}, {}, {}});
    }
  }
  if (!findings.empty()) return Error(std::move(findings));
  if (model.entries.empty()) return Unsupported("the module has no public function");
  const auto main = std::find_if(model.entries.begin(), model.entries.end(),
                                 [](const Entry& entry) { return entry.name == "main"; });
  if (main != model.entries.end()) std::rotate(model.entries.begin(), main, main + 1);
  model.extra.emplace_back("relax.name", module.name);
  if (!module.bases.empty()) model.extra.emplace_back("relax.bases", module.bases);
  model.extra.emplace_back("relax.preamble", module.preamble);
  if (module.decorator != "I.ir_module")
    model.extra.emplace_back("relax.decorator", module.decorator);
  model.extra.emplace_back("relax.order", std::move(order));
  if (!foreign.empty()) model.extra.emplace_back("relax.foreign", std::move(foreign));
  const std::size_t indent = IndentAt(module.text, module.items.back().offset);
  Attribute::Strings last = CommentsAbove(module.text, module.text.size(), indent);
  if (!last.empty()) model.extra.emplace_back("relax.last_comments", std::move(last));
  return model;
}

std::optional<DType> DTypeOf(const NpyArray& array) {
  switch (array.kind) {
    case 'b':
      return DType::kBool;
    case 'f':
      return DTypeFromName(fmt::format("float{}", 8 * array.item_bytes));
    case 'i':
      return DTypeFromName(fmt::format("int{}", 8 * array.item_bytes));
    case 'u':
      return DTypeFromName(fmt::format("uint{}", 8 * array.item_bytes));
    default:
      return std::nullopt;
  }
}

// The arrays of an .npz file by name; the element type of raw bits stands in the key: "w:bfloat16".
Result<Arrays> ReadArrays(const std::string& path) {
  Arrays arrays;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return arrays;
  auto read = ReadNpzOfModel(path);
  if (!read.ok()) return std::move(read).error().InFile(path);
  for (auto& [key, array] : *read) {
    const std::size_t colon = key.find(':');
    const std::optional<DType> dtype =
        colon != std::string::npos ? DTypeFromName(key.substr(colon + 1)) : DTypeOf(array);
    if (!dtype)
      return InvalidInput("array '" + key + "' has no element type of Relax").InFile(path);
    std::string bytes(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
    Result<Tensor> tensor =
        Tensor::Make(*dtype, std::move(array.shape), Buffer::Own(std::move(bytes)));
    if (!tensor.ok()) return std::move(tensor).error().At("array '" + key + "'").InFile(path);
    arrays.emplace(key.substr(0, colon), std::move(*tensor));
  }
  return arrays;
}

// How many parameters are true inputs, if the function says it.
std::optional<std::size_t> NumInputs(const Graph& graph) {
  for (const Node& node : graph.nodes()) {
    if (node.op().type != "func_attr") continue;
    const auto* number = FindAs<std::int64_t>(node.attributes(), "num_input");
    if (number != nullptr && *number >= 0) return static_cast<std::size_t>(*number);
  }
  return std::nullopt;
}

bool Fits(const Type& type, const Tensor& tensor) {
  if (!type.is_tensor()) return true;
  const std::optional<std::vector<std::int64_t>> sizes =
      type.shape() != nullptr ? KnownShape(*type.shape()) : std::nullopt;
  return (type.dtype() == DType::kUnknown || type.dtype() == tensor.dtype()) &&
         (!sizes || *sizes == tensor.sizes());
}

Status BindWeights(Graph& graph, const Arrays& arrays) {
  std::size_t position = 0;
  const std::optional<std::size_t> first = NumInputs(graph);
  for (std::size_t i = 0; i < graph.num_inputs(); ++position) {
    Value* input = graph.input(i);
    const auto found = arrays.find(input->name());
    const bool is_weight = position >= first.value_or(0);
    if (is_weight && first && found == arrays.end() && !arrays.empty() && input->type().is_tensor())
      return InvalidInput("it is a weight, but has no array")
          .At("parameter '" + input->name() + "'");
    if (!is_weight || found == arrays.end()) {
      ++i;
      continue;
    }
    const Tensor& tensor = found->second;
    if (!Fits(input->type(), tensor))
      return InvalidInput("the array is of type " + tensor.type().ToString() +
                          ", the parameter of " + input->type().ToString())
          .At("parameter '" + input->name() + "'");
    Value* constant = graph.AddConstant(input->name(), tensor);
    if (input->extra_if_any() != nullptr) constant->extra() = *input->extra_if_any();
    constant->extra().emplace_back("relax.parameter", static_cast<std::int64_t>(position));
    input->ReplaceAllUsesWith(constant);
    graph.RemoveInput(i);
  }
  return {};
}

// {"states": {"h": [1, 0]}}: input 1 and result 0 are the state h.
Status BindStates(Model& model, Entry& entry, const Arrays& initial) {
  for (const Node& node : entry.graph->nodes()) {
    const Attribute* states = node.op().type == "func_attr" ? node.attribute("states") : nullptr;
    const auto* dict = states != nullptr ? states->As<Attribute::Dict>() : nullptr;
    if (dict == nullptr) continue;
    for (const NamedAttribute& state : *dict) {
      const auto* places = state.value.As<Attribute::Ints>();
      const auto found = initial.find(state.name);
      if (places == nullptr || places->size() != 2 || found == initial.end()) continue;
      const auto input = static_cast<std::size_t>((*places)[0]);
      if (input >= entry.graph->num_inputs() || (*places)[1] < 0)
        return InvalidInput("state '" + state.name + "' has no input " + std::to_string(input));
      const auto known = std::ranges::find(model.states, state.name, &State::name);
      const auto index = static_cast<std::size_t>(known - model.states.begin());
      if (known == model.states.end())
        model.states.push_back({state.name, found->second.type(), Attribute(found->second)});
      entry.graph->input(input)->extra().emplace_back(
          "relax.state", Attribute::Ints{static_cast<std::int64_t>(index), (*places)[1]});
    }
  }
  return {};
}

}  // namespace
}  // namespace tvmscript

Result<Model> ReadRelaxText(std::string text) {
  DRAGOMAN_ASSIGN(const tvmscript::ModuleSyntax module,
                  tvmscript::ParseModule("", std::move(text)));
  return tvmscript::ModelOf(module);
}

Result<Model> ReadRelax(const std::string& path) {
  DRAGOMAN_ASSIGN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  const auto* text = reinterpret_cast<const char*>(file->bytes().data());
  DRAGOMAN_ASSIGN(Model model, ReadRelaxText(std::string(text, file->bytes().size())));
  const std::string stem = path.ends_with(".py") ? path.substr(0, path.size() - 3) : path;
  DRAGOMAN_ASSIGN(const tvmscript::Arrays weights, tvmscript::ReadArrays(stem + ".npz"));
  DRAGOMAN_ASSIGN(const tvmscript::Arrays states, tvmscript::ReadArrays(stem + ".states.npz"));
  for (Entry& entry : model.entries) {
    DRAGOMAN_TRY(tvmscript::BindWeights(*entry.graph, weights));
    DRAGOMAN_TRY(tvmscript::BindStates(model, entry, states));
  }
  return model;
}

}  // namespace dragoman
