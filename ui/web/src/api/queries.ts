// SPDX-License-Identifier: Apache-2.0
// What pages ask for, with how often it is asked again.
import {QueryClient, useQuery} from '@tanstack/react-query';

import {asProblem, at, get} from './client';
import type {
  Cluster,
  DeadLetterRow,
  Definition,
  DefinitionRow,
  Graph,
  Me,
  Page,
  Pool,
  Schedule,
  Server,
} from './types';

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 1000,
      networkMode: 'always', // a server on this machine needs no network
      retry: (count, error) => {
        const {status} = asProblem(error);
        return (status === 0 || status === 429 || status === 503) && count < 3;
      },
      retryDelay: (count, error) => (asProblem(error).retryAfter ?? Math.min(2 ** count, 8)) * 1000,
    },
    mutations: {networkMode: 'always'},
  },
});

// Follows `next` to the end, for lists that people have to see whole.
async function all<T>(path: string, query: Record<string, string | undefined>, most = 5000) {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page: Page<T> = await get(path, {...query, limit: 500, cursor});
    items.push(...page.items);
    cursor = page.next;
  } while (cursor && items.length < most);
  return items;
}

export const useServer = () =>
  useQuery({
    queryKey: ['server'],
    queryFn: () => get<Server>('server'),
    staleTime: 60_000,
  });

export const useMe = () =>
  useQuery({
    queryKey: ['me'],
    queryFn: () => get<Me>('me'),
    staleTime: 60_000,
  });

const RANKS = ['viewer', 'operator', 'author', 'admin'];

// Whether I have at least this role somewhere; the server decides about each object.
export function useMay(role: 'operator' | 'author' | 'admin'): boolean {
  const {data} = useMe();
  if (!data || data.authentication === 'none') return true;
  return data.grants.some((grant) => RANKS.indexOf(grant.role) >= RANKS.indexOf(role));
}

export const useDefinitions = () =>
  useQuery({
    queryKey: ['definitions'],
    refetchInterval: 10_000,
    queryFn: () => all<DefinitionRow>('definitions', {latest: 'true'}),
  });

export const useVersions = (namespace: string, name: string) =>
  useQuery({
    queryKey: ['definition', namespace, name, 'versions'],
    queryFn: () => get<Page<DefinitionRow>>(`definitions/${at(namespace, name)}/versions`),
  });

export const useDefinition = (namespace: string, name: string, version?: string) =>
  useQuery({
    queryKey: ['definition', namespace, name, version ?? ''],
    queryFn: () => get<Definition>(`definitions/${at(namespace, name)}`, {version}),
    enabled: namespace !== '' && name !== '',
    staleTime: version ? Infinity : 1000,
  });

export const useGraph = (namespace: string, name: string, version?: string) =>
  useQuery({
    queryKey: ['definition', namespace, name, version ?? '', 'graph'],
    queryFn: () => get<Graph>(`definitions/${at(namespace, name)}/graph`, {version}),
    enabled: namespace !== '' && name !== '',
    staleTime: version ? Infinity : 1000,
  });

export const useSchedules = () =>
  useQuery({
    queryKey: ['schedules'],
    refetchInterval: 5000,
    queryFn: () => get<Page<Schedule>>('schedules'),
  });

export const useDeadLetters = () =>
  useQuery({
    queryKey: ['dead-letters'],
    refetchInterval: 10_000,
    queryFn: () => all<DeadLetterRow>('dead-letters', {}, 2000),
  });

export const useCluster = () =>
  useQuery({
    queryKey: ['cluster'],
    refetchInterval: 2000,
    queryFn: () => get<Cluster>('cluster'),
  });

export const usePools = () =>
  useQuery({
    queryKey: ['pools'],
    refetchInterval: 2000,
    queryFn: () => get<Page<Pool>>('pools'),
  });

// "demo/hello:1.0.0" in its parts.
export function splitId(id: string | undefined): {
  namespace: string;
  name: string;
  version: string;
} {
  const match = /^([^/]*)\/(.*):([^:]*)$/.exec(id ?? '');
  return {namespace: match?.[1] ?? '', name: match?.[2] ?? '', version: match?.[3] ?? ''};
}
