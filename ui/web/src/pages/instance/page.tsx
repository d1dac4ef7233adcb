// SPDX-License-Identifier: Apache-2.0
// One instance: graph, timeline, history, values, family; what can be done to it.
import {keepPreviousData, useQuery} from '@tanstack/react-query';
import {lazy, Suspense, useCallback, useMemo, useState} from 'react';
import {Link, useParams, useSearchParams} from 'react-router-dom';

import {at, get} from '../../api/client';
import {queryClient, splitId, useDefinition, useGraph} from '../../api/queries';
import {hasEnded, type Awaited, type Instance, type Page} from '../../api/types';
import {Icon} from '../../design/icon';
import {JsonView} from '../../design/json_view';
import {Copy, Panel, ProblemView, Skeleton, Tabs, type Tab} from '../../design/parts';
import {StatusBadge} from '../../design/status';
import {Text} from '../../design/text';
import {Elapsed, Time, useNow} from '../../design/time';
import {useShortcuts} from '../../shell/shortcuts';
import {Actions, type RerunFrom} from './actions';
import {Family, useChildren} from './family';
import {FaultView} from './fault';
import {History} from './history';
import {Inspector} from './inspector';
import './instance.css';
import {graphState} from './state';
import {useTasks} from './tasks';
import {Timeline} from './timeline';

const GraphView = lazy(() => import('../../graph/view'));

export default function InstancePage() {
  const id = useParams().id!;
  const found = useQuery({
    queryKey: ['instance', id],
    structuralSharing: false,
    queryFn: ({signal}) => get<Instance>(`instances/${at(id)}`, {}, signal),
    // The stream says what changes; this is for what it cannot say.
    refetchInterval: (query) =>
      query.state.data && hasEnded(query.state.data.status) ? false : 5000,
  });
  if (found.error && !found.data) {
    return (
      <main className="page" id="content" tabIndex={-1}>
        <ProblemView error={found.error} onRetry={() => void found.refetch()} />
        <p>
          <Link to="/instances">All instances</Link>
        </p>
      </main>
    );
  }
  if (!found.data) {
    return (
      <main className="page" id="content">
        <Skeleton rows={10} height={44} />
      </main>
    );
  }
  return <InstanceView key={id} instance={found.data} />;
}

function Head({instance}: {instance: Instance}) {
  const {namespace, name, version} = splitId(instance.definition);
  const to =
    `/definitions/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}` +
    `?version=${encodeURIComponent(version)}`;
  return (
    <div className="instance-head">
      <div className="row">
        <h1 className="ellipsis">
          <Text>{name || instance.id}</Text>
        </h1>
        <StatusBadge status={instance.status} />
      </div>
      <div className="row wrap small soft instance-facts">
        <Link to={to} className="ellipsis">
          <Text>{instance.definition}</Text>
        </Link>
        <span className="row" style={{gap: 0}}>
          <span className="mono">{instance.id}</span>
          <Copy text={instance.id} label="Copy the id" />
        </span>
        <span>
          started <Time at={instance.startedAt} />
        </span>
        <span>
          {instance.endedAt ? 'took' : 'for'}{' '}
          <Elapsed from={instance.startedAt} to={instance.endedAt} />
        </span>
        {instance.actor && (
          <span>
            by <Text>{instance.actor}</Text>
          </span>
        )}
        {instance.parent && (
          <Link to={`/instances/${encodeURIComponent(instance.parent)}`}>its parent</Link>
        )}
        {instance.rerunOf && (
          <Link to={`/instances/${encodeURIComponent(instance.rerunOf)}`}>
            does another one again
          </Link>
        )}
        {Object.entries(instance.tags ?? {}).map(([key, value]) => (
          <Link
            key={key}
            className="chip"
            to={'/instances?tag=' + encodeURIComponent(`${key}:${value}`)}
          >
            <Text>{key}</Text>: <Text>{value}</Text>
          </Link>
        ))}
      </div>
    </div>
  );
}

function Waiting({awaited}: {awaited: Awaited[]}) {
  const types = awaited.flatMap((each) =>
    each.filters
      .filter((filter) => !filter.matched)
      .map((filter) => String((filter.with as {type?: unknown} | undefined)?.type ?? 'any type')),
  );
  if (types.length === 0) return null;
  const due = awaited.find((each) => each.dueAt)?.dueAt;
  return (
    <p className="callout tone-waiting">
      <Icon name="ear" />
      <span>
        It waits for an event of{' '}
        {types.slice(0, 3).map((type, index) => (
          <span key={index}>
            {index > 0 && ' or '}
            <span className="mono">
              <Text>{type}</Text>
            </span>
          </span>
        ))}
        {due && (
          <>
            , until <Time at={due} />
          </>
        )}
        .
      </span>
    </p>
  );
}

function useAwaited(instance: Instance) {
  const listens = !hasEnded(instance.status);
  const answer = useQuery({
    queryKey: ['awaited', instance.id, instance.lastSeq],
    enabled: listens,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: () => get<Page<Awaited>>(`instances/${at(instance.id)}/waiting-for`),
  });
  return listens ? (answer.data?.items ?? []) : [];
}

