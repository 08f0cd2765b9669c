import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { CommanderError } from 'commander'
import { generateCommand } from '../../../generator/command.ts'

export const repository = join(import.meta.dirname, '../../..')

export interface Outcome {
  readonly status: number | null
  readonly out: string
  readonly err: string
}

/** Runs `generate` in a folder as a process of its own, as a shell does; returns the exit status and the output. */
export function spawned(folder: string, ...words: readonly string[]): Outcome {
  const child = spawnSync(process.execPath, [join(repository, 'generator/main.ts'), 'generate', ...words], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, DEBUG: '', NO_COLOR: '1' },
  })
  return { status: child.status, out: child.stdout, err: child.stderr }
}

/** Runs `generate` in this process, which starts much faster; returns the exit status and the output. */
export async function generate(folder: string, ...words: readonly string[]): Promise<Outcome> {
  const texts = { out: '', err: '' }
  const terminal = {
    out: (text: string): void => void (texts.out += `${text}\n`),
    err: (text: string): void => void (texts.err += `${text}\n`),
  }
  const command = generateCommand(terminal)
    .exitOverride()
    .configureOutput({ writeErr: text => void (texts.err += text), writeOut: text => void (texts.out += text) })
  const before = process.cwd()
  process.chdir(folder)
  try {
    await command.parseAsync(words, { from: 'user' })
    return { status: Number(process.exitCode ?? 0), ...texts }
  } catch (error) {
    if (error instanceof CommanderError) return { status: error.exitCode, ...texts }
    throw error
  } finally {
    process.chdir(before)
    process.exitCode = undefined
  }
}

/** The shell arguments that give a program one pipe for both of its outputs, because two pipes have no common order. */
const onOnePipe = ['-c', 'exec "$@" 2>&1', 'sh']

/** A running `generate --watch`, whose output on both streams can be awaited. */
export class Watching {
  readonly #child
  #printed = ''
  readonly #waiting = new Set<() => void>()

  constructor(folder: string, ...words: readonly string[]) {
    const command = [process.execPath, join(repository, 'generator/main.ts'), 'generate', ...words, '--watch']
    this.#child = spawn('sh', [...onOnePipe, ...command], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#printed += text
      for (const look of this.#waiting) look()
    })
  }

  /** Resolves with the output since the last call, up to and including `pattern`. */
  async printed(pattern: RegExp): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>()
    const look = (): void => {
      const found = pattern.exec(this.#printed)
      if (!found) return
      const end = found.index + found[0].length
      resolve(this.#printed.slice(0, end))
      this.#printed = this.#printed.slice(end)
      this.#waiting.delete(look)
    }
    this.#waiting.add(look)
    look()
    return promise
  }

  /** Sends SIGINT, as Ctrl-C does; resolves with the exit code. */
  async interrupt(): Promise<number | null> {
    const { promise, resolve } = Promise.withResolvers<number | null>()
    this.#child.once('exit', code => resolve(code))
    this.#child.kill('SIGINT')
    return promise
  }

  end(): void {
    this.#child.kill('SIGKILL')
  }
}

/** Returns a document with two operations; `more` is inserted among its paths. */
export const petstore = (more = ''): string => `openapi: 3.0.3
info: { title: Pets, version: 1.0.0 }
paths:
  /pets:
    get:
      operationId: listPets
      tags: [pets]
      responses:
        '200':
          description: All pets.
          content:
            application/json:
              schema:
                type: array
                items: { $ref: '#/components/schemas/Pet' }
    post:
      operationId: createPet
      tags: [pets]
      requestBody:
        required: true
        content:
          application/json:
            schema: { $ref: '#/components/schemas/Pet' }
      responses:
        '201':
          description: The new pet.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Pet' }
${more}components:
  schemas:
    Pet:
      type: object
      required: [name]
      properties:
        name: { type: string, maxLength: 40 }
`

/** A further operation for `petstore`. */
export const getPet = `  /pets/{name}:
    get:
      operationId: getPet
      tags: [pets]
      parameters:
        - { name: name, in: path, required: true, schema: { type: string } }
      responses:
        '200':
          description: The pet.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Pet' }
`
