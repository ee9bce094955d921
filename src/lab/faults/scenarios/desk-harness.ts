/** Files of the desk's harness: functions with opaque families of names, so that descriptions matter. */
export const DESK_FILES: Readonly<Record<string, string>> = {
  'harness.yaml': `name: desk
protocol:
  dialect: { kind: json }
answer: { from: tool }
limits: { turns: 4, tokensPerTurn: 420 }
sampling: { temperature: 0 }
`,
  'prompts/system.md': `You pass requests on to services.
Services:
{{tools}}
Call them with {"name": "SERVICE", "arguments": {"ARGUMENT": "VALUE"}}
Always answer with calls.
{{skills}}
`,
  'prompts/error-feedback.md': 'Error: {{problem}}. Correct it and write the calls again.\n',
  'skills/requests/SKILL.md': `Before you call:
When two things are asked, write one call for each in the same reply.
An afternoon hour is passed on the 24-hour clock: add 12.
Rates in percent are passed as fractions: divide by 100.
`,
  'retry.yaml': 'parseErrors: 2\ntoolErrors: 2\nmodelErrors: 3\n',
  'tools/travel_distance/tool.yaml': tool('travel_distance', 'How far it is by road from one city to another.', {
    origin: { type: 'string', description: 'city' },
    destination: { type: 'string', description: 'city' },
    unit: { type: 'string', enum: ['kilometre', 'mile'] },
  }),
  'tools/travel_train/tool.yaml': tool('travel_train', 'The next train that departs from a city to another.', {
    origin: { type: 'string', description: 'city' },
    destination: { type: 'string', description: 'city' },
    hour: { type: 'integer', description: 'hour of departure, 0 to 23' },
  }),
  'tools/travel_room/tool.yaml': tool('travel_room', 'A free hotel room for some nights.', {
    city: { type: 'string' },
    nights: { type: 'integer', description: 'number of nights' },
    class: { type: 'string', enum: ['economy', 'standard', 'deluxe'] },
  }),
  'tools/money_loan/tool.yaml': tool('money_loan', 'The monthly payment on a loan.', {
    principal: { type: 'integer', description: 'borrowed amount' },
    rate: { type: 'number', description: 'yearly rate as a fraction' },
    years: { type: 'integer', description: 'number of years' },
  }),
  'tools/money_exchange/tool.yaml': tool('money_exchange', 'What an amount is worth after currency conversion.', {
    amount: { type: 'integer', description: 'amount in the source currency' },
    source: { type: 'string', description: 'three letters' },
    target: { type: 'string', description: 'three letters' },
  }),
};

function tool(name: string, description: string, properties: Record<string, Record<string, unknown>>): string {
  return [
    `name: ${name}`,
    `description: ${description}`,
    'parameters:',
    '  type: object',
    '  properties:',
    ...Object.entries(properties).map(([key, schema]) => `    ${key}: ${JSON.stringify(schema)}`),
    `  required: [${Object.keys(properties).join(', ')}]`,
    '  additionalProperties: false',
    'backend: { kind: record }',
    'limits: { wallMs: 10000, outputCharacters: 200 }',
    '',
  ].join('\n');
}
