import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, link, open, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** The token of the bootstrap administrator and where it lies. */
export interface BootstrapToken {
  readonly file: string
  readonly token: string
  /** Others could read the file before it was closed to them. */
  readonly wasExposed: boolean
}

const groupAndOthers = 0o077

/**
 * The token in `<dataDir>/bootstrap-token`, 256 random bits, made at the first start and kept from then on. The file
 * is readable by its owner alone; rights that somebody widened are taken back.
 */
export async function bootstrapToken(dataDir: string): Promise<BootstrapToken> {
  const file = join(dataDir, 'bootstrap-token')
  if (!existsSync(file)) await createOnce(file, `${randomBytes(32).toString('base64url')}\n`)
  const wasExposed = process.platform !== 'win32' && ((await stat(file)).mode & groupAndOthers) !== 0
  if (wasExposed) await chmod(file, 0o600)
  const token = (await readFile(file, 'utf8')).trim()
  if (!/^[\w-]{43,}$/.test(token)) {
    throw new Error(`${file} holds no token; delete it, and the next start makes a new one`)
  }
  return { file, token, wasExposed }
}

/** Linking a finished file is atomic: of two first starts one wins, and none leaves half a token. */
async function createOnce(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}`
  const handle = await open(draft, 'w', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
    await link(draft, file)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  } finally {
    await handle.close()
    await rm(draft, { force: true })
  }
}
