// SPDX-License-Identifier: Apache-2.0
#include "page/write_page.h"

#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "core/compare/places.h"
#include "core/support/base64.h"
#include "core/support/sha256.h"
#include "page/json_text.h"
#include "page/web/frame.h"
#include "page/web/script.h"
#include "page/web/style.h"
#include "page/write_model.h"

namespace dragoman::page {
namespace {

// A text as a policy names it, so that browsers run or apply no other one.
std::string PolicyHash(std::string_view text) {
  const std::string hex = Sha256Hex(std::as_bytes(std::span(text)));
  std::vector<std::byte> digest;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    digest.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  return fmt::format("'sha256-{}'", EncodeBase64(digest));
}

std::string Policy() {
  return fmt::format(
      "default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
      PolicyHash(ScriptText()), PolicyHash(StyleText()));
}

// The frame with its parts in place of their marks; what stands in a part is not a mark.
std::string FillFrame(std::string_view data) {
  const std::string policy = Policy();
  const std::array<std::pair<std::string_view, std::string_view>, 4> parts = {
      {{"@POLICY@", policy},
       {"@STYLE@", StyleText()},
       {"@DATA@", data},
       {"@SCRIPT@", ScriptText()}}};
  std::string html;
  std::string_view rest = FrameText();
  for (const auto& [mark, part] : parts) {
    const std::size_t at = rest.find(mark);
    html += rest.substr(0, at);
    html += part;
    rest.remove_prefix(at + mark.size());
  }
  html += rest;
  return html;
}

class PageWriter {
 public:
  PageWriter(std::string_view kind, const PageOptions& options) : options_(options) {
    json_.BeginObject();
    json_.Key("kind");
    json_.Text(kind);
    json_.Key("title");
    json_.Text(options.title);
  }

  void WriteModels(const std::vector<Shown>& models) {
    json_.Key("models");
    json_.BeginArray();
    for (const Shown& shown : models) {
      numbers_.emplace_back(*shown.model);
      WriteModel(shown, numbers_.back(), options_, texts_, json_);
    }
    json_.EndArray();
  }

  void WriteDiff(const DiffReport& report, const DiffTrace& trace) {
    json_.Key("verdict");
    json_.Text(report.equal() ? "equal" : Verdict(report));
    json_.Key("pairs");
    json_.BeginArray();
    for (const auto& [a, b] : trace.matched) {
      json_.Int(numbers_[0].Of(a));
      json_.Int(numbers_[1].Of(b));
    }
    json_.EndArray();
    json_.Key("edits");
    json_.BeginArray();
    for (std::size_t i = 0; i < report.edits.size(); ++i)
      WriteEdit(report.edits[i], trace.edited[i]);
    json_.EndArray();
  }

  std::string Finish() {
    json_.Key("texts");
    texts_.Write(json_);
    json_.EndObject();
    return FillFrame(json_.Take());
  }

 private:
  void WriteEdit(const Edit& edit, const DiffTrace::Place& place) {
    json_.BeginArray();
    const std::string elements =
        edit.elements ? fmt::format("{} of {} elements differ, by at most {}", edit.elements->count,
                                    edit.elements->total,
                                    compare::FormatNumber(edit.elements->largest_absolute))
                      : "";
    const std::string_view fields[] = {Name(edit.kind), edit.op,      edit.what,    edit.old_value,
                                       edit.new_value,  edit.place_a, edit.place_b, elements};
    for (const std::string_view text : fields) json_.Int(texts_.Number(text));
    json_.Int(numbers_[0].Of(place.nodes.first));
    json_.Int(numbers_[1].Of(place.nodes.second));
    json_.Int(numbers_[0].Of(place.values.first));
    json_.Int(numbers_[1].Of(place.values.second));
    json_.EndArray();
  }

  const PageOptions& options_;
  std::vector<ModelNumbers> numbers_;  // of the models, in order
  TextTable texts_;
  JsonText json_;
};

}  // namespace

std::string ModelPage(const std::vector<Shown>& levels, const PageOptions& options) {
  PageWriter writer("model", options);
  writer.WriteModels(levels);
  return writer.Finish();
}

std::string DiffPage(const Shown& a, const Shown& b, const DiffReport& report,
                     const DiffTrace& trace, const PageOptions& options) {
  PageWriter writer("diff", options);
  writer.WriteModels({a, b});
  writer.WriteDiff(report, trace);
  return writer.Finish();
}

}  // namespace dragoman::page
