import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { servedInBucket, servedRegistry } from '../../../domain/registry/served-registry.ts'
import { testFolder } from '../../store/harness.ts'

/** The program of the OCI distribution specification that tests registries. */
const suite = process.env['NINEFOLD_OCI_SUITE'] ?? ''

if (suite === '') console.warn('the conformance suite of OCI is not tested here: set NINEFOLD_OCI_SUITE to its program')

/** Returns the numbers of a report by their names: `{Pass: 100, FAIL: 0}`. */
const countsOf = (report: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...report.matchAll(/^ {2}([\w ]+?)\.+: +(\d+)$/gm)].map(([, name, count]) => [name, Number(count)]),
  )

// On a busy machine, the program takes minutes.
describe.runIf(suite !== '')('the conformance suite of OCI distribution', { timeout: 600_000 }, () => {
  it.each([
    ['1.1', 'folder', servedRegistry],
    ['dev', 'folder', servedRegistry],
    ['1.1', 'bucket', servedInBucket],
  ] as const)('finds no fault by version %s over a %s', async (version, _, serve) => {
    const { accessToken, repository, url } = await serve(onTestFinished)
    for (const name of ['one', 'two']) await repository(name)
    const results = testFolder()
    const { PATH = '' } = process.env
    const child = spawn(suite, [], {
      cwd: results,
      env: {
        PATH,
        OCI_REGISTRY: new URL(url).host,
        OCI_TLS: 'disabled',
        OCI_REPO1: 'acme/web/one',
        OCI_REPO2: 'acme/web/two',
        OCI_USERNAME: 'token',
        OCI_PASSWORD: accessToken,
        OCI_VERSION: version,
        // A cached token would lack the scope of the source of a mount.
        OCI_CACHE_AUTH: 'false',
        OCI_RESULTS_DIR: results,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    expect(countsOf(output), `${output}${errors}`).toMatchObject({ Pass: expect.any(Number), FAIL: 0, Error: 0 })
    expect(child.exitCode).toBe(0)
  })
})
