// SPDX-License-Identifier: Apache-2.0
// A line from one task to another, on the way that the layout has found for it.
import {
  BaseEdge,
  EdgeLabelRenderer,
  getSmoothStepPath,
  type EdgeProps,
  type EdgeTypes,
} from '@xyflow/react';

import {Text} from '../design/text';

interface Point {
  x: number;
  y: number;
}

export interface RoutedData extends Record<string, unknown> {
  way: Point[] | undefined;
  label: Point | undefined;
  words: string | undefined;
}

// Through all points, leaving and arriving upright.
function smooth(points: Point[]): string {
  let path = `M${points[0].x},${points[0].y}`;
  for (let index = 1; index < points.length; ++index) {
    const [from, to] = [points[index - 1], points[index]];
    const middle = (from.y + to.y) / 2;
    path += ` C${from.x},${middle} ${to.x},${middle} ${to.x},${to.y}`;
  }
  return path;
}

function Routed(props: EdgeProps) {
  const {way, label, words} = props.data as RoutedData;
  const [step, middleX, middleY] = getSmoothStepPath({...props, borderRadius: 10});
  const path = way ? smooth(way) : step;
  const at = label ?? {x: middleX, y: middleY};
  return (
    <>
      <BaseEdge path={path} markerEnd={props.markerEnd} />
      {words !== undefined && (
        <EdgeLabelRenderer>
          <span
            className="edge-label"
            style={{transform: `translate(-50%, -50%) translate(${at.x}px, ${at.y}px)`}}
          >
            <Text>{words}</Text>
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  );
}

export const EDGE_TYPES: EdgeTypes = {routed: Routed};
