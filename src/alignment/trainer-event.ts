import { z } from 'zod';

const step = z.int().min(0);
const share = z.number().min(0).max(1);

/** One line of the trainer's standard output; see docs/formats.md. Loss in nats per supervised token. */
export const trainerEventSchema = z.discriminatedUnion('event', [
  z.object({ event: z.literal('started'), rows: step, tokens: step, supervisedShare: share, steps: step }),
  z.object({
    event: z.literal('progress'),
    step,
    steps: step,
    loss: z.number(),
    /** Tokens of the rows, shared prefixes counted once per row. */
    tokensPerSecond: z.number(),
    secondsLeft: z.number(),
  }),
  z.object({ event: z.literal('checkpoint'), step }),
  z.object({
    event: z.literal('finished'),
    adapter: z.string(),
    adapterGguf: z.string(),
    adapterHash: z.string().regex(/^[0-9a-f]{64}$/),
    firstLoss: z.number(),
    lastLoss: z.number(),
    seconds: z.number(),
  }),
  z.object({ event: z.literal('failed'), code: z.string(), message: z.string() }),
]);
export type TrainerEvent = z.output<typeof trainerEventSchema>;
export type TrainerFinished = Extract<TrainerEvent, { event: 'finished' }>;
