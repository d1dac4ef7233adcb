// SPDX-License-Identifier: Apache-2.0
// Which page is at which address. Pages come when they are needed.
import {QueryClientProvider} from '@tanstack/react-query';
import * as Tip from '@radix-ui/react-tooltip';
import {lazy, Suspense, type ComponentType} from 'react';
import {createBrowserRouter, Navigate, RouterProvider} from 'react-router-dom';

import {pageRoot} from './api/client';
import {queryClient} from './api/queries';
import {Empty, Skeleton} from './design/parts';
import {Toasts} from './design/toast';
import {Crash} from './shell/crash';
import {Shell} from './shell/shell';

const loads: (() => Promise<unknown>)[] = [];

function page(load: () => Promise<{default: ComponentType}>) {
  loads.push(load);
  const Page = lazy(load);
  return (
    <Suspense
      fallback={
        <div className="page">
          <Skeleton rows={10} height={40} />
        </div>
      }
    >
      <Page />
    </Suspense>
  );
}

const router = createBrowserRouter(
  [
    {
      element: <Shell />,
      errorElement: <Crash />,
      children: [
        {index: true, element: <Navigate to="instances" replace />},
        {path: 'instances', element: page(() => import('./pages/instances/page'))},
        {path: 'instances/:id', element: page(() => import('./pages/instance/page'))},
        {path: 'definitions', element: page(() => import('./pages/definitions/page'))},
        {path: 'definitions/new', element: page(() => import('./pages/definitions/new'))},
        {
          path: 'definitions/:namespace/:name',
          element: page(() => import('./pages/definition/page')),
        },
        {path: 'schedules', element: page(() => import('./pages/schedules'))},
        {path: 'dead-letters', element: page(() => import('./pages/dead_letters'))},
        {path: 'events', element: page(() => import('./pages/events'))},
        {path: 'cluster', element: page(() => import('./pages/cluster'))},
        {path: 'pools', element: page(() => import('./pages/pools'))},
        {path: 'audit', element: page(() => import('./pages/audit'))},
        {
          path: '*',
          element: (
            <main className="page" id="content">
              <Empty icon="search" title="There is no such page">
                <p>The menu has all that there are.</p>
              </Empty>
            </main>
          ),
        },
      ],
    },
  ],
  {basename: pageRoot.pathname.replace(/\/$/, '') || '/'},
);

// The other pages come while nothing else is to be done: they must be there when the server is not.
function loadTheRest() {
  for (const load of loads) load().catch(() => undefined);
}
addEventListener('load', () => setTimeout(loadTheRest, 500));

export function App() {
  return (
    <QueryClientProvider client={queryClient}>
      <Tip.Provider>
        <RouterProvider router={router} />
        <Toasts />
      </Tip.Provider>
    </QueryClientProvider>
  );
}
