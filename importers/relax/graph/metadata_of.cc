// SPDX-License-Identifier: Apache-2.0
#include "importers/relax/graph/metadata_of.h"

#include <cstddef>
#include <string>

#include "core/support/python/lexer.h"

namespace dragoman::tvmscript {

Result<tvm::Metadata> MetadataOf(std::string_view preamble) {
  constexpr std::string_view kCall = "tvm.ir.load_json(";
  constexpr std::string_view kQuotes = "\"\"\"";
  const std::size_t call = preamble.find(kCall);
  if (call == std::string_view::npos) return tvm::Metadata();
  const std::string_view text = preamble.substr(call + kCall.size());
  const std::size_t end = text.find(kQuotes, kQuotes.size());
  if (!text.starts_with(kQuotes) || end == std::string_view::npos)
    return InvalidInput("the metadata section is not text between three quotes");
  return tvm::Metadata::Parse(python::StringOf(text.substr(0, end + kQuotes.size())));
}

}  // namespace dragoman::tvmscript
