import { generateKeyPairSync } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { addAccountKey, removeAccountKey } from '../../../domain/iam/service-accounts/account-keys.ts'
import { changes } from '../../../domain/iam/collections/feed-store.ts'
import { LiveFeed } from '../../../domain/iam/feed/live-feed.ts'
import { serviceAccounts } from '../../../domain/iam/collections/service-accounts-store.ts'
import { platformWorkspaceId, systemPrincipalId } from '../../../domain/ports/reserved.ts'
import { startTaxonomy } from '../../../domain/taxonomy/area.ts'
import { areas } from '../../../server/areas.ts'
import { readConfig } from '../../../server/config.ts'
import { asHost } from '../../../server/iam/host.ts'
import { openStore, storeFile } from '../../../server/platform-store.ts'
import { addAccount, tokenPlatform } from '../../domain/iam/token-platform.ts'
import { baseUrl } from '../../domain/iam/iam-environment.ts'
import { callContext } from '../../domain/iam/calls.ts'
import { command, ended } from '../backup/harness.ts'
import { testFolder } from '../store/harness.ts'
import { valueOf } from '../../domain/outcomes.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()

/** Makes a data folder with a store that has the tables of all areas and the first rows of the taxonomy. */
async function dataFolder(): Promise<string> {
  const dataDir = testFolder()
  const store = await openStore({ dataDir }, areas)
  await store.tx(tx => startTaxonomy(tx, Date.now()))
  await store.close()
  return dataDir
}

const configOf = (dataDir: string) => readConfig({ environment: { NINEFOLD_DATA_DIR: dataDir } }, [])

const iam = (dataDir: string, ...words: string[]) => ended(command(dataDir, ['iam', 'service-accounts', ...words]))

describe('ninefold iam service-accounts', () => {
  it('creates an account, adds a key and removes it, while other processes have the store open', async () => {
    const dataDir = await dataFolder()
    const store = await openStore({ dataDir }, areas)
    const file = join(dataDir, 'key.pem')
    writeFileSync(file, pem)
    const made = await iam(
      dataDir,
      'create',
      '--workspace',
      platformWorkspaceId,
      '--name',
      'ci',
      '--display-name',
      'Builds',
    )
    expect(made).toMatchObject({ code: 0, said: expect.stringMatching(/^[\da-f-]{36}\n$/) })
    const id = made.said.trim()
    const added = await iam(
      dataDir,
      'add-key',
      '--id',
      id,
      '--public-key',
      file,
      '--expire-time',
      '2100-01-01T00:00:00Z',
    )
    expect(added).toMatchObject({ code: 0, said: expect.stringMatching(/^[\da-f-]{36}\n$/) })
    const keyId = added.said.trim()
    expect((await store.get(serviceAccounts, id))?.value).toMatchObject({
      name: 'ci',
      display_name: 'Builds',
      managed_by: 'OPERATOR',
      keys: [{ key_id: keyId, algorithm: 'EDDSA', expire_time: '2100-01-01T00:00:00.000Z' }],
    })
    expect(await iam(dataDir, 'remove-key', '--id', id, '--key-id', keyId)).toMatchObject({ code: 0, said: '' })
    expect((await store.get(serviceAccounts, id))?.value.keys).toEqual([])
    await store.close()
  })

  it('reports the fault, and ends with 1', async () => {
    const dataDir = await dataFolder()
    const file = join(dataDir, 'key.pem')
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const usable = join(dataDir, 'public.pem')
    writeFileSync(usable, pem)
    const { said: made } = await iam(dataDir, 'create', '--workspace', platformWorkspaceId, '--name', 'taken')
    const id = made.trim()
    const runs: readonly (readonly [readonly string[], RegExp])[] = [
      [
        ['create', '--workspace', systemPrincipalId, '--name', 'ci'],
        /^ninefold: workspace .* does not exist; name another one with --workspace$/m,
      ],
      [
        ['create', '--workspace', platformWorkspaceId, '--name', 'No'],
        /^ninefold: --name must be at most 63 lower case .*, not "No"$/m,
      ],
      [
        ['create', '--workspace', platformWorkspaceId, '--name', 'ci', '--display-name', 'x'.repeat(129)],
        /^ninefold: --display-name must have at most 128 characters$/m,
      ],
      [
        ['create', '--workspace', platformWorkspaceId, '--name', 'ci', '--display-name', 'a\u202eb'],
        /^ninefold: --display-name must have neither control characters nor bidirectional overrides$/m,
      ],
      [['create', '--workspace', platformWorkspaceId, '--name', 'taken'], /^ninefold: --name must be another name: /],
      [['create', '--workspace', platformWorkspaceId], /required option '--name <name>'/],
      [['add-key', '--id', systemPrincipalId, '--public-key', file], /^ninefold: --public-key must be one public key/],
      [
        ['add-key', '--id', id, '--public-key', usable, '--expire-time', 'tomorrow'],
        /^ninefold: --expire-time must be an RFC 3339 time in the future, .*, not "tomorrow"$/m,
      ],
      [
        ['remove-key', '--id', id, '--key-id', 'x'],
        /^ninefold: --key-id must be a key of the account, which has no "x"$/m,
      ],
      [
        ['add-key', '--id', systemPrincipalId, '--public-key', `${file}.absent`],
        /^ninefold: \S+ cannot be read \(ENOENT\): name .+ --public-key$/m,
      ],
      [
        ['remove-key', '--id', systemPrincipalId, '--key-id', 'x'],
        /^ninefold: service account .* does not exist; name another one with --id$/m,
      ],
    ]
    for (const [words, said] of runs) {
      const run = await iam(dataDir, ...words)
      expect([run.code, run.said]).toEqual([1, expect.stringMatching(said)])
      expect(run.said).not.toMatch(/PRIVATE|at .*\.ts/)
    }
  })
})

describe('asHost', () => {
  it('creates no store', async () => {
    const dataDir = testFolder()
    await expect(asHost(configOf(dataDir), areas, async () => 1)).rejects.toThrow(
      /there is no store at .*ninefold serve/,
    )
    expect(existsSync(storeFile(dataDir))).toBe(false)
  })

  it('notifies running servers of the tokens that are no longer valid', async () => {
    const dataDir = await dataFolder()
    const server = await tokenPlatform({ place: storeFile(dataDir), now: Date.now() })
    const account = await addAccount(server)
    const feed = new LiveFeed({ store: server.store, clock: server.parts.clock, listeners: [server.authenticator] })
    await feed.start()
    const kid = await asHost(configOf(dataDir), areas, parts => addAccountKey(parts, account, { publicKey: pem }))
    const iat = Math.floor(server.time.now / 1000)
    const claims = { iss: account, sub: account, aud: `${baseUrl}/iam/v1/tokens:refresh`, iat, exp: iat + 60, jti: '1' }
    const assertion = await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', kid }).sign(privateKey)
    const { access_token } = await valueOf(
      server.tokens.refreshToken({ body: { assertion } }, callContext(server.time.now)),
    )
    expect(await server.admission(access_token)).toBe('OK')
    await asHost(configOf(dataDir), areas, parts => removeAccountKey(parts, account, kid))
    await feed.catchUp()
    expect(await server.admission(access_token)).toBe('TOKEN_REVOKED')
    expect(await server.store.count(changes)).toBe(1)
    await feed.stop()
  })
})
