// The one kind of JWE that seals a payee, as bytes: compact, ECDH-ES on P-256 without a wrapped key, A256GCM (RFC 7516, RFC
// 7518 4.6). Written on node:crypto because it is synchronous and lets a derived key be used again (docs/decisions/0042);
// whatever is sealed here is opened by `jose` in the specs, and the other way round.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { CodedError } from '@compasso/kernel';

const alg = 'ECDH-ES';
const enc = 'A256GCM';
const cipher = 'aes-256-gcm';
const bytes = { contentKey: 32, iv: 12, tag: 16, coordinate: 32 } as const;

/** A key of one kind: any other member of a JWK is passed over. */
export interface EcJwk {
  readonly kty?: string | undefined;
  readonly crv?: string | undefined;
  readonly x?: string | undefined;
  readonly y?: string | undefined;
  readonly d?: string | undefined;
}

/** @throws CodedError `payee_key_unusable` for anything but a point of P-256 */
export function publicKeyOf(jwk: EcJwk): KeyObject {
  const key = pointOf(jwk);
  try {
    // OpenSSL refuses coordinates that are not a point of the curve.
    return createPublicKey({ key, format: 'jwk' });
  } catch (cause) {
    throw unusableKey(cause);
  }
}

/** @throws CodedError `payee_key_unusable` */
export function privateKeyOf(jwk: EcJwk): KeyObject {
  const { d } = jwk;
  const key = { ...pointOf(jwk), ...(d === undefined ? {} : { d }) };
  try {
    return createPrivateKey({ key, format: 'jwk' });
  } catch (cause) {
    throw unusableKey(cause);
  }
}

function pointOf({ kty, crv, x, y }: EcJwk) {
  const isPoint = bytesOf(x)?.length === bytes.coordinate && bytesOf(y)?.length === bytes.coordinate;
  if (kty !== 'EC' || crv !== 'P-256' || !isPoint || x === undefined || y === undefined) throw unusableKey();
  return { kty, crv, x, y };
}

const unusableKey = (cause?: unknown): CodedError =>
  new CodedError('payee_key_unusable', 'Payees are sealed to keys of P-256.', {}, { cause });

/** What all seals under one ephemeral key have in common. */
export interface ContentKey {
  /** The first part of the compact form, which every seal authenticates. */
  readonly protectedHeader: string;
  readonly contentKey: KeyObject;
}

/** Draws an ephemeral key, agrees on a content key with it, and forgets its private half. */
export function newContentKey(recipient: KeyObject, kid: string | undefined): ContentKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' });
  const header = { alg, enc, ...(kid === undefined ? {} : { kid }), epk: { kty, crv, x, y } };
  return {
    protectedHeader: Buffer.from(JSON.stringify(header)).toString('base64url'),
    contentKey: derived(diffieHellman({ privateKey, publicKey: recipient }), {}),
  };
}

export function sealWith({ protectedHeader, contentKey }: ContentKey, plaintext: string): string {
  const iv = randomBytes(bytes.iv);
  const sealing = createCipheriv(cipher, contentKey, iv, { authTagLength: bytes.tag });
  sealing.setAAD(Buffer.from(protectedHeader, 'ascii'));
  const ciphertext = Buffer.concat([sealing.update(plaintext, 'utf8'), sealing.final()]);
  const parts = [iv, ciphertext, sealing.getAuthTag()].map((part) => part.toString('base64url'));
  return [protectedHeader, '', ...parts].join('.');
}

/** The parts of a compact JWE as they came; undefined where they cannot be those of one. */
export interface CompactParts {
  readonly protectedHeader: string;
  readonly iv: Buffer;
  readonly ciphertext: Buffer;
  readonly tag: Buffer;
}

export function partsOf(compact: string): CompactParts | undefined {
  const [protectedHeader, encryptedKey, ...rest] = compact.split('.');
  const [iv, ciphertext, tag] = rest.map(bytesOf);
  // A key that is agreed on directly is not sent along.
  if (protectedHeader === undefined || encryptedKey !== '' || rest.length !== 3) return undefined;
  if (iv?.length !== bytes.iv || tag?.length !== bytes.tag || ciphertext === undefined) return undefined;
  return { protectedHeader, iv, ciphertext, tag };
}

