import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { programOutput, ProgramFault } from './program-output.ts'
import { devScheme } from './settings.ts'

/** The size of a root key, in bytes. */
const rootKeySize = 32

/** The maximal size of the text of a root key, in bytes. */
const maxTextBytes = 1024

/** The time limit of a program that prints a root key, in milliseconds. */
const execMs = 10_000

/** A root key that cannot be read. The message never quotes the key. */
export class RootKeyFault extends Error {
  override readonly name = 'RootKeyFault'
}

/** The parts that reading a root key needs. */
export interface RootKeySources {
  /** A variable is deleted after it was read. */
  readonly environment: Record<string, string | undefined>
  /** Receives the path of a new file for development, after the file was written. */
  readonly made: (path: string) => void
}

/**
 * Returns the 32 bytes of a root key: of `file:///path`, which only its owner may read, of `env://NAME`, of the standard
 * output of `exec:///path`, or of `dev:///path`, a file that is created if `mayMake` is true. Throws `RootKeyFault`.
 */
export async function readRootKey(reference: string, sources: RootKeySources, mayMake: boolean): Promise<Buffer> {
  if (reference.startsWith('env://')) return keyOf(fromEnvironment(reference.slice(6), sources), 'the variable')
  if (reference.startsWith('exec://')) {
    const path = reference.slice(7)
    return keyOf(await outputOf(path), `the output of ${path}`)
  }
  const path = reference.slice(reference.indexOf('://') + 3)
  if (reference.startsWith(devScheme) && mayMake && (await makeFile(path))) sources.made(path)
  const remedy = reference.startsWith(devScheme) ? '; restore it, or set vault.seal.current_key to the right key' : ''
  return keyOf(await contentOf(path, remedy), path)
}

/** Returns the key of 32 raw bytes or of their padded base64, with at most one newline. */
function keyOf(content: Buffer, place: string): Buffer {
  if (content.length === rootKeySize) return content
  const text = content.toString('latin1').replace(/\r?\n$/, '')
  content.fill(0)
  const key = Buffer.from(text, 'base64')
  if (key.length === rootKeySize && key.toString('base64') === text) return key
  if (text.length === rootKeySize) return Buffer.from(text, 'latin1')
  throw new RootKeyFault(`${place} must hold 32 bytes or their base64; make a key with: openssl rand -base64 32`)
}

function fromEnvironment(name: string, { environment }: RootKeySources): Buffer {
  const text = environment[name]
  if (text === undefined) throw new RootKeyFault(`the environment variable ${name} with the root key is not set`)
  // Programs that the server starts inherit its environment.
  delete environment[name]
  return Buffer.from(text)
}

async function outputOf(path: string): Promise<Buffer> {
  try {
    return await programOutput(path, { maxBytes: maxTextBytes, maxMs: execMs })
  } catch (error) {
    if (!(error instanceof ProgramFault)) throw error
    throw new RootKeyFault(`the program ${path} did not print a root key: ${error.message}`)
  }
}

async function contentOf(path: string, remedy: string): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw new RootKeyFault(`the file ${path} with the root key cannot be read (${code})${remedy}`)
  })
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new RootKeyFault(`${path} is not a file, so that it holds no root key`)
    if ((stats.mode & 0o077) !== 0)
      throw new RootKeyFault(`the root key ${path} is open to other users; restrict it with: chmod 600 ${path}`)
    const content = Buffer.alloc(maxTextBytes)
    const { bytesRead } = await file.read(content, 0, maxTextBytes, 0)
    return content.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

/** Creates the file of a new root key; returns false if the file exists. */
async function makeFile(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(`${randomBytes(rootKeySize).toString('base64')}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}
