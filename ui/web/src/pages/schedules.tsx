// SPDX-License-Identifier: Apache-2.0
// What starts by itself: when next, when last; pause, trigger, fill in what was missed.
import {createColumnHelper} from '@tanstack/react-table';
import {useQuery} from '@tanstack/react-query';
import {useMemo, useState} from 'react';
import {Link, useSearchParams} from 'react-router-dom';

import {at, get, post} from '../api/client';
import {parseJson} from '../api/json';
import {queryClient, useMay, useSchedules} from '../api/queries';
import type {Schedule, ScheduleDetails} from '../api/types';
import {Button, Dialog, Empty, Field, ProblemView, Skeleton} from '../design/parts';
import {StatusBadge} from '../design/status';
import {Table} from '../design/table';
import {plain, Text} from '../design/text';
import {formatMoment, Time} from '../design/time';
import {tell, tellProblem} from '../design/toast';

const column = createColumnHelper<Schedule>();

function idOf(schedule: Schedule): string {
  return `${schedule.namespace}/${schedule.name}`;
}

// "0 2 * * *", "every 5 minutes", "on events"
export function ruleWords(rule: Schedule['rule']): string {
  const {cron, every, after, on} = (rule ?? {}) as Record<string, unknown>;
  if (typeof cron === 'string') return cron;
  const length = (value: unknown) =>
    typeof value === 'string'
      ? value
      : Object.entries(value as object)
          .map(([unit, count]) => `${String(count)} ${unit}`)
          .join(' ');
  if (every) return `every ${length(every)}`;
  if (after) return `${length(after)} after each end`;
  return on ? 'on events' : '';
}

const COLUMNS = (open: (schedule: Schedule) => void) => [
  column.accessor(idOf, {
    id: 'name',
    header: 'Schedule',
    meta: {width: 'minmax(150px, 1.2fr)'},
    cell: ({row: {original}}) => (
      <button type="button" className="row-open" onClick={() => open(original)}>
        <strong>
          <Text>{original.name}</Text>
        </strong>{' '}
        <span className="quiet small">
          <Text>{original.namespace}</Text>
        </span>
      </button>
    ),
  }),
  column.display({
    id: 'rule',
    header: 'Rule',
    meta: {width: 'minmax(100px, 0.9fr)', from: 'tablet'},
    cell: ({row}) => (
      <span className="mono small ellipsis">
        <Text>{ruleWords(row.original.rule)}</Text>
      </span>
    ),
  }),
  column.display({
    id: 'state',
    header: 'State',
    meta: {width: '104px'},
    cell: ({row}) =>
      row.original.paused ? <StatusBadge status="suspended" /> : <StatusBadge status="running" />,
  }),
  column.accessor('nextDueAt', {
    header: 'Next',
    meta: {width: '112px', right: true},
    cell: ({getValue}) => <Time at={getValue()} relative />,
  }),
  column.accessor('lastDueAt', {
    header: 'Last',
    meta: {width: '112px', right: true, from: 'tablet'},
    cell: ({row: {original}}) =>
      original.lastInstance ? (
        <Link to={`/instances/${encodeURIComponent(original.lastInstance)}`}>
          <Time at={original.lastDueAt} relative />
        </Link>
      ) : (
        <Time at={original.lastDueAt} relative />
      ),
  }),
  column.accessor('fired', {
    header: 'Fired',
    meta: {width: '72px', right: true, from: 'tablet'},
    cell: ({getValue}) => <span className="number">{getValue().toLocaleString()}</span>,
  }),
];

export default function SchedulesPage() {
  const schedules = useSchedules();
  const [params, setParams] = useSearchParams();
  const columns = useMemo(
    () => COLUMNS((schedule) => setParams({schedule: idOf(schedule)})),
    [setParams],
  );
  const chosen = params.get('schedule');
  return (
    <main className="page" id="content" tabIndex={-1}>
      <div className="page-head">
        <h1>Schedules</h1>
      </div>
      {schedules.error && (
        <ProblemView error={schedules.error} onRetry={() => void schedules.refetch()} />
      )}
      <section className="card list-card" aria-label="List">
        <Table
          label="Schedules"
          columns={columns}
          rows={schedules.data?.items}
          rowId={idOf}
          rowLabel={idOf}
          empty={
            <Empty icon="schedules" title="Nothing starts by itself">
              <p>
                A definition with <code>schedule</code> (cron, every, after or on) does, as soon as
                it is stored.
              </p>
            </Empty>
          }
        />
      </section>
      {chosen && <ScheduleDialog key={chosen} id={chosen} onClose={() => setParams({})} />}
    </main>
  );
}

