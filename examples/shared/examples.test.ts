import { expect, test } from 'vitest';
import { loadConfig } from '../../packages/server/src/config/load-config.ts';
import { CONFIG_FILE, graphs } from './serve.ts';

test('langgraph.json serves the graphs that the stories run against, each with a description', () => {
  const config = loadConfig(CONFIG_FILE);
  expect(Object.keys(config.graphs)).toEqual(Object.keys(graphs));
  for (const { description } of Object.values(config.graphs)) expect(description).toBeTruthy();
});
