import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { memoryFolder } from '../memory-folder.ts'
import { DevTools } from './dev-tools.ts'
import { Tab } from './tab.ts'

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
  /** The messages to the console of the page, with those of the browser about failed requests. */
  readonly console: readonly string[]
}

/** A headless browser that can reach no host but 127.0.0.1. */
export interface DrawingBrowser {
  /** Loads a page in a tab of its own; returns the page after all its work. */
  draw(url: string): Promise<Drawn>
  /** Opens an empty tab, whose clock is that of the machine. The tab ends with the browser. */
  open(): Promise<Tab>
  close(): Promise<void>
}

/** The time in milliseconds that pages can wait for timers. It passes on a clock that stops while resources load. */
const virtualMs = 60_000

/** Starts a browser, which draws pages one after the other. A browser for each page would take as long as the page. */
export async function drawingBrowser(program: string): Promise<DrawingBrowser> {
  const profile = newProfile()
  const flags = [
    ...flagsOf(profile),
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    '--remote-debugging-port=0',
  ]
  const child = spawn(program, [...flags, 'about:blank'], { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'close')
  const tools = await DevTools.of(child.stderr).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw error
  })
  child.stderr.resume()
  return {
    draw: url => draw(tools, url),
    open: () => Tab.open(tools),
    async close() {
      tools.close()
      child.kill('SIGKILL')
      await ended
      removeProfile(profile)
    },
  }
}

async function draw(tools: DevTools, url: string): Promise<Drawn> {
  const tab = await Tab.open(tools)
  const worked = Promise.withResolvers<void>()
  const stop = tab.listen(method => {
    if (method === 'Emulation.virtualTimeBudgetExpired') worked.resolve()
  })
  try {
    await tab.send('Emulation.setVirtualTimePolicy', { policy: 'pause' })
    await tab.go(url)
    const policy = { policy: 'pauseIfNetworkFetchesPending', budget: virtualMs }
    await tab.send('Emulation.setVirtualTimePolicy', policy)
    await worked.promise
    return { html: String(await tab.evaluate('document.documentElement.outerHTML')), console: tab.console }
  } finally {
    stop()
    await tab.close()
  }
}
