// SPDX-License-Identifier: Apache-2.0
// The cluster as one process sees it: who is alive, who owns which shard, how far the store is.
import {useState} from 'react';

import {useCluster, useServer} from '../api/queries';
import type {Cluster, Member, Shard} from '../api/types';
import {Hint, ProblemView, Skeleton} from '../design/parts';
import {plain, Text} from '../design/text';
import {Time, useNow} from '../design/time';
import './operations.css';

const HUES = [228, 28, 158, 330, 48, 190, 275, 96];

// Engines have the same colour wherever they stand, by the order of their names.
function useColours(cluster: Cluster): (engine: string | undefined) => number | undefined {
  const names = [...new Set(cluster.owners.flatMap(({owner}) => owner ?? []))].sort();
  return (engine) => {
    const index = engine === undefined ? -1 : names.indexOf(engine);
    return index < 0 ? undefined : HUES[index % HUES.length];
  };
}

function swatch(hue: number | undefined) {
  return hue === undefined ? undefined : ({'--hue': hue} as React.CSSProperties);
}

const STATE_TONES = {alive: 'completed', suspect: 'waiting', dead: 'faulted'} as const;

function MemberCard({member, hue}: {member: Member; hue: number | undefined}) {
  const now = useNow();
  const heard = member.heardAt ? Math.max(0, now - Date.parse(member.heardAt)) / 1000 : undefined;
  return (
    <li className={`member tone-${STATE_TONES[member.state]}`}>
      <span className={'swatch' + (hue === undefined ? ' none' : '')} style={swatch(hue)} />
      <div className="grow">
        <div className="row">
          <strong className="ellipsis">
            <Text>{member.id}</Text>
          </strong>
          <span className="chip">{member.role}</span>
          <span className="member-state end">{member.state}</span>
        </div>
        <div className="small soft row wrap" style={{gap: '0 12px'}}>
          {member.address && (
            <span className="mono">
              <Text>{member.address}</Text>
            </span>
          )}
          {member.version && <span>{member.version}</span>}
          {member.shards !== undefined && <span className="number">{member.shards} shards</span>}
          {heard !== undefined && <span className="number">heard {heard.toFixed(0)} s ago</span>}
          {member.startedAt && (
            <span>
              up since <Time at={member.startedAt} />
            </span>
          )}
        </div>
      </div>
    </li>
  );
}

function describe(shard: Shard): string {
  return [
    `shard ${shard.shard}`,
    shard.owner ? `owner ${plain(shard.owner)}` : 'nobody owns it',
    shard.standby && `standing by ${plain(shard.standby)}`,
    shard.projected !== undefined && `store at ${shard.projected}`,
    shard.lag !== undefined && `store ${shard.lag} s behind`,
  ]
    .filter(Boolean)
    .join(', ');
}

