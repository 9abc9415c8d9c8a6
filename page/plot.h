// SPDX-License-Identifier: Apache-2.0
// Plots as SVG: pictures that stand alone, in colours that suit light and dark pages.
#ifndef DRAGOMAN_PAGE_PLOT_H_
#define DRAGOMAN_PAGE_PLOT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "page/weight_statistics.h"

namespace dragoman::page {

struct PlotRow {
  std::string label;
  double number = 0;      // infinite, or none: drawn at the upper end
  bool is_bad = false;    // in the colour of failures
  std::string note = {};  // after the number
};

// One number each of many things that follow one another, from left to right, on a logarithmic
// scale; 0 lies on the axis.
struct SequencePlot {
  std::string title;
  std::string caption;
  std::string what;  // the numbers
  std::vector<PlotRow> rows;
};
std::string SvgOf(const SequencePlot& plot);

// Bars below one another, each with its label; of long lists the first ones.
struct BarPlot {
  std::string title;
  std::string caption;
  std::string unit;
  std::vector<PlotRow> rows;
};
std::string SvgOf(const BarPlot& plot);

// Histograms side by side; of long lists the first ones.
inline constexpr std::size_t kMostHistograms = 48;
struct HistogramPlot {
  struct Histogram {
    std::string label;
    std::string note;
    WeightStatistics statistics;
  };
  std::string title;
  std::string caption;
  std::vector<Histogram> histograms;
};
std::string SvgOf(const HistogramPlot& plot);

}  // namespace dragoman::page

#endif  // DRAGOMAN_PAGE_PLOT_H_
