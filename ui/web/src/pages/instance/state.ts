// SPDX-License-Identifier: Apache-2.0
// From the rows of tasks: what each task of the graph shows, under the iteration and the attempt
// that are picked, and which way the flow took. Pure.
import type {Graph, TaskRow} from '../../api/types';
import {formatDuration} from '../../design/time';
import type {TaskState} from '../../graph/view';

export type Picks = Readonly<Record<string, number>>; // by the row of the loop or the try

export interface GraphState {
  states: Map<string, TaskState>;
  taken: Set<string>;
}

export type Children = Map<string, TaskRow[]>; // by the row around them; '': the workflow's own

export function childrenOf(rows: TaskRow[]): Children {
  const children: Children = new Map();
  for (const row of rows) {
    const list = children.get(row.parent ?? '');
    if (list) list.push(row);
    else children.set(row.parent ?? '', [row]);
  }
  return children;
}

function last(rows: TaskRow[], member: 'iteration' | 'attempt'): number {
  return rows.reduce((most, row) => Math.max(most, row[member] ?? 0), 0);
}

export function took(row: TaskRow, now: number): string {
  const end = row.endedAt ? Date.parse(row.endedAt) : now;
  return formatDuration(end - Date.parse(row.startedAt));
}

function detailOf(row: TaskRow, now: number): string | undefined {
  if (row.status === 'faulted') return row.error?.title ?? 'failed';
  if (row.status === 'skipped') return 'skipped: its condition was false';
  if (row.status === 'waiting' && row.dueAt) {
    return `until ${new Date(row.dueAt).toLocaleString()}`;
  }
  if (row.status === 'running' || row.status === 'waiting') return undefined;
  return `took ${took(row, now)}`;
}

class Walk {
  readonly states = new Map<string, TaskState>();
  readonly taken = new Set<string>();

  constructor(
    private readonly children: Children,
    private readonly picks: Picks,
    private readonly pick: (row: string, value: number) => void,
    private readonly now: number,
    private readonly slots: Map<string, string | undefined>,
  ) {}

  group(rows: TaskRow[]) {
    const times = new Map<string, number>();
    const latest = new Map<string, TaskRow>();
    let before: TaskRow | undefined;
    for (const row of rows) {
      times.set(row.pointer, (times.get(row.pointer) ?? 0) + 1);
      latest.set(row.pointer, row);
      if (before) this.taken.add(`${before.pointer} ${row.pointer}`);
      before = row;
    }
    for (const row of latest.values()) this.task(row, times.get(row.pointer)!);
  }

  private task(row: TaskRow, times: number) {
    const inner = this.children.get(row.seq) ?? [];
    const picker = this.pickerOf(row, inner);
    this.states.set(row.pointer, {
      status: row.status,
      seq: row.seq,
      times,
      picker,
      detail: detailOf(row, this.now),
    });
    if (inner.length === 0) return;
    const shown = !picker
      ? inner
      : inner.filter((child) =>
          picker.word === 'iteration'
            ? (child.iteration ?? 1) === picker.value
            : this.slots.get(child.pointer) !== 'try' || (child.attempt ?? 1) === picker.value,
        );
    this.group(shown);
  }

  private pickerOf(row: TaskRow, inner: TaskRow[]): TaskState['picker'] {
    const word = row.kind === 'try' ? 'attempt' : 'iteration';
    if (row.kind !== 'for' && row.kind !== 'try' && row.kind !== 'listen') return undefined;
    const count = last(inner, word);
    if (count === 0) return undefined;
    const value = Math.min(this.picks[row.seq] ?? count, count);
    return {word, value, count, onPick: (next) => this.pick(row.seq, next)};
  }
}

export function graphState(
  graph: Graph,
  rows: TaskRow[],
  picks: Picks,
  pick: (row: string, value: number) => void,
  now: number,
  completed: boolean,
): GraphState {
  const slots = new Map(graph.nodes.map((node) => [node.id, node.slot]));
  const children = childrenOf(rows);
  const walk = new Walk(children, picks, pick, now, slots);
  const own = children.get('') ?? [];
  walk.group(own);
  if (own.length > 0) {
    walk.states.set('start', {status: 'completed', seq: ''});
    walk.taken.add(`start ${own[0].pointer}`);
  }
  if (completed) {
    walk.states.set('end', {status: 'completed', seq: ''});
    for (const edge of graph.edges) {
      const from = walk.states.get(edge.from);
      const wentOn = [...walk.taken].some((pair) => pair.startsWith(edge.from + ' '));
      if (edge.to === 'end' && from && !wentOn) walk.taken.add(`${edge.from} end`);
    }
  }
  return {states: walk.states, taken: walk.taken};
}

// The rows in the order of a tree, for the timeline; what is folded is left out.
export interface TreeRow {
  row: TaskRow;
  depth: number;
  inner: number;
  open: boolean;
}

export function treeOf(children: Children, folded: ReadonlySet<string>): TreeRow[] {
  const tree: TreeRow[] = [];
  const walk = (parent: string, depth: number) => {
    for (const row of children.get(parent) ?? []) {
      const inner = children.get(row.seq)?.length ?? 0;
      const open = inner > 0 && !folded.has(row.seq);
      tree.push({row, depth, inner, open});
      if (open) walk(row.seq, depth + 1);
    }
  };
  walk('', 0);
  return tree;
}
