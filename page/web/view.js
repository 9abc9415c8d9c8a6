// SPDX-License-Identifier: Apache-2.0
// One graph on the page: a canvas that pans, zooms, folds and selects.
'use strict';

const NEAREST = 3;
const FARTHEST = 0.0003;
const FIRST_ITEMS = 150;  // that a page shows before anything is unfolded

class View {
  constructor(parent, model, palette, inDiff) {
    this.model = model;
    this.scene = new Scene(model, palette);
    this.scene.inDiff = inDiff;
    this.element = element('div', 'view');
    this.canvas = element('canvas', 'graph');
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `Graph ${model.name}; arrow keys walk along its edges`);
    this.element.append(this.canvas);
    if (inDiff) this.element.append(element('div', 'caption name', model.name));
    this.legend = element('div', 'legend');
    this.legend.hidden = true;
    this.element.append(this.legend);
    parent.append(this.element);
    this.minimap = new Minimap(this);
    this.context = this.canvas.getContext('2d', {alpha: false});
    this.root = null;
    this.scale = 1;
    this.x = 0;  // the plane's coordinates at the corner of the canvas
    this.y = 0;
    this.onSelect = () => {};
    this.frames = [];  // times that the last drawings took, in ms
    this.waiting = false;
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  get width() { return this.element.clientWidth; }
  get height() { return this.element.clientHeight; }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(this.width * ratio));
    this.canvas.height = Math.max(1, Math.round(this.height * ratio));
    if (!this.fitted) this.fit();
    this.draw();
  }

  show(root) {
    if (this.root === root) return;
    this.root = root;
    if (!root.wasShown) openWhileFew(root.group, FIRST_ITEMS);
    root.wasShown = true;
    this.changed();
    this.fitted = false;
    if (this.width > 0) this.fit();
  }

  // After groups were opened or folded.
  changed() {
    layOut(this.root.group);
    this.minimap.stale = true;
    this.request();
  }

  // As much as fits; long graphs begin at their top.
  fit(whole = false) {
    if (this.root === null || this.width === 0) return;
    this.fitted = true;
    const {width, height} = this.root.group.live;
    const room = {w: this.width - 80, h: this.height - 80};
    const all = Math.min(room.w / Math.max(width, 1), room.h / Math.max(height, 1), 1.2);
    this.scale = Math.max(whole ? all : Math.max(all, Math.min(0.8, Math.max(0.5, room.w / Math.max(width, 1)))), FARTHEST);
    const fitsAcross = width * this.scale <= this.width;
    const first = this.root.group.items[0];
    const middle = fitsAcross || first === undefined ? width / 2 : first.lx + first.lw / 2;
    this.x = middle - this.width / 2 / this.scale;
    const fits = height * this.scale <= this.height - 40;
    this.y = fits ? height / 2 - this.height / 2 / this.scale : -44 / this.scale;
    this.request();
  }

  zoomAt(factor, px, py) {
    const scale = Math.min(Math.max(this.scale * factor, FARTHEST), NEAREST);
    this.x += px / this.scale - px / scale;
    this.y += py / this.scale - py / scale;
    this.scale = scale;
    this.request();
  }

  panBy(dx, dy) {
    this.x += dx / this.scale;
    this.y += dy / this.scale;
    this.request();
  }

  centreOn(item, nearer = true) {
    const box = absoluteBox(item);
    if (nearer && this.scale < 0.6) this.scale = 0.8;
    this.x = box.x + box.w / 2 - this.width / 2 / this.scale;
    const tall = box.h * this.scale > this.height * 0.8;
    this.y = tall ? box.y - 60 / this.scale : box.y + box.h / 2 - this.height / 2 / this.scale;
    this.request();
  }

  // Opens what lies around the item, selects it and moves to it.
  reveal(item) {
    this.show(this.model.rootOf(item));
    for (let owner = item.group.owner; owner !== null; owner = owner.group.owner) setOpen(owner, true);
    this.changed();
    this.select(item, false);
    this.centreOn(item);
  }

  select(item, announce = true) {
    this.scene.selected = item;
    this.request();
    if (announce) this.onSelect(item);
  }

  // What lies under a place of the screen stays there while the graph around it changes.
  toggle(item, open = !item.open) {
    if (item === null || item.inner === null) return;
    const before = absoluteBox(item);
    setOpen(item, open);
    if (!open && this.scene.selected !== null && !isShown(this.scene.selected)) this.select(item);
    this.changed();
    const after = absoluteBox(item);
    this.x += after.x + after.w / 2 - before.x - before.w / 2;
    this.y += after.y - before.y;
    this.request();
  }

  setAll(open) {
    visitItems(this.root.group, (item) => setOpen(item, open));
    if (this.scene.selected !== null) this.scene.selected = shownFor(this.scene.selected);
    this.changed();
    this.fit(true);
  }

  planeAt(event) {
    const bounds = this.canvas.getBoundingClientRect();
    const px = event.clientX - bounds.left, py = event.clientY - bounds.top;
    return {px, py, x: this.x + px / this.scale, y: this.y + py / this.scale};
  }

  itemUnder(event) {
    const {x, y} = this.planeAt(event);
    return itemAt(this.root.group, x, y);
  }

  listen() {
    const {canvas} = this;
    canvas.addEventListener('wheel', (event) => {
      event.preventDefault();
      const {px, py} = this.planeAt(event);
      const unit = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 400 : 1;
      if (event.shiftKey) this.panBy(event.deltaY * unit, 0);
      else this.zoomAt(Math.exp(-event.deltaY * unit * 0.0016), px, py);
    }, {passive: false});
    const pointers = new Map();
    let moved = 0;
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, event);
      if (pointers.size === 1) moved = 0;
    });
    canvas.addEventListener('pointermove', (event) => {
      const before = pointers.get(event.pointerId);
      if (before === undefined) return;
      if (pointers.size === 2) this.pinch(pointers, event);
      const dx = event.clientX - before.clientX, dy = event.clientY - before.clientY;
      moved += Math.abs(dx) + Math.abs(dy);
      if (moved > 4) this.element.classList.add('moving');
      this.panBy(-dx / pointers.size, -dy / pointers.size);
      pointers.set(event.pointerId, event);
    });
    const end = (event) => {
      pointers.delete(event.pointerId);
      this.element.classList.remove('moving');
    };
    canvas.addEventListener('pointercancel', end);
    canvas.addEventListener('pointerup', end);
    canvas.addEventListener('click', (event) => {
      if (moved <= 4 && event.detail < 2) this.click(event);
    });
    canvas.addEventListener('dblclick', (event) => {
      if (!this.clickToggled) this.toggle(this.itemUnder(event));
    });
  }

  pinch(pointers, event) {
    const other = [...pointers.values()].find(({pointerId}) => pointerId !== event.pointerId);
    const before = pointers.get(event.pointerId);
    const distance = (a, b) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY);
    const {px, py} = this.planeAt(other);
    this.zoomAt(distance(event, other) / Math.max(distance(before, other), 1), px, py);
  }

  // On the triangle of a group: opens or folds it.
  click(event) {
    const item = this.itemUnder(event);
    this.select(item);
    this.clickToggled = false;
    if (item === null || item.inner === null) return;
    const box = absoluteBox(item), {x, y} = this.planeAt(event);
    this.clickToggled = x - box.x < 26 && y - box.y < HEADER && this.scale > 0.3;
    if (this.clickToggled) this.toggle(item);
  }

  request() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  get area() {
    return {x0: this.x, y0: this.y, x1: this.x + this.width / this.scale, y1: this.y + this.height / this.scale};
  }

  draw() {
    if (this.root === null || this.width === 0) return;
    const begin = performance.now();
    const ratio = this.canvas.width / this.width, scale = this.scale * ratio;
    const c = this.context;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = this.scene.palette.back;
    c.fillRect(0, 0, this.canvas.width, this.canvas.height);
    c.setTransform(scale, 0, 0, scale, -this.x * scale, -this.y * scale);
    this.scene.draw(new CanvasSurface(c), this.root.group, this.area, this.scale);
    this.minimap.draw();
    this.frames.push(performance.now() - begin);
    if (this.frames.length > 1000) this.frames.shift();
  }

  // All of the graph as it is folded now.
  toSvg() {
    const {width, height} = this.root.group.live, margin = 30;
    const surface = new SvgSurface(width + 2 * margin, height + 2 * margin, this.scene.palette.back);
    const group = surface.root;
    surface.root = document.createElementNS(SVG_NAMESPACE, 'g');
    SvgSurface.set(surface.root, {transform: `translate(${margin} ${margin})`});
    this.scene.draw(surface, this.root.group, {x0: -1e9, y0: -1e9, x1: 1e9, y1: 1e9}, 1);
    group.appendChild(surface.root);
    surface.root = group;
    return surface.toText();
  }
}
