// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/targets/change.h"

#include <zip.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/zip_writer.h"

namespace dragoman {
namespace {

constexpr std::size_t kMostArchive = 1 << 24;  // what is unpacked of one

std::size_t Below(std::mt19937& random, std::size_t bound) {
  return bound == 0 ? 0 : random() % bound;
}

template <class List>
const auto& OneOf(std::mt19937& random, const List& list) {
  return list[Below(random, std::size(list))];
}

// One byte replaced, a bit flipped, a stretch cut out, or one of another file put in.
void ChangeBytes(std::mt19937& random, const std::string& other, std::string* bytes) {
  const std::size_t at = Below(random, bytes->size());
  switch (bytes->empty() ? 3 : random() % 4) {
    case 0:
      (*bytes)[at] = static_cast<char>(random());
      break;
    case 1:
      (*bytes)[at] = static_cast<char>((*bytes)[at] ^ (1 << (random() % 8)));
      break;
    case 2:
      bytes->erase(at, 1 + random() % 16);
      break;
    default:
      bytes->insert(at, other.substr(Below(random, other.size()), random() % 64));
  }
}

// ---- Texts

bool IsText(std::string_view bytes) {
  return !bytes.empty() && std::ranges::all_of(bytes, [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || c == '\n' || c == '\t' || c == '\r';
  });
}

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Words, blanks, and each other character for itself.
std::vector<std::string> TokensOf(std::string_view text) {
  std::vector<std::string> tokens;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    while (end < text.size() && IsWord(text[at]) && IsWord(text[end])) ++end;
    while (end < text.size() && text[at] == ' ' && text[end] == ' ') ++end;
    tokens.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return tokens;
}

void ChangeText(std::mt19937& random, const std::string& other, std::string* text) {
  constexpr std::string_view kOdd[] = {"0",
                                       "-1",
                                       "1",
                                       "9223372036854775807",
                                       "-9223372036854775808",
                                       "18446744073709551615",
                                       "4294967296",
                                       "1e999",
                                       "nan",
                                       "None",
                                       "\"\"",
                                       "self",
                                       "x"};
  std::vector<std::string> tokens = TokensOf(*text);
  if (tokens.empty()) tokens.emplace_back();
  const std::vector<std::string> others = TokensOf(other);
  const std::size_t at = Below(random, tokens.size());
  switch (random() % 6) {
    case 0:
      tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      tokens[at] = OneOf(random, kOdd);
      break;
    case 2:
      tokens[at] = OneOf(random, tokens);
      break;
    case 3:
      if (!others.empty()) tokens[at] = OneOf(random, others);
      break;
    case 4:
      std::swap(tokens[at], tokens[Below(random, tokens.size())]);
      break;
    default:
      tokens[at] += " " + OneOf(random, tokens);
  }
  text->clear();
  for (const std::string& token : tokens) *text += token;
}

// ---- Messages of protobuf

struct Field {
  std::uint64_t number = 0;
  int wire = 0;             // 0 varint, 1 and 5 words of 64 and 32 bits, 2 bytes
  std::uint64_t value = 0;  // of a varint
  std::string bytes;        // of the others
};

std::optional<std::uint64_t> TakeVarint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 127u} << shift;
    if (byte < 128) return value;
  }
  return std::nullopt;
}

void AddVarint(std::uint64_t value, std::string* bytes) {
  for (; value > 127; value >>= 7) bytes->push_back(static_cast<char>(value | 128));
  bytes->push_back(static_cast<char>(value));
}

