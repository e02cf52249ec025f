import { createParley, type Parley } from '@parley/server';
import { graph } from '../../chat/graph.ts';

const kept = globalThis as { parley?: Promise<Parley> };

/** One server for all routes, which a reload of their modules keeps. */
kept.parley ??= createParley({ graphs: { chat: graph }, http: { mount_prefix: '/agents' } });

export const parley: Parley = await kept.parley;
