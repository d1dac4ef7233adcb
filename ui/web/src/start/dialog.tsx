// SPDX-License-Identifier: Apache-2.0
// Starts an instance: a form from the definition's input schema, or JSON.
import {useEffect, useMemo, useRef, useState} from 'react';
import {useNavigate} from 'react-router-dom';

import {at, post, randomKey} from '../api/client';
import {parseJson, printJson} from '../api/json';
import {useDefinition} from '../api/queries';
import type {DefinitionRow, Outcome} from '../api/types';
import {Button, Dialog, Field, ProblemView, Skeleton} from '../design/parts';
import {plain, Text} from '../design/text';
import {InputForm} from './form';
import {fieldsOf, firstInput, fromForm, inputSchema, toForm, type FormValues} from './schema';

function parseTags(text: string): string[] {
  return text
    .split(/[,\n]/)
    .map((tag) => tag.trim())
    .filter(Boolean);
}

type Chosen = Pick<DefinitionRow, 'namespace' | 'name' | 'version' | 'title'>;

export function StartDialog({definitions, onClose}: {definitions: Chosen[]; onClose: () => void}) {
  const navigate = useNavigate();
  const [index, setIndex] = useState(0);
  const [tags, setTags] = useState('');
  const [json, setJson] = useState<string>(); // undefined: the form is used
  const [values, setValues] = useState<FormValues>({});
  const [wrong, setWrong] = useState<Record<string, string>>({});
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const key = useRef(randomKey()); // so that a start which is sent again starts nothing more
  const chosen = definitions[index] as Chosen | undefined;
  const definition = useDefinition(chosen?.namespace ?? '', chosen?.name ?? '', chosen?.version);
  const schema = useMemo(() => inputSchema(definition.data?.document), [definition.data]);
  const fields = useMemo(() => fieldsOf(schema), [schema]);

  useEffect(() => {
    if (!definition.data) return;
    const first = firstInput(schema);
    setValues(fields ? toForm(fields, first) : {});
    setJson(fields ? undefined : printJson(first));
    setWrong({});
    setError(undefined);
  }, [definition.data]);

  const readInput = (): unknown => {
    if (json === undefined) {
      const read = fromForm(fields!, values);
      setWrong(read.wrong);
      return Object.keys(read.wrong).length > 0 ? undefined : read.input;
    }
    try {
      return json.trim() === '' ? {} : parseJson(json);
    } catch (problem) {
      setWrong({json: `This is no JSON: ${(problem as Error).message}`});
      return undefined;
    }
  };
  const start = async () => {
    const input = readInput();
    if (input === undefined || !chosen) return;
    setBusy(true);
    setError(undefined);
    try {
      const started = await post<Outcome>(
        `definitions/${at(chosen.namespace, chosen.name)}/instances`,
        input,
        {
          query: {version: chosen.version, tag: parseTags(tags)},
          headers: {'Idempotency-Key': key.current},
        },
      );
      navigate(`/instances/${encodeURIComponent(started.id)}`);
      onClose();
    } catch (problem) {
      key.current = randomKey();
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  const toJson = () => setJson(printJson(fromForm(fields!, values).input));
  const toFields = () => {
    try {
      setValues(toForm(fields!, parseJson(json || '{}') as Record<string, unknown>));
      setJson(undefined);
      setWrong({});
    } catch (problem) {
      setWrong({json: `This is no JSON: ${(problem as Error).message}`});
    }
  };
  const title =
    chosen && definitions.length === 1 ? (
      <>
        Start <Text>{chosen.title ?? chosen.name}</Text>
      </>
    ) : (
      'Start an instance'
    );
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void start()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" icon="play" disabled={busy || !definition.data}>
            {busy ? 'Starting' : 'Start'}
          </Button>
        </>
      }
    >
      {definitions.length === 0 && <p>There is no definition yet.</p>}
      {definitions.length > 1 && (
        <Field label="Definition">
          <select
            className="input"
            value={index}
            onChange={(event) => setIndex(Number(event.target.value))}
          >
            {definitions.map((row, place) => (
              <option key={place} value={place}>
                {plain(`${row.namespace}/${row.name} ${row.version}`)}
              </option>
            ))}
          </select>
        </Field>
      )}
      {definition.isPending && chosen && <Skeleton rows={3} height={48} />}
      {definition.error && <ProblemView error={definition.error} />}
      {definition.data && fields && (
        <div className="row" role="group" aria-label="How the input is given">
          <span className="soft small grow">What the workflow gets</span>
          <Button tiny look="bare" aria-pressed={json === undefined} onClick={toFields}>
            Form
          </Button>
          <Button tiny look="bare" aria-pressed={json !== undefined} onClick={toJson}>
            JSON
          </Button>
        </div>
      )}
      {definition.data && fields && json === undefined && (
        <InputForm fields={fields} values={values} wrong={wrong} onChange={setValues} />
      )}
      {definition.data && json !== undefined && (
        <Field label="Input" wrong={wrong.json} hint="JSON">
          <textarea
            className="input"
            rows={9}
            spellCheck={false}
            value={json}
            onChange={(event) => setJson(event.target.value)}
          />
        </Field>
      )}
      {definition.data && (
        <Field label="Tags (optional)" hint="key:value, with commas. They are found by the search.">
          <input className="input" value={tags} onChange={(event) => setTags(event.target.value)} />
        </Field>
      )}
      {error !== undefined && <ProblemView error={error} />}
    </Dialog>
  );
}
