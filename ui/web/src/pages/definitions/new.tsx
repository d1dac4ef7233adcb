// SPDX-License-Identifier: Apache-2.0
// Writes a definition, or a new version of one.
import {useEffect, useState} from 'react';
import {useNavigate, useSearchParams} from 'react-router-dom';

import {at, get, post} from '../../api/client';
import {queryClient, useMay} from '../../api/queries';
import type {Definition, Validation} from '../../api/types';
import {Button, ProblemView} from '../../design/parts';
import {tell} from '../../design/toast';
import {useValidation, Workbench} from '../../editor/workbench';
import {StartDialog} from '../../start/dialog';
import {definitionPath} from './page';

const FIRST = `document:
  dsl: '1.0.3'
  namespace: demo
  name: hello
  version: '1.0.0'
  title: Say hello
input:
  schema:
    format: json
    document:
      type: object
      required: [name]
      properties:
        name: {type: string, default: Ada}
do:
  - greet:
      set:
        message: \${ "Hello \\(.name)!" }
  - think:
      wait: {seconds: 3}
  - count:
      set: '\${ . + {letters: (.message | length)} }'
`;

// "1.4.2" as "1.4.3", in the line that has it.
export function withNextVersion(source: string): string {
  return source.replace(
    /^(\s*version:\s*["']?\d+\.\d+\.)(\d+)/m,
    (_all, head: string, patch: string) => head + (Number(patch) + 1),
  );
}

export default function NewDefinitionPage() {
  const navigate = useNavigate();
  const [params] = useSearchParams();
  const [namespace, name, version] = ['namespace', 'name', 'version'].map(
    (each) => params.get(each) ?? '',
  );
  const [source, setSource] = useState(name ? '' : FIRST);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const [starting, setStarting] = useState<Validation['definition']>();
  const may = useMay('author');
  const validation = useValidation(source);

  useEffect(() => {
    if (!name) return;
    get<Definition>(`definitions/${at(namespace, name)}`, {version}).then(
      (found) => setSource(withNextVersion(found.source)),
      setError,
    );
  }, [namespace, name, version]);

  const save = async (start: boolean) => {
    setBusy(true);
    setError(undefined);
    try {
      const stored = await post<NonNullable<Validation['definition']>>('definitions', source, {
        type: 'application/yaml',
      });
      void queryClient.invalidateQueries({queryKey: ['definitions']});
      void queryClient.invalidateQueries({queryKey: ['definition']});
      void queryClient.invalidateQueries({queryKey: ['validation']});
      tell(`${stored.id} is stored`);
      if (start) setStarting(stored);
      else navigate(definitionPath(stored));
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  const valid =
    validation.current && validation.data?.valid === true && validation.data.exists !== 'other';
  return (
    <main className="page" id="content" tabIndex={-1}>
      <div className="page-head">
        <h1>{name ? 'New version' : 'New definition'}</h1>
        <Button disabled={busy || !valid || !may} onClick={() => void save(false)}>
          Save
        </Button>
        <Button
          look="primary"
          icon="play"
          disabled={busy || !valid || !may}
          onClick={() => void save(true)}
        >
          Save and start
        </Button>
      </div>
      {error !== undefined && <ProblemView error={error} />}
      {validation.error && <ProblemView error={validation.error} />}
      <section className="card list-card" aria-label="Workbench">
        <Workbench
          source={source}
          onChange={setSource}
          validation={validation}
          onSave={() => valid && void save(false)}
        />
      </section>
      {starting && <StartDialog definitions={[starting]} onClose={() => setStarting(undefined)} />}
    </main>
  );
}
