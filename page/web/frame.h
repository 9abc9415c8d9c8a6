// SPDX-License-Identifier: Apache-2.0
// The HTML around what a page shows; marks such as @STYLE@ stand for its parts.
#ifndef DRAGOMAN_PAGE_WEB_FRAME_H_
#define DRAGOMAN_PAGE_WEB_FRAME_H_

#include <string_view>

namespace dragoman::page {

std::string_view FrameText();

}  // namespace dragoman::page

#endif  // DRAGOMAN_PAGE_WEB_FRAME_H_
