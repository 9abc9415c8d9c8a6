#include "cli/formats.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/support/mapped_file.h"
#include "importers/native/read_model.h"
#include "importers/onnx/detect.h"
#include "importers/torch/container/archive.h"

namespace dragoman::cli {
namespace {

constexpr std::array<FormatInfo, 10> kFormats = {{
    {Format::kOnnx, "onnx", ".onnx", true, true, false, "ONNX, any operator set"},
    {Format::kTorchScript, "torchscript", ".pt", true, false, false, "TorchScript archive"},
    {Format::kPt2, "pt2", ".pt2", false, false, false, "torch.export archive"},
    {Format::kTensorFlow, "tf", ".pb", false, false, false, "TensorFlow GraphDef or SavedModel"},
    {Format::kRelay, "relay", ".relay", false, false, false, "TVM Relay text"},
    {Format::kRelax, "relax", ".py", false, true, false,
     "TVM Relax module, weights beside it in .npz"},
    {Format::kDragoman, "dragoman", ".dgm", true, true, true, "our own container, lossless"},
    {Format::kText, "text", ".dgt", true, true, true, "graph text, lossless, to read and edit"},
    {Format::kJson, "json", ".json", true, true, true, "our own container as JSON, lossless"},
    {Format::kDot, "dot", ".dot", false, true, true, "Graphviz, to look at"},
}};

std::optional<Format> BySuffix(const std::string& path) {
  const std::string suffix = std::filesystem::path(path).extension().string();
  for (const FormatInfo& info : kFormats) {
    if (!suffix.empty() && suffix == info.suffix) return info.format;
  }
  return std::nullopt;
}

std::optional<Format> ByContent(std::span<const std::byte> file) {
  constexpr std::size_t kEnough = 4096;
  const std::string_view start(reinterpret_cast<const char*>(file.data()),
                               std::min(file.size(), kEnough));
  if (torch::IsExportArchive(file)) return Format::kPt2;
  if (torch::IsTorchFile(file)) return Format::kTorchScript;
  if (IsNative(file)) return Format::kDragoman;
  if (start.starts_with("dragoman ")) return Format::kText;
  if (start.starts_with("#[version") || start.starts_with("def @main")) return Format::kRelay;
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && start[first] == '{') return Format::kJson;
  if (start.find("@I.ir_module") != std::string_view::npos) return Format::kRelax;
  if (IsOnnxModel(file)) return Format::kOnnx;
  return std::nullopt;
}

}  // namespace

std::span<const FormatInfo> AllFormats() { return kFormats; }

const FormatInfo& Info(Format format) { return kFormats[static_cast<std::size_t>(format)]; }

Result<Format> FormatByName(std::string_view name) {
  std::string known;
  for (const FormatInfo& info : kFormats) {
    if (name == info.name) return info.format;
    known += (known.empty() ? "" : ", ") + std::string(info.name);
  }
  return InvalidInput("there is no format '" + std::string(name) + "'; formats are " + known);
}

Result<Format> FormatOfOutput(const std::string& path) {
  if (std::optional<Format> format = BySuffix(path)) return *format;
  return InvalidInput("the suffix does not tell the format; name it with --to").InFile(path);
}

Result<Format> FormatOfInput(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    const std::filesystem::path folder = path;
    for (const char* name : {"saved_model.pb", "saved_model.pbtxt"}) {
      if (std::filesystem::exists(folder / name, ignored)) return Format::kTensorFlow;
    }
    return InvalidInput("is a folder, and no SavedModel; expected a model file").InFile(path);
  }
  DRAGOMAN_ASSIGN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  if (std::optional<Format> format = ByContent(file->bytes())) return *format;
  if (std::optional<Format> format = BySuffix(path)) return *format;
  return InvalidInput("neither content nor suffix tell the format; name it with --from")
      .InFile(path);
}

}  // namespace dragoman::cli
