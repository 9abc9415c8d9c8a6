// SPDX-License-Identifier: Apache-2.0
// Folders that are made on the way to an output.
#ifndef DRAGOMAN_CORE_SUPPORT_NEW_FOLDERS_H_
#define DRAGOMAN_CORE_SUPPORT_NEW_FOLDERS_H_

#include <filesystem>
#include <functional>
#include <string>
#include <system_error>

namespace dragoman {

// For the main function of a program, before it writes: `report` takes the folder of each output
// for which folders had to be made. nullptr, as at first: nobody does.
void ReportNewFolders(std::function<void(const std::string& folder)> report);

// Makes the folder of an output of the user, as OutputFile does, and all on the way to it, where
// they are not there.
std::error_code MakeFolderOf(const std::filesystem::path& output);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_NEW_FOLDERS_H_
