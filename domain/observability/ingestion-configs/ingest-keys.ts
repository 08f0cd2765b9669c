import { createHash } from 'node:crypto'
import type { IngestKey } from '../../../output/observability/types.ts'
import type { StoredIngestionConfig } from './ingestion-configs-store.ts'

/** The keys of an ingestion config, as the config and `key_hashes` of its row have them. */
type StoredKeys = Pick<StoredIngestionConfig, 'ingest_keys' | 'key_hashes'>

/** Returns the hash of a key of a sender: its SHA-256 in hexadecimal digits. */
export const keyHash = (secret: string): string => createHash('sha256').update(secret).digest('hex')

/** Returns the hashes of a stored config, keyed by the names of its keys. */
export function hashesOf(keyHashes: string): ReadonlyMap<string, string> {
  const pairs = keyHashes === '' ? [] : keyHashes.split(',')
  return new Map(pairs.map(pair => [pair.slice(0, -65), pair.slice(-64)]))
}

/** Returns the text of a row for the hashes of keys, in the order of the keys. */
export const hashesText = (keys: readonly Pick<IngestKey, 'name'>[], hashes: ReadonlyMap<string, string>): string =>
  keys.map(({ name }) => `${name}=${hashes.get(name) ?? ''}`).join(',')

/**
 * Returns whether a text is a key of an ingestion config that has not expired; `now` is in milliseconds since 1970. Only
 * hashes are compared, so the time that a comparison takes tells nothing about a key.
 */
export function hasKey({ ingest_keys, key_hashes }: StoredKeys, secret: string, now: number): boolean {
  const [hashes, hash] = [hashesOf(key_hashes), keyHash(secret)]
  return ingest_keys.some(
    ({ expire_time, name }) =>
      hashes.get(name) === hash && (expire_time === undefined || Date.parse(expire_time) > now),
  )
}
