import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../server/config.ts'
import { testFolder } from './store/harness.ts'

function fileOf(content: unknown): string {
  const file = join(testFolder(), 'settings.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

describe('settings', () => {
  it('have defaults', () => {
    expect(readConfig({ environment: { PATH: '/bin' } })).toEqual({
      baseUrl: undefined,
      dataDir: './data',
      http: { host: '127.0.0.1', port: 8080, isPortOpen: true },
    })
  })

  it('come from a file, dotted or nested, and from the environment above it', () => {
    const file = fileOf({ base_url: 'https://cloud.example/', http: { port: 9000 }, 'http.host': '::1' })
    expect(readConfig({ file, environment: { NINEFOLD_HTTP_PORT: '0', NINEFOLD_DATA_DIR: '/srv' } })).toEqual({
      baseUrl: 'https://cloud.example',
      dataDir: '/srv',
      http: { host: '::1', port: 0, isPortOpen: false },
    })
  })

  it.each<[string, unknown, Readonly<Record<string, string>>, string]>([
    ['an unknown key', { 'http.prot': 1 }, {}, '"http.prot" is no setting (did you mean "http.port"?)'],
    ['an unknown variable', {}, { NINEFOLD_DATADIR: 'x' }, 'did you mean "NINEFOLD_DATA_DIR"?'],
    ['a port too large', { http: { port: 65536 } }, {}, 'http.port must be a port'],
    ['a port that is a text', {}, { NINEFOLD_HTTP_PORT: '80a' }, 'NINEFOLD_HTTP_PORT must be a port'],
    ['a list', { data_dir: ['x'] }, {}, 'data_dir must be a text or a number'],
    ['an empty folder', { data_dir: ' ' }, {}, 'data_dir must not be empty'],
    ['another scheme', { base_url: 'ftp://x' }, {}, 'base_url must be an http or https URL'],
    ['broken JSON', '{', {}, 'cannot be read as JSON'],
    ['no object', [], {}, 'must hold one object'],
    ['a key of the prototype', '{"__proto__": {"http": 1}}', {}, 'is no setting'],
  ])('with %s are refused', (_name, content, environment, message) => {
    expect(() => readConfig({ file: fileOf(content), environment })).toThrow(message)
  })

  it('of a named file that does not exist are refused', () => {
    expect(() => readConfig({ file: join(testFolder(), 'none.json'), environment: {} })).toThrow('cannot be read')
  })
})
