// Preloaded into the Node 24 process: it leads its own process group, so nobody else would stop it when the process that
// started it is killed outright. Processes that it forks inherit the preload but have a channel of their own to mind.
const parent = Number(new URL(import.meta.url).searchParams.get('parent'));
if (process.channel && process.ppid === parent) {
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}
