// SPDX-License-Identifier: Apache-2.0
#include "codegen/relay/write_source.h"

#include <filesystem>
#include <system_error>

#include "codegen/relay/nd_array.h"
#include "codegen/relay/source_printer.h"
#include "core/ir/find_as.h"
#include "core/support/output_file.h"

namespace dragoman {
namespace {

// Arrays of the file that was read which no parameter has.
void AddUnused(const Model& model, std::vector<std::pair<std::string, Tensor>>& params) {
  const auto* dict = FindAs<Attribute::Dict>(model.extra, "relay.params");
  if (dict == nullptr) return;
  for (const NamedAttribute& item : *dict) {
    if (item.value.tensor() != nullptr) params.emplace_back(item.name, *item.value.tensor());
  }
}

}  // namespace

Result<std::string> PrintRelaySource(const Model& model) {
  return relay::emit::SourcePrinter(model).Run();
}

Status WriteRelaySource(const Model& model, const std::string& path) {
  relay::emit::SourcePrinter printer(model);
  DRAGOMAN_ASSIGN(const std::string text, printer.Run());
  AddUnused(model, printer.params);
  DRAGOMAN_ASSIGN(OutputFile file, OutputFile::Create(path));
  DRAGOMAN_TRY(file.Append(text));
  std::filesystem::path params = path;
  params.replace_extension(".params");
  std::error_code ignored;
  if (!printer.params.empty()) {
    DRAGOMAN_TRY(WriteFile(params.string(), relay::emit::ParamsBytes(printer.params)));
  } else if (std::filesystem::exists(params, ignored)) {
    // It would give parameters of this module their contents, and may be all that is left of
    // others.
    return InvalidInput("holds parameters of another module; remove it, or choose another name")
        .InFile(params.string());
  }
  return file.Commit();
}

}  // namespace dragoman
