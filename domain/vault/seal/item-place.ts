/**
 * The place of an encrypted item. The place is authenticated with the item, so an item that is copied to another place
 * does not open there.
 */
export interface ItemPlace {
  /** The id of the workspace. */
  readonly workspace: string
  /** The type of the resource: `vault.secretVersions`. */
  readonly type: string
  /** The id of the resource; for a version, the id of its secret or key. */
  readonly id: string
  /** The number of the version in decimal digits; empty for a resource without versions. */
  readonly version: string
}

/** Returns the parts as bytes, each behind its length as a 32-bit number, so that different parts never have equal bytes. */
export function joinedParts(...parts: readonly string[]): Buffer {
  const texts = parts.map(part => Buffer.from(part))
  const bytes = Buffer.alloc(texts.reduce((size, { length }) => size + 4 + length, 0))
  let at = 0
  for (const text of texts) {
    at = bytes.writeUInt32BE(text.length, at)
    at += text.copy(bytes, at)
  }
  return bytes
}