// nullopt: not a message.
std::optional<std::vector<Field>> FieldsOf(std::string_view bytes) {
  std::vector<Field> fields;
  while (!bytes.empty()) {
    const auto tag = TakeVarint(bytes);
    Field field = {.number = tag.value_or(0) >> 3, .wire = static_cast<int>(tag.value_or(0) & 7)};
    if (field.number == 0) return std::nullopt;
    std::uint64_t length = field.wire == 1 ? 8 : 4;
    if (field.wire == 0 || field.wire == 2) {
      const auto value = TakeVarint(bytes);
      if (!value) return std::nullopt;
      field.value = length = *value;
    } else if (field.wire != 1 && field.wire != 5) {
      return std::nullopt;
    }
    if (field.wire != 0) {
      if (length > bytes.size()) return std::nullopt;
      field.bytes = bytes.substr(0, length);
      bytes.remove_prefix(length);
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

std::string BytesOf(const std::vector<Field>& fields) {
  std::string bytes;
  for (const Field& field : fields) {
    AddVarint(field.number << 3 | static_cast<std::uint64_t>(field.wire), &bytes);
    if (field.wire == 0) AddVarint(field.value, &bytes);
    if (field.wire == 2) AddVarint(field.bytes.size(), &bytes);
    bytes += field.bytes;
  }
  return bytes;
}

void ChangeField(std::mt19937& random, const std::string& other, std::vector<Field>* fields) {
  constexpr std::uint64_t kOdd[] = {0,          1,         2,          7,
                                    255,        1u << 31,  UINT32_MAX, std::uint64_t{1} << 32,
                                    UINT64_MAX, INT64_MAX, 1ull << 63};
  const std::size_t at = Below(random, fields->size());
  Field& field = (*fields)[at];
  switch (random() % 7) {
    case 0:
      fields->erase(fields->begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      fields->insert(fields->begin() + static_cast<std::ptrdiff_t>(at), Field(field));
      break;
    case 2:
      field = OneOf(random, *fields);
      break;
    case 3:
      std::swap(field, (*fields)[Below(random, fields->size())]);
      break;
    case 4:
      field.number = 1 + random() % 32;
      break;
    case 5:
      field = {.number = field.number, .wire = 0, .value = OneOf(random, kOdd)};
      break;
    default:
      if (field.wire == 0) field.value = OneOf(random, kOdd);
      if (field.wire == 2 && IsText(field.bytes) && random() % 2 == 0) {
        ChangeText(random, other, &field.bytes);
      } else if (field.wire != 0) {
        const std::size_t size = field.bytes.size();
        ChangeBytes(random, other, &field.bytes);
        if (field.wire != 2) field.bytes.resize(size);
      }
  }
}

// Of a field, or of one within it. false: not a message.
bool ChangeMessage(std::mt19937& random, const std::string& other, std::string* bytes) {
  std::optional<std::vector<Field>> fields = FieldsOf(*bytes);
  if (!fields || fields->empty()) return false;
  Field& inner = (*fields)[Below(random, fields->size())];
  const bool within =
      inner.wire == 2 && random() % 8 != 0 && ChangeMessage(random, other, &inner.bytes);
  if (!within) ChangeField(random, other, &*fields);
  *bytes = BytesOf(*fields);
  return true;
}

// ---- Archives

std::vector<ZipRecord> RecordsOf(const std::string& bytes) {
  std::vector<ZipRecord> records;
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, nullptr);
  zip_t* archive = zip_open_from_source(source, ZIP_RDONLY, nullptr);
  if (archive == nullptr) {
    zip_source_free(source);
    return records;
  }
  std::size_t unpacked = 0;
  for (zip_int64_t i = 0; i < zip_get_num_entries(archive, 0); ++i) {
    zip_stat_t stat;
    const auto index = static_cast<zip_uint64_t>(i);
    if (zip_stat_index(archive, index, 0, &stat) != 0 || stat.size > kMostArchive - unpacked) break;
    unpacked += stat.size;
    zip_file_t* file = zip_fopen_index(archive, index, 0);
    if (file == nullptr) continue;
    ZipRecord record = {.name = stat.name, .bytes = std::string(stat.size, '\0')};
    const bool whole = zip_fread(file, record.bytes.data(), stat.size) >= 0;
    zip_fclose(file);
    if (whole) records.push_back(std::move(record));
  }
  zip_discard(archive);
  return records;
}

// false: not an archive.
bool ChangeArchive(std::mt19937& random, const std::string& other, std::string* bytes) {
  std::vector<ZipRecord> records = RecordsOf(*bytes);
  if (records.empty()) return false;
  const std::size_t at = Below(random, records.size());
  switch (random() % 8) {
    case 0:
      records.erase(records.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      std::swap(records[at].bytes, records[Below(random, records.size())].bytes);
      break;
    case 2:
      ChangeText(random, other, &records[at].name);
      break;
    default:
      Change(random, other, &records[at].bytes);
  }
  *bytes = MakeZip(records);
  return true;
}

}  // namespace

void Change(std::mt19937& random, const std::string& other, std::string* bytes) {
  if (random() % 4 != 0) {
    if (bytes->starts_with("PK") && ChangeArchive(random, other, bytes)) return;
    if (IsText(*bytes)) return ChangeText(random, other, bytes);
    if (ChangeMessage(random, other, bytes)) return;
  }
  ChangeBytes(random, other, bytes);
}

}  // namespace dragoman
