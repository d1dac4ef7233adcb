// SPDX-License-Identifier: Apache-2.0
import {Field} from '../design/parts';
import {plain} from '../design/text';
import type {FormField, FormValues} from './schema';

const TYPES: Record<string, string> = {date: 'date', email: 'email', uri: 'url'};

function hintOf(field: FormField): string | undefined {
  const said = field.schema.description && plain(field.schema.description);
  if (field.kind === 'lines') return [said, 'One a line.'].filter(Boolean).join(' ');
  return said;
}

export function InputForm({
  fields,
  values,
  wrong,
  onChange,
}: {
  fields: FormField[];
  values: FormValues;
  wrong: Record<string, string>;
  onChange: (values: FormValues) => void;
}) {
  return (
    <>
      {fields.map((field) => {
        const {name, kind, schema, required} = field;
        const value = values[name];
        const set = (next: string | boolean) => onChange({...values, [name]: next});
        const shared = {
          className: 'input',
          value: String(value),
          required,
          'aria-invalid': wrong[name] ? true : undefined,
        };
        if (kind === 'boolean') {
          return (
            <label key={name} className="row">
              <input
                type="checkbox"
                checked={value === true}
                onChange={(event) => set(event.target.checked)}
              />
              {plain(schema.title ?? name)}
            </label>
          );
        }
        return (
          <Field
            key={name}
            label={plain(schema.title ?? name) + (required ? '' : ' (optional)')}
            hint={hintOf(field)}
            wrong={wrong[name]}
          >
            {kind === 'choice' ? (
              <select {...shared} onChange={(event) => set(event.target.value)}>
                <option value="">–</option>
                {schema.enum!.map((one) => (
                  <option key={String(one)}>{String(one)}</option>
                ))}
              </select>
            ) : kind === 'lines' || kind === 'json' ? (
              <textarea
                {...shared}
                rows={kind === 'lines' ? 3 : 5}
                spellCheck={false}
                onChange={(event) => set(event.target.value)}
              />
            ) : (
              <input
                {...shared}
                type={TYPES[schema.format ?? ''] ?? 'text'}
                inputMode={kind === 'text' ? undefined : 'decimal'}
                onChange={(event) => set(event.target.value)}
              />
            )}
          </Field>
        );
      })}
    </>
  );
}
