import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

export interface SecretKeys {
  /** The id of the key that new secrets are sealed with. */
  current: string;
  /** Key id to 32 random bytes in base64. Keep an old key for as long as something is sealed with it. */
  keys: Readonly<Record<string, string>>;
}

export interface SealedSecret {
  keyId: string;
  ciphertext: Buffer;
}

export interface SecretBox {
  readonly currentKeyId: string;
  /** `context` says where the secret belongs; it opens only with the same one. */
  seal(plaintext: string, context: string): SealedSecret;
  open(sealed: SealedSecret, context: string): string;
}

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

/** Encrypts and decrypts secrets at rest, with keys that never enter the database. */
export function createSecretBox({ current, keys }: SecretKeys): SecretBox {
  const decoded = new Map(Object.entries(keys).map(([id, text]) => [id, decodeKey(id, text)]));
  const findKey = (id: string): Buffer => {
    const key = decoded.get(id);
    if (key === undefined) {
      throw new Error(`There is no secret key "${id}"; known: ${[...decoded.keys()].join(', ')}. Configure it again.`);
    }
    return key;
  };
  const currentKey = findKey(current);
  return {
    currentKeyId: current,
    seal(plaintext, context) {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv(algorithm, currentKey, nonce).setAAD(Buffer.from(context));
      const ciphertext = Buffer.concat([nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return { keyId: current, ciphertext };
    },
    open({ keyId, ciphertext }, context) {
      const nonce = ciphertext.subarray(0, nonceLength);
      const body = ciphertext.subarray(nonceLength, -tagLength);
      try {
        const decipher = createDecipheriv(algorithm, findKey(keyId), nonce, { authTagLength: tagLength })
          .setAAD(Buffer.from(context))
          .setAuthTag(ciphertext.subarray(-tagLength));
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new Error(`The secret of ${context} cannot be opened with key "${keyId}". Enter it again.`, { cause });
      }
    },
  };
}

function decodeKey(id: string, text: string): Buffer {
  const key = Buffer.from(text, 'base64');
  if (key.length !== 32) {
    throw new Error(`The secret key "${id}" is not 32 bytes in base64. Make one: openssl rand -base64 32`);
  }
  return key;
}
