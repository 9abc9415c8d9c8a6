// SPDX-License-Identifier: Apache-2.0
// What is drawn of a graph, on any surface: boxes of open groups, lines, items, texts.
'use strict';

// Colours by what an operator is for; they say nothing else. The first that fits counts.
const OPERATOR_COLOURS = [
  ['quantize', /quant|qlinear|integer$/i],
  ['recurrent', /lstm|gru|\brnn|attention/i],
  ['product', /conv|gemm|matmul|linear|einsum|bmm|addmm|dense|\bmm$/i],
  ['norm', /norm|lrn/i],
  ['pool', /pool|reduce|argm(ax|in)|\bsum|\bmean|softmax/i],
  ['activation', /relu|sigmoid|tanh|gelu|elu|swish|silu|softplus|softsign|mish|clip|erf|dropout/i],
  ['control', /(^|\.)(if|loop|scan|while|fused|call|partitionedcall|sequencemap)$/i],
  ['shape', /reshape|transpose|permute|concat|split|slice|gather|scatter|squeeze|flatten|expand|tile|pad|shape|view|cast|identity|resize|stack|cat$/i],
];
const colourNames = new Map();

function colourName(item) {
  switch (item.kind) {
    case Kind.STATE: return 'state';
    case Kind.NODE: break;
    case Kind.GROUP: return 'control';
    default: return 'terminal';
  }
  let name = colourNames.get(item.title);
  if (name === undefined) {
    name = OPERATOR_COLOURS.find(([, pattern]) => pattern.test(item.title))?.[0] ?? 'other';
    colourNames.set(item.title, name);
  }
  return name;
}

const RAMP = [[246, 215, 107], [240, 138, 60], [200, 38, 79], [109, 26, 102]];

// The colour of a share from 0 to 1.
function rampColour(share) {
  const at = Math.min(Math.max(share, 0), 1) * (RAMP.length - 1);
  const low = Math.min(Math.floor(at), RAMP.length - 2);
  const mixed = RAMP[low].map((part, i) => Math.round(part + (RAMP[low + 1][i] - part) * (at - low)));
  return `rgb(${mixed.join(' ')})`;
}

class Scene {
  constructor(model, palette) {
    this.model = model;
    this.palette = palette;
    this.heat = null;      // of heat.js: share(item), or null
    this.selected = null;  // an item
    this.inDiff = false;
  }

  // Draws what of `root` lies within `area` of the plane, as large as `scale` makes it.
  draw(surface, root, area, scale) {
    const seen = {containers: [], items: [], links: []};
    this.collect(root, 0, 0, area, seen);
    for (const container of seen.containers) this.drawContainer(surface, container, scale);
    this.drawLinks(surface, seen.links, scale);
    if (scale < 0.26) this.drawBlocks(surface, seen.items);
    else for (const {item, x, y} of seen.items) this.drawItem(surface, item, x, y, scale);
    if (scale >= 0.6) this.drawLabels(surface, seen.links, scale);
    if (this.selected !== null) this.drawSelection(surface, [...seen.containers, ...seen.items], scale);
  }

  collect(group, x, y, area, seen) {
    for (const item of group.items) {
      const ix = x + item.lx, iy = y + item.ly;
      if (ix > area.x1 || iy > area.y1 || ix + item.lw < area.x0 || iy + item.lh < area.y0) continue;
      if (!item.open) {
        seen.items.push({item, x: ix, y: iy});
        continue;
      }
      seen.containers.push({item, x: ix, y: iy});
      const inside = insideOf(item);
      this.collect(item.inner, x + inside.x, y + inside.y, area, seen);
    }
    for (const link of group.links) {
      const {x0, y0, x1, y1} = link.bounds;
      if (x + x0 > area.x1 || y + y0 > area.y1 || x + x1 < area.x0 || y + y1 < area.y0) continue;
      seen.links.push({link, points: link.live, x, y});
    }
  }

  colourOf(item) {
    const change = this.changeOf(item);
    if (change !== Change.NONE) return this.palette[CHANGE_NAMES[change]];
    const share = this.heat === null ? null : this.heat.share(item);
    if (share !== null) return rampColour(share);
    const dimmed = this.heat !== null && (item.kind === Kind.NODE || item.kind === Kind.GROUP);
    return dimmed ? this.palette.line : this.palette[colourName(item)];
  }

