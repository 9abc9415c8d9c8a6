// SPDX-License-Identifier: Apache-2.0
// The scripts of pages: the files that CMakeLists.txt lists, one after the other.
#ifndef DRAGOMAN_PAGE_WEB_SCRIPT_H_
#define DRAGOMAN_PAGE_WEB_SCRIPT_H_

#include <string_view>

namespace dragoman::page {

std::string_view ScriptText();

}  // namespace dragoman::page

#endif  // DRAGOMAN_PAGE_WEB_SCRIPT_H_
