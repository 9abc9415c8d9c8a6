// SPDX-License-Identifier: Apache-2.0
#include "importers/torch/container/archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>

#include "core/support/bytes.h"
#include "core/support/mapped_file.h"
#include "core/support/text.h"
#include "core/support/zip_file.h"

namespace dragoman::torch {
namespace {

constexpr int kNewestVersion = 10;  // of torch 2.14
constexpr std::string_view kLegacyPickle = "\x80\x02";
constexpr std::string_view kPreview = "PYTORCH1";
constexpr std::string_view kMobile = "PTMF";      // at byte 4, a flatbuffer's identifier
constexpr std::string_view kExecuTorch = "ET12";  // likewise
constexpr std::string_view kZip = "PK\x03\x04";

// What makes a file that can be read, of a model in Python.
constexpr std::string_view kHowToExport =
    "in Python: import torch; program = torch.export.export(model.eval(), example_arguments); "
    "torch.export.save(program, \"model.pt2\")";

// A file of safetensors: the length of a JSON object in 8 bytes, and the object.
bool IsSafetensors(std::string_view text) {
  constexpr std::size_t kLengthBytes = 8;
  if (text.size() <= kLengthBytes || text[kLengthBytes] != '{') return false;
  std::uint64_t length = 0;
  for (std::size_t i = kLengthBytes; i-- > 0;)
    length = length << 8 | static_cast<unsigned char>(text[i]);
  return length <= text.size() - kLengthBytes && text[kLengthBytes + length - 1] == '}';
}

// Files of torch that are not a zip archive.
std::optional<Error> OtherFile(std::string_view text) {
  if (text.starts_with(kLegacyPickle)) {
    return Unsupported(fmt::format(
        "a pickle of torch.save before torch 1.6, which holds no program; {}", kHowToExport));
  }
  if (text.starts_with(kPreview)) {
    return Unsupported("an archive of a preview of torch 1.0; save it again with a newer torch");
  }
  if (text.substr(std::min<std::size_t>(4, text.size())).starts_with(kMobile)) {
    return Unsupported(
        "a mobile module (flatbuffer), which holds no TorchScript source; convert the file that it "
        "was made from");
  }
  if (text.substr(std::min<std::size_t>(4, text.size())).starts_with(kExecuTorch)) {
    return Unsupported(
        "a program of ExecuTorch (.pte), which holds compiled code; convert the exported program "
        "that it was made from");
  }
  if (IsSafetensors(text)) {
    return Unsupported(
        fmt::format("a file of safetensors, which holds weights and no program; {}", kHowToExport));
  }
  if (!text.starts_with(kZip)) return InvalidInput("not an archive of torch").At("byte 0");
  return std::nullopt;
}

bool IsSafeName(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\\') != std::string_view::npos) {
    return false;
  }
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find('/', start), name.size());
    const std::string_view part = name.substr(start, end - start);
    if (part == ".." || part == "." || (part.empty() && end != name.size())) return false;
    start = end + 1;
  }
  return true;
}

constexpr std::string_view kOldProgram = "serialized_exported_program.json";  // until torch 2.6

bool HoldsExport(const std::vector<ZipEntry>& entries) {
  return std::any_of(entries.begin(), entries.end(), [](const ZipEntry& entry) {
    return entry.name == kOldProgram || entry.name.ends_with("/archive_format");
  });
}

}  // namespace

struct Archive::State {
  ArchiveKind kind = ArchiveKind::kTorchScript;
  std::string path;
  std::string top;
  Buffer file;
  int version = 0;
  std::optional<ZipFile> zip;
  std::map<std::string, std::size_t, std::less<>> records;  // index in zip->entries()
  std::map<std::size_t, Buffer> read;

  Status ListRecords();
  Status CheckKind() const;
  bool Has(std::string_view name) const { return records.find(name) != records.end(); }
  bool HasUnder(std::string_view prefix) const {
    const auto found = records.lower_bound(prefix);
    return found != records.end() && found->first.starts_with(prefix);
  }
};

Status Archive::State::ListRecords() {
  const std::vector<ZipEntry>& entries = zip->entries();
  if (entries.empty()) return InvalidInput("the archive is empty");
  for (const ZipEntry& entry : entries) {
    if (IsSafeName(entry.name)) continue;
    return InvalidInput(
        fmt::format("the name of archive entry {} leads out of the archive", Quote(entry.name)));
  }
  const bool holds_export = HoldsExport(entries);
  if (holds_export && kind == ArchiveKind::kTorchScript) {
    return Unsupported("a torch.export archive (.pt2), which holds no TorchScript");
  }
  if (!holds_export && kind == ArchiveKind::kExport) {
    return Unsupported("no archive of torch.export.save; it lacks the record archive_format");
  }
  const bool is_flat = std::any_of(entries.begin(), entries.end(),
                                   [](const ZipEntry& entry) { return entry.name == kOldProgram; });
  if (!is_flat) top = entries.front().name.substr(0, entries.front().name.find('/'));
  const std::string prefix = is_flat ? "" : top + "/";
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string& name = entries[i].name;
    if (!name.starts_with(prefix)) {
      return InvalidInput(fmt::format("archive entry {} lies outside of the top directory {}",
                                      Quote(name), Quote(top)));
    }
    if (name.back() != '/') records.emplace(name.substr(prefix.size()), i);
  }
  return {};
}

