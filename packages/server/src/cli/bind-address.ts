import { CliError, EXIT } from './exit.ts';

/** An address that only this machine reaches. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Without authentication everybody who reaches the port may run the agents. */
export function assertMayBind(host: string, allowUnauthenticated: boolean): void {
  if (isLoopback(host) || allowUnauthenticated) return;
  throw new CliError(
    EXIT.failed,
    `--host ${host}: this server asks nobody who they are, so it listens on loopback only; ` +
      'give --allow-unauthenticated if everybody who reaches this address may run its agents',
  );
}
