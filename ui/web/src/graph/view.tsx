// SPDX-License-Identifier: Apache-2.0
// A definition as a graph, and on it the state of an instance. React Flow draws what is in sight.
import '@xyflow/react/dist/base.css';
import {
  Background,
  MarkerType,
  Panel as Corner,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  type Edge,
  type Node,
} from '@xyflow/react';
import {useEffect, useMemo, useRef} from 'react';

import type {Graph} from '../api/types';
import {Button} from '../design/parts';
import './graph.css';
import {EDGE_TYPES, type RoutedData} from './edges';
import {layoutOf, type Layout} from './layout';
import {NODE_TYPES, type TaskNodeData} from './nodes';

// What is known of a task of an instance.
export interface TaskState {
  status: string;
  times?: number; // how often it was done, where the flow came by again
  seq: string;
  detail?: string;
  picker?: {word: string; value: number; count: number; onPick: (value: number) => void};
}

interface GraphViewProps {
  graph: Graph;
  states?: ReadonlyMap<string, TaskState>;
  taken?: ReadonlySet<string>; // edges that the flow took, "from to"
  selected?: string;
  onSelect?: (id: string) => void;
  label: string;
}

function edgesOf(layout: Layout, taken: ReadonlySet<string> | undefined): Edge<RoutedData>[] {
  return layout.edges.map(({edge, way, label}, index) => {
    const went = taken?.has(`${edge.from} ${edge.to}`) ?? false;
    return {
      id: String(index),
      source: edge.from,
      target: edge.to,
      type: 'routed',
      focusable: false,
      className: taken === undefined ? '' : went ? 'taken' : 'untaken',
      zIndex: went ? 3 : 2,
      data: {way, label, words: edge.label},
      markerEnd: {
        type: MarkerType.ArrowClosed,
        width: 14,
        height: 14,
        color: `var(--edge-${went ? 'taken' : 'idle'})`,
      },
    };
  });
}

function Flow({graph, states, taken, selected, onSelect, label}: GraphViewProps) {
  const flow = useReactFlow();
  const frame = useRef<HTMLDivElement>(null);
  const layout = useMemo(() => layoutOf(graph), [graph]);
  const nodes = useMemo<Node<TaskNodeData>[]>(
    () =>
      layout.placed.map(({node, x, y, width, height, sections}) => ({
        id: node.id,
        parentId: node.parent,
        position: {x, y},
        width,
        height,
        type:
          node.kind === 'start' || node.kind === 'end'
            ? 'round'
            : node.children.length > 0
              ? 'box'
              : 'task',
        draggable: false,
        connectable: false,
        focusable: false,
        selectable: false,
        data: {
          node,
          sections,
          state: states?.get(node.id),
          idle: states !== undefined,
          selected: node.id === selected,
          onSelect,
        },
      })),
    [layout, states, selected, onSelect],
  );
  const edges = useMemo(() => edgesOf(layout, taken), [graph, layout, taken]);

  // A long graph begins at its top in a size that can be read; a small one is shown whole.
  const fit = () => {
    const box = frame.current?.getBoundingClientRect();
    const bounds = flow.getNodesBounds(
      layout.placed.filter(({node}) => !node.parent).map(({node}) => node.id),
    );
    if (!box || bounds.width === 0 || box.width === 0) return;
    const zoom = Math.max(
      0.55,
      Math.min(1, (box.width - 48) / bounds.width, (box.height - 48) / bounds.height),
    );
    const x = (box.width - bounds.width * zoom) / 2 - bounds.x * zoom;
    const fits = bounds.height * zoom < box.height - 32;
    const y = fits ? (box.height - bounds.height * zoom) / 2 : 24;
    void flow.setViewport({x: bounds.width * zoom > box.width ? 24 : x, y, zoom});
  };
  // What is looked at stays in the middle when a task opens beside it.
  useEffect(() => {
    let width = frame.current!.clientWidth;
    const observer = new ResizeObserver(() => {
      const now = frame.current?.clientWidth ?? width;
      const {x, y, zoom} = flow.getViewport();
      if (now !== width && width > 0) void flow.setViewport({x: x + (now - width) / 2, y, zoom});
      width = now;
    });
    observer.observe(frame.current!);
    return () => observer.disconnect();
  }, [flow]);
  const shape = layout.placed.map(({node}) => node.id).join();
  useEffect(() => {
    const frameId = requestAnimationFrame(fit);
    return () => cancelAnimationFrame(frameId);
  }, [shape]);

  return (
    <div className="graph" ref={frame} role="group" aria-label={label}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onlyRenderVisibleElements
        nodesDraggable={false}
        nodesConnectable={false}
        elementsSelectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        minZoom={0.1}
        maxZoom={1.6}
        panOnScroll
        zoomOnDoubleClick={false}
        disableKeyboardA11y
        proOptions={{hideAttribution: true}}
      >
        <Background gap={22} size={1} />
        <Corner position="bottom-right" className="graph-tools">
          <Button tiny icon="minus" label="Smaller" onClick={() => void flow.zoomOut()} />
          <Button tiny icon="plus" label="Larger" onClick={() => void flow.zoomIn()} />
          <Button tiny icon="fit" label="Fit" onClick={fit} />
        </Corner>
      </ReactFlow>
    </div>
  );
}

export default function GraphView(props: GraphViewProps) {
  return (
    <ReactFlowProvider>
      <Flow {...props} />
    </ReactFlowProvider>
  );
}
