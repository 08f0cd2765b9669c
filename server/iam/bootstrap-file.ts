import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivately } from './private-file.ts'

/**
 * The file `<dataDir>/bootstrap-token`, by which a person with access to the machine becomes the first administrator
 * (iam.md 4.9).
 */
export class BootstrapFile {
  readonly path: string
  #user: string | undefined

  constructor(dataDir: string) {
    this.path = join(dataDir, 'bootstrap-token')
  }

  /**
   * Writes the token of a user and replaces the token of an earlier start. The file is complete or absent, and readable
   * by its owner only.
   */
  async write(user: string, token: string): Promise<void> {
    await writePrivately(this.path, `${token}\n`)
    this.#user = user
  }

  /** Deletes the file once its user has used the token; the tokens of other users do not matter. */
  activated(user: string): void {
    if (user === this.#user) this.remove()
  }

  /** Deletes the file if it exists. */
  remove(): void {
    this.#user = undefined
    rmSync(this.path, { force: true })
  }
}
