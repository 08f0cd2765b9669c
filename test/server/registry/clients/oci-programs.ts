import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { testFolder, type Later } from '../../store/harness.ts'
import { hasProgram, run } from '../../programs.ts'

/** The options of tests that start many programs, each of which takes seconds on a busy machine. */
export const manyPrograms = { timeout: 600_000 }

/** Returns whether all programs are on the PATH, and says which tests are skipped because of the programs that are not. */
export function hasPrograms(purpose: string, ...programs: readonly string[]): boolean {
  const missing = programs.filter(name => !hasProgram(name))
  if (missing.length > 0) console.warn(`${purpose} is not tested here: install ${missing.join(' and ')}`)
  return missing.length === 0
}

/** Programs that use registries, run in a home of their own: they read no settings of the machine's user. */
export interface OciPrograms {
  /** The home of the programs, which is also their working directory. */
  readonly folder: string
  /** Makes all programs use the credentials in the content of a file `config.json` of docker. */
  signIn(dockerConfig: object): void
  /** Runs a program to its end, and returns its output without white space around it; expects the exit status 0. */
  run(program: string, ...args: readonly string[]): Promise<string>
  /** Runs a program that has to fail, and returns its messages. */
  refused(program: string, ...args: readonly string[]): Promise<string>
}

/** Makes a home for programs in a temporary folder; `later` removes the folder. */
export function ociPrograms(later?: Later): OciPrograms {
  const folder = testFolder(later)
  const [docker, runtime, storage] = ['docker', 'runtime', 'storage.conf'].map(name => join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [docker, runtime]) mkdirSync(path)
  const places = { runroot: join(folder, 'run'), graphroot: join(folder, 'images') }
  const lines = Object.entries({ driver: 'vfs', ...places }).map(([name, value]) => `${name} = "${value}"`)
  writeFileSync(storage, ['[storage]', ...lines, ''].join('\n'))
  const variables = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    XDG_RUNTIME_DIR: runtime,
    CONTAINERS_STORAGE_CONF: storage,
    DOCKER_CONFIG: docker,
    REGISTRY_AUTH_FILE: join(docker, 'config.json'),
  }
  const settings = Object.entries(variables).map(([name, value]) => `${name}=${value}`)
  const ended = (program: string, args: readonly string[]) =>
    run('env', ['--ignore-environment', `--chdir=${folder}`, ...settings, program, ...args])
  return {
    folder,
    signIn: dockerConfig => writeFileSync(variables.REGISTRY_AUTH_FILE, JSON.stringify(dockerConfig)),
    async run(program, ...args) {
      const { errors, output, status } = await ended(program, args)
      expect([program, ...args, status, status === 0 ? '' : errors]).toEqual([program, ...args, 0, ''])
      return output.toString().trim()
    },
    async refused(program, ...args) {
      const { errors, output, status } = await ended(program, args)
      expect(status, output.toString()).not.toBe(0)
      return errors
    },
  }
}

/** Makes an image with a file `/hello.txt` in an OCI layout in the working directory of the programs. */
export async function makeLayout(
  { folder, run }: OciPrograms,
  layout: string,
  tag: string,
  { architecture = 'amd64', text = 'hello\n' } = {},
): Promise<void> {
  const image = `${layout}:${tag}`
  writeFileSync(join(folder, 'hello.txt'), text)
  await run('umoci', 'init', '--layout', layout)
  await run('umoci', 'new', '--image', image)
  await run('umoci', 'insert', '--rootless', '--image', image, 'hello.txt', '/hello.txt')
  await run('umoci', 'config', '--image', image, '--os', 'linux', '--architecture', architecture)
}
