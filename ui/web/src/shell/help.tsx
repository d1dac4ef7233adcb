// SPDX-License-Identifier: Apache-2.0
import {Dialog} from '../design/parts';
import {PLACES} from './shell';

const KEYS: [string[], string][] = [
  [['/'], 'search'],
  [['j', 'k'], 'next and previous row'],
  [['Enter'], 'open it'],
  [['x'], 'select it'],
  [['1', '…', '5'], 'the tabs of an instance'],
  [['g', 't'], 'dark or light'],
  [['?'], 'this list'],
  [['Esc'], 'close what is open'],
];

export function Help({onClose}: {onClose: () => void}) {
  const rows = [...KEYS, ...PLACES.map(({key, name}): [string[], string] => [['g', key], name])];
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="keys">
        {rows.map(([keys, words]) => (
          <div key={words}>
            <dt>
              {keys.map((key, index) => (
                <kbd key={index}>{key}</kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
