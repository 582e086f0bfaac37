import { type Benchmark, VARIANTS } from './build.ts';
import { Child } from './child.ts';
import { environment } from './environment.ts';
import { type ColdStartFigures, spread } from './figures.ts';

/** New processes, one after the other, the functions taking turns. */
export async function measureColdStarts(
  built: Benchmark,
  port: number,
  rounds: number,
): Promise<Record<string, ColdStartFigures>> {
  await fetch(`http://127.0.0.1:${port}/__reset`);
  const names = ['sdk-only', ...VARIANTS] as const;
  const samples: Record<string, { wallMs: number; cpuMs: number }[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const child = new Child(
        built.harness['cold-start'],
        [built.functions[name].file, String(round)],
        environment(name.replace('-', ''), port),
      );
      const sample = (await child.first) as { wallMs: number; cpuMs: number; failures: number };
      child.stop();
      if (sample.failures > 0) throw new Error(`${name} failed its first message`);
      samples[name] = [...(samples[name] ?? []), sample];
    }
  }
  return Object.fromEntries(
    Object.entries(samples).map(([name, all]) => [
      name,
      { wallMs: spread(all.map(({ wallMs }) => wallMs)), cpuMs: spread(all.map(({ cpuMs }) => cpuMs)) },
    ]),
  );
}
