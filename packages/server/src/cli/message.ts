import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { type Message, type Part, Role } from '@a2a-js/sdk';
import { Mime } from 'mime';
import otherTypes from 'mime/types/other.js';
import standardTypes from 'mime/types/standard.js';
import { CliError, EXIT } from './exit.ts';

/** An agent is sent TypeScript more often than MPEG transport streams. */
const mime = new Mime(standardTypes, otherTypes).define(
  { 'text/typescript': ['ts', 'mts', 'cts', 'tsx'] },
  true,
);

export interface MessageOptions {
  context?: string;
  task?: string;
  data?: unknown[];
  file?: string[];
}

/** The message of a command line: its text, then data and files as they were given. `-` reads the text from stdin. */
export async function messageOf(
  text: string | undefined,
  options: MessageOptions,
  stdin: Readable,
): Promise<Message> {
  const said = text === '-' ? await readText(stdin) : text;
  const parts = [
    ...(said === undefined ? [] : [partOf({ $case: 'text', value: said })]),
    ...(options.data ?? []).map((value) => partOf({ $case: 'data', value })),
    ...(await Promise.all((options.file ?? []).map(filePart))),
  ];
  if (parts.length === 0) throw new CliError(EXIT.usage, 'nothing to send: give a text, --data or --file');
  return {
    messageId: randomUUID(),
    contextId: options.context ?? '',
    taskId: options.task ?? '',
    role: Role.ROLE_USER,
    parts,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

const PROBLEMS: { [code: string]: string } = { ENOENT: 'there is no such file', EISDIR: 'it is a folder' };

async function filePart(path: string): Promise<Part> {
  const value = await readFile(path).catch((cause: NodeJS.ErrnoException) => {
    const why = PROBLEMS[cause.code ?? ''] ?? cause.message;
    throw new CliError(EXIT.usage, `--file ${path}: ${why}`, { cause });
  });
  const mediaType = mime.getType(path) ?? 'application/octet-stream';
  return { ...partOf({ $case: 'raw', value }), filename: basename(path), mediaType };
}

function partOf(content: NonNullable<Part['content']>): Part {
  return { content, metadata: undefined, filename: '', mediaType: '' };
}
