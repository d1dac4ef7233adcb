// SPDX-License-Identifier: Apache-2.0
// The graph of a definition that is being written, in the API's shape (which has it for those that
// are stored). Lenient: what is half written is left out. Pure.
import type {Graph, GraphEdge, GraphNode} from '../api/types';

type Kind = GraphNode['kind'];
type Slot = NonNullable<GraphNode['slot']>;
type Json = Record<string, unknown>;

const KINDS: Kind[] = [
  'for',
  'try',
  'fork',
  'call',
  'run',
  'switch',
  'listen',
  'emit',
  'raise',
  'wait',
  'set',
  'do',
];

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function oneLine(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 120 ? text.slice(0, 120) + '…' : text;
}

function summaryOf(kind: Kind, task: Json): string | undefined {
  const arguments_ = isObject(task.with) ? task.with : {};
  const own = task[kind];
  switch (kind) {
    case 'call': {
      const endpoint = isObject(arguments_.endpoint)
        ? arguments_.endpoint.uri
        : arguments_.endpoint;
      const method = typeof arguments_.method === 'string' ? arguments_.method.toUpperCase() : own;
      return oneLine([method, endpoint].filter(Boolean).join(' '));
    }
    case 'for':
      return isObject(own) ? `each ${own.each ?? 'item'} in ${oneLine(own.in) ?? ''}` : undefined;
    case 'run':
      return isObject(own) ? Object.keys(own)[0] : undefined;
    case 'set':
      return isObject(own) ? Object.keys(own).join(', ') : oneLine(own);
    case 'wait':
      return oneLine(own);
    case 'raise':
    case 'emit':
    case 'listen':
    case 'switch':
    case 'fork':
    case 'do':
    case 'try':
      return undefined;
    default:
      return undefined;
  }
}

// The lists inside a task: slot, place below the task, the list itself.
function listsOf(kind: Kind, task: Json): [Slot, string, unknown][] {
  const own = task[kind];
  switch (kind) {
    case 'do':
      return [['do', 'do', own]];
    case 'for':
      return [['do', 'do', task.do]];
    case 'fork':
      return isObject(own) ? [['branches', 'fork/branches', own.branches]] : [];
    case 'try':
      return [
        ['try', 'try', own],
        ['catch', 'catch/do', isObject(task.catch) ? task.catch.do : undefined],
      ];
    case 'listen':
      return isObject(task.foreach) ? [['foreach', 'foreach/do', task.foreach.do]] : [];
    default:
      return [];
  }
}

class Builder {
  nodes: GraphNode[] = [];
  edges: GraphEdge[] = [];

  // The pointers of the list's tasks; `after` is where the flow goes behind the last.
  list(list: unknown, at: string, parent: string | undefined, slot: Slot | undefined): string[] {
    if (!Array.isArray(list)) return [];
    const entries = list.flatMap((item, index): [string, string, Json][] => {
      if (!isObject(item)) return [];
      const [name, task] = Object.entries(item)[0] ?? [];
      return name !== undefined && isObject(task)
        ? [[`${at}/${index}/${escape(name)}`, name, task]]
        : [];
    });
    const byName = new Map(entries.map(([pointer, name]) => [name, pointer]));
    const parallel = slot === 'branches';
    entries.forEach(([pointer, name, task], index) => {
      this.task(pointer, name, task, parent, slot);
      if (parallel) return;
      const next = entries[index + 1]?.[0] ?? (parent === undefined ? 'end' : undefined);
      this.flow(pointer, task, next, byName);
    });
    return entries.map(([pointer]) => pointer);
  }

  private task(
    pointer: string,
    name: string,
    task: Json,
    parent: string | undefined,
    slot: Slot | undefined,
  ) {
    const kind = KINDS.find((each) => each in task) ?? 'set';
    const node: GraphNode = {id: pointer, kind, name, children: [], ...(parent && {parent, slot})};
    const summary = summaryOf(kind, task);
    if (summary) node.summary = summary;
    if (typeof task.if === 'string') node.condition = task.if;
    this.nodes.push(node);
    for (const [inner, place, list] of listsOf(kind, task)) {
      node.children.push(...this.list(list, `${pointer}/${place}`, pointer, inner));
    }
  }

  private flow(pointer: string, task: Json, next: string | undefined, names: Map<string, string>) {
    const target = (then: unknown): string | undefined =>
      then === undefined || then === 'continue'
        ? next
        : then === 'end'
          ? 'end'
          : then === 'exit'
            ? undefined
            : names.get(String(then));
    const add = (to: string | undefined, kind: GraphEdge['kind'], label?: string) => {
      if (to) this.edges.push({from: pointer, to, kind, ...(label && {label})});
    };
    if (!Array.isArray(task.switch)) {
      return add(target(task.then), task.then === undefined ? 'next' : 'then');
    }
    let always = false;
    for (const item of task.switch) {
      const [name, chosen] = isObject(item) ? (Object.entries(item)[0] ?? []) : [];
      if (name === undefined || !isObject(chosen)) continue;
      always ||= chosen.when === undefined;
      add(target(chosen.then), 'case', name);
    }
    if (!always) add(target(task.then), 'next');
    return undefined;
  }
}

function escape(name: string): string {
  return name.replace(/~/g, '~0').replace(/\//g, '~1');
}

export function graphOf(document: unknown): Graph | undefined {
  if (!isObject(document) || !Array.isArray(document.do)) return undefined;
  const builder = new Builder();
  const about = isObject(document.document) ? document.document : {};
  const [namespace, name, version] = [about.namespace, about.name, about.version].map(String);
  builder.nodes.push({id: 'start', kind: 'start', name: 'start', children: []});
  const first = builder.list(document.do, '/do', undefined, undefined)[0];
  builder.nodes.push({id: 'end', kind: 'end', name: 'end', children: []});
  builder.edges.unshift({from: 'start', to: first ?? 'end', kind: 'next'});
  return {
    definition: {id: `${namespace}/${name}:${version}`, namespace, name, version},
    nodes: builder.nodes,
    edges: builder.edges,
  };
}
