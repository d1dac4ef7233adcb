// SPDX-License-Identifier: Apache-2.0
// One task beside the graph: when, why, what it got and gave. Values come when they are looked at.
import {useQuery} from '@tanstack/react-query';
import {useState} from 'react';
import {Link} from 'react-router-dom';

import {at, get} from '../../api/client';
import type {Definition, GraphNode, TaskDetails, TaskRow} from '../../api/types';
import {JsonView} from '../../design/json_view';
import {Button, Copy, Hint, ProblemView, Skeleton, Tabs} from '../../design/parts';
import {StatusBadge} from '../../design/status';
import {plain, Text} from '../../design/text';
import {Elapsed, Time} from '../../design/time';
import {FaultView} from './fault';

type Part = 'input' | 'output' | 'rawInput' | 'context';

const PARTS: {id: Part; label: string}[] = [
  {id: 'input', label: 'Input'},
  {id: 'output', label: 'Output'},
  {id: 'context', label: 'Context'},
  {id: 'rawInput', label: 'Raw input'},
];

function PartView({
  id,
  seq,
  part,
  details,
  ended,
}: {
  id: string;
  seq: string;
  part: Part;
  details: TaskDetails;
  ended: boolean;
}) {
  const omitted = details.omitted?.includes(part) ?? false;
  const [wanted, setWanted] = useState(false);
  const whole = useQuery({
    queryKey: ['task', id, seq, part],
    enabled: omitted && wanted,
    staleTime: Infinity,
    structuralSharing: false,
    queryFn: ({signal}) => get<unknown>(`instances/${at(id)}/tasks/${at(seq)}`, {part}, signal),
  });
  if (omitted && whole.data === undefined) {
    return (
      <div className="stack">
        <p className="soft">This value is large and comes when it is asked for.</p>
        <div>
          <Button icon="download" disabled={whole.isFetching} onClick={() => setWanted(true)}>
            {whole.isFetching ? 'Loading' : 'Load it'}
          </Button>
        </div>
        {whole.error && <ProblemView error={whole.error} />}
      </div>
    );
  }
  const value = omitted ? whole.data : details[part];
  if (value === undefined) {
    return (
      <p className="quiet">{part === 'output' && !ended ? 'It has not ended yet.' : 'None.'}</p>
    );
  }
  return <JsonView key={part + seq} value={value} label={part} />;
}

