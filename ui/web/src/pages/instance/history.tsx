// SPDX-License-Identifier: Apache-2.0
// Every fact of an instance in its order, as the log has it.
import {useInfiniteQuery} from '@tanstack/react-query';
import {useVirtualizer} from '@tanstack/react-virtual';
import {useEffect, useMemo, useRef, useState} from 'react';

import {at, get} from '../../api/client';
import type {HistoryItem, Page} from '../../api/types';
import {Icon} from '../../design/icon';
import {JsonView} from '../../design/json_view';
import {Empty, ProblemView, Skeleton} from '../../design/parts';
import {Text} from '../../design/text';
import {formatClock} from '../../design/time';
import {compareSeq} from './tasks';

const PAGE = 500;

// "TaskStarted" as "task started"
function words(kind: string): string {
  return kind.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

function toneOf(kind: string): string {
  if (/Faulted|ErrorRaised|Quarantined/.test(kind)) return 'faulted';
  if (/Retry|Suspended|Catch/.test(kind)) return 'waiting';
  if (/InstanceCompleted/.test(kind)) return 'completed';
  if (/Cancelled/.test(kind)) return 'cancelled';
  return /Started/.test(kind) ? 'running' : 'skipped';
}

function Fact({item, open, onToggle}: {item: HistoryItem; open: boolean; onToggle: () => void}) {
  const [actor, reason] = [item.event?.actor, item.event?.reason].map((said) =>
    typeof said === 'string' ? said : '',
  );
  const name = item.task?.split('/').pop()?.replace(/~1/g, '/').replace(/~0/g, '~');
  return (
    <>
      <button
        type="button"
        className={`fact tone-${toneOf(item.kind)}`}
        aria-expanded={open}
        onClick={onToggle}
      >
        <Icon name={open ? 'down' : 'right'} />
        <span className="mono small quiet number">
          {formatClock(Date.parse(item.at))}.
          {item.at.match(/\.(\d{1,3})/)?.[1].padEnd(3, '0') ?? '000'}
        </span>
        <span className="fact-kind">{words(item.kind)}</span>
        {name && (
          <strong className="ellipsis">
            <Text>{name}</Text>
          </strong>
        )}
        {actor && (
          <span className="soft small">
            by <Text>{actor}</Text>
          </span>
        )}
        {reason && (
          <span className="soft small ellipsis">
            <Text>{reason}</Text>
          </span>
        )}
        <span className="mono small quiet end number">{item.seq}</span>
      </button>
      {open && (
        <div className="fact-open">
          {item.task && (
            <p className="mono small soft">
              <Text>{item.task}</Text>
            </p>
          )}
          <JsonView value={item.event ?? {}} label={words(item.kind)} />
        </div>
      )}
    </>
  );
}

export function History({id, facts}: {id: string; facts: HistoryItem[]}) {
  const [open, setOpen] = useState<Set<string>>(new Set());
  const scroller = useRef<HTMLDivElement>(null);
  const pages = useInfiniteQuery({
    queryKey: ['history', id],
    initialPageParam: undefined as string | undefined,
    structuralSharing: false,
    queryFn: ({pageParam, signal}) =>
      get<Page<HistoryItem>>(
        `instances/${at(id)}/history`,
        {limit: PAGE, cursor: pageParam},
        signal,
      ),
    getNextPageParam: (page) => page.next,
  });
  const items = useMemo(() => {
    const read = pages.data?.pages.flatMap((page) => page.items) ?? [];
    const lastRead = read[read.length - 1]?.seq;
    if (pages.hasNextPage || !lastRead) return read;
    return [...read, ...facts.filter((fact) => compareSeq(fact.seq, lastRead) > 0)];
  }, [pages.data, pages.hasNextPage, facts]);
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 30,
    overscan: 12,
    getItemKey: (index) => items[index].seq,
  });
  const shown = virtual.getVirtualItems();
  const last = shown[shown.length - 1]?.index ?? 0;
  useEffect(() => {
    if (last > items.length - 50 && pages.hasNextPage && !pages.isFetching) {
      void pages.fetchNextPage();
    }
  }, [last, items.length]);

  if (pages.error)
    return (
      <div className="pad">
        <ProblemView error={pages.error} onRetry={() => void pages.refetch()} />
      </div>
    );
  if (!pages.data) return <Skeleton rows={12} height={30} />;
  if (items.length === 0) return <Empty icon="instances" title="Nothing is written yet" />;
  return (
    <div className="facts-scroll" ref={scroller} tabIndex={0} role="group" aria-label="History">
      <div style={{height: virtual.getTotalSize(), position: 'relative'}}>
        {shown.map((row) => {
          const item = items[row.index];
          return (
            <div
              key={row.key}
              ref={virtual.measureElement}
              data-index={row.index}
              className="json-place"
              style={{transform: `translateY(${row.start}px)`}}
            >
              <Fact
                item={item}
                open={open.has(item.seq)}
                onToggle={() =>
                  setOpen((old) => {
                    const next = new Set(old);
                    if (!next.delete(item.seq)) next.add(item.seq);
                    return next;
                  })
                }
              />
            </div>
          );
        })}
      </div>
    </div>
  );
}
