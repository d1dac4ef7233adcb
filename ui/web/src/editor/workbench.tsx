// SPDX-License-Identifier: Apache-2.0
// Source beside graph: the text, what the server finds wrong with it while it is typed, and what it
// looks like. Both halves come when they are needed.
import {keepPreviousData, useQuery} from '@tanstack/react-query';
import {lazy, Suspense, useEffect, useMemo, useRef, useState, type ReactNode} from 'react';
import {parse} from 'yaml';

import {post} from '../api/client';
import type {Finding, Graph, Validation} from '../api/types';
import {Icon} from '../design/icon';
import {Empty, Skeleton} from '../design/parts';
import {Text} from '../design/text';
import {graphOf} from '../graph/of_document';
import './editor.css';

const Editor = lazy(() => import('./editor'));
const GraphView = lazy(() => import('../graph/view'));

const TYPING_MILLIS = 350;

export function useSettled<T>(value: T, millis = TYPING_MILLIS): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), millis);
    return () => clearTimeout(timer);
  }, [value, millis]);
  return settled;
}

export function useValidation(source: string) {
  const settled = useSettled(source);
  const answer = useQuery({
    queryKey: ['validation', settled],
    enabled: settled.trim() !== '',
    gcTime: 60_000,
    placeholderData: keepPreviousData,
    queryFn: ({signal}) =>
      post<Validation>('definitions/validate', settled, {type: 'application/yaml', signal}),
  });
  return {...answer, current: settled === source && !answer.isPlaceholderData};
}

function draftGraph(source: string): Graph | undefined {
  try {
    return graphOf(parse(source, {merge: true, maxAliasCount: 1000, logLevel: 'silent'}));
  } catch {
    return undefined; // half written: the graph before stays
  }
}

interface WorkbenchProps {
  source: string;
  onChange?: (source: string) => void;
  onSave?: () => void;
  validation?: {data?: Validation; current: boolean};
  graph?: Graph; // of what is stored; absent: it follows the text
  line?: number;
  beside?: ReactNode; // instead of the graph
}

export function Workbench({
  source,
  onChange,
  onSave,
  validation,
  graph,
  line,
  beside,
}: WorkbenchProps) {
  const [place, setPlace] = useState<number | undefined>(line);
  const [selected, setSelected] = useState<string>();
  const settled = useSettled(source);
  const last = useRef<Graph>();
  const drawn = useMemo(() => {
    last.current = graph ?? draftGraph(settled) ?? last.current;
    return last.current;
  }, [graph, settled]);
  const findings = validation?.data?.findings ?? [];
  const select = (id: string) => {
    setSelected(id);
    const node = drawn?.nodes.find((each) => each.id === id);
    setPlace(node?.line ?? lineOf(source, id));
  };
  return (
    <div className="workbench">
      <div>
        <Suspense fallback={<Skeleton rows={16} height={20} />}>
          <Editor
            value={source}
            onChange={onChange}
            onSave={onSave}
            findings={findings}
            line={place}
            label={onChange ? 'Source of the definition' : 'Source, to be read only'}
          />
        </Suspense>
        {validation && <Verdict validation={validation} onShow={setPlace} />}
      </div>
      <div>
        {beside ?? (
          <Suspense fallback={<Skeleton rows={8} height={56} />}>
            {drawn ? (
              <GraphView
                graph={drawn}
                selected={selected}
                onSelect={select}
                label="Graph of the definition"
              />
            ) : (
              <Empty icon="branch" title="The graph comes with the first task" />
            )}
          </Suspense>
        )}
      </div>
    </div>
  );
}

// Where a task of the text stands, by the names on its way.
function lineOf(source: string, pointer: string): number | undefined {
  const lines = source.split('\n');
  let at = -1;
  for (const step of pointer.split('/').slice(1)) {
    if (/^\d+$/.test(step)) continue;
    const name = step.replace(/~1/g, '/').replace(/~0/g, '~');
    const found = lines.findIndex(
      (line, index) =>
        index > at &&
        line
          .replace(/^[\s-]*/, '')
          .replace(/["']/g, '')
          .startsWith(name + ':'),
    );
    if (found < 0) return undefined;
    at = found;
  }
  return at < 0 ? undefined : at + 1;
}

function Verdict({
  validation,
  onShow,
}: {
  validation: {data?: Validation; current: boolean};
  onShow: (line: number) => void;
}) {
  const findings: Finding[] = validation.data?.findings ?? [];
  if (!validation.data)
    return <div className="verdict tone-skipped">Write, and it is looked at.</div>;
  if (findings.length === 0) {
    return (
      <div className={`verdict tone-${validation.current ? 'completed' : 'skipped'}`} role="status">
        <Icon name="check" />
        {validation.data.exists === 'other'
          ? 'Valid, but this version is stored with another text: give it another version.'
          : validation.data.exists === 'same'
            ? 'Valid, and stored already.'
            : 'Valid.'}
      </div>
    );
  }
  return (
    <div className="findings" role="region" aria-label="What is wrong" tabIndex={0}>
      {findings.map((finding, index) => (
        <button
          key={index}
          type="button"
          className="finding"
          onClick={() => finding.line && onShow(finding.line)}
        >
          <span className="mono small">
            {finding.line ? `${finding.line}:${finding.column ?? 1}` : ''}
          </span>
          <span>
            <Text>{finding.message}</Text>
          </span>
        </button>
      ))}
    </div>
  );
}
