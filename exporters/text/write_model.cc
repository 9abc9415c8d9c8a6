// SPDX-License-Identifier: Apache-2.0
#include "exporters/text/write_model.h"

#include <map>

#include "core/ir/print.h"
#include "core/support/output_file.h"
#include "core/support/sha256.h"

namespace dragoman {
namespace {

constexpr std::uint64_t kAlignment = 64;

// Collects tensors for the side file; each content gets one place.
class SideFile {
 public:
  // "sha256:<digest>:<offset>"
  std::string Add(const Tensor& tensor) {
    const std::string digest = "sha256:" + Sha256Hex(tensor.bytes());
    const auto [place, fresh] = places_.emplace(digest, size_);
    if (fresh) {
      buffers_.push_back(tensor.buffer());
      size_ += (tensor.bytes().size() + kAlignment - 1) / kAlignment * kAlignment;
    }
    return digest + ":" + std::to_string(place->second);
  }

  bool empty() const { return buffers_.empty(); }

  Status AppendTo(OutputFile& file) const {
    for (const Buffer& buffer : buffers_) {
      DRAGOMAN_TRY(file.Append(buffer.bytes()));
      DRAGOMAN_TRY(
          file.Append(std::string((kAlignment - buffer.size() % kAlignment) % kAlignment, '\0')));
    }
    return {};
  }

 private:
  std::map<std::string, std::uint64_t> places_;
  std::vector<Buffer> buffers_;
  std::uint64_t size_ = 0;
};

}  // namespace

Status WriteText(const Model& model, const std::string& path, const WriteTextOptions& options) {
  SideFile side;
  PrintOptions print;
  print.inline_elements = options.inline_elements;
  if (options.side_file) {
    print.store = [&side](const Tensor& tensor) { return side.Add(tensor); };
  }
  const std::string text = PrintText(model, print);
  if (side.empty()) return WriteFile(path, text);
  DRAGOMAN_ASSIGN(OutputFile data, OutputFile::Create(path + ".bin"));
  DRAGOMAN_TRY(side.AppendTo(data));
  DRAGOMAN_ASSIGN(OutputFile file, OutputFile::Create(path));
  DRAGOMAN_TRY(file.Append(text));
  DRAGOMAN_TRY(data.Commit());
  return file.Commit();
}

}  // namespace dragoman
