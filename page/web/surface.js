// SPDX-License-Identifier: Apache-2.0
// What is drawn on: a canvas, or SVG. Both take the same calls, in coordinates of the plane.
'use strict';

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';

// Colours by name, as style.css has them at present.
function readPalette() {
  const style = getComputedStyle(document.documentElement);
  const palette = {};
  for (const name of ['back', 'paper', 'line', 'text', 'muted', 'accent', 'accent-soft', 'edge', 'group', 'group-line',
                      'changed', 'inserted', 'removed', 'product', 'activation', 'norm', 'pool', 'shape', 'control',
                      'recurrent', 'other', 'terminal', 'state', 'quantize'])
    palette[name] = style.getPropertyValue('--' + name).trim();
  return palette;
}

const measuring = document.createElement('canvas').getContext('2d');

function widthOf(text, size, weight) {
  measuring.font = `${weight} ${size}px ${FONT}`;
  return measuring.measureText(text).width;
}

// `text`, cut so that it takes no more than `width`.
function fitted(text, size, weight, width) {
  if (widthOf(text, size, weight) <= width) return text;
  const characters = [...text];
  let low = 0, high = characters.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const fits = widthOf(characters.slice(0, middle).join('') + '…', size, weight) <= width;
    if (fits) low = middle; else high = middle - 1;
  }
  return characters.slice(0, low).join('') + '…';
}

class CanvasSurface {
  constructor(context) { this.context = context; }

  rect(x, y, w, h, {radius = 0, fill = null, stroke = null, width = 1, dash = null, alpha = 1}) {
    const c = this.context;
    c.globalAlpha = alpha;
    c.beginPath();
    if (radius > 0) c.roundRect(x, y, w, h, radius); else c.rect(x, y, w, h);
    if (fill !== null) {
      c.fillStyle = fill;
      c.fill();
    }
    if (stroke !== null) {
      c.setLineDash(dash ?? []);
      c.strokeStyle = stroke;
      c.lineWidth = width;
      c.stroke();
    }
    c.globalAlpha = 1;
  }

  // Lines along `links`, a list of points with the offset of each; curves unless `straight`.
  lines(links, {stroke, width, dash = null, straight = false}) {
    const c = this.context;
    c.setLineDash(dash ?? []);
    c.strokeStyle = stroke;
    c.lineWidth = width;
    c.lineJoin = 'round';
    // Short paths are drawn faster than one of all lines.
    for (let i = 0; i < links.length;) {
      c.beginPath();
      for (const end = Math.min(links.length, i + 64); i < end; ++i) traceLine(c, links[i], straight);
      c.stroke();
    }
  }

  arrows(links, {fill, size}) {
    const c = this.context;
    c.fillStyle = fill;
    c.beginPath();
    for (const link of links) traceArrow(c, link, size);
    c.fill();
  }

  text(x, y, text, {size = 12, weight = 400, fill, align = 'left', back = null}) {
    const c = this.context;
    c.font = `${weight} ${size}px ${FONT}`;
    c.textAlign = align;
    c.textBaseline = 'middle';
    if (back !== null) {
      const width = c.measureText(text).width + 6;
      const left = align === 'center' ? x - width / 2 : x - 3;
      c.fillStyle = back;
      c.fillRect(left, y - size * 0.62, width, size * 1.24);
    }
    c.fillStyle = fill;
    c.fillText(text, x, y);
  }
}

// `c` is a context, or an SvgPath.
function traceLine(c, {points, x, y}, straight) {
  c.moveTo(points[0] + x, points[1] + y);
  for (let i = 2; i < points.length; i += 2) {
    const px = points[i] + x, py = points[i + 1] + y;
    if (straight || points[i] === points[i - 2]) {
      c.lineTo(px, py);
    } else {
      const middle = (points[i - 1] + points[i + 1]) / 2 + y;
      c.bezierCurveTo(points[i - 2] + x, middle, px, middle, px, py);
    }
  }
}

function traceArrow(c, {points, x, y}, size) {
  const tip = points.length - 2;
  const up = points[1] > points[tip + 1] ? -1 : 1;
  const px = points[tip] + x, py = points[tip + 1] + y;
  c.moveTo(px, py);
  c.lineTo(px - size * 0.55, py - up * size);
  c.lineTo(px + size * 0.55, py - up * size);
  c.closePath();
}

// Collects the data of an SVG path.
class SvgPath {
  constructor() { this.parts = []; }
  static number(value) { return String(Math.round(value * 10) / 10); }
  add(letter, ...numbers) { this.parts.push(letter + numbers.map(SvgPath.number).join(' ')); }
  moveTo(x, y) { this.add('M', x, y); }
  lineTo(x, y) { this.add('L', x, y); }
  bezierCurveTo(...numbers) { this.add('C', ...numbers); }
  closePath() { this.parts.push('Z'); }
  toString() { return this.parts.join(''); }
}

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';

class SvgSurface {
  constructor(width, height, background) {
    this.root = document.createElementNS(SVG_NAMESPACE, 'svg');
    const size = {width: Math.ceil(width), height: Math.ceil(height)};
    SvgSurface.set(this.root, {...size, viewBox: `0 0 ${size.width} ${size.height}`, 'font-family': FONT});
    this.rect(0, 0, size.width, size.height, {fill: background});
  }

  static set(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null) element.setAttribute(name, value);
    }
  }

  add(name, attributes) {
    const element = document.createElementNS(SVG_NAMESPACE, name);
    SvgSurface.set(element, attributes);
    this.root.appendChild(element);
    return element;
  }

  rect(x, y, w, h, {radius = 0, fill = null, stroke = null, width = 1, dash = null, alpha = 1}) {
    const [rx, ry, rw, rh] = [x, y, w, h].map(SvgPath.number);
    this.add('rect', {
      x: rx, y: ry, width: rw, height: rh, rx: radius || null, fill: fill ?? 'none', stroke,
      'stroke-width': stroke === null ? null : width, 'stroke-dasharray': dash === null ? null : dash.join(' '),
      opacity: alpha === 1 ? null : alpha,
    });
  }

  lines(links, {stroke, width, dash = null}) {
    const path = new SvgPath();
    for (const link of links) traceLine(path, link, false);
    if (links.length > 0)
      this.add('path', {d: path, fill: 'none', stroke, 'stroke-width': width, 'stroke-dasharray': dash === null ? null : dash.join(' ')});
  }

  arrows(links, {fill, size}) {
    const path = new SvgPath();
    for (const link of links) traceArrow(path, link, size);
    if (links.length > 0) this.add('path', {d: path, fill});
  }

  text(x, y, text, {size = 12, weight = 400, fill, align = 'left', back = null}) {
    const anchor = align === 'center' ? 'middle' : 'start';
    if (back !== null) {
      const width = widthOf(text, size, weight) + 6;
      this.rect(align === 'center' ? x - width / 2 : x - 3, y - size * 0.62, width, size * 1.24, {fill: back});
    }
    this.add('text', {
      x: SvgPath.number(x), y: SvgPath.number(y), fill, 'font-size': size, 'font-weight': weight, 'text-anchor': anchor,
      'dominant-baseline': 'central',
    }).textContent = text;
  }

  toText() { return new XMLSerializer().serializeToString(this.root); }
}
