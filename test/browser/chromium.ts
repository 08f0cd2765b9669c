import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { memoryFolder } from '../memory-folder.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** Returns the path of a Chromium on the PATH; undefined if there is none. */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return names.flatMap(name => folders.map(folder => join(folder, name))).find(path => existsSync(path))
}

/**
 * Returns the flags of a headless browser with its own profile, without background work and without a sandbox, because
 * root cannot use the sandbox.
 */
const flagsOf = (profile: string): readonly string[] => [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--no-first-run',
  '--no-proxy-server',
  `--user-data-dir=${profile}`,
]

const newProfile = (): string => mkdtempSync(join(memoryFolder, 'ninefold-chromium-'))

const removeProfile = (profile: string): void => rmSync(profile, { recursive: true, force: true, maxRetries: 5 })

/** A browser with an open page, in a temporary profile. */
export interface Browser extends AsyncDisposable {
  /** Resolves when the browser has ended, with the end of its error output or with the error of a failed start. */
  readonly ended: Promise<string>
}

/** Opens a page in a headless Chromium without background network traffic. */
export function openPage(program: string, url: string): Browser {
  const profile = newProfile()
  const child = spawn(program, [...flagsOf(profile), url], { stdio: ['ignore', 'ignore', 'pipe'] })
  let printed = ''
  child.stderr.on('data', (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-4000)))
  const ended = new Promise<string>(resolve => {
    child.on('error', error => resolve(error.message))
    child.on('close', () => resolve(printed))
  })
  return {
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      removeProfile(profile)
    },
  }
}

/** The state of a page after all its work. */
export interface Drawn {
  readonly html: string
  /** The lines of the browser's error output with messages to the console of the page. */
  readonly console: readonly string[]
}

/** Loads a page in a headless Chromium that can reach no host but 127.0.0.1; returns the page after all its work. */
export async function drawPage(program: string, url: string): Promise<Drawn> {
  const profile = newProfile()
  const flags = [
    ...flagsOf(profile),
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    '--enable-logging=stderr',
    // The virtual clock of the page advances while the page waits, and stops while resources load.
    '--virtual-time-budget=60000',
    '--dump-dom',
  ]
  const child = spawn(program, [...flags, url], { stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    const [html, printed] = await Promise.all([text(child.stdout), text(child.stderr)])
    return { html, console: printed.split('\n').filter(line => line.includes(':CONSOLE:')) }
  } finally {
    child.kill('SIGKILL')
    removeProfile(profile)
  }
}
