// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/export_archive/read_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/support/bytes.h"
#include "core/support/text.h"
#include "importers/torch/export_archive/graph_reader.h"
#include "importers/torch/export_archive/json.h"
#include "importers/torch/export_archive/payloads.h"

namespace dragoman {
namespace torch {
namespace {

// Of torch 2.5, and since 2.6.
constexpr std::int64_t kOldestSchema = 7;
constexpr std::int64_t kNewestSchema = 8;
constexpr std::string_view kModels = "models/";
constexpr std::string_view kDefaultProgram = "models/model.json";
constexpr std::string_view kOldProgram = "serialized_exported_program.json";  // until torch 2.7

// The record of the program.
Result<std::string> ProgramRecord(const Archive& archive) {
  if (archive.Has(kOldProgram)) return std::string(kOldProgram);
  DRAGOMAN_ASSIGN(const Buffer format, archive.Read("archive_format"));
  const std::string_view text = AsText(format.bytes());
  if (text != "pt2") {
    return Unsupported("an archive of format " + Quote(text.substr(0, Archive::kMostQuoted)) +
                       ", expected \"pt2\"");
  }
  std::vector<std::string> records;
  for (std::string_view name : archive.NamesUnder(kModels)) {
    if (name.ends_with(".json")) records.emplace_back(name);
  }
  if (records.size() == 1) return records.front();
  // Of several, torch.export.load gives the one of that name.
  if (std::ranges::count(records, kDefaultProgram) > 0) return std::string(kDefaultProgram);
  if (!records.empty()) {
    return Unsupported(fmt::format("an archive of {} programs ({}); save one alone", records.size(),
                                   fmt::join(records, ", ")));
  }
  if (!archive.NamesUnder("data/aotinductor/").empty()) {
    return Unsupported(
        "a package of AOTInductor, which holds compiled code and no program; save the exported "
        "program with torch.export.save");
  }
  return InvalidInput("the archive has no program, a record models/NAME.json");
}

// The name of the program; empty: it is the only one.
std::string NameAmongPrograms(const Archive& archive, const std::string& record) {
  const auto programs = std::ranges::count_if(
      archive.NamesUnder(kModels), [](std::string_view name) { return name.ends_with(".json"); });
  if (programs < 2) return "";
  constexpr std::string_view kSuffix = ".json";
  return record.substr(kModels.size(), record.size() - kModels.size() - kSuffix.size());
}

// The value that an argument, or that of the one member of a specification, names; empty: none.
std::string NamedBy(const Json& argument) {
  const Json* inner = argument.is_object() && argument.size() == 1 ? &*argument.begin() : nullptr;
  const Json& names = inner != nullptr && inner->is_object() ? *inner : argument;
  const std::string name = TextMember(names, "name");
  return name.empty() ? TextMember(names, "as_name") : name;
}

// A specification and what it is about stand at one place of two lists.
Status CheckSpec(const Json& spec, const Json& argument) {
  const Json* member = spec.is_object() && spec.size() == 1 ? &*spec.begin() : nullptr;
  const Json* said = member != nullptr ? FindMember(*member, "arg") : nullptr;
  const std::string name = said != nullptr ? NamedBy(*said) : "";
  if (name.empty() || name == NamedBy(argument)) return {};
  return InvalidInput("the signature has " + Quote(name) + " where the graph has " +
                      Quote(NamedBy(argument)));
}

// Reads one archive.
class ModelReader {
 public:
  explicit ModelReader(const Archive& archive) : archive_(archive) {}

  Result<Model> Read() {
    DRAGOMAN_ASSIGN(const std::string record, ProgramRecord(archive_));
    DRAGOMAN_ASSIGN(const Buffer bytes, archive_.Read(record));
    Result<Json> parsed = ParseJson(AsText(bytes.bytes()));
    if (!parsed.ok()) return std::move(parsed).error().At("record " + record);
    program_ = *std::move(parsed);
    DRAGOMAN_ASSIGN(payloads_, Payloads::Read(archive_, NameAmongPrograms(archive_, record)));
    model_.level = Level::kSource;
    model_.dialect = "pt2";
    Status status = ReadProgram();
    if (!status.ok()) return std::move(status).error().At("record " + record);
    DRAGOMAN_TRY(AddRest(record));
    return std::move(model_);
  }

 private:
  Status CheckVersion() const {
    const Json* version = FindMember(program_, "schema_version");
    const Json* major = version != nullptr ? FindMember(*version, "major") : nullptr;
    const auto number = major != nullptr ? IntegerOf(*major) : std::nullopt;
    if (!number) return InvalidInput("the program has no schema_version");
    if (*number >= kOldestSchema && *number <= kNewestSchema) return {};
    return Unsupported(fmt::format(
        "schema version {}; those that are known are {} and {}, of torch 2.5 and newer; {}",
        *number, kOldestSchema, kNewestSchema,
        "export the module with such a torch and save it with torch.export.save"));
  }

  Status ReadProgram() {
    DRAGOMAN_TRY(CheckVersion());
    const Json* module = FindMember(program_, "graph_module");
    const Json* graph = module != nullptr ? FindMember(*module, "graph") : nullptr;
    const Json* signature = module != nullptr ? FindMember(*module, "signature") : nullptr;
    const Json* inputs = signature != nullptr ? FindMember(*signature, "input_specs") : nullptr;
    const Json* outputs = signature != nullptr ? FindMember(*signature, "output_specs") : nullptr;
    if (graph == nullptr || inputs == nullptr || !inputs->is_array() || outputs == nullptr ||
        !outputs->is_array())
      return InvalidInput("the program has no graph_module with a graph and its signature");
    AddOpsets();
    Entry entry;
    entry.name = "forward";
    entry.graph = std::make_unique<Graph>();
    entry.graph->set_name(entry.name);
    DRAGOMAN_TRY(ReadGraph(*graph, *inputs, *outputs, *entry.graph));
    model_.entries.push_back(std::move(entry));
    return {};
  }

