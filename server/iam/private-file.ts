import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'

/**
 * Writes a file that its owner alone can read, over what had its name. It is there whole or not at all, and lies on the
 * disk before it gets the name.
 */
export async function writePrivately(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomUUID()}.partial`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}
