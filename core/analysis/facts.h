// SPDX-License-Identifier: Apache-2.0
// What the user states about a model's inputs: `--shape NAME=D,…`, `--dim SYMBOL=SIZE`, `--entry
// NAME`.
#ifndef DRAGOMAN_CORE_ANALYSIS_FACTS_H_
#define DRAGOMAN_CORE_ANALYSIS_FACTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ir/dim.h"
#include "core/ir/dtype.h"
#include "core/ir/type.h"
#include "core/support/result.h"

namespace dragoman {

// One input's sizes; nullopt leaves a size as it was.
struct ShapeFact {
  std::string input;  // a name, or a position in decimal
  std::optional<DType> dtype;
  std::vector<std::optional<Dim>> dims;
  bool from_data = false;  // read off an array: holds whatever the file declares
};

struct Facts {
  std::vector<ShapeFact> shapes;
  std::map<std::string, Dim> dims;   // replaces symbols
  std::optional<std::string> entry;  // which entry alone to keep
};

// Reads "x=1,3,n", "x=int64:1,?", "0=_,8". A size is a number, an expression over symbols, `?` or
// `_`.
Result<ShapeFact> ParseShapeFact(std::string_view text);

// The position of an input that a fact only names.
inline constexpr std::size_t kNoPosition = SIZE_MAX;

// `type`, the declared type of input `index` called `name`, with what `facts` say about it.
// Errors: a rank that contradicts the declared one.
Result<Type> ApplyFacts(const Facts& facts, std::string_view name, std::size_t index,
                        const Type& type);
// Facts that name inputs: a position becomes the name of that input, unless one is called
// so.
Facts WithNames(Facts facts, const std::vector<std::string>& input_names);
// Errors: a fact about an input that does not exist.
Status CheckFacts(const Facts& facts, const std::vector<std::string>& input_names);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_ANALYSIS_FACTS_H_
