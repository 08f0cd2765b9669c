import type { Ninefold } from '../../../output/client.ts'
import { absentId } from '../../areas/members.ts'
import type { Random } from '../../areas/random.ts'
import type { RandomKind } from '../../areas/random-mutations.ts'
import { base64, engine } from './tenant-secrets.ts'

const refusals = [
  'WORKSPACE_NOT_FOUND',
  'SECRET_NOT_FOUND',
  'SECRET_ALREADY_EXISTS',
  'SECRET_VERSION_NOT_FOUND',
  'SECRET_VERSION_DESTROYED',
  'CHECKSUM_MISMATCH',
  'ETAG_MISMATCH',
  'FIELD_INVALID',
]

const delays = ['0s', '0s', '86400s', '1s']
const etagOf = (random: Random): { readonly etag?: string } => (random.percent(5) ? { etag: 'stale' } : {})

/** Returns secrets with random names, delays, rotations, versions and aliases. */
export function randomSecrets({ vault }: Ninefold, workspace: string): RandomKind {
  return {
    name: 'secret',
    refusals,
    async create(random) {
      const at = { workspace: random.percent(3) ? absentId : workspace, engine }
      const rotation = random.percent(30) ? { rotation: { rotation_period: '86400s' } } : {}
      const life = random.percent(20) ? { ttl: '7200s' } : {}
      const body = {
        name: `secret-${random.below(30)}`,
        version_destroy_delay: random.oneOf(delays),
        ...rotation,
        ...life,
      }
      const { resource_id: id } = await vault.createSecret({ ...at, body })
      return {
        update: each => change(each, id),
        delete: each => vault.deleteSecret({ ...at, id, ...etagOf(each) }),
      }
    },
  }

  function change(random: Random, id: string): Promise<unknown> {
    const at = { workspace, engine }
    const version = { ...at, secret: id, id: String(1 + random.below(4)) }
    const changes: readonly (() => Promise<unknown>)[] = [
      () => vault.addSecretVersion({ ...at, secret: id, body: { payload: payloadOf(random) } }),
      () => vault.addSecretVersion({ ...at, secret: id, body: { payload: payloadOf(random) } }),
      () => vault.disableSecretVersion({ ...version, body: { disabled: random.percent(50), ...etagOf(random) } }),
      () => vault.destroySecretVersion({ ...version, body: etagOf(random) }),
      () => {
        const version_aliases = { stable: version.id }
        return vault.updateSecret({ ...at, id, update_mask: 'version_aliases', body: { version_aliases } })
      },
      () => vault.updateSecret({ ...at, id, update_mask: 'rotation,expire_time', body: etagOf(random) }),
    ]
    return random.oneOf(changes)()
  }
}

const payloadOf = (random: Random) => ({
  data: base64('x'.repeat(random.below(200))),
  ...(random.percent(5) && { data_crc32c: 7 }),
})