  void AddOpsets() {
    const Json* versions = FindMember(program_, "opset_version");
    if (versions == nullptr || !versions->is_object()) return;
    for (const auto& [name, version] : versions->items()) {
      if (const auto number = IntegerOf(version)) model_.opsets.push_back({name, *number});
    }
  }

  Status ReadGraph(const Json& json, const Json& input_specs, const Json& output_specs,
                   Graph& graph) {
    const Json* inputs = FindMember(json, "inputs");
    const Json* outputs = FindMember(json, "outputs");
    if (inputs == nullptr || inputs->size() != input_specs.size() || outputs == nullptr ||
        outputs->size() != output_specs.size())
      return InvalidInput("the signature has another number of inputs or outputs than the graph");
    GraphReader reader(graph, 0);
    Attribute::List order;
    DRAGOMAN_TRY(
        reader.Read(json, [&](std::size_t index, const std::string& name) -> Result<Value*> {
          const Json& spec = input_specs[index];
          DRAGOMAN_TRY(CheckSpec(spec, (*inputs)[index]));
          DRAGOMAN_ASSIGN(Attribute said, ToAttribute(spec));
          if (name.empty()) {
            DRAGOMAN_ASSIGN(Attribute literal, ToAttribute((*inputs)[index]));
            order.emplace_back(
                Attribute::Dict{{"arg", std::move(literal)}, {"spec", std::move(said)}});
            return nullptr;
          }
          DRAGOMAN_ASSIGN(Value * value, AddInput(spec, (*inputs)[index], name, graph));
          value->extra().emplace_back("pt2.spec", std::move(said));
          order.emplace_back(Symbol{value->is_constant() ? "constant" : "input"});
          return value;
        }));
    Attribute::List results;
    for (std::size_t i = 0; i < output_specs.size(); ++i) {
      DRAGOMAN_TRY(CheckSpec(output_specs[i], (*outputs)[i]));
      DRAGOMAN_ASSIGN(Attribute spec, ToAttribute(output_specs[i]));
      results.emplace_back(
          Attribute::Dict{{"arg", reader.outputs()[i]}, {"spec", std::move(spec)}});
    }
    graph.extra().emplace_back("pt2.inputs", Attribute(std::move(order)));
    graph.extra().emplace_back("pt2.outputs", Attribute(std::move(results)));
    return {};
  }

  Result<Value*> AddInput(const Json& spec, const Json& argument, const std::string& name,
                          Graph& graph) {
    for (const auto& [kind, key] :
         {std::pair("parameter", "parameter_name"), std::pair("buffer", "buffer_name"),
          std::pair("tensor_constant", "tensor_constant_name")}) {
      if (const Json* said = FindMember(spec, kind))
        return payloads_->AddConstant(TextMember(*said, key), name, graph);
    }
    // A caller gives no token, which orders calls, and has no elements.
    if (FindMember(spec, "token") != nullptr) {
      DRAGOMAN_ASSIGN(Tensor nothing, Tensor::Make(DType::kF32, {0}, Buffer()));
      return graph.AddConstant(name, std::move(nothing));
    }
    Value* value = graph.AddInput(name);
    if (const Json* object = FindMember(argument, "as_custom_obj"))
      value->set_type(Type::Opaque("torch", TextMember(*object, "class_fqn")));
    return value;
  }

  // What belongs to no value: the rest of the program, of the configurations, and the records that
  // nothing here reads.
  Status AddRest(const std::string& record) {
    Json& module = program_["graph_module"];
    module.erase("graph");
    module["signature"].erase("input_specs");
    module["signature"].erase("output_specs");
    DRAGOMAN_ASSIGN(Attribute program, ToAttribute(program_));
    DRAGOMAN_ASSIGN(Attribute configs, payloads_->Rest());
    Attribute::Dict records;
    for (std::string_view name : archive_.Names()) {
      if (name == record || payloads_->Took(name)) continue;
      DRAGOMAN_ASSIGN(const Buffer bytes, archive_.Read(name));
      const auto size = static_cast<std::int64_t>(bytes.size());
      DRAGOMAN_ASSIGN(Tensor tensor, Tensor::Make(DType::kU8, {size}, bytes));
      records.emplace_back(std::string(name), Attribute(std::move(tensor)));
    }
    model_.extra.emplace_back("pt2.record", Attribute(record));
    model_.extra.emplace_back("pt2.top", Attribute(archive_.top_directory()));
    model_.extra.emplace_back("pt2.program", std::move(program));
    model_.extra.emplace_back("pt2.configs", std::move(configs));
    model_.extra.emplace_back("pt2.records", Attribute(std::move(records)));
    return {};
  }

  const Archive& archive_;
  Json program_;
  std::optional<Payloads> payloads_;
  Model model_;
};

}  // namespace
}  // namespace torch

Result<Model> ReadExportArchive(const std::string& path) {
  DRAGOMAN_ASSIGN(const torch::Archive archive,
                  torch::Archive::Open(path, torch::ArchiveKind::kExport));
  Result<Model> model = ReadExportArchive(archive);
  if (!model.ok()) return std::move(model).error().InFile(path);
  return model;
}

Result<Model> ReadExportArchive(const torch::Archive& archive) {
  return torch::ModelReader(archive).Read();
}

}  // namespace dragoman
