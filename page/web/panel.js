// SPDX-License-Identifier: Apache-2.0
// The panel at the side: everything about what is selected. Texts of files become text nodes only.
'use strict';

function element(tag, className = '', text = null) {
  const made = document.createElement(tag);
  if (className !== '') made.className = className;
  if (text !== null) made.textContent = text;
  return made;
}

function grouped(number) { return Number(number).toLocaleString('en-US'); }

function bytesText(bytes) {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let unit = -1;
  for (; bytes >= 1000 && unit + 1 < units.length; ++unit) bytes /= 1000;
  return `${bytes.toFixed(1)} ${units[unit]}`;
}

function shortNumber(number) {
  if (number === null) return 'none';
  if (number === 0) return '0';
  const size = Math.abs(number);
  return size >= 1e5 || size < 1e-3 ? number.toExponential(2) : String(Number(number.toPrecision(4)));
}

class Panel {
  // `reveal(model, item)` shows an item of a model; `others(model, node)` gives what the node is in
  // other models of the page: a list of {title, model, nodes}.
  constructor(root, reveal, others) {
    this.root = root;
    this.reveal = reveal;
    this.others = others;
  }

  show(model, item, heat) {
    this.model = model;
    this.heat = heat;
    this.root.replaceChildren();
    this.root.scrollTop = 0;
    if (item === null) this.showModel();
    else if (item.kind === Kind.NODE) this.showNode(item);
    else if (item.kind === Kind.GROUP) this.showGroup(item);
    else this.showValue(item);
  }

  add(...elements) { this.root.append(...elements); }

  head(title, colour, note) {
    const head = element('h2');
    const swatch = element('span', 'swatch');
    swatch.style.background = `var(--${colour})`;
    head.append(swatch, element('span', 'name', title));
    this.add(head);
    if (note !== '') this.add(element('p', 'muted name', note));
  }

  section(title, ...children) { this.namedSection(title, '', ...children); }

  namedSection(title, name, ...children) {
    if (children.length === 0) return;
    const head = element('h3', '', title);
    if (name !== '') head.append(' ', element('span', 'name', name));
    this.add(head, ...children);
  }

  list(rows) {
    const list = element('dl');
    for (const [term, text] of rows) {
      const data = element('dd', 'name mono');
      data.append(text instanceof Node ? text : document.createTextNode(text));
      list.append(element('dt', 'name', term), data);
    }
    return list;
  }

  button(text, action) {
    const button = element('button', 'link name', text);
    button.addEventListener('click', action);
    return button;
  }

  // A node that can be gone to.
  nodeLink(node, model = this.model, text = model.label(node)) {
    const item = model.itemOf(node);
    const shown = text === '' ? model.op(node) : text;
    return item === null ? element('span', 'name', shown) : this.button(shown, () => this.reveal(model, item));
  }

  showModel() {
    const {model} = this;
    this.head(model.name, 'accent', `${model.level} graph of dialect ${model.dialect}`);
    let weights = 0, bytes = 0;
    for (const raw of model.raw.weights) {
      ++weights;
      bytes += raw[1];
    }
    const rows = [['nodes', grouped(model.numNodes)], ['constants', `${grouped(weights)}, ${bytesText(bytes)}`]];
    if (model.opsets !== '') rows.unshift(['operator sets', model.opsets]);
    this.section('Model', this.list(rows));
    for (const root of model.roots) {
      const ends = root.group.items.filter(({kind}) => kind !== Kind.NODE && kind !== Kind.GROUP);
      const shown = ends.slice(0, 60).map((item) =>
          [item.kind === Kind.INPUT ? 'input' : item.kind === Kind.OUTPUT ? 'output' : 'state',
           this.button(`${item.title}: ${item.note}`, () => this.reveal(model, item))]);
      if (shown.length > 0) this.namedSection(root.isFunction ? 'Function' : 'Entry', root.name, this.list(shown));
    }
    if (model.states.length > 0)
      this.section('States', ...model.states.slice(0, 40).map((state) => this.weightRow(state.name, state.type, state.weight)));
    this.section('Operators', this.operatorCounts(null));
  }

