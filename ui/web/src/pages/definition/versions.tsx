// SPDX-License-Identifier: Apache-2.0
// The versions of a definition and what changed between two: in the text and in what it means.
import {useQuery} from '@tanstack/react-query';
import {useState} from 'react';

import {at, get} from '../../api/client';
import type {Definition, DefinitionRow, Diff} from '../../api/types';
import {Empty, Field, ProblemView, Skeleton} from '../../design/parts';
import {plain, Text} from '../../design/text';

const TONES: Record<string, string> = {'+': 'added', '-': 'removed', '@': 'place'};

export function Versions({
  definition,
  versions,
}: {
  definition: Definition;
  versions: DefinitionRow[];
}) {
  const index = versions.findIndex((row) => row.version === definition.version);
  const before = versions[index + 1]?.version ?? versions.at(-1)?.version ?? '';
  const [from, setFrom] = useState(before);
  const [to, setTo] = useState(definition.version);
  const diff = useQuery({
    queryKey: ['diff', definition.namespace, definition.name, from, to],
    enabled: from !== '' && from !== to,
    queryFn: () =>
      get<Diff>(`definitions/${at(definition.namespace, definition.name)}/diff`, {from, to}),
  });
  if (versions.length < 2) {
    return (
      <Empty icon="branch" title="This is the only version">
        <p>A version never changes. “New version” begins the next one with this text.</p>
      </Empty>
    );
  }
  const choice = (label: string, value: string, set: (value: string) => void) => (
    <Field label={label}>
      <select className="input" value={value} onChange={(event) => set(event.target.value)}>
        {versions.map((row) => (
          <option key={row.version} value={row.version}>
            {plain(row.version)}
          </option>
        ))}
      </select>
    </Field>
  );
  return (
    <div className="pad stack">
      <div className="two versions-choice">
        {choice('From', from, setFrom)}
        {choice('To', to, setTo)}
      </div>
      {from === to && <p className="soft">Choose two different versions.</p>}
      {diff.error && <ProblemView error={diff.error} />}
      {diff.isLoading && <Skeleton rows={8} height={20} />}
      {diff.data && (
        <>
          <section className="stack">
            <h2>What it means</h2>
            {diff.data.changes.length === 0 && <p className="soft">Nothing changes.</p>}
            <ul className="stack" style={{gap: 4}}>
              {diff.data.changes.map((change, at) => (
                <li key={at} className="row wrap">
                  <span className={`chip diff-${change.kind}`}>{change.kind}</span>
                  <span className="mono small">
                    <Text>{change.pointer || 'the document'}</Text>
                  </span>
                  {change.movedFrom && (
                    <span className="small soft">
                      from{' '}
                      <span className="mono">
                        <Text>{change.movedFrom}</Text>
                      </span>
                    </span>
                  )}
                </li>
              ))}
            </ul>
            {diff.data.truncated && <p className="soft">And more.</p>}
          </section>
          <section className="stack">
            <h2>The text</h2>
            <pre className="diff mono small" tabIndex={0} aria-label="Difference of the texts">
              {diff.data.unified.split('\n').map((line, at) => (
                <span key={at} className={'diff-line ' + (TONES[line[0]] ?? '')}>
                  <Text>{line}</Text>
                  {'\n'}
                </span>
              ))}
            </pre>
          </section>
        </>
      )}
    </div>
  );
}
