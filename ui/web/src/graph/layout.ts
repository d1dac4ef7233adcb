// SPDX-License-Identifier: Apache-2.0
// Where each task is drawn: tasks inside others lie in their box, lists run downwards, branches and
// what catches stand side by side. A list without jumps needs no search for places. Pure.
import dagre from '@dagrejs/dagre';

import type {Graph, GraphEdge, GraphNode} from '../api/types';

export interface Placed {
  node: GraphNode;
  x: number; // in its parent
  y: number;
  width: number;
  height: number;
  sections: {label: string; x: number; y: number}[];
}

interface Point {
  x: number;
  y: number;
}

export interface Routed {
  edge: GraphEdge;
  way?: Point[]; // around other tasks, on the whole drawing; absent: straight down
  label?: Point;
}

export interface Layout {
  placed: Placed[]; // parents before what is in them
  edges: Routed[]; // those that boxes do not say already
}

const LEAF = {width: 216, height: 54};
const ROUND = {width: 68, height: 28};
const GAP = 34; // between two tasks of a list
const ASIDE = 28; // between branches
const PADDING = 16;
const HEADER = 46;
const SECTION = 20; // the word above a section
const SEARCHED = 400; // tasks of one list; longer ones stand below each other

interface Box {
  width: number;
  height: number;
  at: Map<string, Point>;
}

const SECTION_WORDS: Record<string, string> = {try: 'try', catch: 'on error'};

class Drawing {
  private readonly nodes: Map<string, GraphNode>;
  private readonly inner = new Map<string, GraphNode[]>();
  private readonly result = new Map<string, Placed>();
  // Ways in their list, from the place of the task that they leave.
  private readonly ways = new Map<GraphEdge, {way: Point[]; label?: Point}>();

  constructor(private readonly graph: Graph) {
    this.nodes = new Map(graph.nodes.map((node) => [node.id, node]));
    for (const node of graph.nodes) {
      const parent = node.parent && this.nodes.has(node.parent) ? node.parent : '';
      this.inner.set(parent, [...(this.inner.get(parent) ?? []), node]);
    }
  }

  draw(): Layout {
    const root = this.inner.get('') ?? [];
    const box = this.list(root);
    for (const node of root) this.place(node.id, box.at.get(node.id)!, 0, 0);
    const placed: Placed[] = [];
    const walk = (parent: string) => {
      for (const node of this.inner.get(parent) ?? []) {
        placed.push(this.result.get(node.id)!);
        walk(node.id);
      }
    };
    walk('');
    const drawn = this.graph.edges.filter(
      (edge) =>
        edge.kind !== 'enter' &&
        edge.kind !== 'branch' &&
        edge.kind !== 'catch' &&
        this.nodes.has(edge.from) &&
        this.nodes.has(edge.to),
    );
    return {placed, edges: drawn.map((edge) => this.route(edge))};
  }

  private route(edge: GraphEdge): Routed {
    const found = this.ways.get(edge);
    if (!found) return {edge};
    const from = this.corner(edge.from);
    const move = ({x, y}: Point) => ({x: x + from.x, y: y + from.y});
    return {edge, way: found.way.map(move), label: found.label && move(found.label)};
  }

  // On the whole drawing.
  private corner(id: string): Point {
    let {x, y, node} = this.result.get(id)!;
    while (node.parent && this.result.has(node.parent)) {
      const outer = this.result.get(node.parent)!;
      x += outer.x;
      y += outer.y;
      node = outer.node;
    }
    return {x, y};
  }

  private place(id: string, at: {x: number; y: number}, x: number, y: number) {
    const placed = this.result.get(id)!;
    placed.x = at.x + x;
    placed.y = at.y + y;
  }

