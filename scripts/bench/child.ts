import { type ChildProcess, fork } from 'node:child_process';

/** A process that answers one message for each that it is sent. */
export class Child {
  readonly first: Promise<unknown>;
  private readonly process: ChildProcess;
  private readonly waiting: { resolve(answer: unknown): void; reject(error: Error): void }[] = [];

  constructor(file: string, args: readonly string[], env: NodeJS.ProcessEnv, execArgv: readonly string[] = []) {
    this.process = fork(file, args, { env, execArgv: [...execArgv], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.first = this.next();
    this.process.on('message', (answer) => this.waiting.shift()?.resolve(answer));
    this.process.on('exit', (code) => {
      for (const { reject } of this.waiting) reject(new Error(`${file} ${args.join(' ')} ended with ${code}`));
    });
  }

  ask<T>(message: object | string): Promise<T> {
    const answer = this.next();
    this.process.send(message);
    return answer as Promise<T>;
  }

  stop(): void {
    this.process.disconnect();
  }

  private next(): Promise<unknown> {
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }
}
