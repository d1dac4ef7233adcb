// SPDX-License-Identifier: Apache-2.0
// One request to the API. Errors are Problems, whatever went wrong; who asks for access, and
// whether the server can be reached, is told to those who listen.
import {parseJson} from './json';
import type {Finding} from './types';

export class Problem extends Error {
  constructor(
    readonly status: number, // 0: the server cannot be reached
    readonly title: string,
    readonly detail: string,
    readonly findings: Finding[] = [],
    readonly retryAfter?: number,
  ) {
    super(detail || title);
  }
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(-1, 'The page has a fault', String(error));
}

type Listener<T> = (value: T) => void;

class Signal<T> {
  private listeners = new Set<Listener<T>>();
  constructor(public value: T) {}
  set(value: T) {
    if (value === this.value) return;
    this.value = value;
    this.listeners.forEach((listener) => listener(value));
  }
  subscribe = (listener: Listener<T>) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };
}

export const reachable = new Signal(true);
export const needsToken = new Signal(false);

const TOKEN = 'jaque.token';
export const token = {
  get: () => sessionStorage.getItem(TOKEN),
  set(value: string) {
    sessionStorage.setItem(TOKEN, value);
    needsToken.set(false);
  },
  forget() {
    sessionStorage.removeItem(TOKEN);
    needsToken.set(true);
  },
};

// The folder that the page lies in, whatever prefix a proxy puts before it.
export const pageRoot = new URL('.', document.baseURI);

export type Query = Record<string, string | number | boolean | string[] | undefined>;

export function apiUrl(path: string, query: Query = {}): string {
  const url = new URL('api/v1/' + path, pageRoot);
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      url.searchParams.append(name, String(one));
    }
  }
  return url.href;
}

// For ids of requests; crypto.randomUUID is there on HTTPS alone.
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

// Segments of a path: names of workflows are data.
export function at(...segments: string[]): string {
  return segments.map(encodeURIComponent).join('/');
}

export interface RequestOptions {
  query?: Query;
  body?: unknown; // a string goes as it is
  type?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text().catch(() => '');
  let said: {title?: string; detail?: string; errors?: Finding[]} = {};
  try {
    said = JSON.parse(text);
  } catch {
    said = {detail: text.slice(0, 500)};
  }
  return new Problem(
    response.status,
    said.title ?? response.statusText,
    said.detail ?? '',
    said.errors ?? [],
    Number(response.headers.get('Retry-After')) || undefined,
  );
}

export async function send(
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<Response> {
  const headers: Record<string, string> = {Accept: 'application/json', ...options.headers};
  const secret = token.get();
  if (secret) headers.Authorization ??= `Bearer ${secret}`;
  let body: string | undefined;
  if (options.body !== undefined) {
    body = typeof options.body === 'string' ? options.body : JSON.stringify(options.body);
    headers['Content-Type'] = options.type ?? 'application/json';
  }
  let response: Response;
  try {
    response = await fetch(apiUrl(path, options.query), {
      method,
      headers,
      body,
      signal: options.signal,
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    reachable.set(false);
    throw new Problem(
      0,
      'The server cannot be reached',
      'The page tries again by itself. Is jaque running, and is the network there?',
    );
  }
  reachable.set(true);
  if (response.status === 401) needsToken.set(true);
  if (!response.ok) throw await problemOf(response);
  return response;
}

export async function request<T>(
  method: string,
  path: string,
  options: RequestOptions = {},
): Promise<T> {
  const response = await send(method, path, options);
  const text = await response.text();
  return (text === '' ? undefined : parseJson(text)) as T;
}

export const get = <T>(path: string, query?: Query, signal?: AbortSignal) =>
  request<T>('GET', path, {query, signal});
export const post = <T>(path: string, body?: unknown, options: RequestOptions = {}) =>
  request<T>('POST', path, {...options, body});
