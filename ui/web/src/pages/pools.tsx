// SPDX-License-Identifier: Apache-2.0
// The pools of workers: what waits, what runs, how many can.
import {usePools} from '../api/queries';
import type {Pool} from '../api/types';
import {Empty, ProblemView, Skeleton} from '../design/parts';
import {Text} from '../design/text';
import './operations.css';

function PoolCard({pool}: {pool: Pool}) {
  const places = pool.places ?? 0;
  const running = pool.running ?? 0;
  const full = places > 0 ? Math.min(1, running / places) : 0;
  const stuck = pool.workers === 0 && (pool.waiting ?? 0) > 0;
  return (
    <li className="card pool">
      <header>
        <h2 className="ellipsis grow">
          <Text>{pool.name}</Text>
        </h2>
        {pool.workers !== undefined && (
          <span className="soft small number">
            {pool.workers} worker{pool.workers === 1 ? '' : 's'}
          </span>
        )}
      </header>
      <div className="body stack">
        <div className="numbers">
          <div>
            <strong className="number">{(pool.waiting ?? 0).toLocaleString()}</strong>waiting
          </div>
          <div>
            <strong className="number">{running.toLocaleString()}</strong>running
          </div>
          <div>
            <strong className="number">{places.toLocaleString()}</strong>places
          </div>
        </div>
        <div className="meter" role="img" aria-label={`${running} of ${places} places are taken`}>
          <span style={{width: `${full * 100}%`}} className={full > 0.9 ? 'high' : ''} />
        </div>
        {stuck && (
          <p className="small fault-words">
            Tasks wait and nobody takes them: start a worker of this pool.
          </p>
        )}
      </div>
    </li>
  );
}

export default function PoolsPage() {
  const pools = usePools();
  return (
    <main className="page flow" id="content" tabIndex={-1}>
      <div className="page-head">
        <h1>Pools</h1>
      </div>
      {pools.error && <ProblemView error={pools.error} onRetry={() => void pools.refetch()} />}
      {!pools.data && !pools.error && <Skeleton rows={4} height={60} />}
      {pools.data?.items.length === 0 && (
        <Empty icon="pools" title="There is no pool">
          <p>
            Workers make them: start one with <code>-target worker</code>.
          </p>
        </Empty>
      )}
      <ul className="cards">
        {pools.data?.items.map((pool) => (
          <PoolCard key={pool.name} pool={pool} />
        ))}
      </ul>
    </main>
  );
}
