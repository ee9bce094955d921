// Preloaded into the Node 24 process: it leads its own process group, so nobody else would stop it when the process that
// started it is killed outright.
if (process.channel) {
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}
