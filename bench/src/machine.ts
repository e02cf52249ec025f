import { cpus, loadavg, totalmem } from 'node:os';

export interface Machine {
  date: string;
  node: string;
  system: string;
  cores: number;
  processor: string;
  memoryGiB: number;
  /** Load average of the last minute when the run began: above 1, something else was running. */
  load: number;
}

export function describeMachine(): Machine {
  const [first, ...others] = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    system: `${process.platform} ${process.arch}`,
    cores: others.length + 1,
    processor: first?.model.trim() ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    load: Math.round((loadavg()[0] ?? 0) * 100) / 100,
  };
}

export function printMachine(machine: Machine): string {
  const { date, node, system, cores, processor, memoryGiB, load } = machine;
  return `${date}, Node ${node}, ${system}, ${cores} cores (${processor}), ${memoryGiB} GiB, load ${load} at the start`;
}
