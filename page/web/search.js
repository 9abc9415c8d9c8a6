// SPDX-License-Identifier: Apache-2.0
// The search for nodes, values and operators.
'use strict';

const MOST_FOUND = 100;

class Search {
  // `models()` are those to look in; `go(model, item)` shows what was chosen.
  constructor(input, results, models, go) {
    this.input = input;
    this.results = results;
    this.models = models;
    this.go = go;
    this.found = [];
    this.current = -1;
    input.addEventListener('input', () => this.look());
    input.addEventListener('focus', () => this.look());
    input.addEventListener('keydown', (event) => this.key(event));
    document.addEventListener('pointerdown', (event) => {
      if (!input.parentElement.contains(event.target)) this.close();
    });
  }

  close() {
    this.results.hidden = true;
    this.current = -1;
  }

  // All words must occur in the operator, the name of the node, or that of a result.
  find(words) {
    const found = [];
    for (const model of this.models()) {
      for (let node = 0; node < model.numNodes && found.length < MOST_FOUND; ++node) {
        if (words.every((word) => Search.textOf(model, node).includes(word)) && model.itemOf(node) !== null)
          found.push({model, item: model.itemOf(node), op: model.op(node), name: model.label(node)});
      }
      for (const item of model.itemsOfValue.values()) {
        if (found.length >= MOST_FOUND) break;
        const name = model.valueName(item.value);
        if (item.kind <= Kind.STATE && words.every((word) => (name + ' ' + item.title).toLowerCase().includes(word)))
          found.push({model, item, op: ['', 'input', 'output', 'state'][item.kind], name: item.title});
      }
    }
    return found;
  }

  static textOf(model, node) {
    model.searchTexts ??= new Array(model.numNodes);
    return model.searchTexts[node] ??=
        [model.op(node), model.nodeName(node), ...model.results(node).filter((value) => value >= 0).map((value) => model.valueName(value))]
            .join(' ').toLowerCase();
  }

  look() {
    const words = this.input.value.toLowerCase().split(/\s+/).filter((word) => word !== '');
    this.results.replaceChildren();
    this.found = words.length === 0 ? [] : this.find(words);
    this.current = -1;
    this.results.hidden = words.length === 0;
    if (this.found.length === 0) this.results.append(element('li', 'none', 'nothing is called so'));
    const several = this.models().length > 1;
    this.found.forEach((one, i) => {
      const row = element('li');
      row.setAttribute('role', 'option');
      row.append(element('b', 'name', one.op), element('span', 'name one-line muted', one.name));
      if (several) row.append(element('span', 'space'), element('span', 'muted name one-line', one.model.name));
      row.addEventListener('click', () => this.choose(i));
      this.results.append(row);
    });
    if (this.found.length >= MOST_FOUND) this.results.append(element('li', 'none', `the first ${MOST_FOUND}`));
  }

  key(event) {
    if (event.key === 'Escape') {
      this.close();
      this.input.blur();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      this.mark(this.current + (event.key === 'ArrowDown' ? 1 : -1));
    } else if (event.key === 'Enter' && this.found.length > 0) {
      this.choose(Math.max(this.current, 0));
    } else {
      return;
    }
    event.preventDefault();
  }

  mark(i) {
    if (this.found.length === 0) return;
    this.current = (i + this.found.length) % this.found.length;
    [...this.results.children].forEach((row, k) => row.setAttribute('aria-selected', String(k === this.current)));
    this.results.children[this.current].scrollIntoView({block: 'nearest'});
  }

  choose(i) {
    const {model, item} = this.found[i];
    this.close();
    this.input.blur();
    this.go(model, item);
  }
}
