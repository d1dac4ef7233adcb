// SPDX-License-Identifier: Apache-2.0
// Text of others. Letters that would turn or hide text (bidirectional controls, zero-width, other
// controls) are shown as marks, so that what is read is what is there.
import {Fragment, type ReactNode} from 'react';

const HIDDEN = new RegExp(
  '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u200b-\\u200f' +
    '\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb]',
);

export function hasHidden(text: string): boolean {
  return HIDDEN.test(text);
}

// As plain text, where marks cannot be drawn: titles, accessible names, file names.
export function plain(text: string): string {
  return text.replace(new RegExp(HIDDEN, 'g'), (letter) => `[${codePoint(letter)}]`);
}

function codePoint(letter: string): string {
  return 'U+' + letter.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
}

export function Text({children}: {children: string | undefined}): ReactNode {
  if (children === undefined) return null;
  if (!HIDDEN.test(children)) return children;
  const parts = children.split(new RegExp(`(${HIDDEN.source})`));
  return parts.map((part, index) =>
    index % 2 === 1 ? (
      <span key={index} className="hidden-mark" title="a control letter that is not shown">
        {codePoint(part)}
      </span>
    ) : (
      <Fragment key={index}>{part}</Fragment>
    ),
  );
}

// The address of a link whose target comes from data: http and https alone become links.
export function safeLink(address: string): string | undefined {
  try {
    const url = new URL(address);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : undefined;
  } catch {
    return undefined;
  }
}
