// SPDX-License-Identifier: Apache-2.0
// SVG as text.
#ifndef DRAGOMAN_PAGE_SVG_TEXT_H_
#define DRAGOMAN_PAGE_SVG_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace dragoman::page {

enum class Anchor { kStart, kMiddle, kEnd };

// Colours are classes of the style sheet that every picture has, with one set for dark pages:
// "text", "muted", "line", "good", "bad".
class SvgText {
 public:
  SvgText(int width, int height, std::string_view title);
  // `hint` shows when a pointer rests on the bar; empty: none.
  void Bar(double x, double y, double width, double height, std::string_view color,
           std::string_view hint = "");
  void Line(double x0, double y0, double x1, double y1);
  // Texts of files become printable, and are cut to `most` characters.
  void Text(double x, double y, std::string_view text, std::string_view color,
            Anchor anchor = Anchor::kStart, int size = 11, std::size_t most = 200);
  std::string Finish();  // last call

 private:
  std::string svg_;
};

}  // namespace dragoman::page

#endif  // DRAGOMAN_PAGE_SVG_TEXT_H_
