import type { Logger } from 'pino';

/**
 * Agents run in this process. A promise of theirs that is rejected unheard is logged and ends nothing; an exception that
 * nobody catches is logged, and ends the process as Node has it. Returns what stops it.
 */
export function hearStrayErrors(logger: Logger): () => void {
  const onRejection = (err: unknown): void =>
    logger.error({ err }, 'a promise was rejected and nobody heard');
  const onException = (err: Error): void => logger.fatal({ err }, 'an exception that nobody catches');
  process.on('unhandledRejection', onRejection).on('uncaughtExceptionMonitor', onException);
  return () => {
    process.off('unhandledRejection', onRejection).off('uncaughtExceptionMonitor', onException);
  };
}
