import { expect } from 'vitest'
import type { RegistryClient } from '../../../output/registry/client.ts'
import { testToken } from '../../server/access/test-access.ts'
import { endingSoon } from './ending-soon.ts'
import { digestOf, faultOf, OciClient } from './oci-client.ts'
import type { AdvisoryFolder } from './walked-advisories.ts'
import { accepted, cancelled, chunked, config, pushed, pushedIndex } from './walked-pushes.ts'
import { retained } from './walked-retention.ts'
import { scanned } from './walked-scans.ts'

/** The workspace in which the content is changed, and its names. */
export interface WalkedPlace {
  readonly workspace: string
  /** The names of the organisation and the workspace, joined by a slash. */
  readonly path: string
}

const [layer, other] = ['the layer of both', 'the layer of one']

/**
 * Pushes images by whole, chunked and mounted blobs, an index of them, reads and deletes them by every call, with locks in
 * the way, and deletes the repositories with what is left. Each call may have been done by a server that was killed before
 * its answer, so a deletion of what is gone already counts as done.
 */
export async function changeContent(
  registry: RegistryClient,
  call: typeof fetch,
  advisories: AdvisoryFolder,
  place: WalkedPlace,
): Promise<void> {
  const { path, workspace } = place
  const at = { workspace, engine: 'native' }
  const client = new OciClient('http://registry.test', testToken, (target, init) => {
    const { pathname, search } = new URL(String(target))
    return call(`${pathname}${search}`, init)
  })
  const [own, source] = [`${path}/own`, `${path}/source`]
  const { resource_id: repository } = await registry.createRepository({ ...at, body: { name: 'own' } })
  const { resource_id: second } = await registry.createRepository({ ...at, body: { name: 'source' } })
  await chunked(client, source, layer)
  const mount = `/v2/${own}/blobs/uploads/?mount=${digestOf(layer)}&from=${source}`
  await accepted(client, mount, { method: 'POST' }, 201)
  for (const text of [config, other]) await chunked(client, own, text)
  await cancelled(client, own)
  const [first, image] = [await pushed(client, own, 'v1', [layer]), await pushed(client, own, 'v2', [layer, other])]
  const index = await pushedIndex(client, own, [first, image])
  await lockedOnce(registry, { workspace, repository }, 'v1')
  await registry.deleteTag({ workspace, repository, reference: image, tag: 'v2' })
  const refused = await client.send(`/v2/${own}/manifests/${image}`, { method: 'DELETE' })
  expect(faultOf(refused)).toBe('409 DENIED ARTIFACT_REFERENCED')
  await accepted(client, `/v2/${own}/manifests/${index}`, { method: 'DELETE' }, 202, 404)
  await registry.deleteArtifact({ workspace, repository, reference: image })
  await chunked(client, own, 'named by nothing')
  await accepted(client, `/v2/${own}/blobs/${digestOf('named by nothing')}`, { method: 'DELETE' }, 202, 404)
  await readable(client, own, 'v1', [config, layer])
  expect(await registry.getRepository({ ...at, id: repository })).toMatchObject({ artifact_count: 1, tag_count: 1 })
  await scanned(registry, client, advisories, { workspace, repository, name: own })
  await retained(registry, client, { workspace, repository, name: own })
  for (const id of [repository, second])
    expect(await registry.waitOperation(await registry.deleteRepository({ ...at, id, force: true }))).toMatchObject({
      status: 'REGISTRY_OPERATION_STATUS_DONE',
      errors: [],
    })
}

/** Locks an artifact, so that nothing deletes it, and lets the lock end; an ended lock stays in the repository. */
async function lockedOnce(
  registry: RegistryClient,
  at: { readonly workspace: string; readonly repository: string },
  reference: string,
): Promise<void> {
  const locked = { reason: 'ARTIFACT_LOCKED' }
  const body = { reference, reason: 'in use' }
  const { resource_id: id } = await registry.createDeploymentLock({ ...at, body })
  await expect(registry.deleteArtifact({ ...at, reference })).rejects.toMatchObject(locked)
  const forced = { workspace: at.workspace, engine: 'native', id: at.repository, force: true }
  await expect(registry.deleteRepository(forced)).rejects.toMatchObject(locked)
  await registry.updateDeploymentLock({ ...at, id, update_mask: 'protect_tags', body: { protect_tags: true } })
  await registry.deleteDeploymentLock({ ...at, id })
  const { resource_id: ended } = await endingSoon(expire_time =>
    registry.createDeploymentLock({ ...at, body: { ...body, expire_time } }),
  )
  const state = async () => (await registry.getDeploymentLock({ ...at, id: ended })).state
  await expect.poll(state).toBe('REGISTRY_DEPLOYMENT_LOCK_STATE_EXPIRED')
}

async function readable(client: OciClient, name: string, tag: string, texts: readonly string[]): Promise<void> {
  await accepted(client, `/v2/${name}/manifests/${tag}`, {}, 200)
  for (const text of texts) {
    const { bytes } = await accepted(client, `/v2/${name}/blobs/${digestOf(text)}`, {}, 200)
    expect(new TextDecoder().decode(bytes)).toBe(text)
  }
}
