// SPDX-License-Identifier: Apache-2.0
// Random changes of files that keep their structure, so that readers get beyond their first checks.
#ifndef DRAGOMAN_TESTS_FUZZ_TARGETS_CHANGE_H_
#define DRAGOMAN_TESTS_FUZZ_TARGETS_CHANGE_H_

#include <random>
#include <string>

namespace dragoman {

// One change of `bytes`: of a record or the list of records of a zip archive, of a field of a
// message of protobuf at any depth, of a token of a text, or, of anything, of single bytes. `other`
// is a file of which parts may be put in.
void Change(std::mt19937& random, const std::string& other, std::string* bytes);

}  // namespace dragoman

#endif  // DRAGOMAN_TESTS_FUZZ_TARGETS_CHANGE_H_
