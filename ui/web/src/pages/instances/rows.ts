// SPDX-License-Identifier: Apache-2.0
// The list's rows: pages by cursor, the newest one read again while it is looked at. Rows that are
// known keep their place; only a change of the filter begins anew.
import {useCallback, useEffect, useRef, useState} from 'react';

import {get, type Query} from '../../api/client';
import {hasEnded, type InstanceRow, type Page} from '../../api/types';

export const PAGE = 100;
const EVERY_MILLIS = 2000;

// The newest page as it is now, then what was known below it. Pure.
// undefined: there is no row in both, so what is known says nothing about what lies between.
export function merge(fresh: InstanceRow[], known: InstanceRow[]): InstanceRow[] | undefined {
  if (fresh.length < PAGE) return fresh;
  const end = known.findIndex((row) => row.id === fresh[fresh.length - 1].id);
  return end < 0 ? undefined : [...fresh, ...known.slice(end + 1)];
}

export interface Rows {
  rows: InstanceRow[] | undefined;
  error: unknown;
  more: boolean;
  loadMore: () => void;
  refresh: () => void;
}

interface State {
  key: string;
  rows?: InstanceRow[];
  next?: string;
  error?: unknown;
}

export function useRows(query: Query, live: boolean): Rows {
  const key = JSON.stringify(query);
  const [state, setState] = useState<State>({key});
  const shown = state.key === key ? state : {key};
  const latest = useRef(shown);
  latest.current = shown;
  const loading = useRef(false);

  const readNewest = useCallback(
    async (signal?: AbortSignal) => {
      try {
        const page = await get<Page<InstanceRow>>('instances', {...query, limit: PAGE}, signal);
        setState((old) => {
          const known = old.key === key ? old : {key};
          const rows = merge(page.items, known.rows ?? []);
          if (rows && rows.length > page.items.length) return {key, rows, next: known.next};
          return {key, rows: rows ?? page.items, next: page.next};
        });
      } catch (error) {
        if (!signal?.aborted) setState((old) => ({...(old.key === key ? old : {key}), error}));
      }
    },
    [key],
  );

  useEffect(() => {
    const abort = new AbortController();
    void readNewest(abort.signal);
    return () => abort.abort();
  }, [readNewest]);

  useEffect(() => {
    if (!live) return undefined;
    let stopped = false;
    let timer: ReturnType<typeof setTimeout>;
    const again = () => {
      timer = setTimeout(async () => {
        if (!document.hidden) await readNewest();
        if (!stopped) again();
      }, EVERY_MILLIS);
    };
    again();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [live, readNewest]);

  const loadMore = useCallback(async () => {
    const {next, rows} = latest.current;
    if (!next || !rows || loading.current) return;
    loading.current = true;
    try {
      const page = await get<Page<InstanceRow>>('instances', {
        ...query,
        limit: PAGE * 2,
        cursor: next,
      });
      setState((old) => {
        if (old.key !== key || old.next !== next) return old;
        const ids = new Set(old.rows?.map((row) => row.id));
        return {
          key,
          rows: [...old.rows!, ...page.items.filter((row) => !ids.has(row.id))],
          next: page.next,
        };
      });
    } catch (error) {
      setState((old) => ({...old, error}));
    } finally {
      loading.current = false;
    }
  }, [key]);

  return {
    rows: shown.rows,
    error: shown.error,
    more: shown.next !== undefined,
    loadMore: () => void loadMore(),
    refresh: () => void readNewest(),
  };
}

export function canDo(operation: string, row: InstanceRow): boolean {
  if (operation === 'retry') return row.status === 'faulted' || row.status === 'cancelled';
  if (operation === 'resume') return row.status === 'suspended';
  if (operation === 'suspend') return !hasEnded(row.status) && row.status !== 'suspended';
  return !hasEnded(row.status);
}
