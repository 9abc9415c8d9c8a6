// SPDX-License-Identifier: Apache-2.0
// The models of the page, as page/write_model.h writes them.
'use strict';

const Kind = Object.freeze({NODE: 0, INPUT: 1, OUTPUT: 2, STATE: 3, ENTERS: 4, LEAVES: 5, GROUP: 6});
const Change = Object.freeze({NONE: 0, CHANGED: 1, INSERTED: 2, REMOVED: 3});
const CHANGE_NAMES = ['matched', 'changed', 'inserted', 'removed'];

const ITEM_FIELDS = 10;
const VALUE_FIELDS = 4;

// One model: its groups, nodes and values.
class Model {
  constructor(raw, texts) {
    this.texts = texts;
    this.raw = raw;
    this.name = texts[raw.name];
    this.level = texts[raw.level];
    this.dialect = texts[raw.dialect];
    this.opsets = texts[raw.opsets];
    this.states = raw.states.map(([name, type, weight]) => ({name: texts[name], type: texts[type], weight}));
    this.groups = raw.groups.map((group, index) => this.readGroup(group, index));
    this.roots = raw.roots.map(([name, isFunction, group]) =>
        ({name: texts[name], isFunction: isFunction === 1, group: this.groups[group]}));
    this.numNodes = raw.nodes.length;
    this.numValues = raw.values.length / VALUE_FIELDS;
    this.itemsOfNode = new Array(this.numNodes).fill(null);
    this.change = new Uint8Array(this.numNodes);
    this.changedValues = new Set();
    this.partner = new Int32Array(this.numNodes).fill(-1);
    this.tieGroups();
    this.readUsers();
  }

  readGroup([title, nodes, width, height, items, links], index) {
    const texts = this.texts;
    const group = {index, title: texts[title], nodes, width, height, items: [], links: [], owner: null, live: null};
    for (let i = 0; i < items.length; i += ITEM_FIELDS) {
      group.items.push({
        kind: items[i], title: texts[items[i + 1]], note: texts[items[i + 2]],
        x: items[i + 3], y: items[i + 4], w: items[i + 5], h: items[i + 6],
        inner: items[i + 7], node: items[i + 8], value: items[i + 9],
        group, open: false, lx: 0, ly: 0, lw: 0, lh: 0, links: null,
      });
    }
    const labelled = new Set();
    for (let i = 0; i < links.length;) {
      const count = links[i + 4];
      const link = {
        from: group.items[links[i]], to: group.items[links[i + 1]], value: links[i + 2], values: links[i + 3],
        points: links.slice(i + 5, i + 5 + 2 * count), live: null, labelled: false, bounds: null,
      };
      const key = links[i] + ' ' + link.value;
      link.labelled = !labelled.has(key);
      labelled.add(key);
      group.links.push(link);
      (link.from.links ??= []).push(link);
      (link.to.links ??= []).push(link);
      i += 5 + 2 * count;
    }
    return group;
  }

  // Inner groups know the items that they open from, nodes the items that show them.
  tieGroups() {
    for (const group of this.groups) {
      for (const item of group.items) {
        if (item.inner >= 0) {
          item.inner = this.groups[item.inner];
          item.inner.owner = item;
        } else {
          item.inner = null;
        }
        if (item.node >= 0) (this.itemsOfNode[item.node] ??= []).push(item);
      }
    }
  }

  // For each value, the nodes that read it.
  readUsers() {
    this.users = new Array(this.numValues).fill(null);
    for (let node = 0; node < this.numNodes; ++node) {
      for (const value of this.raw.nodes[node][2]) {
        if (value < 0) continue;
        const users = (this.users[value] ??= []);
        if (users[users.length - 1] !== node) users.push(node);
      }
    }
    this.itemsOfValue = new Map();
    for (const group of this.groups) {
      for (const item of group.items) {
        const before = this.itemsOfValue.get(item.value);
        const better = before === undefined || (before.kind > Kind.STATE && item.kind <= Kind.STATE);
        if (item.value >= 0 && better) this.itemsOfValue.set(item.value, item);
      }
    }
  }

  op(node) { return this.texts[this.raw.nodes[node][0]]; }
  nodeName(node) { return this.texts[this.raw.nodes[node][1]]; }
  operands(node) { return this.raw.nodes[node][2]; }
  results(node) { return this.raw.nodes[node][3]; }
  attributes(node) {
    const list = this.raw.nodes[node][4], made = [];
    for (let i = 0; i < list.length; i += 2) made.push([this.texts[list[i]], this.texts[list[i + 1]]]);
    return made;
  }
  origins(node) {
    const list = this.raw.nodes[node][5], made = [];
    for (let i = 0; i < list.length; i += 4) {
      const [op, name, scope, location] = list.slice(i, i + 4).map((text) => this.texts[text]);
      made.push({op, name, scope, location});
    }
    return made;
  }
  multiplyAdds(node) { return this.raw.nodes[node][6]; }

