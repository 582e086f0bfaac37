/**
 * What an exception of the SDK says about the call: whether it was executed. Errors are told apart by name and status,
 * never by `instanceof`: a bundle may hold a class twice.
 */
export interface SdkError {
  readonly name: string;
  /** Undefined when no answer came: network, time-out, abort. */
  readonly status: number | undefined;
  /** The SDK sent the call more than once: an earlier try may still be executed, or has been. */
  readonly retried: boolean;
}

interface Thrown {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly attempts?: number };
}

/** The name of a socket's error is `Error`; its code says more (`ECONNRESET`). */
export function readSdkError(thrown: unknown): SdkError {
  const error = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as Thrown;
  const name = typeof error.name === 'string' && error.name !== '' ? error.name : 'UnknownError';
  const code = typeof error.code === 'string' ? error.code : undefined;
  return {
    name: name === 'Error' && code !== undefined ? code : name,
    status: error.$metadata?.httpStatusCode,
    retried: (error.$metadata?.attempts ?? 1) > 1,
  };
}

/** The service answered that it refuses the request: it was not executed, and will not be. */
export function wasRefused(error: SdkError): boolean {
  return error.status !== undefined && error.status >= 400 && error.status < 500;
}
