import { sampleArea } from './sample-area.ts'
import { expect, it } from 'vitest'
import { compose } from '../../server/compose.ts'
import type { OpenAccess } from '../../server/access/platform-access.ts'
import { storeUnavailable } from '../../server/store/retries.ts'
import { testAccess } from './access/test-access.ts'
import { logLines } from './operations/work-bench.ts'
import { testFolder } from './store/harness.ts'

const configOf = (dataDir: string) => ({
  baseUrl: undefined,
  dataDir,
  http: { host: '127.0.0.1', port: 0, isPortOpen: false },
})

/** Returns an access that throws one of the given errors at each of its first calls, and then opens. */
const failing =
  (errors: unknown[]): OpenAccess =>
  async sources => {
    const [error] = errors.splice(0, 1)
    if (error !== undefined) throw error
    return testAccess(sources)
  }

it('a server whose store is busy starts after the others', async () => {
  const errors = [storeUnavailable()]
  const platform = await compose(configOf(testFolder()), logLines(), [sampleArea()], failing(errors))
  expect(errors).toEqual([])
  await platform.close()
})

it('a server that cannot start for another reason reports it immediately, and releases its folder', async () => {
  const config = configOf(testFolder())
  const errors = [new Error('no such thing'), storeUnavailable()]
  await expect(compose(config, logLines(), [sampleArea()], failing(errors))).rejects.toThrow('no such thing')
  expect(errors).toHaveLength(1)
  await (await compose(config, logLines(), [sampleArea()], testAccess)).close()
})
