import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The program of a Chromium on the PATH; undefined when there is none. */
export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return names.flatMap(name => folders.map(folder => join(folder, name))).find(path => existsSync(path))
}

/** A browser with a page open, in a profile of its own that goes with it. */
export interface Browser extends AsyncDisposable {
  /** Resolves when it ends by itself, with the last of what it printed. */
  readonly ended: Promise<string>
}

/** Opens a page in a headless Chromium that loads nothing else. */
export function openPage(program: string, url: string): Browser {
  const profile = mkdtempSync(join(tmpdir(), 'ninefold-chromium-'))
  const child = spawn(
    program,
    [
      '--headless=new',
      // The page is our own, and as root there is no sandbox.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--no-first-run',
      '--no-proxy-server',
      `--user-data-dir=${profile}`,
      url,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
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
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
