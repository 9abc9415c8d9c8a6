// SPDX-License-Identifier: Apache-2.0
#include "driver/foreign_files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "core/support/bytes.h"
#include "core/support/zip_file.h"

namespace dragoman {
namespace {

namespace fs = std::filesystem;
using std::string_view_literals::operator""sv;

// A file that has `bytes` at `offset`.
struct FileSignature {
  std::size_t offset;
  std::string_view bytes;
  ErrorKind kind;
  std::string_view what;
};

constexpr ErrorKind kForeign = ErrorKind::kUnsupported;
constexpr ErrorKind kNoModel = ErrorKind::kInvalidInput;

constexpr FileSignature kSignatures[] = {
    {0, "version https://git-lfs.github.com/spec/"sv, kNoModel,
     "is a pointer of Git LFS, and not the file itself; fetch that by `git lfs pull`"},
    {0, "\x1f\x8b"sv, kNoModel, "is compressed by gzip; unpack it by gunzip"},
    {0, "BZh"sv, kNoModel, "is compressed by bzip2; unpack it by bunzip2"},
    {0,
     "\xfd"
     "7zXZ\0"sv,
     kNoModel, "is compressed by xz; unpack it by unxz"},
    {0, "\x28\xb5\x2f\xfd"sv, kNoModel, "is compressed by zstd; unpack it by unzstd"},
    {0, "7z\xbc\xaf\x27\x1c"sv, kNoModel, "is a 7z archive; unpack it"},
    {257, "ustar"sv, kNoModel, "is a tar archive; unpack it by tar -xf"},
    {0, "\x93NUMPY"sv, kNoModel, "is an array of NumPy and no model; --input takes it"},
    {0, "GGUF"sv, kForeign,
     "is a GGUF file, which holds weights and settings of a known architecture and no graph; "
     "export "
     "the model that it was made from, with torch.export or torch.onnx.export"},
    {0, "ftrt"sv, kForeign,
     "is a plan of TensorRT, which holds code for one GPU; convert the model that it was built "
     "from"},
    {0, "ptrt"sv, kForeign,
     "is a plan of TensorRT, which holds code for one GPU; convert the model that it was built "
     "from"},
    {4, "ORTM"sv, kForeign,
     "is in ONNX Runtime's own format (.ort); convert the .onnx file that it was made from"},
    {0, "7767517\n"sv, kForeign,
     "is a network of ncnn; convert the model that it was made from (pnnx keeps a .pt file)"},
    {0, "\xdd\x85\x76\0"sv, kForeign,
     "is a network of ncnn; convert the model that it was made from (pnnx keeps a .pt file)"},
    {0, "{\"base_code\":{\"magic\":\"pir\""sv, kForeign,
     "is a program of PaddlePaddle; export it with paddle2onnx"},
    {0, "[net]"sv, kForeign,
     "is a network of Darknet, which refers to layers by number; export it to ONNX with the "
     "program that trained it"},
    {0, "tree\nversion="sv, kForeign,
     "is a model of LightGBM; convert it to ONNX with onnxmltools"},
    {0, "{L\0\0\0\0\0\0\0\7learner"sv, kForeign,
     "is a model of XGBoost; convert it to ONNX with onnxmltools"},
    {0, "CBM1"sv, kForeign,
     "is a model of CatBoost; in Python, model.save_model(\"model.onnx\", format=\"onnx\")"},
};

// A JSON file with all of these keys.
struct JsonKeys {
  std::array<std::string_view, 3> keys;
  std::string_view what;
};
constexpr std::string_view kConfiguration =
    "is the configuration of a model of Hugging Face, which holds no graph; export the model with "
    "torch.export, or with optimum to ONNX";
constexpr JsonKeys kJson[] = {
    {{"\"nodes\"", "\"arg_nodes\"", "\"mxnet_version\""},
     "is a network of MXNet; export it with mxnet.onnx.export_model"},
    {{"\"nodes\"", "\"arg_nodes\"", "\"heads\""},
     "is the graph of a library that TVM has compiled, whose operators are in the library; "
     "convert the Relay or Relax module that it was made from"},
    {{"\"weight_map\"", "", ""},
     "lists the files of weights of a model, and holds no graph; export the model with "
     "torch.export, or with optimum to ONNX"},
    {{"\"model_type\"", "\"transformers_version\"", ""}, kConfiguration},
    {{"\"architectures\"", "\"model_type\"", ""}, kConfiguration},
    {{"\"class_name\"", "\"config\"", "\"keras_version\""},
     "is the architecture of a model of Keras without its weights; in Keras, "
     "model.export(\"folder\") writes a SavedModel"},
    {{"\"modelTopology\"", "\"weightsManifest\"", ""},
     "is a model of TensorFlow.js; convert the SavedModel that it was made from"},
    {{"\"learner\"", "\"gradient_booster\"", ""},
     "is a model of XGBoost; convert it to ONNX with onnxmltools"},
};

// A file or folder whose name ends so, and whose contents do not show it.
struct Suffix {
  std::string_view suffix;
  std::string_view what;
};
constexpr Suffix kSuffixes[] = {
    {".mlmodel", "is a model of Core ML; convert the model that it was made from"},
    {".mlpackage", "is a package of Core ML; convert the model that it was made from"},
    {".mlmodelc", "is a compiled model of Core ML; convert the model that it was made from"},
    {".mnn", "is a model of MNN; convert the model that it was made from"},
    {".pdmodel", "is a program of PaddlePaddle; export it with paddle2onnx"},
    {".pdiparams", "holds the weights of a program of PaddlePaddle; export it with paddle2onnx"},
    {".caffemodel", "is a network of Caffe; export it to ONNX first"},
    {".rknn", "is compiled for processors of Rockchip; convert the model that it was made from"},
    {".engine", "is a plan of TensorRT; convert the model that it was built from"},
    {".prototxt", "is a network of Caffe; export it to ONNX first"},
};

constexpr std::string_view kCheckpoint =
    "is a checkpoint of TensorFlow, which holds variables and no graph; in Python, "
    "tf.saved_model.save(model, \"folder\") writes both";

// Suffixes of files that are worth to be named when a folder or an archive holds them.
constexpr std::string_view kModelSuffixes[] = {".onnx", ".pt",    ".pth", ".pt2",
                                               ".pb",   ".relay", ".dgm", ".dgt"};

bool IsModelName(std::string_view name) {
  return std::ranges::any_of(kModelSuffixes,
                             [&](std::string_view suffix) { return name.ends_with(suffix); });
}

Error Named(ErrorKind kind, std::string_view what) {
  return kind == kForeign ? Unsupported(std::string(what)) : InvalidInput(std::string(what));
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// Web pages and XML, by how they begin.
std::optional<Error> RecognizeMarkup(std::string_view head) {
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  const std::string start = Lower(head.substr(0, 512));
  if (start.starts_with("<!doctype html") || start.starts_with("<html")) {
    return InvalidInput(
        "is a web page: the download gave a page in place of the file; fetch its raw contents");
  }
  const bool is_net = start.starts_with("<net ") ||
                      (start.starts_with("<?xml") && start.find("<net ") != std::string::npos);
  if (!is_net) return std::nullopt;
  return Unsupported(
      "is an intermediate representation of OpenVINO; convert the model that it was "
      "made from");
}

// What Python's pickle writes, all of it but files of torch, which have a number of their own.
bool IsPickle(std::string_view text) {
  if (text.size() < 4 || text.front() != '\x80' || text.back() != '.') return false;
  return text[1] >= 2 && text[1] <= 5 && !text.substr(2).starts_with("\x8a\x0al\xfc\x9c");
}

bool IsOfKnownWriter(const std::vector<ZipEntry>& entries) {
  return std::ranges::any_of(entries, [](const ZipEntry& entry) {
    const std::string_view name = entry.name;
    return name.ends_with(".pkl") || name.ends_with("/version") || name == "version" ||
           name.ends_with("data_config.json") || name.find("serialized_") == 0 ||
           name.find("models/") != std::string_view::npos || name == "metadata.json" ||
           name == "config.json" || name.ends_with("/byteorder") ||
           name.ends_with("/archive_format");
  });
}

std::optional<Error> RecognizeJson(std::string_view text) {
  if (!text.starts_with('{')) return std::nullopt;
  for (const JsonKeys& file : kJson) {
    const bool has_all = std::ranges::all_of(
        file.keys, [&](std::string_view key) { return text.find(key) != std::string_view::npos; });
    if (has_all) return Unsupported(std::string(file.what));
  }
  return std::nullopt;
}

std::optional<Error> RecognizeArchive(std::span<const std::byte> bytes) {
  const Result<ZipFile> zip = ZipFile::Open(bytes);
  if (!zip.ok() || IsOfKnownWriter(zip->entries())) return std::nullopt;
  const auto model = std::ranges::find_if(
      zip->entries(), [](const ZipEntry& entry) { return IsModelName(entry.name); });
  if (model != zip->entries().end())
    return InvalidInput("is a zip archive that holds '" + model->name + "'; unpack it by unzip");
  const bool arrays =
      !zip->entries().empty() && std::ranges::all_of(zip->entries(), [](const ZipEntry& entry) {
        return entry.name.ends_with(".npy");
      });
  if (arrays) return InvalidInput("holds arrays of NumPy and no model; --inputs takes it");
  return std::nullopt;
}

bool IsPartOfCheckpoint(std::string_view name) {
  return name.ends_with(".index") || name.find(".data-0") != std::string_view::npos;
}

bool IsSavedModel(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "saved_model.pb", error) ||
         fs::exists(folder / "saved_model.pbtxt", error);
}

// A file of a SavedModel beside its graph, or in its folder of variables.
std::optional<Error> RecognizePartOfSavedModel(const fs::path& path) {
  const std::string name = path.filename().string();
  const bool is_beside = name == "fingerprint.pb" || name == "keras_metadata.pb";
  if (!is_beside && !IsPartOfCheckpoint(name)) return std::nullopt;
  const fs::path around = path.has_parent_path() ? path.parent_path() : ".";
  const fs::path folder = (is_beside ? around : around / "..").lexically_normal();
  if (!IsSavedModel(folder)) return std::nullopt;
  return InvalidInput("is a part of a SavedModel; name its folder, " + folder.string());
}

// "a.onnx, b.onnx, c.onnx, …"
std::string Listed(const fs::path& folder, std::vector<std::string> names) {
  std::ranges::sort(names);
  std::string list;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 3); ++i)
    list += (i == 0 ? "" : ", ") + (folder / names[i]).lexically_normal().string();
  return list + (names.size() > 3 ? ", …" : "");
}

