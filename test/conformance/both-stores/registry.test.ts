import { createHash } from 'node:crypto'
import { setTimeout as nextPoll } from 'node:timers/promises'
import { expect } from 'vitest'
import type { RequestSender } from '../../../generator/conform/call.ts'
import type { JsonObject } from '../../../generator/conform/json.ts'
import type { Existing } from '../../../generator/conform/subject.ts'
import { proveDocument } from '../documented.ts'
import type { Arranged, Read, Run } from '../existing.ts'

let count = 0

const nextName = (): string => `made-${(count += 1)}`

/** A repository in a new workspace, with the path of the collections of the workspace. */
interface Place {
  readonly name: string
  readonly workspace: string
  readonly repository: string
  readonly below: string
}

async function newPlace(run: Run): Promise<Place> {
  const name = nextName()
  const organisation = await run('/taxonomy/v1/organisations', { name })
  const workspace = await run(`/taxonomy/v1/organisations/${organisation}/workspaces`, { name })
  const below = `/registry/v1/workspaces/${workspace}`
  const repository = await run(`${below}/engines/native/repositories`, { name: 'api' })
  return { name, workspace, repository, below }
}

const withGrantee =
  (pathOf: (run: Run, place: Place, grant: object) => Promise<JsonObject> = async () => ({})): Arranged[string] =>
  async (run): Promise<Existing> => {
    const place = await newPlace(run)
    const { workspace: grantee_workspace_id } = await newPlace(run)
    const { repository: repository_id, workspace } = place
    const body = { grantee_workspace_id, repository_id }
    const more = await pathOf(run, place, body)
    return { path: { workspace, engine: 'native', ...more }, body }
  }

const config = '{}'
const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`

/** Pushes a manifest with the tag `v1` to the repository of a place. */
async function push({ below, name }: Place, read: Read, call: RequestSender): Promise<void> {
  const { password } = await read(`${below}/engines/native/credentials`)
  const basic = `Basic ${Buffer.from(`token:${String(password)}`).toString('base64')}`
  const repository = `${name}/${name}/api`
  const scope = encodeURIComponent(`repository:${repository}:pull,push`)
  const answer = await call({ method: 'GET', target: `/v2/_token?scope=${scope}`, headers: { authorization: basic } })
  const authorization = `Bearer ${String(JSON.parse(answer.body).token)}`
  const send = async (method: string, target: string, type: string, body: string): Promise<number> =>
    (
      await call({
        method,
        target: `/v2/${repository}${target}`,
        headers: { authorization, 'content-type': type },
        body,
      })
    ).status
  const blob = `/blobs/uploads/?digest=${digestOf(config)}`
  // A server serves blobs soon after its start.
  while ((await send('POST', blob, 'application/octet-stream', config)) === 503) await nextPoll(20)
  const mediaType = 'application/vnd.oci.image.manifest.v1+json'
  const descriptor = { mediaType: 'application/vnd.oci.empty.v1+json', digest: digestOf(config), size: 2 }
  const manifest = { schemaVersion: 2, mediaType, config: descriptor, layers: [descriptor] }
  expect(await send('PUT', '/manifests/v1', mediaType, JSON.stringify(manifest))).toBe(201)
}

/** Pushes an artifact to a repository in a new workspace; `existing` returns what an operation needs of it. */
const withArtifact =
  (existing: (place: Place, run: Run) => Promise<Existing> | Existing): Arranged[string] =>
  async (run, read, call): Promise<Existing> => {
    const place = await newPlace(run)
    await push(place, read, call)
    return existing(place, run)
  }

const lockBody = { reference: 'v1', reason: 'in use' }

const withLock = withArtifact(async ({ below, repository, workspace }, run) => {
  const id = await run(`${below}/repositories/${repository}/deployment-locks`, lockBody)
  return { path: { workspace, repository, id } }
})

await proveDocument(
  'registry',
  { createRepository: () => ({ region: 'local1' }) },
  {
    createPullGrant: withGrantee(),
    deletePullGrant: withGrantee(async (run, { below }, grant) => ({
      id: await run(`${below}/engines/native/pull-grants`, grant),
    })),
    createDeploymentLock: withArtifact(({ repository, workspace }) => ({
      path: { workspace, repository },
      body: { reference: 'v1' },
    })),
    getScanReport: withArtifact(({ repository, workspace }) => ({ path: { workspace, repository, reference: 'v1' } })),
    scanArtifact: withArtifact(({ repository, workspace }) => ({
      path: { workspace, repository, reference: 'v1' },
      body: { scanner: 'native' },
    })),
    getDeploymentLock: withLock,
    updateDeploymentLock: withLock,
    deleteDeploymentLock: withLock,
  },
)
