// SPDX-License-Identifier: Apache-2.0
// A value as rows to be drawn: what is folded is not walked, long lists come in parts. Pure.
import {rawNumber} from '../api/json';

export const PART = 100; // members of one object or list that are shown at first

export interface JsonLine {
  path: string; // JSON pointer
  depth: number;
  name: string | undefined; // key or index
  value: unknown;
  size: number | undefined; // of an object or a list
  open: boolean;
  more?: number; // stands for so many further members of `path`
}

export interface Folding {
  closed: ReadonlySet<string>; // opened at first and closed by hand
  opened: ReadonlySet<string>;
  parts: ReadonlyMap<string, number>; // members shown beyond PART
}

export function isComposite(value: unknown): value is object {
  return typeof value === 'object' && value !== null && rawNumber(value) === undefined;
}

function membersOf(value: object): [string, unknown][] {
  return Array.isArray(value)
    ? value.map((item, index) => [String(index), item])
    : Object.entries(value);
}

function sizeOf(value: object): number {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

export function pointerOf(path: string, name: string): string {
  return `${path}/${name.replace(/~/g, '~0').replace(/\//g, '~1')}`;
}

function isOpen(path: string, depth: number, size: number, folding: Folding): boolean {
  if (folding.closed.has(path)) return false;
  return folding.opened.has(path) || depth === 0 || (depth < 3 && size <= 25);
}

export function linesOf(value: unknown, folding: Folding): JsonLine[] {
  const lines: JsonLine[] = [];
  const walk = (item: unknown, name: string | undefined, path: string, depth: number) => {
    if (!isComposite(item)) {
      lines.push({path, depth, name, value: item, size: undefined, open: false});
      return;
    }
    const size = sizeOf(item);
    const open = size > 0 && isOpen(path, depth, size, folding);
    lines.push({path, depth, name, value: item, size, open});
    if (!open) return;
    const shown = PART + (folding.parts.get(path) ?? 0);
    const members = membersOf(item);
    for (const [key, member] of members.slice(0, shown)) {
      walk(member, key, pointerOf(path, key), depth + 1);
    }
    if (size > shown) {
      lines.push({
        path,
        depth: depth + 1,
        name: undefined,
        value: undefined,
        size: undefined,
        open: false,
        more: size - shown,
      });
    }
  };
  walk(value, undefined, '', 0);
  return lines;
}

export function scalarText(value: unknown): string {
  const raw = rawNumber(value);
  if (raw !== undefined) return raw;
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

// Pointers of the members whose name or value has the text, at most `limit`.
export function find(value: unknown, text: string, limit = 1000): string[] {
  const wanted = text.toLowerCase();
  const found: string[] = [];
  const walk = (item: unknown, name: string, path: string) => {
    if (found.length >= limit) return;
    const composite = isComposite(item);
    const here =
      name.toLowerCase().includes(wanted) ||
      (!composite && scalarText(item).toLowerCase().includes(wanted));
    if (here) found.push(path);
    if (composite) {
      for (const [key, member] of membersOf(item)) walk(member, key, pointerOf(path, key));
    }
  };
  walk(value, '', '');
  return found;
}

// What has to be open for the place to be seen: itself excepted.
export function ancestorsOf(path: string): string[] {
  const steps = path.split('/').slice(1, -1);
  const all = [''];
  for (const step of steps) all.push(all[all.length - 1] + '/' + step);
  return all;
}

// How many members beyond the first part its list has to show.
export function partsFor(path: string, value: unknown): [string, number][] {
  const needed: [string, number][] = [];
  let item = value;
  let at = '';
  for (const step of path.split('/').slice(1)) {
    if (!isComposite(item)) break;
    const key = step.replace(/~1/g, '/').replace(/~0/g, '~');
    const index = Array.isArray(item) ? Number(key) : Object.keys(item).indexOf(key);
    if (index >= PART) needed.push([at, index + 1 - PART + 20]);
    item = (item as Record<string, unknown>)[key];
    at += '/' + step;
  }
  return needed;
}
