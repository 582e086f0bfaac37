/** The promises of the design, and its rules. */
export type PromiseName =
  | 'G1'
  | 'G2'
  | 'G3'
  | 'G4'
  | 'G5'
  | 'order'
  | 'untried'
  | 'rule 8'
  | 'rule 9'
  | 'rule 10'
  | 'breaker'
  | 'answer'
  | 'time-out'
  | 'progress';

/** A promise that was broken. */
export class Broken extends Error {
  readonly promise: PromiseName;

  constructor(promise: PromiseName, message: string) {
    super(message);
    this.name = 'Broken';
    this.promise = promise;
  }
}