  // Of a folded group, whether anything in it changed.
  changeOf(item) {
    if (!this.inDiff) return Change.NONE;
    if (item.kind !== Kind.NODE && item.kind !== Kind.GROUP)
      return item.kind <= Kind.STATE && this.model.changedValues.has(item.value) ? Change.CHANGED : Change.NONE;
    if (item.node >= 0 && this.model.change[item.node] !== Change.NONE) return this.model.change[item.node];
    return item.inner !== null && !item.open && this.holdsChange(item) ? Change.CHANGED : Change.NONE;
  }

  holdsChange(item) {
    if (item.holdsChange === undefined) {
      item.holdsChange = false;
      visitItems(item.inner, ({node}) => { item.holdsChange ||= node >= 0 && this.model.change[node] !== Change.NONE; });
    }
    return item.holdsChange;
  }

  drawContainer(surface, {item, x, y}, scale) {
    const {palette} = this;
    surface.rect(x, y, item.lw, item.lh, {radius: 12, fill: palette.group, stroke: palette['group-line'], width: Math.max(1, 0.7 / scale)});
    if (scale < 0.2) return;
    const colour = this.palette[colourName(item)];
    const title = fitted('▾ ' + item.title, 12, 650, item.lw - 2 * PADDING);
    surface.text(x + 14, y + HEADER / 2, title, {size: 12, weight: 650, fill: colour});
    if (item.lw > 260 && item.note !== '') {
      const left = x + 26 + widthOf(title, 12, 650);
      surface.text(left, y + HEADER / 2, fitted(item.note, 11, 400, x + item.lw - 16 - left), {size: 11, fill: palette.muted});
    }
  }

  drawLinks(surface, links, scale) {
    const plain = [], captured = [], chosen = [];
    for (const seen of links) {
      const {from, to} = seen.link;
      if (from === this.selected || to === this.selected) chosen.push(seen);
      else if (from.kind === Kind.ENTERS || to.kind === Kind.LEAVES) captured.push(seen);
      else plain.push(seen);
    }
    const {edge, accent} = this.palette;
    const width = Math.max(1.2, 0.7 / scale), straight = scale < 0.26;
    surface.lines(plain, {stroke: edge, width, straight});
    surface.lines(captured, {stroke: edge, width, straight, dash: straight ? null : [4, 4]});
    surface.lines(chosen, {stroke: accent, width: Math.max(2, 1.6 / scale), straight});
    if (scale < 0.45) return;
    const ends = (list) => list.filter(({link}) => link.points.length > 0);
    surface.arrows(ends([...plain, ...captured]), {fill: edge, size: 6.5});
    surface.arrows(ends(chosen), {fill: accent, size: 8});
  }

  // Far away, items are blocks of their colours.
  drawBlocks(surface, items) {
    const byColour = new Map();
    for (const seen of items) {
      const colour = this.colourOf(seen.item);
      if (!byColour.has(colour)) byColour.set(colour, []);
      byColour.get(colour).push(seen);
    }
    for (const [colour, list] of byColour) {
      for (const {item, x, y} of list) surface.rect(x, y, item.lw, item.lh, {fill: colour});
    }
  }

  drawItem(surface, item, x, y, scale) {
    if (item.kind === Kind.NODE || item.kind === Kind.GROUP) return this.drawNode(surface, item, x, y, scale);
    const {palette} = this;
    const colour = this.colourOf(item);
    surface.rect(x, y, item.lw, item.lh, {radius: item.lh / 2, fill: palette.paper, stroke: colour, width: 1.4});
    this.drawTexts(surface, item, x, y, item.lw, scale, {centre: true, colour});
  }

  drawNode(surface, item, x, y, scale) {
    const {palette} = this;
    const {lw: w, lh: h} = item;
    const colour = this.colourOf(item);
    const changed = this.changeOf(item) !== Change.NONE;
    const heated = this.heat !== null && this.heat.share(item) !== null;
    const stroke = changed || heated ? colour : palette.line;
    // A folded group looks like a stack of cards.
    if (item.inner !== null) surface.rect(x + 4, y + 4, w, h, {radius: 9, fill: palette.group, stroke: palette['group-line']});
    surface.rect(x, y, w, h, {radius: 9, fill: palette.paper, stroke, width: changed || heated ? 2 : 1});
    if (changed || heated) surface.rect(x, y, w, h, {radius: 9, fill: colour, alpha: heated ? 0.34 : 0.16});
    surface.rect(x + 5, y + 6, 4, h - 12, {radius: 2, fill: colour});
    this.drawTexts(surface, item, x + 8, y, w - 8, scale, {centre: false, colour});
  }

