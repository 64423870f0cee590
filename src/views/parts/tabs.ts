import { element } from './element.ts';

export interface Tab {
  readonly name: string;
  readonly isEmpty: boolean;
  readonly content: () => readonly Node[];
}

const steps: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowRight: (at, count) => (at + 1) % count,
  ArrowLeft: (at, count) => (at + count - 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Tabs as the ARIA Authoring Practices have them: the arrow keys, Home and End move; a tab's content is made when it is shown. */
export function tabs(name: string, list: readonly Tab[]): readonly Node[] {
  const panel = element('div', { role: 'tabpanel', id: 'panel' });
  const buttons = list.map((tab, index) =>
    element(
      'button',
      { type: 'button', role: 'tab', id: `tab-${index}`, 'aria-controls': 'panel', class: tab.isEmpty && 'none' },
      tab.name,
    ),
  );
  const show = (chosen: number) => {
    buttons.forEach((button, index) => {
      button.setAttribute('aria-selected', String(index === chosen));
      button.tabIndex = index === chosen ? 0 : -1;
    });
    panel.setAttribute('aria-labelledby', `tab-${chosen}`);
    panel.replaceChildren(...(list[chosen]?.content() ?? []));
  };
  buttons.forEach((button, index) => {
    button.addEventListener('click', () => show(index));
    button.addEventListener('keydown', (event) => {
      const next = steps[event.key]?.(index, list.length);
      if (next === undefined) return;
      event.preventDefault();
      show(next);
      buttons[next]?.focus();
    });
  });
  show(0);
  return [element('div', { role: 'tablist', 'aria-label': name }, ...buttons), panel];
}
