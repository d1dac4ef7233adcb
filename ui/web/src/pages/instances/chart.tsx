// SPDX-License-Identifier: Apache-2.0
// Starts and ends over time as stacked bars; a drag narrows the list to that time.
import {useRef, useState, type PointerEvent} from 'react';

import type {SeriesPoint} from '../../api/types';
import {formatMoment} from '../../design/time';

const WIDTH = 1000;
const HEIGHT = 64;
const PARTS = ['completed', 'faulted', 'cancelled'] as const;

interface ChartProps {
  points: SeriesPoint[] | undefined;
  to: string | undefined;
  onRange: (after: string, before: string) => void;
}

export function Chart({points, to, onRange}: ChartProps) {
  const ref = useRef<SVGSVGElement>(null);
  const [hover, setHover] = useState<number>();
  const [drag, setDrag] = useState<{from: number; to: number}>();
  const count = points?.length ?? 0;
  const highest = Math.max(
    1,
    ...(points ?? []).map((point) =>
      Math.max(point.started, point.completed + point.faulted + point.cancelled),
    ),
  );
  const width = WIDTH / Math.max(1, count);

  const indexAt = (event: PointerEvent) => {
    const box = ref.current!.getBoundingClientRect();
    return Math.max(
      0,
      Math.min(count - 1, Math.floor(((event.clientX - box.left) / box.width) * count)),
    );
  };
  const timeAt = (index: number) => points![index]?.at ?? to ?? new Date().toISOString();
  const finish = () => {
    if (drag && points) {
      const [first, last] = [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
      if (last > first) onRange(timeAt(first), timeAt(last + 1));
    }
    setDrag(undefined);
  };
  const point = hover === undefined ? undefined : points?.[hover];
  return (
    <figure className="chart">
      <svg
        ref={ref}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={describe(points)}
        onPointerMove={(event) => {
          const index = indexAt(event);
          setHover(index);
          if (drag) setDrag({...drag, to: index});
        }}
        onPointerLeave={() => {
          setHover(undefined);
          setDrag(undefined);
        }}
        onPointerDown={(event) => setDrag({from: indexAt(event), to: indexAt(event)})}
        onPointerUp={finish}
      >
        {drag && (
          <rect
            className="chart-drag"
            x={Math.min(drag.from, drag.to) * width}
            y="0"
            width={(Math.abs(drag.to - drag.from) + 1) * width}
            height={HEIGHT}
          />
        )}
        {points?.map((each, index) => (
          <Bar
            key={each.at}
            point={each}
            x={index * width}
            width={width}
            highest={highest}
            pale={hover !== undefined && hover !== index}
          />
        ))}
        <path className="chart-line" d={startsLine(points, width, highest)} />
      </svg>
      <figcaption className="small quiet number">
        {point ? (
          <>
            <span>{formatMoment(Date.parse(point.at))}</span>
            <span>{point.started} started</span>
            {PARTS.map((part) => (
              <span key={part} className={`tone-${part} chart-word`}>
                {point[part]} {part}
              </span>
            ))}
          </>
        ) : (
          <>
            <span>{points?.[0] && formatMoment(Date.parse(points[0].at))}</span>
            <span className="chart-key line">started</span>
            {PARTS.map((part) => (
              <span key={part} className={`chart-key tone-${part}`}>
                {part}
              </span>
            ))}
            <span className="end">drag to narrow the list</span>
            <span>now</span>
          </>
        )}
      </figcaption>
    </figure>
  );
}

function Bar({
  point,
  x,
  width,
  highest,
  pale,
}: {
  point: SeriesPoint;
  x: number;
  width: number;
  highest: number;
  pale: boolean;
}) {
  let y = HEIGHT;
  return (
    <g opacity={pale ? 0.55 : 1}>
      {PARTS.map((part) => {
        const height = (point[part] / highest) * (HEIGHT - 4);
        if (height === 0) return null;
        y -= height;
        return (
          <rect
            key={part}
            className={`chart-bar tone-${part}`}
            x={x + width * 0.12}
            y={y}
            width={width * 0.76}
            height={height}
          />
        );
      })}
    </g>
  );
}

function startsLine(points: SeriesPoint[] | undefined, width: number, highest: number): string {
  if (!points || points.length === 0) return '';
  const heights = points.map((point) => HEIGHT - 1 - (point.started / highest) * (HEIGHT - 4));
  return (
    'M' +
    heights
      .map(
        (y, index) =>
          `${(index * width).toFixed(1)},${y.toFixed(1)}H${((index + 1) * width).toFixed(1)}`,
      )
      .join('L')
  );
}

function describe(points: SeriesPoint[] | undefined): string {
  if (!points) return 'Instances over time, loading';
  const sum = (part: 'started' | 'completed' | 'faulted') =>
    points.reduce((total, point) => total + point[part], 0);
  return (
    `Instances over time: ${sum('started')} started, ${sum('completed')} completed, ` +
    `${sum('faulted')} faulted`
  );
}
