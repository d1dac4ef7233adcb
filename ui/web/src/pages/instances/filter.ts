// SPDX-License-Identifier: Apache-2.0
// The filter of the list lives in the address, so that it can be sent to somebody.
import {useMemo} from 'react';
import {useSearchParams} from 'react-router-dom';

import type {Query} from '../../api/client';
import {STATUSES, type InstanceFilter, type Status} from '../../api/types';

const TEXTS = [
  'q',
  'namespace',
  'name',
  'version',
  'parent',
  'rerunOf',
  'schedule',
  'startedAfter',
  'startedBefore',
] as const;

export const RANGES: Record<string, {label: string; millis: number}> = {
  '1h': {label: 'Last hour', millis: 3_600_000},
  '6h': {label: '6 hours', millis: 6 * 3_600_000},
  '24h': {label: '24 hours', millis: 24 * 3_600_000},
  '7d': {label: '7 days', millis: 7 * 24 * 3_600_000},
};

export function readFilter(params: URLSearchParams): InstanceFilter {
  const filter: InstanceFilter = {};
  for (const name of TEXTS) {
    const value = params.get(name);
    if (value) filter[name] = value;
  }
  const status = params
    .getAll('status')
    .filter((one): one is Status => STATUSES.includes(one as Status));
  if (status.length > 0) filter.status = status;
  const tag = params.getAll('tag').filter(Boolean);
  if (tag.length > 0) filter.tag = tag;
  return filter;
}

export interface FilterState {
  filter: InstanceFilter;
  query: Query;
  range: string;
  active: boolean; // anything narrows the list
  set: (changes: Record<string, string | string[] | undefined>) => void;
  clear: () => void;
}

export function useFilter(): FilterState {
  const [params, setParams] = useSearchParams();
  const text = params.toString();
  return useMemo(() => {
    const filter = readFilter(params);
    const set = (changes: Record<string, string | string[] | undefined>) =>
      setParams(
        (old) => {
          const next = new URLSearchParams(old);
          for (const [name, value] of Object.entries(changes)) {
            next.delete(name);
            for (const one of Array.isArray(value) ? value : [value])
              if (one) next.append(name, one);
          }
          return next;
        },
        {replace: true},
      );
    return {
      filter,
      query: {...filter} as Query,
      range: RANGES[params.get('range') ?? ''] ? params.get('range')! : '24h',
      active: Object.keys(filter).length > 0,
      set,
      clear: () => setParams({}, {replace: true}),
    };
  }, [text]);
}
