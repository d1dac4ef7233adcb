// SPDX-License-Identifier: Apache-2.0
// What a JSON Schema says that a form can show. What it does not understand is asked for as JSON.
// Pure.
import {parseJson, printJson} from '../api/json';

export interface JsonSchema {
  type?: string | string[];
  title?: string;
  description?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  enum?: unknown[];
  default?: unknown;
  examples?: unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
  pattern?: string;
  minItems?: number;
}

export type FieldKind = 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'lines' | 'json';

export interface FormField {
  name: string;
  kind: FieldKind;
  required: boolean;
  schema: JsonSchema;
}

export function kindOf(schema: JsonSchema): FieldKind {
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  if (schema.enum && schema.enum.every((value) => typeof value === 'string')) return 'choice';
  if (types.length !== 1) return 'json';
  if (types[0] === 'string') return 'text';
  if (types[0] === 'number' || types[0] === 'integer' || types[0] === 'boolean') return types[0];
  if (types[0] === 'array' && schema.items && kindOf(schema.items) === 'text') return 'lines';
  return 'json';
}

// The fields of an object's schema; undefined where a form would not do.
export function fieldsOf(schema: JsonSchema | undefined): FormField[] | undefined {
  if (!schema?.properties || (schema.type ?? 'object') !== 'object') return undefined;
  return Object.entries(schema.properties).map(([name, each]) => ({
    name,
    kind: kindOf(each),
    required: schema.required?.includes(name) ?? false,
    schema: each,
  }));
}

// The schema of a definition's input, if it stands in the definition itself.
export function inputSchema(document: unknown): JsonSchema | undefined {
  const found = (document as {input?: {schema?: {document?: unknown}}})?.input?.schema?.document;
  return typeof found === 'object' && found !== null ? (found as JsonSchema) : undefined;
}

// What the form begins with, as its fields hold it: text, or a boolean.
export type FormValues = Record<string, string | boolean>;

export function firstInput(schema: JsonSchema | undefined): Record<string, unknown> {
  const example = schema?.examples?.[0] ?? schema?.default;
  if (typeof example === 'object' && example !== null) return example as Record<string, unknown>;
  const input: Record<string, unknown> = {};
  for (const [name, each] of Object.entries(schema?.properties ?? {})) {
    const value = each.default ?? each.examples?.[0];
    if (value !== undefined) input[name] = value;
  }
  return input;
}

export function toForm(fields: FormField[], input: Record<string, unknown>): FormValues {
  return Object.fromEntries(
    fields.map(({name, kind}) => {
      const value = input[name];
      if (kind === 'boolean') return [name, value === true];
      if (value === undefined || value === null) return [name, ''];
      if (kind === 'lines') return [name, (value as unknown[]).join('\n')];
      return [name, kind === 'json' ? printJson(value) : String(value)];
    }),
  );
}

// One field's value; undefined where nothing is given. Throws where the text is none of the kind.
function read(field: FormField, value: string | boolean): unknown {
  if (field.kind === 'boolean') return value === true ? true : field.required ? false : undefined;
  const text = String(value);
  if (text.trim() === '') return undefined;
  if (field.kind === 'lines')
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter(Boolean);
  if (field.kind === 'json') return parseJson(text);
  if (field.kind !== 'number' && field.kind !== 'integer') return text;
  if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim())) throw new Error('This is no number.');
  return parseJson(text.trim());
}

export function fromForm(
  fields: FormField[],
  values: FormValues,
): {input: Record<string, unknown>; wrong: Record<string, string>} {
  const input: Record<string, unknown> = {};
  const wrong: Record<string, string> = {};
  for (const field of fields) {
    try {
      const value = read(field, values[field.name]);
      if (value !== undefined) input[field.name] = value;
      else if (field.required) wrong[field.name] = 'This is needed.';
    } catch (error) {
      wrong[field.name] =
        field.kind === 'json' ? `No JSON: ${(error as Error).message}` : (error as Error).message;
    }
  }
  return {input, wrong};
}
