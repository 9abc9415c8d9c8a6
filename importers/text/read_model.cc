// SPDX-License-Identifier: Apache-2.0
#include "importers/text/read_model.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/ir/parse.h"
#include "core/support/bytes.h"
#include "core/support/confined_path.h"
#include "core/support/mapped_file.h"
#include "core/support/sha256.h"
#include "core/support/text.h"

namespace dragoman {
namespace {

// The file beside the text, opened when the first tensor of it is met.
class SideFile {
 public:
  explicit SideFile(const std::string& text_path) : path_(text_path + ".bin") {}

  // `reference` is "sha256:<digest>:<offset>".
  Result<Buffer> Load(std::string_view reference, std::size_t size) {
    const std::size_t colon = reference.rfind(':');
    const std::string_view digest = reference.substr(0, colon);
    const std::optional<std::uint64_t> offset = ParseUint64(reference.substr(colon + 1));
    if (!offset || !digest.starts_with("sha256:")) {
      return InvalidInput("expected sha256:<digest>:<offset>");
    }
    if (file_ == nullptr) {
      DRAGOMAN_ASSIGN(file_, OpenConfined(path_.parent_path().string(), path_.filename().string()));
    }
    const auto bytes = file_->bytes();
    if (*offset > bytes.size() || size > bytes.size() - *offset) {
      return InvalidInput("the tensor ends beyond the " + std::to_string(bytes.size()) +
                          " bytes of '" + path_.filename().string() + "'");
    }
    const auto window = bytes.subspan(*offset, size);
    if ("sha256:" + Sha256Hex(window) != digest) {
      return InvalidInput("the tensor in '" + path_.filename().string() + "' has another digest");
    }
    return Buffer::Window(window, file_);
  }

 private:
  const std::filesystem::path path_;
  std::shared_ptr<const MappedFile> file_;
};

using OnNode = std::function<void(const Node& node, std::size_t offset)>;

// The text at `path`, with the tensors that lie beside it.
Result<Model> ParseWithSideFile(std::string_view text, const std::string& path,
                                OnNode on_node = nullptr) {
  SideFile side(path);
  return ParseText(text, {.load = [&](std::string_view reference,
                                      std::size_t size) { return side.Load(reference, size); },
                          .on_node = std::move(on_node)});
}

constexpr std::string_view kNodePlace = "node '";  // as Node::Describe begins

bool IsAboutNode(const Finding& finding, const std::string& path) {
  return (finding.file.empty() || finding.file == path) && finding.place.starts_with(kNodePlace);
}

// 'conv1' of "node 'conv1' (onnx.Conv)".
std::string QuotedName(std::string_view place) {
  return std::string(
      place.substr(kNodePlace.size() - 1, place.rfind("' (") + 2 - kNodePlace.size()));
}

// Where the nodes of a name stand; nullopt: the name is that of several.
using NodeOffsets = std::map<std::string, std::optional<std::size_t>>;

// Empty if the text is none that ReadText reads.
NodeOffsets FindNodes(std::string_view text, const std::string& path) {
  NodeOffsets offsets;
  const Result<Model> model =
      ParseWithSideFile(text, path, [&](const Node& node, std::size_t offset) {
        const auto [entry, is_new] = offsets.try_emplace(QuotedName(node.Describe()), offset);
        if (!is_new) entry->second.reset();
      });
  return model.ok() ? offsets : NodeOffsets();
}

}  // namespace

Result<Model> ReadText(const std::string& path) {
  DRAGOMAN_ASSIGN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  Result<Model> model = ParseWithSideFile(AsText(file->bytes()), path);
  if (!model.ok()) model.error().InFile(path);
  return model;
}

Error LocateInText(Error error, const std::string& path) {
  if (std::ranges::none_of(error.findings(),
                           [&](const Finding& finding) { return IsAboutNode(finding, path); }))
    return error;
  const Result<std::shared_ptr<const MappedFile>> file = MappedFile::Open(path);
  if (!file.ok()) return error;
  const std::string_view text = AsText((*file)->bytes());
  const NodeOffsets offsets = FindNodes(text, path);
  for (Finding& finding : error.findings()) {
    if (!IsAboutNode(finding, path)) continue;
    const auto found = offsets.find(QuotedName(finding.place));
    if (found == offsets.end() || !found->second) continue;
    Finding located = ErrorInText(text, *found->second, finding.place + ": " + finding.message)
                          .findings()
                          .front();
    finding.place = std::move(located.place);
    finding.message = std::move(located.message);
  }
  return error;
}

}  // namespace dragoman
