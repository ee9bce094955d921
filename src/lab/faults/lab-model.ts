import { contentHash } from '../../base/content-hash.ts';
import type { ModelBackend } from '../../model/model-backend.ts';
import { scriptedBackend } from '../../model/scripted-backend.ts';
import { type ActorHabits, scriptedActor, USUAL_HABITS } from './actor/scripted-actor.ts';
import { LAB_WINDOW_TOKENS, type LabScenario } from './scenarios/lab-scenario.ts';

/** The scripted actor of a scenario as an engine; a token is a character. */
export function labModel({ mind, name }: LabScenario, habits: ActorHabits = USUAL_HABITS): ModelBackend {
  return scriptedBackend({
    reply: scriptedActor(mind, habits),
    identity: { base: contentHash({ actor: name, habits }), adapter: null },
    windowTokens: LAB_WINDOW_TOKENS,
    tokenIds: 'none',
  });
}
