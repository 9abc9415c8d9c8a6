// SPDX-License-Identifier: Apache-2.0
// The whole graph in a corner, with what the view shows of it.
'use strict';

class Minimap {
  constructor(view) {
    this.view = view;
    this.canvas = element('canvas', 'minimap');
    this.canvas.setAttribute('aria-hidden', 'true');
    view.element.append(this.canvas);
    this.context = this.canvas.getContext('2d');
    this.picture = document.createElement('canvas');
    this.stale = true;
    this.listen();
  }

  // The picture is made anew when the graph changes.
  paint() {
    const {root, scene} = this.view;
    const {width, height} = root.group.live;
    const ratio = window.devicePixelRatio || 1;
    this.scale = Math.min(180 / Math.max(width, 1), 150 / Math.max(height, 1));
    const w = Math.max(24, Math.ceil(width * this.scale)), h = Math.max(24, Math.ceil(height * this.scale));
    this.canvas.style.width = `${w}px`;
    this.canvas.style.height = `${h}px`;
    for (const canvas of [this.canvas, this.picture]) {
      canvas.width = w * ratio;
      canvas.height = h * ratio;
    }
    const c = this.picture.getContext('2d');
    c.setTransform(this.scale * ratio, 0, 0, this.scale * ratio, 0, 0);
    const {selected} = scene;
    scene.selected = null;
    scene.draw(new CanvasSurface(c), root.group, {x0: -1e9, y0: -1e9, x1: 1e9, y1: 1e9}, Math.min(this.scale, 0.19));
    scene.selected = selected;
    this.stale = false;
  }

  draw() {
    const {view} = this;
    const {width, height} = view.root.group.live;
    const area = view.area;
    const needless = area.x0 <= 0 && area.y0 <= 0 && area.x1 >= width && area.y1 >= height;
    this.canvas.style.display = needless || view.width < 420 ? 'none' : '';
    if (needless) return;
    if (this.stale) this.paint();
    const c = this.context, ratio = window.devicePixelRatio || 1, s = this.scale * ratio;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, this.canvas.width, this.canvas.height);
    c.drawImage(this.picture, 0, 0);
    c.fillStyle = view.scene.palette.accent;
    c.globalAlpha = 0.12;
    const [x, y, w, h] = [area.x0 * s, area.y0 * s, (area.x1 - area.x0) * s, (area.y1 - area.y0) * s];
    c.fillRect(x, y, w, h);
    c.globalAlpha = 1;
    c.strokeStyle = view.scene.palette.accent;
    c.lineWidth = 1.5 * ratio;
    c.strokeRect(x, y, Math.max(w, 3), Math.max(h, 3));
  }

  listen() {
    const move = (event) => {
      const bounds = this.canvas.getBoundingClientRect();
      this.view.x = (event.clientX - bounds.left) / this.scale - this.view.width / 2 / this.view.scale;
      this.view.y = (event.clientY - bounds.top) / this.scale - this.view.height / 2 / this.view.scale;
      this.view.request();
    };
    this.canvas.addEventListener('pointerdown', (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      move(event);
    });
    this.canvas.addEventListener('pointermove', (event) => {
      if (event.buttons !== 0) move(event);
    });
  }
}
