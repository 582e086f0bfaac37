/** Where {@link listAsText} goes: behind the SDK's serialiser, before everything that looks at the body. */
export const AFTER_SERIALISING = { step: 'serialize', priority: 'low', name: 'listAsText' } as const;

/**
 * Middleware for a command that was made with an empty list: puts the list into its body, as `JSON.stringify` wrote it.
 *
 * The SDK's serialiser walks the schema of every attribute value: for the 100 actions of a transaction that was a
 * seventh of all CPU of a batch. What it would write is the input as it stands, binary values apart. So the SDK
 * serialises the command without its list (with its token, headers and target), and the list comes in before the body
 * is signed.
 */
export function listAsText(member: string, text: string) {
  const empty = `"${member}":[]`;
  return <Args extends { request?: unknown }, Output>(next: (args: Args) => Output) =>
    (args: Args): Output => {
      const request = args.request as { body: Uint8Array | string };
      const body = bodyText(request.body);
      // Sent without its list, it would be refused as invalid, and its events would be judged by that.
      if (!body.includes(empty)) throw new Error('the SDK serialises a list in a form that is not known');
      request.body = Buffer.from(body.replace(empty, () => `"${member}":${text}`));
      return next(args);
    };
}

/**
 * Bytes stringify as an object, which the service would refuse. An attribute that is called `B` looks alike, and only takes
 * the longer way.
 */
export function mayHoldBinary(text: string): boolean {
  return holdsMember(text, 'B":{') || holdsMember(text, 'BS":[{');
}

/** `member` comes without its first quote: quotes are everywhere, and a search for one would stop at each. */
function holdsMember(text: string, member: string): boolean {
  for (let at = text.indexOf(member); at !== -1; at = text.indexOf(member, at + 1)) {
    if (text[at - 1] === '"') return true;
  }
  return false;
}

/** Over the same memory: the SDK's body is a byte array that warns when it is asked for its text. */
function bodyText(body: Uint8Array | string): string {
  if (typeof body === 'string') return body;
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8');
}