// Models in a folder that is none itself.
std::optional<Error> RecognizeFolder(const Candidate& folder) {
  if (folder.Holds("__init__.py") && folder.Holds("model.py") && folder.Holds("check.py")) {
    return Unsupported(
        "is a Python package for PyTorch; import it in Python, and write its model with "
        "torch.export.save(torch.export.export(load(), example_arguments), \"model.pt2\")");
  }
  if (folder.Holds("variables.index")) {
    return InvalidInput("holds the variables of a SavedModel; name the folder around it");
  }
  if (folder.Holds("model.safetensors") || folder.Holds("pytorch_model.bin")) {
    return Unsupported(
        "is a folder of Hugging Face, which holds weights and settings and no graph; export the "
        "model with torch.export, or with optimum to ONNX");
  }
  std::vector<std::string> models;
  bool has_weights = false;
  bool has_checkpoint = folder.Holds("checkpoint");
  std::error_code error;
  for (fs::directory_iterator it(folder.path, error), end; !error && it != end;
       it.increment(error)) {
    std::string name = it->path().filename().string();
    has_weights = has_weights || name.ends_with(".safetensors");
    has_checkpoint = has_checkpoint || IsPartOfCheckpoint(name);
    if (IsModelName(name) || IsSavedModel(it->path())) models.push_back(std::move(name));
  }
  if (models.empty() && has_checkpoint) return Unsupported(std::string(kCheckpoint));
  if (models.empty() && has_weights) {
    return Unsupported(
        "is a folder of safetensors, which holds weights and no graph; export the model with "
        "torch.export, or with optimum to ONNX");
  }
  if (models.empty()) return std::nullopt;
  return InvalidInput("is a folder; name a model in it: " + Listed(folder.path, std::move(models)));
}

