// SPDX-License-Identifier: Apache-2.0
// JSON without loss: an integer of more than 53 bits stays the text that it was (JSON.rawJSON), to
// be shown and sent as it came. Browsers that cannot do that round it, as JSON.parse does.

interface RawJson {
  rawJSON: string;
}

const native = JSON as unknown as {
  rawJSON?: (text: string) => RawJson;
  isRawJSON?: (value: unknown) => boolean;
};

type Reviver = (key: string, value: unknown, context?: {source?: string}) => unknown;

const keepLongNumbers: Reviver = (_key, value, context) => {
  if (typeof value !== 'number' || !context?.source || Number.isSafeInteger(value)) return value;
  return String(value) === context.source ? value : native.rawJSON!(context.source);
};

export function parseJson(text: string): unknown {
  const long = native.rawJSON && /\d{16}/.test(text);
  return JSON.parse(
    text,
    long ? (keepLongNumbers as (k: string, v: unknown) => unknown) : undefined,
  );
}

export function rawNumber(value: unknown): string | undefined {
  return native.isRawJSON?.(value) ? (value as RawJson).rawJSON : undefined;
}

export function printJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}