  // Measures a task and everything in it.
  private measure(node: GraphNode): Placed {
    const placed: Placed = {node, x: 0, y: 0, ...LEAF, sections: []};
    this.result.set(node.id, placed);
    if (node.kind === 'start' || node.kind === 'end') return Object.assign(placed, ROUND);
    const inner = this.inner.get(node.id);
    if (!inner) return placed;
    const slots = [...new Set(inner.map((child) => child.slot))];
    let x = PADDING;
    const named = slots.some((slot) => slot === 'catch');
    const top = HEADER + (named ? SECTION : 0);
    let bottom = 0;
    for (const slot of slots) {
      const children = inner.filter((child) => child.slot === slot);
      const box = slot === 'branches' ? this.aside(children) : this.list(children);
      if (named) placed.sections.push({label: SECTION_WORDS[slot ?? ''] ?? '', x, y: HEADER});
      for (const child of children) this.place(child.id, box.at.get(child.id)!, x, top);
      x += box.width + ASIDE;
      bottom = Math.max(bottom, box.height);
    }
    placed.width = Math.max(LEAF.width + 2 * PADDING, x - ASIDE + PADDING);
    placed.height = top + bottom + PADDING;
    return placed;
  }

  private aside(children: GraphNode[]): Box {
    const at = new Map<string, {x: number; y: number}>();
    let [x, height] = [0, 0];
    for (const child of children) {
      const size = this.measure(child);
      at.set(child.id, {x, y: 0});
      x += size.width + ASIDE;
      height = Math.max(height, size.height);
    }
    return {width: Math.max(0, x - ASIDE), height, at};
  }

  private list(children: GraphNode[]): Box {
    const sizes = children.map((child) => this.measure(child));
    const ids = new Map(children.map((child, index) => [child.id, index]));
    const edges = this.graph.edges.filter(
      (edge) =>
        edge.kind !== 'enter' && edge.kind !== 'branch' && ids.has(edge.from) && ids.has(edge.to),
    );
    const straight = edges.every((edge) => ids.get(edge.to) === ids.get(edge.from)! + 1);
    return straight || children.length > SEARCHED ? this.below(sizes) : this.search(sizes, edges);
  }

  private below(sizes: Placed[]): Box {
    const width = Math.max(0, ...sizes.map((size) => size.width));
    const at = new Map<string, {x: number; y: number}>();
    let y = 0;
    for (const size of sizes) {
      at.set(size.node.id, {x: (width - size.width) / 2, y});
      y += size.height + GAP;
    }
    return {width, height: Math.max(0, y - GAP), at};
  }

  private search(sizes: Placed[], edges: GraphEdge[]): Box {
    const graph = new dagre.graphlib.Graph({multigraph: true});
    graph.setGraph({rankdir: 'TB', nodesep: 36, ranksep: 44, edgesep: 24});
    graph.setDefaultEdgeLabel(() => ({}));
    for (const size of sizes) {
      graph.setNode(size.node.id, {width: size.width, height: size.height});
    }
    edges.forEach((edge, index) => {
      const label = edge.label
        ? {width: Math.min(120, edge.label.length * 6.5 + 10), height: 16}
        : {};
      const weight = edge.kind === 'next' ? 4 : 1;
      graph.setEdge(
        edge.from,
        edge.to,
        {weight, minlen: 1, labelpos: 'c', ...label},
        String(index),
      );
    });
    dagre.layout(graph);
    const corners = sizes.map((size) => {
      const {x, y} = graph.node(size.node.id);
      return {size, x: x - size.width / 2, y: y - size.height / 2};
    });
    const left = Math.min(...corners.map(({x}) => x));
    const top = Math.min(...corners.map(({y}) => y));
    edges.forEach((edge, index) => {
      const found = graph.edge({v: edge.from, w: edge.to, name: String(index)});
      const from = corners.find(({size}) => size.node.id === edge.from)!;
      const move = ({x, y}: Point) => ({x: x - from.x, y: y - from.y});
      this.ways.set(edge, {
        way: found.points.map(move),
        label: edge.label ? move({x: found.x as number, y: found.y as number}) : undefined,
      });
    });
    return {
      width: Math.max(...corners.map(({x, size}) => x + size.width)) - left,
      height: Math.max(...corners.map(({y, size}) => y + size.height)) - top,
      at: new Map(corners.map(({size, x, y}) => [size.node.id, {x: x - left, y: y - top}])),
    };
  }
}

export function layoutOf(graph: Graph): Layout {
  return new Drawing(graph).draw();
}