// A file of weights, by its name alone: its bytes have no form.
std::optional<Error> RecognizeWeights(std::string_view path) {
  constexpr std::string_view kWeights[] = {".data", ".weights", ".bin", ".params"};
  const bool is_named = std::ranges::any_of(
      kWeights, [&](std::string_view suffix) { return path.ends_with(suffix); });
  if (!is_named) return std::nullopt;
  const fs::path folder = fs::path(path).parent_path();
  std::vector<std::string> models;
  std::error_code error;
  for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end;
       it.increment(error)) {
    if (IsModelName(it->path().filename().string()))
      models.push_back(it->path().filename().string());
  }
  return InvalidInput("holds weights, by its name, and no graph; name the model that they are of" +
                      (models.empty() ? "" : ": " + Listed(folder, std::move(models))));
}

std::optional<Error> RecognizeSuffix(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::string lower = Lower(path);
  for (const auto& [suffix, what] : kSuffixes) {
    if (lower.ends_with(suffix)) return Unsupported(std::string(what));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> RecognizeForeignContent(const Candidate& candidate) {
  if (std::optional<Error> part = RecognizePartOfSavedModel(candidate.path)) return part;
  const std::string_view text = AsText(candidate.bytes);
  for (const FileSignature& signature : kSignatures) {
    if (text.substr(std::min(signature.offset, text.size())).starts_with(signature.bytes))
      return Named(signature.kind, signature.what);
  }
  if (std::optional<Error> markup = RecognizeMarkup(candidate.Head())) return markup;
  if (IsPickle(text)) {
    return Unsupported(
        "is a pickle of Python, which holds objects of a program and no graph; save the model with "
        "torch.jit.save, torch.export or torch.onnx.export");
  }
  const std::string_view head = candidate.Head();
  // Messages of protobuf name fields in either way.
  constexpr std::string_view kKnown[] = {"\"dialect\"", "\"irVersion\"", "\"ir_version\""};
  const bool is_known_json = std::ranges::any_of(
      kKnown, [&](std::string_view key) { return head.find(key) != std::string_view::npos; });
  if (!is_known_json) {
    if (std::optional<Error> json = RecognizeJson(text)) return json;
  }
  return text.starts_with("PK\3\4") ? RecognizeArchive(candidate.bytes) : std::nullopt;
}

std::optional<Error> RecognizeForeignName(const Candidate& candidate) {
  if (std::optional<Error> suffix = RecognizeSuffix(candidate.path)) return suffix;
  if (candidate.is_folder) return RecognizeFolder(candidate);
  if (IsPartOfCheckpoint(candidate.path)) return Unsupported(std::string(kCheckpoint));
  return RecognizeWeights(candidate.path);
}

}  // namespace dragoman
