/** The server that is killed: `node --import tsx server.ts <port> <database> <visits file>`. Says `listening`. */
import { createParley } from '@parley/server';
import { pino } from 'pino';
import { chaosGraphs } from './graphs.ts';

const [, , port, database = '', visits = ''] = process.argv;
const logger = pino({ level: 'error' }, process.stderr);
const parley = await createParley({ graphs: chaosGraphs(visits), database, logger });
await parley.listen({ port: Number(port), host: '127.0.0.1' });
console.log('listening');
