import { appendFileSync, readFileSync } from 'node:fs'

/** A fact about a payload or a ciphertext that a client under load has learned. */
export type Proof =
  /** A ciphertext that a version of a key has made of a text. */
  | {
      readonly kind: 'ciphertext'
      readonly key: string
      readonly version: string
      readonly text: string
      readonly ciphertext: string
    }
  /** A new capsule with its text. */
  | { readonly kind: 'capsule'; readonly id: string; readonly token: string; readonly text: string }
  /** The acknowledged redemption of a capsule. */
  | { readonly kind: 'redeemed'; readonly id: string }
  /** An answer that contradicts an earlier answer. */
  | { readonly kind: 'fault'; readonly message: string }

/** Adds a proof to a file. The write is synchronous, so that a killed client loses no proof. */
export const addProof = (file: string, proof: Proof): void => appendFileSync(file, `${JSON.stringify(proof)}\n`)

/** Reads the proofs of all clients; a killed client may leave an incomplete line. */
export const readProofs = (file: string): readonly Proof[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line.endsWith('}'))
    .map((line): Proof => JSON.parse(line))
