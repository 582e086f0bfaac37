/** A wrong configuration: one clear sentence that names the variable. It stops the function at start-up. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
