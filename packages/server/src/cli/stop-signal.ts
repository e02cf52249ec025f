import { EXIT } from './exit.ts';

export interface StopSignal {
  /** What asked this process to stop. */
  requested: Promise<string>;
  dispose(): void;
}

/** SIGINT, SIGTERM, or the end of the process that watches over this one. A second signal ends at once. */
export function stopSignal(): StopSignal {
  let asked = false;
  let resolve: (reason: string) => void;
  const requested = new Promise<string>((done) => {
    resolve = done;
  });
  const onSignal = (signal: NodeJS.Signals): void => {
    if (asked) process.exit(EXIT.failed);
    asked = true;
    resolve(signal);
  };
  const onDisconnect = (): void => resolve('disconnect');
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  if (process.channel) process.on('disconnect', onDisconnect);
  return {
    requested,
    dispose: () => {
      process.off('SIGINT', onSignal).off('SIGTERM', onSignal).off('disconnect', onDisconnect);
      if (process.connected) process.disconnect();
    },
  };
}