function InstanceView({instance}: {instance: Instance}) {
  const {id} = instance;
  const [params, setParams] = useSearchParams();
  const {namespace, name, version} = splitId(instance.definition);
  const definition = useDefinition(namespace, name, version).data;
  const graph = useGraph(namespace, name, version);
  const refresh = useCallback(
    () => void queryClient.invalidateQueries({queryKey: ['instance', id]}),
    [id],
  );
  const ended = hasEnded(instance.status);
  const live = useTasks({id, instance, onChange: refresh});
  const awaited = useAwaited(instance);
  const children = useChildren(id, !ended);
  const [picks, setPicks] = useState<Record<string, number>>({});
  const [rerun, setRerun] = useState<RerunFrom>();
  const clock = useNow();
  const now = ended ? 0 : clock;
  const rows = live.rows;
  const pick = useCallback(
    (row: string, value: number) => setPicks((old) => ({...old, [row]: value})),
    [],
  );
  const state = useMemo(
    () =>
      graph.data &&
      rows &&
      graphState(graph.data, rows, picks, pick, now, instance.status === 'completed'),
    [graph.data, rows, picks, pick, now, instance.status],
  );

  const set = useCallback(
    (changes: Record<string, string | undefined>) =>
      setParams(
        (old) => {
          const next = new URLSearchParams(old);
          for (const [key, value] of Object.entries(changes)) {
            if (value) next.set(key, value);
            else next.delete(key);
          }
          return next;
        },
        {replace: true},
      ),
    [setParams],
  );

  // A task is chosen by its row; by its place where it has none.
  const seq = params.get('task') ?? undefined;
  const row = rows?.find((each) => each.seq === seq);
  const pointer = row?.pointer ?? params.get('place') ?? undefined;
  const node = graph.data?.nodes.find((each) => each.id === pointer);
  const selectNode = useCallback(
    (place: string) => {
      const found = state?.states.get(place)?.seq;
      set(found ? {task: found, place: undefined} : {task: undefined, place});
    },
    [state, set],
  );
  const selectRow = useCallback((chosen: string) => set({task: chosen, place: undefined}), [set]);
  const faulty = rows?.filter((each) => each.status === 'faulted').at(-1);
  const faultNode = graph.data?.nodes.find(
    (each) => each.id === (instance.error?.instance ?? faulty?.pointer),
  );
  const firstFault = rows?.find((each) => each.pointer === faultNode?.id && each.error);

  const tabs: Tab[] = [
    {id: 'graph', label: 'Graph', icon: 'branch'},
    {id: 'timeline', label: 'Timeline', icon: 'clock', count: rows?.length},
    {id: 'history', label: 'History', icon: 'instances'},
    {id: 'values', label: 'Input and output', icon: 'set'},
    {id: 'family', label: 'Family', icon: 'family', count: children.data?.items.length},
  ];
  const tab = tabs.find((each) => each.id === params.get('tab'))?.id ?? 'graph';
  useShortcuts({
    ...Object.fromEntries(
      tabs.map((each, index) => [String(index + 1), () => set({tab: each.id})]),
    ),
    Escape: () => set({task: undefined, place: undefined}),
  });
  const inspected = (row || node) && pointer !== 'start' && pointer !== 'end';
  return (
    <main className="page instance" id="content" tabIndex={-1}>
      <div className="instance-top">
        <Head instance={instance} />
        <Actions
          instance={instance}
          graph={graph.data}
          awaited={awaited}
          rerun={rerun}
          onRerun={setRerun}
          onDone={refresh}
        />
      </div>
      {instance.error && (
        <FaultView
          fault={instance.error}
          node={faultNode}
          definition={definition}
          onShow={
            firstFault
              ? () => selectRow(firstFault.seq)
              : faultNode && (() => selectNode(faultNode.id))
          }
        />
      )}
      {instance.reason && (
        <p className={`callout tone-${instance.status}`}>
          <Icon name="info" />
          <span>
            <Text>{instance.reason}</Text>
          </span>
        </p>
      )}
      <Waiting awaited={awaited} />
      <div className="card instance-card">
        <Tabs label="Views" tabs={tabs} value={tab} onChange={(next) => set({tab: next})} />
        <div className="instance-body">
          <Panel id={tab} className="instance-panel">
            {live.error !== undefined && (
              <div className="pad">
                <ProblemView error={live.error} />
              </div>
            )}
            {tab === 'graph' &&
              (graph.error ? (
                <div className="pad">
                  <ProblemView error={graph.error} onRetry={() => void graph.refetch()} />
                </div>
              ) : (
                <Suspense fallback={<Skeleton rows={8} height={56} />}>
                  {graph.data && (
                    <GraphView
                      graph={graph.data}
                      states={state?.states}
                      taken={state?.taken}
                      selected={pointer}
                      onSelect={selectNode}
                      label="Tasks of this instance"
                    />
                  )}
                </Suspense>
              ))}
            {tab === 'timeline' && (
              <Timeline
                rows={rows}
                complete={live.complete}
                selected={row?.seq}
                onSelect={selectRow}
                running={!ended}
              />
            )}
            {tab === 'history' && <History id={id} facts={live.facts} />}
            {tab === 'values' && <Values instance={instance} />}
            {tab === 'family' && <Family instance={instance} live={!ended} />}
          </Panel>
          {inspected && (
            <Inspector
              id={id}
              node={node}
              row={row}
              definition={definition}
              live={!ended}
              others={rows?.filter((each) => each.pointer === pointer) ?? []}
              onSelect={selectRow}
              onClose={() => set({task: undefined, place: undefined})}
              onRerun={(from) => setRerun({task: from.pointer, seq: from.seq})}
            />
          )}
        </div>
      </div>
    </main>
  );
}

function Values({instance}: {instance: Instance}) {
  return (
    <div className="pad values">
      <section className="stack">
        <h2>Input</h2>
        {instance.input === undefined ? (
          <p className="quiet">None.</p>
        ) : (
          <JsonView value={instance.input} label="input" tall />
        )}
      </section>
      <section className="stack">
        <h2>Output</h2>
        {instance.output === undefined ? (
          <p className="quiet">{hasEnded(instance.status) ? 'None.' : 'It has not ended yet.'}</p>
        ) : (
          <JsonView value={instance.output} label="output" tall />
        )}
      </section>
    </div>
  );
}
