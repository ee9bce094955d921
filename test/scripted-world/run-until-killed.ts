// Runs the scripted world in FOLDER and kills itself (SIGKILL) right after the given number of journal writes: argv FOLDER WRITES.
import { openSqliteJournal } from '../../src/base/sqlite-journal.ts';
import { executeScriptedRun, journalFile } from './scripted-world.ts';

const [folder = '', writes = '0'] = process.argv.slice(2);
const journal = openSqliteJournal(journalFile(folder));
let left = Number(writes);
await executeScriptedRun({
  folder,
  journal: {
    ...journal,
    put: async (entry) => {
      await journal.put(entry);
      left--;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
    },
  },
});
