// SPDX-License-Identifier: Apache-2.0
// Who started this instance, which ones it started, and which do it again.
import {useQuery} from '@tanstack/react-query';
import {Link} from 'react-router-dom';

import {at, get} from '../../api/client';
import type {Instance, InstanceRow, Page} from '../../api/types';
import {Empty, ProblemView, Skeleton} from '../../design/parts';
import {StatusBadge} from '../../design/status';
import {Text} from '../../design/text';
import {Elapsed, Time} from '../../design/time';

function useRows(key: string, path: string, query: Record<string, string | number>, live: boolean) {
  return useQuery({
    queryKey: [key, path, query],
    refetchInterval: live ? 3000 : false,
    queryFn: () => get<Page<InstanceRow>>(path, query),
  });
}

export function useChildren(id: string, live: boolean) {
  return useRows('children', `instances/${at(id)}/children`, {limit: 500}, live);
}

function List({
  title,
  rows,
  error,
}: {
  title: string;
  rows: InstanceRow[] | undefined;
  error: unknown;
}) {
  if (error) return <ProblemView error={error} />;
  if (rows && rows.length === 0) return null;
  return (
    <section className="card">
      <header>
        <h2>{title}</h2>
      </header>
      {!rows && <Skeleton rows={3} />}
      <ul className="family">
        {rows?.map((row) => (
          <li key={row.id}>
            <StatusBadge status={row.status} />
            <Link to={`/instances/${encodeURIComponent(row.id)}`} className="grow ellipsis">
              <strong>
                <Text>{row.name ?? row.definition}</Text>
              </strong>{' '}
              <span className="mono small quiet">{row.id}</span>
            </Link>
            <span className="soft small">
              <Time at={row.startedAt} relative />
            </span>
            <span className="soft small">
              <Elapsed from={row.startedAt} to={row.endedAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Family({instance, live}: {instance: Instance; live: boolean}) {
  const children = useChildren(instance.id, live);
  const again = useRows('again', 'instances', {rerunOf: instance.id, limit: 100}, true);
  const above = [instance.parent, instance.rerunOf].filter((id): id is string => id !== undefined);
  const parents = useQuery({
    queryKey: ['above', above],
    enabled: above.length > 0,
    queryFn: () => Promise.all(above.map((id) => get<InstanceRow>(`instances/${at(id)}`))),
  });
  const nobody =
    above.length === 0 && children.data?.items.length === 0 && again.data?.items.length === 0;
  return (
    <div className="pad stack">
      {nobody && (
        <Empty icon="family" title="It stands alone">
          <p>No instance started this one, and it started none.</p>
        </Empty>
      )}
      {instance.schedule && (
        <p>
          Started by the schedule{' '}
          <Link to="/schedules">
            <Text>{instance.schedule}</Text>
          </Link>
          .
        </p>
      )}
      {above.length > 0 && (
        <List
          title={instance.parent ? 'Started by' : 'Does again'}
          rows={parents.data}
          error={parents.error}
        />
      )}
      <List title="Started by this one" rows={children.data?.items} error={children.error} />
      <List title="Doing this one again" rows={again.data?.items} error={again.error} />
    </div>
  );
}
