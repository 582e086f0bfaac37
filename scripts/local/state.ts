import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { scratch } from './checkout.ts';
import type { ProcessIdentity } from './process.ts';

/** What this checkout started, so that it can be found, used and ended again. */
export type LocalAwsState =
  | { readonly kind: 'ministack'; readonly port: number; readonly process: ProcessIdentity }
  | { readonly kind: 'localstack'; readonly port: number; readonly composeProject: string };

const statePath = scratch('local-aws', 'state.json');
const portPath = scratch('local-aws', 'port');

export function readState(): LocalAwsState | undefined {
  return existsSync(statePath) ? (JSON.parse(readFileSync(statePath, 'utf8')) as LocalAwsState) : undefined;
}

export function writeState(state: LocalAwsState): void {
  writeFileSync(statePath, JSON.stringify(state));
  writeFileSync(portPath, String(state.port));
}

export function forgetState(): void {
  rmSync(statePath, { force: true });
}

/** The port that this checkout used last. */
export function rememberedPort(): number | undefined {
  return existsSync(portPath) ? Number(readFileSync(portPath, 'utf8')) : undefined;
}
