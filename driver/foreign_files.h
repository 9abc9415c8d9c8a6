// SPDX-License-Identifier: Apache-2.0
// Files that are not models of a format that is read, but that one knows by sight.
#ifndef DRAGOMAN_DRIVER_FOREIGN_FILES_H_
#define DRAGOMAN_DRIVER_FOREIGN_FILES_H_

#include <optional>

#include "core/support/result.h"
#include "driver/formats.h"

namespace dragoman {

// What a file is by its contents, and what to do about it: unsupported for models of other
// programs, invalid input for what is not a model, or has one in it (archives, compressed files,
// the pointers of Git LFS, web pages). nullopt: it is not known. Of zip archives, those that torch
// or Keras wrote are left to their readers.
std::optional<Error> RecognizeForeignContent(const Candidate& candidate);
// The same by the name of a file or folder, and by the files in a folder.
std::optional<Error> RecognizeForeignName(const Candidate& candidate);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_FOREIGN_FILES_H_
