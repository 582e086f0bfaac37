import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The account that every plan here is made for. */
export const account = '111122223333';

const identity = `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <GetCallerIdentityResult>
    <Arn>arn:aws:iam::${account}:user/test</Arn><UserId>test</UserId><Account>${account}</Account>
  </GetCallerIdentityResult>
  <ResponseMetadata><RequestId>00000000-0000-0000-0000-000000000000</RequestId></ResponseMetadata>
</GetCallerIdentityResponse>`;

/**
 * Says who is asking, which is the one call that a plan of new resources makes. Everything else is refused, so a plan
 * that began to read from AWS would fail here and not on somebody's machine.
 */
export async function startSts(): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const known = body.includes('Action=GetCallerIdentity');
      response.writeHead(known ? 200 : 403, { 'content-type': 'text/xml' });
      response.end(known ? identity : '<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}
