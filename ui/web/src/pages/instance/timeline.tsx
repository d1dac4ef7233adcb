// SPDX-License-Identifier: Apache-2.0
// The tasks over time: what ran beside what, how long it waited, which attempts there were. Only
// the rows in sight are drawn, so five thousand scroll as ten do.
import {useVirtualizer} from '@tanstack/react-virtual';
import {memo, useCallback, useMemo, useRef, useState} from 'react';

import type {TaskRow} from '../../api/types';
import {Icon} from '../../design/icon';
import {Button, Empty, Skeleton} from '../../design/parts';
import {statusIcon} from '../../design/status';
import {plain, Text} from '../../design/text';
import {formatClock, formatDuration, useNow} from '../../design/time';
import {childrenOf, took, treeOf, type TreeRow} from './state';

const ROW = 28;
const FOLD = 18; // of the button and its gap
const TICKS = 5;
const ZOOMS = [1, 2, 5, 10, 25, 60];

interface Span {
  from: number;
  length: number;
}

function spanOf(rows: TaskRow[], now: number): Span {
  let [from, to] = [Infinity, -Infinity];
  for (const row of rows) {
    from = Math.min(from, Date.parse(row.startedAt));
    to = Math.max(to, row.endedAt ? Date.parse(row.endedAt) : now);
  }
  return {from, length: Math.max(1, to - from)};
}

function badge({iteration, attempt}: TaskRow): string {
  return [iteration && `#${iteration}`, attempt && attempt > 1 && `attempt ${attempt}`]
    .filter(Boolean)
    .join(' ');
}

// Rows that cannot be folded leave the place of the button free.
function indent(depth: number, inner: number): number {
  return (inner > 0 ? 8 : 8 + FOLD) + Math.min(depth, 12) * 14;
}

interface LineProps {
  item: TreeRow;
  span: Span;
  now: number;
  selected: boolean;
  start: number;
  index: number;
  onSelect: (seq: string) => void;
  onFold: (seq: string) => void;
}

const Line = memo(function Line(props: LineProps) {
  const {
    item: {row, depth, inner, open},
    span,
    now,
    selected,
    start,
    index,
    onSelect,
    onFold,
  } = props;
  const begin = Date.parse(row.startedAt);
  const end = row.endedAt ? Date.parse(row.endedAt) : now;
  const left = ((begin - span.from) / span.length) * 100;
  const width = ((end - begin) / span.length) * 100;
  const words = badge(row);
  return (
    <div
      className={'gantt-row' + (selected ? ' selected' : '')}
      data-index={index}
      style={{transform: `translateY(${start}px)`}}
    >
      <div className="gantt-name" style={{paddingLeft: indent(depth, inner)}}>
        {inner > 0 ? (
          <button
            type="button"
            className="json-fold"
            aria-expanded={open}
            aria-label={`${open ? 'fold' : 'unfold'} ${plain(row.name)}`}
            onClick={() => onFold(row.seq)}
          >
            <Icon name={open ? 'down' : 'right'} />
          </button>
        ) : null}
        <button
          type="button"
          className={`gantt-open tone-${row.status}`}
          aria-label={plain(`${row.name} ${words}, ${row.status}`)}
          aria-pressed={selected}
          onClick={() => onSelect(row.seq)}
        >
          <Icon name={statusIcon(row.status)} className={row.status === 'running' ? 'spin' : ''} />
          <span className="ellipsis">
            <Text>{row.name}</Text>
          </span>
          {words && <span className="quiet small">{words}</span>}
        </button>
      </div>
      <div className="gantt-track" onClick={() => onSelect(row.seq)}>
        <span
          className={
            `gantt-bar tone-${row.status}` +
            (inner > 0 ? ' outer' : '') +
            (row.kind === 'wait' || row.kind === 'listen' || row.status === 'waiting'
              ? ' waits'
              : '')
          }
          style={{left: `${left}%`, width: `max(3px, ${width}%)`}}
        />
        <span className="gantt-length number" style={{left: `${left + width}%`, marginLeft: 7}}>
          {took(row, now)}
        </span>
      </div>
    </div>
  );
});

export function Timeline({
  rows,
  complete,
  selected,
  onSelect,
  running,
}: {
  rows: TaskRow[] | undefined;
  complete: boolean;
  selected: string | undefined;
  onSelect: (seq: string) => void;
  running: boolean;
}) {
  const clock = useNow();
  const [folded, setFolded] = useState<Set<string>>(new Set());
  const [zoom, setZoom] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const now = running ? clock : 0;
  const children = useMemo(() => childrenOf(rows ?? []), [rows]);
  const tree = useMemo(() => treeOf(children, folded), [children, folded]);
  const span = useMemo(() => spanOf(rows ?? [], now), [rows, now]);
  const fold = useCallback(
    (seq: string) =>
      setFolded((old) => {
        const next = new Set(old);
        if (!next.delete(seq)) next.add(seq);
        return next;
      }),
    [],
  );
  const virtual = useVirtualizer({
    count: tree.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 6,
  });
  if (!rows) return <Skeleton rows={14} height={ROW} />;
  if (rows.length === 0) return <Empty icon="clock" title="No task has begun yet" />;
  const outer = [...children.keys()].filter(Boolean);
  return (
    <div className="gantt">
      <div className="gantt-bar-tools">
        <span className="small quiet number grow">
          {rows.length.toLocaleString()} task{rows.length === 1 ? '' : 's'}
          {complete ? ` in ${formatDuration(span.length)}` : ', more are on their way'}
        </span>
        {outer.length > 0 && (
          <Button
            tiny
            look="bare"
            onClick={() => setFolded(folded.size > 0 ? new Set() : new Set(outer))}
          >
            {folded.size > 0 ? 'Unfold all' : 'Fold all'}
          </Button>
        )}
        <Button
          tiny
          look="bare"
          icon="minus"
          label="Less detail"
          disabled={zoom === 0}
          onClick={() => setZoom(zoom - 1)}
        />
        <Button
          tiny
          look="bare"
          icon="plus"
          label="More detail"
          disabled={zoom + 1 === ZOOMS.length}
          onClick={() => setZoom(zoom + 1)}
        />
      </div>
      <div className="gantt-scroll" ref={scroller} tabIndex={0} role="group" aria-label="Timeline">
        <div className="gantt-inside" style={{minWidth: `${ZOOMS[zoom] * 100}%`}}>
          <div className="gantt-head">
            <div className="gantt-name" />
            <div className="gantt-track">
              {Array.from({length: TICKS * ZOOMS[zoom]}, (_, tick) => {
                const part = tick / (TICKS * ZOOMS[zoom]);
                return (
                  <span key={tick} className="gantt-tick number" style={{left: `${part * 100}%`}}>
                    {tick === 0 ? formatClock(span.from) : '+' + formatDuration(span.length * part)}
                  </span>
                );
              })}
            </div>
          </div>
          <div style={{height: virtual.getTotalSize(), position: 'relative'}}>
            {virtual.getVirtualItems().map((item) => (
              <Line
                key={tree[item.index].row.seq}
                item={tree[item.index]}
                index={item.index}
                span={span}
                start={item.start}
                now={tree[item.index].row.endedAt ? 0 : clock}
                selected={tree[item.index].row.seq === selected}
                onSelect={onSelect}
                onFold={fold}
              />
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}
