#!/usr/bin/env node
import { main } from '../dist/cli/main.js';

let done = false;
// A connection that closes before it answers leaves `fetch` of Node 20 waiting for ever; Node would end without a word.
process.once('exit', () => {
  if (done || (process.exitCode ?? 13) !== 13) return;
  process.stderr.write('error: the connection was closed before anything was answered\n');
  process.exitCode = 2;
});
process.exitCode = await main(process.argv);
done = true;
