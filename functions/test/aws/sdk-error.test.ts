import { describe, expect, it } from '@jest/globals';
import { readSdkError, wasRefused } from '../../src/aws/sdk-error.ts';

describe('what the SDK throws', () => {
  it('is named by the socket’s code where the error has no name of its own', () => {
    expect(readSdkError(Object.assign(new Error('boom'), { code: 'ECONNREFUSED' })).name).toBe('ECONNREFUSED');
    expect(readSdkError(Object.assign(new Error('boom'), { code: 'ECONNRESET', name: 'TimeoutError' })).name).toBe(
      'TimeoutError',
    );
  });

  it('may be anything', () => {
    for (const thrown of [undefined, null, 'text', 7, {}, { name: 7 }, { name: '' }]) {
      expect(readSdkError(thrown)).toEqual({ name: 'UnknownError', status: undefined, retried: false });
    }
  });

  it('counts as refused only when the service answered with a status of class 4xx', () => {
    const refused = (httpStatusCode?: number) =>
      wasRefused(readSdkError({ name: 'X', $metadata: httpStatusCode === undefined ? {} : { httpStatusCode } }));
    expect([undefined, 200, 400, 413, 499, 500, 503].map(refused)).toEqual([
      false,
      false,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('was retried when there was more than one attempt', () => {
    expect(readSdkError({ $metadata: { attempts: 2 } }).retried).toBe(true);
    expect(readSdkError({ $metadata: { attempts: 1 } }).retried).toBe(false);
  });
});
