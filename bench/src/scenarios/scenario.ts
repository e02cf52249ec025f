import type { Report } from '../report/report.ts';

export interface ScenarioOptions {
  /** Sizes that show the shape and measure nothing. */
  quick: boolean;
  devServer: boolean;
  cpuProf: string | undefined;
  progress(line: string): void;
}

export type Scenario = (options: ScenarioOptions) => Promise<Report>;
