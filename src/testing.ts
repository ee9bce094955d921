export { manualClock } from './base/clock.ts';
export { memoryJournal } from './base/journal.ts';
export { scriptedBackend } from './model/scripted-backend.ts';
