// SPDX-License-Identifier: Apache-2.0
// Sends a CloudEvent and shows which instances took it.
import {useQuery} from '@tanstack/react-query';
import {useState} from 'react';
import {Link, useSearchParams} from 'react-router-dom';

import {get, randomKey} from '../api/client';
import {useMay} from '../api/queries';
import type {Match, Page} from '../api/types';
import {Button, Empty, Field, ProblemView, Skeleton} from '../design/parts';
import {Text} from '../design/text';
import {Time} from '../design/time';
import {tell} from '../design/toast';
import {emptyDraft, sendEvent} from '../events/event';
import {dataProblem, EventForm} from '../events/form';
import './operations.css';

export default function EventsPage() {
  const [params, setParams] = useSearchParams();
  const [draft, setDraft] = useState(emptyDraft);
  const [tried, setTried] = useState(false);
  const [error, setError] = useState<unknown>();
  const may = useMay('operator');
  const source = params.get('source') ?? '';
  const id = params.get('id') ?? '';
  const submit = async () => {
    setTried(true);
    if (!draft.type || !draft.source || !draft.id || dataProblem(draft)) return;
    setError(undefined);
    try {
      await sendEvent(draft);
      tell('The event is sent');
      setParams({source: draft.source, id: draft.id});
      setDraft({...draft, id: randomKey().slice(0, 12)});
      setTried(false);
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <main className="page flow" id="content" tabIndex={-1}>
      <div className="page-head">
        <h1>Events</h1>
      </div>
      <div className="halves">
        <section className="card" aria-label="Send an event">
          <header>
            <h2>Send an event</h2>
          </header>
          <form
            className="body stack"
            noValidate
            onSubmit={(event) => {
              event.preventDefault();
              void submit();
            }}
          >
            <EventForm draft={draft} onChange={setDraft} tried={tried} />
            {error !== undefined && <ProblemView error={error} />}
            <div className="row">
              <Button type="submit" look="primary" icon="events" disabled={!may}>
                Send
              </Button>
              {!may && <span className="small soft">This needs the role operator.</span>}
            </div>
          </form>
        </section>
        <section className="card" aria-label="Who took it">
          <header>
            <h2>Who took it</h2>
          </header>
          <div className="body stack">
            <div className="two">
              <Field label="Source">
                <input
                  className="input"
                  value={source}
                  onChange={(event) => setParams({source: event.target.value, id}, {replace: true})}
                />
              </Field>
              <Field label="Id">
                <input
                  className="input"
                  value={id}
                  onChange={(event) => setParams({source, id: event.target.value}, {replace: true})}
                />
              </Field>
            </div>
            <Matches source={source} id={id} />
          </div>
        </section>
      </div>
    </main>
  );
}

function Matches({source, id}: {source: string; id: string}) {
  const wanted = source !== '' && id !== '';
  const found = useQuery({
    queryKey: ['matches', source, id],
    enabled: wanted,
    refetchInterval: 2000,
    queryFn: () => get<Page<Match>>('events/matches', {source, id, limit: 200}),
  });
  if (!wanted) {
    return (
      <Empty icon="events" title="Send one, or name one">
        <p>An event goes to every instance that listens for it. Those that took it stand here.</p>
      </Empty>
    );
  }
  if (found.error) return <ProblemView error={found.error} />;
  if (!found.data) return <Skeleton rows={3} />;
  if (found.data.items.length === 0) {
    return (
      <Empty icon="ear" title="Nobody has taken it">
        <p>
          No instance was waiting for it. One that starts later and listens from the past may still
          take it.
        </p>
      </Empty>
    );
  }
  return (
    <ul className="matches" aria-label="Instances that took it">
      {found.data.items.map((match) => (
        <li key={match.instance + match.seq}>
          <Link
            className="mono small grow ellipsis"
            to={`/instances/${encodeURIComponent(match.instance)}`}
          >
            {match.instance}
          </Link>
          <span className="mono small soft ellipsis">
            <Text>{match.task}</Text>
          </span>
          <span className="small soft">
            <Time at={match.at} relative />
          </span>
        </li>
      ))}
    </ul>
  );
}
