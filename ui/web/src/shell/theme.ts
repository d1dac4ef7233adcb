// SPDX-License-Identifier: Apache-2.0
// Dark or light: as the system has it until somebody chooses (public/theme.js sets the first).
import {useSyncExternalStore} from 'react';

export type Theme = 'dark' | 'light';

const listeners = new Set<() => void>();

export function currentTheme(): Theme {
  return document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light';
}

function show(theme: Theme) {
  document.documentElement.dataset.theme = theme;
  listeners.forEach((listener) => listener());
}

export function toggleTheme() {
  const next = currentTheme() === 'dark' ? 'light' : 'dark';
  localStorage.setItem('jaque.theme', next);
  show(next);
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', (event) => {
  if (!localStorage.getItem('jaque.theme')) show(event.matches ? 'dark' : 'light');
});

export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, currentTheme);
}
