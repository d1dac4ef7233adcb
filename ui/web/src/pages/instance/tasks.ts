// SPDX-License-Identifier: Apache-2.0
// The rows of an instance's tasks: a few at once, the rest behind them, then each that is new or
// changed, as it happens. What comes gathers, so that a thousand a second are drawn a few times a
// second.
import {useEffect, useRef, useState} from 'react';

import {at, get, type Problem} from '../../api/client';
import {parseJson} from '../../api/json';
import {follow} from '../../api/stream';
import type {HistoryItem, Instance, Page, TaskRow} from '../../api/types';

const FIRST_PAGE = 100; // enough for what is in sight
const PAGE = 1000;
const GATHER_MILLIS = 120;
const GATHER_PAGES_MILLIS = 500; // every part of a long list is laid out anew
const POLL_MILLIS = 3000; // where there is no stream

// Places in a history are numbers of up to 64 bits, as text.
export function compareSeq(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

export function mergeRows(rows: TaskRow[], changed: Map<string, TaskRow>): TaskRow[] {
  const rest = new Map(changed);
  const merged = rows.map((row) => {
    const now = rest.get(row.seq);
    rest.delete(row.seq);
    return now ?? row;
  });
  if (rest.size === 0) return merged;
  return [...merged, ...rest.values()].sort((a, b) => compareSeq(a.seq, b.seq));
}

export interface Live {
  rows: TaskRow[] | undefined;
  complete: boolean; // no row is still on its way
  facts: HistoryItem[]; // that came while we looked
  error: unknown;
}

interface Options {
  id: string;
  instance: Instance | undefined;
  onChange: () => void; // the instance may have changed
}

type TakeRows = (rows: TaskRow[], complete: boolean) => void;

async function readRows(id: string, signal: AbortSignal, take: TakeRows) {
  const rows: TaskRow[] = [];
  let cursor: string | undefined;
  let takenAt = -Infinity;
  do {
    const page: Page<TaskRow> = await get(
      `instances/${at(id)}/tasks`,
      {limit: cursor ? PAGE : FIRST_PAGE, cursor},
      signal,
    );
    rows.push(...page.items);
    cursor = page.next;
    if (cursor && performance.now() - takenAt < GATHER_PAGES_MILLIS) continue;
    take([...rows], cursor === undefined);
    takenAt = performance.now();
  } while (cursor);
}

export function useTasks({id, instance, onChange}: Options): Live {
  const [live, setLive] = useState<Live>({
    rows: undefined,
    complete: false,
    facts: [],
    error: undefined,
  });
  const change = useRef(onChange);
  change.current = onChange;
  const known = instance !== undefined;
  const after = useRef<string>();
  after.current ??= instance?.lastSeq;

  useEffect(() => {
    if (!known) return undefined;
    const abort = new AbortController();
    let stop = () => {};
    let timer: ReturnType<typeof setTimeout> | undefined;
    let poll: ReturnType<typeof setInterval> | undefined;
    const changed = new Map<string, TaskRow>();
    let facts: HistoryItem[] = [];

    const flush = () => {
      timer = undefined;
      const [rows, news] = [new Map(changed), facts];
      changed.clear();
      facts = [];
      setLive((old) => ({
        ...old,
        rows: mergeRows(old.rows ?? [], rows),
        facts: news.length > 0 ? [...old.facts, ...news] : old.facts,
      }));
      change.current();
    };
    const refused = (problem: Problem) => {
      if (problem.status === 404 || problem.status === 401) return;
      poll = setInterval(
        () =>
          void readRows(id, abort.signal, (rows, complete) => {
            if (!complete) return;
            setLive((old) => ({...old, rows}));
            change.current();
          }).catch(() => undefined),
        POLL_MILLIS,
      );
    };
    const begin = async () => {
      try {
        await readRows(id, abort.signal, (rows, complete) =>
          setLive((old) => ({...old, rows, complete})),
        );
      } catch (error) {
        if (!abort.signal.aborted) setLive((old) => ({...old, error}));
        return;
      }
      stop = follow(
        `instances/${at(id)}/events`,
        after.current,
        (event) => {
          if (event.event === 'task') {
            const row = parseJson(event.data) as TaskRow;
            changed.set(row.seq, row);
          } else if (event.event === 'history') {
            facts.push(parseJson(event.data) as HistoryItem);
          }
          timer ??= setTimeout(flush, event.event === 'end' ? 0 : GATHER_MILLIS);
        },
        refused,
      );
    };
    void begin();
    return () => {
      abort.abort();
      stop();
      clearTimeout(timer);
      clearInterval(poll);
    };
  }, [id, known]);
  return live;
}
