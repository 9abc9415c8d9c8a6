// SPDX-License-Identifier: Apache-2.0
// Pages that show models: one HTML file each, which needs nothing else. docs/page.md describes what
// they show.
#ifndef DRAGOMAN_PAGE_WRITE_PAGE_H_
#define DRAGOMAN_PAGE_WRITE_PAGE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/compare/diff.h"
#include "core/compare/diff_trace.h"
#include "core/ir/model.h"

namespace dragoman::page {

// Numbers of nodes that are shown as colours: times, errors. Those that a page knows by itself,
// multiply-adds and weights, are not given.
struct Heat {
  struct Row {
    std::string name;  // of a node, or of a value that it computes
    double number = 0;
  };
  std::string title;
  std::string unit;
  std::vector<Row> rows;
};

struct PageOptions {
  std::string title;
  std::function<std::optional<std::int64_t>(const Node&)> multiply_adds = nullptr;
  std::vector<Heat> heats = {};
};

// One of the models that a page shows.
struct Shown {
  std::string name;  // "source", "policy.onnx"
  const Model* model = nullptr;
};

// The same model at different levels, one to look at at a time. The same models give the same page.
std::string ModelPage(const std::vector<Shown>& levels, const PageOptions& options);
// Two models side by side, with what differs between them.
std::string DiffPage(const Shown& a, const Shown& b, const DiffReport& report,
                     const DiffTrace& trace, const PageOptions& options);

}  // namespace dragoman::page

#endif  // DRAGOMAN_PAGE_WRITE_PAGE_H_
