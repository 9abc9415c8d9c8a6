// SPDX-License-Identifier: Apache-2.0
#include "core/layout/layered.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace dragoman::layout {
namespace {

bool Overlap(Point a, Box a_size, Point b, Box b_size) {
  return a.x < b.x + b_size.width && b.x < a.x + a_size.width && a.y < b.y + b_size.height &&
         b.y < a.y + a_size.height;
}

void ExpectNoOverlaps(const std::vector<Box>& boxes, const Drawing& drawing) {
  ASSERT_EQ(drawing.corners.size(), boxes.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    const Point corner = drawing.corners[i];
    EXPECT_GE(corner.x, 0);
    EXPECT_LE(corner.x + boxes[i].width, drawing.width);
    EXPECT_LE(corner.y + boxes[i].height, drawing.height);
    for (std::size_t k = i + 1; k < boxes.size(); ++k)
      EXPECT_FALSE(Overlap(corner, boxes[i], drawing.corners[k], boxes[k])) << i << " and " << k;
  }
}

// Where a route is vertical it passes no box; curves lie between rows.
void ExpectRoutesPassBetween(const std::vector<Box>& boxes, const std::vector<Edge>& edges,
                             const Drawing& drawing) {
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const std::vector<Point>& route = drawing.routes[e];
    for (std::size_t p = 1; p < route.size(); ++p) {
      const int left = std::min(route[p - 1].x, route[p].x);
      const int right = std::max(route[p - 1].x, route[p].x);
      const int top = std::min(route[p - 1].y, route[p].y);
      const int bottom = std::max(route[p - 1].y, route[p].y);
      for (std::size_t i = 0; i < boxes.size(); ++i) {
        if (i == edges[e].from || i == edges[e].to) continue;
        const Point corner = drawing.corners[i];
        const bool crosses = left < corner.x + boxes[i].width && corner.x < right + 1 &&
                             top < corner.y + boxes[i].height && corner.y < bottom;
        EXPECT_FALSE(crosses) << "edge " << e << " at box " << i;
      }
    }
  }
}

TEST(Layered, NothingAndOneBox) {
  EXPECT_EQ(DrawLayered({}, {}).width, 0);
  const std::vector<Box> one = {{80, 30}};
  const Drawing drawing = DrawLayered(one, {});
  EXPECT_EQ(drawing.corners[0], (Point{0, 0}));
  EXPECT_EQ(drawing.width, 80);
}

TEST(Layered, ChainIsStraightAndLeadsDown) {
  const std::vector<Box> boxes(4, Box{80, 30});
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 3}};
  const Drawing drawing = DrawLayered(boxes, edges);
  for (std::size_t i = 1; i < boxes.size(); ++i) {
    EXPECT_EQ(drawing.corners[i].x, drawing.corners[0].x);
    EXPECT_GT(drawing.corners[i].y, drawing.corners[i - 1].y + 30);
  }
  EXPECT_EQ(drawing.routes[1].front(), (Point{40, drawing.corners[1].y + 30}));
  EXPECT_EQ(drawing.routes[1].back(), (Point{40, drawing.corners[2].y}));
}

TEST(Layered, CyclesAreDrawnWithAnEdgeUpwards) {
  const std::vector<Box> boxes(3, Box{80, 30});
  const std::vector<Edge> edges = {{0, 1}, {1, 2}, {2, 0}, {1, 1}};
  const Drawing drawing = DrawLayered(boxes, edges);
  ExpectNoOverlaps(boxes, drawing);
  EXPECT_GT(drawing.routes[2].front().y, drawing.routes[2].back().y);
  EXPECT_TRUE(drawing.routes[3].empty()) << "an edge to itself has no route";
}

TEST(Layered, WideGraphsTakeSeveralRows) {
  const std::vector<Box> boxes(400, Box{100, 30});
  const Drawing drawing = DrawLayered(boxes, {});
  ExpectNoOverlaps(boxes, drawing);
  EXPECT_LT(drawing.width, 41 * 130);
}

TEST(Layered, DrawnGraphsHaveNoOverlaps) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 draw(seed);
    std::vector<Box> boxes(60);
    for (Box& box : boxes)
      box = {40 + static_cast<int>(draw() % 200), 20 + static_cast<int>(draw() % 90)};
    std::vector<Edge> edges;
    for (std::uint32_t to = 1; to < boxes.size(); ++to) {
      for (unsigned i = 0; i < 1 + draw() % 3; ++i)
        edges.push_back({static_cast<std::uint32_t>(draw() % to), to});
    }
    const Drawing drawing = DrawLayered(boxes, edges);
    ExpectNoOverlaps(boxes, drawing);
    ExpectRoutesPassBetween(boxes, edges, drawing);
    EXPECT_EQ(DrawLayered(boxes, edges).corners, drawing.corners);
  }
}

TEST(Layered, ManyLongEdgesStayLinear) {
  // Each box reads the one before and the first: edges over up to 20,000 rows.
  const std::vector<Box> boxes(20'000, Box{80, 30});
  std::vector<Edge> edges;
  for (std::uint32_t i = 1; i < boxes.size(); ++i) {
    edges.push_back({i - 1, i});
    edges.push_back({i / 2, i});
  }
  const Drawing drawing = DrawLayered(boxes, edges);
  std::size_t points = 0, missing = 0;
  for (const auto& route : drawing.routes) {
    points += route.size();
    missing += route.empty();
  }
  EXPECT_GT(missing, 10'000u);
  EXPECT_LT(points, 40 * boxes.size());
}

}  // namespace
}  // namespace dragoman::layout
