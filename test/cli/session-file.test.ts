import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configFolder, SessionFile } from '../../cli/session-file.ts'
import { isInTheClear, serverUrl } from '../../cli/server-url.ts'
import { testFolder } from '../server/store/harness.ts'

const tokens = { access_token: 'a', expire_time: '2026-01-01T00:00:00.000Z', refresh_token: 'r', principal_id: 'p' }
const kept = { base_url: 'https://cloud.example.com', tokens }

test('a session is read as it was written, and is gone after its removal', async () => {
  const file = new SessionFile(join(testFolder(), 'deep', 'ninefold'))
  expect(await file.read()).toBeUndefined()
  await file.write(kept)
  expect(await file.read()).toEqual(kept)
  await file.remove()
  expect(await file.read()).toBeUndefined()
})

test.skipIf(process.platform === 'win32')('a file that others can read is refused', async () => {
  const file = new SessionFile(testFolder())
  await file.write(kept)
  chmodSync(file.path, 0o640)
  await expect(file.read()).rejects.toThrow(/others can read .*chmod 600/)
})

test.each(['', 'null', '{"base_url":1}', '{"base_url":"https://a.b","tokens":{"access_token":"secret"}}'])(
  'a broken file %j is named, and its content is not printed',
  async text => {
    const file = new SessionFile(testFolder())
    writeFileSync(file.path, text, { mode: 0o600 })
    await expect(file.read()).rejects.toThrow(/is broken: sign in again/)
    await expect(file.read()).rejects.not.toThrow(/secret/)
  },
)

test('tasks run one at a time, even after a failure', async () => {
  const folder = testFolder()
  const order: string[] = []
  const task = (name: string) => async () => {
    order.push(`${name} begins`)
    await new Promise(resolve => setImmediate(resolve))
    order.push(`${name} ends`)
    if (name === 'a') throw new Error('a fails')
  }
  const runs = ['a', 'b', 'c'].map(name => new SessionFile(folder).exclusive(task(name)))
  expect((await Promise.allSettled(runs)).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
  for (let index = 0; index < order.length; index += 2) {
    expect(order[index + 1]).toBe(order[index]?.replace('begins', 'ends'))
  }
})

test('settings lie in the folder of XDG, or else in the home folder', () => {
  expect(configFolder({ XDG_CONFIG_HOME: '/x', HOME: '/h' })).toBe(join('/x', 'ninefold'))
  expect(configFolder({ XDG_CONFIG_HOME: '', HOME: '/h' })).toBe(join('/h', '.config', 'ninefold'))
})

test.each([
  ['HTTPS://Cloud.Example.com:443/', 'https://cloud.example.com'],
  ['http://127.0.0.1:8080/base//', 'http://127.0.0.1:8080/base'],
])('%s is stored as %s', (text, url) => expect(serverUrl(text)).toBe(url))

test.each(['cloud', 'ftp://a.b', 'https://u:hunter2@a.b'])('%s is not the URL of a server', text => {
  expect(() => serverUrl(text)).toThrow(/--url must/)
  expect(() => serverUrl(text)).not.toThrow(/hunter2/)
})

test.each([
  ['http://cloud.example.com', true],
  ['http://127.0.0.1:8080', false],
  ['http://[::1]:1', false],
  ['http://127.0.0.1.example.com', true],
  ['https://cloud.example.com', false],
])('a transfer to %s can be read by others: %s', (url, isClear) => expect(isInTheClear(url)).toBe(isClear))
