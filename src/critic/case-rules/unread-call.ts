import type { FactSetting, HarnessFacts } from '../harness-facts/harness-facts.ts';
import { jsonObjects } from '../written-calls.ts';
import { type CaseRule, type CaseView, type Clue, findSetting, quoteOf } from './case-rule.ts';

const UNPARSED =
  /\b(could not|couldn['’]t|cannot|can['’]t|failed to|unable to) (parse|read|decode|extract|find)\b[^.\n]{0,40}\b(call|tool|action|function|json|arguments?|output|reply|response)\b|\b(parse|parsing|decode|JSONDecode|format) ?error\b|\bno (valid |parsable )?(tool |function )?(call|action)s? (was |were )?(found|detected|parsed|recognised|recognized|extracted)\b|\binvalid (action|call|tool call|json|format)\b|\bunparse?able\b|\bmalformed\b/i;

/** The model writes calls that the loop does not read: it says so, or no result ever follows them. */
export const unreadCall: CaseRule = {
  name: 'unread-call',
  clues: (view) => [...reportedUnread(view), ...silentlyUnread(view)],
};

function reportedUnread({ failing, facts }: CaseView): Clue[] {
  const steps = failing.flatMap((run) =>
    run.steps.filter(
      ({ role, content }) => role !== 'assistant' && role !== 'system' && UNPARSED.test(content.slice(0, 1_500)),
    ),
  );
  const [first] = steps;
  if (first === undefined) return [];
  const parser = parserOf(facts);
  return [
    {
      ...placeOfForm(parser),
      mechanism: 'call-not-parsed',
      explanation: 'The model calls in a form that the loop does not read.',
      weight: steps.length > 1 ? 2.2 : 1.6,
      evidence: steps.slice(0, 3).map((step) => quoteOf(step.event, step.content)),
      repair:
        parser === undefined ? null : [{ path: parser.path, old: parser.value, new: 'the form the model writes' }],
    },
  ];
}

function silentlyUnread({ failing, facts }: CaseView): Clue[] {
  return failing.slice(0, 3).flatMap((run): Clue[] => {
    if (run.steps.some(({ role }) => role === 'tool')) return [];
    const step = run.steps.find(
      ({ role, calls, hasNativeCalls, content }) =>
        role === 'assistant' &&
        !hasNativeCalls &&
        (calls.length > 0 ||
          (facts.tools.length > 0 &&
            looksLikeCall(
              content,
              facts.tools.map(({ name }) => name),
            ))),
    );
    // Where the loop answers the call itself, it has read it.
    if (step === undefined || run.steps[run.steps.indexOf(step) + 1]?.role === 'note') return [];
    return [
      {
        ...placeOfForm(parserOf(facts)),
        mechanism: 'call-without-result',
        explanation: 'The reply writes a call and nothing runs it: its form is not the one that is read.',
        weight: 2,
        evidence: [quoteOf(step.event, step.content)],
        repair: null,
      },
    ];
  });
}

/** The setting that says in which form calls are read. */
function parserOf(facts: HarnessFacts): FactSetting | undefined {
  return findSetting(facts, ['parser', 'format', 'dialect', 'protocol', 'style', 'syntax']);
}

/** Who is to blame for a form that is not read: the middleware that parses it, a setting, or else what is said of the tools. */
function placeOfForm(parser: FactSetting | undefined): Pick<Clue, 'label' | 'component' | 'path'> {
  if (parser === undefined) return { label: 'tool_schema_error', component: 'tool', path: '/tools' };
  const { component, path } = parser;
  if (component === 'middleware') return { label: 'middleware_mismatch', component, path };
  return { label: 'tool_schema_error', component: 'settings', path };
}

function looksLikeCall(content: string, names: readonly string[]): boolean {
  const objects = jsonObjects(content.slice(0, 10_000));
  return (
    objects.some(({ raw }) => names.some((name) => raw.includes(`"${name}"`))) ||
    names.some((name) =>
      new RegExp(`<[^>]*${RegExp.escape(name)}[^>]*>|[>:]\\s*["'\`]?${RegExp.escape(name)}["'\`]?\\s*<`).test(content),
    )
  );
}
