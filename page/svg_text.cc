// SPDX-License-Identifier: Apache-2.0
#include "page/svg_text.h"

#include <iterator>

#include <fmt/format.h>

#include "core/support/num_characters.h"
#include "core/support/printable.h"
#include "core/support/text.h"

namespace dragoman::page {
namespace {

constexpr std::string_view kStyle = R"(<style>
text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; }
.back { fill: #ffffff; } .text { fill: #1b2430; } .muted { fill: #6a7686; }
.line { stroke: #dfe3e8; } .good { fill: #3b6fd8; } .bad { fill: #d64545; }
@media (prefers-color-scheme: dark) {
  .back { fill: #1b212a; } .text { fill: #e4e9f0; } .muted { fill: #93a0b2; }
  .line { stroke: #38434f; } .good { fill: #6f9bf5; } .bad { fill: #f07171; }
}
</style>
)";

std::string Escaped(std::string_view text) {
  std::string escaped;
  std::string printable = Printable(text);
  // XML has no such characters.
  for (const std::string_view none : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    for (std::size_t at; (at = printable.find(none)) != std::string::npos;)
      printable.replace(at, none.size(), "?");
  }
  for (const char c : printable) {
    switch (c) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

// The end says more of a long name than its begin.
std::string Shortest(std::string_view text, std::size_t most) {
  std::size_t characters = NumCharacters(text);
  if (characters <= most) return std::string(text);
  for (; characters + 1 > most; --characters)
    text.remove_prefix(std::max(Utf8Length(text), std::size_t{1}));
  return "\u2026" + std::string(text);
}

std::string_view NameOf(Anchor anchor) {
  return anchor == Anchor::kStart ? "start" : (anchor == Anchor::kMiddle ? "middle" : "end");
}

}  // namespace

SvgText::SvgText(int width, int height, std::string_view title) {
  svg_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
      "viewBox=\"0 0 {0} {1}\" role=\"img\">\n<title>{2}</title>\n{3}"
      "<rect class=\"back\" width=\"{0}\" height=\"{1}\"/>\n",
      width, height, Escaped(title), kStyle);
}

void SvgText::Bar(double x, double y, double width, double height, std::string_view color,
                  std::string_view hint) {
  fmt::format_to(std::back_inserter(svg_),
                 "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                 "rx=\"1.5\"",
                 color, x, y, width, height);
  svg_ += hint.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", Escaped(hint));
}

void SvgText::Line(double x0, double y0, double x1, double y1) {
  fmt::format_to(std::back_inserter(svg_),
                 "<line class=\"line\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                 x0, y0, x1, y1);
}

void SvgText::Text(double x, double y, std::string_view text, std::string_view color, Anchor anchor,
                   int size, std::size_t most) {
  fmt::format_to(std::back_inserter(svg_),
                 "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" "
                 "text-anchor=\"{}\">{}</text>\n",
                 color, x, y, size, NameOf(anchor), Escaped(Shortest(Printable(text), most)));
}

std::string SvgText::Finish() { return std::move(svg_) + "</svg>\n"; }

}  // namespace dragoman::page
