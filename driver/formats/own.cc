// SPDX-License-Identifier: Apache-2.0
#include "driver/formats/rows.h"

#include <algorithm>

#include "core/ir/print.h"
#include "core/support/output_file.h"
#include "exporters/dot/write_model.h"
#include "exporters/json/write_model.h"
#include "exporters/native/write_model.h"
#include "exporters/text/write_model.h"
#include "importers/json/read_model.h"
#include "importers/native/read_model.h"
#include "importers/text/read_model.h"

namespace dragoman {
namespace {

// By its first word: the head of a model, or what a short text begins with. Comments may stand
// before it.
Likeness DetectText(const Candidate& candidate) {
  std::string_view text = candidate.Head();
  constexpr std::string_view kBlanks = " \t\r\n";
  const auto skip_blanks = [&] {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  };
  skip_blanks();
  while (text.starts_with('#')) {
    text.remove_prefix(std::min(text.find('\n'), text.size()));
    skip_blanks();
  }
  if (text.starts_with("dragoman ")) return Likeness::kCertain;
  const bool is_short = text.starts_with("graph ") || text.starts_with("entry ");
  return is_short ? Likeness::kLikely : Likeness::kNone;
}

// A message of protobuf may begin with a line feed and a brace too, but JSON is text.
Likeness DetectJson(const Candidate& candidate) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::string_view head = candidate.Head();
  const std::size_t first = head.find_first_not_of(kBlanks);
  const bool is_text = std::ranges::all_of(head, [&](char c) {
    return static_cast<unsigned char>(c) >= ' ' || kBlanks.find(c) != std::string_view::npos;
  });
  return CertainIf(is_text && first != std::string_view::npos && head[first] == '{');
}

}  // namespace

Format NativeFormat() {
  return {.name = "dragoman",
          .suffixes = {".dgm"},
          .what = "our own container, lossless",
          .is_container = true,
          .detect = [](const Candidate& c) { return CertainIf(IsNative(c.bytes)); },
          .read = [](const std::string& path, const ReadOptions&) { return ReadNative(path); },
          .write = [](const Model& model, const std::string& path,
                      const WriteOptions&) { return WriteNative(model, path); }};
}

Format TextFormat() {
  return {.name = "text",
          .suffixes = {".dgt"},
          .what = "graph text, lossless, to read and edit",
          .is_container = true,
          .detect = DetectText,
          .read = [](const std::string& path, const ReadOptions&) { return ReadText(path); },
          .locate = LocateInText,
          .write = [](const Model& model, const std::string& path,
                      const WriteOptions&) { return WriteText(model, path); },
          .print = [](const Model& model, const WriteOptions&) -> Result<std::string> {
            return PrintText(model);
          }};
}

Format JsonFormat() {
  return {.name = "json",
          .suffixes = {".json"},
          .what = "our own container as JSON, lossless",
          .is_container = true,
          .detect = DetectJson,
          .read = [](const std::string& path, const ReadOptions&) { return ReadJson(path); },
          .write = [](const Model& model, const std::string& path, const WriteOptions&) -> Status {
            DRAGOMAN_ASSIGN(const std::string text, WriteJsonText(model));
            return WriteFile(path, text);
          },
          .print = [](const Model& model, const WriteOptions&) { return WriteJsonText(model); }};
}

Format DotFormat() {
  return {.name = "dot",
          .suffixes = {".dot"},
          .what = "Graphviz, to look at",
          .is_container = true,
          .write = [](const Model& model, const std::string& path,
                      const WriteOptions&) { return WriteFile(path, PrintDot(model)); },
          .print = [](const Model& model, const WriteOptions&) -> Result<std::string> {
            return PrintDot(model);
          }};
}

}  // namespace dragoman
