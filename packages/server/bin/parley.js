#!/usr/bin/env node
// Nothing here is newer than what an old Node can read: it has to get as far as the message.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 12)) {
  const found = `this is ${process.version} (${process.execPath})`;
  process.stderr.write(
    `error: Parley needs Node 20.12 or later, ${found}: install a newer one from nodejs.org\n`,
  );
  process.exitCode = 1;
} else {
  let done = false;
  // A connection that closes before it answers leaves `fetch` of Node 20 waiting for ever; Node would end without a word.
  process.once('exit', () => {
    if (done || process.exitCode !== undefined) return;
    process.stderr.write('error: the connection was closed before anything was answered\n');
    process.exitCode = 2;
  });
  void import('../dist/cli/main.js')
    .then(({ main }) => main(process.argv))
    .then((code) => {
      process.exitCode = code;
      done = true;
    });
}
