// SPDX-License-Identifier: Apache-2.0
// Short news at the corner: something was done, or could not be. Errors stay until they are closed.
import {useSyncExternalStore, type ReactNode} from 'react';

import {asProblem} from '../api/client';
import {Icon} from './icon';
import {Button} from './parts';
import {Text} from './text';

interface Toast {
  key: number;
  tone: 'completed' | 'faulted';
  content: ReactNode;
}

let toasts: Toast[] = [];
let counter = 0;
const listeners = new Set<() => void>();

function change(next: Toast[]) {
  toasts = next;
  listeners.forEach((listener) => listener());
}

function close(key: number) {
  change(toasts.filter((toast) => toast.key !== key));
}

export function tell(content: ReactNode) {
  const key = ++counter;
  change([...toasts.slice(-3), {key, tone: 'completed', content}]);
  setTimeout(() => close(key), 6000);
}

export function tellProblem(error: unknown) {
  const problem = asProblem(error);
  change([
    ...toasts.slice(-3),
    {
      key: ++counter,
      tone: 'faulted',
      content: (
        <>
          <strong>
            <Text>{problem.title}</Text>
          </strong>
          {problem.detail && (
            <div className="soft">
              <Text>{problem.detail}</Text>
            </div>
          )}
        </>
      ),
    },
  ]);
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map((toast) => (
        <div key={toast.key} className={`toast tone-${toast.tone}`}>
          <Icon name={toast.tone === 'faulted' ? 'alert' : 'check'} />
          <div className="grow">{toast.content}</div>
          <Button tiny look="bare" icon="close" label="Close" onClick={() => close(toast.key)} />
        </div>
      ))}
    </div>
  );
}