function ShardMap({
  cluster,
  colour,
}: {
  cluster: Cluster;
  colour: (engine: string | undefined) => number | undefined;
}) {
  const [only, setOnly] = useState<string>();
  const counts = new Map<string, number>();
  for (const {owner} of cluster.owners) {
    if (owner) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  const orphans = cluster.owners.filter(({owner}) => !owner).length;
  return (
    <section className="card" aria-label="Shards">
      <header>
        <h2 className="grow">Shards</h2>
        <span className="small soft number">
          {cluster.owners.length - orphans} of {cluster.shards} owned
        </span>
      </header>
      <div className="body stack">
        <div className="row wrap" role="group" aria-label="Owners">
          {[...counts].sort().map(([engine, count]) => (
            <button
              key={engine}
              type="button"
              className="owner-key"
              aria-pressed={only === engine}
              onClick={() => setOnly(only === engine ? undefined : engine)}
            >
              <span className="swatch" style={swatch(colour(engine))} />
              <Text>{engine}</Text> <span className="number quiet">{count}</span>
            </button>
          ))}
        </div>
        <ul className="shard-map" aria-label="Shards by owner">
          {cluster.owners.map((shard) => (
            <Hint key={shard.shard} text={describe(shard)}>
              <li
                className={
                  'shard' +
                  (shard.owner ? '' : ' orphan') +
                  (only && shard.owner !== only ? ' pale' : '') +
                  ((shard.lag ?? 0) > 0 ? ' behind' : '')
                }
                style={swatch(colour(shard.owner))}
              >
                <span className="unseen">{describe(shard)}</span>
                <span aria-hidden="true">{shard.shard}</span>
              </li>
            </Hint>
          ))}
        </ul>
      </div>
    </section>
  );
}

function Facts({cluster}: {cluster: Cluster}) {
  const server = useServer().data;
  const alive = cluster.members.filter(({state}) => state === 'alive').length;
  const lag = Math.max(0, ...cluster.owners.map((shard) => shard.lag ?? 0));
  const behind = cluster.owners.filter((shard) => (shard.lag ?? 0) > 0).length;
  const facts: [string, string, string][] = [
    ['Epoch', cluster.epoch === undefined ? '–' : String(cluster.epoch), 'of the view'],
    ['Members', `${alive} of ${cluster.members.length}`, 'alive'],
    [
      'Store',
      lag === 0 ? 'up to date' : `${lag} s behind`,
      lag === 0 ? 'with the log' : `in ${behind} shards`,
    ],
    ...cluster.queues.map((queue): [string, string, string] => [
      queue.name.charAt(0).toUpperCase() + queue.name.slice(1),
      queue.waiting.toLocaleString(),
      'waiting',
    ]),
  ];
  return (
    <dl className="tiles">
      {facts.map(([name, value, words]) => (
        <div key={name} className="card tile">
          <dt>{name}</dt>
          <dd>
            <strong className="number">{value}</strong>
            <span className="small soft">{words}</span>
          </dd>
        </div>
      ))}
      {server && (
        <div className="card tile">
          <dt>This process</dt>
          <dd>
            <strong className="ellipsis">
              <Text>{server.id}</Text>
            </strong>
            <span className="small soft">
              {server.version}, {server.roles.join(', ')}
            </span>
          </dd>
        </div>
      )}
    </dl>
  );
}

function Openings({
  cluster,
  colour,
}: {
  cluster: Cluster;
  colour: (engine: string | undefined) => number | undefined;
}) {
  return (
    <section className="card" aria-label="Take-overs">
      <header>
        <h2>Take-overs</h2>
      </header>
      {cluster.openings.length === 0 && <p className="body soft">None is known.</p>}
      <ul className="openings" tabIndex={0} aria-label="Who took which shard over">
        {cluster.openings.slice(0, 200).map((opening, index) => (
          <li key={index}>
            <span className="small quiet">
              <Time at={opening.at} />
            </span>
            <span className="chip number">epoch {opening.epoch}</span>
            <span className="row ellipsis" style={{gap: 6}}>
              <span className="swatch" style={swatch(colour(opening.engine))} />
              <Text>{opening.engine}</Text>
            </span>
            <span className="soft number">shard {opening.shard}</span>
            {opening.unclean && (
              <span className="fault-words small end">the owner before died</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Counters({counters}: {counters: Cluster['counters']}) {
  const rows: [string, number][] = [
    ['Commands sent on to the owner of their object', counters.forwarded],
    ['of these without an answer', counters.forwardingFailed],
    ['Commands refused: the object is not its own', counters.notOwned],
    ['Batches refused: of a former owner', counters.staleEpochs],
    ['Views that came', counters.viewChanges],
  ];
  return (
    <section className="card" aria-label="Counters">
      <header>
        <h2 className="grow">Counted by this process</h2>
        <span className="small soft">since it started</span>
      </header>
      <ul className="openings">
        {rows.map(([words, count]) => (
          <li key={words}>
            <span className="grow">{words}</span>
            <span className="number">{count.toLocaleString()}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Readers({readers}: {readers: Cluster['readers']}) {
  return (
    <section className="card" aria-label="Readers of the log">
      <header>
        <h2>Readers of the log</h2>
      </header>
      {readers.length === 0 && <p className="body soft">None is known.</p>}
      <ul className="openings">
        {readers.map((reader) => (
          <li key={reader.name}>
            <span className="grow">
              <Text>{reader.name}</Text>
            </span>
            <span className="number">
              {reader.lag === undefined
                ? 'not known'
                : reader.lag === 0
                  ? 'up to date'
                  : `${reader.lag} s behind in ${reader.behind ?? 0} shards`}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Seen({cluster}: {cluster: Cluster}) {
  const colour = useColours(cluster);
  const ranks = {alive: 0, suspect: 1, dead: 2};
  const members = [...cluster.members].sort(
    (a, b) =>
      a.role.localeCompare(b.role) || ranks[a.state] - ranks[b.state] || a.id.localeCompare(b.id),
  );
  return (
    <>
      <Facts cluster={cluster} />
      <div className="halves wide-right">
        <div className="stack">
          <section className="card" aria-label="Members">
            <header>
              <h2>Members</h2>
            </header>
            <ul className="members">
              {members.map((member) => (
                <MemberCard
                  key={member.role + member.id}
                  member={member}
                  hue={member.role === 'engine' ? colour(member.id) : undefined}
                />
              ))}
            </ul>
          </section>
          <Openings cluster={cluster} colour={colour} />
        </div>
        <div className="stack">
          <ShardMap cluster={cluster} colour={colour} />
          <Readers readers={cluster.readers} />
          <Counters counters={cluster.counters} />
        </div>
      </div>
    </>
  );
}

export default function ClusterPage() {
  const cluster = useCluster();
  return (
    <main className="page flow" id="content" tabIndex={-1}>
      <div className="page-head">
        <h1>Cluster</h1>
      </div>
      {cluster.error && (
        <ProblemView error={cluster.error} onRetry={() => void cluster.refetch()} />
      )}
      {!cluster.data && !cluster.error && <Skeleton rows={8} height={48} />}
      {cluster.data && <Seen cluster={cluster.data} />}
    </main>
  );
}
