import { createHash, generateKeyPairSync, randomUUID, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Claims {
  sub: string;
  email: string;
  email_verified: boolean;
  name: string;
}

export interface IdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who is in front of the screen at the provider. */
  person: Claims;
  /** Changes the next ID tokens, as an attacker would. */
  forge: { claims?: Record<string, unknown>; withOtherKey?: boolean } | undefined;
  stop(): Promise<void>;
}

interface Grant {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string | null;
  readonly person: Claims;
}

/** Starts a small OpenID Connect provider: discovery, authorisation code with PKCE, signed ID tokens, user info and keys. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const clientId = 'lamb';
  const clientSecret = 'client-secret-4b1';
  const keyId = randomUUID();
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const grants = new Map<string, Grant>();
  const tokens = new Map<string, Claims>();

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => sendJson(response, 400, { error: String(error) }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const provider: IdentityProvider = {
    issuer,
    clientId,
    clientSecret,
    person: { sub: 'nobody', email: 'nobody@idp.test', email_verified: true, name: 'Nobody' },
    forge: undefined,
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer);
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        sendJson(response, 200, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          jwks_uri: `${issuer}/jwks`,
          id_token_signing_alg_values_supported: ['RS256'],
        });
        return;
      case '/jwks':
        sendJson(response, 200, { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: keyId, alg: 'RS256' }] });
        return;
      case '/authorize':
        authorize(url.searchParams, response);
        return;
      case '/token':
        sendJson(response, 200, exchange(await readForm(request), request.headers.authorization));
        return;
      case '/userinfo':
        sendJson(response, 200, tokens.get(request.headers.authorization?.replace('Bearer ', '') ?? ''));
        return;
      default:
        sendJson(response, 404, {});
    }
  }

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    if (query.get('client_id') !== clientId || query.get('code_challenge_method') !== 'S256') {
      sendJson(response, 400, { error: 'invalid_request' });
      return;
    }
    const code = randomUUID();
    const redirectUri = query.get('redirect_uri') ?? '';
    const challenge = query.get('code_challenge') ?? '';
    grants.set(code, { redirectUri, challenge, nonce: query.get('nonce'), person: provider.person });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    response.writeHead(302, { location: back.href }).end();
  }

  function exchange(form: URLSearchParams, authorization = ''): unknown {
    const basic = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString().split(':');
    const client = form.has('client_id') ? [form.get('client_id'), form.get('client_secret')] : basic;
    if (client[0] !== clientId || client[1] !== clientSecret) throw new Error('invalid_client');
    const code = form.get('code') ?? '';
    const grant = grants.get(code);
    grants.delete(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant?.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri')) {
      throw new Error('invalid_grant');
    }
    const accessToken = `access-token-${randomUUID()}`;
    tokens.set(accessToken, grant.person);
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer,
      aud: clientId,
      iat: now,
      exp: now + 300,
      nonce: grant.nonce,
      ...grant.person,
      ...provider.forge?.claims,
    };
    return {
      token_type: 'Bearer',
      expires_in: 300,
      access_token: accessToken,
      refresh_token: `refresh-token-${randomUUID()}`,
      id_token: signToken(claims, keyId, provider.forge?.withOtherKey === true ? other : privateKey),
    };
  }

  return provider;
}

function signToken(claims: object, keyId: string, key: KeyObject): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const content = `${encode({ alg: 'RS256', typ: 'JWT', kid: keyId })}.${encode(claims)}`;
  return `${content}.${sign('RSA-SHA256', Buffer.from(content), key).toString('base64url')}`;
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return new URLSearchParams(text);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
}
