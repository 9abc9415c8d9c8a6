// SPDX-License-Identifier: Apache-2.0
// How nodes of TensorFlow name what they read: the form that the reader takes for granted and the
// writer makes.
#ifndef DRAGOMAN_PROTO_TENSORFLOW_SPELLING_H_
#define DRAGOMAN_PROTO_TENSORFLOW_SPELLING_H_

#include <optional>
#include <string>
#include <vector>

#include "core/ir/graph.h"

namespace dragoman::tf_codec {

// "x", "x:1" and "^x" in the main graph; "argument", "x:output:0" and "^x" in the body of a
// function, where the name of a result says which output it is. nullopt: no such value.
std::optional<std::string> SpellReference(const Value* value, bool in_body);

// What the file says in another spelling than this, for `extra`: it counts as long as `meaning`
// is what the values are called.
Attribute AsWritten(std::vector<std::string> written, std::vector<std::string> meaning);
// nullptr: there is nothing under `key`, or it does not count any more.
const std::vector<std::string>* FindAsWritten(const Extra* extra, std::string_view key,
                                              const std::vector<std::string>& meaning);

}  // namespace dragoman::tf_codec

#endif  // DRAGOMAN_PROTO_TENSORFLOW_SPELLING_H_
