// Adds to package-lock.json the optional platform packages that the registry used for the last `npm install` did not
// list. Without them `npm ci` refuses the file ("Missing: … from lock file"), here and on the platforms they are for.
// The versions come from the exact pins of the packages that ask for them; entries carry no integrity, npm fills it in
// where the package can be fetched. Also removes `resolved`, so that no registry host is in the file.
// Run it after every `npm install X`: node scripts/complete-lockfile.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const PLATFORM = { mac: 'darwin', darwin: 'darwin', win: 'win32', windows: 'win32', win32: 'win32', linux: 'linux' };

function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = words.map((word) => PLATFORM[word]).find(Boolean);
  const cpu = words.find((word) => ['x64', 'arm64', 'riscv64', 'ia32'].includes(word));
  if (!os)
    throw new Error(`Cannot tell the platform of the optional package ${name}; add it to package-lock.json by hand.`);
  return { os: [os], ...(cpu ? { cpu: [cpu] } : {}) };
}

const lock = JSON.parse(readFileSync(file, 'utf8'));
const added = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  delete entry.resolved;
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    const places = [`node_modules/${name}`, `${path}/node_modules/${name}`];
    if (places.some((place) => lock.packages[place])) continue;
    const version = range.replace(/^[^0-9]*/, '');
    lock.packages[places[0]] = { version, ...platformOf(name), optional: true };
    added.push(`${name}@${version}`);
  }
}
const [root, ...others] = Object.entries(lock.packages);
lock.packages = Object.fromEntries([root, ...others.sort(([a], [b]) => (a < b ? -1 : 1))]);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? 'package-lock.json is complete.' : `Added ${added.join(', ')}.`);
