// SPDX-License-Identifier: Apache-2.0
// What can be done to an instance, with the questions that go before.
import {useState} from 'react';
import {useNavigate} from 'react-router-dom';

import {at, post, randomKey} from '../../api/client';
import {parseJson, printJson} from '../../api/json';
import {useMay} from '../../api/queries';
import {hasEnded, type Awaited, type Graph, type Instance, type Outcome} from '../../api/types';
import {Button, Dialog, Field, Menu, ProblemView} from '../../design/parts';
import {plain} from '../../design/text';
import {tell, tellProblem} from '../../design/toast';
import {draftFor, sendEvent, type Draft} from '../../events/event';
import {dataProblem, EventForm} from '../../events/form';

interface ActionsProps {
  instance: Instance;
  graph: Graph | undefined;
  awaited: Awaited[];
  rerun: RerunFrom | undefined;
  onRerun: (from: RerunFrom | undefined) => void;
  onDone: () => void;
}

export interface RerunFrom {
  task?: string; // pointer; absent: the beginning
  seq?: string;
  input?: unknown;
}

type Asked = 'cancel' | 'suspend' | undefined;

export function Actions({instance, graph, awaited, rerun, onRerun, onDone}: ActionsProps) {
  const navigate = useNavigate();
  const may = useMay('operator');
  const [asked, setAsked] = useState<Asked>();
  const [event, setEvent] = useState<Draft>();
  const [busy, setBusy] = useState(false);
  const ended = hasEnded(instance.status);
  const path = `instances/${at(instance.id)}`;

  const act = async (operation: string, words: string) => {
    setBusy(true);
    try {
      await post<Outcome>(`${path}/${operation}`);
      tell(words);
      onDone();
    } catch (error) {
      tellProblem(error);
    } finally {
      setBusy(false);
    }
  };
  const retry = async () => {
    setBusy(true);
    try {
      const started = await post<Outcome>(`${path}/retry`, undefined, {
        headers: {'Idempotency-Key': randomKey()},
      });
      tell('It begins again where the old one ended');
      navigate(`/instances/${encodeURIComponent(started.id)}`);
    } catch (error) {
      tellProblem(error);
    } finally {
      setBusy(false);
    }
  };
  const failed = instance.status === 'faulted' || instance.status === 'cancelled';
  const suspended = instance.status === 'suspended';
  return (
    <div className="row wrap instance-actions" role="group" aria-label="Actions">
      {!may && (
        <span className="small soft">You may look; acting needs the role operator.</span>
      )}
      {!ended && awaited.length > 0 && (
        <Button
          look="primary"
          icon="events"
          disabled={!may || busy}
          onClick={() => void draftFor(awaited[0], instance).then(setEvent)}
        >
          Send event
        </Button>
      )}
      {failed && (
        <Button look="primary" icon="retry" disabled={!may || busy} onClick={() => void retry()}>
          Retry
        </Button>
      )}
      {!ended && suspended && (
        <Button
          look="primary"
          icon="play"
          disabled={!may || busy}
          onClick={() => void act('resume', 'It goes on')}
        >
          Resume
        </Button>
      )}
      {!ended && !suspended && (
        <Button icon="pause" disabled={!may || busy} onClick={() => setAsked('suspend')}>
          Suspend
        </Button>
      )}
      {!ended && (
        <Button
          icon="stop"
          look="danger"
          disabled={!may || busy}
          onClick={() => setAsked('cancel')}
        >
          Cancel
        </Button>
      )}
      <Menu
        items={[
          {label: 'Run it again…', icon: 'retry', disabled: !may, onSelect: () => onRerun({})},
          {
            label: 'Copy the address',
            icon: 'copy',
            onSelect: () => void navigator.clipboard.writeText(location.href),
          },
          {
            label: 'Copy as JSON',
            icon: 'copy',
            onSelect: () => void navigator.clipboard.writeText(printJson(instance)),
          },
        ]}
      >
        <Button look="bare" icon="more" aria-label="More actions" />
      </Menu>
      {asked && (
        <AskReason
          operation={asked}
          path={path}
          onClose={(done) => {
            setAsked(undefined);
            if (done) onDone();
          }}
        />
      )}
      {event && (
        <SendEvent
          first={event}
          awaited={awaited}
          instance={instance}
          onClose={(sent) => {
            setEvent(undefined);
            if (sent) onDone();
          }}
        />
      )}
      {rerun && (
        <Rerun
          path={path}
          graph={graph}
          from={rerun}
          instance={instance}
          onClose={() => onRerun(undefined)}
        />
      )}
    </div>
  );
}

const QUESTIONS = {
  cancel: {
    title: 'Cancel this instance?',
    button: 'Cancel it',
    done: 'It is cancelled',
    words:
      'It ends here; what it does outside is stopped. This cannot be taken back, but it can be ' +
      'run again from any of its tasks.',
  },
  suspend: {
    title: 'Suspend this instance?',
    button: 'Suspend it',
    done: 'It is suspended',
    words:
      'It takes no further step until it is resumed. Results, events and timers that come ' +
      'meanwhile are kept.',
  },
};

