import { spawn } from 'node:child_process';

export interface Finished {
  readonly exitCode: number;
  /** Both streams, in the order in which they were written. */
  readonly output: string;
  /** The first of them alone. */
  readonly stdout: string;
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Sees each whole line as it comes, so that people see a long run move. */
  readonly onLine?: (line: string) => void;
}

/** Runs a command to its end; it gets no standard input. A command that is not there ends with 127. */
export function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return new Promise((resolve) => {
    let output = '';
    let stdout = '';
    let partial = '';
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const note = (chunk: string) => {
      output += chunk;
      const lines = (partial + chunk).split('\n');
      partial = lines.pop() ?? '';
      for (const line of lines) options.onLine?.(line);
    };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
      note(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', note);
    child.on('error', (error) => resolve({ exitCode: 127, output: `${output}${error.message}`, stdout }));
    child.on('close', (code, signal) => resolve({ exitCode: code ?? (signal === null ? 1 : 128), output, stdout }));
  });
}
