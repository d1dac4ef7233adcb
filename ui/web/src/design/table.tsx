// SPDX-License-Identifier: Apache-2.0
// A list of rows: only those in sight are in the document, so a hundred thousand are as quick as
// ten. j and k move, Enter opens (the row's first link has the focus), x selects where that is
// possible.
import {
  flexRender,
  getCoreRowModel,
  getSortedRowModel,
  useReactTable,
  type ColumnDef,
  type RowData,
  type SortingState,
} from '@tanstack/react-table';
import {useVirtualizer} from '@tanstack/react-virtual';
import {useEffect, useRef, useState, type ReactNode} from 'react';

import {useMedia} from '../shell/media';
import {useShortcuts} from '../shell/shortcuts';
import {Icon} from './icon';
import {Skeleton} from './parts';
import './table.css';

declare module '@tanstack/react-table' {
  interface ColumnMeta<TData extends RowData, TValue> {
    width: string; // of the grid's column
    from?: 'tablet' | 'desktop'; // shown from this width on
    right?: boolean;
    unseen?: boolean; // the heading is for screen readers
  }
}

export interface Selection {
  ids: ReadonlySet<string>;
  toggle: (id: string) => void;
  toggleAll: (ids: string[]) => void;
}

interface TableProps<T> {
  label: string;

  columns: ColumnDef<T, any>[];
  rows: T[] | undefined; // undefined: on their way
  rowId: (row: T) => string;
  rowLabel: (row: T) => string;
  empty: ReactNode;
  selection?: Selection;
  rowHeight?: number;
  onEnd?: () => void; // the last row is near
  onTop?: (atTop: boolean) => void;
  more?: boolean; // there are rows beyond
  tone?: (row: T) => string | undefined;
}

function useShownColumns<T>(columns: ColumnDef<T>[]): ColumnDef<T>[] {
  const tablet = useMedia('(min-width: 721px)');
  const desktop = useMedia('(min-width: 1100px)');
  return columns.filter(({meta}) =>
    meta?.from === 'desktop' ? desktop : meta?.from === 'tablet' ? tablet : true,
  );
}

export function Table<T>({
  label,
  columns,
  rows,
  rowId,
  rowLabel,
  empty,
  selection,
  rowHeight = 40,
  onEnd,
  onTop,
  more,
  tone,
}: TableProps<T>) {
  const [sorting, setSorting] = useState<SortingState>([]);
  const scroller = useRef<HTMLDivElement>(null);
  const at = useRef(-1);
  const shown = useShownColumns(columns);
  const table = useReactTable({
    data: rows ?? [],
    columns: shown,
    getRowId: rowId,
    state: {sorting},
    onSortingChange: setSorting,
    getCoreRowModel: getCoreRowModel(),
    getSortedRowModel: getSortedRowModel(),
  });
  const model = table.getRowModel().rows;
  const virtual = useVirtualizer({
    count: model.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const items = virtual.getVirtualItems();
  const last = items[items.length - 1]?.index ?? -1;
  useEffect(() => {
    if (last >= model.length - 20 && model.length > 0) onEnd?.();
  }, [last, model.length]);

  const focusRow = (index: number) => {
    at.current = Math.max(0, Math.min(model.length - 1, index));
    virtual.scrollToIndex(at.current);
    requestAnimationFrame(() =>
      scroller.current
        ?.querySelector<HTMLElement>(`[data-index="${at.current}"] :is(a, .row-open)`)
        ?.focus(),
    );
  };
  useShortcuts(
    {
      j: () => focusRow(at.current + 1),
      k: () => focusRow(at.current - 1),
      x: () => at.current >= 0 && selection?.toggle(model[at.current].id),
    },
    model.length > 0,
  );

  const template =
    (selection ? '36px ' : '') +
    shown.map((column) => column.meta?.width ?? 'minmax(0, 1fr)').join(' ');
  const ids = model.map((row) => row.id);
  return (
    <div
      className="table"
      ref={scroller}
      tabIndex={-1}
      onScroll={(event) => onTop?.(event.currentTarget.scrollTop < rowHeight)}
    >
      <div
        role="table"
        aria-label={label}
        aria-rowcount={more ? -1 : model.length + 1}
        aria-busy={rows === undefined}
      >
        <div role="rowgroup" className="table-head">
          <div
            role="row"
            aria-rowindex={1}
            className="table-row"
            style={{gridTemplateColumns: template}}
          >
            {selection && (
              <div role="columnheader" className="table-cell">
                <input
                  type="checkbox"
                  aria-label="Select all rows that are loaded"
                  checked={ids.length > 0 && ids.every((id) => selection.ids.has(id))}
                  onChange={() => selection.toggleAll(ids)}
                />
              </div>
            )}
            {table.getFlatHeaders().map((header) => {
              const sorted = header.column.getIsSorted();
              const name = flexRender(header.column.columnDef.header, header.getContext());
              const meta = header.column.columnDef.meta;
              return (
                <div
                  key={header.id}
                  role="columnheader"
                  className={'table-cell' + (meta?.right ? ' right' : '')}
                  aria-sort={sorted ? (sorted === 'asc' ? 'ascending' : 'descending') : undefined}
                >
                  {header.column.getCanSort() && header.column.accessorFn ? (
                    <button
                      type="button"
                      className="table-sort"
                      onClick={header.column.getToggleSortingHandler()}
                    >
                      {name}
                      {sorted && <Icon name="down" className={sorted} />}
                    </button>
                  ) : (
                    <span className={meta?.unseen ? 'unseen' : ''}>{name}</span>
                  )}
                </div>
              );
            })}
          </div>
        </div>
        <div role="rowgroup" style={{height: virtual.getTotalSize(), position: 'relative'}}>
          {items.map((item) => {
            const row = model[item.index];
            return (
              <div
                key={row.id}
                role="row"
                aria-rowindex={item.index + 2}
                data-index={item.index}
                className={
                  `table-row line ${tone?.(row.original) ?? ''}` +
                  (selection?.ids.has(row.id) ? ' chosen' : '')
                }
                style={{
                  gridTemplateColumns: template,
                  height: rowHeight,
                  transform: `translateY(${item.start}px)`,
                }}
                onFocus={() => (at.current = item.index)}
              >
                {selection && (
                  <div role="cell" className="table-cell">
                    <input
                      type="checkbox"
                      checked={selection.ids.has(row.id)}
                      aria-label={`Select ${rowLabel(row.original)}`}
                      onChange={() => selection.toggle(row.id)}
                    />
                  </div>
                )}
                {row.getVisibleCells().map((cell) => (
                  <div
                    key={cell.id}
                    role="cell"
                    className={'table-cell' + (cell.column.columnDef.meta?.right ? ' right' : '')}
                  >
                    {flexRender(cell.column.columnDef.cell, cell.getContext())}
                  </div>
                ))}
              </div>
            );
          })}
        </div>
      </div>
      {rows === undefined && <Skeleton rows={12} height={rowHeight} />}
      {rows !== undefined && model.length === 0 && empty}
      {more && <Skeleton rows={1} height={rowHeight} />}
    </div>
  );
}
