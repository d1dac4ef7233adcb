// SPDX-License-Identifier: Apache-2.0
// What was given up after many attempts: look, try again, or forget.
import {createColumnHelper} from '@tanstack/react-table';
import {useQuery} from '@tanstack/react-query';
import {useMemo, useState} from 'react';
import {Link, useSearchParams} from 'react-router-dom';

import {at, get, post, send} from '../api/client';
import {queryClient, useDeadLetters} from '../api/queries';
import type {DeadLetter, DeadLetterRow} from '../api/types';
import {JsonView} from '../design/json_view';
import {Button, Dialog, Empty, ProblemView, Skeleton} from '../design/parts';
import {Table, type Selection} from '../design/table';
import {Text} from '../design/text';
import {Time} from '../design/time';
import {tell, tellProblem} from '../design/toast';

const column = createColumnHelper<DeadLetterRow>();

const COLUMNS = (open: (id: string) => void) => [
  column.accessor('kind', {
    header: 'Kind',
    meta: {width: '100px'},
    cell: ({getValue}) => <span className="chip">{getValue()}</span>,
  }),
  column.display({
    id: 'what',
    header: 'What',
    meta: {width: 'minmax(120px, 1fr)'},
    cell: ({row: {original}}) => (
      <button type="button" className="row-open" onClick={() => open(original.id)}>
        <Text>{original.summary ?? original.id}</Text>
      </button>
    ),
  }),
  column.accessor('reason', {
    header: 'Why',
    meta: {width: 'minmax(0, 1.5fr)', from: 'tablet'},
    cell: ({getValue}) => (
      <span className="soft ellipsis">
        <Text>{getValue()}</Text>
      </span>
    ),
  }),
  column.accessor('at', {
    header: 'Given up',
    meta: {width: '100px', right: true},
    cell: ({getValue}) => <Time at={getValue()} relative />,
  }),
];

export default function DeadLettersPage() {
  const letters = useDeadLetters();
  const [params, setParams] = useSearchParams();
  const [ids, setIds] = useState<Set<string>>(new Set());
  const [busy, setBusy] = useState(false);
  const columns = useMemo(() => COLUMNS((letter) => setParams({letter})), [setParams]);
  const refresh = () => queryClient.invalidateQueries({queryKey: ['dead-letters']});
  const selection: Selection = {
    ids,
    toggle: (id) =>
      setIds((old) => {
        const next = new Set(old);
        if (!next.delete(id)) next.add(id);
        return next;
      }),
    toggleAll: (all) =>
      setIds((old) => (all.every((id) => old.has(id)) ? new Set() : new Set(all))),
  };
  const each = async (what: (id: string) => Promise<unknown>, word: string) => {
    setBusy(true);
    let done = 0;
    try {
      for (const id of ids) {
        await what(id);
        ++done;
      }
      setIds(new Set());
    } catch (error) {
      tellProblem(error);
    }
    if (done > 0) tell(`${done} ${word}`);
    setBusy(false);
    void refresh();
  };
  const open = params.get('letter');
  return (
    <main className="page" id="content" tabIndex={-1}>
      <div className="page-head">
        <h1>Dead letters</h1>
        {ids.size > 0 && (
          <>
            <Button
              icon="retry"
              disabled={busy}
              onClick={() =>
                void each((id) => post(`dead-letters/${at(id)}/redrive`), 'are on their way again')
              }
            >
              Try {ids.size} again
            </Button>
            <Button
              icon="trash"
              look="danger"
              disabled={busy}
              onClick={() =>
                void each((id) => send('DELETE', `dead-letters/${at(id)}`), 'forgotten')
              }
            >
              Forget {ids.size}
            </Button>
          </>
        )}
      </div>
      {letters.error && (
        <ProblemView error={letters.error} onRetry={() => void letters.refetch()} />
      )}
      <section className="card list-card" aria-label="List">
        <Table
          label="Dead letters"
          columns={columns}
          rows={letters.data}
          rowId={(row) => row.id}
          rowLabel={(row) => row.id}
          selection={selection}
          empty={
            <Empty icon="check" title="Nothing was given up">
              <p>
                Commands and notifications that fail again and again come here, with the reason.
              </p>
            </Empty>
          }
        />
      </section>
      {open && (
        <Letter
          id={open}
          onClose={() => setParams({})}
          onDone={() => {
            setParams({});
            void refresh();
          }}
        />
      )}
    </main>
  );
}

function Letter({id, onClose, onDone}: {id: string; onClose: () => void; onDone: () => void}) {
  const found = useQuery({
    queryKey: ['dead-letters', id],
    structuralSharing: false,
    queryFn: () => get<DeadLetter>(`dead-letters/${at(id)}`),
  });
  const act = async (what: Promise<unknown>, words: string) => {
    try {
      await what;
      tell(words);
      onDone();
    } catch (error) {
      tellProblem(error);
    }
  };
  const letter = found.data;
  return (
    <Dialog
      wide
      title="Dead letter"
      onClose={onClose}
      footer={
        <>
          <Button
            icon="trash"
            look="danger"
            onClick={() => void act(send('DELETE', `dead-letters/${at(id)}`), 'It is forgotten')}
          >
            Forget
          </Button>
          <Button
            icon="retry"
            look="primary"
            onClick={() =>
              void act(post(`dead-letters/${at(id)}/redrive`), 'It is on its way again')
            }
          >
            Try again
          </Button>
        </>
      }
    >
      {found.error && <ProblemView error={found.error} />}
      {!letter && !found.error && <Skeleton rows={5} height={26} />}
      {letter && (
        <>
          <dl className="facts">
            <dt>What</dt>
            <dd>
              <Text>{letter.summary}</Text>
            </dd>
            <dt>Why</dt>
            <dd>
              <Text>{letter.reason}</Text>
            </dd>
            <dt>When</dt>
            <dd>
              <Time at={letter.at} />
            </dd>
            {letter.object && (
              <>
                <dt>For</dt>
                <dd>
                  {letter.object.includes('/') ? (
                    <Text>{letter.object}</Text>
                  ) : (
                    <Link
                      className="mono small"
                      to={`/instances/${encodeURIComponent(letter.object)}`}
                    >
                      {letter.object}
                    </Link>
                  )}
                </dd>
              </>
            )}
          </dl>
          {letter.content !== undefined && <JsonView value={letter.content} label="content" />}
        </>
      )}
    </Dialog>
  );
}
