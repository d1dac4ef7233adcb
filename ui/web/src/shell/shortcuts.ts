// SPDX-License-Identifier: Apache-2.0
// Keys that work everywhere but in fields: single ones ("j") and pairs ("g i").
import {useEffect, useRef, type KeyboardEvent as ReactKeyboardEvent} from 'react';

export type Shortcuts = Record<string, (event: KeyboardEvent) => void>;

const PAIR_MILLIS = 900;

function inField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
      target.shadowRoot !== null)
  );
}

export function useShortcuts(shortcuts: Shortcuts, active = true) {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    if (!active) return undefined;
    let first = '';
    let firstAt = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || inField(event.target)) return;
      if (document.querySelector('dialog[open], .menu')) return;
      const pair = event.timeStamp - firstAt < PAIR_MILLIS ? `${first} ${event.key}` : '';
      const act = current.current[pair] ?? current.current[event.key];
      first = event.key;
      firstAt = event.timeStamp;
      if (!act) return;
      event.preventDefault();
      act(event);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [active]);
}

// Escape leaves a field of search for the list and keeps its text, which a browser would clear.
export function leaveField(event: ReactKeyboardEvent<HTMLInputElement>) {
  if (event.key !== 'Escape') return;
  event.preventDefault();
  event.currentTarget.blur();
}
