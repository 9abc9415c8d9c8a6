// SPDX-License-Identifier: Apache-2.0
// Damaged TorchScript files: cut at every hundredth, with bytes of the archive and of its pickles
// replaced. Reading ends in success or in an error with a place. Meant to run under the sanitizers
// too. The seeds are the models of tests/models/torchscript.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "core/support/bytes.h"
#include "core/support/mapped_file.h"
#include "importers/torch/container/read_values.h"
#include "importers/torch/container/unpickle.h"
#include "importers/torch/script/source_ranges.h"
#include "tests/support/paths.h"

namespace dragoman::torch {
namespace {

std::string ReadAll(const std::string& path) {
  const auto file = MappedFile::Open(path);
  EXPECT_TRUE(file.ok()) << path;
  return std::string(AsText((*file)->bytes()));
}

std::vector<std::string> Seeds() {
  std::vector<std::string> paths;
  const std::string folder = ProjectRoot().string() + "/tests/models/torchscript";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::filesystem::path model = entry.path() / "model.pt";
    if (std::filesystem::exists(model)) paths.push_back(model.string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

void ExpectPlaced(const Error& error) {
  for (const Finding& finding : error.findings()) {
    EXPECT_NE(finding.kind, ErrorKind::kInternal) << finding.ToString();
    EXPECT_FALSE(finding.message.empty());
  }
}

// Reads all that an archive holds; whether nothing was wrong with it.
bool ReadsWhole(const std::string& bytes) {
  const Result<Archive> archive = Archive::FromBytes(Buffer::Own(bytes), "damaged.pt");
  if (!archive.ok()) {
    ExpectPlaced(archive.error());
    return false;
  }
  for (std::string_view file : CodeFiles(*archive)) SourceRanges::Read(*archive, file).Find(50);
  const Result<StoredProgram> program = ReadValues(*archive);
  if (!program.ok()) ExpectPlaced(program.error());
  return program.ok();
}

TEST(TorchScriptDamage, CutAtEveryHundredth) {
  for (const std::string& path : Seeds()) {
    const std::string file = ReadAll(path);
    ASSERT_TRUE(ReadsWhole(file)) << path;
    for (std::size_t part = 0; part < 100; ++part) {
      EXPECT_FALSE(ReadsWhole(file.substr(0, file.size() * part / 100))) << path << " " << part;
    }
  }
}

TEST(TorchScriptDamage, BytesOfTheArchiveReplaced) {
  std::mt19937 random(1);
  for (const std::string& path : Seeds()) {
    const std::string file = ReadAll(path);
    for (int i = 0; i < 150; ++i) {
      std::string damaged = file;
      // Half of the damage goes to the directory at the end.
      const std::size_t range = i % 2 == 0 ? file.size() : std::min<std::size_t>(file.size(), 1500);
      damaged[file.size() - 1 - random() % range] = static_cast<char>(random());
      ReadsWhole(damaged);
    }
  }
}

void Damage(std::mt19937& random, std::string* pickle) {
  const std::size_t at = random() % pickle->size();
  switch (random() % 4) {
    case 0:
      (*pickle)[at] = static_cast<char>(random());
      break;
    case 1:
      (*pickle)[at] = static_cast<char>((*pickle)[at] ^ (1 << (random() % 8)));
      break;
    case 2:
      pickle->erase(at, 1 + random() % 4);
      break;
    default:
      pickle->insert(at, pickle->substr(random() % pickle->size(), random() % 40));
  }
}

// What damaged pickles describe is checked as far as tensors can be made of it.
TEST(TorchScriptDamage, BytesOfPicklesReplaced) {
  std::mt19937 random(2);
  int read = 0;
  for (const std::string& path : Seeds()) {
    const Result<Archive> archive = Archive::Open(path);
    ASSERT_TRUE(archive.ok());
    const Buffer record = *archive->Read("data.pkl");
    const std::string pickle(AsText(record.bytes()));
    for (int i = 0; i < 400; ++i) {
      std::string damaged = pickle;
      for (unsigned edits = 1 + random() % 3; edits > 0; --edits) Damage(random, &damaged);
      StoredHeap heap;
      Rebuilder rebuilder(&heap, [&](const std::string&, std::size_t size) {
        return Result<std::optional<Buffer>>(
            size > 10'000 ? std::optional<Buffer>()
                          : std::optional(Buffer::Own(std::string(size, '\1'))));
      });
      const Result<Stored> value =
          Unpickle(std::as_bytes(std::span(damaged)), rebuilder, std::size_t{1} << 22);
      if (!value.ok()) {
        ExpectPlaced(value.error());
        EXPECT_TRUE(value.error().findings()[0].place.starts_with("byte "));
        continue;
      }
      ++read;
      heap.ForEachTensor([](const StoredTensor& tensor) { (void)DenseTensor(tensor).ok(); });
    }
  }
  EXPECT_GT(read, 0);
}

}  // namespace
}  // namespace dragoman::torch
