// SPDX-License-Identifier: Apache-2.0
// Names that a user gives as they are printed: with escapes in place of what is not printable.
#ifndef DRAGOMAN_DRIVER_GIVEN_NAMES_H_
#define DRAGOMAN_DRIVER_GIVEN_NAMES_H_

#include <string>
#include <vector>

#include "core/analysis/facts.h"
#include "core/ir/model.h"

namespace dragoman {

// What `given` names in `model`: an entry, input, value, node, state or symbol that is called so;
// else what the escapes in it stand for (Unescape), or itself if they stand for nothing. Of "x:0",
// as TensorFlow calls the first result of x, this is "x" where only that is there.
std::string NameIn(const Model& model, const std::string& given);
// The same of a list that was given as one text and cut at its commas, which names may hold, too:
// pieces that name nothing one by one are put together where that makes a name, and empty ones are
// left out.
std::vector<std::string> NamesIn(const Model& model, const std::vector<std::string>& given);
Facts NamesIn(const Model& model, Facts given);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_GIVEN_NAMES_H_
