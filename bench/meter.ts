// Preloaded into every measured process: tells its parent, when asked, how much processor time it has used.

process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicros: user + system });
});
// One whose parent was killed must not go on as load for others.
process.once('disconnect', () => process.exit());
// A process that is told to stop must not be kept alive by this channel.
process.channel?.unref();
