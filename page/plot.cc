// SPDX-License-Identifier: Apache-2.0
#include "page/plot.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "page/svg_text.h"

namespace dragoman::page {
namespace {

constexpr int kWidth = 960;
constexpr int kHead = 58;  // height of title and caption
constexpr std::size_t kMostBars = 60;

void DrawHead(SvgText& svg, const std::string& title, const std::string& caption) {
  svg.Text(24, 28, title, "text", Anchor::kStart, 16, 90);
  svg.Text(24, 46, caption, "muted", Anchor::kStart, 12, 130);
}

std::string_view ColorOf(const PlotRow& row) { return row.is_bad ? "bad" : "good"; }

std::string NumberText(double number) {
  if (std::isnan(number)) return "none";
  return std::isinf(number) ? "infinite" : fmt::format("{:.3g}", number);
}

std::string HintOf(const PlotRow& row) {
  return fmt::format("{}: {}{}", row.label, NumberText(row.number), row.note);
}

std::string MoreText(std::size_t all, std::size_t shown) {
  return all > shown ? fmt::format("\u2026 and {} more", all - shown) : "";
}

// Powers of ten around the finite numbers above 0.
struct Decades {
  int low = 0;
  int high = 1;
};
Decades DecadesOf(const std::vector<PlotRow>& rows) {
  bool any = false;
  Decades decades;
  for (const PlotRow& row : rows) {
    if (!std::isfinite(row.number) || row.number <= 0) continue;
    const double power = std::log10(row.number);
    const int low = static_cast<int>(std::floor(power)), high = static_cast<int>(std::ceil(power));
    decades = any ? Decades{std::min(decades.low, low), std::max(decades.high, high)}
                  : Decades{low, high};
    any = true;
  }
  decades.high = std::max(decades.high, decades.low + 1);
  return decades;
}

}  // namespace

std::string SvgOf(const SequencePlot& plot) {
  constexpr double kLeft = 84, kRight = kWidth - 24, kTop = kHead + 16, kBottom = 400;
  constexpr int kHeight = 450;
  SvgText svg(kWidth, kHeight, plot.title);
  DrawHead(svg, plot.title, plot.caption);
  const Decades decades = DecadesOf(plot.rows);
  const double step = (kBottom - kTop) / (decades.high - decades.low);
  const int every = std::max(1, (decades.high - decades.low) / 8);
  for (int power = decades.low; power <= decades.high; power += every) {
    const double y = kBottom - (power - decades.low) * step;
    svg.Line(kLeft, y, kRight, y);
    svg.Text(kLeft - 8, y + 4, fmt::format("1e{}", power), "muted", Anchor::kEnd);
  }
  const double width =
      (kRight - kLeft) / static_cast<double>(std::max<std::size_t>(plot.rows.size(), 1));
  const double bar = std::clamp(width * 0.75, 0.6, 28.0);
  const PlotRow* first_bad = nullptr;
  for (std::size_t i = 0; i < plot.rows.size(); ++i) {
    const PlotRow& row = plot.rows[i];
    const double x = kLeft + (static_cast<double>(i) + 0.5) * width;
    const double power = std::isfinite(row.number) ? std::log10(row.number) : decades.high;
    const double height =
        row.number == 0 ? 0 : std::clamp((power - decades.low) * step, 2.0, kBottom - kTop);
    if (height > 0) svg.Bar(x - bar / 2, kBottom - height, bar, height, ColorOf(row), HintOf(row));
    if (!row.is_bad || first_bad != nullptr) continue;
    first_bad = &row;
    const bool right = x > kWidth * 0.6;
    svg.Text(x + (right ? -6 : 6), kTop - 4, "first: " + row.label, "bad",
             right ? Anchor::kEnd : Anchor::kStart, 11, 60);
  }
  svg.Line(kLeft, kBottom, kRight, kBottom);
  svg.Text(kLeft, kBottom + 20,
           fmt::format("{} values in the order in which they are computed", plot.rows.size()),
           "muted");
  svg.Text(kRight, kBottom + 20, plot.what, "muted", Anchor::kEnd);
  return svg.Finish();
}

std::string SvgOf(const BarPlot& plot) {
  constexpr double kLeft = 400, kRight = kWidth - 130;
  constexpr int kRow = 20;
  const std::size_t count = std::min(plot.rows.size(), kMostBars);
  SvgText svg(kWidth, kHead + static_cast<int>(count) * kRow + 40, plot.title);
  DrawHead(svg, plot.title, plot.caption);
  double most = 0;
  for (const PlotRow& row : plot.rows)
    most = std::isfinite(row.number) ? std::max(most, row.number) : most;
  for (std::size_t i = 0; i < count; ++i) {
    const PlotRow& row = plot.rows[i];
    const double y = kHead + 8 + static_cast<double>(i) * kRow;
    const double share = !std::isfinite(row.number) ? 1 : (most > 0 ? row.number / most : 0);
    const double width = std::max(1.0, share * (kRight - kLeft));
    svg.Text(kLeft - 10, y + 12, row.label, "text", Anchor::kEnd, 11, 50);
    svg.Bar(kLeft, y + 2, width, kRow - 6, ColorOf(row), HintOf(row));
    svg.Text(kLeft + width + 6, y + 12, NumberText(row.number) + " " + plot.unit + row.note,
             "muted");
  }
  svg.Text(24, kHead + 26 + static_cast<double>(count) * kRow, MoreText(plot.rows.size(), count),
           "muted");
  return svg.Finish();
}

std::string SvgOf(const HistogramPlot& plot) {
  constexpr int kColumns = 4, kCellWidth = 228, kCellHeight = 128, kPicture = 60;
  const std::size_t count = std::min(plot.histograms.size(), kMostHistograms);
  const int rows = static_cast<int>((count + kColumns - 1) / kColumns);
  SvgText svg(kWidth, kHead + rows * kCellHeight + 40, plot.title);
  DrawHead(svg, plot.title, plot.caption);
  for (std::size_t i = 0; i < count; ++i) {
    const HistogramPlot::Histogram& one = plot.histograms[i];
    const double x = 24 + static_cast<double>(i % kColumns) * kCellWidth;
    const double y = kHead + 12 + static_cast<double>(i / kColumns) * kCellHeight;
    svg.Text(x, y + 10, one.label, "text", Anchor::kStart, 11, 34);
    svg.Text(x, y + 24, one.note, "muted", Anchor::kStart, 10, 38);
    const auto& bins = one.statistics.histogram;
    const auto highest =
        static_cast<double>(std::max<std::int64_t>(1, *std::max_element(bins.begin(), bins.end())));
    const double width = (kCellWidth - 24.0) / static_cast<double>(bins.size());
    const double bottom = y + 30 + kPicture;
    for (std::size_t k = 0; k < bins.size(); ++k) {
      const double height = static_cast<double>(bins[k]) / highest * kPicture;
      if (bins[k] > 0)
        svg.Bar(x + static_cast<double>(k) * width, bottom - std::max(height, 1.0), width * 0.85,
                std::max(height, 1.0), "good");
    }
    svg.Line(x, bottom, x + kCellWidth - 24, bottom);
    svg.Text(x, bottom + 13, NumberText(one.statistics.least), "muted", Anchor::kStart, 10);
    svg.Text(x + kCellWidth - 24, bottom + 13, NumberText(one.statistics.most), "muted",
             Anchor::kEnd, 10);
  }
  svg.Text(24, kHead + 30 + rows * kCellHeight, MoreText(plot.histograms.size(), count), "muted");
  return svg.Finish();
}

}  // namespace dragoman::page