Status Archive::State::CheckKind() const {
  if (HasUnder(".data/ts_code/") || Has(".data/extern_modules")) {
    return Unsupported(
        "a torch.package archive; save the TorchScript module in it with torch.jit.save");
  }
  if (Has("model.json")) {
    return Unsupported("an archive older than torch 1.4; load and save it with a newer torch");
  }
  if (!Has("data.pkl")) return InvalidInput("the archive has no record data.pkl");
  if (!HasUnder("code/") && !Has("constants.pkl")) {
    return Unsupported(fmt::format(
        "a file of torch.save (weights or a pickled Python object), which holds no program; {}",
        kHowToExport));
  }
  return {};
}

Archive::Archive(std::unique_ptr<State> state) : state_(std::move(state)) {}
Archive::Archive(Archive&&) noexcept = default;
Archive& Archive::operator=(Archive&&) noexcept = default;
Archive::~Archive() = default;

Result<Archive> Archive::Open(const std::string& path, ArchiveKind kind) {
  DRAGOMAN_ASSIGN(const std::shared_ptr<const MappedFile> file, MappedFile::Open(path));
  return FromBytes(Buffer::Window(file->bytes(), file), path, kind);
}

Result<Archive> Archive::FromBytes(Buffer file, const std::string& path, ArchiveKind kind) {
  auto state = std::make_unique<State>();
  state->kind = kind;
  state->path = path;
  state->file = std::move(file);
  Archive archive(std::move(state));
  if (Status read = archive.ReadDirectory(); !read.ok()) {
    return std::move(read).error().InFile(path);
  }
  return archive;
}

Status Archive::ReadDirectory() {
  const std::span<const std::byte> bytes = state_->file.bytes();
  if (std::optional<Error> other = OtherFile(AsText(bytes))) return *std::move(other);
  Result<ZipFile> zip = ZipFile::Open(bytes);
  if (!zip.ok()) return zip.error().At(fmt::format("byte {}", bytes.size()));
  state_->zip.emplace(std::move(*zip));
  DRAGOMAN_TRY(state_->ListRecords());
  if (state_->kind == ArchiveKind::kExport) return CheckByteOrder();
  DRAGOMAN_TRY(state_->CheckKind());
  DRAGOMAN_TRY(CheckByteOrder());
  return ReadVersion();
}

Status Archive::CheckByteOrder() const {
  if (Has("byteorder")) {
    DRAGOMAN_ASSIGN(const Buffer order, Read("byteorder"));
    if (AsText(order.bytes()) != "little") {
      return Unsupported("the data are not little-endian; save the file on such a machine")
          .At("record byteorder");
    }
  }
  return {};
}

Status Archive::ReadVersion() {
  const std::string_view name = Has(".data/version") ? ".data/version" : "version";
  DRAGOMAN_ASSIGN(const Buffer record, Read(name));
  const std::string_view text = AsText(record.bytes());
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), state_->version);
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (error != std::errc() || (!rest.empty() && rest != "\n") || state_->version < 1) {
    return InvalidInput("found " + Quote(text.substr(0, kMostQuoted)) +
                        ", expected a version number")
        .At(fmt::format("record {}", name));
  }
  if (state_->version > kNewestVersion) {
    return Unsupported(fmt::format("operator-set version {}; the newest that is known is {}",
                                   state_->version, kNewestVersion))
        .At(fmt::format("record {}", name));
  }
  return {};
}

const std::string& Archive::path() const { return state_->path; }
const std::string& Archive::top_directory() const { return state_->top; }
int Archive::version() const { return state_->version; }
std::size_t Archive::file_size() const { return state_->file.size(); }

std::vector<std::string_view> Archive::Names() const { return NamesUnder(""); }

std::vector<std::string_view> Archive::NamesUnder(std::string_view prefix) const {
  std::vector<std::string_view> names;
  for (auto it = state_->records.lower_bound(prefix);
       it != state_->records.end() && it->first.starts_with(prefix); ++it) {
    names.push_back(it->first);
  }
  return names;
}

bool Archive::Has(std::string_view name) const { return state_->Has(name); }

Result<Buffer> Archive::Read(std::string_view name) const {
  const auto found = state_->records.find(name);
  if (found == state_->records.end()) {
    return InvalidInput(fmt::format("the archive has no record {}", name)).InFile(state_->path);
  }
  const std::size_t index = found->second;
  if (const auto known = state_->read.find(index); known != state_->read.end()) {
    return known->second;
  }
  Result<Buffer> bytes = ReadEntry(index);
  if (!bytes.ok()) {
    return std::move(bytes).error().InFile(state_->path).At(fmt::format("record {}", name));
  }
  state_->read.emplace(index, *bytes);
  return bytes;
}

Result<Buffer> Archive::ReadEntry(std::size_t index) const {
  const ZipEntry& entry = state_->zip->entries()[index];
  if (!entry.is_stored) {
    DRAGOMAN_ASSIGN(std::string bytes, state_->zip->Read(index));
    return Buffer::Own(std::move(bytes));
  }
  DRAGOMAN_ASSIGN(const std::span<const std::byte> bytes, state_->zip->View(index));
  return Buffer::Window(bytes, std::make_shared<Buffer>(state_->file));
}

bool IsTorchFile(std::span<const std::byte> file) {
  return AsText(file).starts_with(kZip) ||
         OtherFile(AsText(file))->kind() == ErrorKind::kUnsupported;
}

bool IsExportArchive(std::span<const std::byte> file) {
  if (!AsText(file).starts_with(kZip)) return false;
  const Result<ZipFile> zip = ZipFile::Open(file);
  return zip.ok() && HoldsExport(zip->entries());
}

std::vector<std::string_view> CodeFiles(const Archive& archive) {
  std::vector<std::string_view> names = archive.NamesUnder("code/");
  std::erase_if(names, [](std::string_view name) { return !name.ends_with(".py"); });
  return names;
}

}  // namespace dragoman::torch
