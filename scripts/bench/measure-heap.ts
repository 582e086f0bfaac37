import type { Benchmark } from './build.ts';
import { Child } from './child.ts';
import { environment } from './environment.ts';
import { batch } from './events.ts';
import type { HeapFigures } from './figures.ts';
import type { Memory } from './worker.ts';

/** Whether the pipeline keeps anything between batches: its heap after 20 batches of 100 and after 200. */
export async function measureHeap(built: Benchmark, port: number, quick: boolean): Promise<HeapFigures> {
  await fetch(`http://127.0.0.1:${port}/__reset`);
  const child = new Child(built.harness.worker, [built.functions.pipeline.file], environment('pipeline', port), [
    '--expose-gc',
  ]);
  await child.first;
  const after: number[] = [];
  for (let index = 0; index < (quick ? 40 : 200); index += 1) {
    await child.ask({ event: batch({ batchSize: 100, duplicates: 0.05 }, index) });
    if (index === 19) after.push((await child.ask<Memory>('memory')).heapBytes);
  }
  after.push((await child.ask<Memory>('memory')).heapBytes);
  child.stop();
  const [after20Bytes = 0, after200Bytes = 0] = after;
  return { after20Bytes, after200Bytes };
}
