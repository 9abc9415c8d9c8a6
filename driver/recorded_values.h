// SPDX-License-Identifier: Apache-2.0
// What another framework computed, value by value: a folder of .npy files, each with the name of an
// input, an output or an inner value of the model.
#ifndef DRAGOMAN_DRIVER_RECORDED_VALUES_H_
#define DRAGOMAN_DRIVER_RECORDED_VALUES_H_

#include <string>
#include <vector>

#include "core/support/result.h"
#include "driver/data.h"

namespace dragoman {

// Whether the folder, or one in it, holds a .npy file.
bool HoldsRecordedValues(const std::string& folder);

// The files, sorted by path. A name is the path in the folder, without the suffix.
Result<std::vector<NamedArray>> ReadRecordedValues(const std::string& folder);

// Whether a file called `recorded` is of the value called `name`: as FileName has both; the '_'
// that it makes of what is in front of "/h" may be left out.
bool IsRecordOf(const std::string& recorded, const std::string& name);

}  // namespace dragoman

#endif  // DRAGOMAN_DRIVER_RECORDED_VALUES_H_
