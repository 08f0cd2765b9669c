import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivately } from './private-file.ts'

/** `<dataDir>/bootstrap-token`: how whoever has the machine becomes the first administrator (iam.md 4.9). */
export class BootstrapFile {
  readonly path: string
  #user: string | undefined

  constructor(dataDir: string) {
    this.path = join(dataDir, 'bootstrap-token')
  }

  /** Writes the token of a user, over the one of an earlier start; whole or not at all, readable by the owner alone. */
  async write(user: string, token: string): Promise<void> {
    await writePrivately(this.path, `${token}\n`)
    this.#user = user
  }

  /** Deletes the file once its user has used the token; those of other users are nobody's business. */
  activated(user: string): void {
    if (user === this.#user) this.remove()
  }

  /** Deletes the file, where there is one. */
  remove(): void {
    this.#user = undefined
    rmSync(this.path, { force: true })
  }
}
