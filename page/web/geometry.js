// SPDX-License-Identifier: Apache-2.0
// Places of items once some groups are open. Each group was drawn with all inner ones folded; where
// one opens, the drawing around it is stretched in both directions, which keeps order and distances.
'use strict';

const PADDING = 20;
const HEADER = 34;

// A monotonous map of one coordinate, under which each interval [begin, end] gets at least `size`.
class Stretch {
  constructor(intervals) {
    const ends = new Map();
    const cuts = new Set();
    for (const interval of intervals) {
      cuts.add(interval.begin);
      cuts.add(interval.end);
      if (!ends.has(interval.end)) ends.set(interval.end, []);
      ends.get(interval.end).push(interval);
    }
    this.cuts = [...cuts].sort((a, b) => a - b);
    const at = new Map();
    let before = null;
    this.places = this.cuts.map((cut) => {
      let place = before === null ? cut : at.get(before) + cut - before;
      for (const {begin, size} of ends.get(cut) ?? []) place = Math.max(place, at.get(begin) + size);
      at.set(cut, place);
      before = cut;
      return place;
    });
  }

  map(x) {
    const {cuts, places} = this;
    if (cuts.length === 0 || x <= cuts[0]) return x;
    const last = cuts.length - 1;
    if (x >= cuts[last]) return places[last] + x - cuts[last];
    let low = 0, high = last;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (cuts[middle] <= x) low = middle; else high = middle;
    }
    return places[low] + (x - cuts[low]) * (places[high] - places[low]) / (cuts[high] - cuts[low]);
  }
}

// The room that an open item takes.
function openSize(item) {
  const inner = item.inner.live;
  return {w: Math.max(item.w, inner.width + 2 * PADDING), h: inner.height + HEADER + PADDING};
}

// Gives the group its `live` size, and its items and links their live places. Inner groups come
// first; those that did not change keep what they have.
function layOut(group) {
  if (group.live !== null) return;
  const open = group.items.filter((item) => item.open);
  for (const item of open) layOut(item.inner);
  const sizes = new Map(open.map((item) => [item, openSize(item)]));
  const across = new Stretch(open.map((item) => ({begin: item.x, end: item.x + item.w, size: sizes.get(item).w})));
  const down = new Stretch(open.map((item) => ({begin: item.y, end: item.y + item.h, size: sizes.get(item).h})));
  for (const item of group.items) {
    const size = sizes.get(item) ?? item;
    item.lw = size.w;
    item.lh = size.h;
    if (size === item) {
      item.lx = across.map(item.x + item.w / 2) - item.w / 2;
      item.ly = down.map(item.y + item.h / 2) - item.h / 2;
    } else {
      item.lx = (across.map(item.x) + across.map(item.x + item.w) - size.w) / 2;
      item.ly = (down.map(item.y) + down.map(item.y + item.h) - size.h) / 2;
    }
  }
  for (const link of group.links) placeLink(link, across, down);
  group.live = {width: across.map(group.width), height: down.map(group.height)};
}

// Ends of links keep their places along the side of the item.
function placeLink(link, across, down) {
  const {points, from, to} = link;
  const count = points.length;
  if (count === 0) {
    link.live = stub(link);
  } else {
    const live = new Float32Array(count);
    for (let i = 0; i < count; i += 2) {
      live[i] = across.map(points[i]);
      live[i + 1] = down.map(points[i + 1]);
    }
    const first = from.lx + (points[0] - from.x) * from.lw / from.w;
    const last = to.lx + (points[count - 2] - to.x) * to.lw / to.w;
    live[0] = live[2] = first;
    live[count - 4] = live[count - 2] = last;
    const up = points[1] > points[count - 1];
    live[1] = up ? from.ly : from.ly + from.lh;
    live[count - 1] = up ? to.ly + to.lh : to.ly;
    link.live = live;
  }
  link.bounds = boundsOf(link.live);
}

// A link that is too long to be drawn: a short way down from the one item; the other end has none.
function stub({from}) {
  const x = from.lx + from.lw - 14, y = from.ly + from.lh;
  return new Float32Array([x, y, x, y + 14]);
}

function boundsOf(points) {
  const bounds = {x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity};
  for (let i = 0; i < points.length; i += 2) {
    bounds.x0 = Math.min(bounds.x0, points[i]);
    bounds.x1 = Math.max(bounds.x1, points[i]);
    bounds.y0 = Math.min(bounds.y0, points[i + 1]);
    bounds.y1 = Math.max(bounds.y1, points[i + 1]);
  }
  return bounds;
}

// Opens or folds an item; what contains it is laid out anew.
function setOpen(item, open) {
  if (item.inner === null || item.open === open) return;
  item.open = open;
  for (let group = item.group; group !== null; group = group.owner === null ? null : group.owner.group) group.live = null;
}

// Where the inside of an open item begins, within its group.
function insideOf(item) {
  return {x: item.lx + (item.lw - item.inner.live.width) / 2, y: item.ly + HEADER};
}

// The place of an item on the page's plane; the groups around it are open and laid out.
function absoluteBox(item) {
  let x = item.lx, y = item.ly;
  for (let owner = item.group.owner; owner !== null; owner = owner.group.owner) {
    const inside = insideOf(owner);
    x += inside.x;
    y += inside.y;
  }
  return {x, y, w: item.lw, h: item.lh};
}

// The innermost item at a place of the group; nothing: null.
function itemAt(group, x, y) {
  for (const item of group.items) {
    if (x < item.lx || y < item.ly || x > item.lx + item.lw || y > item.ly + item.lh) continue;
    if (!item.open) return item;
    const inside = insideOf(item);
    return itemAt(item.inner, x - inside.x, y - inside.y) ?? item;
  }
  return null;
}

// Opens the outermost groups first, as long as no more than `most` items are shown.
function openWhileFew(root, most) {
  let shown = root.items.length;
  let level = root.items;
  while (level.length > 0) {
    const next = [];
    for (const item of [...level].sort((a, b) => (a.inner?.nodes ?? 0) - (b.inner?.nodes ?? 0))) {
      if (item.inner === null || item.kind === Kind.NODE || shown + item.inner.items.length > most) continue;
      shown += item.inner.items.length;
      setOpen(item, true);
      next.push(...item.inner.items);
    }
    level = next;
  }
}
