import { TEMPLATE_FIELD } from '../harness/template-fields.ts';

/**
 * `{{name}}` → its field, in one pass: braces inside a field's text stay as they are. A field that is not text is shown as JSON; an
 * unknown name stays visible.
 */
export function fillTemplate(template: string, fields: Readonly<Record<string, unknown>>): string {
  return template.replace(TEMPLATE_FIELD, (placeholder, name: string) => {
    if (!Object.hasOwn(fields, name)) return placeholder;
    const value = fields[name];
    return typeof value === 'string' ? value : spacedJson(value);
  });
}

/** JSON on one line with a blank after `:` and `,`, as most training text of models has it. */
export function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}: ${spacedJson(member)}`).join(', ')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}
