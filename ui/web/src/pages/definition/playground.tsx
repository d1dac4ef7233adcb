// SPDX-License-Identifier: Apache-2.0
// Tries an expression on what a past instance really had.
import {keepPreviousData, useQuery} from '@tanstack/react-query';
import {useEffect, useState} from 'react';

import {at, get, post} from '../../api/client';
import {parseJson, printJson} from '../../api/json';
import type {
  Definition,
  Evaluation,
  Instance,
  InstanceRow,
  Page,
  TaskDetails,
  TaskRow,
} from '../../api/types';
import {JsonView} from '../../design/json_view';
import {Field, ProblemView} from '../../design/parts';
import {plain} from '../../design/text';
import {formatMoment} from '../../design/time';
import {useSettled} from '../../editor/workbench';

type Part = 'input' | 'output' | 'rawInput';

function useData(definition: Definition, instance: string, task: string, part: Part) {
  const instances = useQuery({
    queryKey: ['playground', definition.id],
    queryFn: () =>
      get<Page<InstanceRow>>('instances', {
        namespace: definition.namespace,
        name: definition.name,
        limit: 30,
      }),
  });
  const details = useQuery({
    queryKey: ['instance', instance],
    enabled: instance !== '',
    structuralSharing: false,
    queryFn: () => get<Instance>(`instances/${at(instance)}`),
  });
  const tasks = useQuery({
    queryKey: ['playground-tasks', instance],
    enabled: instance !== '',
    queryFn: () => get<Page<TaskRow>>(`instances/${at(instance)}/tasks`, {limit: 500}),
  });
  const values = useQuery({
    queryKey: ['task', instance, task],
    enabled: instance !== '' && task !== '',
    structuralSharing: false,
    queryFn: () => get<TaskDetails>(`instances/${at(instance)}/tasks/${at(task)}`),
  });
  const value =
    task === '' ? details.data?.[part === 'output' ? 'output' : 'input'] : values.data?.[part];
  return {
    instances: instances.data?.items ?? [],
    tasks: tasks.data?.items ?? [],
    value,
    workflow: details.data && {id: instance, input: details.data.input},
    context: values.data?.context,
  };
}

export function Playground({definition}: {definition: Definition}) {
  const [instance, setInstance] = useState('');
  const [task, setTask] = useState('');
  const [part, setPart] = useState<Part>('input');
  const [expression, setExpression] = useState('.');
  const [input, setInput] = useState('{}');
  const data = useData(definition, instance, task, part);
  useEffect(() => {
    if (instance === '' && data.instances[0]) setInstance(data.instances[0].id);
  }, [data.instances]);
  useEffect(() => {
    if (data.value !== undefined) setInput(printJson(data.value));
  }, [data.value]);
  const asked = useSettled(JSON.stringify({expression, input}), 250);
  const answer = useQuery({
    queryKey: ['evaluate', asked, data.context, data.workflow],
    retry: false,
    gcTime: 0,
    structuralSharing: false,
    enabled: expression.trim() !== '',
    placeholderData: keepPreviousData,
    queryFn: ({signal}) => {
      const settled = JSON.parse(asked) as {expression: string; input: string};
      return post<Evaluation>(
        'expressions/evaluate',
        {
          expression: settled.expression,
          input: parseJson(settled.input || 'null'),
          ...(data.context !== undefined && {context: data.context}),
          ...(data.workflow && {variables: {workflow: data.workflow}}),
        },
        {signal},
      );
    },
  });
  const outputs = answer.data?.outputs ?? [];
  return (
    <div className="pad playground">
      <div className="stack">
        <div className="three">
          <Field label="Data of">
            <select
              className="input"
              value={instance}
              onChange={(event) => {
                setInstance(event.target.value);
                setTask('');
              }}
            >
              <option value="">my own</option>
              {data.instances.map((row) => (
                <option key={row.id} value={row.id}>
                  {row.startedAt ? formatMoment(Date.parse(row.startedAt)) : row.id}, {row.status}
                </option>
              ))}
            </select>
          </Field>
          <Field label="Task">
            <select
              className="input"
              value={task}
              disabled={!instance}
              onChange={(event) => setTask(event.target.value)}
            >
              <option value="">the workflow</option>
              {data.tasks.map((row) => (
                <option key={row.seq} value={row.seq}>
                  {plain(row.name)}
                  {row.iteration ? ` #${row.iteration}` : ''}
                </option>
              ))}
            </select>
          </Field>
          <Field label="Value">
            <select
              className="input"
              value={part}
              disabled={!instance}
              onChange={(event) => setPart(event.target.value as Part)}
            >
              <option value="input">input</option>
              <option value="output">output</option>
              {task && <option value="rawInput">raw input</option>}
            </select>
          </Field>
        </div>
        <Field label="It is evaluated on">
          <textarea
            className="input"
            rows={14}
            spellCheck={false}
            value={input}
            onChange={(event) => setInput(event.target.value)}
          />
        </Field>
      </div>
      <div className="stack">
        <Field
          label="Expression"
          hint="jq, with or without ${ }. $workflow and $context are there."
        >
          <textarea
            className="input"
            rows={4}
            spellCheck={false}
            value={expression}
            onChange={(event) => setExpression(event.target.value)}
          />
        </Field>
        {answer.error ? (
          <ProblemView error={answer.error} />
        ) : (
          answer.data && (
            <>
              <h3>{outputs.length === 1 ? 'It yields' : `It yields ${outputs.length} values`}</h3>
              {outputs.slice(0, 20).map((value, index) => (
                <JsonView key={index} value={value} label={`result ${index + 1}`} tall />
              ))}
            </>
          )
        )}
      </div>
    </div>
  );
}
