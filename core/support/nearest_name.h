// The name that a user probably meant.
#ifndef DRAGOMAN_CORE_SUPPORT_NEAREST_NAME_H_
#define DRAGOMAN_CORE_SUPPORT_NEAREST_NAME_H_

#include <span>
#include <string>
#include <string_view>

namespace dragoman {

// " (did you mean 'Softmax'?)" for "Softmaxx": the first of the candidates with the fewest
// insertions, deletions, substitutions and exchanges of neighbours (optimal string alignment,
// letters of either case equal), if at most a third of the letters are affected. Else empty.
std::string DidYouMean(std::string_view name, std::span<const std::string> candidates);

}  // namespace dragoman

#endif  // DRAGOMAN_CORE_SUPPORT_NEAREST_NAME_H_
