// SPDX-License-Identifier: Apache-2.0
// Comments of a module, which tokens do not hold, by the places of what they stand at.
#ifndef DRAGOMAN_IMPORTERS_RELAX_GRAPH_COMMENTS_H_
#define DRAGOMAN_IMPORTERS_RELAX_GRAPH_COMMENTS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "core/ir/attribute.h"

namespace dragoman::tvmscript {

// The lines of comments between the line of byte `offset` and the code above it that are indented
// by at most `indent`.
Attribute::Strings CommentsAbove(std::string_view text, std::size_t offset,
                                 std::size_t indent = std::string_view::npos);

// The lines of comments below the logical line at `offset`, up to more code, which are indented as
// it or more.
Attribute::Strings CommentsBelow(std::string_view text, std::size_t offset);

// What stands after the logical line at `offset`: "# …", or nothing.
std::string CommentBehind(std::string_view text, std::size_t offset);

// `text` of a definition that is indented by `indent`, without the comments below it that are
// indented no more.
std::string_view WithoutCommentsBelow(std::string_view text, std::size_t indent);

// How many blanks stand in front of byte `offset` in its line.
std::size_t IndentAt(std::string_view text, std::size_t offset);

}  // namespace dragoman::tvmscript

#endif  // DRAGOMAN_IMPORTERS_RELAX_GRAPH_COMMENTS_H_
