/** `{{name}}`, with the name as its group. */
export const TEMPLATE_FIELD = /\{\{\s*([\w.-]+)\s*\}\}/g;

/** Names of the fields of a template, in order, as often as they stand there. */
export function templateFields(template: string): string[] {
  return [...template.matchAll(TEMPLATE_FIELD)].map(([, name]) => name ?? '');
}

/** Whether a template shows the field `name` anywhere. */
export function hasField(template: string, name: string): boolean {
  return templateFields(template).includes(name);
}