export function Inspector({
  id,
  node,
  row,
  others,
  definition,
  live,
  onSelect,
  onClose,
  onRerun,
}: {
  id: string;
  node: GraphNode | undefined;
  row: TaskRow | undefined; // undefined: the flow has not come here
  others: TaskRow[]; // the same task, done before or after
  definition: Definition | undefined;
  live: boolean;
  onSelect: (seq: string) => void;
  onClose: () => void;
  onRerun: ((row: TaskRow) => void) | undefined;
}) {
  const [part, setPart] = useState<Part>('input');
  const details = useQuery({
    queryKey: ['task', id, row?.seq, row?.status],
    enabled: row !== undefined,
    staleTime: row?.endedAt ? Infinity : 0,
    structuralSharing: false,
    refetchInterval: row && !row.endedAt && live ? 3000 : false,
    queryFn: ({signal}) =>
      get<TaskDetails>(`instances/${at(id)}/tasks/${at(row!.seq)}`, {}, signal),
  });
  const name = row?.name ?? node?.name ?? '';
  const place = others.findIndex((other) => other.seq === row?.seq);
  const shown = row?.status === 'faulted' && part === 'input' ? 'input' : part;
  return (
    <aside className="inspector" aria-label={`Task ${plain(name)}`}>
      <header>
        <h2 className="ellipsis grow">
          <Text>{name}</Text>
        </h2>
        {row && onRerun && (
          <Button tiny icon="retry" onClick={() => onRerun(row)}>
            Rerun from here
          </Button>
        )}
        <Button tiny look="bare" icon="close" label="Close the task" onClick={onClose} />
      </header>
      <div className="inspector-body">
        <dl className="facts">
          {row && (
            <>
              <dt>Status</dt>
              <dd>
                <StatusBadge status={row.status} />
              </dd>
            </>
          )}
          <dt>Kind</dt>
          <dd>{row?.kind ?? node?.kind}</dd>
          {node?.summary && (
            <>
              <dt>Does</dt>
              <dd className="mono small">
                <Text>{node.summary}</Text>
              </dd>
            </>
          )}
          {node?.condition && (
            <>
              <dt>Only if</dt>
              <dd className="mono small">
                <Text>{node.condition}</Text>
              </dd>
            </>
          )}
          {node?.timeout && (
            <>
              <dt>Timeout</dt>
              <dd>
                <Text>{node.timeout}</Text>
              </dd>
            </>
          )}
          {node?.pool && (
            <>
              <dt>Pool</dt>
              <dd>
                <Text>{node.pool}</Text>
              </dd>
            </>
          )}
          {row?.iteration && (
            <>
              <dt>Iteration</dt>
              <dd className="number">{row.iteration}</dd>
            </>
          )}
          {row?.attempt && (
            <>
              <dt>Attempt</dt>
              <dd className="number">{row.attempt}</dd>
            </>
          )}
          {row && (
            <>
              <dt>Began</dt>
              <dd>
                <Time at={row.startedAt} />
              </dd>
            </>
          )}
          {row?.endedAt && (
            <>
              <dt>Ended</dt>
              <dd>
                <Time at={row.endedAt} />
              </dd>
            </>
          )}
          {row?.dueAt && !row.endedAt && (
            <>
              <dt>Due</dt>
              <dd>
                <Time at={row.dueAt} relative />
              </dd>
            </>
          )}
          {row && (
            <>
              <dt>Took</dt>
              <dd>
                <Elapsed from={row.startedAt} to={row.endedAt} />
              </dd>
            </>
          )}
          {details.data?.child && (
            <>
              <dt>Started</dt>
              <dd>
                <Link
                  className="mono small"
                  to={`/instances/${encodeURIComponent(details.data.child)}`}
                >
                  {details.data.child}
                </Link>
              </dd>
            </>
          )}
          <dt>Place</dt>
          <dd className="row">
            <Hint text={<Text>{row?.pointer ?? node?.id}</Text>}>
              <span className="mono small ellipsis">
                <Text>{row?.pointer ?? node?.id}</Text>
              </span>
            </Hint>
            <Copy text={row?.pointer ?? node?.id ?? ''} label="Copy the place" />
          </dd>
        </dl>
        {!row && <p className="soft">The flow has not come here.</p>}
        {others.length > 1 && place >= 0 && (
          <div className="row small">
            <span className="soft grow">
              Done {others.length} times; this is {place + 1}
            </span>
            <Button
              tiny
              icon="left"
              label="The time before"
              disabled={place === 0}
              onClick={() => onSelect(others[place - 1].seq)}
            />
            <Button
              tiny
              icon="right"
              label="The time after"
              disabled={place + 1 === others.length}
              onClick={() => onSelect(others[place + 1].seq)}
            />
          </div>
        )}
        {row?.error && <FaultView fault={row.error} node={node} definition={definition} />}
        {row && (
          <>
            <Tabs
              label="Values of the task"
              tabs={PARTS}
              value={shown}
              onChange={(next) => setPart(next as Part)}
            />
            <div
              role="tabpanel"
              id={'panel-' + shown}
              aria-labelledby={'tab-' + shown}
              className="stack"
            >
              {details.isPending && <Skeleton rows={4} height={24} />}
              {details.error && (
                <ProblemView error={details.error} onRetry={() => void details.refetch()} />
              )}
              {details.data && (
                <PartView
                  id={id}
                  seq={row.seq}
                  part={shown}
                  details={details.data}
                  ended={row.endedAt !== undefined}
                />
              )}
            </div>
          </>
        )}
      </div>
    </aside>
  );
}
