// SPDX-License-Identifier: Apache-2.0
// The page as a whole: its views, toolbar, keys and colours.
'use strict';

const KEYS = [
  ['/', 'search'], ['← ↑ → ↓', 'walk along edges, and to neighbours'], ['Enter', 'open or fold what is selected'],
  ['f', 'show the whole graph'], ['+  −', 'zoom'], ['c  x', 'fold all, unfold all'], ['l', 'other level'],
  ['n  p', 'next and previous difference'], ['t', 'light or dark'], ['s', 'save as SVG'], ['Esc', 'select nothing'],
];

class App {
  constructor() {
    this.page = readPage();
    this.inDiff = this.page.kind === 'diff';
    document.title = `${this.page.title} – Dragoman`;
    this.by('title').textContent = this.page.title;
    this.by('title').title = this.page.title;
    document.documentElement.classList.toggle('dark', matchMedia('(prefers-color-scheme: dark)').matches);
    this.palette = readPalette();
    const shown = this.inDiff ? this.page.models : this.page.models.slice(0, 1);
    this.panel = new Panel(this.by('panel'), (model, item) => this.reveal(model, item), (model, node) => this.others(model, node));
    this.panel.onToggle = (item) => {
      this.active.toggle(item);
      this.describe(this.active, item);
    };
    this.heats = new Map();
    this.views = shown.map((model) => this.makeView(model));
    this.active = this.views[0];
    if (!this.inDiff) this.active.model = null;
    for (const [i, view] of this.views.entries()) this.setModel(view, this.page.models[i]);
    new Search(this.by('search'), this.by('results'), () => this.inDiff ? this.page.models : [this.active.model],
               (model, item) => this.reveal(model, item));
    this.makeLevels();
    this.makeHeats();
    this.makeButtons();
    if (this.inDiff) this.edits = new EditList(this.by('edits'), this.page, (edit) => this.showEdit(edit));
    document.addEventListener('keydown', (event) => this.key(event));
    this.describe(this.active, null);
  }

  by(id) { return document.getElementById(id); }

  makeView(model) {
    const view = new View(this.by('views'), model, this.palette, this.inDiff);
    view.onSelect = (item) => this.selected(view, item);
    view.canvas.addEventListener('focus', () => { this.active = view; });
    view.canvas.addEventListener('pointerdown', () => { this.active = view; });
    return view;
  }

  setModel(view, model) {
    if (view.model === model && view.root !== null) return;
    view.model = model;
    view.scene.model = model;
    view.scene.selected = null;
    view.root = null;
    view.show(model.lastRoot ?? model.roots[0]);
    this.makeRoots();
    this.showHeat();
    for (const tab of this.by('levels').children)
      tab.setAttribute('aria-selected', String(this.page.models[tab.dataset.number] === model));
  }

  // Entries and functions; those of both sides by their numbers.
  makeRoots() {
    const select = this.by('roots');
    const roots = this.active.model?.roots ?? [];
    select.replaceChildren(...roots.map((root, i) => {
      const option = element('option', '', (root.isFunction ? 'function ' : 'entry ') + root.name);
      option.value = i;
      option.selected = root === this.active.root;
      return option;
    }));
    select.hidden = roots.length < 2;
    select.onchange = () => {
      for (const view of this.views) {
        const root = view.model.roots[select.value];
        if (root === undefined) continue;
        view.model.lastRoot = root;
        view.select(null, false);
        view.show(root);
      }
    };
  }

  makeLevels() {
    if (this.inDiff || this.page.models.length < 2) return;
    this.page.models.forEach((model, i) => {
      const tab = element('button', '', model.name);
      tab.setAttribute('role', 'tab');
      tab.setAttribute('aria-selected', String(model === this.active.model));
      tab.dataset.number = i;
      tab.addEventListener('click', () => this.setLevel(i));
      this.by('levels').append(tab);
    });
  }

  setLevel(i) {
    this.setModel(this.active, this.page.models[i]);
    this.describe(this.active, null);
  }