export interface JudgedHeader {
  readonly kid: string | undefined;
  readonly contentKeyWith: (privateKey: KeyObject) => KeyObject;
}

/** Reads a protected header; undefined unless it is one that we can and may open: judged at least as `jose` judges it. */
export function judgeHeader(protectedHeader: string): JudgedHeader | undefined {
  const header = objectOf(bytesOf(protectedHeader));
  if (header === undefined || header['alg'] !== alg || header['enc'] !== enc) return undefined;
  // No extension is understood here, and nothing is compressed before it is sealed.
  if (Object.hasOwn(header, 'crit') || Object.hasOwn(header, 'zip')) return undefined;
  const { kid } = header;
  if (kid !== undefined && typeof kid !== 'string') return undefined;
  const ephemeral = ephemeralOf(header['epk']);
  const parties = partiesOf(header);
  if (ephemeral === undefined || parties === undefined) return undefined;
  const contentKeyWith = (privateKey: KeyObject) =>
    derived(diffieHellman({ privateKey, publicKey: ephemeral }), parties);
  return { kid, contentKeyWith };
}

/** Undefined when a bit of the seal is not as it was made. */
export function openWith(contentKey: KeyObject, parts: CompactParts): Buffer | undefined {
  const opening = createDecipheriv(cipher, contentKey, parts.iv, { authTagLength: bytes.tag });
  opening.setAAD(Buffer.from(parts.protectedHeader, 'ascii'));
  opening.setAuthTag(parts.tag);
  const plaintext = opening.update(parts.ciphertext);
  try {
    return Buffer.concat([plaintext, opening.final()]);
  } catch {
    // The tag is wrong: what was deciphered so far is nobody's.
    return undefined;
  }
}

interface Parties {
  readonly apu?: Buffer;
  readonly apv?: Buffer;
}

/** Concat KDF of NIST SP 800-56A for one block of SHA-256, with the names of RFC 7518 4.6.2. */
function derived(secret: Buffer, { apu = nobody, apv = nobody }: Parties): KeyObject {
  const round = numberOf(1);
  const length = numberOf(bytes.contentKey * 8);
  const material = [round, secret, measured(Buffer.from(enc)), measured(apu), measured(apv), length];
  // As a key object, because ciphers take raw bytes over anew each time, which costs more than they do.
  return createSecretKey(createHash('sha256').update(Buffer.concat(material)).digest());
}

const nobody = Buffer.alloc(0);

const measured = (data: Buffer): Buffer => Buffer.concat([numberOf(data.length), data]);

function numberOf(value: number): Buffer {
  const written = Buffer.alloc(4);
  written.writeUInt32BE(value);
  return written;
}

const membersOfEpk = new Set(['kty', 'crv', 'x', 'y', 'kid', 'use', 'alg']);

/** Public members alone: whoever sends a private one along has misunderstood something, and so would we. */
function ephemeralOf(epk: unknown): KeyObject | undefined {
  if (!isObject(epk) || Object.keys(epk).some((name) => !membersOfEpk.has(name))) return undefined;
  try {
    return publicKeyOf(epk as EcJwk);
  } catch {
    return undefined;
  }
}

function partiesOf({ apu, apv }: Readonly<Record<string, unknown>>): Parties | undefined {
  const [sender, receiver] = [apu, apv].map(bytesOf);
  if ((apu !== undefined && sender === undefined) || (apv !== undefined && receiver === undefined)) {
    return undefined;
  }
  // Two parties of one name: `jose` refuses them, too.
  if (sender !== undefined && receiver?.equals(sender) === true) return undefined;
  return { ...(sender && { apu: sender }), ...(receiver && { apv: receiver }) };
}

/** Base64url in its one canonical spelling: without padding, without stray bits. */
function bytesOf(text: unknown): Buffer | undefined {
  if (typeof text !== 'string') return undefined;
  const read = Buffer.from(text, 'base64url');
  return read.toString('base64url') === text ? read : undefined;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function objectOf(data: Buffer | undefined): Readonly<Record<string, unknown>> | undefined {
  if (data === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(utf8.decode(data));
    return isObject(parsed) ? parsed : undefined;
  } catch {
    // Neither JSON nor text: no header.
    return undefined;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
