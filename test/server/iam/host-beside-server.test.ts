import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { SignJWT } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  addAccountKey,
  createServiceAccount,
  removeAccountKey,
} from '../../../domain/iam/service-accounts/account-keys.ts'
import { platformWorkspaceId } from '../../../domain/ports/reserved.ts'
import { areas } from '../../../server/areas.ts'
import { readConfig } from '../../../server/config.ts'
import { asHost, type HostServices } from '../../../server/iam/host.ts'
import { served, type Served } from '../backup/harness.ts'
import { testFolder } from '../store/harness.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()

/** A platform that another process serves, and the commands of the host, which this process runs. */
interface Place {
  readonly server: Served
  host<R>(work: (parts: HostServices) => Promise<R>): Promise<R>
}

async function place(): Promise<Place> {
  const dataDir = testFolder()
  const server = await served(dataDir)
  onTestFinished(() => server.stop())
  const config = readConfig({ environment: { NINEFOLD_DATA_DIR: dataDir } }, [])
  return { server, host: work => asHost(config, areas, work) }
}

interface Program {
  /** Sends a request with the token of the service account, and returns the status of the response. */
  call(): Promise<number>
  /** Removes the key of the service account, as `ninefold iam service-accounts remove-key` does. */
  removeKey(): Promise<void>
}

async function program({ host, server: { url } }: Place): Promise<Program> {
  const name = `p-${randomUUID()}`
  const account = await host(parts => createServiceAccount(parts, { workspace: platformWorkspaceId, name }))
  const kid = await host(parts => addAccountKey(parts, account, { publicKey: pem }))
  const iat = Math.floor(Date.now() / 1000)
  const aud = `${url}/iam/v1/tokens:refresh`
  const claims = { iss: account, sub: account, aud, iat, exp: iat + 60, jti: randomUUID() }
  const assertion = await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA', kid }).sign(privateKey)
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(aud, { method: 'POST', headers, body: JSON.stringify({ assertion }) })
  const token: unknown = Reflect.get(Object(await answer.json()), 'access_token')
  const authorization = `Bearer ${String(token)}`
  return {
    async call() {
      const { body, status } = await fetch(`${url}/iam/v1/principals/${account}`, { headers: { authorization } })
      await body?.cancel()
      return status
    },
    removeKey: () => host(parts => removeAccountKey(parts, account, kid)),
  }
}

/** The status of a response to an invalid token; a valid token leads to success or to 403. */
const refused = 401

describe('a command of the host during a running server', () => {
  it('ends when the server admits no call by a removed key, under any load', async () => {
    const where = await place()
    for (let round = 0; round < 4; round += 1) {
      const { call, removeKey } = await program(where)
      const calling = new AbortController()
      const callers = Array.from({ length: 3 }, async () => {
        while (!calling.signal.aborted) await call()
      })
      expect(await call()).not.toBe(refused)
      await removeKey()
      expect(await Promise.all(Array.from({ length: 20 }, () => call()))).toEqual(Array(20).fill(refused))
      calling.abort()
      await Promise.all(callers)
    }
  })

  it('does not wait forever for a paused server, which admits no such call when it continues', async () => {
    const where = await place()
    const { call, removeKey } = await program(where)
    expect(await call()).not.toBe(refused)
    where.server.child.kill('SIGSTOP')
    await removeKey()
    const answer = call()
    where.server.child.kill('SIGCONT')
    expect(await answer).toBe(refused)
  })

  it('ends if the server was killed while it had a lease', async () => {
    const where = await place()
    const { call, removeKey } = await program(where)
    expect(await call()).not.toBe(refused)
    where.server.child.kill('SIGKILL')
    await once(where.server.child, 'close')
    await removeKey()
  })
})
