// SPDX-License-Identifier: Apache-2.0
// How a task is drawn: alone, as a box around others, or as the round start and end.
import {Handle, Position, type NodeProps, type NodeTypes} from '@xyflow/react';
import type {ReactNode} from 'react';

import type {GraphNode} from '../api/types';
import {Icon, type IconName} from '../design/icon';
import {statusIcon} from '../design/status';
import {plain, Text} from '../design/text';
import type {TaskState} from './view';

export interface TaskNodeData extends Record<string, unknown> {
  node: GraphNode;
  sections: {label: string; x: number; y: number}[];
  state: TaskState | undefined;
  idle: boolean; // an instance is shown, and it has not come here
  selected: boolean;
  onSelect?: (id: string) => void;
}

export const KIND_ICONS: Record<string, IconName> = {
  set: 'set',
  do: 'instances',
  switch: 'branch',
  for: 'loop',
  fork: 'branch',
  try: 'shield',
  raise: 'flag',
  wait: 'clock',
  emit: 'upload',
  listen: 'ear',
  call: 'globe',
  run: 'terminal',
};

function Ends({children}: {children: ReactNode}) {
  return (
    <>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      {children}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </>
  );
}

function Picker({state}: {state: TaskState | undefined}) {
  const picker = state?.picker;
  if (!picker || picker.count < 2) return null;
  const {word, value, count, onPick} = picker;
  return (
    <span className="picker nodrag nopan" role="group" aria-label={word}>
      <button
        type="button"
        aria-label={`Previous ${word}`}
        disabled={value <= 1}
        onClick={() => onPick(value - 1)}
      >
        <Icon name="left" />
      </button>
      <label>
        <span className="unseen">{word}</span>
        <input
          inputMode="numeric"
          value={value}
          size={String(count).length}
          onChange={(event) => {
            const wanted = Number(event.target.value);
            if (wanted >= 1 && wanted <= count) onPick(wanted);
          }}
        />
      </label>
      <span className="number">/ {count}</span>
      <button
        type="button"
        aria-label={`Next ${word}`}
        disabled={value >= count}
        onClick={() => onPick(value + 1)}
      >
        <Icon name="right" />
      </button>
    </span>
  );
}

function classes(data: TaskNodeData, kind: string): string {
  const {state, idle, selected} = data;
  return [kind, state ? `known tone-${state.status}` : idle ? 'idle' : '', selected && 'selected']
    .filter(Boolean)
    .join(' ');
}

function labelOf({node, state}: TaskNodeData): string {
  return plain([node.name, node.kind, state?.status].filter(Boolean).join(', '));
}

function Head({data}: {data: TaskNodeData}) {
  const {node, state, onSelect} = data;
  return (
    <button
      type="button"
      className="task-head"
      aria-label={labelOf(data)}
      aria-pressed={onSelect ? data.selected : undefined}
      onClick={() => onSelect?.(node.id)}
    >
      <span className="task-kind">
        <Icon name={KIND_ICONS[node.kind] ?? 'dot'} />
      </span>
      <span className="task-words">
        <span className="task-name">
          <Text>{node.name}</Text>
        </span>
        <span className="task-summary">
          <Text>{state?.detail ?? node.summary ?? node.kind}</Text>
        </span>
      </span>
      {state?.times && state.times > 1 && <span className="task-times">×{state.times}</span>}
      {state && (
        <span className="task-state">
          <Icon
            name={statusIcon(state.status)}
            className={state.status === 'running' ? 'spin' : ''}
          />
        </span>
      )}
      {!state && node.condition && (
        <span className="task-times" title="only if">
          if
        </span>
      )}
    </button>
  );
}

function Task({data}: NodeProps) {
  const given = data as TaskNodeData;
  return (
    <Ends>
      <div className={classes(given, 'task-node')}>
        <Head data={given} />
      </div>
    </Ends>
  );
}

function Box({data}: NodeProps) {
  const given = data as TaskNodeData;
  return (
    <Ends>
      <div className={classes(given, 'box-node')}>
        <div className="box-head">
          <Head data={given} />
          <Picker state={given.state} />
        </div>
        {given.sections.map((section) => (
          <span
            key={section.label}
            className="box-section"
            style={{left: section.x, top: section.y}}
          >
            {section.label}
          </span>
        ))}
      </div>
    </Ends>
  );
}

function Round({data}: NodeProps) {
  const given = data as TaskNodeData;
  return (
    <Ends>
      <div className={classes(given, 'round-node')}>{given.node.name}</div>
    </Ends>
  );
}

export const NODE_TYPES: NodeTypes = {task: Task, box: Box, round: Round};
