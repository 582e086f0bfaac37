import { ConfigurationError } from './core/configuration-error.ts';

/**
 * Runs what a function does before its first event. A configuration that is refused stops it here, with one line that
 * says what to change; were it found out event by event, a whole queue would pass through its retries first.
 */
export async function startUp<T>(start: () => T | Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof Error && error.name === ConfigurationError.name) {
      console.error(JSON.stringify({ level: 'ERROR', message: error.message, error_name: error.name }));
    }
    throw error;
  }
}
