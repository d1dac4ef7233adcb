// SPDX-License-Identifier: Apache-2.0
// One thing done to many instances: those that are chosen, or all that the filter finds. What would
// be done is shown before it is.
import {useQuery} from '@tanstack/react-query';
import {useState} from 'react';

import {at, post} from '../../api/client';
import type {BulkResult, InstanceFilter, InstanceRow} from '../../api/types';
import {Button, Dialog, Field, ProblemView, Skeleton} from '../../design/parts';
import {StatusBadge} from '../../design/status';
import {Text} from '../../design/text';
import {Time} from '../../design/time';
import {tell} from '../../design/toast';
import {canDo} from './rows';

export type Operation = 'cancel' | 'suspend' | 'resume' | 'retry';

export const OPERATIONS: {id: Operation; label: string; done: string}[] = [
  {id: 'cancel', label: 'Cancel', done: 'cancelled'},
  {id: 'suspend', label: 'Suspend', done: 'suspended'},
  {id: 'resume', label: 'Resume', done: 'resumed'},
  {id: 'retry', label: 'Retry', done: 'retried'},
];

const EXPLANATIONS: Record<Operation, string> = {
  cancel: 'They end; what they do outside is stopped. This cannot be taken back.',
  suspend: 'They take no further step until they are resumed. Events and results are kept.',
  resume: 'They go on where they stand.',
  retry: 'For each a new instance begins where the old one ended. The old ones stay as they are.',
};

interface Done {
  done: number;
  failed: {id: string; detail: string}[];
  remaining: boolean;
}

const AT_ONCE = 6;

async function doToEach(operation: Operation, rows: InstanceRow[], reason: string): Promise<Done> {
  const result: Done = {done: 0, failed: [], remaining: false};
  const waiting = [...rows];
  const work = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      try {
        await post(
          `instances/${at(row.id)}/${operation}`,
          reason && operation !== 'retry' && operation !== 'resume' ? {reason} : undefined,
        );
        ++result.done;
      } catch (error) {
        result.failed.push({id: row.id, detail: String((error as Error).message)});
      }
    }
  };
  await Promise.all(Array.from({length: AT_ONCE}, work));
  return result;
}

async function doToAll(operation: Operation, filter: InstanceFilter, reason: string) {
  const result = await post<BulkResult>('instances/bulk', {
    operation,
    filter,
    ...(reason ? {reason} : {}),
  });
  return {
    done: result.done ?? 0,
    failed: result.failed ?? [],
    remaining: result.remaining ?? false,
  };
}

export function BulkDialog({
  operation,
  rows,
  filter,
  onClose,
}: {
  operation: Operation;
  rows: InstanceRow[] | undefined; // undefined: all that the filter finds
  filter: InstanceFilter;
  onClose: (changed: boolean) => void;
}) {
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [result, setResult] = useState<Done>();
  const words = OPERATIONS.find(({id}) => id === operation)!;
  const preview = useQuery({
    queryKey: ['bulk', operation, filter],
    enabled: rows === undefined,
    gcTime: 0,
    staleTime: 0,
    queryFn: () => post<BulkResult>('instances/bulk', {operation, filter, preview: true}),
  });
  const fitting = rows?.filter((row) => canDo(operation, row));
  const count = fitting?.length ?? preview.data?.matched;
  const sample = fitting?.slice(0, 10) ?? preview.data?.sample;
  const skipped = rows && fitting ? rows.length - fitting.length : 0;

  const run = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const done = fitting
        ? await doToEach(operation, fitting, reason)
        : await doToAll(operation, filter, reason);
      if (done.failed.length > 0 || done.remaining) return setResult(done);
      tell(`${done.done} ${words.done}`);
      onClose(true);
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  const noun = count === 1 ? 'instance' : 'instances';
  const number = count?.toLocaleString() + (preview.data?.more ? '+' : '');
  const many = count === undefined ? '' : ` ${number} ${noun}`;
  return (
    <Dialog
      wide
      title={`${words.label}${many}`}
      onClose={() => onClose(result !== undefined)}
      onSubmit={() => void run()}
      footer={
        <>
          <Button onClick={() => onClose(result !== undefined)}>
            {result ? 'Close' : 'Leave them'}
          </Button>
          {(!result || result.remaining) && (
            <Button
              type="submit"
              look={operation === 'cancel' ? 'danger' : 'primary'}
              disabled={busy || !count}
            >
              {busy ? 'Working' : result?.remaining ? 'Go on with the rest' : words.label + many}
            </Button>
          )}
        </>
      }
    >
      <p className="soft">{EXPLANATIONS[operation]}</p>
      {skipped > 0 && (
        <p className="soft">
          {skipped} of those chosen cannot be {words.done} as they are now and stay as they are.
        </p>
      )}
      {preview.error && (
        <ProblemView error={preview.error} onRetry={() => void preview.refetch()} />
      )}
      {!sample && !preview.error && <Skeleton rows={5} height={30} />}
      {sample && sample.length > 0 && (
        <ul className="bulk-sample">
          {sample.map((row) => (
            <li key={row.id} className="row">
              <span className="mono small">{row.id}</span>
              <span className="ellipsis grow">
                <Text>{row.definition}</Text>
              </span>
              <StatusBadge status={row.status} plain />
              <Time at={row.startedAt} relative />
            </li>
          ))}
          {count! > sample.length && (
            <li className="quiet small">and {(count! - sample.length).toLocaleString()} more</li>
          )}
        </ul>
      )}
      {sample && sample.length === 0 && <p>None of them can be {words.done} as they are now.</p>}
      {(operation === 'cancel' || operation === 'suspend') && (
        <Field label="Reason" hint="Stands in their history.">
          <input
            className="input"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        </Field>
      )}
      {error !== undefined && <ProblemView error={error} />}
      {result && (
        <div role="status" className="stack">
          <strong>
            {result.done} {words.done}, {result.failed.length} not.
          </strong>
          <ul className="small">
            {result.failed.slice(0, 50).map(({id, detail}) => (
              <li key={id}>
                <span className="mono">{id}</span> <Text>{detail}</Text>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Dialog>
  );
}