function ScheduleDialog({id, onClose}: {id: string; onClose: () => void}) {
  const [namespace, name] = id.split('/');
  const path = `schedules/${at(namespace, name ?? '')}`;
  const may = useMay('operator');
  const [asked, setAsked] = useState<'trigger' | 'backfill'>();
  const found = useQuery({
    queryKey: ['schedules', id],
    refetchInterval: 3000,
    queryFn: () => get<ScheduleDetails>(path),
  });
  const refresh = () => void queryClient.invalidateQueries({queryKey: ['schedules']});
  const act = async (operation: 'pause' | 'resume', words: string) => {
    try {
      await post(`${path}/${operation}`);
      tell(words);
    } catch (error) {
      tellProblem(error);
    }
    refresh();
  };
  const schedule = found.data;
  return (
    <Dialog
      wide
      title={<Text>{plain(id)}</Text>}
      onClose={onClose}
      footer={
        schedule && (
          <>
            {schedule.paused ? (
              <Button icon="play" disabled={!may} onClick={() => void act('resume', 'It goes on')}>
                Resume
              </Button>
            ) : (
              <Button
                icon="pause"
                disabled={!may}
                onClick={() => void act('pause', 'It is paused')}
              >
                Pause
              </Button>
            )}
            <Button icon="clock" disabled={!may} onClick={() => setAsked('backfill')}>
              Fill in
            </Button>
            <Button look="primary" icon="play" disabled={!may} onClick={() => setAsked('trigger')}>
              Trigger now
            </Button>
          </>
        )
      }
    >
      {found.error && <ProblemView error={found.error} />}
      {!schedule && !found.error && <Skeleton rows={6} height={26} />}
      {schedule && (
        <>
          <dl className="facts">
            <dt>Starts</dt>
            <dd>
              <Text>{schedule.definition}</Text>
            </dd>
            <dt>Rule</dt>
            <dd className="mono small">
              <Text>{ruleWords(schedule.rule)}</Text>
            </dd>
            <dt>State</dt>
            <dd>
              {schedule.paused ? (
                <>
                  paused <Text>{schedule.reason}</Text>
                </>
              ) : (
                'active'
              )}
            </dd>
            <dt>Fired</dt>
            <dd className="number">{schedule.fired.toLocaleString()} times</dd>
            <dt>Its instances</dt>
            <dd>
              <Link to={'/instances?schedule=' + encodeURIComponent(id)}>show them</Link>
            </dd>
          </dl>
          <h3>Next firings</h3>
          {schedule.next.length === 0 ? (
            <p className="soft">None that are known.</p>
          ) : (
            <ul className="chips">
              {schedule.next.map((time) => (
                <li key={time} className="chip number">
                  {formatMoment(Date.parse(time))}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      {asked && (
        <AskFiring
          operation={asked}
          path={path}
          onClose={() => {
            setAsked(undefined);
            refresh();
          }}
        />
      )}
    </Dialog>
  );
}

function AskFiring({
  operation,
  path,
  onClose,
}: {
  operation: 'trigger' | 'backfill';
  path: string;
  onClose: () => void;
}) {
  const [input, setInput] = useState('{}');
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const [error, setError] = useState<unknown>();
  const backfill = operation === 'backfill';
  const submit = async () => {
    try {
      const body = backfill
        ? {from: new Date(from).toISOString(), to: new Date(to).toISOString()}
        : {input: parseJson(input || '{}')};
      const {started} = await post<{started: string[]}>(`${path}/${operation}`, body);
      tell(`${started.length} started`);
      onClose();
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <Dialog
      title={backfill ? 'Fill in what was due' : 'Trigger one firing now'}
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={backfill && (!from || !to)}>
            {backfill ? 'Start them' : 'Start it'}
          </Button>
        </>
      }
    >
      <p className="soft">
        {backfill
          ? 'Starts each firing that was due in this time, once; one that ' +
            'happened then is not repeated.'
          : 'The rhythm goes on as it was.'}
      </p>
      {backfill ? (
        <div className="two">
          <Field label="From">
            <input
              className="input"
              type="datetime-local"
              value={from}
              onChange={(event) => setFrom(event.target.value)}
            />
          </Field>
          <Field label="To">
            <input
              className="input"
              type="datetime-local"
              value={to}
              onChange={(event) => setTo(event.target.value)}
            />
          </Field>
        </div>
      ) : (
        <Field label="Input" hint="JSON">
          <textarea
            className="input"
            rows={6}
            spellCheck={false}
            value={input}
            onChange={(event) => setInput(event.target.value)}
          />
        </Field>
      )}
      {error !== undefined && <ProblemView error={error} />}
    </Dialog>
  );
}
