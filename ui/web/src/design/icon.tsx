// SPDX-License-Identifier: Apache-2.0
// The page's pictures: one path each, drawn with the colour of the text around.

const PATHS = {
  instances: 'M2.5 4h11M2.5 8h11M2.5 12h7',
  definitions: 'M4 2.5h5.5L12.5 5.5v8H4zM9.5 2.5v3h3M6 8.5h4.5M6 11h4.5',
  schedules: 'M8 14A6 6 0 108 2a6 6 0 000 12zM8 4.8V8l2.2 1.6',
  letters: 'M2.5 4h11v8.5h-11zM2.8 4.3L8 8.6l5.2-4.3',
  events: 'M9 1.8L3.6 9H8l-1 5.2L12.4 7H8z',
  cluster: 'M8 2.2l5 2.9v5.8l-5 2.9-5-2.9V5.1zM8 8l5-2.9M8 8v5.8M8 8L3 5.1',
  pools:
    'M2.5 5.5h11M2.5 10.5h11' +
    'M4 3h8a1.5 1.5 0 011.5 1.5v7A1.5 1.5 0 0112 13H4a1.5 1.5 0 01-1.5-1.5v-7' +
    'A1.5 1.5 0 014 3z',
  audit: 'M8 8a2.6 2.6 0 100-5.2A2.6 2.6 0 008 8zM3 13.5c.4-2.4 2.4-3.6 5-3.6s4.6 1.2 5 3.6',
  search: 'M7 12a5 5 0 100-10 5 5 0 000 10zM10.6 10.6L14 14',
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  check: 'M3.2 8.6l3.2 3.2 6.4-7',
  cross: 'M4.4 4.4l7.2 7.2M11.6 4.4l-7.2 7.2',
  clock: 'M8 14A6 6 0 108 2a6 6 0 000 12zM8 5v3.2l2 1.3',
  pause: 'M5.8 4v8M10.2 4v8',
  play: 'M5 3.4v9.2l7.4-4.6z',
  stop: 'M4.5 4.5h7v7h-7z',
  ban: 'M8 14A6 6 0 108 2a6 6 0 000 12zM4 4l8 8',
  turn: 'M13.4 8A5.4 5.4 0 118 2.6',
  dot: 'M8 10.2a2.2 2.2 0 100-4.4 2.2 2.2 0 000 4.4z',
  retry:
    'M2.8 8a5.2 5.2 0 019-3.6L13.2 6M13.2 2.6V6H9.8M13.2 8a5.2 5.2 0 01-9 3.6L2.8 10' +
    'M2.8 13.4V10h3.4',
  alert: 'M8 2.4l6 10.8H2zM8 6.4v3M8 11.3v.1',
  info: 'M8 14A6 6 0 108 2a6 6 0 000 12zM8 7.4v3.4M8 5.2v.1',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  left: 'M10 4L6 8l4 4',
  more: 'M3.5 8h.1M8 8h.1M12.5 8h.1',
  sun:
    'M8 10.8a2.8 2.8 0 100-5.6 2.8 2.8 0 000 5.6zM8 1.6v1.3M8 13.1v1.3M1.6 8h1.3' +
    'M13.1 8h1.3M3.5 3.5l.9.9M11.6 11.6l.9.9M3.5 12.5l.9-.9M11.6 4.4l.9-.9',
  moon: 'M13.2 9.6A5.6 5.6 0 016.4 2.8a5.6 5.6 0 106.8 6.8z',
  help:
    'M8 14A6 6 0 108 2a6 6 0 000 12z' +
    'M6.3 6.4A1.75 1.75 0 018 5c1 0 1.8.7 1.8 1.6C9.8 8 8 8 8 9.3M8 11.2v.1',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  upload: 'M8 10.5V3M5 5.6L8 2.6l3 3M3 11v2h10v-2',
  download: 'M8 2.8v7.4M5 7.4l3 3 3-3M3 11.6v1.6h10v-1.6',
  trash: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9',
  branch:
    'M5 5.4a1.5 1.5 0 100-3 1.5 1.5 0 000 3zM5 13.6a1.5 1.5 0 100-3 1.5 1.5 0 000 3z' +
    'M11 5.4a1.5 1.5 0 100-3 1.5 1.5 0 000 3zM5 5.4v5.2M11 5.4c0 3-6 2-6 5.2',
  loop: 'M4 6.5A4.5 4.5 0 018 4h4M10 2l2 2-2 2M12 9.5A4.5 4.5 0 018 12H4M6 14l-2-2 2-2',
  shield: 'M8 2l5 1.8v4c0 3-2 5-5 6.2-3-1.2-5-3.2-5-6.2v-4z',
  pencil: 'M3 13l.7-2.9L10.5 3.3l2.2 2.2-6.8 6.8z',
  globe:
    'M8 14A6 6 0 108 2a6 6 0 000 12zM2.2 8h11.6M8 2c2.2 2 2.2 10 0 12' + 'M8 2c-2.2 2-2.2 10 0 12',
  terminal: 'M2.5 3.5h11v9h-11zM5 6.5L6.8 8 5 9.6M8.4 9.8h2.4',
  set:
    'M4.5 3C3 3 4.2 7 2.6 8 4.2 9 3 13 4.5 13' +
    'M11.5 3C13 3 11.8 7 13.4 8c-1.6 1-.4 5-1.9 5M7 8h.1M9 8h.1',
  flag: 'M4 14V2.5M4 3h8l-2 2.7L12 8.500H4',
  ear: 'M8 3v10M5 5.500v5M11 5.500v5M2.500 7.200v1.600M13.500 7.200v1.600',
  fit: 'M2.500 6V2.500H6M10 2.500h3.500V6M13.500 10v3.500H10M6 13.500H2.500V10',
  minus: 'M3 8h10',
  family:
    'M6.500 2.500h3v3h-3zM2.500 10.500h3v3h-3zM10.500 10.500h3v3h-3zM8 5.500V8' +
    'M4 10.500V8h8v2.500',
};

export type IconName = keyof typeof PATHS;

export function Icon({name, className}: {name: IconName; className?: string}) {
  return (
    <svg className={'icon-mark ' + (className ?? '')} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
