#include "importers/text/read_model.h"

#include <filesystem>
#include <memory>

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
      return InvalidInput("the tensor ends behind the " + std::to_string(bytes.size()) +
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

}  // namespace

Result<Model> ReadText(const std::string& path) {
  DRAGOMAN_ASSIGN(std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  SideFile side(path);
  Result<Model> model =
      ParseText(AsText(file->bytes()), {.load = [&](std::string_view reference, std::size_t size) {
                  return side.Load(reference, size);
                }});
  if (!model.ok()) model.error().InFile(path);
  return model;
}

}  // namespace dragoman
