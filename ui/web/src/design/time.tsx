// SPDX-License-Identifier: Apache-2.0
// Times and how long things took. One clock ticks for all that is shown as "ago".
import {useSyncExternalStore} from 'react';

import {Hint} from './parts';

let now = Date.now();
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void) {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    listeners.forEach((each) => each());
  }, 1000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}

const UNITS: [number, string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
];

// "250 ms", "3.2 s", "2 m 4 s", "3 d 2 h"
export function formatDuration(millis: number): string {
  const length = Math.max(0, millis);
  if (length < 1) return length === 0 ? '0 ms' : '<1 ms';
  if (length < 1000) return `${Math.round(length)} ms`;
  if (length < 60_000) return `${(length / 1000).toFixed(length < 10_000 ? 1 : 0)} s`;
  for (const [size, unit] of UNITS) {
    if (length < size) continue;
    const [rest, next] = {d: [3_600_000, 'h'], h: [60_000, 'm'], m: [1000, 's']}[unit] as [
      number,
      string,
    ];
    const left = Math.floor((length % size) / rest);
    return `${Math.floor(length / size)} ${unit}` + (left ? ` ${left} ${next}` : '');
  }
  return '';
}

const DAY = new Intl.DateTimeFormat(undefined, {month: 'short', day: 'numeric'});
const CLOCK = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
});
const FULL = new Intl.DateTimeFormat(undefined, {dateStyle: 'medium', timeStyle: 'long'});

export function formatClock(millis: number): string {
  return CLOCK.format(millis);
}

export function formatMoment(millis: number): string {
  const today = new Date().toDateString() === new Date(millis).toDateString();
  return today ? CLOCK.format(millis) : `${DAY.format(millis)} ${CLOCK.format(millis)}`;
}

export function ago(millis: number, from: number): string {
  const distance = from - millis;
  if (Math.abs(distance) < 1500) return 'now';
  const words = formatDuration(Math.abs(distance)).split(' ').slice(0, 2).join(' ');
  return distance > 0 ? `${words.replace(/\.\d/, '')} ago` : `in ${words.replace(/\.\d/, '')}`;
}

export function Time({at, relative}: {at: string | undefined; relative?: boolean}) {
  const current = useNow();
  if (!at) return <span className="quiet">–</span>;
  const millis = Date.parse(at);
  return (
    <Hint
      text={
        <>
          {FULL.format(millis)}
          <br />
          <span className="mono">{at}</span>
        </>
      }
    >
      <time dateTime={at} className="number">
        {relative ? ago(millis, current) : formatMoment(millis)}
      </time>
    </Hint>
  );
}

// From start to end; still counting without an end.
export function Elapsed({from, to}: {from: string | undefined; to: string | undefined}) {
  const current = useNow();
  if (!from) return null;
  const end = to ? Date.parse(to) : Math.max(current, Date.parse(from));
  return <span className="number">{formatDuration(end - Date.parse(from))}</span>;
}