  // Multiply-adds and weights, which every model has, then what the page was given.
  heatsOf(model) {
    if (this.heats.has(model)) return this.heats.get(model);
    const products = new Map(), weights = new Map();
    for (let node = 0; node < model.numNodes; ++node) {
      if (model.multiplyAdds(node) > 0) products.set(node, model.multiplyAdds(node));
      let bytes = 0;
      for (const value of model.operands(node)) {
        if (value >= 0 && model.weightOf(value) >= 0) bytes += model.raw.weights[model.weightOf(value)][1];
      }
      if (bytes > 0) weights.set(node, bytes);
    }
    const heats = model.raw.heats.map(([title, unit, ...rows]) => {
      const numbers = new Map();
      for (let i = 0; i < rows.length; i += 2) numbers.set(rows[i], rows[i + 1]);
      return new Heat(model.texts[title], model.texts[unit], numbers, model.texts[unit] !== '');
    });
    if (products.size > 0) heats.push(new Heat('multiply-adds', 'multiply-adds', products, true));
    if (weights.size > 0) heats.push(new Heat('weights', 'bytes', weights, true));
    this.heats.set(model, heats);
    return heats;
  }

  makeHeats() {
    const select = this.by('heat');
    const titles = [...new Set(this.page.models.flatMap((model) => this.heatsOf(model).map(({title}) => title)))];
    const option = (value, text) => {
      const made = element('option', '', text);
      made.value = value;
      return made;
    };
    select.replaceChildren(option('', 'colours: operators'), ...titles.map((title) => option(title, `colours: ${title}`)));
    select.hidden = titles.length === 0 || this.inDiff;
    select.addEventListener('change', () => this.showHeat());
  }

  showHeat() {
    const title = this.by('heat').value;
    for (const view of this.views ?? []) {
      const heat = view.model === null ? null : this.heatsOf(view.model).find((one) => one.title === title) ?? null;
      view.scene.heat = heat;
      view.legend.hidden = heat === null;
      if (heat !== null) {
        const most = heat.unit === '' ? shortNumber(heat.most) : `${grouped(Math.round(heat.most))} ${heat.unit}`;
        view.legend.replaceChildren(element('span', '', '0'), element('span', 'ramp'), element('span', '', most));
      }
      view.minimap.stale = true;
      view.request();
      if (view === this.active && view.root !== null) this.describe(view, view.scene.selected);
    }
  }

  makeButtons() {
    const actions = {
      fold: () => this.views.forEach((view) => view.setAll(false)),
      unfold: () => this.views.forEach((view) => view.setAll(true)),
      fit: () => this.views.forEach((view) => view.fit(true)),
      svg: () => this.saveSvg(),
      theme: () => this.toggleTheme(),
      help: () => this.showKeys(),
    };
    for (const [id, action] of Object.entries(actions)) this.by(id).addEventListener('click', action);
    this.actions = actions;
  }

  toggleTheme() {
    document.documentElement.classList.toggle('dark');
    this.palette = readPalette();
    for (const view of this.views) {
      view.scene.palette = this.palette;
      view.minimap.stale = true;
      view.request();
    }
    this.describe(this.active, this.active.scene.selected);
  }

