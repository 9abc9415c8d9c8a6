// SPDX-License-Identifier: Apache-2.0
// Layered drawings of directed graphs, after Sugiyama: boxes lie in rows, edges lead downwards.
//
// Cycles are broken by turning edges around; each box goes to a row below those that it reads; an
// edge over several rows gets a bend in each, which edges from the same box share; rows are ordered
// by barycentres, then boxes move along their rows to where their neighbours are, as far as the
// order allows (pool adjacent violators). Boxes never overlap, and edges pass between them.
#ifndef DRAGOMAN_CORE_LAYOUT_LAYERED_H_
#define DRAGOMAN_CORE_LAYOUT_LAYERED_H_

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman::layout {

struct Box {
  std::int32_t width = 0;
  std::int32_t height = 0;
};

// Between two boxes, by their numbers. One to itself is not drawn.
struct Edge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

struct Point {
  std::int32_t x = 0;
  std::int32_t y = 0;
  friend bool operator==(const Point&, const Point&) = default;
};

struct Drawing {
  std::vector<Point> corners;  // top left, of each box
  // Of each edge, from one box to the other: vertical where it passes a row, and a curve where x
  // changes, between two rows. The second point and the last but one lie at the borders of the
  // boxes' rows. Empty: the edge leads over so many rows that it is not drawn.
  std::vector<std::vector<Point>> routes;
  std::int32_t width = 0;
  std::int32_t height = 0;
};

Drawing DrawLayered(std::span<const Box> boxes, std::span<const Edge> edges);

}  // namespace dragoman::layout

#endif  // DRAGOMAN_CORE_LAYOUT_LAYERED_H_