  // How often each operator occurs in a group, or in the whole model.
  operatorCounts(group) {
    const counts = new Map();
    const count = (node) => counts.set(this.model.op(node), (counts.get(this.model.op(node)) ?? 0) + 1);
    if (group === null) for (let node = 0; node < this.model.numNodes; ++node) count(node);
    else visitItems(group, ({node}) => { if (node >= 0) count(node); });
    const sorted = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
    return this.list(sorted.slice(0, 40).map(([op, number]) => [grouped(number), op]));
  }

  showGroup(item) {
    this.head(item.title, 'control', item.note);
    const open = this.button(item.open ? 'Fold' : 'Unfold', () => this.onToggle(item));
    this.add(open);
    this.heatRow(item);
    this.section('Operators', this.operatorCounts(item.inner));
  }

  heatRow(item) {
    const number = this.heat?.number(item) ?? null;
    if (number === null) return;
    this.section(this.heat.title, element('p', 'mono', `${this.heat.unit === '' ? shortNumber(number) : grouped(Math.round(number * 1000) / 1000)} ${this.heat.unit}`));
  }

  showNode(item) {
    const {model} = this, {node} = item;
    this.head(model.op(node), colourName(item), model.nodeName(node));
    if (item.inner !== null) this.add(this.button(item.open ? 'Fold its body' : 'Open its body', () => this.onToggle(item)));
    this.showChange(node);
    this.heatRow(item);
    const attributes = model.attributes(node);
    if (attributes.length > 0) this.section('Attributes', this.list(attributes));
    this.section('Operands', ...model.operands(node).map((value, i) => this.operandRow(value, i)));
    this.section('Results', ...model.results(node).filter((value) => value >= 0).map((value) => this.resultRow(value)));
    const products = model.multiplyAdds(node);
    if (products > 0) this.section('Costs', element('p', 'mono', `${grouped(products)} multiply-adds`));
    for (const {title, model: other, nodes} of this.others(model, node))
      this.namedSection(title, other.name, ...nodes.slice(0, 24).map((one) => this.otherRow(other, one)));
    this.showOrigins(node);
  }

  otherRow(other, node) {
    const row = element('div', 'row');
    row.append(element('div', 'muted', other.op(node)), this.nodeLink(node, other));
    return row;
  }

  showChange(node) {
    const change = this.model.change[node];
    if (change === Change.NONE) return;
    const text = element('p', CHANGE_NAMES[change]);
    text.append(element('span', 'dot'), document.createTextNode(CHANGE_NAMES[change]));
    this.add(text);
  }

  showOrigins(node) {
    const origins = this.model.origins(node);
    this.section('Made of', ...origins.map(({op, name, scope, location}) => {
      const row = element('div', 'row');
      row.append(element('div', 'name', name === '' ? op : `${op}  ${name}`));
      if (scope !== '') row.append(element('div', 'muted name', `in ${scope}`));
      if (location !== '') row.append(element('div', 'mono name', location));
      return row;
    }));
  }

  operandRow(value, i) {
    if (value < 0) {
      const row = element('div', 'row muted', `${i}: left out`);
      return row;
    }
    const weight = this.model.weightOf(value), producer = this.model.producer(value);
    if (weight >= 0) return this.weightRow(`${i}: ${this.model.valueName(value)}`, this.model.valueType(value), weight);
    const row = element('div', 'row');
    const top = element('div', 'top');
    const name = `${i}: ${this.model.valueName(value)}`;
    const item = this.model.itemOfValue(value);
    top.append(item === null ? element('span', 'name', name) : this.button(name, () => this.reveal(this.model, item)));
    row.append(top, element('div', 'mono name', this.model.valueType(value)));
    if (producer >= 0) row.append(element('div', 'muted name', `from ${this.model.op(producer)}`));
    return row;
  }