function AskReason({
  operation,
  path,
  onClose,
}: {
  operation: 'cancel' | 'suspend';
  path: string;
  onClose: (done: boolean) => void;
}) {
  const [reason, setReason] = useState('');
  const [error, setError] = useState<unknown>();
  const {title, button, done, words} = QUESTIONS[operation];
  const submit = async () => {
    try {
      await post(`${path}/${operation}`, reason ? {reason} : undefined);
      tell(done);
      onClose(true);
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <Dialog
      title={title}
      onClose={() => onClose(false)}
      onSubmit={() => void submit()}
      footer={
        <>
          <Button onClick={() => onClose(false)}>Leave it</Button>
          <Button type="submit" look={operation === 'cancel' ? 'danger' : 'primary'}>
            {button}
          </Button>
        </>
      }
    >
      <p className="soft">{words}</p>
      <Field label="Reason (optional)" hint="Stands in its history.">
        <input
          className="input"
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
      {error !== undefined && <ProblemView error={error} />}
    </Dialog>
  );
}

function SendEvent({
  first,
  awaited,
  instance,
  onClose,
}: {
  first: Draft;
  awaited: Awaited[];
  instance: Instance;
  onClose: (sent: boolean) => void;
}) {
  const [draft, setDraft] = useState(first);
  const [listen, setListen] = useState(0);
  const [tried, setTried] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async () => {
    setTried(true);
    if (!draft.type || !draft.source || !draft.id || dataProblem(draft)) return;
    try {
      await sendEvent(draft);
      tell('The event is sent');
      onClose(true);
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <Dialog
      title="Send the event that it waits for"
      onClose={() => onClose(false)}
      onSubmit={() => void submit()}
      footer={
        <>
          <Button onClick={() => onClose(false)}>Cancel</Button>
          <Button type="submit" look="primary" icon="events">
            Send
          </Button>
        </>
      }
    >
      {awaited.length > 1 && (
        <Field label="Which task waits">
          <select
            className="input"
            value={listen}
            onChange={(event) => {
              const index = Number(event.target.value);
              setListen(index);
              void draftFor(awaited[index], instance).then(setDraft);
            }}
          >
            {awaited.map((each, index) => (
              <option key={index} value={index}>
                {plain(each.task)}
              </option>
            ))}
          </select>
        </Field>
      )}
      <p className="soft small">What the task asks for is filled in; add what it is to get.</p>
      <EventForm draft={draft} onChange={setDraft} tried={tried} />
      {error !== undefined && <ProblemView error={error} />}
    </Dialog>
  );
}

function Rerun({
  path,
  graph,
  from,
  instance,
  onClose,
}: {
  path: string;
  graph: Graph | undefined;
  from: RerunFrom;
  instance: Instance;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  const [task, setTask] = useState(from.task ?? '');
  const [own, setOwn] = useState(false);
  const [input, setInput] = useState(printJson(from.input ?? instance.input ?? {}));
  const [error, setError] = useState<unknown>();
  const [wrong, setWrong] = useState<string>();
  const tasks = (graph?.nodes ?? []).filter(
    (node) => !node.parent && node.kind !== 'start' && node.kind !== 'end',
  );
  const submit = async () => {
    const body: Record<string, unknown> = {};
    if (task && from.seq && task === from.task) body.seq = from.seq;
    else if (task) body.task = task;
    try {
      if (own) body.input = parseJson(input);
    } catch (problem) {
      return setWrong(`This is no JSON: ${(problem as Error).message}`);
    }
    try {
      const started = await post<Outcome>(`${path}/rerun`, body, {
        headers: {'Idempotency-Key': randomKey()},
      });
      onClose();
      navigate(`/instances/${encodeURIComponent(started.id)}`);
    } catch (problem) {
      setError(problem);
    }
    return undefined;
  };
  const inside = task !== '' && !tasks.some((node) => node.id === task);
  return (
    <Dialog
      title="Run it again"
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" icon="retry">
            Run again
          </Button>
        </>
      }
    >
      <p className="soft">A new instance of the same definition begins. This one stays as it is.</p>
      <Field
        label="Begin"
        hint={
          inside
            ? 'This task lies in another one: the outermost task around ' + 'it is begun again.'
            : 'With the input and the context that the task had.'
        }
      >
        <select className="input" value={task} onChange={(event) => setTask(event.target.value)}>
          <option value="">at the beginning</option>
          {inside && <option value={task}>at {plain(task.split('/').pop() ?? '')}</option>}
          {tasks.map((node) => (
            <option key={node.id} value={node.id}>
              at {plain(node.name)}
            </option>
          ))}
        </select>
      </Field>
      <label className="row">
        <input type="checkbox" checked={own} onChange={(event) => setOwn(event.target.checked)} />
        with another input
      </label>
      {own && (
        <Field label="Input" wrong={wrong} hint="JSON">
          <textarea
            className="input"
            rows={8}
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
