// SPDX-License-Identifier: Apache-2.0
// A status in words, colour and shape: never in colour alone.
import {Icon, type IconName} from './icon';

const SHAPES: Record<string, IconName> = {
  pending: 'dot',
  running: 'turn',
  waiting: 'clock',
  suspended: 'pause',
  faulted: 'cross',
  cancelled: 'ban',
  completed: 'check',
  skipped: 'right',
  retrying: 'retry',
};

export function statusIcon(status: string): IconName {
  return SHAPES[status] ?? 'dot';
}

export function StatusBadge({status, plain}: {status: string; plain?: boolean}) {
  return (
    <span className={`status tone-${status}` + (plain ? ' plain' : '')}>
      <Icon name={statusIcon(status)} className={status === 'running' ? 'spin' : ''} />
      {status}
    </span>
  );
}
