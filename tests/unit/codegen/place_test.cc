// SPDX-License-Identifier: Apache-2.0
// Where buffers lie in the arena, by their lifetimes.
#include "codegen/onednn/plan/place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dragoman::onednn {
namespace {

using testing::ElementsAre;

TEST(PlaceLifetimes, SharesMemoryBetweenBuffersThatNeverMeet) {
  EXPECT_THAT(PlaceLifetimes({{128, 0, 1}, {128, 2, 3}}), ElementsAre(0, 0));
}

TEST(PlaceLifetimes, KeepsBuffersApartThatMeetInOnePosition) {
  EXPECT_THAT(PlaceLifetimes({{128, 0, 1}, {128, 1, 2}}), ElementsAre(0, 128));
}

TEST(PlaceLifetimes, AlignsTo64Bytes) {
  EXPECT_THAT(PlaceLifetimes({{100, 0, 5}, {4, 0, 5}, {4, 0, 5}}), ElementsAre(0, 128, 192));
}

TEST(PlaceLifetimes, FillsTheGapThatALargeBufferLeft) {
  // The first ends before the last begins; the second lives all the time.
  EXPECT_THAT(PlaceLifetimes({{256, 0, 1}, {64, 0, 9}, {128, 2, 3}}), ElementsAre(0, 256, 0));
}

TEST(PlaceLifetimes, GivesEmptyBuffersAPlaceOfTheirOwn) {
  EXPECT_THAT(PlaceLifetimes({{0, 0, 1}, {0, 0, 1}}), ElementsAre(0, 64));
}

}  // namespace
}  // namespace dragoman::onednn
