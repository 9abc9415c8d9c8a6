// SPDX-License-Identifier: Apache-2.0
// The differences between two models, as a list to step through.
'use strict';

const MOST_LISTED = 2000;

class EditList {
  // `go(edit)` shows the places of an edit.
  constructor(root, page, go) {
    this.root = root;
    this.edits = page.edits;
    this.go = go;
    this.current = -1;
    this.hidden = new Set();
    const head = element('div', 'edits-head');
    head.append(element('div', 'verdict name', page.verdict));
    if (this.edits.length > 0) {
      this.previous = element('button', '', '← Previous');
      this.next = element('button', '', 'Next →');
      this.place = element('span', 'muted');
      this.previous.title = 'Previous difference (p)';
      this.next.title = 'Next difference (n)';
      this.previous.addEventListener('click', () => this.step(-1));
      this.next.addEventListener('click', () => this.step(1));
      head.append(this.previous, this.next, this.place);
    }
    this.list = element('ol', 'edit-list');
    root.hidden = false;
    root.append(head, this.chips(), this.list);
    this.fill();
  }

  get shown() { return this.edits.filter((edit) => !this.hidden.has(edit.kind)); }

  chips() {
    const chips = element('div', 'chips');
    const counts = new Map();
    for (const edit of this.edits) counts.set(edit.kind, (counts.get(edit.kind) ?? 0) + 1);
    for (const [kind, count] of counts) {
      const change = changeOf({kind});
      const chip = element('button', `chip ${CHANGE_NAMES[change]}`);
      chip.append(element('span', 'dot'), document.createTextNode(`${kind} ${count}`));
      chip.setAttribute('aria-pressed', 'true');
      chip.addEventListener('click', () => {
        const hide = !this.hidden.delete(kind);
        if (hide) this.hidden.add(kind);
        chip.setAttribute('aria-pressed', String(!hide));
        this.current = -1;
        this.fill();
      });
      chips.append(chip);
    }
    return chips;
  }

  fill() {
    this.list.replaceChildren();
    const shown = this.shown;
    shown.slice(0, MOST_LISTED).forEach((edit, i) => {
      const row = element('li', CHANGE_NAMES[changeOf(edit)]);
      const where = element('span', 'where name');
      where.append(element('span', 'dot'), document.createTextNode(edit.placeA === '' ? edit.placeB : edit.placeA));
      row.append(where, element('span', 'what name', EditList.text(edit)));
      row.addEventListener('click', () => this.choose(i));
      this.list.append(row);
    });
    if (shown.length > MOST_LISTED) this.list.append(element('li', 'muted', `… and ${shown.length - MOST_LISTED} more`));
    this.showPlace();
  }

  static text(edit) {
    let text = edit.what === '' ? edit.kind : `${edit.kind}: ${edit.what}`;
    if (edit.before !== '' && edit.after !== '') text += `: ${edit.before} → ${edit.after}`;
    else if (edit.before + edit.after !== '') text += `: ${edit.before}${edit.after}`;
    return edit.elements === '' ? text : `${text}; ${edit.elements}`;
  }

  step(by) {
    const count = this.shown.length;
    if (count > 0) this.choose(this.current < 0 ? (by > 0 ? 0 : count - 1) : (this.current + by + count) % count);
  }

  choose(i) {
    this.list.querySelector('[aria-current]')?.removeAttribute('aria-current');
    this.current = i;
    const row = this.list.children[Math.min(i, MOST_LISTED)];
    row?.setAttribute('aria-current', 'true');
    row?.scrollIntoView({block: 'nearest'});
    this.showPlace();
    this.go(this.shown[i]);
  }

  showPlace() {
    if (this.place !== undefined) this.place.textContent = `${this.current < 0 ? '–' : this.current + 1} of ${this.shown.length}`;
  }
}
