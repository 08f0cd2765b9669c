import { createHash } from 'node:crypto'

/**
 * Returns the id of a resource that no row has, by its name below an owner with a UUIDv7: the same UUIDv7 at each call,
 * with the time of the owner, and with bits of a hash in place of random bits (RFC 9562 §5.7).
 */
export function derivedId(name: string, owner: string): string {
  const bytes = createHash('sha256').update(`${owner}/${name}`).digest().subarray(0, 16)
  Buffer.from(owner.replaceAll('-', ''), 'hex').copy(bytes, 0, 0, 6)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x70
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
