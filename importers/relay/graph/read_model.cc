// SPDX-License-Identifier: Apache-2.0
#include "importers/relay/graph/read_model.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "core/support/bytes.h"
#include "core/support/mapped_file.h"
#include "core/support/size_budget.h"
#include "core/support/text.h"
#include "importers/relay/graph/build_graph.h"
#include "importers/relay/graph/relay_ops.h"
#include "importers/relay/text/parser.h"
#include "importers/tvm/nd_array.h"

namespace dragoman {
namespace relay {
namespace {

namespace fs = std::filesystem;

using Params = std::vector<std::pair<std::string, Tensor>>;

Result<Model> MakeModel(const Module& module) {
  Model model;
  model.dialect = kDialect;
  model.extra.emplace_back(std::string(kVersion), module.version);
  if (!module.types.empty())
    model.extra.emplace_back(std::string(kTypes), Attribute::Strings(module.types));
  std::size_t main = 0;
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    if (module.functions[i].name == "main") main = i;
  }
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    DRAGOMAN_ASSIGN(FunctionGraph built, BuildFunction(module, module.functions[i]));
    built.graph->set_name(module.functions[i].name);
    if (!built.attributes.empty())
      built.graph->extra().emplace_back(std::string(kFunctionAttributes),
                                        std::move(built.attributes));
    if (i == main) {
      model.entries.push_back({module.functions[i].name, std::move(built.graph), {}, {}, {}});
    } else {
      Function function;
      function.op = InternOp(kDialect, module.functions[i].name, "global");
      function.graph = std::move(built.graph);
      model.functions.push_back(std::move(function));
    }
  }
  return model;
}

// The printer puts a v before names that begin with no letter, and may replace other characters.
std::string PrintedName(std::string_view name) {
  std::string printed(name);
  for (char& c : printed) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '/';
    if (!plain) c = '_';
  }
  return printed;
}

// Inputs without data, by name.
using Inputs = std::map<std::string, Value*, std::less<>>;

Inputs InputsOf(const Graph& graph) {
  Inputs inputs;
  for (const auto& input : graph.inputs()) {
    if (input->data() == nullptr) inputs.emplace(input->name(), input.get());
  }
  return inputs;
}

Inputs::iterator FindInput(Inputs& inputs, const std::string& name) {
  for (const std::string& wanted : {name, "v" + name, PrintedName(name), "v" + PrintedName(name)}) {
    if (const auto found = inputs.find(wanted); found != inputs.end()) return found;
  }
  return inputs.end();
}

bool Fits(const Type& declared, const Tensor& tensor) {
  if (!declared.is_tensor()) return !declared.known();
  if (declared.dtype() != DType::kUnknown && declared.dtype() != tensor.dtype()) return false;
  const Shape* shape = declared.shape();
  if (shape == nullptr) return true;
  if (shape->size() != tensor.sizes().size()) return false;
  for (std::size_t i = 0; i < shape->size(); ++i) {
    if ((*shape)[i].known() && (*shape)[i].value() != tensor.sizes()[i]) return false;
  }
  return true;
}

Status BindParams(Model& model, Params params) {
  Graph& graph = model.main();
  Inputs inputs = InputsOf(graph);
  Params unused;
  for (auto& [name, tensor] : params) {
    const auto found = FindInput(inputs, name);
    if (found == inputs.end()) {
      unused.emplace_back(std::move(name), std::move(tensor));
      continue;
    }
    Value* input = found->second;
    if (!Fits(input->type(), tensor)) {
      return InvalidInput("array " + Quote(name) + " is " + tensor.type().ToString() + ", but %" +
                          input->name() + " is declared as " + input->type().ToString());
    }
    input->set_data(Attribute(std::move(tensor)));
    inputs.erase(found);
  }
  Attribute::Dict left;
  for (auto& [name, tensor] : unused) {
    DRAGOMAN_TRY(TakeSteps(inputs.size()));
    for (const auto& [wanted, input] : inputs) {
      if (input->type().is_tensor() && Fits(input->type(), tensor))
        return InvalidInput("array " + Quote(name) + " has the name of no parameter of @" +
                            graph.name() + ", but could be %" + input->name());
    }
    left.emplace_back(name, std::move(tensor));
  }
  if (!left.empty()) model.extra.emplace_back(std::string(kUnusedParams), std::move(left));
  return {};
}

}  // namespace
}  // namespace relay

RelayFile RelayFileKind(std::span<const std::byte> bytes) {
  if (tvm::IsParams(bytes)) return RelayFile::kParams;
  const std::string_view head = AsText(bytes).substr(0, 4096);
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return RelayFile::kNone;
  const std::string_view text = head.substr(first);
  if (text.starts_with("#[version") || text.starts_with("v0.0.4") || text.starts_with("def @"))
    return RelayFile::kText;
  if (text.front() == '{' && text.find("\"nodes\"") != text.npos &&
      text.find("\"op\": \"null\"") != text.npos &&
      AsText(bytes).find("\"node_row_ptr\"") != std::string_view::npos)
    return RelayFile::kGraphJson;
  return RelayFile::kNone;
}

Result<Model> ReadRelayText(std::string_view text) {
  DRAGOMAN_ASSIGN(const std::unique_ptr<relay::Module> module, relay::ParseModule(text));
  return relay::MakeModel(*module);
}

Result<Model> ReadRelay(const std::string& path) {
  DRAGOMAN_ASSIGN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  switch (RelayFileKind(file->bytes())) {
    case RelayFile::kGraphJson:
      return Unsupported(
                 "a graph of TVM's graph executor, which calls compiled kernels and has no "
                 "operators; convert the Relay text of the module (mod.astext()) instead")
          .InFile(path);
    case RelayFile::kParams:
      return Unsupported(
                 "parameters of a TVM module without the module; convert the Relay text "
                 "(mod.astext()) beside it")
          .InFile(path);
    default:
      break;
  }
  Result<Model> model = ReadRelayText(AsText(file->bytes()));
  if (!model.ok()) return std::move(model.error().InFile(path));
  relay::fs::path params = path;
  params.replace_extension(".params");
  std::error_code ignored;
  if (!relay::fs::exists(params, ignored)) return model;
  DRAGOMAN_ASSIGN(relay::Params arrays, tvm::ReadParams(params.string()));
  Status bound = relay::BindParams(*model, std::move(arrays));
  if (!bound.ok()) return std::move(bound.error().InFile(params.string()));
  return model;
}

}  // namespace dragoman
