import { createHash } from 'node:crypto'
import { nextTurn } from '../../resources/next-turn.ts'

/** The hash algorithms of digests, with the number of hex digits of each. */
const hexLengths = { sha256: 64, sha512: 128 } as const

/** The name of a hash algorithm of digests. */
export type DigestAlgorithm = keyof typeof hexLengths

/** A digest of content, such as `sha256:<64 hex digits>`. */
export interface Digest {
  readonly algorithm: DigestAlgorithm
  /** In lower case. */
  readonly hex: string
}

/** Returns whether a text names a hash algorithm of digests. */
export const isAlgorithm = (text: string): text is DigestAlgorithm => Object.hasOwn(hexLengths, text)

/** Returns the digest that a text is; undefined for another form and for other algorithms. */
export function parseDigest(text: string): Digest | undefined {
  const [algorithm = '', hex = '', ...rest] = text.split(':')
  if (rest.length > 0 || !isAlgorithm(algorithm)) return undefined
  return hex.length === hexLengths[algorithm] && /^[0-9a-f]+$/.test(hex) ? { algorithm, hex } : undefined
}

/** Returns whether a text is a digest. */
export const isDigest = (text: string): boolean => parseDigest(text) !== undefined

/** Returns the text of a digest. */
export const digestText = ({ algorithm, hex }: Digest): string => `${algorithm}:${hex}`

/** Returns the digest of bytes in pieces as text. Other work runs between two pieces. */
export async function digestOfPieces(algorithm: DigestAlgorithm, pieces: readonly Uint8Array[]): Promise<string> {
  const hash = createHash(algorithm)
  for (const piece of pieces) {
    hash.update(piece)
    await nextTurn()
  }
  return `${algorithm}:${hash.digest('hex')}`
}

/** Returns the digest of bytes as text. */
export const digestOf = (algorithm: DigestAlgorithm, bytes: Uint8Array): string =>
  `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}`
