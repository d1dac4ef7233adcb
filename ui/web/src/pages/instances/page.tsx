// SPDX-License-Identifier: Apache-2.0
// The list of instances: live, filtered from the address, with counts, a chart and bulk actions.
import {keepPreviousData, useQuery} from '@tanstack/react-query';
import {useCallback, useState} from 'react';

import {get} from '../../api/client';
import {queryClient, useDefinitions, useMay} from '../../api/queries';
import type {InstanceSummary} from '../../api/types';
import {Button, Empty, ProblemView} from '../../design/parts';
import {Table} from '../../design/table';
import {StartDialog} from '../../start/dialog';
import {FirstSteps} from './first_steps';
import {BulkDialog, OPERATIONS, type Operation} from './bulk';
import {Chart} from './chart';
import {COLUMNS} from './columns';
import {RANGES, useFilter} from './filter';
import {FilterBar, StatusCounts} from './filter_bar';
import './instances.css';
import {useRows} from './rows';

export default function InstancesPage() {
  const state = useFilter();
  const {filter, query, range, set} = state;
  const [atTop, setAtTop] = useState(true);
  const [chosen, setChosen] = useState<Set<string>>(new Set());
  const [bulk, setBulk] = useState<{operation: Operation; all: boolean}>();
  const [starting, setStarting] = useState(false);
  const may = useMay('operator');
  const list = useRows(query, atTop);
  const definitions = useDefinitions();
  const summary = useQuery({
    queryKey: ['summary', query, range],
    refetchInterval: 4000,
    placeholderData: keepPreviousData,
    queryFn: ({signal}) =>
      get<InstanceSummary>(
        'instances/summary',
        {
          ...query,
          status: undefined,
          buckets: 60,
          from: new Date(Date.now() - RANGES[range].millis).toISOString(),
        },
        signal,
      ),
  });
  const toggle = useCallback(
    (id: string) =>
      setChosen((old) => {
        const next = new Set(old);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    [],
  );
  const toggleAll = useCallback(
    (ids: string[]) =>
      setChosen((old) => (ids.every((id) => old.has(id)) ? new Set() : new Set(ids))),
    [],
  );
  const close = (changed: boolean) => {
    setBulk(undefined);
    if (!changed) return;
    setChosen(new Set());
    list.refresh();
    void queryClient.invalidateQueries({queryKey: ['summary']});
  };

  const fresh = list.rows?.length === 0 && !state.active;
  const rowsOfChoice = list.rows?.filter((row) => chosen.has(row.id)) ?? [];
  return (
    <main className="page" id="content" tabIndex={-1}>
      <div className="page-head">
        <h1>Instances</h1>
        <Button look="primary" icon="plus" disabled={!may} onClick={() => setStarting(true)}>
          Start
        </Button>
      </div>
      {!fresh && (
        <>
          <section className="card overview" aria-label="Overview">
            <StatusCounts state={state} counts={summary.data?.counts} />
            <div className="ranges" role="group" aria-label="Time of the chart">
              {Object.entries(RANGES).map(([id, {label}]) => (
                <Button
                  key={id}
                  tiny
                  look="bare"
                  aria-pressed={id === range}
                  onClick={() => set({range: id === '24h' ? undefined : id})}
                >
                  {label}
                </Button>
              ))}
            </div>
            <Chart
              points={summary.data?.series?.points}
              to={summary.data?.series?.to}
              onRange={(startedAfter, startedBefore) => set({startedAfter, startedBefore})}
            />
          </section>
          <FilterBar state={state} definitions={definitions.data} />
        </>
      )}
      {list.error !== undefined && <ProblemView error={list.error} onRetry={list.refresh} />}
      <section className="card list-card" aria-label="List">
        {fresh ? (
          <FirstSteps definitions={definitions.data} error={definitions.error} />
        ) : (
          <>
            {chosen.size > 0 && (
              <ChosenBar
                count={chosen.size}
                filtered={state.active}
                disabled={!may}
                onClear={() => setChosen(new Set())}
                onDo={(operation, all) => setBulk({operation, all})}
              />
            )}
            <Table
              label="Instances"
              columns={COLUMNS}
              rows={list.rows}
              rowId={(row) => row.id}
              rowLabel={(row) => row.id}
              more={list.more}
              onEnd={list.loadMore}
              onTop={setAtTop}
              selection={{ids: chosen, toggle, toggleAll}}
              empty={
                <Empty icon="search" title="Nothing fits">
                  <p>No instance has all of this. Widen the filter.</p>
                  <Button onClick={state.clear}>Clear the filter</Button>
                </Empty>
              }
            />
            {!atTop && (
              <Button
                className="to-top"
                look="primary"
                tiny
                onClick={() => document.querySelector('.table')?.scrollTo({top: 0})}
              >
                The list stands still while you look: go live
              </Button>
            )}
          </>
        )}
      </section>
      {bulk && (
        <BulkDialog
          operation={bulk.operation}
          rows={bulk.all ? undefined : rowsOfChoice}
          filter={filter}
          onClose={close}
        />
      )}
      {starting && (
        <StartDialog definitions={definitions.data ?? []} onClose={() => setStarting(false)} />
      )}
    </main>
  );
}

function ChosenBar({
  count,
  filtered,
  disabled,
  onClear,
  onDo,
}: {
  count: number;
  filtered: boolean;
  disabled: boolean;
  onClear: () => void;
  onDo: (operation: Operation, all: boolean) => void;
}) {
  const [all, setAll] = useState(false);
  return (
    <div className="chosen-bar" role="toolbar" aria-label="What to do with the chosen">
      <strong className="number">
        {all ? (filtered ? 'All that the filter finds' : 'All instances') : `${count} chosen`}
      </strong>
      <Button tiny look="bare" onClick={() => setAll(!all)}>
        {all
          ? `only the ${count} chosen`
          : filtered
            ? 'all that the filter finds'
            : 'all instances'}
      </Button>
      <span className="grow" />
      {OPERATIONS.map(({id, label}) => (
        <Button
          key={id}
          tiny
          disabled={disabled}
          look={id === 'cancel' ? 'danger' : undefined}
          onClick={() => onDo(id, all)}
        >
          {label}
        </Button>
      ))}
      <Button tiny look="bare" icon="close" label="Choose none" onClick={onClear} />
    </div>
  );
}
