// SPDX-License-Identifier: Apache-2.0
// The style sheet of pages.
#ifndef DRAGOMAN_PAGE_WEB_STYLE_H_
#define DRAGOMAN_PAGE_WEB_STYLE_H_

#include <string_view>

namespace dragoman::page {

std::string_view StyleText();

}  // namespace dragoman::page

#endif  // DRAGOMAN_PAGE_WEB_STYLE_H_
