// SPDX-License-Identifier: Apache-2.0
import {Field} from '../design/parts';
import type {Draft} from './event';

export function dataProblem(draft: Draft): string | undefined {
  if (draft.data.trim() === '') return undefined;
  try {
    JSON.parse(draft.data);
    return undefined;
  } catch (error) {
    return `This is no JSON: ${(error as Error).message}`;
  }
}

export function EventForm({
  draft,
  onChange,
  tried,
}: {
  draft: Draft;
  onChange: (draft: Draft) => void;
  tried: boolean;
}) {
  const text = (name: keyof Draft) => ({
    className: 'input',
    value: draft[name],
    onChange: (event: {target: {value: string}}) =>
      onChange({...draft, [name]: event.target.value}),
  });
  const needed = (name: keyof Draft) => (tried && !draft[name] ? 'This is needed.' : undefined);
  return (
    <>
      <Field label="Type" wrong={needed('type')}>
        <input {...text('type')} placeholder="com.example.order.paid.v1" />
      </Field>
      <div className="two">
        <Field label="Source" wrong={needed('source')}>
          <input {...text('source')} />
        </Field>
        <Field label="Id" wrong={needed('id')} hint="The same source and id is taken once.">
          <input {...text('id')} />
        </Field>
      </div>
      <Field label="Subject (optional)">
        <input {...text('subject')} />
      </Field>
      <Field label="Data" wrong={dataProblem(draft)} hint="JSON">
        <textarea {...text('data')} rows={7} spellCheck={false} />
      </Field>
    </>
  );
}