  resultRow(value) {
    const row = element('div', 'row');
    row.append(element('div', 'name', this.model.valueName(value)), element('div', 'mono name', this.model.valueType(value)));
    const users = this.model.users[value] ?? [];
    for (const user of users.slice(0, 12)) {
      const line = element('div', 'muted', '→ ');
      line.append(this.nodeLink(user, this.model, `${this.model.op(user)} ${this.model.nodeName(user)}`));
      row.append(line);
    }
    if (users.length > 12) row.append(element('div', 'muted', `… and ${users.length - 12} more`));
    return row;
  }

  showValue(item) {
    const {model} = this, {value} = item;
    const words = {[Kind.INPUT]: 'input', [Kind.OUTPUT]: 'output', [Kind.STATE]: 'state', [Kind.ENTERS]: 'read from outside', [Kind.LEAVES]: 'read outside'};
    this.head(item.title, colourName(item), words[item.kind]);
    this.section('Value', this.resultRow(value));
    const weight = model.weightOf(value);
    if (weight >= 0) this.section('Default', this.weightRow(model.valueName(value), model.valueType(value), weight));
    if (item.kind === Kind.STATE) {
      const state = model.states.find(({name}) => item.title === name || item.title === `next ${name}`);
      if (state !== undefined) this.section('Initial value', this.weightRow(state.name, state.type, state.weight));
    }
    const giver = model.producer(value);
    if (giver >= 0) this.section('Computed by', this.otherRow(model, giver));
  }

  weightRow(name, type, number) {
    const row = element('div', 'row');
    row.append(element('div', 'name', name), element('div', 'mono name', type));
    if (number < 0) return row;
    const weight = this.model.weight(number), {statistics} = weight;
    row.append(element('div', 'muted', bytesText(weight.bytes)));
    if (weight.text !== '') row.append(element('div', 'mono name', weight.text.slice(weight.type.length).trim()));
    if (statistics === null) return row;
    row.append(histogram(statistics));
    const stats = element('div', 'stats');
    const cells = [['least', shortNumber(statistics.least)], ['most', shortNumber(statistics.most)],
                   ['mean', shortNumber(statistics.mean)], ['deviation', shortNumber(statistics.deviation)]];
    for (const [word] of cells) stats.append(element('span', '', word));
    for (const [, text] of cells) stats.append(element('b', 'mono', text));
    row.append(stats);
    const notes = [];
    if (statistics.zeros > 0) notes.push(`${grouped(statistics.zeros)} zeros`);
    if (statistics.notFinite > 0) notes.push(`${grouped(statistics.notFinite)} not finite`);
    notes.push(`${grouped(statistics.lookedAt)} elements looked at`);
    row.append(element('div', 'muted', notes.join(', ')));
    return row;
  }
}

function histogram({bins, least, most}) {
  const canvas = element('canvas', 'histogram');
  const ratio = window.devicePixelRatio || 1, width = 288, height = 46;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.title = `from ${shortNumber(least)} to ${shortNumber(most)}`;
  const c = canvas.getContext('2d'), palette = readPalette();
  c.scale(ratio, ratio);
  const highest = Math.max(...bins, 1), step = width / bins.length;
  c.fillStyle = palette.accent;
  bins.forEach((count, i) => {
    if (count === 0) return;
    const h = Math.max(1.5, (height - 2) * count / highest);
    c.fillRect(i * step + 0.75, height - h, step - 1.5, h);
  });
  c.fillStyle = palette.line;
  c.fillRect(0, height - 1, width, 1);
  if (least < 0 && most > 0) {
    c.fillStyle = palette.muted;
    c.fillRect(width * -least / (most - least), 0, 1, height);
  }
  return canvas;
}
