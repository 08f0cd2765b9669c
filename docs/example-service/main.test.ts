import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'

type Running = ChildProcessByStdio<null, Readable, null>

function run(script: string, env: Readonly<Record<string, string>>): Running {
  const file = join(import.meta.dirname, script)
  return spawn(process.execPath, [file], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
}

/** What a process prints, up to a line that fits. */
async function printed({ stdout }: Running, pattern: RegExp): Promise<RegExpExecArray> {
  let all = ''
  for (;;) {
    const [chunk] = await once(stdout.setEncoding('utf8'), 'data')
    all += String(chunk)
    const found = pattern.exec(all)
    if (found) return found
  }
}

/** The block of the guide that shows what the tour prints. */
function shownInGuide(): string {
  const guide = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8')
  return /tour\.ts\n```\n\n```\n([^]*?)```/.exec(guide)?.[1] ?? ''
}

it('serves, lets the tour through as the guide shows it, and ends when it is told to', async () => {
  const server = run('main.ts', { PORT: '0', API_KEY: 'key' })
  try {
    const [, url = ''] = await printed(server, /listens on (\S+), its key is key\n/)
    const tour = run('tour.ts', { LIBRARY_URL: url, API_KEY: 'key' })
    const said = await text(tour.stdout)
    const plain = (output: string): string => output.replace(/\d{4}-\d\d-\d\d/, 'DATE').replace(/\w+day/, 'DAY')
    expect(plain(said)).toBe(plain(shownInGuide()))
  } finally {
    server.kill('SIGINT')
  }
  const [code] = await once(server, 'exit')
  expect(code).toBe(0)
})
