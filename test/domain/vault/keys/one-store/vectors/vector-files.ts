import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The folder of the test vectors, `cryptography_vectors` of the Python package; undefined on machines without them. */
export const folder = process.env['NINEFOLD_CRYPTO_VECTORS']

if (folder === undefined)
  console.warn('NINEFOLD_CRYPTO_VECTORS names no folder: the test vectors of others are skipped (docs/testing.md)')

/** Returns the text of a file of vectors. */
export const readVectors = (path: string): string => readFileSync(join(folder ?? '', path), 'utf8')

/** The lines of a file between two empty lines. */
export interface Block {
  /** The last lines in brackets before the block, without their brackets: `Keylen = 256`, `P-256,SHA-256`. */
  readonly head: readonly string[]
  /** The members of the block: lines `name = value`; a line without a value has an empty value. */
  readonly members: Readonly<Record<string, string>>
}

/** Reads a file of NIST or OpenSSL. Lines that begin with `#` are comments. */
export function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = []
  let head: string[] = []
  for (const part of text.split(/\r?\n\s*\r?\n/)) {
    const lines = part.split(/\r?\n/).filter(line => line.trim() !== '' && !line.startsWith('#'))
    const heads = lines.filter(line => line.startsWith('[')).map(line => line.replace(/^\[|\]\s*$/g, ''))
    if (heads.length > 0) head = heads
    const members = lines.filter(line => !line.startsWith('[')).map(line => memberIn(line))
    if (members.length > 0) blocks.push({ head, members: Object.fromEntries(members) })
  }
  return blocks
}

function memberIn(line: string): readonly [string, string] {
  const at = line.indexOf('=')
  return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()]
}

/** Returns a member of a block as bytes: hex, or a text in quotes. Throws if the block lacks the member. */
export function bytesIn({ members }: Block, name: string): Buffer {
  const value = members[name]
  if (value === undefined) throw new Error(`the block has no ${name}: ${Object.keys(members).join()}`)
  return value.startsWith('"') ? Buffer.from(value.slice(1, -1)) : Buffer.from(value, 'hex')
}

/** A number of a file whose lines `# Name:` are followed by lines of hex. */
export interface Named {
  readonly name: string
  readonly bytes: Buffer
}

/** Reads a file of RSA Laboratories. */
export function namedNumbers(text: string): readonly Named[] {
  const named = text.matchAll(/^# ([^\n:]+):\s*\r?\n((?:[\da-f ]+\r?\n?)+)/gim)
  return [...named].map(([, name = '', hex = '']) => {
    const digits = hex.replaceAll(/\s/g, '')
    return { name, bytes: Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex') }
  })
}