  valueName(value) { return this.texts[this.raw.values[value * VALUE_FIELDS]]; }
  valueType(value) { return this.texts[this.raw.values[value * VALUE_FIELDS + 1]]; }
  producer(value) { return this.raw.values[value * VALUE_FIELDS + 2]; }
  weightOf(value) { return this.raw.values[value * VALUE_FIELDS + 3]; }

  weight(number) {
    const raw = this.raw.weights[number];
    const weight = {type: this.texts[raw[0]], bytes: raw[1], text: this.texts[raw[2]], statistics: null};
    if (raw.length > 3) {
      const [lookedAt, zeros, notFinite, least, most, mean, deviation] = raw.slice(3, 10);
      weight.statistics = {lookedAt, zeros, notFinite, least, most, mean, deviation, bins: raw.slice(10)};
    }
    return weight;
  }

  // By which a person knows a node: its name, or that of its first result.
  label(node) {
    const name = this.nodeName(node);
    if (name !== '') return name;
    const result = this.results(node).find((value) => value >= 0);
    return result === undefined ? this.op(node) : this.valueName(result);
  }

  // Of several items that show a node, one whose groups are open; of a node that has none (a
  // constant), that of a reader.
  itemOf(node) {
    const items = this.itemsOfNode[node];
    if (items !== null) return items.find((item) => isShown(item)) ?? items[0];
    for (const value of this.results(node)) {
      for (const user of (value >= 0 && this.users[value]) || []) {
        if (this.itemsOfNode[user] !== null) return this.itemsOfNode[user][0];
      }
    }
    return null;
  }

  // What an edit is about on this side; null: nothing here.
  itemOfEdit(edit, side) {
    if (edit.nodes[side] >= 0) return this.itemOf(edit.nodes[side]);
    return edit.values[side] >= 0 ? this.itemsOfValue.get(edit.values[side]) ?? this.itemOfValue(edit.values[side]) : null;
  }

  // The node, or the input, that gives a value.
  itemOfValue(value) {
    const producer = this.producer(value);
    return producer >= 0 ? this.itemOf(producer) : this.itemsOfValue.get(value) ?? null;
  }

  rootOf(item) {
    let group = item.group;
    while (group.owner !== null) group = group.owner.group;
    return this.roots.find((root) => root.group === group) ?? this.roots[0];
  }
}

// Whether all groups around an item are open.
function isShown(item) {
  for (let owner = item.group.owner; owner !== null; owner = owner.group.owner) {
    if (!owner.open) return false;
  }
  return true;
}

// The item itself, or the outermost folded group around it.
function shownFor(item) {
  let shown = item;
  for (let owner = item.group.owner; owner !== null; owner = owner.group.owner) {
    if (!owner.open) shown = owner;
  }
  return shown;
}

// Calls visit(item) for the items of a group and of all groups below it.
function visitItems(group, visit) {
  const stack = [group];
  while (stack.length > 0) {
    for (const item of stack.pop().items) {
      visit(item);
      if (item.inner !== null) stack.push(item.inner);
    }
  }
}

function readPage() {
  const raw = JSON.parse(document.getElementById('data').textContent);
  const models = raw.models.map((model) => new Model(model, raw.texts));
  const edits = (raw.edits ?? []).map((edit) => {
    const [kind, op, what, before, after, placeA, placeB, elements] =
        edit.slice(0, 8).map((text) => raw.texts[text]);
    return {kind, op, what, before, after, placeA, placeB, elements, nodes: edit.slice(8, 10), values: edit.slice(10)};
  });
  if (raw.kind === 'diff') markChanges(models, raw.pairs, edits);
  return {kind: raw.kind, title: raw.title, verdict: raw.verdict, models, edits};
}

function changeOf(edit) {
  if (edit.kind === 'inserted node') return Change.INSERTED;
  return edit.kind === 'removed node' ? Change.REMOVED : Change.CHANGED;
}

function markChanges([a, b], pairs, edits) {
  for (let i = 0; i < pairs.length; i += 2) {
    a.partner[pairs[i]] = pairs[i + 1];
    b.partner[pairs[i + 1]] = pairs[i];
  }
  for (const edit of edits) {
    [a, b].forEach((model, side) => {
      if (edit.values[side] >= 0) model.changedValues.add(edit.values[side]);
      if (edit.nodes[side] >= 0) model.change[edit.nodes[side]] = Math.max(model.change[edit.nodes[side]], changeOf(edit));
    });
  }
}