  drawTexts(surface, item, x, y, w, scale, {centre, colour}) {
    const {palette} = this;
    const room = w - (centre ? 18 : 14);
    const port = item.kind === Kind.ENTERS || item.kind === Kind.LEAVES;
    const arrow = item.kind === Kind.ENTERS ? '↓ ' : item.kind === Kind.LEAVES ? '↑ ' : item.inner !== null ? '▸ ' : '';
    item.titleShown ??= fitted(arrow + item.title, port ? 11 : 13, port ? 400 : 600, room);
    item.noteShown ??= fitted(item.note, 11, 400, room);
    const align = centre ? 'center' : 'left';
    const left = centre ? x + w / 2 : x + 8;
    const two = item.note !== '' && item.lh >= 40;
    const titleY = y + item.lh / 2 - (two ? 8 : 0);
    surface.text(left, titleY, item.titleShown, {
      size: port ? 11 : 13, weight: port ? 400 : 600, align, fill: port ? palette.muted : item.kind === Kind.NODE ? palette.text : colour,
    });
    if (two && scale >= 0.4) surface.text(left, y + item.lh / 2 + 10, item.noteShown, {size: 11, align, fill: palette.muted});
  }

  // The type of each value, beside its first line.
  drawLabels(surface, links) {
    const drawn = [];
    for (const {link, points, x, y} of links) {
      if (!link.labelled || link.points.length === 0 || link.value < 0) continue;
      if (link.from.kind === Kind.INPUT || link.from.kind === Kind.STATE || link.to.kind === Kind.OUTPUT) continue;
      link.label ??= link.values > 1 ? `${link.values} values` : this.model.valueType(link.value);
      if (link.label === '?' || link.label.length > 44) continue;
      const n = points.length;
      const curve = n > 4 && points[0] === points[2] ? 2 : 0;
      const mx = (points[curve] + points[curve + 2]) / 2 + x;
      const my = curve + 3 < n ? (points[curve + 1] + Math.min(points[curve + 3], points[curve + 1] + 60)) / 2 + y : points[1] + y;
      link.labelWidth ??= widthOf(link.label, 10, 400) + 8;
      const half = link.labelWidth / 2;
      if (drawn.some((one) => Math.abs(one.x - mx) < one.half + half && Math.abs(one.y - my) < 13)) continue;
      drawn.push({x: mx, y: my, half});
      surface.text(mx, my, link.label, {size: 10, align: 'center', fill: this.palette.muted, back: this.backAt(link)});
    }
  }

  backAt(link) { return link.from.group.owner === null ? this.palette.back : this.palette.group; }

  drawSelection(surface, seen, scale) {
    const found = seen.find(({item}) => item === this.selected);
    if (found === undefined) return;
    const {item, x, y} = found;
    const terminal = item.kind !== Kind.NODE && item.kind !== Kind.GROUP;
    surface.rect(x - 3, y - 3, item.lw + 6, item.lh + 6, {
      radius: terminal ? item.lh / 2 + 3 : 12, stroke: this.palette.accent, width: Math.max(2.5, 2 / scale),
    });
  }
}

// Numbers of nodes as shares of the largest: what the heat layer shows.
class Heat {
  // `numbers`: Map from node to number. Folded groups show the sum, or the largest.
  constructor(title, unit, numbers, sums) {
    this.title = title;
    this.unit = unit;
    this.numbers = numbers;
    this.sums = sums;
    this.most = 0;
    for (const number of numbers.values()) this.most = Math.max(this.most, number);
    this.ofItems = new Map();
  }

  // null: nothing is known of it.
  number(item) {
    if (item.kind !== Kind.NODE && item.kind !== Kind.GROUP) return null;
    if (!this.ofItems.has(item)) this.ofItems.set(item, this.measure(item));
    return this.ofItems.get(item);
  }

  measure(item) {
    let number = item.node >= 0 ? this.numbers.get(item.node) ?? null : null;
    if (number !== null || item.inner === null) return number;
    visitItems(item.inner, ({node}) => {
      const inner = node >= 0 ? this.numbers.get(node) : undefined;
      if (inner !== undefined) number = this.sums ? (number ?? 0) + inner : Math.max(number ?? 0, inner);
    });
    return number;
  }

  share(item) {
    const number = this.number(item);
    if (number === null || number <= 0) return null;
    return this.most > 0 ? Math.min(1, Math.sqrt(number / this.most)) : 0;
  }
}
