// SPDX-License-Identifier: Apache-2.0
// Status counts that are switches, the text search and the other filters as chips.
import {useEffect, useRef, useState} from 'react';

import {STATUSES, type DefinitionRow, type InstanceSummary} from '../../api/types';
import {Icon} from '../../design/icon';
import {Button} from '../../design/parts';
import {statusIcon} from '../../design/status';
import {plain, Text} from '../../design/text';
import {formatMoment} from '../../design/time';
import {leaveField} from '../../shell/shortcuts';
import type {FilterState} from './filter';

const TYPING_MILLIS = 250;

export function StatusCounts({
  state,
  counts,
}: {
  state: FilterState;
  counts: InstanceSummary['counts'] | undefined;
}) {
  const picked = state.filter.status ?? [];
  return (
    <div className="counts" role="group" aria-label="Filter by status">
      {STATUSES.filter((status) => status !== 'pending').map((status) => {
        const known = counts?.find((each) => each.status === status);
        const on = picked.includes(status);
        return (
          <button
            key={status}
            type="button"
            aria-pressed={on}
            className={`count-tile tone-${status}`}
            onClick={() =>
              state.set({status: on ? picked.filter((one) => one !== status) : [...picked, status]})
            }
          >
            <span className="row">
              <Icon name={statusIcon(status)} />
              {status}
            </span>
            <strong className="number">
              {counts ? (known?.count ?? 0).toLocaleString() + (known?.more ? '+' : '') : ' '}
            </strong>
          </button>
        );
      })}
    </div>
  );
}

function Search({state}: {state: FilterState}) {
  const [text, setText] = useState(state.filter.q ?? '');
  const set = useRef(state.set);
  set.current = state.set;
  const inAddress = state.filter.q ?? '';
  const sent = useRef(inAddress);
  useEffect(() => {
    // Somebody else changed the address: "clear", or the browser's back.
    if (inAddress !== sent.current) setText((sent.current = inAddress));
  }, [inAddress]);
  useEffect(() => {
    if (text.trim() === sent.current) return undefined;
    const timer = setTimeout(() => set.current({q: (sent.current = text.trim())}), TYPING_MILLIS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <div className="with-icon grow search">
      <Icon name="search" />
      <input
        data-search
        className="input"
        type="search"
        value={text}
        placeholder="Search ids, names, tags, errors"
        aria-label="Search instances"
        onChange={(event) => setText(event.target.value)}
        onKeyDown={leaveField}
      />
      <kbd aria-hidden="true">/</kbd>
    </div>
  );
}

const LABELS: Record<string, string> = {
  version: 'version',
  parent: 'started by',
  rerunOf: 'again',
  schedule: 'schedule',
  startedAfter: 'after',
  startedBefore: 'before',
};

export function FilterBar({
  state,
  definitions,
}: {
  state: FilterState;
  definitions: DefinitionRow[] | undefined;
}) {
  const {filter, set} = state;
  const definition = filter.name ? `${filter.namespace}/${filter.name}` : (filter.namespace ?? '');
  const namespaces = [...new Set((definitions ?? []).map((row) => row.namespace))];
  const chips = Object.entries(LABELS).filter(([name]) => filter[name as keyof typeof filter]);
  return (
    <div className="filters">
      <Search state={state} />
      <select
        className="input definition-filter"
        aria-label="Definition"
        value={definition}
        onChange={(event) => {
          const [namespace, name] = event.target.value.split('/');
          set({namespace: namespace || undefined, name, version: undefined});
        }}
      >
        <option value="">All definitions</option>
        {definition && !namespaces.includes(filter.namespace ?? '') && (
          <option value={definition}>{plain(definition)}</option>
        )}
        {namespaces.map((namespace) => (
          <optgroup key={namespace} label={plain(namespace)}>
            <option value={namespace}>all of {plain(namespace)}</option>
            {definitions!
              .filter((row) => row.namespace === namespace)
              .map((row) => (
                <option key={row.id} value={`${namespace}/${row.name}`}>
                  {plain(row.name)}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
      {chips.map(([name, label]) => {
        const value = String(filter[name as keyof typeof filter]);
        return (
          <span key={name} className="chip accent">
            {label}{' '}
            <Text>{name.startsWith('started') ? formatMoment(Date.parse(value)) : value}</Text>
            <Button
              tiny
              look="bare"
              icon="close"
              label={`Without ${label}`}
              onClick={() => set({[name]: undefined})}
            />
          </span>
        );
      })}
      {(filter.tag ?? []).map((tag) => (
        <span key={tag} className="chip accent">
          <Text>{tag}</Text>
          <Button
            tiny
            look="bare"
            icon="close"
            label={`Without ${plain(tag)}`}
            onClick={() => set({tag: filter.tag!.filter((one) => one !== tag)})}
          />
        </span>
      ))}
      {state.active && (
        <Button tiny look="bare" onClick={state.clear}>
          Clear
        </Button>
      )}
    </div>
  );
}