  saveSvg() {
    const link = element('a');
    link.href = URL.createObjectURL(new Blob([this.active.toSvg()], {type: 'image/svg+xml'}));
    link.download = `${this.active.model.name.replace(/[^A-Za-z0-9._-]+/g, '_')}.svg`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  showKeys() {
    const dialog = this.by('keys');
    const list = element('dl');
    for (const [key, what] of KEYS) {
      const term = element('dt');
      term.append(element('kbd', '', key));
      list.append(term, element('dd', '', what));
    }
    const close = element('button', '', 'Close');
    close.addEventListener('click', () => dialog.close());
    dialog.replaceChildren(element('b', '', 'Keys'), list, element('p', 'muted', 'Drag to pan, turn the wheel to zoom, double-click a group to open it.'), close);
    dialog.showModal();
  }

  selected(view, item) {
    this.describe(view, item);
    if (!this.inDiff || item === null || item.node < 0) return;
    const other = this.views.find((one) => one !== view);
    const partner = view.model.partner[item.node];
    const there = partner >= 0 ? other.model.itemOf(partner) : null;
    if (there === null) return other.select(null, false);
    other.select(shownFor(there), false);
    other.centreOn(shownFor(there), false);
  }

  describe(view, item) {
    this.panel.show(view.model, item, view.scene.heat);
    const what = item === null ? '' : ` · ${item.title}${item.node >= 0 ? ` ${view.model.nodeName(item.node)}` : ''}`;
    this.by('status').textContent = `${view.model.name} · ${grouped(view.model.numNodes)} nodes${what}`;
  }

  reveal(model, item) {
    let view = this.views.find((one) => one.model === model);
    if (view === undefined) {
      view = this.active;
      this.setModel(view, model);
    }
    this.active = view;
    view.reveal(item);
    this.makeRoots();
    this.selected(view, item);
  }

  showEdit(edit) {
    this.views.forEach((view, side) => {
      const item = view.model.itemOfEdit(edit, side);
      if (item === null) return view.select(null, false);
      view.reveal(item);
      this.describe(view, item);
    });
  }

  // What a node is at the other level: by the names of source operators.
  others(model, node) {
    if (this.inDiff) {
      const other = this.page.models.find((one) => one !== model);
      const partner = model.partner[node];
      return partner < 0 ? [] : [{title: 'In', model: other, nodes: [partner]}];
    }
    const [source, common] = this.page.models;
    if (common === undefined) return [];
    this.indexOrigins(source, common);
    const found = (model === source ? this.made : this.sources).get(node) ?? [];
    const other = model === source ? common : source;
    return found.length === 0 ? [] : [{title: model === source ? 'Became, in' : 'From, in', model: other, nodes: found}];
  }

  indexOrigins(source, common) {
    if (this.made !== undefined) return;
    this.made = new Map();
    this.sources = new Map();
    const byName = new Map();
    for (let node = 0; node < source.numNodes; ++node) {
      if (source.nodeName(node) !== '') byName.set(source.op(node) + '\n' + source.nodeName(node), node);
    }
    const push = (map, key, value) => map.has(key) ? map.get(key).push(value) : map.set(key, [value]);
    for (let node = 0; node < common.numNodes; ++node) {
      for (const {op, name} of common.origins(node)) {
        const from = byName.get(op + '\n' + name);
        if (from === undefined) continue;
        push(this.made, from, node);
        push(this.sources, node, from);
      }
    }
  }

  // Along an edge, up or down; sideways, to the next item of the group in its row.
  walk(key) {
    const view = this.active, item = view.scene.selected;
    if (item === null) return view.select(view.root.group.items[0]);
    const ways = {
      ArrowUp: () => (item.links ?? []).filter(({to}) => to === item).map(({from}) => from),
      ArrowDown: () => (item.links ?? []).filter(({from}) => from === item).map(({to}) => to),
      ArrowLeft: () => this.beside(item, -1),
      ArrowRight: () => this.beside(item, 1),
    };
    const next = ways[key]().filter((one) => one !== item);
    const owner = item.group.owner;
    const chosen = next[0] ?? (key === 'ArrowUp' && owner !== null ? owner : null);
    if (chosen === null) return;
    view.select(chosen);
    view.centreOn(chosen, false);
  }

  beside(item, way) {
    const distance = (one) => way * (one.lx - item.lx);
    return item.group.items
        .filter((one) => one !== item && distance(one) > 0 && one.ly < item.ly + item.lh && one.ly + one.lh > item.ly)
        .sort((a, b) => distance(a) - distance(b));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input, select, dialog *')) return;
    const view = this.active;
    const keys = {
      '/': () => this.by('search').focus(),
      'f': this.actions.fit, 's': this.actions.svg, 't': this.actions.theme, '?': this.actions.help,
      'c': this.actions.fold, 'x': this.actions.unfold,
      '+': () => view.zoomAt(1.3, view.width / 2, view.height / 2),
      '=': () => view.zoomAt(1.3, view.width / 2, view.height / 2),
      '-': () => view.zoomAt(1 / 1.3, view.width / 2, view.height / 2),
      'n': () => this.edits?.step(1), 'p': () => this.edits?.step(-1),
      'l': () => { if (!this.inDiff && this.page.models.length > 1) this.setLevel(1 - this.page.models.indexOf(view.model)); },
      'Enter': () => { if (!event.target.matches('button, li')) { view.toggle(view.scene.selected); this.describe(view, view.scene.selected); } },
      'Escape': () => view.select(null),
    };
    const action = event.key.startsWith('Arrow') ? () => this.walk(event.key) : keys[event.key];
    if (action === undefined || (event.key === 'Enter' && event.target.matches('button'))) return;
    event.preventDefault();
    action();
  }
}

// For tests, which time drawings: window.dragoman.
window.dragoman = new App();
document.documentElement.dataset.ready = 'true';
